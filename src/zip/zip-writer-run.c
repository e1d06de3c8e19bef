/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Runs: entries that follow each other in the old archive and stay. Where nothing is to change they
 * are copied in one piece; where only their data descriptors are to go, in one pass through memory,
 * which is nearly as fast as a plain copy however small they are. Where blocks can be shared, the
 * first header of a run is padded so that the run stands in the new file as it stood in the old
 * one, by the block.
 */

#include "zip-entry-private.h"
#include "zip-error.h"
#include "zip-writer-private.h"

/* Between two entries of a run there may be so many bytes that are not accounted for: extra fields
 * of the local header, which are not known without reading it. */
#define SLACK_MAX 1024u

/* What the last entry of a run may have of those without another read. */
#define SLACK_LAST 64u

/* What is read at once in a pass through memory, in bytes; holds any entry that takes part. */
#define WINDOW_SIZE (512u * 1024u)

G_STATIC_ASSERT (WINDOW_SIZE >= ZIP_LOCAL_SIZE + 2 * 65535 + ZIP_WRITER_SMALL_MAX);

/* The least an entry's bytes reach to. */
static guint64
get_end_least (const ZipEntry *entry)
{
  return entry->header_offset + ZIP_LOCAL_SIZE + entry->name_length + entry->packed_size;
}

/* Only the very next entry of the old file may follow: what is copied between two entries must be
 * nobody's, least of all that of an entry that is dropped. */
static gboolean
joins (const ZipRun *run, ZipReader *reader, guint i, const ZipEntry *entry, gboolean streamed)
{
  return run->reader == reader && run->streamed == streamed
         && (zip_reader_get_facts (reader) & ZIP_READER_IN_ORDER) != 0
         && i == g_array_index (run->entries, guint, run->entries->len - 1) + 1
         && entry->header_offset >= run->end_least
         && entry->header_offset - run->end_least <= SLACK_MAX;
}

gboolean
_zip_writer_join_run (ZipWriter *writer, ZipReader *reader, guint i, GCancellable *cancellable,
                      GError **error)
{
  const ZipEntry *entry = zip_reader_get_entry (reader, i);
  gboolean streamed = _zip_writer_get_new_flags (entry) != entry->flags;
  ZipRun *run = &writer->run;

  if (!joins (run, reader, i, entry, streamed))
    {
      if (!_zip_writer_flush_run (writer, cancellable, error))
        return FALSE;
      run->reader = reader;
      run->streamed = streamed;
      run->start = entry->header_offset;
      run->packed_size = 0;
    }

  run->end_least = get_end_least (entry);
  run->packed_size += entry->packed_size;
  g_array_append_val (run->entries, i);
  return TRUE;
}

typedef struct {
  ZipSource *source;
  guint8 *bytes;
  guint64 start;
  gsize length;
  guint64 limit; /* nothing is read from here on unless it is asked for */
} Window;

/* Gives the bytes at @offset, @needed of them or what there is up to the end of the file. */
static gboolean
look (Window *window, guint64 offset, gsize needed, const guint8 **data, gsize *length,
      GError **error)
{
  if (offset < window->start || offset + needed > window->start + window->length)
    {
      guint64 rest = window->limit > offset ? window->limit - offset : 0;
      gsize wanted = (gsize) CLAMP (rest, needed, WINDOW_SIZE);

      if (!zip_source_read (window->source, offset, window->bytes, wanted, &window->length, error))
        return FALSE;
      window->start = offset;
    }

  *data = window->bytes + (offset - window->start);
  *length = window->length - (gsize) (offset - window->start);
  return TRUE;
}

