/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Parses the records of a ZIP archive, and the extra fields in them, out of bounded bytes. */

#include "zip-record.h"

#include <libdeflate.h>

#include "zip-cursor.h"

guint32
zip_record_peek_u32 (const guint8 *data, gsize length)
{
  ZipCursor cursor;

  zip_cursor_init (&cursor, data, length);
  return zip_cursor_u32 (&cursor);
}

/* FALSE: another record. Too few bytes for a signature fail later, with the rest. */
static gboolean
begin_record (ZipCursor *cursor, const guint8 *data, gsize length, guint32 signature)
{
  zip_cursor_init (cursor, data, length);

  guint32 found = zip_cursor_u32 (cursor);
  return cursor->failed || found == signature;
}

ZipParse
zip_record_parse_end (const guint8 *data, gsize length, ZipEnd *end)
{
  ZipCursor cursor;

  *end = (ZipEnd) { 0 };
  if (!begin_record (&cursor, data, length, ZIP_SIGNATURE_END))
    return ZIP_PARSE_SIGNATURE;

  end->disk = zip_cursor_u16 (&cursor);
  end->directory_disk = zip_cursor_u16 (&cursor);
  zip_cursor_skip (&cursor, 2); /* entries on this disk */
  end->n_entries = zip_cursor_u16 (&cursor);
  end->directory_size = zip_cursor_u32 (&cursor);
  end->directory_offset = zip_cursor_u32 (&cursor);
  end->comment_length = zip_cursor_u16 (&cursor);

  if (end->disk == G_MAXUINT16)
    end->marked |= ZIP_END_MARKED_DISK;
  if (end->directory_disk == G_MAXUINT16)
    end->marked |= ZIP_END_MARKED_DIRECTORY_DISK;
  if (end->n_entries == G_MAXUINT16)
    end->marked |= ZIP_END_MARKED_COUNT;
  if (end->directory_size == G_MAXUINT32)
    end->marked |= ZIP_END_MARKED_SIZE;
  if (end->directory_offset == G_MAXUINT32)
    end->marked |= ZIP_END_MARKED_OFFSET;

  return cursor.failed ? ZIP_PARSE_SHORT : ZIP_PARSE_OK;
}

ZipParse
zip_record_parse_locator64 (const guint8 *data, gsize length, guint64 *offset)
{
  ZipCursor cursor;

  if (!begin_record (&cursor, data, length, ZIP_SIGNATURE_LOCATOR64))
    return ZIP_PARSE_SIGNATURE;

  zip_cursor_skip (&cursor, 4); /* disk of the end record */
  *offset = zip_cursor_u64 (&cursor);
  zip_cursor_skip (&cursor, 4); /* number of disks; writers put 0 or 1 */

  return cursor.failed ? ZIP_PARSE_SHORT : ZIP_PARSE_OK;
}

ZipParse
zip_record_parse_end64 (const guint8 *data, gsize length, ZipEnd *end)
{
  ZipCursor cursor;

  if (!begin_record (&cursor, data, length, ZIP_SIGNATURE_END64))
    return ZIP_PARSE_SIGNATURE;

  zip_cursor_skip (&cursor, 8); /* size of this record; writers disagree on what it counts */
  zip_cursor_skip (&cursor, 4); /* versions */

  guint32 disk = zip_cursor_u32 (&cursor);
  guint32 directory_disk = zip_cursor_u32 (&cursor);
  zip_cursor_skip (&cursor, 8); /* entries on this disk */
  guint64 n_entries = zip_cursor_u64 (&cursor);
  guint64 directory_size = zip_cursor_u64 (&cursor);
  guint64 directory_offset = zip_cursor_u64 (&cursor);

  if (cursor.failed)
    return ZIP_PARSE_SHORT;

  if (end->marked & ZIP_END_MARKED_DISK)
    end->disk = disk;
  if (end->marked & ZIP_END_MARKED_DIRECTORY_DISK)
    end->directory_disk = directory_disk;
  if (end->marked & ZIP_END_MARKED_COUNT)
    end->n_entries = n_entries;
  if (end->marked & ZIP_END_MARKED_SIZE)
    end->directory_size = directory_size;
  if (end->marked & ZIP_END_MARKED_OFFSET)
    end->directory_offset = directory_offset;
  end->marked = 0;

  return ZIP_PARSE_OK;
}

/* Extra field 0x0001 holds, in this order, only the values whose short field is marked (APPNOTE
 * 4.5.3). Some writers stop early; what is not there stays as it is, since 0xFFFFFFFF can also be
 * the plain truth. */
static void
take_zip64 (ZipHeader *header, gboolean central)
{
  gsize field_length = 0;
  const guint8 *field = zip_extra_find (header->extra, header->extra_length, ZIP_EXTRA_ZIP64,
                                        &field_length);

  if (field == NULL)
    return;

  ZipCursor cursor;
  zip_cursor_init (&cursor, field, field_length);

  guint64 *wide[] = { &header->size, &header->packed_size, &header->header_offset };
  guint n_wide = central ? 3 : 2;

  for (guint i = 0; i < n_wide; i++)
    {
      if (*wide[i] != G_MAXUINT32)
        continue;

      guint64 value = zip_cursor_u64 (&cursor);
      if (cursor.failed)
        return;
      *wide[i] = value;
      header->zip64 = TRUE;
    }

  if (central && header->disk == G_MAXUINT16)
    {
      guint32 disk = zip_cursor_u32 (&cursor);
      if (!cursor.failed)
        header->disk = disk;
    }
}

