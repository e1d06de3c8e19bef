/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Extracts one entry into a staging, and looks at what came out before anybody else does. */

#include "config.h"

#include "holdall-copy.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "holdall-job-task.h"

typedef struct {
  char *archive_path;
  char *entry_path;
  HoldallCopy *copy;
  gboolean is_read_only;
} Request;

G_DEFINE_QUARK (holdall-copy-error, holdall_copy_error)

void
holdall_copy_free (HoldallCopy *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->staging, hold_staging_free);
  g_free (self->path);
  g_free (self->content_type);
  g_free (self);
}

static void
request_free (gpointer data)
{
  Request *request = data;

  g_free (request->archive_path);
  g_free (request->entry_path);
  holdall_copy_free (request->copy);
  g_free (request);
}

static gboolean
read_head (const char  *path,
           guint8      *head,
           gsize       *n_head,
           GError     **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInputStream) stream = g_file_read (file, NULL, error);

  return stream != NULL &&
         g_input_stream_read_all (G_INPUT_STREAM (stream), head, HOLDALL_OPEN_HEAD, n_head, NULL,
                                  error);
}

static gboolean
find_kind (HoldallCopy  *self,
           GError      **error)
{
  g_autofree guint8 *head = g_malloc (HOLDALL_OPEN_HEAD);
  g_autofree char *name = g_path_get_basename (self->path);
  gsize n_head = 0;

  if (!read_head (self->path, head, &n_head, error))
    return FALSE;
  self->kind = holdall_open_kind (name, head, n_head, &self->content_type);
  return TRUE;
}

/* What the archive says of permissions does not count: nobody else may read the copy, and nobody at
 * all may run it (S08). */
static gboolean
look_at (Request  *request,
         GError  **error)
{
  HoldallCopy *copy = request->copy;
  g_auto (GStrv) items = hold_staging_dup_items (copy->staging);
  GStatBuf st;

  if (items[0] == NULL || items[1] != NULL || g_lstat (items[0], &st) != 0 ||
      !S_ISREG (st.st_mode))
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE,
                           _("It can’t be taken out of the archive"));
      return FALSE;
    }
  if (g_chmod (items[0], request->is_read_only ? 0400 : 0600) != 0)
    {
      int saved_errno = errno;

      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved_errno), "%s: %s", items[0],
                   g_strerror (saved_errno));
      return FALSE;
    }
  copy->path = g_strdup (items[0]);
  return find_kind (copy, error);
}

HoldallCopy *
holdall_copy_new_left (HoldStaging *staging,
                       char        *path)
{
  HoldallCopy *self = g_new0 (HoldallCopy, 1);
  g_autoptr (GError) error = NULL;

  self->staging = staging;
  self->path = path;
  if (!find_kind (self, &error))
    {
      g_debug ("%s", error->message);
      self->content_type = g_content_type_from_mime_type ("application/octet-stream");
      self->kind = HOLDALL_OPEN_NEVER;
    }
  return self;
}

static void
look_func (GTask        *task,
           gpointer      source_object,
           gpointer      task_data,
           GCancellable *cancellable)
{
  Request *request = task_data;
  GError *error = NULL;

  if (hold_staging_record (request->copy->staging, &error) &&
      hold_staging_set_origin (request->copy->staging, request->archive_path, request->entry_path,
                               &error) &&
      look_at (request, &error))
    {
      g_task_return_pointer (task, g_steal_pointer (&request->copy),
                             (GDestroyNotify) holdall_copy_free);
      return;
    }
  hold_staging_clean (request->copy->staging);
  g_task_return_error (task, error);
}

/* (transfer full) (nullable): why there is no copy, or only half of it. */
static GError *
find_fault (HoldJob *job)
{
  HoldReport *report = hold_job_get_report (job);

  if (hold_job_get_state (job) != HOLD_JOB_DONE)
    return hold_job_get_error (job) != NULL
             ? g_error_copy (hold_job_get_error (job))
             : g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, _("Cancelled"));
  for (guint i = 0; i < hold_report_get_n_items (report); i++)
    {
      const HoldReportItem *item = hold_report_get_item (report, i);

      if (item->outcome != HOLD_OUTCOME_FAILED && item->outcome != HOLD_OUTCOME_REFUSED &&
          item->outcome != HOLD_OUTCOME_SKIPPED)
        continue;
      return item->error != NULL
               ? g_error_copy (item->error)
               : g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED,
                                      _("It can’t be taken out of the archive"));
    }
  return NULL;
}

