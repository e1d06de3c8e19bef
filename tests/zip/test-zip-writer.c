/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* What is new can be read by everybody, and what fails says so. */

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "zip-write-test.h"

typedef struct {
  const guint8 *data;
  gsize length;
  gsize position;
  gsize fail_at;
} Stream;

static gboolean
read_cb (gpointer user, guint8 *buffer, gsize length, gsize *n_read, GError **error)
{
  Stream *stream = user;

  *n_read = MIN (MIN (length, 100001), stream->length - stream->position);
  if (stream->position + *n_read > stream->fail_at)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED, "gone");
      return FALSE;
    }
  memcpy (buffer, stream->data + stream->position, *n_read);
  stream->position += *n_read;
  return TRUE;
}

static void
test_new (void)
{
  static const gsize sizes[] = { 0, 1, 1000, ZIP_PACKER_WHOLE_MAX, ZIP_PACKER_WHOLE_MAX + 1,
                                 ZIP_PACKER_WHOLE_MAX + 3 * ZIP_PACKER_BLOCK,
                                 ZIP_PACKER_WHOLE_MAX + 3 * ZIP_PACKER_BLOCK + 7 };
  int fd = zip_write_test_new_file ();
  g_autoptr (ZipWriter) writer = zip_writer_new (fd);
  g_autoptr (ZipPacker) packer = zip_packer_new (-1);
  g_autoptr (GError) error = NULL;
  gsize most = sizes[G_N_ELEMENTS (sizes) - 1];
  g_autofree guint8 *noise = zip_builder_random (3, most);
  g_autofree guint8 *text = g_malloc (most);

  for (gsize i = 0; i < most; i++)
    text[i] = "lorem ipsum "[(i + (i >> 9)) % 12];

  for (guint k = 0; k < 2 * G_N_ELEMENTS (sizes); k++)
    {
      g_autofree char *name = g_strdup_printf ("entry-%u", k);
      ZipNewEntry entry = { .name = name, .mode = 0100644, .mtime = 1700000000 + (gint64) k };
      Stream stream = { k % 2 ? noise : text, sizes[k / 2], 0, G_MAXSIZE };

      g_assert_true (zip_writer_add_stream (writer, &entry, packer, read_cb, &stream, stream.length,
                                            NULL, &error));
      g_assert_no_error (error);
    }

  /* A folder, a link, a name with letters, a file from before 1980 and one from after 2038. */
  ZipPacked nothing = { 0 };
  g_auto (ZipPacked) target = { 0 };
  g_autoptr (GBytes) to = g_bytes_new_static ("entry-1", 7);
  zip_packer_pack (packer, to, &target);
  ZipNewEntry folder = { .name = "folder/", .mode = 040750, .mtime = 1700000000 };
  ZipNewEntry link = { .name = "link", .mode = 0120777, .mtime = 1700000000 };
  ZipNewEntry letters = { .name = "\xc3\xa9t\xc3\xa9", .mode = 0100600, .comment = "c" };
  ZipNewEntry late = { .name = "late", .mode = 0100600, .mtime = 4000000001 };
  g_assert_true (zip_writer_add_packed (writer, &folder, &nothing, &error));
  g_assert_true (zip_writer_add_packed (writer, &link, &target, &error));
  g_assert_true (zip_writer_add_packed (writer, &letters, &nothing, &error));
  g_assert_true (zip_writer_add_packed (writer, &late, &nothing, &error));
  zip_writer_set_comment (writer, "made here", 9);
  zip_write_test_finish (writer);
  zip_write_test_let_others (fd);

  g_autoptr (ZipReader) reader = zip_write_test_reopen (fd);
  guint n = 2 * G_N_ELEMENTS (sizes);
  guint32 mode = 0;
  ZipTimes times;

  g_assert_false (zip_reader_get_facts (reader) & ZIP_READER_ZIP64);
  for (guint k = 0; k < n; k++)
    {
      const ZipEntry *entry = zip_reader_get_entry (reader, k);
      g_autoptr (GBytes) bytes = zip_test_read (reader, k, &error);

      g_assert_no_error (error);
      g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes),
                       k % 2 ? noise : text,
                       sizes[k / 2]);
      g_assert_cmpuint (entry->method, ==, k % 2 || sizes[k / 2] < 2 ? 0 : 8);
      g_assert_cmpuint (entry->packed_size, <=, entry->size);
      g_assert_false (zip_entry_is_streamed (entry));
      zip_entry_get_times (entry, &times);
      g_assert_cmpint (times.modified.source, ==, ZIP_TIME_UNIX);
      g_assert_cmpint (times.modified.seconds, ==, 1700000000 + (gint64) k);
    }

  g_assert_true (zip_entry_is_folder (zip_reader_get_entry (reader, n)));
  g_assert_true (zip_entry_get_unix_mode (zip_reader_get_entry (reader, n), &mode));
  g_assert_cmpuint (mode, ==, 040750);
  g_assert_true (zip_entry_is_symlink (zip_reader_get_entry (reader, n + 1)));
  zip_test_assert_entry (reader, n + 1, "link", "entry-1");
  g_assert_true (zip_name_is_marked_utf8 (zip_reader_get_entry (reader, n + 2)));
  zip_entry_get_times (zip_reader_get_entry (reader, n + 2), &times);
  g_assert_cmpint (times.modified.seconds, ==, 0);
  g_assert_cmphex (zip_reader_get_entry (reader, n + 2)->dos_date, ==, 0x0021);
  zip_entry_get_times (zip_reader_get_entry (reader, n + 3), &times);
  g_assert_cmpint (times.modified.seconds, ==, 4000000001);
  g_assert_cmpint (close (fd), ==, 0);
}

