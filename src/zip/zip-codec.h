/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Decodes the data of one entry: stored and deflate. What fits in memory goes through libdeflate
 * in one piece; larger data streams through zlib in blocks. Of damaged data as much is handed out
 * as can be decoded.
 */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-codec.h belongs to the ZIP layer; only the engine's ZIP backend may include it"
#endif

#include <gio/gio.h>

#include "zip-source.h"

G_BEGIN_DECLS

/* Entries up to this size, packed and unpacked, are decoded in one piece, in bytes. */
#define ZIP_CODEC_WHOLE_MAX (8u * 1024u * 1024u)

/* No more than this is handed to a ZipWriteFunc at once, in bytes; cancel is looked at between.
 * */
#define ZIP_CODEC_CHUNK (256u * 1024u)

/**
 * ZipWriteFunc:
 * @data: (array length=length): decoded bytes, valid during the call
 * @length: 1 … ZIP_CODEC_CHUNK
 *
 * Takes the next bytes of an entry. Returns: FALSE with @error set to stop.
 */
typedef gboolean (*ZipWriteFunc) (gpointer user, const guint8 *data, gsize length, GError **error);

/**
 * ZipWorkspace: buffers and decoders that are kept from entry to entry, so that many small
 * entries cost no allocations. One per thread; at most about 2 × ZIP_CODEC_WHOLE_MAX of memory.
 */
typedef struct _ZipWorkspace ZipWorkspace;

ZipWorkspace *zip_workspace_new (void);
void zip_workspace_free (ZipWorkspace *workspace);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ZipWorkspace, zip_workspace_free)

G_END_DECLS
