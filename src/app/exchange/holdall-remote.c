/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* An archive is read at many places at once and written beside itself, for which a path is needed.
 * Where GVfs runs its own file system in user space a mounted place has paths; elsewhere, as on a
 * machine without it, a copy has to do. */

#include "config.h"

#include "holdall-remote.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "holdall-job-task.h"

#define ORIGIN_KEY "holdall-origin"
#define STAGING_KEY "holdall-staging"
#define KEPT_KEY "holdall-kept-copy"
#define ASKED G_FILE_ATTRIBUTE_STANDARD_TYPE "," G_FILE_ATTRIBUTE_STANDARD_TARGET_URI

typedef struct {
  GFile *file;
  HoldallJobList *jobs;     /* borrowed */
  GWeakRef parent;
  gboolean has_mounted;
  HoldStaging *staging;     /* (nullable) */
  char *path;               /* (nullable): of the copy */
} Request;

static void ask_place (GTask *task);

static void
request_free (gpointer data)
{
  Request *request = data;

  g_object_unref (request->file);
  g_weak_ref_clear (&request->parent);
  g_clear_pointer (&request->staging, hold_staging_free);
  g_free (request->path);
  g_free (request);
}

GError *
holdall_remote_create_error (GFile *file)
{
  g_autofree char *name = g_file_get_parse_name (file);

  return g_error_new (G_IO_ERROR, G_IO_ERROR_NOT_MOUNTED,
                      /* Translators: %s is the address of a file that is not on this machine. */
                      _("“%s” has no path on this machine"), name);
}

GFile *
holdall_remote_peek_origin (GFile *file)
{
  return g_object_get_data (G_OBJECT (file), ORIGIN_KEY);
}

void
holdall_remote_keep_for (GFile   *file,
                         GObject *user)
{
  if (holdall_remote_peek_origin (file) != NULL)
    g_object_set_data_full (user, KEPT_KEY, g_object_ref (file), g_object_unref);
}

/* One file in a folder of its own: that takes no time. */
static void
clean_staging (gpointer data)
{
  HoldStaging *staging = data;

  if (!hold_staging_clean (staging))
    g_debug ("Something is left in %s", hold_staging_get_payload (staging));
  hold_staging_free (staging);
}

/* The copy. */

static void
record_func (GTask        *task,
             gpointer      source_object,
             gpointer      task_data,
             GCancellable *cancellable)
{
  Request *request = task_data;
  GError *error = NULL;
  GFile *copy;

  /* Nobody is to change it by accident: that would not arrive where it came from. */
  if (!hold_staging_record (request->staging, &error))
    {
      hold_staging_clean (request->staging);
      g_task_return_error (task, error);
      return;
    }
  if (g_chmod (request->path, 0400) != 0)
    g_debug ("%s stays writable", request->path);
  copy = g_file_new_for_path (request->path);
  g_object_set_data_full (G_OBJECT (copy), STAGING_KEY, g_steal_pointer (&request->staging),
                          clean_staging);
  g_object_set_data_full (G_OBJECT (copy), ORIGIN_KEY, g_object_ref (request->file),
                          g_object_unref);
  g_task_return_pointer (task, copy, g_object_unref);
}

static void
fetched_cb (HoldJob *job,
            GTask   *task)
{
  Request *request = g_task_get_task_data (task);
  GError *error = NULL;

  if (hold_job_get_state (job) == HOLD_JOB_DONE)
    {
      g_task_run_in_thread (task, record_func);
      return;
    }
  error = hold_job_get_error (job) != NULL
            ? g_error_copy (hold_job_get_error (job))
            : g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, _("Cancelled"));
  hold_staging_clean (request->staging);
  g_task_return_error (task, error);
}

