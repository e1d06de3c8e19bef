/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* The central directory in memory: its raw bytes in one piece, and a compact array of what they
 * say. Built once when the archive is opened, never changed afterwards.
 */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-directory.h belongs to the ZIP layer"
#endif

#include "zip-entry.h"
#include "zip-source.h"

G_BEGIN_DECLS

/* A larger directory is refused, in bytes; that is some ten million entries. */
#define ZIP_DIRECTORY_MAX (G_GUINT64_CONSTANT (1) << 30)

/* How many warnings are kept as text; after that only the facts tell. */
#define ZIP_WARNINGS_MAX 50u

typedef struct {
  GArray *entries; /* of ZipEntry */
  GBytes *raw;     /* what the entries' records point into */
  GBytes *comment; /* of the archive */
  GPtrArray *warnings;
  guint64 offset; /* of the raw bytes in the file; 0 if recovered */
  guint64 prefix_size;
  guint64 trailing_size;
  guint facts; /* ZipReaderFacts */
} ZipDirectory;

/**
 * zip_directory_read: reads the directory of the archive in @source, or recovers one.
 *
 * Thread: any.  Blocks: yes.  Errors: see zip_reader_open_path().
 */
ZipDirectory *zip_directory_read (ZipSource *source, GCancellable *cancellable, GError **error);

ZipDirectory *zip_directory_new (void);
void zip_directory_free (ZipDirectory *directory);

/** zip_directory_warn: adds a line to the warnings, while there are not too many. */
void zip_directory_warn (ZipDirectory *directory, const char *format, ...) G_GNUC_PRINTF (2, 3);

/**
 * zip_directory_add: appends the entry of @header, whose place in the raw bytes is @position.
 * Its record is only set by zip_directory_set_raw().
 */
ZipEntry *zip_directory_add (ZipDirectory *directory, const ZipHeader *header, gsize position);

/** zip_directory_set_raw: takes the raw bytes over and makes every entry point into them. */
void zip_directory_set_raw (ZipDirectory *directory, GBytes *raw);

/**
 * zip_directory_walk: adds an entry for every central header from @data on.
 * @shift: what to add to offsets
 * @consumed: (out): bytes of well-formed headers
 *
 * Returns: what ended the walk: ZIP_PARSE_SIGNATURE for another record, ZIP_PARSE_SHORT for a
 * header that is cut, ZIP_PARSE_OK at the end of the bytes.
 */
ZipParse zip_directory_walk (ZipDirectory *directory, const guint8 *data, gsize length,
                             gint64 shift, gsize *consumed);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ZipDirectory, zip_directory_free)

G_END_DECLS
