/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Questions of a job, put on the terminal: passwords without echo, conflicts, whether to go on. */

#pragma once

#include <hold.h>

G_BEGIN_DECLS

typedef struct _CliAsk CliAsk;

/* Answers the questions of @job by asking until freed. Never blocks the main loop: a signal can
 * cancel the job meanwhile. */
CliAsk     *cli_ask_new  (HoldJob *job);
void        cli_ask_free (CliAsk *self);

/* Asks once, for what is no job. NULL: no answer. (transfer full). Blocks: until answered. */
HoldSecret *cli_ask_password (const char *archive_name, const char *entry_path, gboolean was_wrong);

/* Turns echo on again, if it is off. Safe in a signal handler. */
void        cli_ask_restore_terminal (void);

G_END_DECLS
