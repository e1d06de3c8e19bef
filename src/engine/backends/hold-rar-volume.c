/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Walks RAR 1.5–4 and RAR 5 block headers just far enough to learn which volume of a set this
 * is. */

#include "hold-rar-volume.h"

#include <string.h>
#include <unistd.h>

#define MAX_BLOCKS 100000
#define HEAD 64

static const guint8 signature_4[] = { 'R', 'a', 'r', '!', 0x1a, 0x07, 0x00 };
static const guint8 signature_5[] = { 'R', 'a', 'r', '!', 0x1a, 0x07, 0x01, 0x00 };

static gsize
read_at (int fd, guint64 offset, guint8 *buffer, gsize length)
{
  gssize n = offset <= G_MAXINT64 ? pread (fd, buffer, length, (off_t) offset) : 0;

  return n > 0 ? (gsize) n : 0;
}

static guint16
u16 (const guint8 *p)
{
  return (guint16) (p[0] | p[1] << 8);
}

static guint32
u32 (const guint8 *p)
{
  return (guint32) u16 (p) | (guint32) u16 (p + 2) << 16;
}

/* A RAR 5 number: seven bits a byte, lowest first. */
static gboolean
vint (const guint8 *data, gsize length, gsize *position, guint64 *value)
{
  *value = 0;
  for (guint shift = 0; shift < 63 && *position < length; shift += 7)
    {
      guint8 byte = data[(*position)++];

      *value |= (guint64) (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0)
        return TRUE;
    }
  return FALSE;
}

static void
examine_4 (int fd, HoldRarVolume *volume)
{
  guint64 offset = sizeof signature_4;
  guint8 head[HEAD];

  for (guint i = 0; i < MAX_BLOCKS; i++)
    {
      if (read_at (fd, offset, head, 11) < 7)
        return;

      guint8 type = head[2];
      guint16 flags = u16 (head + 3);
      guint64 size = u16 (head + 5);

      if (size < 7)
        return;
      if (type == 0x73)
        {
          volume->is_volume = (flags & 0x0001) != 0;
          volume->new_names = (flags & 0x0010) != 0;
          volume->is_first = !volume->is_volume || (flags & 0x0100) != 0;
          volume->headers_encrypted = (flags & 0x0080) != 0;
          if (volume->headers_encrypted)
            return;
        }
      else if (type == 0x7b)
        {
          volume->has_end = TRUE;
          volume->more_follow = (flags & 0x0001) != 0;
          return;
        }
      /* File and service blocks always carry the size of their data, of which the high half
       * may follow; others do so where the flag says it. */
      if ((flags & 0x8000) != 0 || type == 0x74 || type == 0x7a)
        {
          size += u32 (head + 7);
          if ((type == 0x74 || type == 0x7a) && (flags & 0x0100) != 0
              && read_at (fd, offset + 32, head, 4) == 4)
            size += (guint64) u32 (head) << 32;
        }
      offset += size;
    }
}

static void
examine_5 (int fd, HoldRarVolume *volume)
{
  guint64 offset = sizeof signature_5;
  guint8 head[HEAD];

  volume->new_names = TRUE;
  for (guint i = 0; i < MAX_BLOCKS; i++)
    {
      gsize length = read_at (fd, offset, head, sizeof head);
      gsize position = 4;
      guint64 size, type, flags, skip, data = 0;

      if (!vint (head, length, &position, &size) || size == 0 || size > G_MAXUINT32)
        return;

      guint64 next = offset + position + size;

      if (!vint (head, length, &position, &type) || !vint (head, length, &position, &flags)
          || ((flags & 0x01) != 0 && !vint (head, length, &position, &skip))
          || ((flags & 0x02) != 0 && !vint (head, length, &position, &data)))
        return;
      if (type == 4)
        {
          volume->headers_encrypted = TRUE;
          return;
        }
      if (type == 1)
        {
          guint64 archive_flags, number = 0;

          if (!vint (head, length, &position, &archive_flags))
            return;
          if ((archive_flags & 0x02) != 0 && !vint (head, length, &position, &number))
            return;
          volume->is_volume = (archive_flags & 0x01) != 0;
          volume->is_first = number == 0;
        }
      else if (type == 5)
        {
          guint64 end_flags;

          volume->has_end = vint (head, length, &position, &end_flags);
          volume->more_follow = volume->has_end && (end_flags & 0x01) != 0;
          return;
        }
      if (data > G_MAXINT64 || next > G_MAXINT64 - data)
        return;
      offset = next + data;
    }
}

void
hold_rar_volume_examine (int fd, HoldRarVolume *volume)
{
  guint8 head[sizeof signature_5];

  *volume = (HoldRarVolume) { 0 };
  if (read_at (fd, 0, head, sizeof head) < sizeof head)
    return;

  if (memcmp (head, signature_5, sizeof signature_5) == 0)
    {
      volume->is_rar = volume->is_first = TRUE;
      examine_5 (fd, volume);
    }
  else if (memcmp (head, signature_4, sizeof signature_4) == 0)
    {
      volume->is_rar = volume->is_first = TRUE;
      examine_4 (fd, volume);
    }
}

/* Is there an encryption record (type 1) among the extra records at the end of a header? */
static gboolean
has_encryption_record (const guint8 *data, gsize length)
{
  gsize position = 0;
  guint64 size, type;

  while (position < length && vint (data, length, &position, &size))
    {
      gsize start = position;

      if (size == 0 || size > length - start || !vint (data, length, &position, &type))
        return FALSE;
      if (type == 1)
        return TRUE;
      position = start + (gsize) size;
    }
  return FALSE;
}

void
hold_rar_volume_list_encrypted (int fd, GArray *encrypted)
{
  guint64 offset = sizeof signature_5;
  guint8 head[4096];

  if (read_at (fd, 0, head, sizeof signature_5) < sizeof signature_5
      || memcmp (head, signature_5, sizeof signature_5) != 0)
    return;
  for (guint i = 0; i < MAX_BLOCKS; i++)
    {
      gsize length = read_at (fd, offset, head, sizeof head);
      gsize position = 4;
      guint64 size, type, flags, extra = 0, data = 0;

      if (!vint (head, length, &position, &size) || size == 0 || size > G_MAXUINT32)
        return;

      gsize start = position;

      if (!vint (head, length, &position, &type) || !vint (head, length, &position, &flags)
          || ((flags & 0x01) != 0 && !vint (head, length, &position, &extra))
          || ((flags & 0x02) != 0 && !vint (head, length, &position, &data)) || type == 4 || type == 5)
        return;
      /* Not what only goes on from the volume before. */
      if (type == 2 && (flags & 0x08) == 0)
        {
          gboolean found = extra <= size && start + size <= length
                           && has_encryption_record (head + start + size - extra, (gsize) extra);

          g_array_append_val (encrypted, found);
        }
      if (data > G_MAXINT64 || offset > G_MAXINT64 - data - start - size)
        return;
      offset += start + size + data;
    }
}
