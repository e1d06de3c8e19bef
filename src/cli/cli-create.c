/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* holdall-cli create: a new archive from files and folders. */

#include "config.h"

#include "cli-verbs.h"

/* Returns the exit status, after a message if there is no secret. */
static int
set_secret (CliContext *context, HoldCreateRequest *request)
{
  const char *name = cli_context_get_argument (context, 0);
  g_autoptr (GPtrArray) secrets = NULL;
  const char *why = hold_format_why_not (request->format, HOLD_CAP_ENCRYPT);

  if (why != NULL)
    {
      cli_complain (name, "%s", why);
      return CLI_NOT_DONE;
    }
  if (hold_keyring_is_empty (context->keyring) &&
      !cli_context_ask_password (context, name, NULL, FALSE))
    {
      cli_complain (name, "a password is needed; give one by --password-file");
      return CLI_PASSWORD;
    }
  secrets = hold_keyring_dup_secrets (context->keyring);
  request->secret = hold_secret_ref (g_ptr_array_index (secrets, 0));
  return CLI_DONE;
}

int
cli_verb_create (CliContext *context)
{
  const CliOptions *options = context->options;
  const char *name = cli_context_get_argument (context, 0);
  g_autoptr (HoldCreateRequest) request = NULL;
  g_autoptr (HoldCreateJob) job = NULL;
  g_autoptr (GPtrArray) files = g_ptr_array_new ();
  const HoldFormat *format;
  int status;

  format = cli_context_find_format (context, name, &status);
  if (format == NULL)
    return status;

  for (guint i = 1; i < cli_context_get_n_arguments (context); i++)
    g_ptr_array_add (files, (char *) cli_context_get_argument (context, i));
  g_ptr_array_add (files, NULL);

  request = hold_create_request_new (name, format, (const char * const *) files->pdata);
  request->level = options->level;
  request->volume_bytes = options->volume_bytes;
  request->overwrite = (options->given & CLI_OPTION_FORCE) != 0;
  status = (options->given & CLI_OPTION_ENCRYPT) != 0 ? set_secret (context, request) : CLI_DONE;
  if (status != CLI_DONE)
    return status;

  job = hold_create_job_new (g_steal_pointer (&request));
  return cli_context_run (context, HOLD_JOB (job), name);
}
