/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* New entries, the directory and the end of an archive; what is kept from another one is copied
 * in zip-writer-copy.c, and what came of it is checked in zip-writer-verify.c.
 */

#include "zip-writer-private.h"

#include <string.h>
#include <sys/stat.h>

#include "zip-emit.h"
#include "zip-error.h"
#include "zip-time.h"

/* "Made by Unix", with the version of the format that this layer follows, times ten. */
#define MADE_BY ((ZIP_HOST_UNIX << 8) | 30u)

#define VERSION_DEFLATE 20u /* also folders */

#define DOS_ATTRIBUTE_FOLDER 0x10u

/* A directory above this could not be read back by this layer. */
#define CENTRAL_MAX (1u << 30)

ZipWriter *
zip_writer_new (int fd)
{
  ZipWriter *writer = g_new0 (ZipWriter, 1);

  zip_out_init (&writer->out, fd);
  writer->central = g_byte_array_new ();
  writer->origins = g_array_new (FALSE, FALSE, sizeof (ZipOrigin));
  writer->comment = g_bytes_new_static ("", 0);
  writer->readers = g_ptr_array_new_with_free_func ((GDestroyNotify) zip_reader_unref);
  writer->entry_extra = g_byte_array_new ();
  writer->run.entries = g_array_new (FALSE, FALSE, sizeof (guint));
  return writer;
}

void
zip_writer_free (ZipWriter *writer)
{
  zip_out_clear (&writer->out);
  g_byte_array_unref (writer->central);
  g_byte_array_unref (writer->entry_extra);
  g_array_unref (writer->origins);
  g_bytes_unref (writer->comment);
  g_ptr_array_unref (writer->readers);
  g_clear_pointer (&writer->trailing, zip_reader_unref);
  g_clear_pointer (&writer->shared, g_hash_table_unref);
  g_array_unref (writer->run.entries);
  g_free (writer->entry_name);
  g_free (writer->entry_comment);
  g_free (writer);
}

void
zip_writer_set_watch (ZipWriter *writer, ZipMovedFunc moved, gpointer user)
{
  writer->moved = moved;
  writer->user = user;
}

gboolean
zip_writer_is_broken (const ZipWriter *writer)
{
  return writer->out.broken;
}

guint
zip_writer_get_n_entries (const ZipWriter *writer)
{
  return writer->origins->len + writer->run.entries->len;
}

guint64
zip_writer_get_size (const ZipWriter *writer)
{
  return zip_out_position (&writer->out);
}

void
zip_writer_set_comment (ZipWriter *writer, const char *comment, gsize length)
{
  g_bytes_unref (writer->comment);
  writer->comment = g_bytes_new (comment, MIN (length, G_MAXUINT16));
}

void
zip_writer_copy_comment (ZipWriter *writer, ZipReader *reader)
{
  gsize length = 0;
  const char *comment = zip_reader_get_comment (reader, &length);

  zip_writer_set_comment (writer, comment, length);
}

gboolean
_zip_writer_told (ZipWriter *writer, guint64 n_bytes, GError **error)
{
  return writer->moved == NULL || n_bytes == 0 || writer->moved (writer->user, n_bytes, error);
}

gboolean
_zip_writer_put_central (ZipWriter *writer, const ZipHeader *header, const ZipOrigin *origin,
                         GError **error)
{
  ZipOrigin none = { 0 };

  if (origin == NULL)
    origin = &none;

  if (writer->central->len > CENTRAL_MAX)
    {
      writer->out.broken = TRUE;
      g_set_error (error, ZIP_ERROR, ZIP_ERROR_TOO_LARGE, "new archive: too many entries");
      return FALSE;
    }

  zip_emit_central (writer->central, header);
  g_array_append_vals (writer->origins, origin, 1);
  return TRUE;
}

