/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Compresses the content of new entries, away from the writer, so that any number of threads can
 * pack at once while one writes: small content in one piece with libdeflate, large content as a
 * row of blocks, which are packed independently and, laid end to end, are one deflate stream.
 */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-packer.h belongs to the ZIP layer; only the engine's ZIP backend may include it"
#endif

#include <gio/gio.h>

G_BEGIN_DECLS

/* Content up to this size is best packed in one piece, in bytes. */
#define ZIP_PACKER_WHOLE_MAX (8u * 1024u * 1024u)

/* The size of the blocks of larger content; all but the last have it, in bytes. */
#define ZIP_PACKER_BLOCK (1024u * 1024u)

/* How much of the block before a block looks back on, in bytes. */
#define ZIP_PACKER_WINDOW (32u * 1024u)

/* One per thread; keeps its compressors from use to use. */
typedef struct _ZipPacker ZipPacker;

/**
 * zip_packer_new:
 * @level: 0 stores; 1 fast … 9 small; -1: the usual one
 */
ZipPacker *zip_packer_new (int level);
void zip_packer_free (ZipPacker *packer);

/* Content that is ready to be written. */
typedef struct {
  guint16 method; /* stored or deflate */
  guint32 crc;
  guint64 size; /* bytes before packing */
  GBytes *data; /* as they will stand in the archive */
} ZipPacked;

void zip_packed_clear (ZipPacked *packed);

/**
 * zip_packer_pack: packs @content, or leaves it as it is where that is smaller.
 * @content: at most ZIP_PACKER_WHOLE_MAX bytes are sensible
 * @packed: (out caller-allocates): to be cleared with zip_packed_clear()
 *
 * Thread: one at a time per packer.  Blocks: for the work.
 */
void zip_packer_pack (ZipPacker *packer, GBytes *content, ZipPacked *packed);

/**
 * zip_packer_is_worth_it: tries the first @length bytes of content that will be packed in blocks;
 * FALSE if it should be stored (pictures, films, archives).
 */
gboolean zip_packer_is_worth_it (ZipPacker *packer, const guint8 *data, gsize length);

/**
 * zip_packer_pack_block: packs one block of larger content.
 * @before: (nullable): the last bytes of the block before, up to ZIP_PACKER_WINDOW; NULL for the
 *   first block
 * @last: no block follows; may be empty then
 * @crc: (out): CRC-32 of this block alone; see zip_crc_combine()
 *
 * Returns: (transfer full): deflate data that ends on a byte.  Thread: one at a time per packer.
 */
GBytes *zip_packer_pack_block (ZipPacker *packer, const guint8 *before, gsize before_length,
                               const guint8 *data, gsize length, gboolean last, guint32 *crc);

/** zip_crc_combine: the CRC-32 of two pieces, of which the second has @length_second bytes. */
guint32 zip_crc_combine (guint32 crc_first, guint32 crc_second, guint64 length_second);

/** zip_crc_update: the CRC-32 of bytes with CRC @crc (0 for none) and @data behind them. */
guint32 zip_crc_update (guint32 crc, const guint8 *data, gsize length);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ZipPacker, zip_packer_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ZipPacked, zip_packed_clear)

G_END_DECLS
