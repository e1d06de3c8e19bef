/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Implode, method 6: a sliding dictionary with Shannon-Fano trees (APPNOTE 5.3). The trees number
 * their codes from the longest down; with every bit turned round they are canonical prefix
 * codes. */

#include "zip-unpack-private.h"

#define FLAG_LARGE_DICTIONARY 0x0002u
#define FLAG_LITERAL_TREE 0x0004u

/* A tree is a list of bytes: how many symbols in a row have which length. */
static gboolean
read_tree (ZipUnpack *self, ZipCode *code, guint n_symbols)
{
  guint8 lengths[256];
  guint n_bytes, byte;
  guint n = 0;

  if (!_zip_unpack_bits (self, 8, &n_bytes))
    return FALSE;
  for (guint i = 0; i <= n_bytes; i++)
    {
      if (!_zip_unpack_bits (self, 8, &byte))
        return FALSE;
      for (guint k = 0; k <= byte >> 4; k++)
        {
          if (n >= n_symbols)
            return _zip_unpack_corrupt (self, "a tree with too many leaves");
          lengths[n++] = (guint8) ((byte & 15u) + 1);
        }
    }
  if (n < n_symbols || !_zip_code_init (code, lengths, n))
    return _zip_unpack_corrupt (self, "a tree that can't be");
  return TRUE;
}

typedef struct {
  ZipCode literals;
  ZipCode lengths;
  ZipCode distances;
} Trees;

gboolean
_zip_explode (ZipUnpack *self, guint16 flags)
{
  g_autofree Trees *trees = g_new (Trees, 1);
  gboolean has_literals = (flags & FLAG_LITERAL_TREE) != 0;
  guint low_bits = (flags & FLAG_LARGE_DICTIONARY) != 0 ? 7 : 6;

  if ((has_literals && !read_tree (self, &trees->literals, 256))
      || !read_tree (self, &trees->lengths, 64) || !read_tree (self, &trees->distances, 64))
    return FALSE;

  while (!_zip_unpack_is_full (self))
    {
      guint is_literal, value, low, high, more = 0;

      if (!_zip_unpack_bits (self, 1, &is_literal))
        return FALSE;
      if (is_literal)
        {
          if (!(has_literals ? _zip_code_read (self, &trees->literals, TRUE, &value)
                             : _zip_unpack_bits (self, 8, &value))
              || !_zip_unpack_put (self, (guint8) value))
            return FALSE;
          continue;
        }
      if (!_zip_unpack_bits (self, low_bits, &low)
          || !_zip_code_read (self, &trees->distances, TRUE, &high)
          || !_zip_code_read (self, &trees->lengths, TRUE, &value)
          || (value == 63 && !_zip_unpack_bits (self, 8, &more)))
        return FALSE;
      if (!_zip_unpack_copy (self, (high << low_bits | low) + 1, value + more + (has_literals ? 3 : 2),
                             TRUE))
        return FALSE;
    }
  return TRUE;
}
