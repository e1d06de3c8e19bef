/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Stored and deflate, in one piece or in blocks; size and CRC-32 are checked in both. */

#include "zip-codec-private.h"

#include <libdeflate.h>
#include <zlib.h>

#include "zip-error.h"
#include "zip-record.h"

struct _ZipWorkspace {
  guint8 *input;
  gsize input_size;
  guint8 *output;
  gsize output_size;
  struct libdeflate_decompressor *decompressor;
  z_stream stream;
  gboolean stream_ready;
};

ZipWorkspace *
zip_workspace_new (void)
{
  return g_new0 (ZipWorkspace, 1);
}

void
zip_workspace_free (ZipWorkspace *workspace)
{
  if (workspace->stream_ready)
    (void) inflateEnd (&workspace->stream);
  libdeflate_free_decompressor (workspace->decompressor);
  g_free (workspace->input);
  g_free (workspace->output);
  g_free (workspace);
}

/* The old bytes are not worth copying; sizes double so that growing ends soon. */
static guint8 *
grow (guint8 **buffer, gsize *have, gsize size)
{
  if (*have < size)
    {
      gsize doubled = MAX (*have * 2, 64u * 1024u);

      g_free (*buffer);
      *have = MAX (size, doubled);
      *buffer = g_malloc (*have);
    }

  return *buffer;
}

guint8 *
_zip_workspace_get_input (ZipWorkspace *workspace, gsize size)
{
  return grow (&workspace->input, &workspace->input_size, size);
}

static gboolean G_GNUC_PRINTF (4, 5)
fail (const ZipCodecTask *task, ZipError code, GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *what = g_strdup_vprintf (format, arguments);
  va_end (arguments);

  g_set_error (error, ZIP_ERROR, code, "entry %u at 0x%" G_GINT64_MODIFIER "x: %s", task->index,
               task->header_offset, what);
  return FALSE;
}

static gboolean
check (const ZipCodecTask *task, guint64 size, guint32 crc, GError **error)
{
  guint64 declared = task->size;

  if (task->size_low)
    {
      declared &= G_MAXUINT32;
      size &= G_MAXUINT32;
    }
  if (size != declared)
    return fail (task, ZIP_ERROR_CORRUPT, error,
                 "decodes to %" G_GUINT64_FORMAT " bytes, declared are %" G_GUINT64_FORMAT, size,
                 declared);
  if (crc != task->crc)
    return fail (task, ZIP_ERROR_CHECKSUM, error, "CRC-32 is %08x, recorded is %08x", crc,
                 task->crc);
  return TRUE;
}

static gboolean
put (const ZipCodecTask *task, const guint8 *data, gsize length, GError **error)
{
  while (length > 0)
    {
      gsize chunk = MIN (length, ZIP_CODEC_CHUNK);

      if (g_cancellable_set_error_if_cancelled (task->cancellable, error))
        return FALSE;
      if (task->write != NULL && !task->write (task->user, data, chunk, error))
        return FALSE;
      data += chunk;
      length -= chunk;
    }

  return TRUE;
}

/* Deflates @packed into the workspace; NULL on failure. */
static const guint8 *
inflate_whole (const ZipCodecTask *task, ZipWorkspace *workspace, const guint8 *packed,
               GError **error)
{
  gsize size = (gsize) task->size;
  guint8 *output = grow (&workspace->output, &workspace->output_size, MAX (size, 1));

  if (workspace->decompressor == NULL)
    workspace->decompressor = libdeflate_alloc_decompressor ();
  if (workspace->decompressor == NULL)
    {
      (void) fail (task, ZIP_ERROR_TOO_LARGE, error, "no memory for the decoder");
      return NULL;
    }

  switch (libdeflate_deflate_decompress (workspace->decompressor, packed, (gsize) task->packed_size,
                                         output, size, NULL))
    {
    case LIBDEFLATE_SUCCESS:
      return output;
    case LIBDEFLATE_SHORT_OUTPUT:
      (void) fail (task, ZIP_ERROR_CORRUPT, error,
                   "decodes to fewer bytes than the %" G_GUINT64_FORMAT " declared", task->size);
      return NULL;
    case LIBDEFLATE_INSUFFICIENT_SPACE:
      (void) fail (task, ZIP_ERROR_CORRUPT, error,
                   "decodes to more bytes than the %" G_GUINT64_FORMAT " declared", task->size);
      return NULL;
    case LIBDEFLATE_BAD_DATA:
    default:
      (void) fail (task, ZIP_ERROR_CORRUPT, error, "damaged deflate data");
      return NULL;
    }
}

typedef struct {
  const ZipCodecTask *task;
  ZipSource *source; /* NULL: there is no more than what is in memory */
  guint8 *buffer;
  guint64 next;    /* where to read on in the file */
  guint64 left;    /* packed bytes that are still to be read */
  guint64 missing; /* packed bytes that the file does not have */
} Input;

/* Reads the next block. Where the file ends early, what there is goes through all the same; it may
 * be all that is left of a damaged archive. */
static gboolean
read_block (Input *input, gsize *length, GError **error)
{
  gsize wanted = (gsize) MIN (input->left, (guint64) ZIP_SOURCE_BLOCK);

  if (!zip_source_read (input->source, input->next, input->buffer, wanted, length, error))
    return FALSE;
  input->next += *length;
  input->left -= *length;
  if (*length < wanted)
    {
      input->missing = input->left;
      input->left = 0;
    }

  return TRUE;
}

