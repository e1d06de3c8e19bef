/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A thread asks, and is left alone with its question if it takes too long: nothing wakes a call that
 * waits for a dead mount. */

#include "config.h"

#include "holdall-file-ask.h"

#define ANSWER_MS 3000

typedef struct {
  GPtrArray *files;
  guint n_found;
  guint n_folders;
} Question;

static void
question_free (gpointer data)
{
  Question *self = data;

  g_ptr_array_unref (self->files);
  g_free (self);
}

static void
ask_func (GTask        *task,
          gpointer      source_object,
          gpointer      task_data,
          GCancellable *cancellable)
{
  Question *self = task_data;

  for (guint i = 0; i < self->files->len && !g_cancellable_is_cancelled (cancellable); i++)
    {
      GFileType type = g_file_query_file_type (g_ptr_array_index (self->files, i),
                                               G_FILE_QUERY_INFO_NONE, cancellable);

      if (type != G_FILE_TYPE_UNKNOWN)
        self->n_found++;
      if (type == G_FILE_TYPE_DIRECTORY)
        self->n_folders++;
    }
  g_task_return_boolean (task, TRUE);
}

static gboolean
give_up_cb (gpointer user_data)
{
  g_cancellable_cancel (user_data);
  return G_SOURCE_REMOVE;
}

void
holdall_file_ask_async (GPtrArray           *files,
                        GAsyncReadyCallback  callback,
                        gpointer             user_data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  Question *question = g_new0 (Question, 1);

  question->files = g_ptr_array_ref (files);
  g_task_set_source_tag (task, holdall_file_ask_async);
  g_task_set_task_data (task, question, question_free);
  g_task_set_return_on_cancel (task, TRUE);
  /* After the answer it does nothing. */
  g_timeout_add_full (G_PRIORITY_DEFAULT, ANSWER_MS, give_up_cb, g_steal_pointer (&cancellable),
                      g_object_unref);
  g_task_run_in_thread (task, ask_func);
}

gboolean
holdall_file_ask_finish (GAsyncResult  *result,
                         guint         *n_found,
                         guint         *n_folders,
                         GError       **error)
{
  Question *question = g_task_get_task_data (G_TASK (result));

  /* If it was given up, the thread still writes into the question. */
  if (!g_task_propagate_boolean (G_TASK (result), error))
    return FALSE;
  if (n_found != NULL)
    *n_found = question->n_found;
  if (n_folders != NULL)
    *n_folders = question->n_folders;
  return TRUE;
}