/* Makes the header of a new entry; name, extra fields and comment are kept by the writer. */
static void
make_header (ZipWriter *writer, const ZipNewEntry *entry, guint16 method)
{
  const char *comment = entry->comment != NULL ? entry->comment : "";
  gboolean ascii = g_str_is_ascii (entry->name) && g_str_is_ascii (comment);
  guint32 attributes = S_ISDIR (entry->mode) ? DOS_ATTRIBUTE_FOLDER : 0;

  g_free (writer->entry_name);
  g_free (writer->entry_comment);
  writer->entry_name = g_strdup (entry->name);
  writer->entry_comment = g_strdup (comment);

  writer->header = (ZipHeader) {
    .made_by = MADE_BY,
    .version_needed = VERSION_DEFLATE,
    .flags = ascii ? 0 : ZIP_FLAG_UTF8,
    .method = method,
    .name_length = (guint16) MIN (strlen (entry->name), G_MAXUINT16),
    .comment_length = (guint16) MIN (strlen (comment), G_MAXUINT16),
    .external_attributes = (entry->mode << 16) | attributes,
    .header_offset = zip_out_position (&writer->out),
    .name = (const guint8 *) writer->entry_name,
    .comment = (const guint8 *) writer->entry_comment,
  };
  zip_time_to_dos (entry->mtime, &writer->header.dos_date, &writer->header.dos_time);

  /* The true time beside the DOS pair, which knows neither zones nor years before 1980. What does
   * not fit 32 bits goes into the NTFS field. */
  GByteArray *extra = writer->entry_extra;
  g_byte_array_set_size (extra, 0);
  if (entry->mtime >= G_MININT32 && entry->mtime <= G_MAXINT32)
    {
      guint8 has_modified = 1;

      zip_emit_u16 (extra, ZIP_EXTRA_UT);
      zip_emit_u16 (extra, 5);
      g_byte_array_append (extra, &has_modified, 1);
      zip_emit_u32 (extra, (guint32) (gint32) entry->mtime);
    }
  else if (entry->mtime > 0)
    zip_time_emit_ntfs (extra, entry->mtime);

  writer->header.extra = extra->data;
  writer->header.extra_length = (guint16) extra->len;
}

static gboolean
check_name (const ZipNewEntry *entry, GError **error)
{
  gsize length = strlen (entry->name);

  if (length > 0 && length <= G_MAXUINT16)
    return TRUE;

  g_set_error (error, ZIP_ERROR, ZIP_ERROR_TOO_LARGE,
               "new archive: a name of %" G_GSIZE_FORMAT " bytes cannot be recorded", length);
  return FALSE;
}

gboolean
zip_writer_add_packed (ZipWriter *writer, const ZipNewEntry *entry, const ZipPacked *packed,
                       GError **error)
{
  g_autoptr (GByteArray) local = g_byte_array_new ();
  gsize length = 0;
  const guint8 *data = packed->data != NULL ? g_bytes_get_data (packed->data, &length) : NULL;

  if (!check_name (entry, error) || !_zip_writer_flush_run (writer, NULL, error))
    return FALSE;

  make_header (writer, entry, packed->method);
  writer->header.crc = packed->crc;
  writer->header.size = packed->size;
  writer->header.packed_size = length;
  zip_emit_local (local, &writer->header, FALSE);

  return zip_out_write (&writer->out, local->data, local->len, error)
         && zip_out_write (&writer->out, data, length, error)
         && _zip_writer_put_central (writer, &writer->header, NULL, error)
         && _zip_writer_told (writer, length, error);
}

gboolean
zip_writer_begin_entry (ZipWriter *writer, const ZipNewEntry *entry, guint16 method,
                        guint64 size_hint, GError **error)
{
  g_autoptr (GByteArray) local = g_byte_array_new ();

  g_return_val_if_fail (!writer->in_entry, FALSE);

  if (!check_name (entry, error) || !_zip_writer_flush_run (writer, NULL, error))
    return FALSE;

  make_header (writer, entry, method);

  /* What does not compress grows a little. */
  writer->reserved_zip64 = size_hint >= G_MAXUINT32 - G_MAXUINT32 / 1000;
  zip_emit_local (local, &writer->header, writer->reserved_zip64);
  if (!zip_out_write (&writer->out, local->data, local->len, error))
    return FALSE;

  writer->data_start = zip_out_position (&writer->out);
  writer->in_entry = TRUE;
  return TRUE;
}

