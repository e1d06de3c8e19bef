/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The job that decodes everything and writes nothing: what extraction would say of each entry,
 * without a disk. */

#include "hold-job-test.h"

#include "hold-ask-password.h"
#include "hold-entry-reader.h"

struct _HoldTestJob
{
  HoldJob parent_instance;

  HoldArchive *archive;
  GArray *indices; /* (nullable) */
  HoldKeyring *keyring;

  /* While it runs. Locked: the rest of the world reads the report, which has a lock of its own. */
  GMutex lock;
  guint n_good;
  GError *first_error;
};

G_DEFINE_FINAL_TYPE (HoldTestJob, hold_test_job, HOLD_TYPE_JOB)

static void
report_bad (HoldTestJob *self, const char *path, const GError *error)
{
  hold_report_add (hold_job_get_report (HOLD_JOB (self)), HOLD_OUTCOME_FAILED, path, error);

  g_mutex_lock (&self->lock);
  if (self->first_error == NULL)
    self->first_error = g_error_copy (error);
  g_mutex_unlock (&self->lock);
}

static gboolean
test_begin (gpointer user_data, guint index, gpointer *handle, GError **error)
{
  HoldTestJob *self = user_data;
  const HoldEntry *entry = hold_archive_get_entry (self->archive, index);

  *handle = self;
  if (hold_entry_is_readable (entry))
    return TRUE;

  const char *method = hold_entry_get_method (entry);

  g_set_error (error, HOLD_ERROR, HOLD_ERROR_UNSUPPORTED,
               "its compression or encryption (%s) can't be read here",
               method != NULL ? method : "unknown");
  return FALSE;
}

static gboolean
test_write (gpointer handle, const guint8 *data, gsize length_bytes, guint64 offset, GError **error)
{
  return TRUE;
}

static HoldReadVerdict
test_end (gpointer user_data, guint index, gpointer handle, guint64 size_bytes, const GError *error,
          GError **stop)
{
  HoldTestJob *self = user_data;

  if (error != NULL)
    {
      report_bad (self, hold_entry_get_path (hold_archive_get_entry (self->archive, index)), error);
      return HOLD_READ_NEXT;
    }

  hold_report_add_done (hold_job_get_report (HOLD_JOB (self)), 1, size_bytes);
  g_mutex_lock (&self->lock);
  self->n_good++;
  g_mutex_unlock (&self->lock);
  return HOLD_READ_NEXT;
}

static void
test_drop (gpointer handle)
{
}

static const HoldEntryReaderFuncs test_funcs = {
  .begin = test_begin,
  .write = test_write,
  .end = test_end,
  .drop = test_drop,
};

/* What has data, and how much; the rest is good if it is listed. */
static void
select_files (HoldTestJob *self, GArray *files, guint64 *total, gboolean *is_complete)
{
  HoldReport *report = hold_job_get_report (HOLD_JOB (self));
  guint n = self->indices != NULL ? self->indices->len : hold_archive_get_n_entries (self->archive);

  *total = 0;
  *is_complete = TRUE;
  for (guint i = 0; i < n; i++)
    {
      guint index = self->indices != NULL ? g_array_index (self->indices, guint, i) : i;
      const HoldEntry *entry = hold_archive_get_entry (self->archive, index);
      guint64 size;

      if (entry == NULL)
        continue;
      if (hold_entry_get_type (entry) != HOLD_ENTRY_FILE)
        {
          hold_report_add_done (report, 1, 0);
          continue;
        }
      g_array_append_val (files, index);
      if (!hold_entry_get_size (entry, &size))
        *is_complete = FALSE;
      else
        *total = size > G_MAXUINT64 - *total ? G_MAXUINT64 : *total + size;
    }
}

static gboolean
hold_test_job_run (HoldJob *job, GCancellable *cancellable, GError **error)
{
  HoldTestJob *self = HOLD_TEST_JOB (job);
  g_autoptr (GArray) files = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (HoldEntryReader)
    reader = hold_entry_reader_new (job, self->archive, self->keyring, &test_funcs, self);
  const GError *list_error = _hold_archive_get_list_error (self->archive);
  g_autoptr (GError) missing = NULL;
  gboolean is_complete;
  guint64 total;

  hold_job_set_phase (job, HOLD_PHASE_SCANNING);
  if (!hold_archive_check_unchanged (self->archive, error))
    return FALSE;
  select_files (self, files, &total, &is_complete);
  if (!hold_check_password (job, self->archive, self->keyring, files, &missing, error))
    return FALSE;

  gboolean is_packed = !is_complete && !hold_entry_reader_is_direct (reader);

  hold_entry_reader_set_packed (reader, is_packed);
  hold_job_set_totals (job, is_complete || is_packed, is_packed,
                       is_packed ? hold_archive_get_size (self->archive) : total, files->len);
  hold_job_set_phase (job, HOLD_PHASE_READING);
  if (!hold_entry_reader_run (reader, (const guint *) (gpointer) files->data, files->len, error))
    return FALSE;

  if (list_error != NULL && self->indices == NULL)
    report_bad (self, "", list_error);
  if (!hold_archive_check_unchanged (self->archive, error))
    return FALSE;
  if (self->first_error != NULL && self->n_good == 0)
    {
      g_propagate_error (error, g_steal_pointer (&self->first_error));
      return FALSE;
    }
  return TRUE;
}

static HoldAccess
hold_test_job_get_access (HoldJob *job, const char **path)
{
  *path = hold_archive_get_path (HOLD_TEST_JOB (job)->archive);
  return HOLD_ACCESS_READ;
}

static void
hold_test_job_finalize (GObject *object)
{
  HoldTestJob *self = HOLD_TEST_JOB (object);

  g_clear_object (&self->archive);
  g_clear_pointer (&self->indices, g_array_unref);
  g_clear_pointer (&self->keyring, hold_keyring_unref);
  g_clear_error (&self->first_error);
  g_mutex_clear (&self->lock);

  G_OBJECT_CLASS (hold_test_job_parent_class)->finalize (object);
}

static void
hold_test_job_class_init (HoldTestJobClass *klass)
{
  HoldJobClass *job_class = HOLD_JOB_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = hold_test_job_finalize;
  job_class->run = hold_test_job_run;
  job_class->get_access = hold_test_job_get_access;
  job_class->verb = "test";
}

static void
hold_test_job_init (HoldTestJob *self)
{
  g_mutex_init (&self->lock);
}

/**
 * hold_test_job_new:
 * @archive: the snapshot; a reference is taken
 * @indices: (nullable): of guint, sorted; copied; NULL: all
 * @keyring: (nullable): passwords to try; gets the answers
 *
 * Thread: main. Blocks: no.
 * Returns: (transfer full)
 */
HoldTestJob *
hold_test_job_new (HoldArchive *archive, GArray *indices, HoldKeyring *keyring)
{
  HoldTestJob *self = g_object_new (HOLD_TYPE_TEST_JOB, NULL);

  self->archive = g_object_ref (archive);
  self->indices = indices != NULL ? g_array_copy (indices) : NULL;
  self->keyring = keyring != NULL ? hold_keyring_ref (keyring) : hold_keyring_new ();
  return self;
}
