/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Two small parsers that only look for what libarchive stumbles over; see the header. */

#include "hold-libarchive-guard.h"

#include <string.h>

#define SECTOR 2048u
#define MAX_FOLDERS 50000u
#define MAX_BYTES (G_GUINT64_CONSTANT (64) << 20)
#define MAX_FOLDER_BYTES (4u << 20)
#define MAX_CONTINUATIONS 32u

typedef struct {
  HoldVolumes *volumes;
  GHashTable *seen;     /* block numbers of folders */
  GArray *queue;        /* of Extent */
  guint64 n_bytes;
} Iso;

typedef struct {
  guint32 block;
  guint32 length;
} Extent;

static guint32
u32 (const guint8 *p)
{
  guint32 value;

  memcpy (&value, p, sizeof value);
  return GUINT32_FROM_LE (value);
}

gboolean
hold_libarchive_guard_is_iso (HoldVolumes *volumes)
{
  guint8 mark[6];
  gsize n;

  return hold_volumes_read (volumes, 16 * SECTOR, mark, sizeof mark, &n, NULL) && n == sizeof mark
         && memcmp (mark + 1, "CD001", 5) == 0;
}

static gboolean
set_loop (GError **error)
{
  g_set_error (error, HOLD_ERROR, HOLD_ERROR_CORRUPT,
               "the disc image is damaged: a Rock Ridge record leads back to itself");
  return FALSE;
}

/* Looks for a continuation in the fields at @data. @next: (out): where it lies; length 0 if there
 * is none. */
static void
find_continuation (const guint8 *data, gsize length, Extent *next, guint32 *offset)
{
  *next = (Extent) { 0, 0 };
  for (gsize i = 0; i + 4 <= length && data[i + 2] >= 4; i += data[i + 2])
    if (data[i] == 'C' && data[i + 1] == 'E' && data[i + 2] >= 28 && i + 28 <= length)
      {
        *next = (Extent) { u32 (data + i + 4), u32 (data + i + 20) };
        *offset = u32 (data + i + 12);
        return;
      }
}

static gboolean
follow_continuations (Iso *self, const guint8 *data, gsize length, GError **error)
{
  guint8 area[SECTOR];
  Extent next;
  guint32 offset = 0;

  find_continuation (data, length, &next, &offset);
  for (guint i = 0; next.length > 0; i++)
    {
      gsize n;

      if (i >= MAX_CONTINUATIONS)
        return set_loop (error);
      if (!hold_volumes_read (self->volumes, (guint64) next.block * SECTOR + offset, area,
                              MIN (next.length, SECTOR), &n, error))
        return FALSE;
      find_continuation (area, n, &next, &offset);
    }
  return TRUE;
}

static void
enqueue (Iso *self, guint32 block, guint32 length)
{
  Extent extent = { block, length };

  if (g_hash_table_size (self->seen) < MAX_FOLDERS && g_hash_table_add (self->seen, GUINT_TO_POINTER (block)))
    g_array_append_val (self->queue, extent);
}

static gboolean
check_folder (Iso *self, const guint8 *data, gsize length, GError **error)
{
  for (gsize i = 0; i + 34 <= length;)
    {
      guint8 size = data[i];
      gsize name_end;

      /* Records do not cross sectors; the rest of one is zeros. */
      if (size < 34)
        {
          i = (i / SECTOR + 1) * SECTOR;
          continue;
        }
      if (i + size > length)
        break;
      name_end = 33u + data[i + 32];
      name_end += (data[i + 32] & 1) == 0;
      if ((data[i + 25] & 0x02) != 0 && !(data[i + 32] == 1 && data[i + 33] <= 1))
        enqueue (self, u32 (data + i + 2), u32 (data + i + 10));
      if (name_end < size && !follow_continuations (self, data + i + name_end, size - name_end, error))
        return FALSE;
      i += size;
    }
  return TRUE;
}

