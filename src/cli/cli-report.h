/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What people read on standard error, and the exit status that scripts read. */

#pragma once

#include <hold.h>

G_BEGIN_DECLS

/* "holdall-cli: @about: message" on standard error; @about (nullable) is a file name as bytes.
 * Control characters are escaped, so that no name can write to the terminal. Thread: main. */
void cli_complain (const char *about, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* "@path: message", for one entry. */
void cli_complain_entry (const char *path, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* A sentence about how it went, without any prefix. */
void cli_tell (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* The exit status of one error that ended everything. */
int  cli_status_of_error (const GError *error);
/* Of two exit statuses the one that tells more. */
int  cli_worse_status (int a, int b);
/* One line per entry that failed or was skipped or refused; warnings too, if not @quiet.
 * @archive_name stands for the archive as a whole. Returns the exit status. */
int  cli_print_report (HoldReport *report, const char *archive_name, gboolean quiet);

G_END_DECLS
