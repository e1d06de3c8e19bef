/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Goes from local header to local header, and where a streamed entry does not say how long it is,
 * looks for its data descriptor. One pass over the file; a second one at most if it is damaged.
 */

#include "zip-recovery.h"

#include <string.h>

#include "zip-cursor.h"
#include "zip-error.h"
#include "zip-layout.h"
#include "zip-reader.h"

/* How much of the file is looked at at once, in bytes. */
#define WINDOW_SIZE (1024u * 1024u)

/* The largest local header, and the largest piece asked of the window. */
#define LOCAL_MAX (ZIP_LOCAL_SIZE + 2u * 65535u)

/* A directory that is read to complete what was found, at the most. */
#define MERGE_MAX (64u * 1024u * 1024u)

typedef struct {
  ZipSource *source;
  guint64 size;
  guint8 *window;
  gsize window_size;
  guint64 window_start;
  gsize window_length;
  GCancellable *cancellable;
  gboolean lost; /* an entry's end was looked for up to the end of the file, in vain */
  ZipDirectory *directory;
  GByteArray *raw;
} Scan;

/* Gives the bytes at @offset: at least @needed of them, or as many as the file has. */
static gboolean
look (Scan *scan, guint64 offset, gsize needed, const guint8 **data, gsize *length, GError **error)
{
  *data = NULL;
  *length = 0;
  if (offset >= scan->size)
    return TRUE;

  needed = (gsize) MIN ((guint64) needed, scan->size - offset);
  if (offset < scan->window_start || offset + needed > scan->window_start + scan->window_length)
    {
      if (g_cancellable_set_error_if_cancelled (scan->cancellable, error)
          || !zip_source_read (scan->source, offset, scan->window, scan->window_size,
                               &scan->window_length,
                               error))
        return FALSE;
      scan->window_start = offset;
    }

  gsize skip = (gsize) (offset - scan->window_start);
  if (skip < scan->window_length)
    {
      *data = scan->window + skip;
      *length = scan->window_length - skip;
    }
  return TRUE;
}

/* Finds the next "PK" at or after *@offset; the end of the file if there is none. */
static gboolean
find_pk (Scan *scan, guint64 *offset, GError **error)
{
  const guint8 *data;
  gsize length;

  while (*offset < scan->size)
    {
      if (!look (scan, *offset, 2, &data, &length, error))
        return FALSE;
      if (length < 2)
        break;

      const guint8 *p = memmem (data, length, "PK", 2);
      if (p != NULL)
        {
          *offset += (guint64) (p - data);
          return TRUE;
        }
      *offset += length - 1;
    }

  *offset = scan->size;
  return TRUE;
}

static gboolean
is_record (guint32 signature)
{
  return signature == ZIP_SIGNATURE_LOCAL || signature == ZIP_SIGNATURE_CENTRAL
         || signature == ZIP_SIGNATURE_END || signature == ZIP_SIGNATURE_END64
         || signature == ZIP_SIGNATURE_EXTRA_DATA;
}

/* Bytes that begin like a local header may be data; this keeps most of those out. */
static gboolean
is_plausible (const guint8 *data, gsize length)
{
  ZipHeader header;

  return zip_record_parse_local (data, length, &header) == ZIP_PARSE_OK && header.name != NULL
         && header.extra != NULL && header.name_length > 0 && header.method <= ZIP_METHOD_AES
         && (header.version_needed & 0xff) <= 99 && memchr (header.name, 0,
                                                            header.name_length) == NULL;
}

/* Reads a descriptor whose values begin at @data, if it gives @distance as the packed size.
 * Returns how many bytes it has, 0 if it is none. Writers use 32 or 64 bits as they like (APPNOTE
 * 4.3.9.1), so that what fits decides: the packed size, and what follows. */
static gsize
match_descriptor (const guint8 *data, gsize length, guint64 distance, ZipHeader *header)
{
  ZipCursor cursor;

  zip_cursor_init (&cursor, data, length);
  guint32 crc = zip_cursor_u32 (&cursor);
  ZipCursor narrow = cursor;
  ZipCursor wide = cursor;
  guint64 packed32 = zip_cursor_u32 (&narrow);
  guint64 size32 = zip_cursor_u32 (&narrow);
  guint64 packed64 = zip_cursor_u64 (&wide);
  guint64 size64 = zip_cursor_u64 (&wide);

  gboolean fits32 = !narrow.failed && packed32 == distance;
  gboolean fits64 = !wide.failed && packed64 == distance;

  /* Where both fit, what is a size in 32 bits is the upper half of the packed size in 64, and zero.
   * Only empty content has size zero, and deflate makes two bytes of it. */
  if (size32 == 0 && distance > 2)
    fits32 = FALSE;
  else if (fits32 && fits64)
    fits64 = length == wide.position
             || is_record (zip_record_peek_u32 (data + wide.position, length - wide.position));

  header->crc = crc;
  if (fits64)
    {
      header->packed_size = packed64;
      header->size = size64;
      return wide.position;
    }
  if (fits32)
    {
      header->packed_size = packed32;
      header->size = size32;
      return narrow.position;
    }
  return 0;
}