static void
fetch (GTask *task)
{
  Request *request = g_task_get_task_data (task);
  g_autoptr (GtkWindow) parent = g_weak_ref_get (&request->parent);
  g_autofree char *name = g_file_get_basename (request->file);
  g_autoptr (HoldFetchJob) job = NULL;
  GError *error = NULL;

  request->staging = hold_staging_new (g_get_user_cache_dir (), &error);
  if (request->staging == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  if (name == NULL || strchr (name, '/') != NULL || g_str_equal (name, "."))
    {
      g_free (name);
      name = g_strdup ("archive");
    }
  job = hold_fetch_job_new (request->file, hold_staging_get_payload (request->staging), name);
  request->path = g_strdup (hold_fetch_job_get_path (job));
  holdall_job_task_submit (task, request->jobs, HOLD_JOB (job), parent, fetched_cb);
}

/* The place. */

static void
mounted_cb (GObject      *object,
            GAsyncResult *result,
            gpointer      user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;

  if (g_file_mount_enclosing_volume_finish (G_FILE (object), result, &error)
      || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_ALREADY_MOUNTED))
    {
      g_clear_error (&error);
      ask_place (task);
    }
  else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED))
    {
      g_clear_error (&error);
      g_task_return_error (task, holdall_remote_create_error (G_FILE (object)));
    }
  else
    g_task_return_error (task, error);
}

static void
mount (GTask *task)
{
  Request *request = g_task_get_task_data (task);
  g_autoptr (GtkWindow) parent = g_weak_ref_get (&request->parent);
  g_autoptr (GMountOperation) operation = gtk_mount_operation_new (parent);

  request->has_mounted = TRUE;
  g_file_mount_enclosing_volume (request->file, G_MOUNT_MOUNT_NONE, operation,
                                 g_task_get_cancellable (task), mounted_cb, g_object_ref (task));
}

/* (transfer full) (nullable): what is behind an item of a place that only lists files. */
static GFile *
dup_target (GFileInfo *info)
{
  const char *uri =
    g_file_info_get_attribute_string (info, G_FILE_ATTRIBUTE_STANDARD_TARGET_URI);
  g_autoptr (GFile) target = uri != NULL ? g_file_new_for_uri (uri) : NULL;

  return target != NULL && g_file_peek_path (target) != NULL ? g_steal_pointer (&target) : NULL;
}

static void
asked_cb (GObject      *object,
          GAsyncResult *result,
          gpointer      user_data)
{
  g_autoptr (GTask) task = user_data;
  Request *request = g_task_get_task_data (task);
  g_autoptr (GFileInfo) info = NULL;
  g_autofree char *path = NULL;
  GFile *target;
  GError *error = NULL;

  info = g_file_query_info_finish (G_FILE (object), result, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_MOUNTED) && !request->has_mounted)
    {
      g_clear_error (&error);
      mount (task);
      return;
    }
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED))
    {
      g_clear_error (&error);
      g_task_return_error (task, holdall_remote_create_error (request->file));
      return;
    }
  if (info == NULL)
    {
      g_task_return_error (task, error);
      return;
    }

  target = dup_target (info);
  path = target == NULL ? g_file_get_path (request->file) : NULL;
  if (path != NULL)
    target = g_file_new_for_path (path);
  if (target != NULL)
    g_task_return_pointer (task, target, g_object_unref);
  else if (g_file_info_get_attribute_uint32 (info, G_FILE_ATTRIBUTE_STANDARD_TYPE) ==
           G_FILE_TYPE_DIRECTORY)
    g_task_return_error (task, holdall_remote_create_error (request->file));
  else
    fetch (task);
}

static void
ask_place (GTask *task)
{
  Request *request = g_task_get_task_data (task);

  g_file_query_info_async (request->file, ASKED, G_FILE_QUERY_INFO_NONE, G_PRIORITY_DEFAULT,
                           g_task_get_cancellable (task), asked_cb, g_object_ref (task));
}

void
holdall_remote_reach_async (GFile               *file,
                            HoldallJobList      *jobs,
                            GtkWindow           *parent,
                            GCancellable        *cancellable,
                            GAsyncReadyCallback  callback,
                            gpointer             user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  Request *request = g_new0 (Request, 1);

  request->file = g_object_ref (file);
  request->jobs = jobs;
  g_weak_ref_init (&request->parent, parent);
  g_task_set_source_tag (task, holdall_remote_reach_async);
  g_task_set_task_data (task, request, request_free);
  ask_place (task);
}

GFile *
holdall_remote_reach_finish (GAsyncResult  *result,
                             GError       **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
