/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Numbers in words: sizes, times, rates and counts as a person reads them, in the locale's
 * manner. The one place where they are made, so that all parts of the window agree. */

#pragma once

#include <hold.h>

G_BEGIN_DECLS

/* All: Thread: main. Blocks: no. Results are (transfer full) UTF-8. */

/* A piece that is put into a sentence, kept together where the window is read from right to left:
 * "12 kB (12,034 bytes)" next to Arabic words would swap its parts (Unicode Standard Annex 9,
 * isolates). A copy of @text elsewhere. */
char *holdall_format_isolate     (const char *text);
/* "26.1 MB", "512 bytes"; decimal units, as file managers show them. */
char *holdall_format_size        (guint64 size_bytes);
/* "26.1 MB (26,123,456 bytes)"; for properties. */
char *holdall_format_size_long   (guint64 size_bytes);
/* "14.2 of 26.1 MB": the unit once where both share it. */
char *holdall_format_size_pair   (guint64 done_bytes, guint64 total_bytes);
/* "310 MB/s" */
char *holdall_format_rate        (double bytes_per_second);
/* Unix seconds, UTC, as a local date: "2 Jun 2021"; today's as "14:05". Any value, also one no
 * calendar holds. */
char *holdall_format_time        (gint64 unix_seconds);
/* "2 June 2021, 14:05:31"; for properties and tooltips. */
char *holdall_format_time_long   (gint64 unix_seconds);
/* "1 s", "2 min 5 s", "1 h 20 min" */
char *holdall_format_duration    (guint seconds);
/* "1 item", "300 items", digits grouped. */
char *holdall_format_items       (guint n_items);
/* "12,345", grouped as the locale does. */
char *holdall_format_count       (guint64 number);
/* "45 %": packed of unpacked; "" when the unpacked size is 0. */
char *holdall_format_ratio       (guint64 packed_bytes, guint64 size_bytes);
/* "rwxr-xr-x (0755)"; permission bits 07777. */
char *holdall_format_mode        (guint mode);
/* A file-system path or entry path for a label: valid UTF-8, control characters escaped. */
char *holdall_format_path        (const char *path);
/* The last part of @path, likewise. */
char *holdall_format_basename    (const char *path);

G_END_DECLS