/* Looks for the end of the data that begins at @start. Sets *@next to what follows the descriptor
 * and the sizes in @header; *@next is 0 if no descriptor fits. */
static gboolean
find_descriptor (Scan *scan, guint64 start, ZipHeader *header, guint64 *next, GError **error)
{
  guint64 offset = start;

  *next = 0;
  while (TRUE)
    {
      const guint8 *data;
      gsize length;

      if (!find_pk (scan, &offset, error) || !look (scan, offset, LOCAL_MAX, &data, &length, error))
        return FALSE;
      if (length < 4)
        break;

      guint32 signature = zip_record_peek_u32 (data, length);
      guint64 distance = offset - start;

      if (signature == ZIP_SIGNATURE_DESCRIPTOR)
        {
          gsize size = match_descriptor (data + 4, length - 4, distance, header);
          if (size > 0)
            {
              *next = offset + 4 + size;
              return TRUE;
            }
        }
      else if (signature == ZIP_SIGNATURE_LOCAL || signature == ZIP_SIGNATURE_CENTRAL)
        {
          /* A descriptor without signature stands right before the next record. */
          static const gsize sizes[] = { 12, 20 };
          guint64 here = offset;

          for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
            {
              if (distance < sizes[i])
                continue;
              if (!look (scan, here - sizes[i], LOCAL_MAX, &data, &length, error))
                return FALSE;
              if (match_descriptor (data, MIN (length, sizes[i]), distance - sizes[i],
                                    header) == sizes[i])
                {
                  *next = here;
                  return TRUE;
                }
            }

          if (!look (scan, here, LOCAL_MAX, &data, &length, error))
            return FALSE;
          if (scan->lost && (signature == ZIP_SIGNATURE_CENTRAL || is_plausible (data, length)))
            return TRUE;
        }

      offset += 2;
    }

  scan->lost = TRUE;
  return TRUE;
}

/* Finds the next thing that looks like a local header or the directory, from *@offset on. */
static gboolean
find_record (Scan *scan, guint64 *offset, GError **error)
{
  while (TRUE)
    {
      const guint8 *data;
      gsize length;

      if (!find_pk (scan, offset, error) || !look (scan, *offset, LOCAL_MAX, &data, &length, error))
        return FALSE;
      if (length < 4)
        break;

      guint32 signature = zip_record_peek_u32 (data, length);
      if (signature == ZIP_SIGNATURE_CENTRAL
          || (signature == ZIP_SIGNATURE_LOCAL && is_plausible (data, length)))
        return TRUE;
      *offset += 2;
    }

  *offset = scan->size;
  return TRUE;
}

/* Keeps @header as an entry, with a central header made for it. */
static void
keep (Scan *scan, ZipHeader *header, guint64 offset, guint facts)
{
  static const guint8 blank[ZIP_CENTRAL_SIZE] = { 'P', 'K', 1, 2 };
  gsize position = scan->raw->len;

  header->header_offset = offset;
  g_byte_array_append (scan->raw, blank, sizeof blank);
  g_byte_array_append (scan->raw, header->name, header->name_length);
  g_byte_array_append (scan->raw, header->extra, header->extra_length);

  ZipEntry *entry = zip_directory_add (scan->directory, header, position);
  entry->facts |= ZIP_ENTRY_RECOVERED | facts;
}

/* Takes the entry whose header is at *@offset, and moves behind it. */
static gboolean
take_entry (Scan *scan, guint64 *offset, gboolean *whole, GError **error)
{
  const guint8 *data;
  gsize length;
  ZipHeader header;
  guint64 next = 0;
  guint facts = 0;

  *whole = FALSE;
  if (!look (scan, *offset, LOCAL_MAX, &data, &length, error))
    return FALSE;
  if (zip_record_parse_local (data, length, &header) != ZIP_PARSE_OK || header.name == NULL
      || header.extra == NULL)
    return TRUE;

  /* The window moves while the end is looked for. */
  g_autofree guint8 *name = g_memdup2 (header.name, header.name_length);
  g_autofree guint8 *extra = g_memdup2 (header.extra, header.extra_length);
  header.name = name;
  header.extra = extra;

  guint64 start = *offset + ZIP_LOCAL_SIZE + header.name_length + header.extra_length;
  gboolean streamed = (header.flags & ZIP_FLAG_DESCRIPTOR) != 0;

  if (streamed && (header.packed_size == 0 || header.packed_size == G_MAXUINT32))
    {
      header.packed_size = 0;
      header.size = 0;
      if (!find_descriptor (scan, start, &header, &next, error))
        return FALSE;
      if (next == 0)
        {
          header.crc = 0;
          facts = ZIP_ENTRY_NO_SIZE;
          next = start;
          if (!find_record (scan, &next, error))
            return FALSE;
          header.packed_size = next > start ? next - start : 0;
        }
    }
  else
    {
      next = start + header.packed_size;
      if (next < start || next > scan->size)
        next = scan->size;
    }

  keep (scan, &header, *offset, facts);
  *offset = next;
  *whole = TRUE;
  return TRUE;
}

