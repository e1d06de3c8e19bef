/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* gzip members one after the other through GZlibDecompressor, which checks what RFC 1952
 * records. */

#include "hold-gunzip.h"

#include <string.h>

#define BLOCK (256 * 1024)

struct _HoldGunzip {
  HoldVolumes *volumes;
  GConverter *inflate;
  guint8 *block;
  gsize start, end;      /* what of @block is still to be unpacked */
  guint64 offset;        /* of the file, behind @block */
  gboolean at_end;       /* of the file */
  gboolean finished;
  gboolean trailing;
  gboolean has_mtime;
  gint64 mtime;
};

gboolean
hold_gunzip_is_gzip (HoldVolumes *volumes)
{
  guint8 head[4];
  gsize n;

  /* Method 8, no reserved flags. */
  return hold_volumes_read (volumes, 0, head, sizeof head, &n, NULL) && n == sizeof head
         && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8 && (head[3] & 0xe0) == 0;
}

HoldGunzip *
hold_gunzip_new (HoldVolumes *volumes)
{
  HoldGunzip *self = g_new0 (HoldGunzip, 1);

  self->volumes = hold_volumes_ref (volumes);
  self->inflate = G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP));
  self->block = g_malloc (BLOCK);
  return self;
}

void
hold_gunzip_free (HoldGunzip *self)
{
  hold_volumes_unref (self->volumes);
  g_object_unref (self->inflate);
  g_free (self->block);
  g_free (self);
}

guint64
hold_gunzip_get_consumed (HoldGunzip *self)
{
  return self->offset;
}

gboolean
hold_gunzip_has_trailing (HoldGunzip *self)
{
  return self->trailing;
}

gboolean
hold_gunzip_get_mtime (HoldGunzip *self, gint64 *seconds)
{
  if (self->has_mtime)
    *seconds = self->mtime;
  return self->has_mtime;
}

/* Moves what is left to the front and reads more behind it. */
static gboolean
fill (HoldGunzip *self, GError **error)
{
  gsize n;

  if (self->at_end)
    return TRUE;
  memmove (self->block, self->block + self->start, self->end - self->start);
  self->end -= self->start;
  self->start = 0;
  if (!hold_volumes_read (self->volumes, self->offset, self->block + self->end, BLOCK - self->end,
                          &n, error))
    return FALSE;
  if (self->offset == 0 && n >= 8)
    {
      guint32 mtime;

      memcpy (&mtime, self->block + 4, 4);
      self->mtime = GUINT32_FROM_LE (mtime);
      self->has_mtime = mtime != 0;
    }
  self->offset += n;
  self->end += n;
  self->at_end = self->offset >= hold_volumes_get_size (self->volumes);
  return TRUE;
}

/* Behind a member: another one, padding, or something foreign. */
static gboolean
next_member (HoldGunzip *self, GError **error)
{
  for (;;)
    {
      if (self->end - self->start < 4 && !fill (self, error))
        return FALSE;
      if (self->end - self->start >= 4 && self->block[self->start] == 0x1f
          && self->block[self->start + 1] == 0x8b && self->block[self->start + 2] == 8)
        {
          g_converter_reset (self->inflate);
          return TRUE;
        }
      while (self->start < self->end && self->block[self->start] == 0)
        self->start++;
      if (self->start < self->end)
        {
          /* Zeros and then a member is nothing gzip would read either. */
          self->trailing = TRUE;
          self->finished = TRUE;
          return TRUE;
        }
      if (self->at_end)
        {
          self->finished = TRUE;
          return TRUE;
        }
    }
}

static void
translate (GError **error, const GError *cause)
{
  if (g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT))
    g_set_error (error, HOLD_ERROR, HOLD_ERROR_TRUNCATED, "the gzip data ends too early");
  else
    g_set_error (error, HOLD_ERROR, HOLD_ERROR_CORRUPT,
                 "the gzip data is damaged: it does not decode, or its CRC does not fit");
}

gboolean
hold_gunzip_read (HoldGunzip *self, void *buffer, gsize length, gsize *n_read, GError **error)
{
  *n_read = 0;
  while (!self->finished)
    {
      g_autoptr (GError) local = NULL;
      GConverterResult result;
      gsize n_in = 0, n_out = 0;

      if (self->start == self->end && !fill (self, error))
        return FALSE;
      result = g_converter_convert (self->inflate, self->block + self->start,
                                    self->end - self->start, buffer, length,
                                    self->at_end ? G_CONVERTER_INPUT_AT_END : G_CONVERTER_NO_FLAGS,
                                    &n_in, &n_out, &local);
      if (result == G_CONVERTER_ERROR)
        {
          if (!self->at_end && g_error_matches (local, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT)
              && self->end - self->start < BLOCK)
            {
              if (!fill (self, error))
                return FALSE;
              continue;
            }
          translate (error, local);
          return FALSE;
        }
      self->start += n_in;
      *n_read = n_out;
      if (result == G_CONVERTER_FINISHED && !next_member (self, error))
        return FALSE;
      if (n_out > 0)
        return TRUE;
    }
  return TRUE;
}
