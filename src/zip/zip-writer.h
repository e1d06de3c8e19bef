/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Writes an archive from the front to the back: entries of other archives with their compressed
 * bytes as they are, and new ones. Entries appear in the order of the calls.
 *
 *   g_autoptr (ZipWriter) writer = zip_writer_new (fd);
 *   zip_writer_set_watch (writer, moved_cb, user);
 *   zip_writer_copy_prefix (writer, reader, cancellable, &error);
 *   zip_writer_copy_comment (writer, reader);
 *   zip_writer_copy_trailing (writer, reader);
 *   zip_writer_copy_entry (writer, reader, 0, NULL, 0, cancellable, &error);     // each that
 *   stays zip_writer_add_packed (writer, &entry, &packed, &error);                     // each
 *   new one zip_writer_finish (writer, cancellable, &error);
 *   zip_writer_verify (writer, cancellable, &error);
 *
 * What stays, stays: compressed bytes, attributes, times, comments, unknown extra fields. Rows of
 * entries that follow each other in the old file are copied in one piece, by sharing blocks where
 * the file system can (FICLONERANGE), by copy_file_range(), or through memory. Sizes that a data
 * descriptor held go into the header and the descriptor is left out, except for ZipCrypto, which
 * checks its password by it. ZIP64 fields stand where they are needed and nowhere else.
 *
 * A failed write leaves the writer broken and the file worthless; the caller throws it away. What
 * a source of content could not deliver is taken back, and the archive goes on without that
 * entry.
 *
 * Nothing is synced here, and the descriptor is neither closed nor given a name.
 */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-writer.h belongs to the ZIP layer; only the engine's ZIP backend may include it"
#endif

#include "zip-packer.h"
#include "zip-reader.h"

G_BEGIN_DECLS

typedef struct _ZipWriter ZipWriter;

/**
 * ZipMovedFunc:
 * @n_bytes: so many more packed bytes of entries were written
 *
 * Returns: FALSE with @error to stop.
 */
typedef gboolean (*ZipMovedFunc) (gpointer user, guint64 n_bytes, GError **error);

/**
 * ZipNewEntry: what a new entry's headers will say.
 * @name: UTF-8, parts separated by "/"; a folder ends in "/"; 1 … 65535 bytes
 * @mode: st_mode with type (regular, folder, symlink) and permissions
 * @mtime: Unix time, seconds
 * @comment: (nullable): UTF-8
 */
typedef struct {
  const char *name;
  guint32 mode;
  gint64 mtime;
  const char *comment;
} ZipNewEntry;

/**
 * zip_writer_new:
 * @fd: an empty regular file, open for reading and writing without O_APPEND; stays the caller's
 *   and must stay open. Written by pwrite(), so that its offset does not matter
 */
ZipWriter *zip_writer_new (int fd);
void zip_writer_free (ZipWriter *writer);

void zip_writer_set_watch (ZipWriter *writer, ZipMovedFunc moved, gpointer user);

/** zip_writer_is_broken: a write failed; nothing more can be done with the file. */
gboolean zip_writer_is_broken (const ZipWriter *writer);

/**
 * zip_writer_copy_prefix: copies what stands before the archive proper in @reader, such as a
 * self-extractor's program. Before any entry.
 *
 * Blocks: yes.  Errors: G_IO_ERROR, also CANCELLED.
 */
gboolean zip_writer_copy_prefix (ZipWriter *writer, ZipReader *reader, GCancellable *cancellable,
                                 GError **error);

/** zip_writer_copy_comment: gives the archive the comment of @reader's. */
void zip_writer_copy_comment (ZipWriter *writer, ZipReader *reader);

/**
 * zip_writer_copy_trailing: has zip_writer_finish() copy what stands behind the end record and the
 * comment of @reader, which is kept until zip_writer_free(). Whether the end record is found all
 * the same is for zip_writer_verify() to say.
 */
void zip_writer_copy_trailing (ZipWriter *writer, ZipReader *reader);

/**
 * zip_writer_set_comment:
 * @length: up to 65535 bytes; more is cut
 */
void zip_writer_set_comment (ZipWriter *writer, const char *comment, gsize length);

