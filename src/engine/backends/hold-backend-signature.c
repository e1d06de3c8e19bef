/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The table of signatures; see the header. */

#include "hold-backend-signature.h"

#include <string.h>

static const struct {
  const char *bytes;
  guint length;
  guint offset;
  HoldSignature signature;
  const char *name;
} signatures[] = {
  { "PK\3\4", 4, 0, HOLD_SIGNATURE_ZIP, NULL },
  { "PK\5\6", 4, 0, HOLD_SIGNATURE_ZIP, NULL },
  { "PK\6\6", 4, 0, HOLD_SIGNATURE_ZIP, NULL },
  { "PK\7\10", 4, 0, HOLD_SIGNATURE_ZIP, NULL },
  { "PK00PK\3\4", 8, 0, HOLD_SIGNATURE_ZIP, NULL },
  { "MZ", 2, 0, HOLD_SIGNATURE_PROGRAM, NULL },
  { "\177ELF", 4, 0, HOLD_SIGNATURE_PROGRAM, NULL },
  { "#!", 2, 0, HOLD_SIGNATURE_PROGRAM, NULL },
  { "7z\274\257\47\34", 6, 0, HOLD_SIGNATURE_OTHER, NULL },
  { "Rar!\32\7", 6, 0, HOLD_SIGNATURE_OTHER, NULL },
  { "\37\213\10", 3, 0, HOLD_SIGNATURE_OTHER, NULL },
  { "\37\235", 2, 0, HOLD_SIGNATURE_OTHER, NULL },
  { "BZh", 3, 0, HOLD_SIGNATURE_OTHER, NULL },
  { "\3757zXZ", 6, 0, HOLD_SIGNATURE_OTHER, NULL },
  { "LZIP", 4, 0, HOLD_SIGNATURE_OTHER, NULL },
  { "\50\265\57\375", 4, 0, HOLD_SIGNATURE_OTHER, NULL },
  { "\4\42\115\30", 4, 0, HOLD_SIGNATURE_OTHER, NULL },
  { "\2\41\114\30", 4, 0, HOLD_SIGNATURE_OTHER, NULL },
  { "MSCF", 4, 0, HOLD_SIGNATURE_OTHER, NULL },
  { "xar!", 4, 0, HOLD_SIGNATURE_OTHER, NULL },
  { "!<arch>\n", 8, 0, HOLD_SIGNATURE_OTHER, NULL },
  { "\355\253\356\333", 4, 0, HOLD_SIGNATURE_OTHER, NULL },
  { "07070", 5, 0, HOLD_SIGNATURE_OTHER, NULL },
  { "ustar", 5, 257, HOLD_SIGNATURE_OTHER, NULL },
  { "\140\352", 2, 0, HOLD_SIGNATURE_UNREADABLE, "ARJ archives" },
  { "**ACE**", 7, 7, HOLD_SIGNATURE_UNREADABLE, "ACE archives" },
  { "LRZI", 4, 0, HOLD_SIGNATURE_UNREADABLE, "lrzip files" },
  { "GRZipII", 7, 0, HOLD_SIGNATURE_UNREADABLE, "grzip files" },
  { "\211LZO\0\r\n\32\n", 9, 0, HOLD_SIGNATURE_UNREADABLE, "lzop files" },
  { "hsqs", 4, 0, HOLD_SIGNATURE_UNREADABLE, "squashfs images" },
  { "SIT!", 4, 0, HOLD_SIGNATURE_UNREADABLE, "StuffIt archives" },
  { "StuffIt (", 9, 0, HOLD_SIGNATURE_UNREADABLE, "StuffIt archives" },
  { "MSWIM\0\0\0", 8, 0, HOLD_SIGNATURE_UNREADABLE, "Windows images (WIM)" },
  { "ALZ\1", 4, 0, HOLD_SIGNATURE_UNREADABLE, "ALZ archives" },
  { "EGGA", 4, 0, HOLD_SIGNATURE_UNREADABLE, "EGG archives" },
  { "7kSt", 4, 0, HOLD_SIGNATURE_UNREADABLE, "ZPAQ archives" },
  { "\334\247\304\375", 4, 20, HOLD_SIGNATURE_UNREADABLE, "ZOO archives" },
  { "\312\376\320\15", 4, 0, HOLD_SIGNATURE_UNREADABLE, "Pack200 files" },
  { "RE~^", 4, 0, HOLD_SIGNATURE_UNREADABLE, "RAR archives of before version 1.5" },
};

HoldSignature
hold_signature_examine (const guint8 *data, gsize length, const char **name)
{
  *name = NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (signatures); i++)
    {
      gsize end = (gsize) signatures[i].offset + signatures[i].length;

      if (length >= end
          && memcmp (data + signatures[i].offset, signatures[i].bytes, signatures[i].length) == 0)
        {
          *name = signatures[i].name;
          return signatures[i].signature;
        }
    }
  return HOLD_SIGNATURE_UNKNOWN;
}

guint64
hold_signature_zstd_window (const guint8 *data, gsize length)
{
  if (length < 18 || memcmp (data, "\50\265\57\375", 4) != 0)
    return 0;

  guint8 descriptor = data[4];
  gboolean single_segment = (descriptor & 0x20) != 0;

  if (!single_segment)
    {
      guint exponent = data[5] >> 3;
      guint mantissa = data[5] & 7;
      guint64 base = G_GUINT64_CONSTANT (1) << (10 + exponent);

      return base + base / 8 * mantissa;
    }

  /* A single segment: the window is the content, whose size follows the dictionary's number. */
  static const guint8 dictionary_lengths[] = { 0, 1, 2, 4 };
  guint position = 5 + dictionary_lengths[descriptor & 3];
  guint width = (descriptor >> 6) == 0 ? 1 : 1u << (descriptor >> 6);
  guint64 size = 0;

  for (guint i = 0; i < width; i++)
    size |= (guint64) data[position + i] << (8 * i);
  return width == 2 ? size + 256 : size;
}

gboolean
hold_signature_explain_window (HoldVolumes *volumes, GError **error)
{
  guint8 head[18];
  gsize n;
  guint64 window;
  g_autofree char *needed = NULL;

  if (!hold_volumes_read (volumes, 0, head, sizeof head, &n, NULL))
    return FALSE;
  window = hold_signature_zstd_window (head, n);
  if (window <= (G_GUINT64_CONSTANT (1) << 27))
    return FALSE;
  needed = g_format_size_full (window, G_FORMAT_SIZE_IEC_UNITS);
  g_clear_error (error);
  g_set_error (error, HOLD_ERROR, HOLD_ERROR_UNSUPPORTED,
               "this was compressed with a window of %s, and so much memory is not given to a decoder here", needed);
  return TRUE;
}
