/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Deflate64: RFC 1951 with a window of 64 KiB, two more distances, and a longest match of 64
 * KiB. */

#include "zip-unpack-private.h"

#define END_OF_BLOCK 256u
#define N_LITERALS 288u
#define N_DISTANCES 32u

static const guint16 length_base[] = { 3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                       31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 3 };
static const guint8 length_extra[] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                       2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 16 };

typedef struct {
  ZipCode literals;
  ZipCode distances;
} Codes;

static gboolean
init_codes (ZipUnpack *self, Codes *codes, const guint8 *lengths, guint n_literals,
            guint n_distances)
{
  return (_zip_code_init (&codes->literals, lengths, n_literals)
          && _zip_code_init (&codes->distances, lengths + n_literals, n_distances))
         || _zip_unpack_corrupt (self, "a table of codes that can't be");
}

static gboolean
read_fixed (ZipUnpack *self, Codes *codes)
{
  guint8 lengths[N_LITERALS + N_DISTANCES];

  for (guint i = 0; i < N_LITERALS; i++)
    lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  for (guint i = 0; i < N_DISTANCES; i++)
    lengths[N_LITERALS + i] = 5;
  return init_codes (self, codes, lengths, N_LITERALS, N_DISTANCES);
}

/* Repeats of a length, as the code of lengths has them. */
static gboolean
read_repeat (ZipUnpack *self, guint symbol, guint *count)
{
  guint extra = 0;

  switch (symbol)
    {
    case 16:
      if (!_zip_unpack_bits (self, 2, &extra))
        return FALSE;
      *count = 3 + extra;
      return TRUE;
    case 17:
      if (!_zip_unpack_bits (self, 3, &extra))
        return FALSE;
      *count = 3 + extra;
      return TRUE;
    default:
      if (!_zip_unpack_bits (self, 7, &extra))
        return FALSE;
      *count = 11 + extra;
      return TRUE;
    }
}

static gboolean
read_dynamic (ZipUnpack *self, Codes *codes)
{
  static const guint8 order[] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
  guint8 lengths[N_LITERALS + N_DISTANCES] = { 0 };
  guint8 code_lengths[19] = { 0 };
  guint n_literals, n_distances, n_codes, n = 0;

  if (!_zip_unpack_bits (self, 5, &n_literals) || !_zip_unpack_bits (self, 5, &n_distances)
      || !_zip_unpack_bits (self, 4, &n_codes))
    return FALSE;
  n_literals += 257;
  n_distances += 1;
  n_codes += 4;
  if (n_literals > N_LITERALS)
    return _zip_unpack_corrupt (self, "a table of codes that can't be");

  for (guint i = 0; i < n_codes; i++)
    {
      guint length;

      if (!_zip_unpack_bits (self, 3, &length))
        return FALSE;
      code_lengths[order[i]] = (guint8) length;
    }
  if (!_zip_code_init (&codes->literals, code_lengths, G_N_ELEMENTS (code_lengths)))
    return _zip_unpack_corrupt (self, "a table of codes that can't be");

  while (n < n_literals + n_distances)
    {
      guint symbol;
      guint count = 1;

      if (!_zip_code_read (self, &codes->literals, FALSE, &symbol)
          || (symbol >= 16 && !read_repeat (self, symbol, &count)))
        return FALSE;
      if (n + count > n_literals + n_distances || (symbol == 16 && n == 0))
        return _zip_unpack_corrupt (self, "a table of codes that can't be");

      guint8 length = symbol < 16 ? (guint8) symbol : symbol == 16 ? lengths[n - 1] : 0;
      while (count-- > 0)
        lengths[n++] = length;
    }
  return init_codes (self, codes, lengths, n_literals, n_distances);
}

static gboolean
read_match (ZipUnpack *self, const Codes *codes, guint symbol)
{
  guint distance_symbol, extra, length, distance;

  symbol -= END_OF_BLOCK + 1;
  if (symbol >= G_N_ELEMENTS (length_base))
    return _zip_unpack_corrupt (self, "a length that does not exist");
  if (!_zip_unpack_bits (self, length_extra[symbol], &extra)
      || !_zip_code_read (self, &codes->distances, FALSE, &distance_symbol))
    return FALSE;
  length = length_base[symbol] + extra;

  if (distance_symbol < 4)
    return _zip_unpack_copy (self, distance_symbol + 1, length, FALSE);
  if (!_zip_unpack_bits (self, distance_symbol / 2 - 1, &extra))
    return FALSE;
  distance = ((2 + (distance_symbol & 1u)) << (distance_symbol / 2 - 1)) + 1 + extra;
  return _zip_unpack_copy (self, distance, length, FALSE);
}

static gboolean
read_block (ZipUnpack *self, const Codes *codes)
{
  guint symbol;

  while (_zip_code_read (self, &codes->literals, FALSE, &symbol))
    {
      if (symbol == END_OF_BLOCK)
        return TRUE;
      if (symbol < END_OF_BLOCK ? !_zip_unpack_put (self, (guint8) symbol)
                                : !read_match (self, codes, symbol))
        return FALSE;
    }
  return FALSE;
}

static gboolean
read_stored (ZipUnpack *self)
{
  guint length, check, byte;

  _zip_unpack_align (self);
  if (!_zip_unpack_bits (self, 16, &length) || !_zip_unpack_bits (self, 16, &check))
    return FALSE;
  if (length != (check ^ 0xffffu))
    return _zip_unpack_corrupt (self, "a stored block with two lengths");
  while (length-- > 0)
    if (!_zip_unpack_bits (self, 8, &byte) || !_zip_unpack_put (self, (guint8) byte))
      return FALSE;
  return TRUE;
}

gboolean
_zip_inflate64 (ZipUnpack *self)
{
  g_autofree Codes *codes = g_new (Codes, 1);
  guint last = 0;

  while (last == 0)
    {
      guint type;

      if (!_zip_unpack_bits (self, 1, &last) || !_zip_unpack_bits (self, 2, &type))
        return FALSE;
      if (type == 3)
        return _zip_unpack_corrupt (self, "a block of no known type");
      if (type == 0 ? !read_stored (self)
                    : !(type == 1 ? read_fixed (self, codes) : read_dynamic (self, codes))
                        || !read_block (self, codes))
        return FALSE;
    }
  return TRUE;
}
