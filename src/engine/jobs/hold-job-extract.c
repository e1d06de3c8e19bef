/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The job that takes entries out of an archive: a row of steps, each in a file of its own, over
 * what they share. */

#include "hold-extract-run.h"

#include "hold-ask-password.h"
#include "hold-question-private.h"

#include <string.h>

struct _HoldExtractJob
{
  HoldJob parent_instance;

  HoldExtractRequest *request;
  HoldExtractResult result;
};

G_DEFINE_FINAL_TYPE (HoldExtractJob, hold_extract_job, HOLD_TYPE_JOB)

/* The request */

/**
 * hold_extract_request_new:
 * @archive: the snapshot; a reference is taken
 * @destination: file-system encoding, copied
 *
 * All entries, full paths, conflicts are asked about. Thread: main. Blocks: no.
 * Returns: (transfer full)
 */
HoldExtractRequest *
hold_extract_request_new (HoldArchive *archive, const char *destination)
{
  HoldExtractRequest *self = g_new0 (HoldExtractRequest, 1);

  self->archive = g_object_ref (archive);
  self->destination = g_strdup (destination);
  self->base = g_strdup ("");
  self->layout = HOLD_LAYOUT_FULL_PATHS;
  self->conflict = HOLD_CONFLICT_ASK;
  self->limits = hold_limits_default;
  return self;
}

void
hold_extract_request_free (HoldExtractRequest *self)
{
  if (self == NULL)
    return;
  g_clear_object (&self->archive);
  g_clear_pointer (&self->indices, g_array_unref);
  g_clear_pointer (&self->keyring, hold_keyring_unref);
  g_free (self->destination);
  g_clear_pointer (&self->roots, hold_extract_roots_unref);
  g_free (self->base);
  g_free (self);
}

/* What the steps share */

static void
run_init (HoldExtractRun *run, HoldJob *job, const HoldExtractRequest *request,
          GCancellable *cancellable)
{
  guint n_entries = request->indices != NULL ? request->indices->len
                                             : hold_archive_get_n_entries (request->archive);

  *run = (HoldExtractRun){ .job = job, .request = request, .cancellable = cancellable };
  run->archive = request->archive;
  run->keyring = request->keyring != NULL ? hold_keyring_ref (request->keyring)
                                          : hold_keyring_new ();
  run->report = hold_job_get_report (job);
  run->items = g_array_sized_new (FALSE, FALSE, sizeof (HoldExtractItem), n_entries);
  run->strings = g_string_chunk_new (16 * 1024);
  run->names = g_hash_table_new (g_str_hash, g_str_equal);
  run->by_source = g_hash_table_new (NULL, NULL);
  run->top_items = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  run->conflict = request->conflict;
  g_mutex_init (&run->lock);
  g_mutex_init (&run->ask_lock);
}

static void
run_clear (HoldExtractRun *run)
{
  g_clear_pointer (&run->sink, hold_disk_sink_free);
  g_clear_pointer (&run->folders, g_hash_table_unref);
  g_clear_pointer (&run->names, g_hash_table_unref);
  g_clear_pointer (&run->by_source, g_hash_table_unref);
  g_clear_pointer (&run->top_items, g_hash_table_unref);
  g_clear_pointer (&run->items, g_array_unref);
  g_clear_pointer (&run->strings, g_string_chunk_free);
  g_clear_pointer (&run->keyring, hold_keyring_unref);
  g_clear_pointer (&run->top_folder, g_free);
  g_clear_pointer (&run->prefix, g_free);
  g_clear_error (&run->first_error);
  g_mutex_clear (&run->lock);
  g_mutex_clear (&run->ask_lock);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HoldExtractRun, run_clear)

void
hold_extract_get_meta (const HoldEntry *entry, HoldDiskMeta *meta)
{
  *meta = (HoldDiskMeta){ 0 };
  meta->has_mode = hold_entry_get_mode (entry, &meta->mode);
  meta->has_mtime = hold_entry_get_mtime (entry, &meta->mtime, &meta->mtime_ns);
}

static void
add_top_item (HoldExtractRun *run, const HoldExtractItem *item)
{
  const char *name = item->place;

  if (run->prefix != NULL)
    name += strlen (run->prefix) + (name[strlen (run->prefix)] == '/');

  g_autofree char *top = g_strndup (name, strcspn (name, "/"));

  if (*top != '\0' && !g_hash_table_contains (run->top_items, top))
    g_hash_table_add (run->top_items, g_steal_pointer (&top));
}