static gboolean
check_iso (HoldVolumes *volumes, GCancellable *cancellable, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) queue = g_array_new (FALSE, FALSE, sizeof (Extent));
  Iso self = { .volumes = volumes, .seen = seen, .queue = queue };
  guint8 descriptor[SECTOR];
  gsize n;

  if (!hold_volumes_read (volumes, 16 * SECTOR, descriptor, sizeof descriptor, &n, error))
    return FALSE;
  /* Other block sizes than that of the sectors are not in use. */
  if (n < sizeof descriptor || descriptor[0] != 1 || descriptor[128] != 0 || descriptor[129] != SECTOR >> 8)
    return TRUE;

  enqueue (&self, u32 (descriptor + 158), u32 (descriptor + 166));
  for (guint i = 0; i < queue->len && self.n_bytes < MAX_BYTES; i++)
    {
      Extent extent = g_array_index (queue, Extent, i);
      gsize length = MIN (extent.length, MAX_FOLDER_BYTES);
      g_autofree guint8 *data = g_malloc (length + 1);

      if (g_cancellable_set_error_if_cancelled (cancellable, error)
          || !hold_volumes_read (volumes, (guint64) extent.block * SECTOR, data, length, &n, error)
          || !check_folder (&self, data, n, error))
        return FALSE;
      self.n_bytes += n;
    }
  return TRUE;
}

/* A 7-Zip number: the first byte says by its leading ones how many follow. */
static gboolean
seven_zip_number (const guint8 **at, const guint8 *end, guint64 *value)
{
  guint8 first, mask = 0x80;

  if (*at >= end)
    return FALSE;
  first = *(*at)++;
  *value = 0;
  for (guint i = 0; i < 8; i++, mask >>= 1)
    {
      if ((first & mask) == 0)
        {
          *value |= (guint64) (first & (mask - 1)) << (8 * i);
          return TRUE;
        }
      if (*at >= end)
        return FALSE;
      *value |= (guint64) *(*at)++ << (8 * i);
    }
  return TRUE;
}

/* Walks over the pack information to the number of folders; gives up quietly where it does not
 * understand. */
static guint64
count_folders (const guint8 *at, const guint8 *end)
{
  guint64 n_streams, value;

  if (at < end && *at == 0x01)
    at++;
  if (at < end && (*at == 0x04 || *at == 0x17))
    at++;
  if (at >= end || *at++ != 0x06 || !seven_zip_number (&at, end, &value)
      || !seven_zip_number (&at, end, &n_streams) || n_streams > (guint64) (end - at))
    return 0;
  for (guint fields = 0; fields < 4 && at < end; fields++)
    {
      guint8 id = *at++;

      if (id == 0x00)
        break;
      if (id == 0x09)
        for (guint64 i = 0; i < n_streams; i++)
          if (!seven_zip_number (&at, end, &value))
            return 0;
      if (id == 0x0a)
        {
          guint64 n_digests = n_streams;

          if (at < end && *at++ == 0)
            {
              n_digests = 0;
              for (guint64 i = 0; i < n_streams && at + i / 8 < end; i++)
                n_digests += (at[i / 8] >> (7 - i % 8)) & 1;
              at += (n_streams + 7) / 8;
            }
          if (at >= end || n_digests * 4 > (guint64) (end - at))
            return 0;
          at += n_digests * 4;
        }
    }
  if (end - at < 3 || at[0] != 0x07 || at[1] != 0x0b)
    return 0;
  at += 2;
  return seven_zip_number (&at, end, &value) ? value : 0;
}

static gboolean
check_seven_zip (HoldVolumes *volumes, const guint8 *head, GError **error)
{
  guint64 offset = u32 (head + 12) | (guint64) u32 (head + 16) << 32;
  guint64 length = u32 (head + 20) | (guint64) u32 (head + 24) << 32;
  g_autofree guint8 *data = NULL;
  gsize n;

  if (length == 0 || offset > hold_volumes_get_size (volumes))
    return TRUE;
  /* The number stands near the start, behind one number per packed stream. The header may be cut off
   * behind it. */
  length = MIN (length, hold_volumes_get_size (volumes));
  data = g_malloc (MIN (length, 1u << 20));
  if (!hold_volumes_read (volumes, 32 + offset, data, (gsize) MIN (length, 1u << 20), &n, error))
    return FALSE;
  if (count_folders (data, data + n) <= length)
    return TRUE;
  g_set_error (error, HOLD_ERROR, HOLD_ERROR_CORRUPT,
               "the 7z header is damaged: it counts more folders than it has bytes");
  return FALSE;
}

gboolean
hold_libarchive_guard_check (HoldVolumes *volumes, GCancellable *cancellable, GError **error)
{
  guint8 head[32];
  gsize n;

  if (!hold_volumes_read (volumes, 0, head, sizeof head, &n, error))
    return FALSE;
  if (n == sizeof head && memcmp (head, "7z\xbc\xaf\x27\x1c", 6) == 0)
    return check_seven_zip (volumes, head, error);
  if (hold_libarchive_guard_is_iso (volumes))
    return check_iso (volumes, cancellable, error);
  return TRUE;
}
