/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Joins the plan, the output transaction and the backend that writes; and tells the job how far it
 * is. */

#include "config.h"

#include "hold-rewrite.h"

#include <sys/statvfs.h>

#include "hold-index-map.h"
#include "hold-output.h"

/* What the callbacks of the backend need. */
typedef struct {
  HoldJob *job;
  HoldOutput *output;     /* to look at its size; NULL if it may have any */
  GMutex lock;
  GHashTable *troubled;   /* (nullable), under the lock */
  guint n_failed;         /* under the lock */
  GError *first_failure;
} Watcher;

static gboolean
moved_cb (gpointer   user_data,
          guint64    n_bytes,
          GError   **error)
{
  Watcher *watcher = user_data;
  guint64 copy_bytes;

  hold_job_add_bytes (watcher->job, n_bytes);
  if (watcher->output != NULL && !hold_output_check_volumes (watcher->output, &copy_bytes, error))
    return FALSE;
  return hold_job_checkpoint (watcher->job, error);
}

/* While an archive is cut into volumes. */
static gboolean
cut_cb (gpointer   user_data,
        guint64    n_bytes,
        GError   **error)
{
  hold_job_add_bytes (user_data, n_bytes);
  return hold_job_checkpoint (user_data, error);
}

static void
step_cb (gpointer    user_data,
         const char *path)
{
  Watcher *watcher = user_data;

  hold_job_set_current (watcher->job, path);
  hold_job_add_entries (watcher->job, 1);
}

static void
note (Watcher      *watcher,
      HoldOutcome   outcome,
      const char   *path,
      const GError *error)
{
  hold_report_add (hold_job_get_report (watcher->job), outcome, path, error);
  g_mutex_lock (&watcher->lock);
  if (watcher->troubled != NULL)
    g_hash_table_add (watcher->troubled, g_strdup (path));
  if (outcome == HOLD_OUTCOME_FAILED && watcher->n_failed++ == 0)
    watcher->first_failure = g_error_copy (error);
  g_mutex_unlock (&watcher->lock);
}

static void
failed_cb (gpointer      user_data,
           const char   *path,
           const GError *error)
{
  note (user_data, HOLD_OUTCOME_FAILED, path, error);
}

static void
changed_cb (gpointer      user_data,
            const char   *path,
            const GError *error)
{
  note (user_data, HOLD_OUTCOME_CHANGED, path, error);
}

/* "No space" alone helps nobody: say how much is needed and how much there is. */
static void
explain_no_space (GError     **error,
                  const char  *path,
                  gboolean     is_new,
                  guint64      needed_bytes)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *needed = g_format_size (needed_bytes);
  g_autofree char *free_text = NULL;
  struct statvfs fs;

  if (error == NULL || !g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_NO_SPACE) ||
      statvfs (folder, &fs) != 0)
    return;

  free_text = g_format_size ((guint64) fs.f_bavail * fs.f_frsize);
  if (is_new)
    g_prefix_error (error, "The new archive needs about %s, “%s” has %s free. ", needed, folder, free_text);
  else
    g_prefix_error (error, "The new archive needs about %s beside the old one, “%s” has %s free; "
                    "the archive is as it was. ", needed, folder, free_text);
}

/* The snapshot whose file will be replaced; NULL where a new one is made. */
static HoldArchive *
get_replaced (HoldPlan *plan)
{
  return hold_plan_is_conversion (plan) ? NULL : hold_plan_get_archive (plan);
}

gboolean
hold_rewrite_check (HoldPlan  *plan,
                    GError   **error)
{
  HoldArchive *archive = get_replaced (plan);
  const HoldFormat *format = hold_plan_get_format (plan);
  const char *why = archive != NULL ? hold_archive_why_not (archive, HOLD_CAP_UPDATE)
                                    : hold_format_why_not (format, HOLD_CAP_WRITE);

  if (why == NULL)
    return TRUE;

  g_set_error_literal (error, HOLD_ERROR, HOLD_ERROR_READ_ONLY, why);
  return FALSE;
}

static HoldOutput *
open_output (HoldJob                   *job,
             const HoldRewriteRequest  *request,
             HoldArchive               *archive,
             const char                *path,
             GError                   **error)
{
  g_autoptr (HoldOutput) output = NULL;

  if (archive != NULL)
    return hold_output_new_replace (path, _hold_archive_get_identity (archive), error);
  output = hold_output_new_create (path, request->overwrite, error);
  if (output != NULL && request->volume_bytes != 0 &&
      !hold_output_set_volumes (output, request->volume_bytes, cut_cb, job, error))
    return NULL;
  return g_steal_pointer (&output);
}

/* All is written. Only now is it known how much is to be copied into volumes. */
static gboolean
count_written (HoldJob                   *job,
               const HoldRewriteRequest  *request,
               HoldOutput                *output,
               GError                   **error)
{
  HoldPlanCost cost;
  guint64 copy_bytes;
  guint64 done_bytes;
  guint n_steps;

  if (!hold_output_check_volumes (output, &copy_bytes, error))
    return FALSE;
  hold_plan_get_cost (request->plan, &cost);
  hold_plan_get_steps (request->plan, &n_steps);
  /* A source may have shrunk while it was read; the work is done all the same. */
  done_bytes = request->bytes_before + cost.write_bytes;
  hold_job_set_bytes (job, done_bytes);
  hold_job_set_totals (job, TRUE, FALSE, done_bytes + copy_bytes, n_steps);
  return TRUE;
}

static void
warn_of_links (HoldReport *report,
               HoldOutput *output)
{
  g_autoptr (GError) warning = NULL;

  if (hold_output_get_n_links (output) <= 1)
    return;
  warning = g_error_new (HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK,
                         "The file has %u names; the others keep the old content",
                         hold_output_get_n_links (output));
  hold_report_add (report, HOLD_OUTCOME_WARNING, "", warning);
}

