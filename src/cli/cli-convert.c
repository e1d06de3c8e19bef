/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* holdall-cli convert: what an archive holds, in another format. */

#include "config.h"

#include "cli-verbs.h"

int
cli_verb_convert (CliContext *context)
{
  const CliOptions *options = context->options;
  const char *name = cli_context_get_argument (context, 1);
  g_autoptr (HoldArchive) archive = NULL;
  g_autoptr (HoldConvertJob) job = NULL;
  HoldConvertRequest *request;
  const HoldFormat *format;
  int status;

  format = cli_context_find_format (context, name, &status);
  if (format == NULL)
    return status;
  archive = cli_context_open (context, &status);
  if (archive == NULL)
    return status;

  request = hold_convert_request_new (archive, name, format);
  request->level = options->level;
  request->keyring = hold_keyring_ref (context->keyring);
  request->overwrite = (options->given & CLI_OPTION_FORCE) != 0;

  job = hold_convert_job_new (request);
  return cli_context_run (context, HOLD_JOB (job), name);
}
