/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The options of the program's command line: what file managers call. */

#pragma once

#include "holdall-application.h"

G_BEGIN_DECLS

/**
 * holdall_options_add:
 *
 * Makes @application know the options. Thread: main.
 */
void holdall_options_add (GApplication *application);

/**
 * holdall_options_handle_local:
 * @options: as parsed
 *
 * Does in the calling process what needs no other: says the version, refuses what makes no sense.
 * Thread: main.
 * Returns: an exit status, or -1 to go on in the process that all windows share.
 */
int  holdall_options_handle_local (GVariantDict *options);

/**
 * holdall_options_run:
 * @command_line: of this process or of one that handed it over; paths are relative to its folder
 *
 * Opens the files, or starts the errand that the options name. The caller is kept waiting until
 * that is done, and ends with its status. Thread: main. Blocks: no.
 * Returns: the exit status for now.
 */
int  holdall_options_run (HoldallApplication *application, GApplicationCommandLine *command_line);

G_END_DECLS
