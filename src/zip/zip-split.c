/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Rewrites, in memory, the four fields of the end record and the two of each central header that
 * speak of parts (APPNOTE 8.5). */

#include "zip-split.h"

#include <string.h>

#include "zip-error.h"
#include "zip-record.h"

/* A directory of a split archive that is larger is none. */
#define DIRECTORY_MAX (256u << 20)

static void
put_u16 (guint8 *to, guint16 value)
{
  value = GUINT16_TO_LE (value);
  memcpy (to, &value, sizeof value);
}

static void
put_u32 (guint8 *to, guint32 value)
{
  value = GUINT32_TO_LE (value);
  memcpy (to, &value, sizeof value);
}

static gboolean
fail (GError **error, ZipError code, const char *what)
{
  g_set_error (error, ZIP_ERROR, code, "split archive: %s", what);
  return FALSE;
}

/* The last end record of the archive. */
static gboolean
find_end (ZipSource *source, guint64 *position, ZipEnd *end, GError **error)
{
  guint64 size = zip_source_get_size (source);
  gsize length = (gsize) MIN (size, (guint64) ZIP_END_SIZE + 65535u);
  g_autofree guint8 *tail = g_malloc (length + 1);

  if (!zip_source_read_exact (source, size - length, tail, length, "end of the last part", error))
    return FALSE;
  for (gsize i = length; i-- > 0;)
    if (zip_record_peek_u32 (tail + i, length - i) == ZIP_SIGNATURE_END
        && zip_record_parse_end (tail + i, length - i, end) == ZIP_PARSE_OK)
      {
        *position = size - length + i;
        return TRUE;
      }
  return fail (error, ZIP_ERROR_TRUNCATED, "the last part has no end record");
}

/* Makes @place, within part @disk, count from the start. */
static gboolean
resolve (ZipSource *source, guint32 disk, guint64 *place, GError **error)
{
  if (disk >= zip_source_get_n_parts (source))
    return fail (error, ZIP_ERROR_TRUNCATED, "it has more parts than there are files");
  *place += zip_source_get_part_start (source, disk);
  if (*place >= G_MAXUINT32)
    return fail (error, ZIP_ERROR_TOO_LARGE, "sets of 4 GiB and more are not joined");
  return TRUE;
}

static gboolean
correct_directory (ZipSource *source, guint8 *data, gsize length, GError **error)
{
  gsize position = 0;

  while (position < length)
    {
      ZipHeader header;
      gsize consumed = 0;

      if (zip_record_parse_central (data + position, length - position, &header, &consumed)
          != ZIP_PARSE_OK)
        return TRUE;
      if (header.zip64)
        return fail (error, ZIP_ERROR_TOO_LARGE, "sets with ZIP64 records are not joined");

      guint64 place = header.header_offset;
      if (!resolve (source, header.disk, &place, error))
        return FALSE;
      put_u16 (data + position + 34, 0);
      put_u32 (data + position + 42, (guint32) place);
      position += consumed;
    }
  return TRUE;
}

gboolean
zip_split_join (ZipSource *source, GError **error)
{
  guint64 end_position = 0;
  ZipEnd end = { 0 };

  if (!find_end (source, &end_position, &end, error))
    return FALSE;
  if (end.disk == 0)
    return TRUE;
  if (end.marked != 0)
    return fail (error, ZIP_ERROR_TOO_LARGE, "sets with ZIP64 records are not joined");

  guint64 start = end.directory_offset;
  if (!resolve (source, end.directory_disk, &start, error))
    return FALSE;
  if (start + end.directory_size > end_position || end_position - start > DIRECTORY_MAX)
    return fail (error, ZIP_ERROR_CORRUPT, "its directory does not lie before its end record");

  gsize length = (gsize) (end_position - start) + ZIP_END_SIZE;
  g_autofree guint8 *data = g_malloc (length);

  if (!zip_source_read_exact (source, start, data, length, "central directory", error)
      || !correct_directory (source, data, (gsize) end.directory_size, error))
    return FALSE;

  guint8 *record = data + (end_position - start);
  put_u16 (record + 4, 0);
  put_u16 (record + 6, 0);
  put_u16 (record + 8, (guint16) end.n_entries);
  put_u32 (record + 16, (guint32) start);

  g_autoptr (GBytes) overlay = g_bytes_new_take (g_steal_pointer (&data), length);
  zip_source_set_overlay (source, start, overlay);
  return TRUE;
}