/* What cannot be read is left out, and everything else is there. */
static void
test_source_fails (void)
{
  g_autoptr (ZipReader) before = zip_test_build (ZIP_WRITE_TEST_KEPT);
  g_autoptr (ZipPacker) packer = zip_packer_new (1);
  const gsize size = ZIP_PACKER_WHOLE_MAX + 2 * ZIP_PACKER_BLOCK;
  g_autofree guint8 *noise = zip_builder_random (4, size);
  gsize fail_at[] = { 0, 1000, ZIP_PACKER_WHOLE_MAX + 1000, size - 1 };

  for (guint k = 0; k < G_N_ELEMENTS (fail_at); k++)
    {
      int fd = zip_write_test_new_file ();
      g_autoptr (ZipWriter) writer = zip_writer_new (fd);
      g_autoptr (GError) error = NULL;
      ZipNewEntry entry = { .name = "new", .mode = 0100644, .mtime = 1700000000 };
      Stream stream = { noise, size, 0, fail_at[k] };

      zip_write_test_keep (writer, before, 0);
      g_assert_false (zip_writer_add_stream (writer, &entry, packer, read_cb, &stream, size, NULL,
                                             &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED);
      g_clear_error (&error);
      g_assert_false (zip_writer_is_broken (writer));
      zip_write_test_keep (writer, before, 2);
      zip_write_test_finish (writer);

      g_autoptr (ZipReader) after = zip_write_test_reopen (fd);
      g_assert_cmpuint (zip_reader_get_n_entries (after), ==, 2);
      zip_write_test_assert_kept (before, 0, after, 0);
      zip_write_test_assert_kept (before, 2, after, 1);
      g_assert_cmpuint (lseek (fd, 0, SEEK_END), <, 1000);
      g_assert_cmpint (close (fd), ==, 0);
    }
}

static gboolean
stop_cb (gpointer user, guint64 n_bytes, GError **error)
{
  guint64 *total = user;

  *total += n_bytes;
  return TRUE;
}

static gboolean
cancel_moved_cb (gpointer user, guint64 n_bytes, GError **error)
{
  g_cancellable_cancel (user);
  return TRUE;
}

/* Large entries, kept as they are and with a new header; progress adds up; cancel stops. */
static void
test_large (void)
{
  const gsize size = 5000000;
  g_autofree guint8 *noise = zip_builder_random (5, size);

  for (guint k = 0; k < 2; k++)
    {
      g_autoptr (ZipBuilder) builder = zip_builder_new ();
      g_autoptr (GError) error = NULL;
      guint64 total = 0;
      guint64 expected = 0;

      for (guint i = 0; i < 4; i++)
        {
          char name[2] = { (char) ('a' + i), 0 };
          zip_builder_add_bytes (builder, name, noise + i, size - 100 * i, k ? "streamed" : NULL);
        }
      g_autoptr (GBytes) archive = zip_builder_finish (builder, NULL);
      g_autoptr (ZipReader) before = zip_test_open (archive, &error);
      int fd = zip_write_test_new_file ();
      g_autoptr (ZipWriter) writer = zip_writer_new (fd);

      zip_writer_set_watch (writer, stop_cb, &total);
      for (guint i = 0; i < 4; i++)
        if (i != 1)
          {
            zip_write_test_keep (writer, before, i);
            expected += zip_reader_get_entry (before, i)->packed_size;
          }
      zip_write_test_finish (writer);
      g_assert_cmpuint (total, ==, expected);

      g_autoptr (ZipReader) after = zip_write_test_reopen (fd);
      zip_write_test_assert_kept (before, 0, after, 0);
      zip_write_test_assert_kept (before, 2, after, 1);
      zip_write_test_assert_kept (before, 3, after, 2);
      g_autoptr (GBytes) bytes = zip_test_read (after, 2, &error);
      g_assert_no_error (error);
      g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), noise + 3,
                       size - 300);
      g_assert_cmpint (close (fd), ==, 0);

      int second = zip_write_test_new_file ();
      g_autoptr (ZipWriter) stopped = zip_writer_new (second);
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      zip_writer_set_watch (stopped, cancel_moved_cb, cancellable);
      gboolean done = TRUE;
      for (guint i = 0; i < 4 && done; i++)
        done = zip_writer_copy_entry (stopped, before, i, NULL, 0, cancellable, &error);
      if (done)
        done = zip_writer_finish (stopped, cancellable, &error);
      g_assert_false (done);
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_assert_cmpint (close (second), ==, 0);
    }
}

