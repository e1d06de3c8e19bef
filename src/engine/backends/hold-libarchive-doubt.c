/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Walks the block headers of cabinets and RAR 4 archives, after their published layouts, and nothing else of them. */

#include "hold-libarchive-doubt.h"

#include <string.h>

#include "hold-error.h"

/* Enough for any honest archive; a walk that is led in circles ends. */
#define BLOCKS_MAX 1000000u

#define CAB_HEADER_BYTES 36
#define CAB_FOLDER_BYTES 8
#define CAB_DATA_BYTES 8
#define CAB_HAS_RESERVE 0x0004
#define CAB_LZX 3

#define RAR_BLOCK_BYTES 32
#define RAR_FILE 0x74
#define RAR_HAS_ADDED 0x8000
#define RAR_LARGE 0x0100
#define RAR_STORED 0x30

static guint16
u16 (const guint8 *at)
{
  return (guint16) (at[0] | at[1] << 8);
}

static guint32
u32 (const guint8 *at)
{
  return (guint32) u16 (at) | (guint32) u16 (at + 2) << 16;
}

static gboolean
read_exact (HoldVolumes *volumes, guint64 offset, guint8 *bytes, gsize length)
{
  gsize n_read = 0;

  return hold_volumes_read (volumes, offset, bytes, length, &n_read, NULL) && n_read == length;
}

/* MS-CAB 2.3: CFDATA blocks follow each other; the first word is the checksum, 0 where there is none. */
static gboolean
check_cab_folder (HoldVolumes *volumes, guint64 offset, guint n_blocks, guint reserve, GError **error)
{
  guint8 data[CAB_DATA_BYTES];

  for (guint i = 0; i < n_blocks && read_exact (volumes, offset, data, sizeof data); i++)
    {
      if (u32 (data) == 0)
        {
          g_set_error_literal (error, HOLD_ERROR, HOLD_ERROR_CORRUPT,
                               "Packed data in the cabinet has no checksum, so that what comes out may be wrong");
          return FALSE;
        }
      offset += sizeof data + reserve + u16 (data + 4);
    }
  return TRUE;
}

static gboolean
check_cab (HoldVolumes *volumes, const guint8 *header, GError **error)
{
  guint n_folders = u16 (header + 26);
  guint64 offset = CAB_HEADER_BYTES;
  guint8 reserve[4] = { 0 };

  /* Names of cabinets before and after stand between; such sets are not read here anyway. */
  if ((u16 (header + 30) & 0x0003) != 0)
    return TRUE;
  if ((u16 (header + 30) & CAB_HAS_RESERVE) != 0)
    {
      if (!read_exact (volumes, offset, reserve, sizeof reserve))
        return TRUE;
      offset += sizeof reserve + u16 (reserve);
    }

  for (guint i = 0; i < n_folders; i++)
    {
      guint8 folder[CAB_FOLDER_BYTES];

      if (!read_exact (volumes, offset, folder, sizeof folder))
        return TRUE;
      if ((u16 (folder + 6) & 0x000f) == CAB_LZX &&
          !check_cab_folder (volumes, u32 (folder), u16 (folder + 4), reserve[3], error))
        return FALSE;
      offset += sizeof folder + reserve[2];
    }
  return TRUE;
}

/* A packer stores what it can't make smaller; solid archives may add a little. */
static gboolean
check_rar (HoldVolumes *volumes, GError **error)
{
  guint64 offset = 7;

  for (guint i = 0; i < BLOCKS_MAX; i++)
    {
      guint8 block[RAR_BLOCK_BYTES];
      guint64 packed = 0;

      if (!read_exact (volumes, offset, block, 7) || u16 (block + 5) < 7)
        return TRUE;
      if (block[2] == RAR_FILE || (u16 (block + 3) & RAR_HAS_ADDED) != 0)
        {
          if (!read_exact (volumes, offset, block, 11))
            return TRUE;
          packed = u32 (block + 7);
        }
      if (block[2] == RAR_FILE && (u16 (block + 3) & RAR_LARGE) == 0 &&
          read_exact (volumes, offset, block, RAR_BLOCK_BYTES) && block[25] != RAR_STORED &&
          packed > (guint64) u32 (block + 11) * 2 + 32)
        {
          g_set_error (error, HOLD_ERROR, HOLD_ERROR_CORRUPT,
                       "Packed data at 0x%" G_GINT64_MODIFIER "x is larger than what it holds, so that what comes"
                       " out may be wrong", offset);
          return FALSE;
        }
      offset += u16 (block + 5) + packed;
    }
  return TRUE;
}

gboolean
hold_libarchive_doubt_check (HoldVolumes *volumes, GError **error)
{
  guint8 header[CAB_HEADER_BYTES];

  if (!read_exact (volumes, 0, header, sizeof header))
    return TRUE;
  if (memcmp (header, "MSCF\0\0\0\0", 8) == 0)
    return check_cab (volumes, header, error);
  if (memcmp (header, "Rar!\x1a\x07\x00", 7) == 0)
    return check_rar (volumes, error);
  return TRUE;
}
