/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* How the reader hands an entry to the decoder. */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-codec-private.h belongs to the ZIP layer"
#endif

#include "zip-codec.h"

G_BEGIN_DECLS

typedef struct {
  guint index;           /* of the entry, for messages */
  guint64 header_offset; /* likewise */
  guint64 data_offset;   /* where the stored bytes begin in the file */
  guint64 packed_size;
  guint64 size;
  guint32 crc;
  guint16 method;     /* stored or deflate */
  gboolean size_low;  /* size is true only modulo 2^32 */
  ZipWriteFunc write; /* nullable */
  gpointer user;
  GCancellable *cancellable;
} ZipCodecTask;

/**
 * _zip_workspace_get_input: the input buffer, at least @size bytes; what it held is lost if it
 * grows.
 * @size: bounded by the caller
 */
guint8 *_zip_workspace_get_input (ZipWorkspace *workspace, gsize size);

/** _zip_codec_decode_whole: decodes an entry whose packed bytes are all at @packed. */
gboolean _zip_codec_decode_whole (const ZipCodecTask *task, ZipWorkspace *workspace,
                                  const guint8 *packed, GError **error);

/**
 * _zip_codec_decode_stream: decodes an entry of any size in blocks.
 * @first: (array length=n_first): the first packed bytes, in the workspace's input buffer
 */
gboolean _zip_codec_decode_stream (const ZipCodecTask *task, ZipWorkspace *workspace,
                                   ZipSource *source, const guint8 *first, gsize n_first,
                                   GError **error);

/**
 * _zip_codec_salvage: hands out what can be made of the first @length packed bytes, for an entry
 * that is known to be damaged.
 */
void _zip_codec_salvage (const ZipCodecTask *task, ZipWorkspace *workspace, const guint8 *packed,
                         gsize length);

G_END_DECLS