gboolean
zip_writer_append (ZipWriter *writer, const guint8 *data, gsize length, GError **error)
{
  g_return_val_if_fail (writer->in_entry, FALSE);

  return zip_out_write (&writer->out, data, length, error) && _zip_writer_told (writer, length,
                                                                                error);
}

gboolean
zip_writer_end_entry (ZipWriter *writer, guint32 crc, guint64 size, GError **error)
{
  g_autoptr (GByteArray) local = g_byte_array_new ();
  ZipHeader *header = &writer->header;

  g_return_val_if_fail (writer->in_entry, FALSE);

  header->crc = crc;
  header->size = size;
  header->packed_size = zip_out_position (&writer->out) - writer->data_start;

  if (!writer->reserved_zip64 && (size >= G_MAXUINT32 || header->packed_size >= G_MAXUINT32))
    {
      zip_writer_abandon_entry (writer);
      g_set_error (error, ZIP_ERROR, ZIP_ERROR_TOO_LARGE,
                   "new archive: the content has grown to %" G_GUINT64_FORMAT " bytes meanwhile",
                   size);
      return FALSE;
    }

  writer->in_entry = FALSE;
  zip_emit_local (local, header, writer->reserved_zip64);
  return zip_out_patch (&writer->out, header->header_offset, local->data, local->len, error)
         && _zip_writer_put_central (writer, header, NULL, error);
}

void
zip_writer_abandon_entry (ZipWriter *writer)
{
  g_return_if_fail (writer->in_entry);

  zip_out_rewind (&writer->out, writer->header.header_offset);
  writer->in_entry = FALSE;
}

/* Content that comes in pieces of any size, given out in blocks. */
typedef struct {
  ZipReadFunc read;
  gpointer user;
  GCancellable *cancellable;
  gboolean ended;
} Feed;

static gboolean
fill (Feed *feed, guint8 *buffer, gsize length, gsize *filled, GError **error)
{
  *filled = 0;
  while (*filled < length && !feed->ended)
    {
      gsize piece = MIN (length - *filled, ZIP_SOURCE_BLOCK);
      gsize n_read = 0;

      if (g_cancellable_set_error_if_cancelled (feed->cancellable, error)
          || !feed->read (feed->user, buffer + *filled, piece, &n_read, error))
        return FALSE;
      feed->ended = n_read == 0;
      *filled += MIN (n_read, piece);
    }

  return TRUE;
}

/* Writes the blocks of @first, of which the feed gives the rest. Each block is packed with a view
 * back on the one before. */
static gboolean
pour (ZipWriter *writer, ZipPacker *packer, guint16 method, Feed *feed, guint8 *first,
      gsize first_length, guint32 *crc, guint64 *size, GError **error)
{
  g_autofree guint8 *spare = g_malloc (ZIP_PACKER_BLOCK);
  g_autofree guint8 *window = g_malloc (ZIP_PACKER_WINDOW);
  gsize window_length = 0;
  guint8 *block = first;
  gsize length = MIN (first_length, ZIP_PACKER_BLOCK);
  gsize left = first_length - length; /* of @first, behind the block */

  *crc = 0;
  *size = 0;
  while (TRUE)
    {
      gboolean last = left == 0 && feed->ended;
      guint32 block_crc = 0;

      if (method == ZIP_METHOD_STORED)
        {
          block_crc = zip_crc_update (0, block, length);
          if (!zip_writer_append (writer, block, length, error))
            return FALSE;
        }
      else
        {
          g_autoptr (GBytes) packed = zip_packer_pack_block (packer, window, window_length, block,
                                                             length, last, &block_crc);
          gsize packed_length = 0;
          const guint8 *data = g_bytes_get_data (packed, &packed_length);

          if (!zip_writer_append (writer, data, packed_length, error))
            return FALSE;
        }

      *crc = zip_crc_combine (*crc, block_crc, length);
      *size += length;
      if (last)
        return TRUE;

      window_length = MIN (length, ZIP_PACKER_WINDOW);
      memcpy (window, block + length - window_length, window_length);
      if (left > 0)
        {
          block += length;
          length = MIN (left, ZIP_PACKER_BLOCK);
          left -= length;
        }
      else
        {
          block = spare;
          if (!fill (feed, spare, ZIP_PACKER_BLOCK, &length, error))
            return FALSE;
        }
    }
}

