/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Joins source, directory and decoder: one read brings an entry's local header and its data. */

#include "zip-reader.h"

#include <string.h>

#include "zip-codec-private.h"
#include "zip-directory.h"
#include "zip-emit.h"
#include "zip-entry-private.h"

/* Extra fields are often longer in the local header than in the directory (times, above all); so
 * much more is read with the header, in bytes. */
#define EXTRA_SLACK 36u

/* A local header with its variable part at the longest. */
#define LOCAL_MAX (ZIP_LOCAL_SIZE + 2u * 65535u)

struct _ZipReader {
  gatomicrefcount references;
  ZipSource *source;
  ZipDirectory *directory;
};

static ZipReader *
reader_new_take (ZipSource *source, GCancellable *cancellable, GError **error)
{
  g_autoptr (ZipSource) owned = source;

  if (source == NULL || g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;

  ZipDirectory *directory = zip_directory_read (source, cancellable, error);
  if (directory == NULL)
    return NULL;

  ZipReader *reader = g_new0 (ZipReader, 1);
  g_atomic_ref_count_init (&reader->references);
  reader->source = g_steal_pointer (&owned);
  reader->directory = directory;
  return reader;
}

ZipReader *
zip_reader_open_path (const char *path, GCancellable *cancellable, GError **error)
{
  return reader_new_take (zip_source_new_for_path (path, error), cancellable, error);
}

ZipReader *
zip_reader_open_fd (int fd, GCancellable *cancellable, GError **error)
{
  return reader_new_take (zip_source_new_for_fd (fd, error), cancellable, error);
}

ZipReader *
zip_reader_open_source (ZipSource *source, GCancellable *cancellable, GError **error)
{
  return reader_new_take (zip_source_ref (source), cancellable, error);
}

ZipReader *
zip_reader_ref (ZipReader *reader)
{
  g_atomic_ref_count_inc (&reader->references);
  return reader;
}

void
zip_reader_unref (ZipReader *reader)
{
  if (!g_atomic_ref_count_dec (&reader->references))
    return;

  zip_directory_free (reader->directory);
  zip_source_unref (reader->source);
  g_free (reader);
}

ZipReaderFacts
zip_reader_get_facts (const ZipReader *reader)
{
  return reader->directory->facts;
}

GPtrArray *
zip_reader_get_warnings (const ZipReader *reader)
{
  return reader->directory->warnings;
}

guint
zip_reader_get_n_entries (const ZipReader *reader)
{
  return reader->directory->entries->len;
}

const ZipEntry *
zip_reader_get_entry (const ZipReader *reader, guint i)
{
  g_return_val_if_fail (i < reader->directory->entries->len, NULL);

  return &g_array_index (reader->directory->entries, ZipEntry, i);
}

const char *
zip_reader_get_comment (const ZipReader *reader, gsize *length)
{
  return g_bytes_get_data (reader->directory->comment, length);
}

guint64
zip_reader_get_prefix_size (const ZipReader *reader)
{
  return reader->directory->prefix_size;
}

guint64
zip_reader_get_trailing_size (const ZipReader *reader)
{
  return reader->directory->trailing_size;
}

void
zip_reader_get_directory_extent (const ZipReader *reader, guint64 *offset, guint64 *length)
{
  *offset = reader->directory->offset;
  *length = *offset > 0 ? g_bytes_get_size (reader->directory->raw) : 0;
}

ZipSource *
zip_reader_get_source (const ZipReader *reader)
{
  return reader->source;
}

static gboolean G_GNUC_PRINTF (5, 6)
fail (ZipReader *reader, guint i, ZipError code, GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *what = g_strdup_vprintf (format, arguments);
  va_end (arguments);

  g_set_error (error, ZIP_ERROR, code, "local header %u at 0x%" G_GINT64_MODIFIER "x: %s", i,
               zip_reader_get_entry (reader, i)->header_offset, what);
  return FALSE;
}

/* Reads the local header of entry @i out of @data, the file's bytes from it on. @header_size is
 * the length of the whole header, which may be more than @length. */
static gboolean
parse_local (ZipReader *reader, guint i, const guint8 *data, gsize length, ZipHeader *header,
             gsize *header_size, GError **error)
{
  switch (zip_record_parse_local (data, length, header))
    {
    case ZIP_PARSE_OK:
      *header_size = (gsize) ZIP_LOCAL_SIZE + header->name_length + header->extra_length;
      return TRUE;
    case ZIP_PARSE_SHORT:
      return fail (reader, i, ZIP_ERROR_TRUNCATED, error, "the file ends within it");
    case ZIP_PARSE_SIGNATURE:
    default:
      return fail (reader, i, ZIP_ERROR_CORRUPT, error, "something else stands there");
    }
}

/* Reads the local header of entry @i whole; the header borrows from @bytes. */
static gboolean
read_local (ZipReader *reader, guint i, GByteArray *bytes, ZipHeader *header, gsize *header_size,
            GError **error)
{
  const ZipEntry *entry = zip_reader_get_entry (reader, i);
  gsize wanted = (gsize) ZIP_LOCAL_SIZE + entry->name_length + entry->extra_length + EXTRA_SLACK;
  gsize n_read = 0;

  while (TRUE)
    {
      g_byte_array_set_size (bytes, (guint) wanted);
      if (!zip_source_read (reader->source, entry->header_offset, bytes->data, wanted, &n_read,
                            error)
          || !parse_local (reader, i, bytes->data, n_read, header, header_size, error))
        return FALSE;
      if (*header_size <= n_read)
        return TRUE;
      if (n_read < wanted || wanted == LOCAL_MAX)
        return fail (reader, i, ZIP_ERROR_TRUNCATED, error, "the file ends within it");
      wanted = LOCAL_MAX;
    }
}

/* What local header and directory must agree on for the data to be what the directory says. */
static gboolean
check_local (ZipReader *reader, guint i, const ZipHeader *header, GError **error)
{
  const ZipEntry *entry = zip_reader_get_entry (reader, i);

  if (header->method != entry->method)
    return fail (reader, i, ZIP_ERROR_CORRUPT, error, "compression method %u, in the directory %u",
                 header->method, entry->method);
  if ((header->flags ^ entry->flags) & ZIP_FLAG_ENCRYPTED)
    return fail (reader, i, ZIP_ERROR_CORRUPT, error,
                 "encrypted or not: it says otherwise than the directory");
  return TRUE;
}

static gboolean
check_can_decode (ZipReader *reader, guint i, GError **error)
{
  const ZipEntry *entry = zip_reader_get_entry (reader, i);

  if (zip_entry_is_encrypted (entry))
    return fail (reader, i, ZIP_ERROR_ENCRYPTED, error, "encrypted");
  if (entry->flags & ZIP_FLAG_PATCH)
    return fail (reader, i, ZIP_ERROR_UNSUPPORTED, error, "compressed patched data");
  if (!zip_entry_can_decode (entry))
    return fail (reader, i, ZIP_ERROR_UNSUPPORTED, error, "compression method %u (%s)",
                 entry->method,
                 zip_method_get_name (entry->method));
  return TRUE;
}

/* What could be decoded of an entry without an end was handed out; it is an error all the same. One
 * that the caller made or is to know of stays what it is. */
static gboolean
fail_endless (ZipReader *reader, guint i, GError **error)
{
  if (error != NULL && *error != NULL && (*error)->domain != ZIP_ERROR)
    return FALSE;

  if (error != NULL)
    g_clear_error (error);
  return fail (reader, i, ZIP_ERROR_TRUNCATED, error, "the end of its data was not found");
}

/* What was read of an entry in one go: from its local header on. */
typedef struct {
  guint8 *buffer;     /* has room for LOCAL_MAX bytes more than were wanted */
  gsize n_read;
  gsize wanted;
  gsize header_size;
} Piece;

/* Too large to be held whole: @piece is the beginning. */
static gboolean
decode_stream (ZipReader *reader, guint i, const ZipCodecTask *task, ZipWorkspace *workspace, const Piece *piece,
               GError **error)
{
  gsize n_first = piece->n_read > piece->header_size ? piece->n_read - piece->header_size : 0;
  gboolean done = _zip_codec_decode_stream (task, workspace, reader->source, piece->buffer + piece->header_size,
                                            (gsize) MIN ((guint64) n_first, task->packed_size), error);

  /* Of an entry without an end there is no telling how much it was. */
  if (zip_reader_get_entry (reader, i)->facts & ZIP_ENTRY_NO_SIZE)
    return fail_endless (reader, i, error);
  return done;
}

/* @piece is all there is, but for longer extra fields than the directory let us expect: then the rest
 * is read behind what is there. */
static gboolean
decode_whole (ZipReader *reader, guint i, const ZipCodecTask *task, ZipWorkspace *workspace, const Piece *piece,
              GError **error)
{
  guint8 *data = piece->buffer + piece->header_size;
  gsize needed = piece->header_size + (gsize) task->packed_size;
  gsize n_read = piece->n_read;

  if (n_read < needed && n_read == piece->wanted)
    {
      gsize more = 0;

      if (!zip_source_read (reader->source, task->header_offset + n_read, piece->buffer + n_read, needed - n_read,
                            &more, error))
        return FALSE;
      n_read += more;
    }
  if (n_read < needed)
    {
      if (n_read > piece->header_size)
        _zip_codec_salvage (task, workspace, data, n_read - piece->header_size);
      return fail (reader, i, ZIP_ERROR_TRUNCATED, error,
                   "the file ends %" G_GSIZE_FORMAT " bytes before the end of the data", needed - n_read);
    }
  return _zip_codec_decode_whole (task, workspace, data, error);
}

gboolean
zip_reader_read_entry (ZipReader *reader, guint i, ZipWorkspace *workspace, ZipWriteFunc write,
                       gpointer user, GCancellable *cancellable, GError **error)
{
  const ZipEntry *entry = zip_reader_get_entry (reader, i);
  gboolean endless = (entry->facts & ZIP_ENTRY_NO_SIZE) != 0;
  ZipCodecTask task = {
    .index = i,
    .header_offset = entry->header_offset,
    .packed_size = entry->packed_size,
    .size = endless ? entry->packed_size : entry->size,
    .crc = entry->crc,
    .method = entry->method,
    .size_low = endless
                || ((entry->facts & ZIP_ENTRY_UNWRAPPED) != 0 && entry->method != ZIP_METHOD_STORED),
    .write = write,
    .user = user,
    .cancellable = cancellable,
  };
  ZipHeader header;
  Piece piece = { 0 };

  if (g_cancellable_set_error_if_cancelled (cancellable, error)
      || !check_can_decode (reader, i, error))
    return FALSE;

  /* Folders and empty files have nothing to be read for. */
  if (entry->packed_size == 0 && entry->size == 0
      && !(entry->facts & (ZIP_ENTRY_OUTSIDE | ZIP_ENTRY_NO_SIZE)))
    return _zip_codec_decode_whole (&task, workspace, (const guint8 *) "", error);

  gboolean whole = entry->size <= ZIP_CODEC_WHOLE_MAX && entry->packed_size <= ZIP_CODEC_WHOLE_MAX
                   && !task.size_low;

  piece.wanted = (gsize) ZIP_LOCAL_SIZE + entry->name_length + entry->extra_length + EXTRA_SLACK
                 + (whole ? (gsize) entry->packed_size : ZIP_SOURCE_BLOCK);
  piece.buffer = _zip_workspace_get_input (workspace, piece.wanted + LOCAL_MAX);
  if (!zip_source_read (reader->source, entry->header_offset, piece.buffer, piece.wanted, &piece.n_read, error)
      || !parse_local (reader, i, piece.buffer, piece.n_read, &header, &piece.header_size, error)
      || !check_local (reader, i, &header, error))
    return FALSE;

  task.data_offset = entry->header_offset + piece.header_size;
  return whole ? decode_whole (reader, i, &task, workspace, &piece, error)
               : decode_stream (reader, i, &task, workspace, &piece, error);
}

gboolean
zip_reader_get_data_extent (ZipReader *reader, guint i, guint64 *offset, guint64 *length,
                            GError **error)
{
  const ZipEntry *entry = zip_reader_get_entry (reader, i);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  ZipHeader header;
  gsize header_size = 0;

  if (!read_local (reader, i, bytes, &header, &header_size, error))
    return FALSE;

  *offset = entry->header_offset + header_size;
  *length = entry->packed_size;
  if (*length > zip_source_get_size (reader->source)
      || *offset > zip_source_get_size (reader->source) - *length)
    return fail (reader, i, ZIP_ERROR_TRUNCATED, error,
                 "the file ends before its %" G_GUINT64_FORMAT " bytes of data", *length);
  return TRUE;
}

/* The length of the descriptor at @offset, 0 if there is none that fits the directory. */
static gboolean
measure_descriptor (ZipReader *reader, guint i, guint64 offset, guint64 *length, GError **error)
{
  const ZipEntry *entry = zip_reader_get_entry (reader, i);
  g_autoptr (GByteArray) expected = g_byte_array_new ();
  ZipHeader header = { .crc = entry->crc, .packed_size = entry->packed_size, .size = entry->size };
  guint8 bytes[24];
  gsize n_read = 0;

  *length = 0;
  if (!zip_source_read (reader->source, offset, bytes, sizeof bytes, &n_read, error))
    return FALSE;

  /* Wide before narrow, with signature before without: the longest that fits is the true one. */
  for (guint variant = 0; variant < 4 && *length == 0; variant++)
    {
      guint skip = variant % 2 == 0 ? 0 : 4;

      g_byte_array_set_size (expected, 0);
      zip_emit_descriptor (expected, &header, variant < 2);
      if (n_read >= expected->len - skip && memcmp (bytes, expected->data + skip,
                                                    expected->len - skip) == 0)
        *length = expected->len - skip;
    }

  return TRUE;
}

gboolean
zip_reader_get_entry_extent (ZipReader *reader, guint i, guint64 *offset, guint64 *length,
                             GError **error)
{
  const ZipEntry *entry = zip_reader_get_entry (reader, i);
  guint64 data_offset = 0;
  guint64 data_length = 0;
  guint64 descriptor = 0;

  if (!zip_reader_get_data_extent (reader, i, &data_offset, &data_length, error))
    return FALSE;
  if (zip_entry_is_streamed (entry)
      && !measure_descriptor (reader, i, data_offset + data_length, &descriptor, error))
    return FALSE;

  *offset = entry->header_offset;
  *length = data_offset + data_length + descriptor - entry->header_offset;
  return TRUE;
}

void
zip_entry_parts_clear (ZipEntryParts *parts)
{
  g_clear_pointer (&parts->head, g_bytes_unref);
  g_clear_pointer (&parts->tail, g_bytes_unref);
}

gboolean
zip_reader_get_entry_parts (ZipReader *reader, guint i, ZipEntryParts *parts, GError **error)
{
  const ZipEntry *entry = zip_reader_get_entry (reader, i);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GByteArray) head = g_byte_array_new ();
  g_autoptr (GByteArray) tail = g_byte_array_new ();
  ZipHeader local;
  gsize header_size = 0;

  *parts = (ZipEntryParts) { 0 };
  if (!zip_reader_get_data_extent (reader, i, &parts->data_offset, &parts->data_length, error)
      || !read_local (reader, i, bytes, &local, &header_size, error))
    return FALSE;

  gboolean keep_bit = _zip_entry_needs_descriptor_bit (entry);
  ZipHeader central = _zip_entry_get_header (entry);
  central.header_offset = 0;
  if (!keep_bit)
    central.flags &= (guint16) ~ZIP_FLAG_DESCRIPTOR;

  /* The local extra fields differ from the directory's (times), so that each header keeps its
   * own. */
  ZipHeader fixed = central;
  fixed.extra = local.extra;
  fixed.extra_length = local.extra_length;
  zip_emit_local (head, &fixed, FALSE);

  gboolean zip64 = entry->size >= G_MAXUINT32 || entry->packed_size >= G_MAXUINT32;
  if (keep_bit)
    zip_emit_descriptor (tail, &central, zip64);

  guint64 directory_offset = head->len + parts->data_length + tail->len;
  guint descriptor_size = tail->len;
  zip_emit_central (tail, &central);
  guint directory_size = tail->len - descriptor_size;
  zip_emit_end (tail, 1, directory_size, directory_offset, directory_offset + directory_size, NULL,
                0);

  parts->head = g_byte_array_free_to_bytes (g_steal_pointer (&head));
  parts->tail = g_byte_array_free_to_bytes (g_steal_pointer (&tail));
  return TRUE;
}

GBytes *
zip_reader_dup_local_name (ZipReader *reader, guint i, gboolean *differs, GError **error)
{
  const ZipEntry *entry = zip_reader_get_entry (reader, i);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  ZipHeader header;
  gsize header_size = 0;
  gsize length = 0;
  const char *name = zip_entry_get_name (entry, &length);

  if (!read_local (reader, i, bytes, &header, &header_size, error))
    return NULL;

  if (differs != NULL)
    *differs = length != header.name_length || memcmp (name, header.name, length) != 0;
  return g_bytes_new (header.name, header.name_length);
}
