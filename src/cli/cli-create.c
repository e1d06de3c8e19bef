/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* holdall-cli create: a new archive from files and folders. */

#include "config.h"

#include "cli-verbs.h"

/* FALSE after a message. */
static gboolean
set_secret (CliContext *context, HoldCreateRequest *request)
{
  const char *name = cli_context_get_argument (context, 0);
  g_autoptr (GPtrArray) secrets = NULL;
  const char *why = hold_format_why_not (request->format, HOLD_CAP_ENCRYPT);

  if (why != NULL)
    {
      cli_complain (name, "%s", why);
      return FALSE;
    }
  if (hold_keyring_is_empty (context->keyring) &&
      !cli_context_ask_password (context, name, NULL, FALSE))
    {
      cli_complain (name, "a password is needed; give one by --password-file");
      return FALSE;
    }
  secrets = hold_keyring_dup_secrets (context->keyring);
  request->secret = hold_secret_ref (g_ptr_array_index (secrets, 0));
  return TRUE;
}

int
cli_verb_create (CliContext *context)
{
  const CliOptions *options = context->options;
  const char *name = cli_context_get_argument (context, 0);
  const HoldFormat *format = cli_context_find_format (context, name);
  g_autoptr (HoldCreateRequest) request = NULL;
  g_autoptr (HoldCreateJob) job = NULL;
  g_autoptr (GPtrArray) files = g_ptr_array_new ();

  if (format == NULL)
    return CLI_NOT_DONE;

  for (guint i = 1; i < cli_context_get_n_arguments (context); i++)
    g_ptr_array_add (files, (char *) cli_context_get_argument (context, i));
  g_ptr_array_add (files, NULL);

  request = hold_create_request_new (name, format, (const char * const *) files->pdata);
  request->level = options->level;
  request->overwrite = (options->given & CLI_OPTION_FORCE) != 0;
  if (options->given & CLI_OPTION_ENCRYPT && !set_secret (context, request))
    return CLI_PASSWORD;

  job = hold_create_job_new (g_steal_pointer (&request));
  return cli_context_run (context, HOLD_JOB (job), name);
}
