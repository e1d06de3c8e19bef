/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Builds the records of a ZIP archive byte by byte, little-endian. */

#include "zip-emit.h"

/* What reading ZIP64 needs, APPNOTE 4.4.3.2. */
#define VERSION_ZIP64 45u

void
zip_emit_u16 (GByteArray *out, guint16 value)
{
  value = GUINT16_TO_LE (value);
  g_byte_array_append (out, (const guint8 *) &value, sizeof value);
}

void
zip_emit_u32 (GByteArray *out, guint32 value)
{
  value = GUINT32_TO_LE (value);
  g_byte_array_append (out, (const guint8 *) &value, sizeof value);
}

void
zip_emit_u64 (GByteArray *out, guint64 value)
{
  value = GUINT64_TO_LE (value);
  g_byte_array_append (out, (const guint8 *) &value, sizeof value);
}

static void
emit_bytes (GByteArray *out, const guint8 *data, gsize length)
{
  if (length > 0)
    g_byte_array_append (out, data, (guint) length);
}

static guint32
short32 (guint64 value)
{
  return value >= G_MAXUINT32 ? G_MAXUINT32 : (guint32) value;
}

/* The extra fields of @header without 0x0001. Bytes at the end that are no field are kept. */
static GByteArray *
copy_extra (const ZipHeader *header)
{
  GByteArray *extra = g_byte_array_new ();
  gsize position = 0;
  gsize start = 0;
  guint16 id = 0;
  const guint8 *field = NULL;
  gsize length = 0;

  while (zip_extra_next (header->extra, header->extra_length, &position, &id, &field, &length))
    {
      if (id != ZIP_EXTRA_ZIP64)
        emit_bytes (extra, header->extra + start, position - start);
      start = position;
    }
  if (header->extra != NULL)
    emit_bytes (extra, header->extra + start, header->extra_length - start);
  return extra;
}

/* Puts @zip64 before the other fields, unless there is no room for it. */
static GByteArray *
join_extra (const ZipHeader *header, GByteArray *values)
{
  g_autoptr (GByteArray) extra = copy_extra (header);
  GByteArray *joined = g_byte_array_new ();

  if (values->len > 0 && extra->len + 4 + values->len > G_MAXUINT16)
    g_byte_array_set_size (extra, 0);
  if (values->len > 0)
    {
      zip_emit_u16 (joined, ZIP_EXTRA_ZIP64);
      zip_emit_u16 (joined, (guint16) values->len);
      emit_bytes (joined, values->data, values->len);
    }
  emit_bytes (joined, extra->data, extra->len);
  return joined;
}

static guint16
version_for (const ZipHeader *header, gboolean zip64)
{
  return zip64 && (header->version_needed & 0xff) < VERSION_ZIP64 ? VERSION_ZIP64
                                                                  : header->version_needed;
}

void
zip_emit_local (GByteArray *out, const ZipHeader *header, gboolean reserve_zip64)
{
  gboolean zip64 = reserve_zip64 || header->size >= G_MAXUINT32
                   || header->packed_size >= G_MAXUINT32;
  g_autoptr (GByteArray) values = g_byte_array_new ();

  /* In a local header both sizes have to be there, APPNOTE 4.5.3. */
  if (zip64)
    {
      zip_emit_u64 (values, header->size);
      zip_emit_u64 (values, header->packed_size);
    }

  g_autoptr (GByteArray) extra = join_extra (header, values);

  zip_emit_u32 (out, ZIP_SIGNATURE_LOCAL);
  zip_emit_u16 (out, version_for (header, zip64));
  zip_emit_u16 (out, header->flags);
  zip_emit_u16 (out, header->method);
  zip_emit_u16 (out, header->dos_time);
  zip_emit_u16 (out, header->dos_date);
  zip_emit_u32 (out, header->crc);
  zip_emit_u32 (out, zip64 ? G_MAXUINT32 : (guint32) header->packed_size);
  zip_emit_u32 (out, zip64 ? G_MAXUINT32 : (guint32) header->size);
  zip_emit_u16 (out, header->name_length);
  zip_emit_u16 (out, (guint16) extra->len);
  emit_bytes (out, header->name, header->name_length);
  emit_bytes (out, extra->data, extra->len);
}

