/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Compares what the directory says about places with the file and with itself. */

#include "zip-layout.h"

#include <string.h>

#include "zip-reader.h"

#define FOUR_GIB (G_GUINT64_CONSTANT (1) << 32)

static ZipEntry *
nth (ZipDirectory *directory, guint i)
{
  return &g_array_index (directory->entries, ZipEntry, i);
}

/* Whether the local header of @entry stands at @offset; if so, where its data begin. */
static gboolean
header_fits (ZipSource *source, const ZipEntry *entry, guint64 offset, guint64 *data_start,
             GError **error)
{
  guint8 bytes[ZIP_LOCAL_SIZE + 512];
  gsize length = MIN (sizeof bytes, (gsize) ZIP_LOCAL_SIZE + entry->name_length);
  gsize n_read = 0;
  ZipHeader header;

  if (!zip_source_read (source, offset, bytes, length, &n_read, error))
    return FALSE;
  if (n_read < length || zip_record_parse_local (bytes, n_read, &header) != ZIP_PARSE_OK
      || header.name_length != entry->name_length
      || memcmp (bytes + ZIP_LOCAL_SIZE, entry->record + ZIP_CENTRAL_SIZE,
                 length - ZIP_LOCAL_SIZE) != 0)
    return FALSE;

  *data_start = offset + ZIP_LOCAL_SIZE + header.name_length + header.extra_length;
  return TRUE;
}

gboolean
zip_layout_unwrap (ZipDirectory *directory, ZipSource *source, GCancellable *cancellable,
                   GError **error)
{
  guint64 file_size = zip_source_get_size (source);
  guint n = directory->entries->len;
  g_autofree guint64 *data_starts = g_new0 (guint64, n + 1);
  guint64 high = 0;
  guint64 n_tries = n + G_GUINT64_CONSTANT (100000);

  /* Writers append, so that the part above 32 bits never falls from one entry to the next. */
  for (guint i = 0; i < n; i++)
    {
      ZipEntry *entry = nth (directory, i);
      guint64 low = entry->header_offset;
      g_autoptr (GError) local_error = NULL;

      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      for (guint64 above = high; low + above < file_size && n_tries > 0; above += FOUR_GIB,
           n_tries--)
        if (header_fits (source, entry, low + above, &data_starts[i], &local_error))
          {
            high = above;
            entry->header_offset = low + above;
            if (above > 0)
              entry->facts |= ZIP_ENTRY_UNWRAPPED;
            break;
          }
      if (local_error != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&local_error));
          return FALSE;
        }
    }

  /* What lies between an entry's data and the next header tells how often its size wrapped. */
  for (guint i = 0; i < n; i++)
    {
      ZipEntry *entry = nth (directory, i);
      guint64 next = i + 1 < n ? nth (directory, i + 1)->header_offset : directory->offset;

      if (data_starts[i] == 0 || next < data_starts[i] + entry->packed_size)
        continue;

      guint64 missing = (next - data_starts[i] - entry->packed_size) / FOUR_GIB * FOUR_GIB;
      if (missing == 0)
        continue;

      entry->packed_size += missing;
      entry->facts |= ZIP_ENTRY_UNWRAPPED;
      if (entry->method == ZIP_METHOD_STORED)
        entry->size += missing;
      /* Deflate hardly ever makes data larger: the least that can be true. */
      while (entry->size < entry->packed_size - entry->packed_size / 1000)
        entry->size += FOUR_GIB;
    }

  directory->facts |= ZIP_READER_UNWRAPPED;
  zip_directory_warn (directory, "offsets above 4 GiB are recorded without ZIP64; repaired");
  return TRUE;
}

/* The least an entry takes; its local extra fields are not known without reading them. Stops at
 * the largest number rather than wrapping. */
static guint64
get_end (const ZipEntry *entry)
{
  guint64 header_end = entry->header_offset + ZIP_LOCAL_SIZE + entry->name_length;

  if (header_end < entry->header_offset || header_end + entry->packed_size < header_end)
    return G_MAXUINT64;
  return header_end + entry->packed_size;
}

static int
compare_places (gconstpointer a, gconstpointer b, gpointer user)
{
  ZipDirectory *directory = user;
  guint i = *(const guint32 *) a;
  guint k = *(const guint32 *) b;
  guint64 left = nth (directory, i)->header_offset;
  guint64 right = nth (directory, k)->header_offset;

  if (left != right)
    return left < right ? -1 : 1;
  return i < k ? -1 : i > k;
}

static gboolean
is_in_order (ZipDirectory *directory)
{
  for (guint i = 1; i < directory->entries->len; i++)
    if (nth (directory, i)->header_offset < nth (directory, i - 1)->header_offset)
      return FALSE;
  return TRUE;
}

static void
mark_overlap (ZipDirectory *directory, guint i)
{
  ZipEntry *entry = nth (directory, i);

  if (entry->facts & ZIP_ENTRY_OVERLAPS)
    return;
  entry->facts |= ZIP_ENTRY_OVERLAPS;
  directory->facts |= ZIP_READER_OVERLAPS;
  zip_directory_warn (directory,
                      "entry %u at 0x%" G_GINT64_MODIFIER "x: shares its bytes with another record",
                      i, entry->header_offset);
}

void
zip_layout_check (ZipDirectory *directory, guint64 file_size, guint64 data_limit)
{
  guint n = directory->entries->len;
  g_autofree guint32 *order = NULL;
  guint64 reached = 0;
  guint reached_by = 0;

  if (is_in_order (directory))
    {
      directory->facts |= ZIP_READER_IN_ORDER;
    }
  else
    {
      order = g_new (guint32, n);
      for (guint i = 0; i < n; i++)
        order[i] = i;
      g_qsort_with_data (order, (gint) n, sizeof *order, compare_places, directory);
    }

  for (guint k = 0; k < n; k++)
    {
      guint i = order != NULL ? order[k] : k;
      ZipEntry *entry = nth (directory, i);
      guint64 end = get_end (entry);

      if (end > file_size)
        {
          entry->facts |= ZIP_ENTRY_OUTSIDE;
          directory->facts |= ZIP_READER_TRUNCATED;
          zip_directory_warn (directory,
                              "entry %u at 0x%" G_GINT64_MODIFIER "x: ends behind the file's end",
                              i, entry->header_offset);
          continue;
        }
      if (end > data_limit)
        mark_overlap (directory, i);
      if (k > 0 && entry->header_offset < reached)
        {
          mark_overlap (directory, i);
          mark_overlap (directory, reached_by);
        }
      if (end > reached)
        {
          reached = end;
          reached_by = i;
        }
    }
}