gboolean
zip_writer_add_stream (ZipWriter *writer, const ZipNewEntry *entry, ZipPacker *packer,
                       ZipReadFunc read, gpointer user, guint64 size_hint,
                       GCancellable *cancellable, GError **error)
{
  /* Small content is as small in memory; of large one, as much shows what it is like. */
  gsize room = (gsize) MIN (size_hint + 1, (guint64) ZIP_PACKER_WHOLE_MAX + 1);
  g_autofree guint8 *first = g_malloc (room);
  Feed feed = { .read = read, .user = user, .cancellable = cancellable };
  gsize length = 0;
  guint32 crc = 0;
  guint64 size = 0;

  if (!fill (&feed, first, room, &length, error))
    return FALSE;

  if (feed.ended)
    {
      g_auto (ZipPacked) packed = { 0 };
      g_autoptr (GBytes) content = g_bytes_new_take (g_steal_pointer (&first), length);

      zip_packer_pack (packer, content, &packed);
      return zip_writer_add_packed (writer, entry, &packed, error);
    }

  guint16 method = zip_packer_is_worth_it (packer, first, length) ? ZIP_METHOD_DEFLATE
                                                                  : ZIP_METHOD_STORED;
  if (!zip_writer_begin_entry (writer, entry, method, size_hint, error))
    return FALSE;
  if (!pour (writer, packer, method, &feed, first, length, &crc, &size, error))
    {
      zip_writer_abandon_entry (writer);
      return FALSE;
    }
  return zip_writer_end_entry (writer, crc, size, error);
}

void
zip_writer_copy_trailing (ZipWriter *writer, ZipReader *reader)
{
  g_clear_pointer (&writer->trailing, zip_reader_unref);
  if (zip_reader_get_trailing_size (reader) > 0)
    writer->trailing = zip_reader_ref (reader);
}

static gboolean
write_trailing (ZipWriter *writer, GCancellable *cancellable, GError **error)
{
  if (writer->trailing == NULL)
    return TRUE;

  ZipSource *source = zip_reader_get_source (writer->trailing);
  guint64 length = zip_reader_get_trailing_size (writer->trailing);

  return zip_out_copy (&writer->out, source, zip_source_get_size (source) - length, length, NULL,
                       NULL, cancellable, error);
}

gboolean
zip_writer_finish (ZipWriter *writer, GCancellable *cancellable, GError **error)
{
  g_autoptr (GByteArray) end = g_byte_array_new ();
  gsize comment_length = 0;
  const guint8 *comment = g_bytes_get_data (writer->comment, &comment_length);

  g_return_val_if_fail (!writer->in_entry && !writer->finished, FALSE);

  if (!_zip_writer_flush_run (writer, cancellable, error)
      || g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;

  writer->directory_offset = zip_out_position (&writer->out);
  zip_emit_end (end, writer->origins->len, writer->central->len, writer->directory_offset,
                writer->directory_offset + writer->central->len, comment, (guint16) comment_length);

  if (!zip_out_write (&writer->out, writer->central->data, writer->central->len, error)
      || !zip_out_write (&writer->out, end->data, end->len, error)
      || !write_trailing (writer, cancellable, error) || !zip_out_finish (&writer->out, error))
    return FALSE;

  writer->finished = TRUE;
  return TRUE;
}
