/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Archives that were cut, scratched or made up. Nothing may crash or run away; what can still be
 * read must be right, and an error must be one of ours.
 */

#include <string.h>
#include <time.h>

#include "zip-test.h"

#define TEXT_A "The quick brown fox jumps over the lazy dog, over and over and over and over."
#define TEXT_B "Stored as it is."

static const char *const archives[] = {
  "a.txt|" TEXT_A "|deflate\nb.txt|" TEXT_B "|\nd/||mode=040755\nc.txt|" TEXT_A
  "|deflate comment=c\n|comment=archive\n",
  "a.txt|" TEXT_A "|deflate streamed\nb.txt|" TEXT_B "|streamed\nd/||mode=040755\nc.txt|" TEXT_A
  "|deflate streamed comment=c\n|comment=archive\n",
  "a.txt|" TEXT_A "|deflate zip64\nb.txt|" TEXT_B
  "|streamed descriptor=nosig\nd/||mode=040755\nc.txt|" TEXT_A
  "|deflate streamed descriptor=64 ut=1000000000\n|zip64\n",
};

/* Reads everything; @strict: an entry that reads has the content it once had. Returns how many
 * did. */
static guint
read_all (ZipReader *reader, gboolean strict)
{
  guint n_good = 0;

  for (guint i = 0; i < zip_reader_get_n_entries (reader); i++)
    {
      const ZipEntry *entry = zip_reader_get_entry (reader, i);
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) bytes = zip_test_read (reader, i, &error);
      g_autoptr (GError) ignored = NULL;
      g_auto (ZipEntryParts) parts = { 0 };
      guint64 offset;
      guint64 length;
      ZipTimes times;
      gsize name_length = 0;
      const char *name = zip_entry_get_name (entry, &name_length);

      zip_entry_get_times (entry, &times);
      (void) zip_name_get_unicode (entry, &name_length);
      (void) zip_reader_get_entry_extent (reader, i, &offset, &length, NULL);
      (void) zip_reader_get_entry_parts (reader, i, &parts, &ignored);

      if (bytes == NULL)
        {
          g_assert_true (error->domain == ZIP_ERROR || error->domain == G_IO_ERROR);
          continue;
        }
      g_assert_no_error (error);
      n_good++;
      if (!strict)
        continue;

      const char *expected = name[0] == 'd' ? "" : name[0] == 'b' ? TEXT_B : TEXT_A;
      g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), expected,
                       strlen (expected));
    }

  return n_good;
}

static void
test_truncated (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (archives); k++)
    {
      g_autoptr (GBytes) archive = zip_builder_from_text (archives[k]);
      gsize length = g_bytes_get_size (archive);
      guint n_before = 0;

      for (gsize cut = 0; cut < length; cut++)
        {
          g_autoptr (GBytes) part = g_bytes_new_from_bytes (archive, 0, cut);
          g_autoptr (GError) error = NULL;
          g_autoptr (ZipReader) reader = zip_test_open (part, &error);

          if (reader == NULL)
            {
              g_assert_cmpuint (cut, <, 60);
              g_assert_true (g_error_matches (error, ZIP_ERROR, ZIP_ERROR_NOT_ZIP)
                             || g_error_matches (error, ZIP_ERROR, ZIP_ERROR_TRUNCATED));
              continue;
            }

          g_assert_true (zip_reader_get_facts (reader)
                         & (ZIP_READER_RECOVERED | ZIP_READER_TRUNCATED));
          g_assert_cmpuint (zip_reader_get_warnings (reader)->len, >, 0);

          /* The more there is, the more can be read. */
          guint n = read_all (reader, TRUE);
          g_assert_cmpuint (n, >=, n_before);
          n_before = n;
        }

      g_assert_cmpuint (n_before, ==, 4);
    }
}

/* With the directory cut off, what is left of it still tells modes and comments. */
static void
test_merged (void)
{
  g_autoptr (GBytes) archive = zip_builder_from_text ("a|hello|mode=0100755 comment=kept streamed\n"
                                                      "b|world|mode=0100644\n");
  g_autoptr (GBytes) part = g_bytes_new_from_bytes (archive, 0, g_bytes_get_size (archive) - 40);
  g_autoptr (GError) error = NULL;
  g_autoptr (ZipReader) reader = zip_test_open (part, &error);
  guint32 mode = 0;
  gsize length = 0;

  g_assert_no_error (error);
  g_assert_true (zip_reader_get_facts (reader) & ZIP_READER_RECOVERED);
  zip_test_assert_entry (reader, 0, "a", "hello");
  zip_test_assert_entry (reader, 1, "b", "world");
  g_assert_true (zip_entry_get_unix_mode (zip_reader_get_entry (reader, 0), &mode));
  g_assert_cmpuint (mode, ==, 0100755);
  (void) zip_entry_get_comment (zip_reader_get_entry (reader, 0), &length);
  g_assert_cmpuint (length, ==, 4);
}

