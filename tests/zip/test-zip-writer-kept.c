/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* What is kept is kept byte for byte, whatever goes from beside it. */

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "zip-write-test.h"

/* What stands behind the end record and its comment. */
static GBytes *
get_trailing (ZipReader *reader)
{
  ZipSource *source = zip_reader_get_source (reader);
  gsize length = (gsize) zip_reader_get_trailing_size (reader);
  g_autofree guint8 *bytes = g_malloc (MAX (length, 1));
  g_autoptr (GError) error = NULL;

  g_assert_true (zip_source_read_exact (source, zip_source_get_size (source) - length, bytes, length,
                                        "trailing", &error));
  g_assert_no_error (error);
  return g_bytes_new_take (g_steal_pointer (&bytes), length);
}

static void
assert_same_trailing (ZipReader *before, ZipReader *after)
{
  g_autoptr (GBytes) old = get_trailing (before);
  g_autoptr (GBytes) new = get_trailing (after);

  g_assert_true (g_bytes_equal (old, new));
}

/* W-rules, Z26: drop each entry in turn; all others stay what they were. */
static void
test_keep (void)
{
  static const char *const ends[] = { "|\n", "|comment=all%20of%20it\n",
                                      "|prefix=1000 comment=sfx\n", "|prefix=1000 absolute\n",
                                      "|zip64\n", "|trailing=10\n",
                                      "|comment=both prefix=70000 trailing=70000\n" };

  for (guint e = 0; e < G_N_ELEMENTS (ends); e++)
    {
      g_autofree char *text = g_strconcat (ZIP_WRITE_TEST_KEPT, ends[e], NULL);
      g_autoptr (ZipReader) before = zip_test_build (text);
      guint n = zip_reader_get_n_entries (before);

      for (guint dropped = 0; dropped <= n; dropped++)
        {
          int fd = zip_write_test_new_file ();
          g_autoptr (ZipWriter) writer = zip_writer_new (fd);
          g_autoptr (GError) error = NULL;
          gsize length = 0;
          gsize old_length = 0;

          g_assert_true (zip_writer_copy_prefix (writer, before, NULL, &error));
          zip_writer_copy_comment (writer, before);
          zip_writer_copy_trailing (writer, before);
          for (guint i = 0; i < n; i++)
            if (i != dropped)
              zip_write_test_keep (writer, before, i);
          g_assert_no_error (error);
          zip_write_test_finish (writer);

          g_autoptr (ZipReader) after = zip_write_test_reopen (fd);
          g_assert_cmpuint (zip_reader_get_n_entries (after), ==, dropped < n ? n - 1 : n);
          g_assert_cmpuint (zip_reader_get_prefix_size (after), ==,
                            zip_reader_get_prefix_size (before));
          assert_same_trailing (before, after);
          const char *comment = zip_reader_get_comment (after, &length);
          const char *old_comment = zip_reader_get_comment (before, &old_length);
          g_assert_cmpmem (comment, length, old_comment, old_length);

          for (guint k = 0; k < zip_reader_get_n_entries (after); k++)
            {
              guint i = k < dropped ? k : k + 1;
              const ZipEntry *entry = zip_reader_get_entry (after, k);

              /* The ZIP64 field goes where it is not needed, which is the one difference. */
              if (i != 7)
                zip_write_test_assert_kept (before, i, after, k);
              else
                zip_test_assert_entry (after, k, "z.txt", "the last one");
              g_assert_cmpint (zip_entry_is_streamed (entry), ==, i == 5);
            }
          g_assert_false (zip_reader_get_facts (after) & ZIP_READER_ZIP64);
          g_assert_cmpint (close (fd), ==, 0);
        }
    }
}

/* What is dropped is gone, however small it was. */
static void
test_drop (void)
{
  static const char *const texts[] = {
    "a|aaa|\nb|SECRET|\nc|ccc|\n",
    "a|aaa|streamed\nb|SECRET|streamed\nc|ccc|streamed\n",
    "a|aaa|\nb|SECRET|streamed\nc|ccc|\n",
    "a|aaa|\nb|SECRET|\nc|ccc|streamed password=x\n",
  };

  for (guint k = 0; k < G_N_ELEMENTS (texts); k++)
    {
      g_autoptr (ZipReader) before = zip_test_build (texts[k]);
      int fd = zip_write_test_new_file ();
      g_autoptr (ZipWriter) writer = zip_writer_new (fd);
      guint64 offset = 0;
      guint64 length = 0;
      char bytes[4096];

      zip_write_test_keep (writer, before, 0);
      zip_write_test_keep (writer, before, 2);
      zip_write_test_finish (writer);

      ssize_t n = pread (fd, bytes, sizeof bytes, 0);
      g_assert_cmpint (n, >, 100);
      g_assert_null (memmem (bytes, (gsize) n, "SECRET", 6));

      g_autoptr (ZipReader) after = zip_write_test_reopen (fd);
      zip_write_test_assert_kept (before, 0, after, 0);
      zip_write_test_assert_kept (before, 2, after, 1);
      g_assert_true (zip_reader_get_entry_extent (after, 0, &offset, &length, NULL));
      g_assert_cmpuint (zip_reader_get_entry (after, 1)->header_offset, ==, length);
      g_assert_cmpint (close (fd), ==, 0);
    }
}

