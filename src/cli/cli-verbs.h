/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The verbs: one function and one file each; main.c holds the table. */

#pragma once

#include "cli-context.h"

G_BEGIN_DECLS

/* Each returns the exit status; what went wrong was told. Thread: main. Blocks: yes. */
int cli_verb_list    (CliContext *context);
int cli_verb_info    (CliContext *context);
int cli_verb_extract (CliContext *context);
int cli_verb_move    (CliContext *context);
int cli_verb_add     (CliContext *context);
int cli_verb_delete  (CliContext *context);
int cli_verb_rename  (CliContext *context);
int cli_verb_mkdir   (CliContext *context);
int cli_verb_create  (CliContext *context);
int cli_verb_convert (CliContext *context);
int cli_verb_cat     (CliContext *context);
int cli_verb_test    (CliContext *context);
int cli_verb_formats (CliContext *context);

G_END_DECLS
