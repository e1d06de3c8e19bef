/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* The old methods against streams that are made here bit by bit, and against noise. */

#include <string.h>
#include <zlib.h>

#include "zip-builder.h"
#include "zip-error.h"
#include "zip-unpack.h"

/* Bits out, the first one lowest. */
typedef struct {
  GByteArray *bytes;
  guint n_bits;
} Bits;

static void
put (Bits *self, guint value, guint n)
{
  for (guint i = 0; i < n; i++, self->n_bits++)
    {
      guint8 zero = 0;

      if (self->n_bits % 8 == 0)
        g_byte_array_append (self->bytes, &zero, 1);
      self->bytes->data[self->n_bits / 8] |= (guint8) (((value >> i) & 1) << (self->n_bits % 8));
    }
}

/* A prefix code, its highest bit first. */
static void
put_code (Bits *self, guint code, guint n)
{
  while (n-- > 0)
    put (self, code >> n & 1, 1);
}

typedef struct {
  const guint8 *data;
  gsize left;
  gsize step;
} Input;

/* In small pieces, so that every refill is somewhere in a code. */
static gboolean
pull (gpointer user, const guint8 **data, gsize *length, GError **error)
{
  Input *input = user;

  *data = input->data;
  *length = MIN (input->left, input->step);
  input->data += *length;
  input->left -= *length;
  return TRUE;
}

static gboolean
collect (gpointer user, const guint8 *data, gsize length, GError **error)
{
  g_assert_cmpuint (length, >, 0);
  g_byte_array_append (user, data, (guint) length);
  return TRUE;
}

static GByteArray *
unpack (guint16 method, guint16 flags, const GByteArray *packed, guint64 size, GError **error)
{
  Input input = { packed->data, packed->len, 3 };
  g_autoptr (GByteArray) out = g_byte_array_new ();

  if (!zip_unpack (method, flags, size, pull, &input, collect, out, NULL, error))
    return NULL;
  g_assert_cmpuint (out->len, ==, size);
  return g_steal_pointer (&out);
}

