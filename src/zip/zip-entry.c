/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Answers questions about one entry out of its record. */

#include "zip-entry-private.h"

#include <sys/stat.h>

#define DOS_ATTRIBUTE_FOLDER 0x10u

const char *
zip_entry_get_name (const ZipEntry *entry, gsize *length)
{
  *length = entry->name_length;
  return (const char *) entry->record + ZIP_CENTRAL_SIZE;
}

const guint8 *
zip_entry_get_extra (const ZipEntry *entry, gsize *length)
{
  *length = entry->extra_length;
  return entry->record + ZIP_CENTRAL_SIZE + entry->name_length;
}

const char *
zip_entry_get_comment (const ZipEntry *entry, gsize *length)
{
  *length = entry->comment_length;
  return (const char *) entry->record + ZIP_CENTRAL_SIZE + entry->name_length + entry->extra_length;
}

guint8
zip_entry_get_host (const ZipEntry *entry)
{
  return entry->made_by >> 8;
}

guint16
zip_entry_get_method (const ZipEntry *entry)
{
  ZipAes aes;

  return zip_entry_get_aes (entry, &aes) ? aes.method : entry->method;
}

/* Source: APPNOTE 4.4.5. */
const char *
zip_method_get_name (guint16 method)
{
  static const struct {
    guint16 method;
    const char *name;
  } names[] = {
    { 0, "Store" }, { 1, "Shrink" }, { 2, "Reduce 1" }, { 3, "Reduce 2" }, { 4, "Reduce 3" },
    { 5, "Reduce 4" }, { 6, "Implode" }, { 8, "Deflate" }, { 9, "Deflate64" },
    { 10, "PKWARE DCL Implode" }, { 12, "BZip2" }, { 14, "LZMA" }, { 16, "CMPSC" },
    { 18, "TERSE" }, { 19, "LZ77" }, { 20, "Zstandard" }, { 93, "Zstandard" }, { 94, "MP3" },
    { 95, "XZ" }, { 96, "JPEG" }, { 97, "WavPack" }, { 98, "PPMd" }, { 99, "AES" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (names[i].method == method)
      return names[i].name;

  return "unknown";
}

gboolean
zip_entry_is_encrypted (const ZipEntry *entry)
{
  return (entry->flags & (ZIP_FLAG_ENCRYPTED | ZIP_FLAG_STRONG)) != 0
         || entry->method == ZIP_METHOD_AES;
}

gboolean
zip_entry_get_aes (const ZipEntry *entry, ZipAes *aes)
{
  gsize length = 0;
  const guint8 *extra = zip_entry_get_extra (entry, &length);

  return entry->method == ZIP_METHOD_AES && zip_extra_parse_aes (extra, length, aes);
}

gboolean
zip_entry_is_streamed (const ZipEntry *entry)
{
  return (entry->flags & ZIP_FLAG_DESCRIPTOR) != 0;
}

gboolean
zip_entry_can_decode (const ZipEntry *entry)
{
  return (entry->method == ZIP_METHOD_STORED || entry->method == ZIP_METHOD_DEFLATE)
         && !zip_entry_is_encrypted (entry) && !(entry->flags & ZIP_FLAG_PATCH);
}

gboolean
zip_entry_get_unix_mode (const ZipEntry *entry, guint32 *mode)
{
  guint8 host = zip_entry_get_host (entry);

  /* Writers on FAT hosts leave anything in the upper half; as other readers do, only hosts that
   * have modes are believed. */
  *mode = entry->external_attributes >> 16;
  return (host == ZIP_HOST_UNIX || host == ZIP_HOST_OSX) && *mode != 0;
}

gboolean
zip_entry_is_folder (const ZipEntry *entry)
{
  const guint8 *name = entry->record + ZIP_CENTRAL_SIZE;
  guint32 mode = 0;

  if (entry->name_length > 0 && name[entry->name_length - 1] == '/')
    return TRUE;
  if (zip_entry_get_unix_mode (entry, &mode) && (mode & S_IFMT) != 0)
    return S_ISDIR (mode);
  return (entry->external_attributes & DOS_ATTRIBUTE_FOLDER) != 0;
}

gboolean
zip_entry_is_symlink (const ZipEntry *entry)
{
  guint32 mode = 0;

  return zip_entry_get_unix_mode (entry, &mode) && S_ISLNK (mode);
}

void
zip_entry_get_times (const ZipEntry *entry, ZipTimes *times)
{
  gsize length = 0;
  const guint8 *extra = zip_entry_get_extra (entry, &length);

  zip_time_read (entry->dos_date, entry->dos_time, extra, length, times);
}

ZipHeader
_zip_entry_get_header (const ZipEntry *entry)
{
  gsize length = 0;

  return (ZipHeader) {
    .made_by = entry->made_by,
    .version_needed = entry->version_needed,
    .flags = entry->flags,
    .method = entry->method,
    .dos_time = entry->dos_time,
    .dos_date = entry->dos_date,
    .crc = entry->crc,
    .packed_size = entry->packed_size,
    .size = entry->size,
    .name_length = entry->name_length,
    .extra_length = entry->extra_length,
    .comment_length = entry->comment_length,
    .internal_attributes = entry->internal_attributes,
    .external_attributes = entry->external_attributes,
    .header_offset = entry->header_offset,
    .name = (const guint8 *) zip_entry_get_name (entry, &length),
    .extra = zip_entry_get_extra (entry, &length),
    .comment = (const guint8 *) zip_entry_get_comment (entry, &length),
  };
}

gboolean
_zip_entry_needs_descriptor_bit (const ZipEntry *entry)
{
  return zip_entry_is_streamed (entry) && zip_entry_is_encrypted (entry)
         && entry->method != ZIP_METHOD_AES && !(entry->flags & ZIP_FLAG_STRONG);
}