/* Copies entry @i, with its data in memory, leaving its descriptor behind. */
static gboolean
copy_streamed (ZipWriter *writer, Window *window, guint i, GError **error)
{
  ZipReader *reader = writer->run.reader;
  const ZipEntry *entry = zip_reader_get_entry (reader, i);
  g_auto (ZipNewHeader) header = { 0 };
  gsize packed_size = (gsize) entry->packed_size;
  gsize needed = (gsize) ZIP_LOCAL_SIZE + entry->name_length + packed_size;
  const guint8 *data = NULL;
  gsize length = 0;
  ZipHeader local;
  gsize header_size = 0;

  for (guint round = 0; round < 2; round++)
    {
      if (!look (window, entry->header_offset, needed, &data, &length, error))
        return FALSE;
      if (zip_record_parse_local (data, length, &local) != ZIP_PARSE_OK)
        break;
      header_size = (gsize) ZIP_LOCAL_SIZE + local.name_length + local.extra_length;
      needed = header_size + packed_size;
      if (needed <= length)
        break;
    }

  if (header_size == 0 || needed > length)
    {
      g_set_error (error, ZIP_ERROR, ZIP_ERROR_CORRUPT,
                   "local header %u at 0x%" G_GINT64_MODIFIER "x: cannot be read", i,
                   entry->header_offset);
      return FALSE;
    }

  _zip_new_header_make (&header, entry, &local, zip_out_position (&writer->out), NULL, 0);
  return zip_out_write (&writer->out, header.local_bytes->data, header.local_bytes->len, error)
         && zip_out_write (&writer->out, data + header_size, packed_size, error)
         && _zip_writer_put_central (writer, &header.central, NULL, error)
         && _zip_writer_told (writer, packed_size, error);
}

static gboolean
copy_run_streamed (ZipWriter *writer, GCancellable *cancellable, GError **error)
{
  ZipRun *run = &writer->run;
  g_autofree guint8 *bytes = g_malloc (WINDOW_SIZE);
  Window window = {
    .source = zip_reader_get_source (run->reader),
    .bytes = bytes,
    .limit = run->end_least + SLACK_LAST,
  };

  for (guint k = 0; k < run->entries->len; k++)
    if (g_cancellable_set_error_if_cancelled (cancellable, error)
        || !copy_streamed (writer, &window, g_array_index (run->entries, guint, k), error))
      return FALSE;

  return TRUE;
}

/* Takes the entries of the run from @first on into the directory; in the new file they stand
 * @new_start - @old_start further on. */
static gboolean
put_central (ZipWriter *writer, guint first, guint64 old_start, guint64 new_start, GError **error)
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

/* Writes the header of the run's first entry with a padding, so that the rest follows in step with
 * the old file. @data_offset is where that rest begins there. */
static gboolean
put_padded_header (ZipWriter *writer, guint64 *data_offset, GError **error)
{
  ZipRun *run = &writer->run;
  guint i = g_array_index (run->entries, guint, 0);
  const ZipEntry *entry = zip_reader_get_entry (run->reader, i);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_auto (ZipNewHeader) header = { 0 };
  ZipHeader local;
  gsize header_size = 0;

  if (!_zip_writer_read_local (run->reader, i, FALSE, bytes, &local, &header_size, error))
    return FALSE;

  *data_offset = entry->header_offset + header_size;
  _zip_new_header_make (&header, entry, &local, zip_out_position (&writer->out), NULL, 0);
  _zip_new_header_align (&header, *data_offset);
  return zip_out_write (&writer->out, header.local_bytes->data, header.local_bytes->len, error)
         && _zip_writer_put_central (writer, &header.central, NULL, error);
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
  if (end - start >= ZIP_WRITER_ALIGN_MIN && position % ZIP_OUT_BLOCK != start % ZIP_OUT_BLOCK
      && zip_out_can_clone (&writer->out, source))
    {
      if (!put_padded_header (writer, &start, error))
        return FALSE;
      position = zip_out_position (&writer->out);
      n_done = 1;
    }

  return _zip_writer_copy_told (writer, source, start, end - start, run->packed_size, cancellable,
                                error)
         && put_central (writer, n_done, start, position, error);
}

gboolean
_zip_writer_flush_run (ZipWriter *writer, GCancellable *cancellable, GError **error)
{
  ZipRun *run = &writer->run;

  if (run->reader == NULL)
    return TRUE;

  gboolean done = run->streamed ? copy_run_streamed (writer, cancellable, error)
                                : copy_run (writer, cancellable, error);

  /* Entries that the caller takes for copied are missing now; there is no going on. */
  if (!done)
    writer->out.broken = TRUE;
  run->reader = NULL;
  g_array_set_size (run->entries, 0);
  return done;
}
