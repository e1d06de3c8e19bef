/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Compression for new entries: libdeflate for whole content, zlib where blocks have to join. */

#include "zip-packer.h"

#include <libdeflate.h>
#include <zlib.h>

#include "zip-record.h"

/* How much is tried to see whether packing is worth it, in bytes. */
#define TRIAL_SIZE (128u * 1024u)

struct _ZipPacker {
  int level; /* 0 … 9 */
  struct libdeflate_compressor *whole;
  struct libdeflate_compressor *trial;
  z_stream stream;
  gboolean stream_ready;
  guint8 *buffer;
  gsize buffer_size;
};

ZipPacker *
zip_packer_new (int level)
{
  ZipPacker *packer = g_new0 (ZipPacker, 1);

  packer->level = level < 0 ? 6 : MIN (level, 9);
  return packer;
}

void
zip_packer_free (ZipPacker *packer)
{
  if (packer->stream_ready)
    (void) deflateEnd (&packer->stream);
  libdeflate_free_compressor (packer->whole);
  libdeflate_free_compressor (packer->trial);
  g_free (packer->buffer);
  g_free (packer);
}

void
zip_packed_clear (ZipPacked *packed)
{
  g_clear_pointer (&packed->data, g_bytes_unref);
}

static guint8 *
get_buffer (ZipPacker *packer, gsize size)
{
  if (packer->buffer_size < size)
    {
      g_free (packer->buffer);
      packer->buffer = g_malloc (size);
      packer->buffer_size = size;
    }
  return packer->buffer;
}

/* Compressors are a few hundred kilobytes of memory; without them content is stored, which is not
 * wrong. */
static struct libdeflate_compressor *
get_compressor (struct libdeflate_compressor **compressor, int level)
{
  if (*compressor == NULL)
    *compressor = libdeflate_alloc_compressor (level);
  return *compressor;
}

void
zip_packer_pack (ZipPacker *packer, GBytes *content, ZipPacked *packed)
{
  gsize length = 0;
  const guint8 *data = g_bytes_get_data (content, &length);
  gsize size = 0;

  *packed = (ZipPacked) {
    .method = ZIP_METHOD_STORED,
    .crc = libdeflate_crc32 (0, data, length),
    .size = length,
  };

  /* The room is one byte short of the content, so that what comes out is smaller or nothing. */
  if (packer->level > 0 && length > 1 && get_compressor (&packer->whole, packer->level) != NULL)
    size = libdeflate_deflate_compress (packer->whole, data, length, get_buffer (packer, length),
                                        length - 1);
  if (size == 0)
    {
      packed->data = g_bytes_ref (content);
      return;
    }

  packed->method = ZIP_METHOD_DEFLATE;
  packed->data = g_bytes_new (packer->buffer, size);
}

gboolean
zip_packer_is_worth_it (ZipPacker *packer, const guint8 *data, gsize length)
{
  gsize tried = MIN (length, TRIAL_SIZE);

  if (packer->level == 0 || tried == 0 || get_compressor (&packer->trial, 1) == NULL)
    return FALSE;

  gsize room = tried - tried / 50;
  return libdeflate_deflate_compress (packer->trial, data, tried, get_buffer (packer, tried),
                                      room) > 0;
}

GBytes *
zip_packer_pack_block (ZipPacker *packer, const guint8 *before, gsize before_length,
                       const guint8 *data, gsize length, gboolean last, guint32 *crc)
{
  z_stream *stream = &packer->stream;
  int result;

  g_return_val_if_fail (length <= G_MAXINT / 2, NULL);

  *crc = libdeflate_crc32 (0, data, length);
  if (packer->stream_ready)
    result = deflateReset (stream);
  else
    result = deflateInit2 (stream, packer->level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  if (result != Z_OK)
    g_error ("no memory for a deflate stream");
  packer->stream_ready = TRUE;

  if (before_length > ZIP_PACKER_WINDOW)
    {
      before += before_length - ZIP_PACKER_WINDOW;
      before_length = ZIP_PACKER_WINDOW;
    }
  if (before != NULL && before_length > 0)
    (void) deflateSetDictionary (stream, before, (uInt) before_length);

  /* Beyond the bound a flush adds an empty block of a few bytes. */
  gsize room = deflateBound (stream, length) + 64;
  guint8 *out = get_buffer (packer, room);

  stream->next_in = (Bytef *) data;
  stream->avail_in = (uInt) length;
  stream->next_out = out;
  stream->avail_out = (uInt) room;
  result = deflate (stream, last ? Z_FINISH : Z_SYNC_FLUSH);
  g_assert (last ? result == Z_STREAM_END : result == Z_OK && stream->avail_in == 0);

  return g_bytes_new (out, room - stream->avail_out);
}

guint32
zip_crc_combine (guint32 crc_first, guint32 crc_second, guint64 length_second)
{
  return (guint32) crc32_combine (crc_first, crc_second, (z_off_t) length_second);
}

guint32
zip_crc_update (guint32 crc, const guint8 *data, gsize length)
{
  return libdeflate_crc32 (crc, data, length);
}
