/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Forgiving in what it reads: NUL at the end, any line ends, empty lines and comments are all met
 * in the wild. */

#include "config.h"

#include "holdall-uri-list.h"

#include <string.h>

/* More is no list of files. */
#define MAX_BYTES (16 * 1024 * 1024)

static const char * const formats[] = {
  "x-special/gnome-copied-files",
  "x-special/mate-copied-files",
  "text/uri-list",
  NULL
};

const char * const *
holdall_uri_list_get_formats (void)
{
  return formats;
}

GPtrArray *
holdall_uri_list_parse (const char *text,
                        gsize       length,
                        gboolean   *is_cut)
{
  g_autofree char *copy = g_strndup (text, MIN (length, MAX_BYTES));
  g_auto (GStrv) lines = g_strsplit_set (copy, "\r\n", -1);
  GPtrArray *files = g_ptr_array_new_with_free_func (g_object_unref);

  if (is_cut != NULL)
    *is_cut = FALSE;
  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *line = g_strstrip (lines[i]);

      if (*line == '\0' || *line == '#')
        continue;
      if (files->len == 0 && (g_str_equal (line, "cut") || g_str_equal (line, "copy")))
        {
          if (is_cut != NULL)
            *is_cut = g_str_equal (line, "cut");
          continue;
        }
      g_ptr_array_add (files, g_file_new_for_uri (line));
    }
  return files;
}

static void
spliced_cb (GObject      *object,
            GAsyncResult *result,
            gpointer      user_data)
{
  g_autoptr (GTask) task = user_data;
  GOutputStream *output = G_OUTPUT_STREAM (object);
  GError *error = NULL;

  if (g_output_stream_splice_finish (output, result, &error) < 0)
    {
      g_task_return_error (task, error);
      return;
    }
  g_task_return_pointer (task, g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (output)),
                         (GDestroyNotify) g_bytes_unref);
}

void
holdall_uri_list_read_async (GInputStream        *input,
                             GCancellable        *cancellable,
                             GAsyncReadyCallback  callback,
                             gpointer             user_data)
{
  g_autoptr (GOutputStream) output = g_memory_output_stream_new_resizable ();
  GTask *task = g_task_new (NULL, cancellable, callback, user_data);

  g_output_stream_splice_async (output, input,
                                G_OUTPUT_STREAM_SPLICE_CLOSE_SOURCE |
                                  G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET,
                                G_PRIORITY_DEFAULT, cancellable, spliced_cb, task);
}

GPtrArray *
holdall_uri_list_read_finish (GAsyncResult  *result,
                              gboolean      *is_cut,
                              GError       **error)
{
  g_autoptr (GBytes) bytes = g_task_propagate_pointer (G_TASK (result), error);
  gsize length;
  const char *text;

  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &length);
  return holdall_uri_list_parse (text != NULL ? text : "", length, is_cut);
}
