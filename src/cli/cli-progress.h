/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* How far a job is, in one line on standard error that is drawn again and again. */

#pragma once

#include <hold.h>

G_BEGIN_DECLS

typedef struct _CliProgress CliProgress;

/* Follows @job until freed; freeing wipes the line. Thread: main. */
CliProgress *cli_progress_new  (HoldJob *job);
void         cli_progress_free (CliProgress *self);
/* Wipes the line, if one is shown, so that something else can be written. */
void         cli_progress_hide (void);

G_END_DECLS
