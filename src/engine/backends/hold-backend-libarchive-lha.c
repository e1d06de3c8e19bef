/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Gets the stored bytes of LHA names out of libarchive, which insists on converting them and gives
 * up where it can't (E09). */

#include "hold-backend-libarchive-private.h"

#include <string.h>

/* Does the same header, read as if its bytes were of another charset, bear another name? Then it is
 * bytes, and not Unicode of the archive's own. @shadow keeps step with the listing. */
static gboolean
is_bytes (HoldLibarchiveStream *stream, HoldLibarchiveStream *shadow, const HoldNameSource *source)
{
  struct archive_entry *other = NULL;
  HoldNext next;
  const char *name;

  if (shadow->archive == NULL)
    {
      hold_libarchive_stream_init (shadow, stream->volumes, NULL, stream->cancellable);
      shadow->lha_charset = "KOI8-R";
      if (!hold_libarchive_stream_open (shadow, HOLD_LIBARCHIVE_FORMATS, NULL, NULL))
        return TRUE;
    }
  next = hold_libarchive_stream_next (shadow, &other, NULL);
  name = next == HOLD_NEXT_ENTRY || next == HOLD_NEXT_WARNED ? archive_entry_pathname (other) : NULL;
  return name == NULL || source->bytes == NULL || strcmp (name, (const char *) source->bytes) != 0;
}

/* LHA names come as if they were Latin-1, which is undone here; or in the charset that was asked
 * for. (transfer full) (nullable) */
static char *
restore_name (HoldNameSource *source)
{
  char *bytes;
  gsize length = 0;

  if (source->bytes == NULL || !g_utf8_validate_len ((const char *) source->bytes, source->length, NULL))
    return NULL;
  bytes = g_convert ((const char *) source->bytes, (gssize) source->length, "ISO-8859-1", "UTF-8", NULL, &length, NULL);
  if (bytes == NULL)
    return NULL;
  /* The separator of LHA, where libarchive has left it. */
  for (gsize i = 0; i < length; i++)
    if ((guchar) bytes[i] == 0xff)
      bytes[i] = '/';
  source->bytes = (const guint8 *) bytes;
  source->length = length;
  return bytes;
}

void
_hold_libarchive_fix_lha_names (HoldLibarchiveStream *stream, HoldLibarchiveStream *shadow, HoldNameSource *name,
                                HoldNameSource *link, char *owned[2])
{
  owned[0] = owned[1] = NULL;
  if (stream->lha_charset != NULL || !is_bytes (stream, shadow, name))
    {
      name->is_utf8 = name->bytes != NULL && g_utf8_validate ((const char *) name->bytes, -1, NULL);
      link->is_utf8 = link->bytes != NULL && g_utf8_validate ((const char *) link->bytes, -1, NULL);
      return;
    }
  owned[0] = restore_name (name);
  owned[1] = restore_name (link);
}