/* A directory scratched in the middle gives way to the local headers. */
static void
test_scratched_directory (void)
{
  g_autoptr (GBytes) archive = zip_builder_from_text (archives[1]);
  gsize length = 0;
  const guint8 *data = g_bytes_get_data (archive, &length);
  g_autofree guint8 *copy = g_memdup2 (data, length);
  guint n_found = 0;

  for (gsize i = 0; i + 4 < length; i++)
    if (memcmp (data + i, "PK\001\002", 4) == 0 && n_found++ == 1)
      copy[i] = 'X';

  g_autoptr (GBytes) bytes = g_bytes_new (copy, length);
  g_autoptr (GError) error = NULL;
  g_autoptr (ZipReader) reader = zip_test_open (bytes, &error);
  g_assert_no_error (error);
  g_assert_true (zip_reader_get_facts (reader) & ZIP_READER_RECOVERED);
  g_assert_cmpuint (read_all (reader, TRUE), ==, 4);
}

/* A stored ZIP inside a streamed entry must not be taken for the outer one's entries. */
static void
test_recover_nested (void)
{
  g_autoptr (GBytes) inner = zip_builder_from_text ("inner|inside|\n"
                                                    "more|" TEXT_A "|streamed deflate\n");
  g_autoptr (ZipBuilder) builder = zip_builder_new ();
  g_autoptr (GError) error = NULL;
  gsize length = 0;
  const guint8 *data = g_bytes_get_data (inner, &length);

  zip_builder_add_bytes (builder, "nested.zip", data, length, "streamed");
  zip_builder_add (builder, "after", TEXT_B, "streamed");
  g_autoptr (GBytes) archive = zip_builder_finish (builder, "no-end");
  g_autoptr (ZipReader) reader = zip_test_open (archive, &error);

  /* The inner archive's end record is the only one; either way of reading is defensible, losing
   * the outer entry is not. */
  g_assert_no_error (error);
  g_assert_cmpuint (read_all (reader, FALSE), ==, zip_reader_get_n_entries (reader));
  g_assert_cmpuint (zip_reader_get_n_entries (reader), ==, 2);
}

static void
test_flipped_bits (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (archives); k++)
    {
      g_autoptr (GBytes) archive = zip_builder_from_text (archives[k]);
      gsize length = 0;
      const guint8 *data = g_bytes_get_data (archive, &length);

      for (gsize bit = 0; bit < length * 8; bit += 3)
        {
          g_autofree guint8 *copy = g_memdup2 (data, length);
          copy[bit / 8] ^= (guint8) (1u << (bit % 8));

          g_autoptr (GBytes) bytes = g_bytes_new_take (g_steal_pointer (&copy), length);
          g_autoptr (GError) error = NULL;
          g_autoptr (ZipReader) reader = zip_test_open (bytes, &error);

          if (reader != NULL)
            (void) read_all (reader, FALSE);
          else
            g_assert_true (error->domain == ZIP_ERROR);
        }
    }
}

static gboolean
collect_cb (gpointer user, const guint8 *data, gsize length, GError **error)
{
  g_byte_array_append (user, data, (guint) length);
  return TRUE;
}