/* An edit that comes to nothing else than files that could not be read? */
static gboolean
was_only_adding (HoldPlan *plan,
                 guint     n_failed)
{
  guint n_sources = 0;
  guint n_entries = 0;
  guint n_steps;
  const HoldPlanStep *steps = hold_plan_get_steps (plan, &n_steps);

  for (guint i = 0; i < n_steps; i++)
    {
      n_sources += steps[i].source != NULL;
      n_entries += steps[i].kind == HOLD_STEP_KEEP || steps[i].kind == HOLD_STEP_REPLACE;
    }
  return n_failed >= n_sources && n_entries == hold_archive_get_n_entries (hold_plan_get_archive (plan));
}

/* A new archive with none of the files that were asked for would be a lie, and one that was written anew for
 * none of them no edit. */
static gboolean
check_some_done (const Watcher  *watcher,
                 HoldPlan       *plan,
                 GError        **error)
{
  guint n_files = 0;
  guint n_steps;
  const HoldPlanStep *steps = hold_plan_get_steps (plan, &n_steps);

  for (guint i = 0; i < n_steps; i++)
    n_files += steps[i].source != NULL && steps[i].source->type == HOLD_ENTRY_FILE;
  if (watcher->n_failed == 0 || watcher->n_failed < n_files ||
      (get_replaced (plan) != NULL && !was_only_adding (plan, watcher->n_failed)))
    return TRUE;
  g_propagate_error (error, g_error_copy (watcher->first_failure));
  return FALSE;
}

/* @written: (out) (transfer full): what to open to see it */
static gboolean
write_and_commit (HoldJob             *job,
                  HoldRewriteRequest  *request,
                  const char          *path,
                  char               **written,
                  GCancellable        *cancellable,
                  GError             **error)
{
  HoldArchive *archive = get_replaced (request->plan);
  const HoldBackend *backend = archive != NULL
                                 ? _hold_archive_get_backend (archive)
                                 : hold_backend_for_format (hold_plan_get_format (request->plan));
  Watcher watcher = { .job = job, .troubled = request->troubled };
  HoldRewriteWatch watch = { moved_cb, step_cb, failed_cb, changed_cb, &watcher };
  HoldReport *report = hold_job_get_report (job);
  g_autoptr (HoldOutput) output = open_output (job, request, archive, path, error);
  guint n_warnings;
  gboolean ok;

  if (output == NULL)
    return FALSE;

  watcher.output = request->volume_bytes != 0 ? output : NULL;
  hold_job_set_phase (job, HOLD_PHASE_WRITING);
  g_mutex_init (&watcher.lock);
  ok = backend->rewrite (request->plan, hold_output_get_fd (output), &request->options, &watch,
                         cancellable, error);
  ok = ok && check_some_done (&watcher, request->plan, error);
  g_clear_error (&watcher.first_failure);
  g_mutex_clear (&watcher.lock);
  if (!ok || !count_written (job, request, output, error) || !hold_job_checkpoint (job, error))
    return FALSE;

  hold_job_set_phase (job, HOLD_PHASE_SYNCING);
  /* Counted, since a long report keeps no more items. */
  n_warnings = hold_report_count (report, HOLD_OUTCOME_WARNING);
  if (!hold_output_commit (output, report, error))
    return FALSE;
  request->is_durable = hold_report_count (report, HOLD_OUTCOME_WARNING) == n_warnings;
  *written = request->volume_bytes != 0 ? hold_output_dup_path (output) : g_strdup (path);

  warn_of_links (report, output);
  if (archive != NULL)
    _hold_archive_take_backup (archive, hold_output_steal_old_fd (output));
  return TRUE;
}

/* The new archive is in place and was verified: not being able to list it now undoes nothing. */
static HoldArchive *
list_new (HoldJob                   *job,
          const HoldRewriteRequest  *request,
          const char                *path)
{
  HoldArchive *archive = get_replaced (request->plan);
  g_autoptr (GError) warning = NULL;
  HoldArchive *result;

  result = hold_backend_open_archive (path, archive != NULL ? hold_archive_get_encoding (archive) : NULL,
                                      request->options.keyring, &hold_limits_default, NULL, NULL, NULL, &warning);
  if (result == NULL)
    hold_report_add (hold_job_get_report (job), HOLD_OUTCOME_WARNING, "", warning);
  else if (archive != NULL)
    _hold_archive_set_successor (archive, result, hold_index_map_new (request->plan, result));
  return result;
}

gboolean
hold_rewrite_run (HoldJob             *job,
                  HoldRewriteRequest  *request,
                  HoldArchive        **result,
                  GCancellable        *cancellable,
                  GError             **error)
{
  HoldArchive *archive = get_replaced (request->plan);
  const char *path = archive != NULL ? hold_archive_get_path (archive) : request->path;
  g_autofree char *written = NULL;
  HoldPlanCost cost;
  guint n_steps;
  gboolean ok;

  if (archive != NULL && hold_plan_is_unchanged (request->plan))
    {
      *result = g_object_ref (archive);
      request->is_durable = TRUE;
      return TRUE;
    }
  if (!hold_rewrite_check (request->plan, error))
    return FALSE;

  hold_plan_get_cost (request->plan, &cost);
  hold_plan_get_steps (request->plan, &n_steps);
  hold_job_set_totals (job, TRUE, FALSE, request->bytes_before + cost.write_bytes, n_steps);
  request->options.compute = hold_job_get_compute (job);

  ok = write_and_commit (job, request, path, &written, cancellable, error);
  if (ok)
    *result = list_new (job, request, written);
  else
    explain_no_space (error, path, archive == NULL, cost.write_bytes);
  return ok;
}
