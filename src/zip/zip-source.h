/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Random access to the archive's file by pread() alone: many threads share one descriptor without
 * a lock, and a file that shrinks under us is an error and not a SIGBUS, as it would be with
 * mmap(). It counts its reads, because the number of reads is a promise that tests hold us to.
 */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-source.h belongs to the ZIP layer"
#endif

#include <gio/gio.h>

G_BEGIN_DECLS

/* How much is read at once from large data, in bytes. */
#define ZIP_SOURCE_BLOCK (256u * 1024u)

typedef struct _ZipSource ZipSource;

/**
 * zip_source_new_for_fd: reads from a duplicate of @fd; the caller keeps and closes its own.
 *
 * Returns: (transfer full): a source whose size is that of the file now.
 * Thread: any.  Blocks: no.  Errors: G_IO_ERROR (a folder, a pipe, no descriptor left).
 */
ZipSource *zip_source_new_for_fd (int fd, GError **error);

/**
 * zip_source_new_for_path: opens @path for reading; symlinks are followed.
 * Thread: any.  Blocks: yes.  Errors: G_IO_ERROR with the path.
 */
ZipSource *zip_source_new_for_path (const char *path, GError **error);

/**
 * zip_source_new_for_parts: the parts of a split archive as one long file.
 * @fds: (array length=n_parts): in order; duplicated
 *
 * zip_source_lend_fd() gives the first part only.
 * Thread: any.  Blocks: no.  Errors: G_IO_ERROR.
 */
ZipSource *zip_source_new_for_parts (const int *fds, guint n_parts, GError **error);

/** zip_source_get_n_parts: 1 unless made for parts. */
guint zip_source_get_n_parts (const ZipSource *source);

/** zip_source_get_part_start: where part @i begins in the whole, in bytes. */
guint64 zip_source_get_part_start (const ZipSource *source, guint i);

/**
 * zip_source_set_overlay: from @offset on, the file reads as @bytes, as far as these go.
 *
 * Thread: the one that made the source, before anybody else has it.
 */
void zip_source_set_overlay (ZipSource *source, guint64 offset, GBytes *bytes);

ZipSource *zip_source_ref (ZipSource *source);
void zip_source_unref (ZipSource *source);

/** zip_source_get_size: the file's size in bytes when it was opened. */
guint64 zip_source_get_size (const ZipSource *source);

/**
 * ZipSourceLender: who has the descriptors, if the source has none of its own.
 * @lend: one of part @i, which stays open until it is given back; -1 with @error
 * @give_back: called once for each that was lent
 *
 * Thread: any, also at once.
 */
typedef struct {
  int (*lend) (gpointer user, guint i, GError **error);
  void (*give_back) (gpointer user, guint i);
} ZipSourceLender;

/**
 * zip_source_set_lender: from now on @lender has the descriptors; those of the source are closed.
 * @user: outlives the source
 *
 * Thread: the one that made the source, before anybody else has it.
 */
void zip_source_set_lender (ZipSource *source, const ZipSourceLender *lender, gpointer user);

/**
 * zip_source_lend_fd: the first part's descriptor until it is given back; for copy_file_range(). Its
 * offset means nothing.
 *
 * Thread: any.  Blocks: as the lender.  Returns: -1 with @error.
 */
int zip_source_lend_fd (ZipSource *source, GError **error);
void zip_source_give_back_fd (ZipSource *source);

/**
 * zip_source_read: reads up to @length bytes at @offset; fewer only where the file ends.
 * @offset: bytes from the start of the file
 * @n_read: (out): how many came
 *
 * Thread: any, also at once.  Blocks: yes.  Errors: G_IO_ERROR.
 */
gboolean zip_source_read (ZipSource *source, guint64 offset, void *buffer, gsize length,
                          gsize *n_read,
                          GError **error);

/**
 * zip_source_read_exact: as zip_source_read(), but fewer bytes are an error.
 * @what: names the record for the message, such as "central directory"
 *
 * Errors: also ZIP_ERROR_TRUNCATED.
 */
gboolean zip_source_read_exact (ZipSource *source, guint64 offset, void *buffer, gsize length,
                                const char *what,
                                GError **error);

/** zip_source_get_n_reads: how many pread() calls were made so far, for tests and --stats. */
guint64 zip_source_get_n_reads (const ZipSource *source);

/** zip_source_get_n_bytes: how many bytes they brought. */
guint64 zip_source_get_n_bytes (const ZipSource *source);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ZipSource, zip_source_unref)

G_END_DECLS