/* G06: of a damaged entry everything up to the damage is handed out, and the error still told. */
static void
test_salvage (void)
{
  static const gsize sizes[] = { 100000, ZIP_CODEC_WHOLE_MAX + 100000 };
  g_autoptr (ZipWorkspace) workspace = zip_workspace_new ();

  for (guint k = 0; k < 16; k++)
    {
      gsize size = sizes[k % 2];
      gboolean deflate = k / 2 % 2;
      guint damage = k / 4 % 3; /* cut, a flipped bit, a wrong checksum */
      gboolean streamed = k >= 12; /* and cut */
      g_autoptr (ZipBuilder) builder = zip_builder_new ();
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      g_autoptr (GByteArray) copy = g_byte_array_new ();
      g_autoptr (GError) error = NULL;
      g_autofree guint8 *noise = zip_builder_random (k, size);
      g_autofree char *options = g_strdup_printf ("%s %s %s", deflate ? "deflate" : "",
                                                  damage == 2 ? "crc=1" : "",
                                                  streamed ? "streamed" : "");

      /* Six bits of eight: it compresses, and has no repetitions to speak of. */
      for (gsize i = 0; i < size; i++)
        noise[i] &= 0x3f;
      zip_builder_add_bytes (builder, "entry", noise, size, options);
      g_autoptr (GBytes) archive = zip_builder_finish (builder, damage == 0 ? "no-end" : NULL);
      gsize length = g_bytes_get_size (archive);
      g_byte_array_append (copy, g_bytes_get_data (archive, NULL), (guint) length);
      if (damage == 0)
        g_byte_array_set_size (copy, (guint) (length / 4 * 3));
      if (damage == 1)
        memset (copy->data + length / 4 * 3, deflate ? 0 : 0xff, 64);

      g_autoptr (GBytes) damaged = g_byte_array_free_to_bytes (g_steal_pointer (&copy));
      g_autoptr (ZipReader) reader = zip_test_open (damaged, &error);
      g_assert_no_error (error);
      g_assert_false (zip_reader_read_entry (reader, 0, workspace, collect_cb, bytes, NULL,
                                             &error));
      g_assert_true (error->domain == ZIP_ERROR);
      g_assert_cmpint (error->code, ==,
                       damage == 0   ? ZIP_ERROR_TRUNCATED
                       : damage == 2 ? ZIP_ERROR_CHECKSUM
                                     : error->code);
      g_assert_cmpuint (bytes->len, <=, size);
      g_assert_cmpuint (bytes->len, >=, size / 100 * 70);
      g_assert_cmpmem (bytes->data, size / 100 * 70, noise, size / 100 * 70);
    }
}

/* A file full of signatures: the work stays in proportion to its size. */
static void
test_signatures (void)
{
  static const char *const patterns[] = {
    "PK\005\006",
    "PK\003\004",
    "PK\001\002",
    "PK\007\010",
    "PK\006\006",
    "PKPK",
    ("PK\003\004\024\000\010\000\010\000\000\000\000\000\000\000"
     "\000\000\000\000\000\000\000\000\000\000\001\000\000\000a"),
  };
  const gsize size = 2000000;

  for (guint k = 0; k < G_N_ELEMENTS (patterns); k++)
    {
      gsize step = k == 6 ? 31 : 4;
      g_autofree guint8 *data = g_malloc (size);

      for (gsize i = 0; i < size; i++)
        data[i] = (guint8) patterns[k][i % step];

      g_autoptr (GBytes) bytes = g_bytes_new_take (g_steal_pointer (&data), size);
      g_autoptr (GError) error = NULL;
      clock_t start = clock (); /* of this process alone, whatever else the machine does */
      g_autoptr (ZipReader) reader = zip_test_open (bytes, &error);
      double seconds = (double) (clock () - start) / CLOCKS_PER_SEC;

      g_test_message ("pattern %u: %.2f s", k, seconds);
      g_assert_cmpfloat (seconds, <, 10.0);
      if (reader != NULL)
        g_assert_cmpuint (zip_source_get_n_bytes (zip_reader_get_source (reader)), <, 20 * size);
    }
}

static void
test_noise (void)
{
  for (guint seed = 0; seed < 2000; seed++)
    {
      gsize length = 60 + seed * 7 % 3000;
      g_autofree guint8 *noise = zip_builder_random (seed, length);

      /* Noise between true records gets further than noise alone. */
      memcpy (noise, "PK\003\004", 4);
      if (seed % 2 == 0)
        memcpy (noise + length - 22, "PK\005\006", 4);
      if (seed % 4 == 0)
        {
          guint32 offset = GUINT32_TO_LE (4);
          memcpy (noise + 4, "PK\001\002", 4);
          memset (noise + length - 18, 0, 18);
          memcpy (noise + length - 6, &offset, 4);
          noise[length - 12] = 1;
        }

      g_autoptr (GBytes) bytes = g_bytes_new (noise, length);
      g_autoptr (GError) error = NULL;
      g_autoptr (ZipReader) reader = zip_test_open (bytes, &error);
      if (reader != NULL)
        (void) read_all (reader, FALSE);
      else
        g_assert_true (error->domain == ZIP_ERROR);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/zip/damage/truncated", test_truncated);
  g_test_add_func ("/zip/damage/merged", test_merged);
  g_test_add_func ("/zip/damage/scratched-directory", test_scratched_directory);
  g_test_add_func ("/zip/damage/recover-nested", test_recover_nested);
  g_test_add_func ("/zip/damage/flipped-bits", test_flipped_bits);
  g_test_add_func ("/zip/damage/salvage", test_salvage);
  g_test_add_func ("/zip/damage/signatures", test_signatures);
  g_test_add_func ("/zip/damage/noise", test_noise);

  return g_test_run ();
}
