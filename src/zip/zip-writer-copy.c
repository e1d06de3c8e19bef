/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Entries that are kept. Those that need nothing changed are gathered into runs, which are copied
 * in one piece; where blocks can be shared, the first header of a run is padded so that the run
 * stands in the new file as it stood in the old one, by the block.
 */

#include <string.h>

#include "zip-emit.h"
#include "zip-entry-private.h"
#include "zip-error.h"
#include "zip-writer-private.h"

/* Entries with less data are read whole, header and all, in bytes. */
#define SMALL_MAX (256u * 1024u)

/* Between two entries of a run there may be so many bytes that are not accounted for: extra
 * fields of the local header, which are not known without reading it. */
#define SLACK_MAX 1024u

/* Shorter runs are not worth a padding, in bytes. */
#define ALIGN_MIN (256u * 1024u)

static void
keep_reader (ZipWriter *writer, ZipReader *reader)
{
  if (!g_ptr_array_find (writer->readers, reader, NULL))
    g_ptr_array_add (writer->readers, zip_reader_ref (reader));
}

/* The least an entry's bytes reach to. */
static guint64
get_end_least (const ZipEntry *entry)
{
  return entry->header_offset + ZIP_LOCAL_SIZE + entry->name_length + entry->packed_size;
}

/* Only the very next entry of the old file may follow: what is copied between two entries must be nobody's, least of all that
 * of an entry that was dropped. */
static gboolean
joins_run (const ZipRun *run, ZipReader *reader, guint i, const ZipEntry *entry)
{
  return run->reader == reader
         && (zip_reader_get_facts (reader) & ZIP_READER_IN_ORDER) != 0
         && i == g_array_index (run->entries, guint, run->entries->len - 1) + 1
         && entry->header_offset >= run->end_least
         && entry->header_offset - run->end_least <= SLACK_MAX;
}

/* Drops field @id from extra fields. */
static void
strip_extra (GByteArray *extra, guint16 id)
{
  gsize position = 0;
  gsize start = 0;
  guint16 found = 0;
  const guint8 *field = NULL;
  gsize length = 0;

  while (zip_extra_next (extra->data, extra->len, &position, &found, &field, &length))
    {
      if (found == id)
        {
          g_byte_array_remove_range (extra, (guint) start, (guint) (position - start));
          position = start;
        }
      start = position;
    }
}

/* Adds a padding so that what follows the header, which would have @header_size bytes at
 * @position, has the same remainder by the block as @wanted. Nothing if there is no room. */
static void
pad_extra (GByteArray *extra, guint64 position, gsize header_size, guint64 wanted)
{
  guint64 at = position + header_size;
  gsize padding = (gsize) ((wanted - at) % ZIP_OUT_BLOCK); /* right also where it wraps */
  const gsize field_size = 6; /* id, length, alignment */

  if (padding == 0)
    return;
  if (padding < field_size)
    padding += ZIP_OUT_BLOCK;
  if (extra->len + padding > G_MAXUINT16)
    return;

  zip_emit_u16 (extra, ZIP_EXTRA_ALIGNMENT);
  zip_emit_u16 (extra, (guint16) (padding - 4));
  zip_emit_u16 (extra, ZIP_OUT_BLOCK);
  guint start = extra->len;
  g_byte_array_set_size (extra, start + (guint) (padding - field_size));
  memset (extra->data + start, 0, padding - field_size);
}

/* Reads the local header of @entry, of whatever length, and the data behind it if they are few.
 * @bytes holds @n_read of them, the header's length is @header_size. */
