/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* The methods that no library at hand decodes: Deflate64, which Windows writes for large files, and
 * Shrink and Implode, which everything wrote before 1993. Data comes from a callback, so that it
 * may have been decrypted on the way; sizes are bounded, the CRC is the caller's to check.
 */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-unpack.h belongs to the ZIP layer; only the engine's ZIP backend may include it"
#endif

#include "zip-codec.h"

G_BEGIN_DECLS

/**
 * ZipPullFunc: brings the next packed bytes.
 * @data, @length: (out): valid until the next call; length 0 at the end
 */
typedef gboolean (*ZipPullFunc) (gpointer user, const guint8 **data, gsize *length, GError **error);

/** zip_unpack_knows: methods 1, 6 and 9. */
gboolean zip_unpack_knows (guint16 method);

/**
 * zip_unpack: decodes exactly @size bytes.
 * @flags: general purpose bits; Implode keeps its parameters there
 * @write: takes the bytes, at most 64 KiB at once
 *
 * Source: APPNOTE 5.1, 5.3; RFC 1951 and, for Deflate64, its tables as other readers have them.
 * Thread: any.  Blocks: as @pull and @write do.
 * Errors: ZIP_ERROR CORRUPT, TRUNCATED, UNSUPPORTED; G_IO_ERROR_CANCELLED; those of the callbacks.
 */
gboolean zip_unpack (guint16 method, guint16 flags, guint64 size, ZipPullFunc pull,
                     gpointer pull_user, ZipWriteFunc write, gpointer write_user,
                     GCancellable *cancellable, GError **error);

G_END_DECLS