void
zip_emit_central (GByteArray *out, const ZipHeader *header)
{
  g_autoptr (GByteArray) values = g_byte_array_new ();

  /* Here only what does not fit, in this order. */
  if (header->size >= G_MAXUINT32)
    zip_emit_u64 (values, header->size);
  if (header->packed_size >= G_MAXUINT32)
    zip_emit_u64 (values, header->packed_size);
  if (header->header_offset >= G_MAXUINT32)
    zip_emit_u64 (values, header->header_offset);

  gboolean zip64 = values->len > 0;
  g_autoptr (GByteArray) extra = join_extra (header, values);

  zip_emit_u32 (out, ZIP_SIGNATURE_CENTRAL);
  zip_emit_u16 (out, header->made_by);
  zip_emit_u16 (out, version_for (header, zip64));
  zip_emit_u16 (out, header->flags);
  zip_emit_u16 (out, header->method);
  zip_emit_u16 (out, header->dos_time);
  zip_emit_u16 (out, header->dos_date);
  zip_emit_u32 (out, header->crc);
  zip_emit_u32 (out, short32 (header->packed_size));
  zip_emit_u32 (out, short32 (header->size));
  zip_emit_u16 (out, header->name_length);
  zip_emit_u16 (out, (guint16) extra->len);
  zip_emit_u16 (out, header->comment_length);
  zip_emit_u16 (out, 0); /* disk */
  zip_emit_u16 (out, header->internal_attributes);
  zip_emit_u32 (out, header->external_attributes);
  zip_emit_u32 (out, short32 (header->header_offset));
  emit_bytes (out, header->name, header->name_length);
  emit_bytes (out, extra->data, extra->len);
  emit_bytes (out, header->comment, header->comment_length);
}

void
zip_emit_descriptor (GByteArray *out, const ZipHeader *header, gboolean zip64)
{
  zip_emit_u32 (out, ZIP_SIGNATURE_DESCRIPTOR);
  zip_emit_u32 (out, header->crc);
  if (zip64)
    {
      zip_emit_u64 (out, header->packed_size);
      zip_emit_u64 (out, header->size);
    }
  else
    {
      zip_emit_u32 (out, (guint32) header->packed_size);
      zip_emit_u32 (out, (guint32) header->size);
    }
}

void
zip_emit_end (GByteArray *out, guint64 n_entries, guint64 directory_size, guint64 directory_offset,
              guint64 position, const guint8 *comment, guint16 comment_length)
{
  gboolean zip64 = n_entries >= G_MAXUINT16 || directory_size >= G_MAXUINT32
                   || directory_offset >= G_MAXUINT32;
  guint16 short_count = n_entries >= G_MAXUINT16 ? G_MAXUINT16 : (guint16) n_entries;

  if (zip64)
    {
      zip_emit_u32 (out, ZIP_SIGNATURE_END64);
      zip_emit_u64 (out, ZIP_END64_SIZE - 12); /* what follows this field */
      zip_emit_u16 (out, VERSION_ZIP64);
      zip_emit_u16 (out, VERSION_ZIP64);
      zip_emit_u32 (out, 0);
      zip_emit_u32 (out, 0);
      zip_emit_u64 (out, n_entries);
      zip_emit_u64 (out, n_entries);
      zip_emit_u64 (out, directory_size);
      zip_emit_u64 (out, directory_offset);

      zip_emit_u32 (out, ZIP_SIGNATURE_LOCATOR64);
      zip_emit_u32 (out, 0);
      zip_emit_u64 (out, position);
      zip_emit_u32 (out, 1);
    }

  zip_emit_u32 (out, ZIP_SIGNATURE_END);
  zip_emit_u16 (out, 0);
  zip_emit_u16 (out, 0);
  zip_emit_u16 (out, short_count);
  zip_emit_u16 (out, short_count);
  zip_emit_u32 (out, short32 (directory_size));
  zip_emit_u32 (out, short32 (directory_offset));
  zip_emit_u16 (out, comment_length);
  emit_bytes (out, comment, comment_length);
}
