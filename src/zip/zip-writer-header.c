/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Makes the headers of a kept entry anew: without the descriptor bit, with another name, or with a
 * padding; all else as it was.
 */

#include <string.h>

#include "zip-emit.h"
#include "zip-entry-private.h"
#include "zip-writer-private.h"

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

/* Adds a padding so that what follows the header, which would have @header_size bytes at @position,
 * has the same remainder by the block as @wanted. Nothing if there is no room. */
static void
pad_extra (GByteArray *extra, guint64 position, gsize header_size, guint64 wanted)
{
  guint64 at = position + header_size;
  gsize padding = (gsize) ((wanted - at) % ZIP_OUT_BLOCK); /* right also where it wraps */
  const gsize field_size = 6;                              /* id, length, alignment */

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

guint16
_zip_writer_get_new_flags (const ZipEntry *entry)
{
  return _zip_entry_needs_descriptor_bit (entry) ? entry->flags
                                                 : entry->flags & (guint16) ~ZIP_FLAG_DESCRIPTOR;
}

static void
set_extra (ZipHeader *header, GByteArray *extra)
{
  header->extra = extra->data;
  header->extra_length = (guint16) extra->len;
}

void
_zip_new_header_make (ZipNewHeader *new, const ZipEntry *entry, const ZipHeader *local,
                      guint64 position, const char *name, gsize name_length)
{
  *new = (ZipNewHeader) {
    .central = _zip_entry_get_header (entry),
    .local_bytes = g_byte_array_new (),
    .local_extra = g_byte_array_new (),
    .central_extra = g_byte_array_new (),
  };
  ZipHeader *central = &new->central;

  central->header_offset = position;
  central->flags = _zip_writer_get_new_flags (entry);
  g_byte_array_append (new->local_extra, local->extra, local->extra_length);
  g_byte_array_append (new->central_extra, central->extra, central->extra_length);
  strip_extra (new->local_extra, ZIP_EXTRA_ALIGNMENT);

  if (name != NULL)
    {
      central->name = (const guint8 *) name;
      central->name_length = (guint16) name_length;
      if (!g_str_is_ascii (name))
        central->flags |= ZIP_FLAG_UTF8;
      /* It tells of what is no longer the name. */
      strip_extra (new->local_extra, ZIP_EXTRA_UNICODE_NAME);
      strip_extra (new->central_extra, ZIP_EXTRA_UNICODE_NAME);
    }

  set_extra (central, new->central_extra);
  new->local = *central;
  new->local.version_needed = local->version_needed;
  set_extra (&new->local, new->local_extra);
  zip_emit_local (new->local_bytes, &new->local, FALSE);
}

void
_zip_new_header_align (ZipNewHeader *new, guint64 data_offset)
{
  pad_extra (new->local_extra, new->central.header_offset, new->local_bytes->len, data_offset);
  set_extra (&new->local, new->local_extra);
  g_byte_array_set_size (new->local_bytes, 0);
  zip_emit_local (new->local_bytes, &new->local, FALSE);
}

void
_zip_new_header_clear (ZipNewHeader *new)
{
  g_clear_pointer (&new->local_bytes, g_byte_array_unref);
  g_clear_pointer (&new->local_extra, g_byte_array_unref);
  g_clear_pointer (&new->central_extra, g_byte_array_unref);
}
