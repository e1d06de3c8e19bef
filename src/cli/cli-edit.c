/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* holdall-cli add, delete, rename, mkdir: edits of an archive that exists, each one rewrite. */

#include "config.h"

#include "cli-verbs.h"

static int
run_update (CliContext *context, HoldUpdateRequest *request)
{
  const char *name = cli_context_get_argument (context, 0);
  g_autoptr (HoldUpdateJob) job = NULL;

  hold_update_request_set_keyring (request, context->keyring);
  job = hold_update_job_new (request);
  return cli_context_run (context, HOLD_JOB (job), name);
}

/* Opens the archive. NULL with *status after a message. */
static HoldUpdateRequest *
begin_request (CliContext *context, int *status)
{
  g_autoptr (HoldArchive) archive = cli_context_open (context, status);

  return archive != NULL ? hold_update_request_new (archive) : NULL;
}

int
cli_verb_delete (CliContext *context)
{
  const GArray *indices = context->options->indices;
  HoldUpdateRequest *request;
  int status;

  if (cli_context_get_n_arguments (context) < 2 && indices->len == 0)
    {
      cli_complain (NULL, "what should be deleted? Name a PATH or --index N");
      return CLI_USAGE;
    }
  request = begin_request (context, &status);
  if (request == NULL)
    return status;

  for (guint i = 1; i < cli_context_get_n_arguments (context); i++)
    hold_update_request_delete (request, cli_context_get_argument (context, i));
  for (guint i = 0; i < indices->len; i++)
    {
      guint64 index = g_array_index (indices, guint64, i);

      hold_update_request_delete_index (request, (guint) MIN (index, G_MAXUINT));
    }
  return run_update (context, request);
}

int
cli_verb_rename (CliContext *context)
{
  const GArray *indices = context->options->indices;
  HoldUpdateRequest *request;
  int status;

  if (indices->len > 1 || cli_context_get_n_arguments (context) + indices->len != 3)
    {
      cli_complain (NULL, "rename takes one entry, a PATH or --index N, and its new path");
      return CLI_USAGE;
    }
  request = begin_request (context, &status);
  if (request == NULL)
    return status;

  if (indices->len == 0)
    hold_update_request_rename (request, cli_context_get_argument (context, 1), cli_context_get_argument (context, 2));
  else
    hold_update_request_rename_index (request, (guint) MIN (g_array_index (indices, guint64, 0), G_MAXUINT),
                                      cli_context_get_argument (context, 1));
  return run_update (context, request);
}

int
cli_verb_mkdir (CliContext *context)
{
  int status;
  HoldUpdateRequest *request = begin_request (context, &status);

  if (request == NULL)
    return status;
  hold_update_request_make_folder (request, cli_context_get_argument (context, 1));
  return run_update (context, request);
}

/* Without a password, and with nobody who could be asked for one, scripts get what they always got; but
 * they are told. */
static void
warn_of_clear (CliContext *context, HoldArchive *archive)
{
  if (!context->options->is_quiet && hold_archive_is_all_encrypted (archive))
    cli_complain (cli_context_get_argument (context, 0),
                  "what was in it is encrypted; what was added is not, for want of a password (--password-file)");
}

int
cli_verb_add (CliContext *context)
{
  const CliOptions *options = context->options;
  const gboolean in_the_clear = hold_keyring_is_empty (context->keyring) && !options->is_interactive;
  HoldUpdateRequest *request;
  int status;
  g_autoptr (HoldArchive) archive = cli_context_open (context, &status);

  if (archive == NULL)
    return status;
  request = hold_update_request_new (archive);
  hold_update_request_set_conflict (request, options->given & CLI_OPTION_REPLACE ? HOLD_CONFLICT_OVERWRITE
                                                                                 : options->conflict);
  hold_update_request_set_level (request, options->level);
  hold_update_request_set_in_the_clear (request, in_the_clear);
  for (guint i = 1; i < cli_context_get_n_arguments (context); i++)
    hold_update_request_add (request, cli_context_get_argument (context, i),
                             options->into != NULL ? options->into : "");
  status = run_update (context, request);
  if (in_the_clear && status == CLI_DONE)
    warn_of_clear (context, archive);
  return status;
}
