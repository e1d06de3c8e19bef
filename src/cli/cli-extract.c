/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* holdall-cli extract: all entries, or those that are named, into a folder. */

#include "config.h"

#include "cli-verbs.h"

static int
run_extraction (CliContext *context, HoldArchive *archive, GArray *indices)
{
  const CliOptions *options = context->options;
  const char *name = cli_context_get_argument (context, 0);
  const char *directory = options->directory != NULL ? options->directory : ".";
  HoldExtractRequest *request = hold_extract_request_new (archive, directory);
  g_autoptr (HoldExtractJob) job = NULL;
  HoldReport *report;
  int status;

  if (indices != NULL)
    request->indices = g_array_ref (indices);
  request->conflict = options->conflict;
  request->keep_damaged = (options->given & CLI_OPTION_KEEP_DAMAGED) != 0;
  request->keyring = hold_keyring_ref (context->keyring);
  job = hold_extract_job_new (request);

  status = cli_context_run (context, HOLD_JOB (job), name);
  report = hold_job_get_report (HOLD_JOB (job));
  if (options->is_interactive && !options->is_quiet && status != CLI_INTERRUPTED)
    {
      g_autofree char *size = g_format_size (hold_report_get_bytes_done (report));

      cli_tell ("%u entries, %s", hold_report_get_n_done (report), size);
    }
  return status;
}

int
cli_verb_extract (CliContext *context)
{
  g_autoptr (HoldArchive) archive = NULL;
  g_autoptr (GArray) indices = NULL;
  guint n_missing = 0;
  int status;

  archive = cli_context_open (context, &status);
  if (archive == NULL)
    return status;

  if (cli_context_get_n_arguments (context) > 1 || context->options->indices->len > 0)
    {
      cli_context_select (context, archive, &indices, &n_missing);
      if (indices->len == 0 && n_missing > 0)
        return CLI_NOT_DONE;
    }
  status = run_extraction (context, archive, indices);
  return n_missing > 0 ? cli_worse_status (status, CLI_PARTLY) : status;
}
