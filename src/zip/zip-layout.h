/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Checks where the entries of a directory lie in the file: repairs offsets that were written
 * modulo 2^32, and marks entries that overlap or lie outside.
 */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-layout.h belongs to the ZIP layer"
#endif

#include "zip-directory.h"

G_BEGIN_DECLS

/**
 * zip_layout_unwrap: repairs 32-bit offsets and sizes of an archive above 4 GiB that has no ZIP64
 * records (macOS' Archive Utility wrote such), by looking for the local header of each name.
 *
 * Thread: any.  Blocks: yes; about one small read per entry.  Errors: G_IO_ERROR.
 */
gboolean zip_layout_unwrap (ZipDirectory *directory, ZipSource *source, GCancellable *cancellable,
                            GError **error);

/**
 * zip_layout_check: sets ZIP_ENTRY_OVERLAPS and ZIP_ENTRY_OUTSIDE, on entries and directory.
 * @file_size: in bytes
 * @data_limit: where data has to end, the start of the directory
 *
 * Thread: any.  Blocks: no.
 */
void zip_layout_check (ZipDirectory *directory, guint64 file_size, guint64 data_limit);

G_END_DECLS
