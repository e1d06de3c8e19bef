/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The writing half of libarchive with every return value looked at, and the names of what was
 * written kept for verifying. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include <archive.h>
#include <archive_entry.h>

#include "hold-backend.h"

G_BEGIN_DECLS

/* Thread: one. All gboolean functions: Blocks: yes. Errors: what the file descriptor or libarchive
 *   says. */
typedef struct _HoldLibarchiveWriter HoldLibarchiveWriter;

/* Is @format one that this libarchive writes by itself, without starting a program? */
gboolean hold_libarchive_writer_knows (const HoldFormat *format);

/* @fd: borrowed, written from where it stands. The format and filters are those of the plan's
 *   snapshot, else of its format. */
HoldLibarchiveWriter *hold_libarchive_writer_new (HoldPlan *plan, int fd, const HoldWriteOptions *options, GError **error);
void     hold_libarchive_writer_free   (HoldLibarchiveWriter *self);

gboolean hold_libarchive_writer_header (HoldLibarchiveWriter *self, struct archive_entry *entry, GError **error);
gboolean hold_libarchive_writer_data   (HoldLibarchiveWriter *self, const guint8 *data, gsize length_bytes, GError **error);
/* So many zeros. */
gboolean hold_libarchive_writer_fill   (HoldLibarchiveWriter *self, guint64 length_bytes, GError **error);
/* Writes what is still to be written; without it the archive is not whole. */
gboolean hold_libarchive_writer_finish (HoldLibarchiveWriter *self, GError **error);

/* Stored names of all headers so far, as bytes; borrowed. */
GPtrArray *hold_libarchive_writer_get_names (HoldLibarchiveWriter *self);

G_END_DECLS
