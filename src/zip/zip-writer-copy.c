/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Entries that are kept: most join a run (zip-writer-run.c), the others are copied one by one with
 * a new local header.
 */

#include "zip-emit.h"
#include "zip-entry-private.h"
#include "zip-error.h"
#include "zip-writer-private.h"

static void
keep_reader (ZipWriter *writer, ZipReader *reader)
{
  if (!g_ptr_array_find (writer->readers, reader, NULL))
    g_ptr_array_add (writer->readers, zip_reader_ref (reader));
}

gboolean
_zip_writer_read_local (ZipReader *reader, guint i, gboolean with_data, GByteArray *bytes,
                        ZipHeader *local, gsize *header_size, GError **error)
{
  const ZipEntry *entry = zip_reader_get_entry (reader, i);
  guint64 data_offset = 0;
  guint64 data_length = 0;
  gsize data_size = with_data ? (gsize) entry->packed_size : 0;
  gsize wanted = (gsize) ZIP_LOCAL_SIZE + entry->name_length + entry->extra_length + 64 + data_size;

  while (TRUE)
    {
      gsize n_read = 0;

      g_byte_array_set_size (bytes, (guint) wanted);
      if (!zip_source_read (zip_reader_get_source (reader), entry->header_offset, bytes->data,
                            wanted, &n_read, error))
        return FALSE;

      if (zip_record_parse_local (bytes->data, n_read, local) == ZIP_PARSE_OK)
        {
          *header_size = (gsize) ZIP_LOCAL_SIZE + local->name_length + local->extra_length;
          gsize needed = *header_size + data_size;

          if (needed <= n_read)
            {
              g_byte_array_set_size (bytes, (guint) needed);
              return TRUE;
            }
          if (wanted < needed)
            {
              wanted = needed;
              continue;
            }
        }

      /* The reader words the error. */
      if (zip_reader_get_data_extent (reader, i, &data_offset, &data_length, error))
        g_set_error (error, ZIP_ERROR, ZIP_ERROR_CORRUPT, "local header %u: cannot be read", i);
      return FALSE;
    }
}

typedef struct {
  ZipWriter *writer;
  guint64 length; /* to be copied */
  guint64 copied; /* of that */
  guint64 packed; /* bytes of entries in it */
  guint64 told;   /* of those */
} Told;

/* Of the bytes that are copied those of entries are told, in proportion. */
static gboolean
told_cb (gpointer user, guint64 n_bytes, GError **error)
{
  Told *told = user;

  told->copied += n_bytes;
  double part = (double) told->copied / (double) told->length;
  guint64 now = part < 1.0 ? (guint64) (part * (double) told->packed) : told->packed;
  guint64 more = now > told->told ? now - told->told : 0;

  told->told += more;
  return _zip_writer_told (told->writer, more, error);
}

gboolean
_zip_writer_copy_told (ZipWriter *writer, ZipSource *source, guint64 offset, guint64 length,
                       guint64 packed_size, GCancellable *cancellable, GError **error)
{
  Told told = { .writer = writer, .length = length, .packed = packed_size };

  return zip_out_copy (&writer->out, source, offset, length, told_cb, &told, cancellable, error);
}

/* Writes entry @i with a new local header. */
static gboolean
copy_with_header (ZipWriter *writer, ZipReader *reader, guint i, const char *new_name,
                  gsize new_name_length, GCancellable *cancellable, GError **error)
{
  const ZipEntry *entry = zip_reader_get_entry (reader, i);
  ZipSource *source = zip_reader_get_source (reader);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_auto (ZipNewHeader) header = { 0 };
  gboolean small = entry->packed_size <= ZIP_WRITER_SMALL_MAX;
  guint64 start = zip_out_position (&writer->out);
  ZipHeader local;
  gsize header_size = 0;

  if (!_zip_writer_read_local (reader, i, small, bytes, &local, &header_size, error))
    return FALSE;

  guint64 data_offset = entry->header_offset + header_size;
  _zip_new_header_make (&header, entry, &local, start, new_name, new_name_length);
  if (entry->packed_size >= ZIP_WRITER_ALIGN_MIN && zip_out_can_clone (&writer->out, source))
    _zip_new_header_align (&header, data_offset);

  gboolean done = zip_out_write (&writer->out, header.local_bytes->data, header.local_bytes->len,
                                 error);
  if (done && small)
    done = zip_out_write (&writer->out, bytes->data + header_size, (gsize) entry->packed_size,
                          error)
           && _zip_writer_told (writer, entry->packed_size, error);
  else if (done)
    done = _zip_writer_copy_told (writer, source, data_offset, entry->packed_size,
                                  entry->packed_size, cancellable, error);

  if (done && _zip_entry_needs_descriptor_bit (entry))
    {
      g_autoptr (GByteArray) descriptor = g_byte_array_new ();

      zip_emit_descriptor (descriptor, &header.central,
                           entry->size >= G_MAXUINT32 || entry->packed_size >= G_MAXUINT32);
      done = zip_out_write (&writer->out, descriptor->data, descriptor->len, error);
    }

  if (!done)
    {
      zip_out_rewind (&writer->out, start);
      return FALSE;
    }
  return _zip_writer_put_central (writer, &header.central, NULL, error);
}

