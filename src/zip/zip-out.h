/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* The file that is written: small pieces are gathered into large writes, large pieces of other
 * files come in without passing through memory where the system can do that.
 */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-out.h belongs to the ZIP layer"
#endif

#include "zip-source.h"

G_BEGIN_DECLS

/* Blocks that file systems share are at least this large, in bytes. */
#define ZIP_OUT_BLOCK 4096u

typedef struct {
  int fd;
  guint64 flushed; /* bytes that are in the file */
  guint64 started; /* of those, bytes that are on their way to the disk */
  guint8 *buffer;  /* what comes behind them */
  gsize used;
  gboolean broken;      /* a write failed */
  gboolean no_clone;    /* FICLONERANGE does not work here */
  gboolean clone_known; /* it has been tried */
  gboolean no_copy;     /* copy_file_range() does not work here */
} ZipOut;

/* Told after each piece; FALSE with @error stops. */
typedef gboolean (*ZipOutFunc) (gpointer user, guint64 n_bytes, GError **error);

void zip_out_init (ZipOut *out, int fd);
void zip_out_clear (ZipOut *out);

/** zip_out_position: where the next byte will stand. */
guint64 zip_out_position (const ZipOut *out);

gboolean zip_out_write (ZipOut *out, const guint8 *data, gsize length, GError **error);
gboolean zip_out_flush (ZipOut *out, GError **error);

/** zip_out_patch: overwrites bytes that were written before. */
gboolean zip_out_patch (ZipOut *out, guint64 offset, const guint8 *data, gsize length,
                        GError **error);

/**
 * zip_out_rewind: forgets everything from @position on. What is in the file is overwritten later.
 */
void zip_out_rewind (ZipOut *out, guint64 position);

/** zip_out_finish: flushes, and cuts the file at the end. */
gboolean zip_out_finish (ZipOut *out, GError **error);

/**
 * zip_out_can_clone: whether blocks of @source can be shared with the file; tried once.
 */
gboolean zip_out_can_clone (ZipOut *out, ZipSource *source);

/**
 * zip_out_copy: appends @length bytes of @source. Blocks are shared where both places have the
 * same remainder by ZIP_OUT_BLOCK and the file system can.
 * @progress: (nullable)
 *
 * Errors: ZIP_ERROR_TRUNCATED, G_IO_ERROR, also CANCELLED; @out is broken only by failed writes.
 */
gboolean zip_out_copy (ZipOut *out, ZipSource *source, guint64 offset, guint64 length,
                       ZipOutFunc progress, gpointer user, GCancellable *cancellable,
                       GError **error);

G_END_DECLS