void
hold_extract_settle_done (HoldExtractRun *run, HoldExtractItem *item, guint64 n_bytes)
{
  item->state = HOLD_ITEM_DONE;
  hold_report_add_done (run->report, 1, n_bytes);
  if (item->is_second)
    {
      hold_extract_report_number (run, item);
    }
  else if (hold_entry_get_unsafe (item->entry) & HOLD_UNSAFE_ABSOLUTE
           && item->type != HOLD_ENTRY_FOLDER)
    {
      g_autoptr (GError) error = g_error_new_literal (
        HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME,
        "its name began at the root of the disk; it was put below the destination");

      hold_report_add (run->report, HOLD_OUTCOME_CHANGED, hold_entry_get_path (item->entry), error);
    }

  g_mutex_lock (&run->lock);
  if (item->type != HOLD_ENTRY_FOLDER)
    run->n_done++;
  if (*item->place != '\0')
    add_top_item (run, item);
  g_mutex_unlock (&run->lock);
}

void
hold_extract_settle_bad (HoldExtractRun *run, HoldExtractItem *item, HoldOutcome outcome,
                         const GError *error)
{
  item->state = HOLD_ITEM_OVER;
  hold_report_add (run->report, outcome, hold_entry_get_path (item->entry), error);
  if (outcome != HOLD_OUTCOME_FAILED)
    return;

  g_mutex_lock (&run->lock);
  run->n_failed++;
  if (run->first_error == NULL)
    run->first_error = g_error_copy (error);
  g_mutex_unlock (&run->lock);
}

/* Steps */

static gboolean
is_empty_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);

  return dir != NULL ? g_dir_read_name (dir) == NULL : !g_file_test (path, G_FILE_TEST_EXISTS);
}

static gboolean
open_destination (HoldExtractRun *run, GError **error)
{
  run->dest_was_empty = is_empty_folder (run->request->destination);
  run->sink = hold_disk_sink_new (run->request->destination, error);
  return run->sink != NULL;
}

/* What cannot be decoded here is known before anything is written (Z19). */
static void
drop_unreadable (HoldExtractRun *run)
{
  for (guint i = 0; i < run->items->len; i++)
    {
      HoldExtractItem *item = hold_extract_item (run, i);
      const HoldEntry *data = hold_archive_get_entry (run->archive, item->source);

      if (item->state != HOLD_ITEM_PENDING || item->type != HOLD_ENTRY_FILE
          || hold_entry_is_readable (data))
        continue;

      const char *method = hold_entry_get_method (data);
      g_autoptr (GError) error = NULL;

      if (method != NULL)
        g_set_error (&error, HOLD_ERROR, HOLD_ERROR_UNSUPPORTED,
                     "its compression or encryption (%s) can't be read here", method);
      else
        g_set_error (&error, HOLD_ERROR, HOLD_ERROR_UNSUPPORTED,
                     "its compression or encryption can't be read here");
      hold_extract_settle_bad (run, item, HOLD_OUTCOME_FAILED, error);
      hold_job_add_entries (run->job, 1);
    }
}

/* The sum of what will be written; FALSE: some entries record no size. */
static gboolean
sum_sizes (HoldExtractRun *run, guint64 *total)
{
  gboolean is_complete = TRUE;

  *total = 0;
  for (guint i = 0; i < run->items->len; i++)
    {
      const HoldExtractItem *item = hold_extract_item (run, i);
      guint64 size;

      if (item->state != HOLD_ITEM_PENDING || item->type != HOLD_ENTRY_FILE)
        continue;
      if (!hold_entry_get_size (hold_archive_get_entry (run->archive, item->source), &size))
        is_complete = FALSE;
      else
        *total = size > G_MAXUINT64 - *total ? G_MAXUINT64 : *total + size;
    }
  return is_complete;
}

/* TRUE: go on. Nobody there: @otherwise decides. */
static gboolean
ask_to_continue (HoldExtractRun *run, const GError *why, gboolean otherwise, GError **error)
{
  g_autoptr (HoldQuestion) question = hold_question_new_continue (why);
  g_autoptr (GError) ask_error = NULL;
  gboolean go_on = otherwise;

  if (hold_job_ask (run->job, question, &ask_error))
    {
      go_on = hold_question_get_continue (question, NULL);
    }
  else if (ask_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&ask_error));
      return FALSE;
    }
  if (!go_on)
    g_propagate_error (error, g_error_copy (why));
  return go_on;
}

/* Z22: what is declared must fit on the disk, and be no bomb, or a person must want it all the
 * same. */