/* Takes what the rest of a directory at @offset says about entries that were found. */
static gboolean
merge_directory (Scan *scan, guint64 offset, gint64 shift, GError **error)
{
  gsize length = (gsize) MIN (scan->size - offset, (guint64) MERGE_MAX);
  gsize n_read = 0;
  gsize consumed = 0;
  g_autofree guint8 *bytes = g_malloc (MAX (length, 1));
  g_autoptr (ZipDirectory) central = zip_directory_new ();
  g_autoptr (GHashTable) by_offset = g_hash_table_new (g_int64_hash, g_int64_equal);
  GArray *found = scan->directory->entries;

  if (!zip_source_read (scan->source, offset, bytes, length, &n_read, error))
    return FALSE;
  (void) zip_directory_walk (central, bytes, n_read, shift, &consumed);

  for (guint i = 0; i < central->entries->len; i++)
    {
      ZipEntry *entry = &g_array_index (central->entries, ZipEntry, i);
      g_hash_table_insert (by_offset, &entry->header_offset, entry);
    }

  gsize base = scan->raw->len;
  g_byte_array_append (scan->raw, bytes, (guint) consumed);
  for (guint i = 0; i < found->len; i++)
    {
      ZipEntry *entry = &g_array_index (found, ZipEntry, i);
      const ZipEntry *better = g_hash_table_lookup (by_offset, &entry->header_offset);
      gsize position = (gsize) entry->record + ZIP_CENTRAL_SIZE;

      if (better == NULL || better->name_length != entry->name_length
          || memcmp (scan->raw->data + position, bytes + (gsize) better->record + ZIP_CENTRAL_SIZE,
                     entry->name_length) != 0)
        continue;

      guint facts = entry->facts & ZIP_ENTRY_RECOVERED;
      *entry = *better;
      entry->record = (const guint8 *) (base + (gsize) better->record);
      entry->facts |= facts;
    }

  return TRUE;
}

static gboolean
scan_all (Scan *scan, guint64 start, GError **error)
{
  guint64 offset = start;

  while (offset < scan->size && scan->raw->len < ZIP_DIRECTORY_MAX)
    {
      const guint8 *data;
      gsize length;
      gboolean whole = FALSE;

      if (!look (scan, offset, 4, &data, &length, error))
        return FALSE;

      guint32 signature = zip_record_peek_u32 (data, length);
      if (signature == ZIP_SIGNATURE_CENTRAL)
        return merge_directory (scan, offset, (gint64) start, error);
      if (signature == ZIP_SIGNATURE_LOCAL)
        {
          if (!take_entry (scan, &offset, &whole, error))
            return FALSE;
          if (whole)
            continue;
          offset += 4;
        }

      /* A descriptor behind known sizes, an unknown record, damage: on to the next header. */
      if (!find_record (scan, &offset, error))
        return FALSE;
    }

  return TRUE;
}

ZipDirectory *
zip_recovery_scan (ZipSource *source, guint64 start, GCancellable *cancellable, GError **error)
{
  gsize window_size = (gsize) MIN ((guint64) WINDOW_SIZE, MAX (zip_source_get_size (source), 1));
  g_autofree guint8 *window = g_malloc (window_size);
  g_autoptr (ZipDirectory) directory = zip_directory_new ();
  g_autoptr (GByteArray) raw = g_byte_array_new ();
  Scan scan = {
    .source = source,
    .size = zip_source_get_size (source),
    .window = window,
    .window_size = window_size,
    .cancellable = cancellable,
    .directory = directory,
    .raw = raw,
  };

  if (!scan_all (&scan, start, error))
    return NULL;

  if (directory->entries->len == 0)
    {
      g_set_error (error, ZIP_ERROR, ZIP_ERROR_TRUNCATED,
                   "local header 0 at 0x%" G_GINT64_MODIFIER "x: the file ends within it", start);
      return NULL;
    }

  zip_directory_set_raw (directory, g_byte_array_free_to_bytes (g_steal_pointer (&raw)));
  directory->comment = g_bytes_new_static ("", 0);
  directory->facts |= ZIP_READER_RECOVERED;
  zip_layout_check (directory, scan.size, scan.size);
  return g_steal_pointer (&directory);
}
