/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* holdall-cli move: cut-paste out of an archive. */

#include "config.h"

#include "cli-verbs.h"

static int
run_move (CliContext *context, HoldArchive *archive, GArray *indices)
{
  const CliOptions *options = context->options;
  const char *name = cli_context_get_argument (context, 0);
  HoldExtractRequest *request =
    hold_extract_request_new (archive, options->directory != NULL ? options->directory : ".");
  g_autoptr (HoldMoveJob) job = NULL;
  HoldReport *report;
  int status;

  request->indices = g_array_ref (indices);
  request->conflict = options->conflict;
  request->keyring = hold_keyring_ref (context->keyring);
  job = hold_move_job_new (request);

  status = cli_context_run (context, HOLD_JOB (job), name);
  report = hold_job_get_report (HOLD_JOB (job));
  if (options->is_interactive && !options->is_quiet && status != CLI_INTERRUPTED)
    cli_tell ("%u entries moved", hold_report_get_n_done (report));
  return status;
}

int
cli_verb_move (CliContext *context)
{
  g_autoptr (HoldArchive) archive = NULL;
  g_autoptr (GArray) indices = NULL;
  guint n_missing = 0;
  int status;

  if (cli_context_get_n_arguments (context) < 2 && context->options->indices->len == 0)
    {
      cli_complain (NULL, "what should be moved? Name a PATH or --index N");
      return CLI_USAGE;
    }
  archive = cli_context_open (context, &status);
  if (archive == NULL)
    return status;

  cli_context_select (context, archive, &indices, &n_missing);
  if (indices->len == 0)
    return CLI_NOT_DONE;
  status = run_move (context, archive, indices);
  return n_missing > 0 ? cli_worse_status (status, CLI_PARTLY) : status;
}
