/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* The door to a ZIP archive. zip_reader_open_*() finds the end record and reads the central
 * directory, nothing else, with a handful of large reads; from then on the reader never changes,
 * and any number of threads may ask it and decode entries at once, each with its own
 * ZipWorkspace.
 *
 * Sizes, CRCs and offsets are always those of the central directory: entries that were streamed
 * (data descriptors) cost nothing extra. Each decoded entry costs one pread() if it is small, and
 * one per 256 KiB if it is large.
 *
 * When the directory is missing or damaged (a download cut short), the local headers are scanned
 * instead and ZIP_READER_RECOVERED is set: what is intact can be taken out, and the caller must
 * say that the archive is damaged.
 *
 *   g_autoptr (ZipReader) reader = zip_reader_open_path (path, cancellable, &error);
 *   g_autoptr (ZipWorkspace) workspace = zip_workspace_new ();
 *   for (guint i = 0; i < zip_reader_get_n_entries (reader); i++)
 *     zip_reader_read_entry (reader, i, workspace, write_cb, user, cancellable, &error);
 */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-reader.h belongs to the ZIP layer; only the engine's ZIP backend may include it"
#endif

#include <gio/gio.h>

#include "zip-codec.h"
#include "zip-entry.h"
#include "zip-error.h"
#include "zip-name.h"
#include "zip-source.h"

G_BEGIN_DECLS

/**
 * ZipReaderFacts:
 * @ZIP_READER_RECOVERED: the entries come from scanning local headers; the archive is damaged or
 *   incomplete
 * @ZIP_READER_ZIP64: there is a ZIP64 end record
 * @ZIP_READER_COUNT_WRONG: the end record states another number of entries than the directory
 *   holds
 * @ZIP_READER_OVERLAPS: at least one entry has ZIP_ENTRY_OVERLAPS
 * @ZIP_READER_UNWRAPPED: at least one entry has ZIP_ENTRY_UNWRAPPED
 * @ZIP_READER_IN_ORDER: the directory lists the entries as they lie in the file
 * @ZIP_READER_TRUNCATED: at least one entry lies behind the end of the file
 */
typedef enum {
  ZIP_READER_RECOVERED = 1 << 0,
  ZIP_READER_ZIP64 = 1 << 1,
  ZIP_READER_COUNT_WRONG = 1 << 2,
  ZIP_READER_OVERLAPS = 1 << 3,
  ZIP_READER_UNWRAPPED = 1 << 4,
  ZIP_READER_TRUNCATED = 1 << 5,
  ZIP_READER_IN_ORDER = 1 << 6,
} ZipReaderFacts;

typedef struct _ZipReader ZipReader;

/**
 * zip_reader_open_path: opens the archive at @path.
 *
 * Thread: any.  Blocks: yes.  Errors: ZIP_ERROR NOT_ZIP, TRUNCATED, CORRUPT, SPLIT, TOO_LARGE;
 * G_IO_ERROR.
 */
ZipReader *zip_reader_open_path (const char *path, GCancellable *cancellable, GError **error);

/**
 * zip_reader_open_fd: likewise from a duplicate of @fd, which stays the caller's. Its offset is
 * not moved.
 */
ZipReader *zip_reader_open_fd (int fd, GCancellable *cancellable, GError **error);

/**
 * zip_reader_open_source: likewise from @source, of which a reference is kept. One that was made
 * for the parts of a split archive goes through zip_split_join() first.
 */
ZipReader *zip_reader_open_source (ZipSource *source, GCancellable *cancellable, GError **error);

ZipReader *zip_reader_ref (ZipReader *reader);
void zip_reader_unref (ZipReader *reader);

ZipReaderFacts zip_reader_get_facts (const ZipReader *reader);

/**
 * zip_reader_get_warnings: (element-type utf8): what is odd, in technical English, bounded; may
 * be empty; borrowed.
 */
GPtrArray *zip_reader_get_warnings (const ZipReader *reader);

guint zip_reader_get_n_entries (const ZipReader *reader);

/** zip_reader_get_entry: entry @i < n_entries in directory order, borrowed from the reader. */
const ZipEntry *zip_reader_get_entry (const ZipReader *reader, guint i);

