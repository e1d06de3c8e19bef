/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* holdall-cli test: decodes everything and names what is bad. */

#include "config.h"

#include "cli-verbs.h"

int
cli_verb_test (CliContext *context)
{
  const char *name = cli_context_get_argument (context, 0);
  g_autoptr (HoldArchive) archive = NULL;
  g_autoptr (HoldTestJob) job = NULL;
  int status;

  archive = cli_context_open (context, &status);
  if (archive == NULL)
    return status;

  job = hold_test_job_new (archive, NULL, context->keyring);
  status = cli_context_run (context, HOLD_JOB (job), name);
  if (!context->options->is_quiet && status != CLI_INTERRUPTED)
    {
      g_autofree char *valid = g_utf8_make_valid (name, -1);
      g_autofree char *shown = hold_path_escape_for_display (valid);

      g_string_append_printf (cli_output_get_buffer (&context->output), "%s: %u of %u entries are good\n", shown,
                              hold_report_get_n_done (hold_job_get_report (HOLD_JOB (job))),
                              hold_archive_get_n_entries (archive));
      if (!cli_output_finish (&context->output))
        return cli_worse_status (status, CLI_NOT_DONE);
    }
  return status;
}
