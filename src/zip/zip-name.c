/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Facts about the encoding of names, without decoding them. */

#include "zip-name.h"

gboolean
zip_name_is_marked_utf8 (const ZipEntry *entry)
{
  return (entry->flags & ZIP_FLAG_UTF8) != 0;
}

static const char *
get_unicode (const ZipEntry *entry, guint16 id, const char *plain, gsize plain_length,
             gsize *length)
{
  gsize extra_length = 0;
  const guint8 *extra = zip_entry_get_extra (entry, &extra_length);

  return (const char *) zip_extra_parse_unicode (extra, extra_length, id, (const guint8 *) plain,
                                                 plain_length, length);
}

const char *
zip_name_get_unicode (const ZipEntry *entry, gsize *length)
{
  gsize plain_length = 0;
  const char *plain = zip_entry_get_name (entry, &plain_length);
  const char *text = get_unicode (entry, ZIP_EXTRA_UNICODE_NAME, plain, plain_length, length);

  /* An empty name would hide the entry. */
  return *length > 0 ? text : NULL;
}

const char *
zip_name_get_unicode_comment (const ZipEntry *entry, gsize *length)
{
  gsize plain_length = 0;
  const char *plain = zip_entry_get_comment (entry, &plain_length);

  return get_unicode (entry, ZIP_EXTRA_UNICODE_COMMENT, plain, plain_length, length);
}

gboolean
zip_name_backslash_separates (const ZipEntry *entry)
{
  switch (zip_entry_get_host (entry))
    {
    case ZIP_HOST_FAT:
    case ZIP_HOST_HPFS:
    case ZIP_HOST_NTFS:
    case ZIP_HOST_VFAT:
      return TRUE;
    default:
      return FALSE;
    }
}