static gboolean
read_local (ZipReader *reader, guint i, gboolean with_data, GByteArray *bytes, ZipHeader *local,
            gsize *header_size, GError **error)
{
  const ZipEntry *entry = zip_reader_get_entry (reader, i);
  guint64 data_offset = 0;
  guint64 data_length = 0;
  gsize wanted = (gsize) ZIP_LOCAL_SIZE + entry->name_length + entry->extra_length + 64
                 + (with_data ? (gsize) entry->packed_size : 0);

  while (TRUE)
    {
      gsize n_read = 0;

      g_byte_array_set_size (bytes, (guint) wanted);
      if (!zip_source_read (zip_reader_get_source (reader), entry->header_offset, bytes->data,
                            wanted,
                            &n_read, error))
        return FALSE;

      if (zip_record_parse_local (bytes->data, n_read, local) == ZIP_PARSE_OK)
        {
          *header_size = (gsize) ZIP_LOCAL_SIZE + local->name_length + local->extra_length;
          gsize needed = *header_size + (with_data ? (gsize) entry->packed_size : 0);

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

/* Emits @local with the extra fields in @extra; with @align also with a padding, so that its data
 * have the remainder of @data_offset. */
static void
emit_local (GByteArray *head, ZipHeader *local, GByteArray *extra, guint64 position, gboolean align,
            guint64 data_offset)
{
  local->extra = extra->data;
  local->extra_length = (guint16) extra->len;
  zip_emit_local (head, local, FALSE);
  if (!align)
    return;

  pad_extra (extra, position, head->len, data_offset);
  g_byte_array_set_size (head, 0);
  emit_local (head, local, extra, position, FALSE, 0);
}

/* Bit 3 goes where nothing depends on it. */
static guint16
get_new_flags (const ZipEntry *entry)
{
  return _zip_entry_needs_descriptor_bit (entry) ? entry->flags
                                                 : entry->flags & (guint16) ~ZIP_FLAG_DESCRIPTOR;
}

typedef struct {
  ZipWriter *writer;
  guint64 length;    /* of the run */
  guint64 copied;    /* of that */
  guint64 packed;    /* bytes of entries in it */
  guint64 told;      /* of those */
} Told;

/* Of the bytes of a run those of entries are told, in proportion. */
static gboolean
told_cb (gpointer user, guint64 n_bytes, GError **error)
{
  Told *told = user;

  told->copied += n_bytes;
  double part = MIN ((double) told->copied / (double) told->length, 1.0);
  guint64 now = part < 1.0 ? (guint64) (part * (double) told->packed) : told->packed;
  guint64 more = now > told->told ? now - told->told : 0;

  told->told += more;
  return _zip_writer_told (told->writer, more, error);
}

/* Writes entry @i with a new local header. */
static gboolean
copy_with_header (ZipWriter *writer, ZipReader *reader, guint i, const char *new_name,
                  gsize new_name_length, GCancellable *cancellable, GError **error)
{
  const ZipEntry *entry = zip_reader_get_entry (reader, i);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GByteArray) local_extra = g_byte_array_new ();
  g_autoptr (GByteArray) central_extra = g_byte_array_new ();
  g_autoptr (GByteArray) head = g_byte_array_new ();
  gboolean small = entry->packed_size <= SMALL_MAX;
  guint64 start = zip_out_position (&writer->out);
  ZipHeader local;
  gsize header_size = 0;

  if (!read_local (reader, i, small, bytes, &local, &header_size, error))
    return FALSE;

  gboolean keep_bit = _zip_entry_needs_descriptor_bit (entry);
  ZipHeader header = _zip_entry_get_header (entry);
  header.header_offset = start;
  header.flags = get_new_flags (entry);
  g_byte_array_append (local_extra, local.extra, local.extra_length);
  g_byte_array_append (central_extra, header.extra, header.extra_length);
  strip_extra (local_extra, ZIP_EXTRA_ALIGNMENT);

  if (new_name != NULL)
    {
      header.name = (const guint8 *) new_name;
      header.name_length = (guint16) new_name_length;
      if (!g_str_is_ascii (new_name))
        header.flags |= ZIP_FLAG_UTF8;
      /* It names what is no longer the name. */
      strip_extra (local_extra, ZIP_EXTRA_UNICODE_NAME);
      strip_extra (central_extra, ZIP_EXTRA_UNICODE_NAME);
    }

  header.extra = central_extra->data;
  header.extra_length = (guint16) central_extra->len;

  ZipSource *source = zip_reader_get_source (reader);
  guint64 data_offset = entry->header_offset + header_size;
  gboolean align = entry->packed_size >= ALIGN_MIN && zip_out_can_clone (&writer->out, source);
  ZipHeader first = header;
  first.version_needed = local.version_needed;
  emit_local (head, &first, local_extra, start, align, data_offset);

  Told told = { .writer = writer, .length = entry->packed_size, .packed = entry->packed_size };
  gboolean done = zip_out_write (&writer->out, head->data, head->len, error);

  if (done && small)
    done = zip_out_write (&writer->out, bytes->data + header_size, (gsize) entry->packed_size,
                          error)
           && _zip_writer_told (writer, entry->packed_size, error);
  else if (done)
    done = zip_out_copy (&writer->out, source, data_offset, entry->packed_size, told_cb, &told,
                         cancellable, error);

  if (done && keep_bit)
    {
      g_autoptr (GByteArray) descriptor = g_byte_array_new ();

      zip_emit_descriptor (descriptor, &header,
                           header.size >= G_MAXUINT32 || header.packed_size >= G_MAXUINT32);
      done = zip_out_write (&writer->out, descriptor->data, descriptor->len, error);
    }

  if (!done)
    {
      zip_out_rewind (&writer->out, start);
      return FALSE;
    }
  return _zip_writer_put_central (writer, &header, NULL, error);
}

/* Takes the entries of the run from @first on into the directory; in the new file they stand
 * @new_start - @old_start further on. */
static gboolean
put_run_central (ZipWriter *writer, guint first, guint64 old_start, guint64 new_start,
                 GError **error)
{
  ZipRun *run = &writer->run;

  for (guint k = first; k < run->entries->len; k++)
    {
      ZipOrigin origin = { run->reader, g_array_index (run->entries, guint, k), FALSE };
      const ZipEntry *entry = zip_reader_get_entry (origin.reader, origin.index);
      ZipHeader header = _zip_entry_get_header (entry);

      header.header_offset = entry->header_offset - old_start + new_start;
      if (!_zip_writer_put_central (writer, &header, &origin, error))
        return FALSE;
    }
  return TRUE;
}

/* Writes the header of the run's first entry with a padding, so that the rest follows in step
 * with the old file. @data_offset is where that rest begins there. */
static gboolean
put_padded_header (ZipWriter *writer, guint64 *data_offset, GError **error)
{
  ZipRun *run = &writer->run;
  guint i = g_array_index (run->entries, guint, 0);
  const ZipEntry *entry = zip_reader_get_entry (run->reader, i);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GByteArray) extra = g_byte_array_new ();
  g_autoptr (GByteArray) head = g_byte_array_new ();
  ZipHeader local;
  gsize header_size = 0;

  if (!read_local (run->reader, i, FALSE, bytes, &local, &header_size, error))
    return FALSE;

  ZipHeader header = _zip_entry_get_header (entry);
  header.header_offset = zip_out_position (&writer->out);
  ZipHeader first = header;
  first.version_needed = local.version_needed;
  *data_offset = entry->header_offset + header_size;

  g_byte_array_append (extra, local.extra, local.extra_length);
  strip_extra (extra, ZIP_EXTRA_ALIGNMENT);
  emit_local (head, &first, extra, header.header_offset, TRUE, *data_offset);
  return zip_out_write (&writer->out, head->data, head->len, error)
         && _zip_writer_put_central (writer, &header, NULL, error);
}

static gboolean
copy_run (ZipWriter *writer, GCancellable *cancellable, GError **error)
{
  ZipRun *run = &writer->run;
  ZipSource *source = zip_reader_get_source (run->reader);
  guint last = g_array_index (run->entries, guint, run->entries->len - 1);
  guint64 last_offset = 0;
  guint64 last_length = 0;

  if (!zip_reader_get_entry_extent (run->reader, last, &last_offset, &last_length, error))
    return FALSE;

  guint64 end = last_offset + last_length;
  guint64 start = run->start;
  guint64 position = zip_out_position (&writer->out);
  guint n_done = 0;

  /* Out of step by the block, but long and worth sharing. */
  if (end - start >= ALIGN_MIN && position % ZIP_OUT_BLOCK != start % ZIP_OUT_BLOCK
      && zip_out_can_clone (&writer->out, source))
    {
      if (!put_padded_header (writer, &start, error))
        return FALSE;
      position = zip_out_position (&writer->out);
      n_done = 1;
    }

  Told told = { .writer = writer, .length = end - start, .packed = run->packed_size };
  return zip_out_copy (&writer->out, source, start, end - start, told_cb, &told, cancellable, error)
         && put_run_central (writer, n_done, start, position, error);
}

gboolean
_zip_writer_flush_run (ZipWriter *writer, GCancellable *cancellable, GError **error)
{
  ZipRun *run = &writer->run;

  if (run->reader == NULL)
    return TRUE;

  gboolean done = copy_run (writer, cancellable, error);

  /* Entries that the caller takes for copied are missing now; there is no going on. */
  if (!done)
    writer->out.broken = TRUE;
  run->reader = NULL;
  g_array_set_size (run->entries, 0);
  return done;
}

/* Entries that share one local header go on sharing it. Returns TRUE if that is all there is to
 * do, with the new place in @offset. */
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

gboolean
zip_writer_copy_entry (ZipWriter *writer, ZipReader *reader, guint i, const char *new_name,
                       gsize new_name_length, GCancellable *cancellable, GError **error)
{
  const ZipEntry *entry = zip_reader_get_entry (reader, i);
  gboolean overlaps = (entry->facts & ZIP_ENTRY_OVERLAPS) != 0;
  guint64 offset = 0;

  g_return_val_if_fail (!writer->in_entry, FALSE);

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
  keep_reader (writer, reader);

  /* A header that was sound when the archive was opened, and says what the directory says. */
  gboolean as_it_is = new_name == NULL && !overlaps
                      && !(entry->facts & (ZIP_ENTRY_RECOVERED | ZIP_ENTRY_UNWRAPPED))
                      && get_new_flags (entry) == entry->flags;
  if (as_it_is)
    {
      ZipRun *run = &writer->run;

      if (!joins_run (run, reader, i, entry))
        {
          if (!_zip_writer_flush_run (writer, cancellable, error))
            return FALSE;
          run->reader = reader;
          run->start = entry->header_offset;
          run->packed_size = 0;
        }
      run->end_least = get_end_least (entry);
      run->packed_size += entry->packed_size;
      g_array_append_val (run->entries, i);
      return TRUE;
    }

  if (!_zip_writer_flush_run (writer, cancellable, error)
      || g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;

  if (overlaps && new_name == NULL && find_shared (writer, reader, entry, &offset))
    {
      ZipHeader header = _zip_entry_get_header (entry);

      header.header_offset = offset;
      header.flags = get_new_flags (entry);
      return _zip_writer_put_central (writer, &header, &(ZipOrigin) { reader, i, TRUE }, error);
    }

  offset = zip_out_position (&writer->out);
  if (!copy_with_header (writer, reader, i, new_name, new_name_length, cancellable, error))
    return FALSE;
  if (overlaps && new_name == NULL)
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