/* What stands in both headers, in the same order. */
static void
read_common (ZipCursor *cursor, ZipHeader *header)
{
  header->version_needed = zip_cursor_u16 (cursor);
  header->flags = zip_cursor_u16 (cursor);
  header->method = zip_cursor_u16 (cursor);
  header->dos_time = zip_cursor_u16 (cursor);
  header->dos_date = zip_cursor_u16 (cursor);
  header->crc = zip_cursor_u32 (cursor);
  header->packed_size = zip_cursor_u32 (cursor);
  header->size = zip_cursor_u32 (cursor);
  header->name_length = zip_cursor_u16 (cursor);
  header->extra_length = zip_cursor_u16 (cursor);
}

ZipParse
zip_record_parse_central (const guint8 *data, gsize length, ZipHeader *header, gsize *consumed)
{
  ZipCursor cursor;

  *header = (ZipHeader) { 0 };
  if (!begin_record (&cursor, data, length, ZIP_SIGNATURE_CENTRAL))
    return ZIP_PARSE_SIGNATURE;

  header->made_by = zip_cursor_u16 (&cursor);
  read_common (&cursor, header);
  header->comment_length = zip_cursor_u16 (&cursor);
  header->disk = zip_cursor_u16 (&cursor);
  header->internal_attributes = zip_cursor_u16 (&cursor);
  header->external_attributes = zip_cursor_u32 (&cursor);
  header->header_offset = zip_cursor_u32 (&cursor);
  header->name = zip_cursor_take (&cursor, header->name_length);
  header->extra = zip_cursor_take (&cursor, header->extra_length);
  header->comment = zip_cursor_take (&cursor, header->comment_length);

  if (cursor.failed)
    return ZIP_PARSE_SHORT;

  take_zip64 (header, TRUE);
  *consumed = cursor.position;
  return ZIP_PARSE_OK;
}

ZipParse
zip_record_parse_local (const guint8 *data, gsize length, ZipHeader *header)
{
  ZipCursor cursor;

  *header = (ZipHeader) { 0 };
  if (!begin_record (&cursor, data, length, ZIP_SIGNATURE_LOCAL))
    return ZIP_PARSE_SIGNATURE;

  read_common (&cursor, header);

  if (cursor.failed)
    return ZIP_PARSE_SHORT;

  header->name = zip_cursor_take (&cursor, header->name_length);
  header->extra = zip_cursor_take (&cursor, header->extra_length);
  if (header->extra != NULL)
    take_zip64 (header, FALSE);
  return ZIP_PARSE_OK;
}

gboolean
zip_extra_next (const guint8 *extra, gsize length, gsize *position, guint16 *id,
                const guint8 **field, gsize *field_length)
{
  ZipCursor cursor;

  if (extra == NULL || *position >= length)
    return FALSE;

  zip_cursor_init (&cursor, extra + *position, length - *position);
  *id = zip_cursor_u16 (&cursor);
  *field_length = zip_cursor_u16 (&cursor);
  *field = zip_cursor_take (&cursor, *field_length);
  if (cursor.failed)
    return FALSE;

  *position += cursor.position;
  return TRUE;
}

const guint8 *
zip_extra_find (const guint8 *extra, gsize length, guint16 id, gsize *field_length)
{
  gsize position = 0;
  guint16 found = 0;
  const guint8 *field = NULL;

  while (zip_extra_next (extra, length, &position, &found, &field, field_length))
    if (found == id)
      return field;

  *field_length = 0;
  return NULL;
}

gboolean
zip_extra_parse_aes (const guint8 *extra, gsize length, ZipAes *aes)
{
  gsize field_length = 0;
  const guint8 *field = zip_extra_find (extra, length, ZIP_EXTRA_AES, &field_length);

  *aes = (ZipAes) { 0 };
  if (field == NULL)
    return FALSE;

  ZipCursor cursor;
  zip_cursor_init (&cursor, field, field_length);
  aes->vendor_version = zip_cursor_u16 (&cursor);
  zip_cursor_skip (&cursor, 2); /* vendor, "AE" */
  aes->strength = zip_cursor_u8 (&cursor);
  aes->method = zip_cursor_u16 (&cursor);
  return !cursor.failed;
}

const guint8 *
zip_extra_parse_unicode (const guint8 *extra, gsize length, guint16 id, const guint8 *plain,
                         gsize plain_length, gsize *text_length)
{
  gsize field_length = 0;
  const guint8 *field = zip_extra_find (extra, length, id, &field_length);

  *text_length = 0;
  if (field == NULL)
    return NULL;

  ZipCursor cursor;
  zip_cursor_init (&cursor, field, field_length);
  guint8 version = zip_cursor_u8 (&cursor);
  guint32 crc = zip_cursor_u32 (&cursor);
  if (cursor.failed || version != 1 || crc != libdeflate_crc32 (0, plain, plain_length))
    return NULL;

  gsize left = zip_cursor_left (&cursor);
  const guint8 *text = zip_cursor_take (&cursor, left);
  if (!g_utf8_validate_len ((const char *) text, left, NULL))
    return NULL;

  *text_length = left;
  return text;
}

gboolean
zip_extra_parse_owner (const guint8 *extra, gsize length, guint32 *uid, guint32 *gid)
{
  gsize field_length = 0;
  const guint8 *field = zip_extra_find (extra, length, ZIP_EXTRA_UNIX3, &field_length);
  guint32 *ids[] = { uid, gid };

  if (field == NULL)
    return FALSE;

  ZipCursor cursor;
  zip_cursor_init (&cursor, field, field_length);
  if (zip_cursor_u8 (&cursor) != 1)
    return FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      guint8 n_bytes = zip_cursor_u8 (&cursor);
      if (n_bytes == 0 || n_bytes > 4)
        return FALSE;

      *ids[i] = 0;
      for (guint8 k = 0; k < n_bytes; k++)
        *ids[i] |= (guint32) zip_cursor_u8 (&cursor) << (8 * k);
    }

  return !cursor.failed;
}