/* Entries that share one local header go on sharing it. Returns TRUE if that is all there is to do,
 * with the new place in @offset. */
static gboolean
find_shared (ZipWriter *writer, ZipReader *reader, const ZipEntry *entry, guint64 *offset)
{
  if (writer->shared == NULL || writer->shared_reader != reader)
    return FALSE;

  const guint64 *place = g_hash_table_lookup (writer->shared, &entry->header_offset);
  if (place == NULL)
    return FALSE;
  *offset = *place;
  return TRUE;
}

static void
remember_shared (ZipWriter *writer, ZipReader *reader, const ZipEntry *entry, guint64 offset)
{
  if (writer->shared == NULL || writer->shared_reader != reader)
    {
      g_clear_pointer (&writer->shared, g_hash_table_unref);
      writer->shared = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
      writer->shared_reader = reader;
    }
  g_hash_table_insert (writer->shared, g_memdup2 (&entry->header_offset, sizeof (guint64)),
                       g_memdup2 (&offset, sizeof offset));
}

static gboolean
check_can_keep (ZipReader *reader, guint i, const char *new_name, gsize new_name_length,
                GError **error)
{
  const ZipEntry *entry = zip_reader_get_entry (reader, i);

  if (entry->facts & (ZIP_ENTRY_NO_SIZE | ZIP_ENTRY_OUTSIDE))
    {
      g_set_error (error, ZIP_ERROR, ZIP_ERROR_TRUNCATED,
                   "entry %u at 0x%" G_GINT64_MODIFIER "x: it is not complete and cannot be kept",
                   i, entry->header_offset);
      return FALSE;
    }
  if (new_name != NULL && (new_name_length == 0 || new_name_length > G_MAXUINT16))
    {
      g_set_error (error, ZIP_ERROR, ZIP_ERROR_TOO_LARGE,
                   "entry %u: a name of %" G_GSIZE_FORMAT " bytes cannot be recorded", i,
                   new_name_length);
      return FALSE;
    }
  return TRUE;
}

gboolean
zip_writer_copy_entry (ZipWriter *writer, ZipReader *reader, guint i, const char *new_name,
                       gsize new_name_length, GCancellable *cancellable, GError **error)
{
  const ZipEntry *entry = zip_reader_get_entry (reader, i);
  gboolean shares = (entry->facts & ZIP_ENTRY_OVERLAPS) != 0 && new_name == NULL;
  gboolean streamed = _zip_writer_get_new_flags (entry) != entry->flags;
  guint64 offset = 0;

  g_return_val_if_fail (!writer->in_entry, FALSE);

  if (!check_can_keep (reader, i, new_name, new_name_length, error))
    return FALSE;
  keep_reader (writer, reader);

  /* A header that the directory vouches for, and that can stay or lose its bit on the way. */
  if (new_name == NULL && (!streamed || entry->packed_size <= ZIP_WRITER_SMALL_MAX)
      && !(entry->facts & (ZIP_ENTRY_OVERLAPS | ZIP_ENTRY_RECOVERED | ZIP_ENTRY_UNWRAPPED)))
    return _zip_writer_join_run (writer, reader, i, cancellable, error);

  if (!_zip_writer_flush_run (writer, cancellable, error)
      || g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;

  if (shares && find_shared (writer, reader, entry, &offset))
    {
      ZipHeader header = _zip_entry_get_header (entry);

      header.header_offset = offset;
      header.flags = _zip_writer_get_new_flags (entry);
      return _zip_writer_put_central (writer, &header, &(ZipOrigin) { reader, i, TRUE }, error);
    }

  offset = zip_out_position (&writer->out);
  if (!copy_with_header (writer, reader, i, new_name, new_name_length, cancellable, error))
    return FALSE;
  if (shares)
    remember_shared (writer, reader, entry, offset);
  return TRUE;
}

gboolean
zip_writer_copy_prefix (ZipWriter *writer, ZipReader *reader, GCancellable *cancellable,
                        GError **error)
{
  guint64 length = zip_reader_get_prefix_size (reader);

  g_return_val_if_fail (zip_writer_get_n_entries (writer) == 0, FALSE);

  return length == 0
         || zip_out_copy (&writer->out, zip_reader_get_source (reader), 0, length, NULL, NULL,
                          cancellable, error);
}
