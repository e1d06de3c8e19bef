/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Archives as odd writers make them: where the directory is, what it says, what is believed. The
 * numbers name the reports that a case was seen in.
 */

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "zip-test.h"

#define FOUR_GIB (G_GUINT64_CONSTANT (1) << 32)

static void
assert_fails (const char *text, ZipError code)
{
  g_autoptr (GBytes) archive = zip_builder_from_text (text);
  g_autoptr (GError) error = NULL;
  g_autoptr (ZipReader) reader = zip_test_open (archive, &error);

  g_assert_null (reader);
  g_assert_error (error, ZIP_ERROR, (gint) code);
}

static void
test_plain (void)
{
  g_autoptr (ZipReader) reader = zip_test_build ("a.txt|hello|\n"
                                                 "d/||mode=040755\n"
                                                 "d/b.txt|hello hello hello hello|deflate\n"
                                                 "empty||deflate comment=nothing\n"
                                                 "|comment=of%20the%20archive\n");
  gsize length = 0;
  const char *comment = zip_reader_get_comment (reader, &length);

  g_assert_cmpuint (zip_reader_get_n_entries (reader), ==, 4);
  g_assert_cmpuint (zip_reader_get_facts (reader), ==, ZIP_READER_IN_ORDER);
  g_assert_cmpuint (zip_reader_get_warnings (reader)->len, ==, 0);
  zip_test_assert_entry (reader, 0, "a.txt", "hello");
  zip_test_assert_entry (reader, 1, "d/", "");
  zip_test_assert_entry (reader, 2, "d/b.txt", "hello hello hello hello");
  zip_test_assert_entry (reader, 3, "empty", "");
  g_assert_cmpmem (comment, length, "of the archive", 14);
  comment = zip_entry_get_comment (zip_reader_get_entry (reader, 3), &length);
  g_assert_cmpmem (comment, length, "nothing", 7);
}

/* Z01 to Z05, L04's cousin: streamed entries in all their kinds cost one read each. */
static void
test_streamed (void)
{
  static const char *kinds[] = {
    "deflate streamed",
    "streamed",
    "deflate streamed descriptor=none local-sizes",
    "deflate streamed descriptor=nosig",
    "deflate streamed descriptor=64",
    "deflate streamed descriptor=nosig64",
    "deflate streamed local-size",
    "deflate streamed zip64 descriptor=64",
  };

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      g_autoptr (ZipBuilder) builder = zip_builder_new ();
      g_autoptr (GError) error = NULL;
      g_autoptr (ZipWorkspace) workspace = zip_workspace_new ();

      for (guint i = 0; i < 100; i++)
        {
          g_autofree char *name = g_strdup_printf ("folder/entry-%u.txt", i);
          g_autofree guint8 *content = zip_builder_random (i, 3000);
          zip_builder_add_bytes (builder, name, content, 3000, kinds[k]);
        }

      g_autoptr (GBytes) archive = zip_builder_finish (builder, NULL);
      g_autoptr (ZipReader) reader = zip_test_open (archive, &error);
      g_assert_no_error (error);
      ZipSource *source = zip_reader_get_source (reader);

      for (guint i = 0; i < 100; i++)
        {
          g_assert_true (zip_reader_read_entry (reader, i, workspace, NULL, NULL, NULL, &error));
          g_assert_no_error (error);
          g_assert_true (zip_entry_is_streamed (zip_reader_get_entry (reader, i)));
        }

      guint64 end_search = 65536 + 200;
      g_assert_cmpuint (zip_source_get_n_reads (source), <=, 100 + 5);
      g_assert_cmpuint (zip_source_get_n_bytes (source), <=,
                        g_bytes_get_size (archive) * 11 / 10 + end_search);
    }
}

/* Local extra fields longer than expected cost one read more, and nothing else. */
static void
test_long_local_extra (void)
{
  g_autoptr (GString) text = g_string_new ("a|content|deflate local-extra=3412e803");
  g_autoptr (GString) huge = g_string_new ("b|content|local-extra=3412f0ff");

  for (guint i = 0; i < 1000; i++)
    g_string_append (text, "ab");
  for (guint i = 0; i < 0xfff0; i++)
    g_string_append (huge, "00");
  g_string_append_printf (text, "\n%s\n", huge->str);

  g_autoptr (ZipReader) reader = zip_test_build (text->str);
  zip_test_assert_entry (reader, 0, "a", "content");
  zip_test_assert_entry (reader, 1, "b", "content");
}

