/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What a job is doing, in words. Jobs tell numbers only; this is where they become a line that
 * a person reads at a glance. */

#include "config.h"

#include "holdall-job-text.h"

#include "holdall-error-text.h"
#include "holdall-format-text.h"

#include <glib/gi18n.h>

char *
holdall_job_text_archive (HoldJob *job)
{
  const char *path = NULL;

  if (HOLD_JOB_GET_CLASS (job)->get_access != NULL)
    HOLD_JOB_GET_CLASS (job)->get_access (job, &path);
  return holdall_format_basename (path);
}

char *
holdall_job_text_title (HoldJob *job)
{
  const char *verb = hold_job_get_verb (job);
  g_autofree char *archive = holdall_job_text_archive (job);

  /* Translators: %s is the name of an archive */
  if (g_strcmp0 (verb, "open") == 0)
    return g_strdup_printf (_("Opening %s"), archive);
  /* Translators: brings an archive here from another machine; %s is its name */
  if (g_strcmp0 (verb, "fetch") == 0)
    return g_strdup_printf (_("Fetching %s"), archive);
  if (g_strcmp0 (verb, "extract") == 0)
    return g_strdup_printf (_("Extracting from %s"), archive);
  if (g_strcmp0 (verb, "test") == 0)
    return g_strdup_printf (_("Testing %s"), archive);
  if (g_strcmp0 (verb, "move") == 0)
    return g_strdup_printf (_("Moving out of %s"), archive);
  if (g_strcmp0 (verb, "create") == 0)
    return g_strdup_printf (_("Making %s"), archive);
  if (g_strcmp0 (verb, "update") == 0)
    return g_strdup_printf (_("Changing %s"), archive);
  if (g_strcmp0 (verb, "restore") == 0)
    return g_strdup_printf (_("Undoing a change of %s"), archive);
  return g_strdup_printf (_("Working on %s"), archive);
}

static char *
describe_counted (const char *verb,
                  const char *done,
                  const char *total)
{
  /* Translators: numbers of entries: "Extracting 132 of 300" */
  if (g_strcmp0 (verb, "extract") == 0)
    return g_strdup_printf (_("Extracting %s of %s"), done, total);
  if (g_strcmp0 (verb, "test") == 0)
    return g_strdup_printf (_("Testing %s of %s"), done, total);
  if (g_strcmp0 (verb, "move") == 0)
    return g_strdup_printf (_("Moving %s of %s"), done, total);
  if (g_strcmp0 (verb, "create") == 0)
    return g_strdup_printf (_("Packing %s of %s"), done, total);
  if (g_strcmp0 (verb, "update") == 0)
    return g_strdup_printf (_("Writing %s of %s"), done, total);
  return g_strdup_printf (_("%s of %s"), done, total);
}

static char *
describe_uncounted (const char *verb,
                    const char *done)
{
  if (g_strcmp0 (verb, "extract") == 0)
    return g_strdup_printf (_("Extracting, %s so far"), done);
  if (g_strcmp0 (verb, "test") == 0)
    return g_strdup_printf (_("Testing, %s so far"), done);
  if (g_strcmp0 (verb, "move") == 0)
    return g_strdup_printf (_("Moving, %s so far"), done);
  if (g_strcmp0 (verb, "create") == 0)
    return g_strdup_printf (_("Packing, %s so far"), done);
  if (g_strcmp0 (verb, "update") == 0)
    return g_strdup (_("Writing"));
  if (g_strcmp0 (verb, "restore") == 0)
    return g_strdup (_("Undoing"));
  return g_strdup (_("Working"));
}

/* The verb and the entries. */
static char *
describe_entries (HoldJob            *job,
                  const HoldProgress *progress)
{
  const char *verb = hold_job_get_verb (job);
  g_autofree char *done = holdall_format_count (progress->entries_done);
  g_autofree char *total = holdall_format_count (progress->entries_total);

  if (g_strcmp0 (verb, "open") == 0 || progress->phase == HOLD_PHASE_SCANNING)
    {
      /* Translators: reading the list of an archive's entries; %s is a number */
      if (progress->entries_done > 0)
        return g_strdup_printf (_("Reading the list, %s so far"), done);
      return g_strdup (_("Reading the list"));
    }
  if (g_strcmp0 (verb, "fetch") == 0)
    return g_strdup (_("Fetching"));
  /* The rewrite at the end of a move; its bytes go on, its entries are all out. */
  if (g_strcmp0 (verb, "move") == 0 && progress->phase == HOLD_PHASE_WRITING)
    return g_strdup (_("Writing the archive anew"));
  if (g_strcmp0 (verb, "extract") == 0 && progress->entries_total == 1
      && progress->current != NULL)
    {
      g_autofree char *name = holdall_format_basename (progress->current);

      /* Translators: %s is the name of a file; "0 of 1" would tell nothing */
      return g_strdup_printf (_("Extracting %s"), name);
    }

  return progress->entries_total > 0 ? describe_counted (verb, done, total)
                                     : describe_uncounted (verb, done);
}

static void
append_part (GString    *text,
             const char *part)
{
  if (text->len > 0)
    g_string_append (text, " · ");
  g_string_append (text, part);
}

static void
append_bytes (GString            *text,
              const HoldProgress *progress)
{
  g_autofree char *bytes = NULL;
  g_autofree char *words = NULL;

  if (progress->has_total && progress->bytes_total > 0)
    bytes = holdall_format_size_pair (progress->bytes_done, progress->bytes_total);
  else if (progress->bytes_done > 0)
    bytes = holdall_format_size (progress->bytes_done);
  else
    return;

  /* Where the format does not record sizes the bytes are those of the archive; say so. */
  if (progress->is_packed)
    /* Translators: %s is like "14.2 of 26.1 MB": how much of the archive file was read */
    words = g_strdup_printf (_("%s of the archive read"), bytes);
  append_part (text, words != NULL ? words : bytes);
}