static gboolean
fail_truncated (const Input *input, GError **error)
{
  return fail (input->task, ZIP_ERROR_TRUNCATED, error,
               "the file ends %" G_GUINT64_FORMAT " bytes before the end of the data",
               input->missing);
}

static gboolean
copy_stream (Input *input, const guint8 *data, gsize length, GError **error)
{
  const ZipCodecTask *task = input->task;
  guint64 total = 0;
  guint32 crc = 0;

  if (task->packed_size != task->size)
    return fail (task, ZIP_ERROR_CORRUPT, error,
                 "stored, but %" G_GUINT64_FORMAT " bytes are packed for %" G_GUINT64_FORMAT,
                 task->packed_size, task->size);

  while (TRUE)
    {
      crc = libdeflate_crc32 (crc, data, length);
      total += length;
      if (!put (task, data, length, error))
        return FALSE;
      if (input->left == 0)
        break;
      if (!read_block (input, &length, error))
        return FALSE;
      data = input->buffer;
    }

  return input->missing > 0 ? fail_truncated (input, error) : check (task, total, crc, error);
}

static gboolean
inflate_stream (Input *input, ZipWorkspace *workspace, const guint8 *data, gsize length,
                GError **error)
{
  const ZipCodecTask *task = input->task;
  z_stream *stream = &workspace->stream;
  guint8 *output = grow (&workspace->output, &workspace->output_size, ZIP_CODEC_CHUNK);
  guint64 total = 0;
  guint32 crc = 0;
  int result = Z_OK;

  if (workspace->stream_ready ? inflateReset (stream) != Z_OK
                              : inflateInit2 (stream, -MAX_WBITS) != Z_OK)
    return fail (task, ZIP_ERROR_TOO_LARGE, error, "no memory for the decoder");
  workspace->stream_ready = TRUE;

  stream->next_in = (Bytef *) data;
  stream->avail_in = (uInt) length;

  while (result != Z_STREAM_END)
    {
      if (g_cancellable_set_error_if_cancelled (task->cancellable, error))
        return FALSE;
      if (stream->avail_in == 0 && input->left > 0)
        {
          if (!read_block (input, &length, error))
            return FALSE;
          stream->next_in = input->buffer;
          stream->avail_in = (uInt) length;
        }

      stream->next_out = output;
      stream->avail_out = ZIP_CODEC_CHUNK;
      result = inflate (stream, Z_NO_FLUSH);

      gsize produced = ZIP_CODEC_CHUNK - stream->avail_out;
      gboolean stuck = produced == 0 && result != Z_STREAM_END && input->left == 0;
      gboolean too_much = !task->size_low && produced > task->size - total;
      if (too_much)
        produced = (gsize) (task->size - total);

      crc = libdeflate_crc32 (crc, output, produced);
      total += produced;
      if (!put (task, output, produced, error))
        return FALSE;

      if (too_much)
        return fail (task, ZIP_ERROR_CORRUPT, error,
                     "decodes to more bytes than the %" G_GUINT64_FORMAT " declared", task->size);
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        return fail (task, ZIP_ERROR_CORRUPT, error, "damaged deflate data after %" G_GUINT64_FORMAT
                     " bytes: %s", total, stream->msg != NULL ? stream->msg : "no reason given");
      if (stuck && input->missing > 0)
        return fail_truncated (input, error);
      if (stuck)
        return fail (task, ZIP_ERROR_CORRUPT, error, "deflate data without an end");
    }

  return check (task, total, crc, error);
}

gboolean
_zip_codec_decode_stream (const ZipCodecTask *task, ZipWorkspace *workspace, ZipSource *source,
                          const guint8 *first, gsize n_first, GError **error)
{
  Input input = {
    .task = task,
    .source = source,
    .buffer = workspace->input,
    .next = task->data_offset + n_first,
    .left = task->packed_size - n_first,
  };

  return task->method == ZIP_METHOD_STORED
           ? copy_stream (&input, first, n_first, error)
           : inflate_stream (&input, workspace, first, n_first, error);
}

void
_zip_codec_salvage (const ZipCodecTask *task, ZipWorkspace *workspace, const guint8 *packed,
                    gsize length)
{
  Input input = { .task = task };

  if (task->write == NULL)
    return;
  if (task->method == ZIP_METHOD_STORED)
    (void) put (task, packed, (gsize) MIN ((guint64) length, task->size), NULL);
  else
    (void) inflate_stream (&input, workspace, packed, length, NULL);
}

gboolean
_zip_codec_decode_whole (const ZipCodecTask *task, ZipWorkspace *workspace, const guint8 *packed,
                         GError **error)
{
  const guint8 *data = packed;

  if (task->method == ZIP_METHOD_STORED)
    {
      if (task->packed_size != task->size)
        return fail (task, ZIP_ERROR_CORRUPT, error,
                     "stored, but %" G_GUINT64_FORMAT " bytes are packed for %" G_GUINT64_FORMAT,
                     task->packed_size, task->size);
    }
  else if (task->packed_size > 0 || task->size > 0)
    {
      data = inflate_whole (task, workspace, packed, error);
      if (data == NULL)
        {
          _zip_codec_salvage (task, workspace, packed, (gsize) task->packed_size);
          return FALSE;
        }
    }

  gboolean good = check (task, task->size, libdeflate_crc32 (0, data, (gsize) task->size), error);
  return put (task, data, (gsize) task->size, good ? error : NULL) && good;
}
