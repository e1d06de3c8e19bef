/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Reads a finished archive back, before anybody gives up the old one for it. */

#include <string.h>

#include "zip-error.h"
#include "zip-writer-private.h"

static gboolean
fail (guint i, const char *what, GError **error)
{
  g_set_error (error, ZIP_ERROR, ZIP_ERROR_CORRUPT, "new archive, entry %u: %s", i, what);
  return FALSE;
}

/* What is wrong with the local header in @bytes, NULL if nothing is. Sizes in the ZIP64 field
 * were written together with those of the directory. */
static const char *
judge_local (const ZipEntry *entry, gboolean shared, const guint8 *bytes, gsize length)
{
  ZipHeader local;

  if (zip_record_parse_local (bytes, length, &local) != ZIP_PARSE_OK
      || (local.name == NULL && !shared))
    return "its local header is not where it should be";
  if (shared)
    return NULL;
  if (local.name_length != entry->name_length
      || memcmp (local.name, entry->record + ZIP_CENTRAL_SIZE, entry->name_length) != 0)
    return "its local header has another name";
  if (local.method != entry->method)
    return "its local header has another method";
  if (!(local.flags & ZIP_FLAG_DESCRIPTOR) && local.packed_size != G_MAXUINT32
      && (local.packed_size != entry->packed_size || local.size != entry->size))
    return "its local header has other sizes";
  return NULL;
}

/* A header that contradicts the directory is right if it did so in the old archive. */
static gboolean
check_local (ZipReader *reader, guint i, const ZipOrigin *origin, GByteArray *bytes, GError **error)
{
  const ZipEntry *entry = zip_reader_get_entry (reader, i);
  ZipSource *source = zip_reader_get_source (reader);
  gsize length = (gsize) ZIP_LOCAL_SIZE + entry->name_length;

  g_byte_array_set_size (bytes, (guint) length);
  if (!zip_source_read_exact (source, entry->header_offset, bytes->data, length,
                              "new archive, local header", error))
    return FALSE;

  const char *wrong = judge_local (entry, origin->shared, bytes->data, length);
  if (wrong == NULL)
    return TRUE;
  if (origin->reader == NULL)
    return fail (i, wrong, error);

  const ZipEntry *old = zip_reader_get_entry (origin->reader, origin->index);
  g_autofree guint8 *old_bytes = g_malloc (length);
  if (!zip_source_read_exact (zip_reader_get_source (origin->reader), old->header_offset, old_bytes,
                              length, "local header", error))
    return FALSE;
  return memcmp (old_bytes, bytes->data, length) == 0 || fail (i, wrong, error);
}

/* Bytes behind the end may look like an end themselves. Where they hide the true one from us they
 * would hide it from others, and without them something of the old file would be lost. */
static gboolean
check_trailing (ZipWriter *writer, ZipReader *reader, GError **error)
{
  guint64 length = writer->trailing != NULL ? zip_reader_get_trailing_size (writer->trailing) : 0;

  if (zip_reader_get_trailing_size (reader) == length)
    return TRUE;

  g_set_error (error, ZIP_ERROR, ZIP_ERROR_CORRUPT,
               "new archive: its end is not found before the %" G_GUINT64_FORMAT " bytes that "
               "stand behind the old one", length);
  return FALSE;
}

gboolean
zip_writer_verify (ZipWriter *writer, GCancellable *cancellable, GError **error)
{
  g_autoptr (ZipReader) reader = NULL;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint64 offset = 0;
  guint64 length = 0;

  g_return_val_if_fail (writer->finished, FALSE);

  reader = zip_reader_open_fd (writer->out.fd, cancellable, error);
  if (reader == NULL)
    {
      g_prefix_error (error, "new archive, read back: ");
      return FALSE;
    }

  if (!check_trailing (writer, reader, error))
    return FALSE;

  guint n = zip_reader_get_n_entries (reader);
  if (n != writer->origins->len || (zip_reader_get_facts (reader) & ZIP_READER_RECOVERED))
    return fail (n, "the directory does not hold what was written", error);

  zip_reader_get_directory_extent (reader, &offset, &length);
  if (n > 0
      && (offset != writer->directory_offset || length < writer->central->len
          || memcmp (zip_reader_get_entry (reader, 0)->record, writer->central->data,
                     writer->central->len) != 0))
    return fail (0, "the directory is not the one that was written", error);

  for (guint i = 0; i < n; i++)
    if (g_cancellable_set_error_if_cancelled (cancellable, error)
        || !check_local (reader, i, &g_array_index (writer->origins, ZipOrigin, i), bytes, error))
      return FALSE;

  return TRUE;
}