static void
append_rate (GString            *text,
             const HoldProgress *progress,
             const HoldRate     *rate)
{
  guint seconds;

  if (rate->bytes_per_second >= 1)
    {
      g_autofree char *words = holdall_format_rate (rate->bytes_per_second);
      append_part (text, words);
    }

  if (hold_rate_get_seconds_left (rate, progress, &seconds))
    {
      g_autofree char *duration = holdall_format_duration (MAX (seconds, 1));
      /* Translators: time until a job is done, "1 s left" */
      g_autofree char *words = g_strdup_printf (_("%s left"), duration);
      append_part (text, words);
    }
}

char *
holdall_job_text_progress (HoldJob            *job,
                           const HoldProgress *progress,
                           const HoldRate     *rate)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *entries = NULL;

  switch (hold_job_get_state (job))
    {
    case HOLD_JOB_QUEUED:
      return g_strdup (_("Waiting for its turn"));
    case HOLD_JOB_ASKING:
      return g_strdup (_("Waiting for your answer"));
    case HOLD_JOB_RUNNING:
      break;
    case HOLD_JOB_DONE:
    case HOLD_JOB_FAILED:
    case HOLD_JOB_CANCELLED:
    default:
      return holdall_job_text_outcome (job);
    }

  if (progress->phase == HOLD_PHASE_SYNCING)
    return g_strdup (_("Writing to the disk for good"));
  if (progress->phase == HOLD_PHASE_VERIFYING)
    return g_strdup (_("Checking what was written"));

  entries = describe_entries (job, progress);
  append_part (text, entries);
  append_bytes (text, progress);
  if (hold_job_get_paused (job))
    append_part (text, _("paused"));
  else
    append_rate (text, progress, rate);

  return g_string_free (g_steal_pointer (&text), FALSE);
}

double
holdall_job_text_fraction (const HoldProgress *progress)
{
  if (progress->has_total && progress->bytes_total > 0)
    return CLAMP ((double) progress->bytes_done / (double) progress->bytes_total, 0, 1);
  if (progress->entries_total > 0)
    return CLAMP ((double) progress->entries_done / (double) progress->entries_total, 0, 1);
  return -1;
}

static char *
describe_done (const char *verb,
               guint       n_done)
{
  if (g_strcmp0 (verb, "extract") == 0)
    return g_strdup_printf (ngettext ("Extracted %'u item", "Extracted %'u items", n_done), n_done);
  if (g_strcmp0 (verb, "test") == 0)
    return g_strdup_printf (ngettext ("%'u item is sound", "%'u items are sound", n_done), n_done);
  if (g_strcmp0 (verb, "move") == 0)
    return g_strdup_printf (ngettext ("Moved %'u item", "Moved %'u items", n_done), n_done);
  if (g_strcmp0 (verb, "create") == 0)
    return g_strdup_printf (ngettext ("Packed %'u item", "Packed %'u items", n_done), n_done);
  return g_strdup (_("Done"));
}

static char *
describe_problems (HoldReport *report,
                   guint       n_failed,
                   guint       n_skipped,
                   guint       n_refused)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n_changed = hold_report_count (report, HOLD_OUTCOME_CHANGED);

  if (n_failed > 0)
    g_string_append_printf (text, ngettext (", %'u failed", ", %'u failed", n_failed), n_failed);
  if (n_refused > 0)
    g_string_append_printf (text, ngettext (", %'u refused as unsafe", ", %'u refused as unsafe",
                                            n_refused), n_refused);
  if (n_skipped > 0)
    g_string_append_printf (text, ngettext (", %'u skipped", ", %'u skipped", n_skipped),
                            n_skipped);
  if (n_changed > 0)
    g_string_append_printf (text, ngettext (", %'u not exactly as stored",
                                            ", %'u not exactly as stored", n_changed), n_changed);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
holdall_job_text_outcome (HoldJob *job)
{
  const char *verb = hold_job_get_verb (job);
  HoldReport *report = hold_job_get_report (job);
  guint n_done = hold_report_get_n_done (report);
  guint n_failed = hold_report_count (report, HOLD_OUTCOME_FAILED);
  guint n_skipped = hold_report_count (report, HOLD_OUTCOME_SKIPPED);
  guint n_refused = hold_report_count (report, HOLD_OUTCOME_REFUSED);
  g_autofree char *done = NULL;
  g_autofree char *problems = NULL;

  if (hold_job_get_state (job) == HOLD_JOB_CANCELLED)
    {
      if (n_done == 0)
        return g_strdup (_("Cancelled"));
      return g_strdup_printf (ngettext ("Cancelled after %'u item", "Cancelled after %'u items",
                                        n_done), n_done);
    }
  if (hold_job_get_state (job) == HOLD_JOB_FAILED)
    return holdall_error_text_title (hold_job_get_error (job));

  /* G07: everything was there already. */
  if (n_done == 0 && n_failed == 0 && n_refused == 0 && n_skipped > 0)
    return g_strdup (_("Nothing to do: everything is there already"));
  if (n_done == 0 && n_failed == 0 && n_refused == 0 && g_strcmp0 (verb, "extract") == 0)
    return g_strdup (_("There was nothing to extract"));

  done = describe_done (verb, n_done);
  problems = describe_problems (report, n_failed, n_skipped, n_refused);
  return g_strconcat (done, problems, NULL);
}

gboolean
holdall_job_text_has_problems (HoldJob *job)
{
  return hold_report_get_n_items (hold_job_get_report (job)) > 0;
}