/** zip_reader_get_comment: the archive's comment, raw bytes, borrowed. */
const char *zip_reader_get_comment (const ZipReader *reader, gsize *length);

/**
 * zip_reader_get_prefix_size: bytes before the archive proper (a self-extractor's program), 0 if
 * none.
 */
guint64 zip_reader_get_prefix_size (const ZipReader *reader);

/** zip_reader_get_trailing_size: bytes behind the end record and its comment, 0 if none. */
guint64 zip_reader_get_trailing_size (const ZipReader *reader);

/**
 * zip_reader_get_directory_extent: where the central directory lies in the file; 0, 0 when
 * recovered.
 */
void zip_reader_get_directory_extent (const ZipReader *reader, guint64 *offset, guint64 *length);

/** zip_reader_get_source: the file, borrowed. */
ZipSource *zip_reader_get_source (const ZipReader *reader);

/**
 * zip_reader_read_entry: decodes entry @i and checks its size and CRC.
 * @workspace: this thread's
 * @write: (nullable): takes the bytes, in order; NULL only tests the entry
 *
 * When this fails, what @write has got so far is to be thrown away, unless the caller wants to keep
 * what is left of a damaged entry: as much is handed out as can be decoded, and never more than the
 * directory declares (with ZIP_ENTRY_NO_SIZE it declares nothing, and the caller sets the limit).
 *
 * Thread: any, each with its own @workspace.  Blocks: yes.
 * Errors: ZIP_ERROR UNSUPPORTED, ENCRYPTED (ask libarchive, see zip_reader_get_entry_parts()),
 * TRUNCATED, CORRUPT,
 *   CHECKSUM; G_IO_ERROR, also CANCELLED; what @write reports.
 */
gboolean zip_reader_read_entry (ZipReader *reader, guint i, ZipWorkspace *workspace,
                                ZipWriteFunc write, gpointer user,
                                GCancellable *cancellable, GError **error);

/**
 * zip_reader_get_entry_extent: where entry @i lies in the file: local header, data and
 * descriptor.
 * @offset: (out): bytes from the start of the file
 * @length: (out): in bytes
 *
 * Thread: any.  Blocks: yes, one or two small reads.  Errors: TRUNCATED, CORRUPT; G_IO_ERROR.
 */
gboolean zip_reader_get_entry_extent (ZipReader *reader, guint i, guint64 *offset, guint64 *length,
                                      GError **error);

/**
 * zip_reader_get_data_extent: where the stored bytes of entry @i lie, without header and
 * descriptor.
 *
 * Thread: any.  Blocks: yes, one small read.  Errors: as above.
 */
gboolean zip_reader_get_data_extent (ZipReader *reader, guint i, guint64 *offset, guint64 *length,
                                     GError **error);

/* A complete ZIP archive with one entry in three parts, for a decoder that wants an archive:
 * the bytes of head, data_length bytes of the file at data_offset, the bytes of tail. */
typedef struct {
  GBytes *head;
  guint64 data_offset;
  guint64 data_length;
  GBytes *tail;
} ZipEntryParts;

void zip_entry_parts_clear (ZipEntryParts *parts);

/**
 * zip_reader_get_entry_parts: entry @i as an archive of its own.
 * @parts: (out caller-allocates): to be cleared with zip_entry_parts_clear()
 *
 * Both headers hold the true sizes and CRC and the same flags and name; extra fields stay those
 * of each. Bit 3 is cleared, except for ZipCrypto, where it decides what the password is
 * checked against; the descriptor then stands at the start of tail.
 *
 * Thread: any.  Blocks: yes, one small read.  Errors: as zip_reader_get_data_extent().
 */
gboolean zip_reader_get_entry_parts (ZipReader *reader, guint i, ZipEntryParts *parts,
                                     GError **error);

/**
 * zip_reader_dup_local_name: the name in the local header of entry @i, raw bytes; a way out when
 * the directory's name is damaged.
 * @differs: (out) (optional): whether it differs from the directory's
 *
 * Thread: any.  Blocks: yes, one small read.  Errors: as above.
 */
GBytes *zip_reader_dup_local_name (ZipReader *reader, guint i, gboolean *differs, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ZipReader, zip_reader_unref)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ZipEntryParts, zip_entry_parts_clear)

G_END_DECLS