static void
test_deflate64_blocks (void)
{
  g_autofree guint8 *content = zip_builder_random (7, 300000);
  g_autoptr (GByteArray) packed = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  z_stream z = { 0 };

  /* Compressible, but without runs: Deflate's longest match has another code here. */
  for (guint i = 0; i < 300000; i++)
    content[i] = (i / 200) % 2 == 0 ? content[i] : content[i % 1000];

  g_byte_array_set_size (packed, 400000);
  g_assert_cmpint (deflateInit2 (&z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), ==, Z_OK);
  z.next_in = content;
  z.avail_in = 300000;
  z.next_out = packed->data;
  z.avail_out = packed->len;
  g_assert_cmpint (deflate (&z, Z_FINISH), ==, Z_STREAM_END);
  g_byte_array_set_size (packed, (guint) z.total_out);
  g_assert_cmpint (deflateEnd (&z), ==, Z_OK);

  g_autoptr (GByteArray) out = unpack (9, 0, packed, 300000, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (out->data, out->len, content, 300000);

  /* One byte more or less than there are is an error, and so is a cut. */
  g_assert_null (unpack (9, 0, packed, 299999, &error));
  g_assert_error (error, ZIP_ERROR, ZIP_ERROR_CORRUPT);
  g_clear_error (&error);
  g_assert_null (unpack (9, 0, packed, 300001, &error));
  g_assert_error (error, ZIP_ERROR, ZIP_ERROR_CORRUPT);
  g_clear_error (&error);
  g_byte_array_set_size (packed, packed->len / 2);
  g_assert_null (unpack (9, 0, packed, 300000, &error));
  g_assert_error (error, ZIP_ERROR, ZIP_ERROR_TRUNCATED);
}

/* What Deflate has not: a match of 65,538 bytes, and one from 65,536 bytes ago. */
static void
test_deflate64_far (void)
{
  Bits bits = { g_byte_array_new (), 0 };
  g_autoptr (GByteArray) packed = bits.bytes;
  g_autoptr (GError) error = NULL;

  put (&bits, 1, 1);
  put (&bits, 1, 2);
  put_code (&bits, 0x30 + 'a', 8);
  put_code (&bits, 0x30 + 'b', 8);
  /* Length code 285, 16 bits; distance 2. */
  put_code (&bits, 0xc0 + 285 - 280, 8);
  put (&bits, 65535, 16);
  put_code (&bits, 1, 5);
  put_code (&bits, 0x30 + 'c', 8);
  /* Length 3, distance code 31 with 14 bits: 49153 + 16383. */
  put_code (&bits, 1, 7);
  put_code (&bits, 31, 5);
  put (&bits, 16383, 14);
  put_code (&bits, 0, 7);

  g_autoptr (GByteArray) out = unpack (9, 0, packed, 65544, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (out->data, 4, "abab", 4);
  for (guint i = 0; i < 65540; i++)
    g_assert_cmpint (out->data[i], ==, i % 2 == 0 ? 'a' : 'b');
  g_assert_cmpint (out->data[65540], ==, 'c');
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (out->data[65541 + i], ==, out->data[5 + i]);
}

static void
test_implode (void)
{
  Bits bits = { g_byte_array_new (), 0 };
  g_autoptr (GByteArray) packed = bits.bytes;
  g_autoptr (GError) error = NULL;

  /* Two trees of 64 leaves, all 6 bits long: code n reads as the opposite bits of n. */
  for (guint tree = 0; tree < 2; tree++)
    {
      put (&bits, 3, 8);
      for (guint i = 0; i < 4; i++)
        put (&bits, 0xf5, 8);
    }
  for (guint i = 0; i < 3; i++)
    {
      put (&bits, 1, 1);
      put (&bits, (guint) "xyz"[i], 8);
    }
  /* Distance 3 (low bits 2, high 0), length 63 + 10 + 2. */
  put (&bits, 0, 1);
  put (&bits, 2, 6);
  put_code (&bits, 63 ^ 0, 6);
  put_code (&bits, 63 ^ 63, 6);
  put (&bits, 10, 8);
  /* Distance 79 reaches one byte before the start, which is a zero. */
  put (&bits, 0, 1);
  put (&bits, 78 & 63, 6);
  put_code (&bits, 63 ^ (78 >> 6), 6);
  put_code (&bits, 63 ^ 0, 6);

  g_autoptr (GByteArray) out = unpack (6, 0, packed, 80, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 78; i++)
    g_assert_cmpint (out->data[i], ==, "xyz"[i % 3]);
  g_assert_cmpint (out->data[78], ==, 0);
  g_assert_cmpint (out->data[79], ==, 'x');
}

static void
test_shrink (void)
{
  static const guint codes[] = { 'a', 'b', 257, 259, 256, 1 };
  Bits bits = { g_byte_array_new (), 0 };
  g_autoptr (GByteArray) packed = bits.bytes;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    put (&bits, codes[i], 9);
  /* Wider codes; then all that begins nothing is given back, and 257 (a beginning) is still
   * there. */
  put (&bits, 256, 10);
  put (&bits, 2, 10);
  put (&bits, 257, 10);
  put (&bits, 'c', 10);

  /* a b ab, then 259 = "ab" and its own first letter: "aba". */
  g_autoptr (GByteArray) out = unpack (1, 0, packed, 10, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (out->data, out->len, "abababaabc", 10);
}

/* Whatever the bits are: an error or bytes, and never more than were asked for. */
static void
test_noise (void)
{
  static const guint16 methods[] = { 1, 6, 9 };

  for (guint32 seed = 0; seed < 3000; seed++)
    {
      g_autofree guint8 *noise = zip_builder_random (seed, 400);
      g_autoptr (GByteArray) packed = g_byte_array_new ();
      g_autoptr (GError) error = NULL;

      /* A believable start reaches further into the decoders. */
      if (seed % 3 == 1)
        memcpy (noise, "\3\365\365\365\365\3\365\365\365\365", 10);
      if (seed % 3 == 2)
        noise[0] = (guint8) ((noise[0] & 0xf8) | 2 | (seed & 4));
      g_byte_array_append (packed, noise, 400);

      g_autoptr (GByteArray) out = unpack (methods[seed % 3], (guint16) (seed & 2), packed, 100000, &error);
      g_assert_true ((out == NULL) == (error != NULL));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/zip/unpack/deflate64-blocks", test_deflate64_blocks);
  g_test_add_func ("/zip/unpack/deflate64-far", test_deflate64_far);
  g_test_add_func ("/zip/unpack/implode", test_implode);
  g_test_add_func ("/zip/unpack/shrink", test_shrink);
  g_test_add_func ("/zip/unpack/noise", test_noise);
  return g_test_run ();
}
