/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What one run of the command shares: options, passwords, scheduler, standard output, and the
 * way that a job is run until it is finished or interrupted. */

#pragma once

#include "cli-options.h"
#include "cli-output.h"
#include "cli-report.h"

G_BEGIN_DECLS

typedef struct {
  const CliOptions *options;
  HoldKeyring *keyring;
  HoldScheduler *scheduler;
  CliOutput output;
} CliContext;

/* FALSE after a message: wrong usage. Blocks: reads password files. */
gboolean     cli_context_init  (CliContext *self, const CliOptions *options);
void         cli_context_clear (CliContext *self);
/* The word behind the verb, counted from 0; NULL if there are fewer. */
const char  *cli_context_get_argument (const CliContext *self, guint position);
guint        cli_context_get_n_arguments (const CliContext *self);

/* Runs @job with progress, questions and interruption, and prints its report. Returns an exit status;
 * a failure was told, with @about in front, unless the report says the same. Thread: main. Blocks:
 * until finished. */
int          cli_context_run (CliContext *self, HoldJob *job, const char *about);
/* Opens the archive that the first argument names. NULL with *status after a message. */
HoldArchive *cli_context_open (CliContext *self, int *status);
/* The format of a new archive called @name: what --format says, else its suffix. NULL with *status after a message:
 * none, or one that can't be written. */
const HoldFormat *cli_context_find_format (const CliContext *self, const char *name, int *status);
/* For verbs that only look: what was odd about @archive while it was opened, and whether entries may be
 * missing. Returns the exit status. */
int          cli_context_tell_oddities (CliContext *self, HoldArchive *archive);
/* Asks for the password of @entry_path on the terminal and adds it to the keyring. FALSE: nobody
 * is there, or no answer. */
gboolean     cli_context_ask_password (CliContext *self, const char *archive_name, const char *entry_path,
                                       gboolean was_wrong);

/**
 * cli_context_select:
 * @indices: (out) (transfer full): sorted entry indices of what PATHs and --index name
 * @n_missing: (out): how many of them named nothing; each was told
 */
void         cli_context_select (CliContext *self, HoldArchive *archive, GArray **indices, guint *n_missing);

/* Before anything else: an interruption that finds no job to wind up ends the process at once,
 * with 130. */
void         cli_context_catch_signals (void);

G_END_DECLS