/**
 * zip_writer_copy_entry: copies entry @i of @reader without decoding it.
 * @reader: kept until zip_writer_free(); several may be used in one archive
 * @new_name: (nullable): UTF-8, as in ZipNewEntry; NULL keeps the name's bytes
 * @new_name_length: in bytes
 *
 * Copying may be put off until a later call, whose error then is this one's.
 *
 * Blocks: yes.  Errors: ZIP_ERROR TRUNCATED or CORRUPT (the old archive; nothing was written for
 * the entry if zip_writer_is_broken() is FALSE), G_IO_ERROR, also CANCELLED.
 */
gboolean zip_writer_copy_entry (ZipWriter *writer, ZipReader *reader, guint i, const char *new_name,
                                gsize new_name_length, GCancellable *cancellable, GError **error);

/**
 * zip_writer_add_packed: adds a new entry with content that is packed already. A folder has none:
 * an all-zero ZipPacked. A symlink's content is its target.
 *
 * Blocks: yes.  Errors: G_IO_ERROR.
 */
gboolean zip_writer_add_packed (ZipWriter *writer, const ZipNewEntry *entry,
                                const ZipPacked *packed,
                                GError **error);

/**
 * zip_writer_begin_entry: starts an entry whose packed bytes follow by zip_writer_append().
 * @method: stored or deflate
 * @size_hint: how large the content will be at most, bytes; decides whether ZIP64 fields are
 *   needed
 *
 * Then either zip_writer_end_entry() or zip_writer_abandon_entry(), and no other call between.
 *
 * Blocks: yes.  Errors: G_IO_ERROR.
 */
gboolean zip_writer_begin_entry (ZipWriter *writer, const ZipNewEntry *entry, guint16 method,
                                 guint64 size_hint, GError **error);

gboolean zip_writer_append (ZipWriter *writer, const guint8 *data, gsize length, GError **error);

/**
 * zip_writer_end_entry: fills in what only now is known.
 * Errors: ZIP_ERROR_TOO_LARGE if the content outgrew 4 GiB and the hint; the entry is taken back.
 */
gboolean zip_writer_end_entry (ZipWriter *writer, guint32 crc, guint64 size, GError **error);

/** zip_writer_abandon_entry: takes back what was begun. */
void zip_writer_abandon_entry (ZipWriter *writer);

/**
 * ZipReadFunc:
 * @n_read: (out): bytes put into @buffer; 0 at the end
 */
typedef gboolean (*ZipReadFunc) (gpointer user, guint8 *buffer, gsize length, gsize *n_read,
                                 GError **error);

/**
 * zip_writer_add_stream: adds a new entry with all that @read gives, packed here and now.
 * @packer: packs it; stored where that is smaller, as far as its beginning shows
 * @size_hint: as in zip_writer_begin_entry()
 *
 * If @read fails, the entry is taken back and zip_writer_is_broken() is FALSE.
 *
 * Blocks: yes.  Errors: G_IO_ERROR, also CANCELLED; what @read reports.
 */
gboolean zip_writer_add_stream (ZipWriter *writer, const ZipNewEntry *entry, ZipPacker *packer,
                                ZipReadFunc read, gpointer user, guint64 size_hint,
                                GCancellable *cancellable, GError **error);

/**
 * zip_writer_finish: writes the central directory and the end record, what is to stand behind it,
 * and cuts the file there.
 *
 * Blocks: yes.  Errors: G_IO_ERROR, also CANCELLED.
 */
gboolean zip_writer_finish (ZipWriter *writer, GCancellable *cancellable, GError **error);

/**
 * zip_writer_verify: opens what was written as any reader would and compares: the number of
 * entries, every record of the directory, every local header, and how much stands behind the end.
 *
 * Blocks: yes; about one small read per entry.  Errors: ZIP_ERROR_CORRUPT if anything differs;
 * G_IO_ERROR, also CANCELLED.
 */
gboolean zip_writer_verify (ZipWriter *writer, GCancellable *cancellable, GError **error);

/** zip_writer_get_n_entries: how many stand in the archive so far. */
guint zip_writer_get_n_entries (const ZipWriter *writer);

/** zip_writer_get_size: how long the archive is so far, bytes. */
guint64 zip_writer_get_size (const ZipWriter *writer);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ZipWriter, zip_writer_free)

G_END_DECLS