static gboolean
check_space (HoldExtractRun *run, guint64 total, GError **error)
{
  const HoldLimits *limits = &run->request->limits;
  guint64 packed = MAX (hold_archive_get_size (run->archive), 1);
  g_autofree char *needed = g_format_size (total);
  g_autoptr (GError) why = NULL;
  guint64 free_bytes;

  if (total == 0)
    return TRUE;
  if (!hold_disk_sink_get_free_space (run->sink, &free_bytes, &why))
    {
      /* Some network mounts do not tell; then writing will. */
      g_clear_error (&why);
    }
  else if (total > free_bytes)
    {
      g_autofree char *available = g_format_size (free_bytes);
      g_autofree char *where = g_filename_display_name (hold_disk_sink_get_path (run->sink));

      g_set_error (&why, HOLD_ERROR, HOLD_ERROR_TOO_LARGE,
                   "The disk that holds “%s” has %s free, but %s are needed", where, available,
                   needed);
      return ask_to_continue (run, why, FALSE, error);
    }

  if (limits->max_ratio > 0 && total > HOLD_RATIO_FROM_BYTES && total / packed >= limits->max_ratio)
    {
      g_set_error (&why, HOLD_ERROR, HOLD_ERROR_TOO_LARGE,
                   "What comes out takes %s, over %" G_GUINT64_FORMAT
                   " times the size of the archive",
                   needed, limits->max_ratio);
      return ask_to_continue (run, why, TRUE, error);
    }
  return TRUE;
}

/* Before a byte is written: whoever is wanted for a password is asked now, and if all depends on
 * one that is missing, nothing is begun (P09, P10). */
static gboolean
check_password (HoldExtractRun *run, GError **error)
{
  g_autoptr (GArray) locked = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GError) missing = NULL;
  guint n_open = 0;

  for (guint i = 0; i < run->items->len; i++)
    {
      const HoldExtractItem *item = hold_extract_item (run, i);

      if (item->state != HOLD_ITEM_PENDING || item->type == HOLD_ENTRY_FOLDER)
        continue;
      if (item->type == HOLD_ENTRY_FILE
          && hold_entry_is_encrypted (hold_archive_get_entry (run->archive, item->source)))
        g_array_append_val (locked, item->source);
      else if (item->type != HOLD_ENTRY_HARDLINK)
        n_open++;
    }
  if (!hold_check_password (run->job, run->archive, run->keyring, locked, &missing, error))
    return FALSE;
  if (missing == NULL || n_open > 0)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&missing));
  return FALSE;
}

/* Totals before the first byte: of the entries where all sizes are recorded, else of the archive's
 * file. */
static void
set_totals (HoldExtractRun *run, guint64 total, gboolean is_complete)
{
  if (is_complete)
    hold_job_set_totals (run->job, TRUE, FALSE, total + run->bytes_after, run->items->len);
  else if (_hold_archive_get_backend (run->archive)->read_entry == NULL)
    hold_job_set_totals (run->job, TRUE, TRUE, hold_archive_get_size (run->archive),
                         run->items->len);
  else
    hold_job_set_totals (run->job, FALSE, FALSE, 0, run->items->len);
}

static gboolean
extract (HoldExtractRun *run, GError **error)
{
  guint64 total;

  hold_job_set_phase (run->job, HOLD_PHASE_SCANNING);
  if (!hold_archive_check_unchanged (run->archive, error))
    return FALSE;
  if (!hold_extract_plan (run, error) || !open_destination (run, error)
      || !hold_extract_place (run, error))
    return FALSE;
  hold_extract_find_link_sources (run);
  drop_unreadable (run);

  gboolean is_complete = sum_sizes (run, &total);

  if (!check_space (run, total, error) || !check_password (run, error))
    return FALSE;
  set_totals (run, total, is_complete);
  hold_job_set_phase (run->job, HOLD_PHASE_READING);
  return hold_extract_make_folders (run, error) && hold_extract_write_files (run, error)
         && hold_extract_make_links (run, error);
}

/* The end */

/* An archive whose list broke off has more in it than could be listed: that is never a full
 * success. */
static void
report_list_error (HoldExtractRun *run)
{
  const GError *list_error = _hold_archive_get_list_error (run->archive);

  if (list_error == NULL || run->request->indices != NULL)
    return;
  hold_report_add (run->report, HOLD_OUTCOME_FAILED, "", list_error);
  run->n_failed++;
  if (run->first_error == NULL)
    run->first_error = g_error_copy (list_error);
}

/* W10: what was read from a file that another program changed meanwhile is not to be trusted. That
 * it was moved away does not matter to what was read. */
static gboolean
check_still_unchanged (HoldExtractRun *run, GError **error)
{
  g_autoptr (GError) changed = NULL;

  if (hold_archive_check_unchanged (run->archive, &changed)
      || !g_error_matches (changed, HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&changed));
  return FALSE;
}