static void
extracted_cb (HoldJob *job,
              GTask   *task)
{
  Request *request = g_task_get_task_data (task);
  GError *error = find_fault (job);

  if (error == NULL)
    {
      g_task_run_in_thread (task, look_func);
      return;
    }
  hold_staging_clean (request->copy->staging);
  g_task_return_error (task, error);
}

static gboolean
check_space (const HoldEntry  *entry,
             GError          **error)
{
  guint64 size_bytes = 0;
  guint64 free_bytes;
  g_autofree char *needed = NULL;
  g_autofree char *available = NULL;

  if (!hold_entry_get_size (entry, &size_bytes) ||
      !hold_staging_get_free_space (g_get_user_cache_dir (), &free_bytes) ||
      free_bytes >= size_bytes)
    return TRUE;
  needed = g_format_size (size_bytes);
  available = g_format_size (free_bytes);
  /* Translators: both are sizes, such as "1.5 GB". */
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
               _("unpacking it takes %s, and only %s are free"), needed, available);
  return FALSE;
}

static HoldExtractJob *
create_job (HoldArchive *archive,
            guint        index,
            HoldKeyring *keyring,
            HoldStaging *staging)
{
  const char *paths[] = { hold_entry_get_path (hold_archive_get_entry (archive, index)), NULL };
  HoldExtractRequest *request;

  request = hold_extract_request_new (archive, hold_staging_get_payload (staging));
  request->indices = g_array_new (FALSE, FALSE, sizeof (guint));
  g_array_append_val (request->indices, index);
  request->roots = hold_extract_roots_new (paths, FALSE);
  request->conflict = HOLD_CONFLICT_RENAME;
  g_clear_pointer (&request->keyring, hold_keyring_unref);
  request->keyring = hold_keyring_ref (keyring);
  return hold_extract_job_new (request);
}

/* (nullable) */
static HoldStaging *
make_place (const HoldEntry  *entry,
            GError          **error)
{
  g_autoptr (GError) why = NULL;
  HoldStaging *staging;

  if (!check_space (entry, error))
    return NULL;
  staging = hold_staging_new (g_get_user_cache_dir (), &why);
  if (staging == NULL)
    g_set_error_literal (error, HOLDALL_COPY_ERROR, HOLDALL_COPY_ERROR_NO_PLACE, why->message);
  return staging;
}

void
holdall_copy_make_async (HoldArchive        *archive,
                         guint               index,
                         HoldKeyring        *keyring,
                         HoldallJobList     *jobs,
                         GtkWindow          *parent,
                         GCancellable       *cancellable,
                         GAsyncReadyCallback callback,
                         gpointer            user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  g_autoptr (HoldStaging) staging = NULL;
  g_autoptr (HoldExtractJob) job = NULL;
  GError *error = NULL;
  Request *request;

  g_return_if_fail (index < hold_archive_get_n_entries (archive));

  g_task_set_source_tag (task, holdall_copy_make_async);
  /* A copy that is there, or half there, is cleaned by who asked for it. */
  g_task_set_check_cancellable (task, FALSE);
  staging = make_place (hold_archive_get_entry (archive, index), &error);
  if (staging == NULL)
    {
      g_task_return_error (task, error);
      return;
    }

  request = g_new0 (Request, 1);
  request->archive_path = g_strdup (hold_archive_get_path (archive));
  request->entry_path = g_strdup (hold_entry_get_path (hold_archive_get_entry (archive, index)));
  job = create_job (archive, index, keyring, staging);
  request->is_read_only = hold_archive_why_not (archive, HOLD_CAP_UPDATE) != NULL;
  request->copy = g_new0 (HoldallCopy, 1);
  request->copy->staging = g_steal_pointer (&staging);
  g_task_set_task_data (task, request, request_free);
  holdall_job_task_submit (task, jobs, HOLD_JOB (job), parent, extracted_cb);
}

HoldallCopy *
holdall_copy_finish (GAsyncResult  *result,
                     GError       **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