/* A disk that is full is told at once, and stays told. */
static void
test_full (void)
{
  g_autoptr (ZipReader) before = zip_test_build (ZIP_WRITE_TEST_KEPT);
  g_autoptr (GError) error = NULL;
  int fd = open ("/dev/full", O_RDWR | O_CLOEXEC);

  if (fd < 0)
    {
      g_test_skip ("no /dev/full");
      return;
    }

  g_autoptr (ZipWriter) writer = zip_writer_new (fd);
  gboolean done = TRUE;
  for (guint i = 0; i < zip_reader_get_n_entries (before) && done; i++)
    done = zip_writer_copy_entry (writer, before, i, NULL, 0, NULL, &error);
  if (done)
    done = zip_writer_finish (writer, NULL, &error);
  g_assert_false (done);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE);
  g_assert_true (zip_writer_is_broken (writer));
  g_assert_cmpint (close (fd), ==, 0);
}

/* ZIP64 where a number does not fit, here the count; and where a large file was announced. */
static void
test_zip64 (void)
{
  int fd = zip_write_test_new_file ();
  g_autoptr (ZipWriter) writer = zip_writer_new (fd);
  g_autoptr (GError) error = NULL;
  ZipPacked nothing = { 0 };
  ZipNewEntry large = { .name = "announced", .mode = 0100644, .mtime = 1700000000 };

  g_assert_true (zip_writer_begin_entry (writer, &large, 0, G_GUINT64_CONSTANT (5000000000),
                                         &error));
  g_assert_true (zip_writer_append (writer, (const guint8 *) "short", 5, &error));
  g_assert_true (zip_writer_end_entry (writer, zip_crc_update (0, (const guint8 *) "short", 5), 5,
                                       &error));
  for (guint i = 1; i < 65536; i++)
    {
      char name[16];
      ZipNewEntry entry = { .name = name, .mode = 0100644, .mtime = 1700000000 };

      g_snprintf (name, sizeof name, "%u", i);
      g_assert_true (zip_writer_add_packed (writer, &entry, &nothing, &error));
    }
  zip_write_test_finish (writer);

  g_autoptr (ZipReader) reader = zip_write_test_reopen (fd);
  g_assert_cmpuint (zip_reader_get_n_entries (reader), ==, 65536);
  g_assert_true (zip_reader_get_facts (reader) & ZIP_READER_ZIP64);
  zip_test_assert_entry (reader, 0, "announced", "short");
  zip_test_assert_entry (reader, 65535, "65535", "");
  zip_write_test_let_others (fd);
  g_assert_cmpint (close (fd), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/zip/writer/new", test_new);
  g_test_add_func ("/zip/writer/source-fails", test_source_fails);
  g_test_add_func ("/zip/writer/large", test_large);
  g_test_add_func ("/zip/writer/full", test_full);
  g_test_add_func ("/zip/writer/zip64", test_zip64);

  return g_test_run ();
}