/* One entry's failure is data; that nothing at all could be done is a failure of the job. */
static gboolean
check_any_done (HoldExtractRun *run, GError **error)
{
  if (run->n_failed == 0 || run->n_done > 0)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&run->first_error));
  return FALSE;
}

/* What was finished stays, with the modes of its folders; if nothing was, no empty shells are left
 * either, and what lay there before is not touched (S06). */
static void
wind_up (HoldExtractRun *run)
{
  g_autoptr (GError) error = NULL;

  if (run->sink == NULL)
    return;
  if (run->n_done == 0)
    hold_disk_sink_discard (run->sink);
  else if (!hold_disk_sink_finish (run->sink, NULL, NULL, &error))
    hold_report_add (run->report, HOLD_OUTCOME_WARNING, "", error);
}

void
hold_extract_result_clear (HoldExtractResult *self)
{
  g_clear_pointer (&self->folder, g_free);
  g_clear_pointer (&self->items, g_strfreev);
}

static void
keep_results (HoldExtractRun *run, HoldExtractResult *result)
{
  if (run->sink == NULL)
    return;

  g_autofree char **items = (char **) g_hash_table_get_keys_as_array (run->top_items, NULL);

  result->folder = run->prefix != NULL
                     ? g_build_filename (hold_disk_sink_get_path (run->sink), run->prefix, NULL)
                     : g_strdup (hold_disk_sink_get_path (run->sink));
  result->items = g_strdupv (items);
}

gboolean
hold_extract_run (HoldJob *job, HoldExtractRequest *request, HoldExtractResult *result,
                  GCancellable *cancellable, GError **error)
{
  g_auto (HoldExtractRun) run = { 0 };

  hold_extract_request_renew (request, hold_job_get_report (job));
  run_init (&run, job, request, cancellable);
  run.bytes_after = result->bytes_after;

  gboolean done = extract (&run, error);

  if (done)
    {
      report_list_error (&run);
      done = check_still_unchanged (&run, error) && check_any_done (&run, error);
    }
  if (!done)
    wind_up (&run);
  else if (result->arrived != NULL)
    done = hold_extract_arrive (&run, result->arrived, error);
  /* Where nothing came out there is nothing to show, and the folder may be gone again. */
  if (done || run.n_done > 0)
    keep_results (&run, result);
  return done;
}

static gboolean
hold_extract_job_run (HoldJob *job, GCancellable *cancellable, GError **error)
{
  HoldExtractJob *self = HOLD_EXTRACT_JOB (job);

  return hold_extract_run (job, self->request, &self->result, cancellable, error);
}

/* The object */

static HoldAccess
hold_extract_job_get_access (HoldJob *job, const char **path)
{
  *path = hold_archive_get_path (HOLD_EXTRACT_JOB (job)->request->archive);
  return HOLD_ACCESS_READ;
}

static void
hold_extract_job_finalize (GObject *object)
{
  HoldExtractJob *self = HOLD_EXTRACT_JOB (object);

  g_clear_pointer (&self->request, hold_extract_request_free);
  hold_extract_result_clear (&self->result);

  G_OBJECT_CLASS (hold_extract_job_parent_class)->finalize (object);
}

static void
hold_extract_job_class_init (HoldExtractJobClass *klass)
{
  HoldJobClass *job_class = HOLD_JOB_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = hold_extract_job_finalize;
  job_class->run = hold_extract_job_run;
  job_class->get_access = hold_extract_job_get_access;
  job_class->verb = "extract";
}

static void
hold_extract_job_init (HoldExtractJob *self)
{
}

/**
 * hold_extract_job_new:
 * @request: (transfer full)
 *
 * Thread: main. Blocks: no.
 * Returns: (transfer full)
 */
HoldExtractJob *
hold_extract_job_new (HoldExtractRequest *request)
{
  HoldExtractJob *self = g_object_new (HOLD_TYPE_EXTRACT_JOB, NULL);

  self->request = request;
  return self;
}

HoldArchive *
hold_extract_job_get_archive (HoldExtractJob *self)
{
  return self->request->archive;
}

/* (nullable): the destination could not be opened, or it ended early and nothing came out. Thread:
 * main, once the job is finished. */
const char *
hold_extract_job_get_result_folder (HoldExtractJob *self)
{
  return self->result.folder;
}

/* (nullable) like the folder; in no order. Thread: main, once the job is finished. */
const char *const *
hold_extract_job_get_result_items (HoldExtractJob *self)
{
  return (const char *const *) self->result.items;
}