static void
test_others_accept_kept (void)
{
  g_autoptr (ZipReader) before
    = zip_test_build ("a.txt|the first|deflate ut=1000000000 comment=one\n"
                      "d/||mode=040755\n"
                      "s1.txt|streamed streamed|deflate streamed\n"
                      "s2.txt|streamed and stored|streamed descriptor=64\n"
                      "z.txt|the last one|deflate zip64\n"
                      "|prefix=5000 comment=kept trailing=3000\n");
  int fd = zip_write_test_new_file ();
  g_autoptr (ZipWriter) writer = zip_writer_new (fd);
  g_autoptr (GError) error = NULL;

  g_assert_true (zip_writer_copy_prefix (writer, before, NULL, &error));
  zip_writer_copy_comment (writer, before);
  zip_writer_copy_trailing (writer, before);
  for (guint i = 1; i < 5; i++)
    zip_write_test_keep (writer, before, i);
  zip_write_test_finish (writer);
  zip_write_test_let_others (fd);
  g_assert_cmpint (close (fd), ==, 0);
}

/* Bytes behind the end that are none now, and would be one for the new directory: rather no edit. */
static void
test_hostile_trailing (void)
{
  g_autoptr (ZipReader) plain = zip_test_build ("a-long-name|aaa|\nb|bbb|\n|\n");
  const ZipEntry *kept = zip_reader_get_entry (plain, 0);
  guint8 tail[22] = { 'P', 'K', 5, 6, 0, 0, 0, 0, 1, 0, 1, 0 };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint64 size = zip_source_get_size (zip_reader_get_source (plain));
  guint32 distance = 22u + ZIP_CENTRAL_SIZE + kept->name_length + kept->extra_length;
  int old_fd = zip_write_test_new_file ();
  int fd = zip_write_test_new_file ();
  g_autoptr (ZipWriter) writer = zip_writer_new (fd);
  g_autoptr (GError) error = NULL;

  tail[12] = (guint8) distance;
  g_byte_array_set_size (bytes, (guint) size);
  g_assert_true (zip_source_read_exact (zip_reader_get_source (plain), 0, bytes->data, (gsize) size, "all", &error));
  g_byte_array_append (bytes, tail, sizeof tail);
  g_assert_cmpint (write (old_fd, bytes->data, bytes->len), ==, (gssize) bytes->len);

  g_autoptr (ZipReader) before = zip_write_test_reopen (old_fd);
  g_assert_cmpuint (zip_reader_get_n_entries (before), ==, 2);
  g_assert_cmpuint (zip_reader_get_trailing_size (before), ==, sizeof tail);
  zip_writer_copy_trailing (writer, before);
  zip_write_test_keep (writer, before, 0);
  g_assert_true (zip_writer_finish (writer, NULL, &error));
  g_assert_false (zip_writer_verify (writer, NULL, &error));
  g_assert_error (error, ZIP_ERROR, ZIP_ERROR_CORRUPT);
  g_assert_nonnull (strstr (error->message, "22 bytes"));
  g_assert_cmpint (close (fd), ==, 0);
  g_assert_cmpint (close (old_fd), ==, 0);
}

/* E10: a new name stands in both headers alike, and no field tells of the old one. */
static void
test_rename (void)
{
  static const char *const names[] = { "plain.txt", "\xe6\xbc\xa2\xe5\xad\x97.txt" };
  g_autoptr (ZipReader) before = zip_test_build (ZIP_WRITE_TEST_KEPT);

  for (guint r = 0; r < G_N_ELEMENTS (names); r++)
    for (guint i = 0; i < zip_reader_get_n_entries (before); i++)
      {
        int fd = zip_write_test_new_file ();
        g_autoptr (ZipWriter) writer = zip_writer_new (fd);
        g_autoptr (GError) error = NULL;
        gboolean differs = TRUE;
        gsize length = 0;

        for (guint k = 0; k < zip_reader_get_n_entries (before); k++)
          g_assert_true (zip_writer_copy_entry (writer, before, k, k == i ? names[r] : NULL,
                                                strlen (names[r]), NULL, &error));
        zip_write_test_finish (writer);

        g_autoptr (ZipReader) after = zip_write_test_reopen (fd);
        const ZipEntry *entry = zip_reader_get_entry (after, i);
        const char *name = zip_entry_get_name (entry, &length);
        g_assert_cmpmem (name, length, names[r], strlen (names[r]));
        g_assert_cmpint (zip_name_is_marked_utf8 (entry), ==, r == 1);
        g_assert_null (zip_name_get_unicode (entry, &length));
        g_autoptr (GBytes) local = zip_reader_dup_local_name (after, i, &differs, &error);
        g_assert_no_error (error);
        g_assert_false (differs);

        g_autoptr (GBytes) old_raw = zip_write_test_get_raw (before, i);
        g_autoptr (GBytes) new_raw = zip_write_test_get_raw (after, i);
        g_assert_true (g_bytes_equal (old_raw, new_raw));
        g_assert_cmpint (close (fd), ==, 0);
      }
}

