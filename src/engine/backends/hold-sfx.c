/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The signature alone could stand in any program that knows of 7z, so the checksum of the start header
 * behind it (7zFormat.txt, "SignatureHeader") has to be right as well. */

#include "config.h"

#include "hold-sfx.h"

#include <string.h>

#include "hold-backend-signature.h"

/* How far a program is searched, in bytes; those of 7-Zip itself have 200 KiB. */
#define SEARCH_BYTES (16 * 1024 * 1024)
#define BLOCK_BYTES (256 * 1024)

#define START_HEADER_BYTES 32

gboolean
hold_sfx_is_program (HoldVolumes *volumes)
{
  guint8 head[HOLD_SIGNATURE_BYTES];
  const char *name;
  gsize n;

  return hold_volumes_read (volumes, 0, head, sizeof head, &n, NULL) &&
         hold_signature_examine (head, n, &name) == HOLD_SIGNATURE_PROGRAM;
}

static guint32
u32 (const guint8 *data)
{
  return data[0] | (guint32) data[1] << 8 | (guint32) data[2] << 16 | (guint32) data[3] << 24;
}

/* CRC-32 of so few bytes that it needs no table. */
static guint32
crc32_of (const guint8 *data,
          gsize         length)
{
  guint32 crc = 0xffffffff;

  for (gsize i = 0; i < length; i++)
    {
      crc ^= data[i];
      for (guint bit = 0; bit < 8; bit++)
        crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
    }
  return ~crc;
}

static gboolean
is_start_header (const guint8 *data)
{
  return memcmp (data, "7z\xbc\xaf\x27\x1c", 6) == 0 && crc32_of (data + 12, 20) == u32 (data + 8);
}

gboolean
hold_sfx_find_seven_zip (HoldVolumes  *volumes,
                         guint64      *offset,
                         GError      **error)
{
  g_autofree guint8 *block = g_malloc (BLOCK_BYTES);
  gsize n = BLOCK_BYTES;

  /* Blocks overlap, so that no header is cut in two. */
  for (guint64 at = 0; at < SEARCH_BYTES && n == BLOCK_BYTES; at += BLOCK_BYTES - START_HEADER_BYTES)
    {
      if (!hold_volumes_read (volumes, at, block, BLOCK_BYTES, &n, error))
        return FALSE;
      for (gsize i = 0; i + START_HEADER_BYTES <= n; i++)
        {
          const guint8 *next = memchr (block + i, '7', n - START_HEADER_BYTES - i + 1);

          if (next == NULL)
            break;
          i = (gsize) (next - block);
          if (is_start_header (next))
            {
              *offset = at + i;
              return TRUE;
            }
        }
    }
  return FALSE;
}
