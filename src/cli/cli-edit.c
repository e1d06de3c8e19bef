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

int
cli_verb_add (CliContext *context)
{
  const CliOptions *options = context->options;
  int status;
  HoldUpdateRequest *request = begin_request (context, &status);

  if (request == NULL)
    return status;
  hold_update_request_set_conflict (request, options->given & CLI_OPTION_REPLACE ? HOLD_CONFLICT_OVERWRITE
                                                                                 : options->conflict);
  hold_update_request_set_level (request, options->level);
  for (guint i = 1; i < cli_context_get_n_arguments (context); i++)
    hold_update_request_add (request, cli_context_get_argument (context, i),
                             options->into != NULL ? options->into : "");
  return run_update (context, request);
}