/* Z07, Z08 and comments that hold signatures. */
static void
test_around (void)
{
  static const struct {
    const char *options;
    guint64 prefix;
    guint64 trailing;
  } cases[] = {
    { "|", 0, 0 },
    { "|trailing=1000", 0, 1000 },
    { "|trailing=100000", 0, 100000 },
    { "|trailing=900000", 0, 900000 },
    { "|prefix=1024", 1024, 0 },
    { "|prefix=1024 absolute", 1024, 0 },
    { "|prefix=3 trailing=3 comment=both", 3, 3 },
    { "|zip64", 0, 0 },
    { "|zip64 prefix=1024", 1024, 0 },
    { "|zip64 prefix=1024 absolute", 1024, 0 },
    { "|zip64 prefix=5000 trailing=70000", 5000, 70000 },
    { "|comment=PK%05%06", 0, 0 },
    { "|comment=PK%05%06aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0, 0 },
    { "|comment=aPK%05%06PK%05%06PK%05%06PK%05%06PK%05%06PK%05%06PK%05%06%01", 0, 0 },
    { "|gap=100", 0, 0 },
    { "|cd-size=47", 0, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf ("a.txt|hello|streamed\nb.txt|world|deflate\n%s\n",
                                               cases[i].options);
      g_test_message ("%s", cases[i].options);
      g_autoptr (ZipReader) reader = zip_test_build (text);

      g_assert_cmpuint (zip_reader_get_n_entries (reader), ==, 2);
      zip_test_assert_entry (reader, 0, "a.txt", "hello");
      zip_test_assert_entry (reader, 1, "b.txt", "world");
      g_assert_cmpuint (zip_reader_get_prefix_size (reader), ==, cases[i].prefix);
      g_assert_cmpuint (zip_reader_get_trailing_size (reader), ==, cases[i].trailing);
    }
}

/* The last entry's comment ends like the ZIP64 records that would stand there. */
static void
test_fake_zip64 (void)
{
  g_autoptr (GString) text = g_string_new ("a|hello|\nb|world|comment=PK%06%06");

  for (guint i = 0; i < ZIP_END64_SIZE - 4; i++)
    g_string_append_c (text, 'a');
  g_string_append (text, "PK%06%07aaaaaaaaaaaaaaaa\n");

  for (guint k = 0; k < 3; k++)
    {
      static const char *const ends[] = { "", "|prefix=100\n", "|trailing=100\n" };
      g_autofree char *whole = g_strconcat (text->str, ends[k], NULL);
      g_autoptr (ZipReader) reader = zip_test_build (whole);

      g_assert_cmpuint (zip_reader_get_facts (reader), ==, ZIP_READER_IN_ORDER);
      g_assert_cmpuint (zip_reader_get_n_entries (reader), ==, 2);
      zip_test_assert_entry (reader, 1, "b", "world");
    }
}

/* Z08: half a gigabyte in front must not be walked through. */
static void
test_large_prefix (void)
{
  g_autoptr (GBytes) archive = zip_builder_from_text ("a.txt|hello|\n");
  g_autoptr (GError) error = NULL;
  gsize length = 0;
  const guint8 *data = g_bytes_get_data (archive, &length);
  int fd = memfd_create ("prefix", MFD_CLOEXEC);
  const off_t prefix = 500 * 1024 * 1024;

  g_assert_cmpint (pwrite (fd, data, length, prefix), ==, (gssize) length);
  g_autoptr (ZipReader) reader = zip_reader_open_fd (fd, NULL, &error);
  g_assert_no_error (error);
  zip_test_assert_entry (reader, 0, "a.txt", "hello");
  g_assert_cmpuint (zip_reader_get_prefix_size (reader), ==, prefix);
  g_assert_cmpuint (zip_source_get_n_reads (zip_reader_get_source (reader)), <, 10);
  g_assert_cmpuint (zip_source_get_n_bytes (zip_reader_get_source (reader)), <, 200000);
  g_assert_cmpint (close (fd), ==, 0);
}

static void
test_empty (void)
{
  g_autoptr (ZipReader) reader = zip_test_build ("|comment=nothing%20here\n");
  g_autoptr (ZipReader) zip64 = zip_test_build ("|zip64\n");
  gsize length = 0;

  g_assert_cmpuint (zip_reader_get_n_entries (reader), ==, 0);
  (void) zip_reader_get_comment (reader, &length);
  g_assert_cmpuint (length, ==, 12);
  g_assert_cmpuint (zip_reader_get_n_entries (zip64), ==, 0);
}

static void
test_not_zip (void)
{
  static const char *texts[] = { "", "P", "PK", "PK\003", "hello world", "PK\005\006" };
  g_autofree guint8 *noise = zip_builder_random (1, 200000);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (texts[i], strlen (texts[i]));
      g_assert_null (zip_test_open (bytes, &error));
      g_assert_error (error, ZIP_ERROR, ZIP_ERROR_NOT_ZIP);
      g_clear_error (&error);
    }

  g_autoptr (GBytes) bytes = g_bytes_new (noise, 200000);
  g_assert_null (zip_test_open (bytes, &error));
  g_assert_error (error, ZIP_ERROR, ZIP_ERROR_NOT_ZIP);
  g_clear_error (&error);

  g_assert_null (zip_reader_open_path (g_get_tmp_dir (), NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY);
  g_clear_error (&error);
  g_assert_null (zip_reader_open_path ("/nonexistent/a.zip", NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
}

/* L03: the 16-bit count wraps, and some writers do not care. */
static void
test_many (void)
{
  static const guint counts[] = { 65535, 65536, 65537 };

  for (guint k = 0; k < 2 * G_N_ELEMENTS (counts); k++)
    {
      guint n = counts[k / 2];
      g_autofree char *options = g_strdup_printf (k % 2 ? "zip64" : "count=%u", n & 0xffff);
      g_autoptr (ZipBuilder) builder = zip_builder_new ();
      g_autoptr (GError) error = NULL;

      for (guint i = 0; i < n; i++)
        {
          char name[16];
          g_snprintf (name, sizeof name, "%u", i);
          zip_builder_add_bytes (builder, name, (const guint8 *) name, strlen (name), NULL);
        }

      g_autoptr (GBytes) archive = zip_builder_finish (builder, options);
      g_autoptr (ZipReader) reader = zip_test_open (archive, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (zip_reader_get_n_entries (reader), ==, n);
      g_assert_false (zip_reader_get_facts (reader) & ZIP_READER_COUNT_WRONG);
      g_assert_cmpuint (zip_source_get_n_reads (zip_reader_get_source (reader)), <, 12);
      zip_test_assert_entry (reader, n - 1, n == 65535 ? "65534" : n == 65536 ? "65535" : "65536",
                             n == 65535 ? "65534" : n == 65536 ? "65535" : "65536");
    }

  g_autoptr (ZipReader) wrong = zip_test_build ("a|a|\nb|b|\n|count=7\n");
  g_assert_cmpuint (zip_reader_get_n_entries (wrong), ==, 2);
  g_assert_true (zip_reader_get_facts (wrong) & ZIP_READER_COUNT_WRONG);
  g_assert_cmpuint (zip_reader_get_warnings (wrong)->len, ==, 1);
}

/* Z21 */
static void
test_split (void)
{
  assert_fails ("a|hello|disk=0\n|disk=3\n", ZIP_ERROR_SPLIT);
  assert_fails ("a|hello|disk=0\n|disk=3 cd-disk=2 cd-offset=100000 cd-size=5000\n",
                ZIP_ERROR_SPLIT);

  g_autoptr (GBytes) archive = zip_builder_from_text ("a|hello|\n|no-end\n");
  g_autoptr (GByteArray) part = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  gsize length = 0;
  const guint8 *data = g_bytes_get_data (archive, &length);

  g_byte_array_append (part, (const guint8 *) "PK\007\010", 4);
  g_byte_array_append (part, data, (guint) length);
  g_autoptr (GBytes) first = g_byte_array_free_to_bytes (g_steal_pointer (&part));
  g_assert_null (zip_test_open (first, &error));
  g_assert_error (error, ZIP_ERROR, ZIP_ERROR_SPLIT);
  g_assert_nonnull (strstr (error->message, "part 1"));

  /* A set of one part is whole, whatever number it gives itself. */
  g_autoptr (ZipReader) reader = zip_test_build ("a|hello|disk=1\n|disk=1\n");
  zip_test_assert_entry (reader, 0, "a", "hello");
}

/* Z10 */
static void
test_same_name (void)
{
  g_autoptr (ZipReader) reader = zip_test_build ("a.txt|one|\na.txt|two|deflate\n");

  zip_test_assert_entry (reader, 0, "a.txt", "one");
  zip_test_assert_entry (reader, 1, "a.txt", "two");
}

/* Z12, Z13: what is a folder is said, what it contains is not thrown away. */
static void
test_folders (void)
{
  g_autoptr (ZipReader) reader = zip_test_build ("d||attr=0x10\n"
                                                 "d/f.txt|file|\n"
                                                 "e/|data|\n"
                                                 "Foo/Bar||\n"
                                                 "Foo/Bar/Baz|deep|\n"
                                                 "m||mode=040755\n"
                                                 "f||mode=0100644 attr=0x10\n"
                                                 "l|target|mode=0120777\n"
                                                 "x|x|host=0 mode=0\n");
  static const gboolean folder[] = { TRUE, FALSE, TRUE, FALSE, FALSE, TRUE, FALSE, FALSE, FALSE };
  guint32 mode = 0;

  for (guint i = 0; i < G_N_ELEMENTS (folder); i++)
    g_assert_cmpint (zip_entry_is_folder (zip_reader_get_entry (reader, i)), ==, folder[i]);
  zip_test_assert_entry (reader, 2, "e/", "data");
  zip_test_assert_entry (reader, 4, "Foo/Bar/Baz", "deep");
  g_assert_true (zip_entry_is_symlink (zip_reader_get_entry (reader, 7)));
  g_assert_true (zip_entry_get_unix_mode (zip_reader_get_entry (reader, 7), &mode));
  g_assert_cmpuint (mode, ==, 0120777);
  g_assert_false (zip_entry_get_unix_mode (zip_reader_get_entry (reader, 8), &mode));
}

/* Z06: a file of 4 GiB and a bit, then another, with all offsets modulo 2^32. */
static void
test_wrapped (void)
{
  g_autoptr (GBytes) archive = zip_builder_from_text ("big|x|packed=100 size=100 crc=0\n"
                                                      "small|hello|deflate\n"
                                                      "last|world|\n");
  g_autoptr (GError) error = NULL;
  gsize length = 0;
  const guint8 *data = g_bytes_get_data (archive, &length);
  g_autofree guint8 *central = g_memdup2 (data, length);
  const gsize head = 30 + 3;              /* the first local header */
  const gsize rest = head + 1;            /* where its one byte of data ends */
  const guint64 hole = FOUR_GIB + 100;    /* the bytes that it really has */
  const guint64 moved = hole - 1;         /* how far all the rest lies behind */
  int fd = memfd_create ("wrapped", MFD_CLOEXEC);

  /* Offsets in the directory and the end record grow by that, and lose what is above 32 bits. */
  for (gsize i = rest; i + 46 <= length; i++)
    {
      gsize at = memcmp (central + i, "PK\001\002", 4) == 0   ? i + 42
                 : memcmp (central + i, "PK\005\006", 4) == 0 ? i + 16
                                                              : 0;
      guint32 value = 0;

      if (at == 0)
        continue;
      memcpy (&value, central + at, 4);
      value = GUINT32_FROM_LE (value);
      value = GUINT32_TO_LE (value == 0 ? 0 : (guint32) (value + moved));
      memcpy (central + at, &value, 4);
    }
  {
    guint32 value = 0;
    gsize at = length - 22 + 16;

    memcpy (&value, data + at, 4);
    value = GUINT32_TO_LE ((guint32) (GUINT32_FROM_LE (value) + moved));
    memcpy (central + at, &value, 4);
  }

  g_assert_cmpint (pwrite (fd, central, head, 0), ==, (gssize) head);
  g_assert_cmpint (pwrite (fd, central + rest, length - rest, (off_t) (rest + moved)), ==,
                   (gssize) (length - rest));

  g_autoptr (ZipReader) reader = zip_reader_open_fd (fd, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (zip_reader_get_n_entries (reader), ==, 3);
  g_assert_cmpuint (zip_reader_get_prefix_size (reader), ==, 0);
  g_assert_cmpuint (zip_reader_get_entry (reader, 0)->size, ==, hole);
  g_assert_cmpuint (zip_reader_get_entry (reader, 0)->packed_size, ==, hole);
  g_assert_true (zip_reader_get_facts (reader) & ZIP_READER_UNWRAPPED);
  zip_test_assert_entry (reader, 1, "small", "hello");
  zip_test_assert_entry (reader, 2, "last", "world");
  g_assert_cmpint (close (fd), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/zip/reader/plain", test_plain);
  g_test_add_func ("/zip/reader/streamed", test_streamed);
  g_test_add_func ("/zip/reader/long-local-extra", test_long_local_extra);
  g_test_add_func ("/zip/reader/around", test_around);
  g_test_add_func ("/zip/reader/fake-zip64", test_fake_zip64);
  g_test_add_func ("/zip/reader/large-prefix", test_large_prefix);
  g_test_add_func ("/zip/reader/empty", test_empty);
  g_test_add_func ("/zip/reader/not-zip", test_not_zip);
  g_test_add_func ("/zip/reader/many", test_many);
  g_test_add_func ("/zip/reader/split", test_split);
  g_test_add_func ("/zip/reader/same-name", test_same_name);
  g_test_add_func ("/zip/reader/folders", test_folders);
  g_test_add_func ("/zip/reader/wrapped", test_wrapped);

  return g_test_run ();
}