/* Entries that share a header go on doing so; contradictions of the old archive are no news. */
static void
test_odd (void)
{
  g_autoptr (ZipReader) before
    = zip_test_build ("a|hello|deflate\n"
                      "b|hello|deflate same-as=0\n"
                      "c|other|local-name=x\n"
                      "d|apart|local-extra=35d90a0000100000000000000000\n");
  int fd = zip_write_test_new_file ();
  g_autoptr (ZipWriter) writer = zip_writer_new (fd);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 4; i++)
    zip_write_test_keep (writer, before, i);
  zip_write_test_finish (writer);

  g_autoptr (ZipReader) after = zip_write_test_reopen (fd);
  zip_test_assert_entry (after, 0, "a", "hello");
  zip_test_assert_entry (after, 1, "b", "hello");
  zip_test_assert_entry (after, 2, "c", "other");
  zip_test_assert_entry (after, 3, "d", "apart");
  g_assert_cmpuint (zip_reader_get_entry (after, 0)->header_offset, ==,
                    zip_reader_get_entry (after, 1)->header_offset);
  g_assert_cmpint (close (fd), ==, 0);

  /* What is cut cannot be kept, and the writer is fine. */
  g_autoptr (ZipReader) cut = zip_test_build ("a|hello|packed=6000 size=6000\nb|b|\n");
  int second = zip_write_test_new_file ();
  g_autoptr (ZipWriter) next = zip_writer_new (second);
  g_assert_false (zip_writer_copy_entry (next, cut, 0, NULL, 0, NULL, &error));
  g_assert_error (error, ZIP_ERROR, ZIP_ERROR_TRUNCATED);
  g_clear_error (&error);
  g_assert_false (zip_writer_is_broken (next));
  zip_write_test_keep (next, cut, 1);
  zip_write_test_finish (next);
  g_assert_cmpint (close (second), ==, 0);
}

/* One entry as an archive of its own reads as it did before, also with a password. */
static void
test_parts (void)
{
  g_autoptr (ZipReader) reader = zip_test_build (ZIP_WRITE_TEST_KEPT);
  g_autofree char *unzip = g_find_program_in_path ("unzip");

  for (guint i = 0; i < zip_reader_get_n_entries (reader); i++)
    {
      g_auto (ZipEntryParts) parts = { 0 };
      g_autoptr (GError) error = NULL;
      g_autoptr (GByteArray) whole = g_byte_array_new ();

      g_assert_true (zip_reader_get_entry_parts (reader, i, &parts, &error));
      g_assert_no_error (error);
      g_autofree guint8 *data = g_malloc (MAX (parts.data_length, 1));
      g_assert_true (zip_source_read_exact (zip_reader_get_source (reader), parts.data_offset, data,
                                            (gsize) parts.data_length, "data", &error));
      g_byte_array_append (whole, g_bytes_get_data (parts.head, NULL),
                           (guint) g_bytes_get_size (parts.head));
      g_byte_array_append (whole, data, (guint) parts.data_length);
      g_byte_array_append (whole, g_bytes_get_data (parts.tail, NULL),
                           (guint) g_bytes_get_size (parts.tail));

      g_autoptr (GBytes) archive = g_byte_array_free_to_bytes (g_steal_pointer (&whole));
      g_autoptr (ZipReader) single = zip_test_open (archive, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (zip_reader_get_n_entries (single), ==, 1);
      g_assert_cmpuint (zip_reader_get_facts (single), ==, ZIP_READER_IN_ORDER);
      if (i != 7)
        zip_write_test_assert_kept (reader, i, single, 0);
      g_assert_cmpint (zip_entry_is_streamed (zip_reader_get_entry (single, 0)), ==, i == 5);

      if (i == 5 && unzip != NULL)
        {
          g_autofree char *folder = g_dir_make_tmp ("zip-parts-XXXXXX", NULL);
          g_autofree char *path = zip_builder_save (archive, folder, "one.zip");
          g_autoptr (GSubprocess) process
            = g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, unzip, "-P", "secret", "-p",
                                path, NULL);
          g_autofree char *output = NULL;

          g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, &output, NULL,
                                                        &error));
          g_assert_cmpstr (output, ==, "secret content");
          g_assert_cmpint (g_unlink (path), ==, 0);
          g_assert_cmpint (g_rmdir (folder), ==, 0);
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/zip/writer-kept/keep", test_keep);
  g_test_add_func ("/zip/writer-kept/drop", test_drop);
  g_test_add_func ("/zip/writer-kept/others-accept-kept", test_others_accept_kept);
  g_test_add_func ("/zip/writer-kept/hostile-trailing", test_hostile_trailing);
  g_test_add_func ("/zip/writer-kept/rename", test_rename);
  g_test_add_func ("/zip/writer-kept/odd", test_odd);
  g_test_add_func ("/zip/writer-kept/parts", test_parts);

  return g_test_run ();
}
