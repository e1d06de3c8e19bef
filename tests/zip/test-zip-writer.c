/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* What is kept is kept byte for byte, what is new can be read by everybody, and what fails says
 * so. */

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "zip-test.h"
#include "zip-writer.h"

static int
new_file (void)
{
  int fd = memfd_create ("zip-writer", MFD_CLOEXEC);

  g_assert_cmpint (fd, >=, 0);
  return fd;
}

static void
keep (ZipWriter *writer, ZipReader *reader, guint i)
{
  g_autoptr (GError) error = NULL;

  (void) zip_writer_copy_entry (writer, reader, i, NULL, 0, NULL, &error);
  g_assert_no_error (error);
}

static void
finish (ZipWriter *writer)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (zip_writer_finish (writer, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (zip_writer_verify (writer, NULL, &error));
  g_assert_no_error (error);
}

static ZipReader *
reopen (int fd)
{
  g_autoptr (GError) error = NULL;
  ZipReader *reader = zip_reader_open_fd (fd, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (zip_reader_get_facts (reader)
                      & (ZIP_READER_RECOVERED | ZIP_READER_COUNT_WRONG | ZIP_READER_TRUNCATED),
                    ==, 0);
  return reader;
}

/* Runs every other program that is there over the archive. */
static void
let_others_test (int fd)
{
  static const char *const commands[][5] = {
    { "unzip", "-tq", NULL },
    { "7zz", "t", "-bso0", "-bsp0", NULL },
    { "bsdtar", "-tf", NULL },
    { "python3", "-m", "zipfile", "-t", NULL },
  };
  g_autofree char *path = g_strdup_printf ("/proc/%d/fd/%d", getpid (), fd);
  g_autofree char *folder = g_dir_make_tmp ("zip-writer-XXXXXX", NULL);
  g_autofree char *copy = g_build_filename (folder, "a.zip", NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *content = NULL;
  gsize length = 0;

  g_assert_true (g_file_get_contents (path, &content, &length, &error));
  g_assert_true (g_file_set_contents (copy, content, (gssize) length, &error));
  g_assert_no_error (error);

  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_autofree char *program = g_find_program_in_path (commands[i][0]);
      g_autoptr (GSubprocess) process = NULL;
      g_autoptr (GSubprocessLauncher) launcher =
        g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_MERGE);
      g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
      g_autofree char *output = NULL;

      if (program == NULL)
        continue;
      g_ptr_array_add (arguments, program);
      for (guint k = 1; commands[i][k] != NULL; k++)
        g_ptr_array_add (arguments, (gpointer) commands[i][k]);
      g_ptr_array_add (arguments, copy);
      g_ptr_array_add (arguments, NULL);

      /* They can't say names outside ASCII in the C locale; ours is tested there all the same. */
      g_subprocess_launcher_setenv (launcher, "LC_ALL", "C.UTF-8", TRUE);
      process = g_subprocess_launcher_spawnv (launcher, (const char *const *) arguments->pdata, &error);
      g_assert_no_error (error);
      g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, &output, NULL, &error));
      if (!g_subprocess_get_successful (process))
        g_error ("%s: %s", commands[i][0], output);
    }

  g_assert_cmpint (g_unlink (copy), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* The compressed bytes of an entry. */
static GBytes *
get_raw (ZipReader *reader, guint i)
{
  g_autoptr (GError) error = NULL;
  guint64 offset = 0;
  guint64 length = 0;

  g_assert_true (zip_reader_get_data_extent (reader, i, &offset, &length, &error));
  g_autofree guint8 *bytes = g_malloc (MAX (length, 1));
  g_assert_true (zip_source_read_exact (zip_reader_get_source (reader), offset, bytes,
                                        (gsize) length,
                                        "data", &error));
  return g_bytes_new_take (g_steal_pointer (&bytes), (gsize) length);
}

/* Entry @k of @after is entry @i of @before, in all but its place. */
static void
assert_kept (ZipReader *before, guint i, ZipReader *after, guint k)
{
  const ZipEntry *old = zip_reader_get_entry (before, i);
  const ZipEntry *new = zip_reader_get_entry (after, k);
  g_autoptr (GBytes) old_raw = get_raw (before, i);
  g_autoptr (GBytes) new_raw = get_raw (after, k);

  g_assert_true (g_bytes_equal (old_raw, new_raw));
  g_assert_cmpuint (old->name_length, ==, new->name_length);
  g_assert_cmpuint (old->extra_length, ==, new->extra_length);
  g_assert_cmpuint (old->comment_length, ==, new->comment_length);
  g_assert_cmpmem (old->record + ZIP_CENTRAL_SIZE,
                   old->name_length + old->extra_length + old->comment_length,
                   new->record + ZIP_CENTRAL_SIZE,
                   new->name_length + new->extra_length + new->comment_length);
  g_assert_cmpuint (old->crc, ==, new->crc);
  g_assert_cmpuint (old->size, ==, new->size);
  g_assert_cmpuint (old->external_attributes, ==, new->external_attributes);
  g_assert_cmpuint (old->internal_attributes, ==, new->internal_attributes);
  g_assert_cmpuint (old->made_by, ==, new->made_by);
  g_assert_cmpuint (old->version_needed, ==, new->version_needed);
  g_assert_cmpuint (old->dos_date, ==, new->dos_date);
  g_assert_cmpuint (old->dos_time, ==, new->dos_time);
  g_assert_cmpuint (old->method, ==, new->method);
  g_assert_cmpuint (old->flags & ~ZIP_FLAG_DESCRIPTOR, ==, new->flags & ~ZIP_FLAG_DESCRIPTOR);
}

#define KEPT \
  "a.txt|the first|deflate ut=1000000000 comment=one mode=0100755\n" \
  "d/||mode=040755 extra=75780b000104e803000004d0070000\n" \
  "s1.txt|streamed streamed streamed streamed|deflate streamed ntfs=133338980971234567 host=0\n" \
  "s2.txt|streamed and stored|streamed descriptor=64 extra=fe7f0300414243\n" \
  "caf\x82.txt|old name|host=0 unicode-name=caf%C3%A9.txt\n" \
  "c.bin|secret content|deflate streamed password=secret\n" \
  "m.bin|who knows|method=97\n" \
  "z.txt|the last one|deflate zip64\n"

/* W-rules, Z26: drop each entry in turn; all others stay what they were. */
static void
test_keep (void)
{
  static const char *const ends[] = { "|\n", "|comment=all%20of%20it\n",
                                      "|prefix=1000 comment=sfx\n", "|prefix=1000 absolute\n",
                                      "|zip64\n", "|trailing=10\n" };

  for (guint e = 0; e < G_N_ELEMENTS (ends); e++)
    {
      g_autofree char *text = g_strconcat (KEPT, ends[e], NULL);
      g_autoptr (ZipReader) before = zip_test_build (text);
      guint n = zip_reader_get_n_entries (before);

      for (guint dropped = 0; dropped <= n; dropped++)
        {
          int fd = new_file ();
          g_autoptr (ZipWriter) writer = zip_writer_new (fd);
          g_autoptr (GError) error = NULL;
          gsize length = 0;
          gsize old_length = 0;

          g_assert_true (zip_writer_copy_prefix (writer, before, NULL, &error));
          zip_writer_copy_comment (writer, before);
          for (guint i = 0; i < n; i++)
            if (i != dropped)
              keep (writer, before, i);
          g_assert_no_error (error);
          finish (writer);

          g_autoptr (ZipReader) after = reopen (fd);
          g_assert_cmpuint (zip_reader_get_n_entries (after), ==, dropped < n ? n - 1 : n);
          g_assert_cmpuint (zip_reader_get_prefix_size (after), ==,
                            zip_reader_get_prefix_size (before));
          const char *comment = zip_reader_get_comment (after, &length);
          const char *old_comment = zip_reader_get_comment (before, &old_length);
          g_assert_cmpmem (comment, length, old_comment, old_length);

          for (guint k = 0; k < zip_reader_get_n_entries (after); k++)
            {
              guint i = k < dropped ? k : k + 1;
              const ZipEntry *entry = zip_reader_get_entry (after, k);

              /* The ZIP64 field goes where it is not needed, which is the one difference. */
              if (i != 7)
                assert_kept (before, i, after, k);
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
      int fd = new_file ();
      g_autoptr (ZipWriter) writer = zip_writer_new (fd);
      guint64 offset = 0;
      guint64 length = 0;
      char bytes[4096];

      keep (writer, before, 0);
      keep (writer, before, 2);
      finish (writer);

      ssize_t n = pread (fd, bytes, sizeof bytes, 0);
      g_assert_cmpint (n, >, 100);
      g_assert_null (memmem (bytes, (gsize) n, "SECRET", 6));

      g_autoptr (ZipReader) after = reopen (fd);
      assert_kept (before, 0, after, 0);
      assert_kept (before, 2, after, 1);
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
                      "|prefix=5000 comment=kept\n");
  int fd = new_file ();
  g_autoptr (ZipWriter) writer = zip_writer_new (fd);
  g_autoptr (GError) error = NULL;

  g_assert_true (zip_writer_copy_prefix (writer, before, NULL, &error));
  zip_writer_copy_comment (writer, before);
  for (guint i = 1; i < 5; i++)
    keep (writer, before, i);
  finish (writer);
  let_others_test (fd);
  g_assert_cmpint (close (fd), ==, 0);
}

/* E10: a new name stands in both headers alike, and no field tells of the old one. */
static void
test_rename (void)
{
  static const char *const names[] = { "plain.txt", "\xe6\xbc\xa2\xe5\xad\x97.txt" };
  g_autoptr (ZipReader) before = zip_test_build (KEPT);

  for (guint r = 0; r < G_N_ELEMENTS (names); r++)
    for (guint i = 0; i < zip_reader_get_n_entries (before); i++)
      {
        int fd = new_file ();
        g_autoptr (ZipWriter) writer = zip_writer_new (fd);
        g_autoptr (GError) error = NULL;
        gboolean differs = TRUE;
        gsize length = 0;

        for (guint k = 0; k < zip_reader_get_n_entries (before); k++)
          g_assert_true (zip_writer_copy_entry (writer, before, k, k == i ? names[r] : NULL,
                                                strlen (names[r]), NULL, &error));
        finish (writer);

        g_autoptr (ZipReader) after = reopen (fd);
        const ZipEntry *entry = zip_reader_get_entry (after, i);
        const char *name = zip_entry_get_name (entry, &length);
        g_assert_cmpmem (name, length, names[r], strlen (names[r]));
        g_assert_cmpint (zip_name_is_marked_utf8 (entry), ==, r == 1);
        g_assert_null (zip_name_get_unicode (entry, &length));
        g_autoptr (GBytes) local = zip_reader_dup_local_name (after, i, &differs, &error);
        g_assert_no_error (error);
        g_assert_false (differs);

        g_autoptr (GBytes) old_raw = get_raw (before, i);
        g_autoptr (GBytes) new_raw = get_raw (after, i);
        g_assert_true (g_bytes_equal (old_raw, new_raw));
        g_assert_cmpint (close (fd), ==, 0);
      }
}

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
  int fd = new_file ();
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
  finish (writer);
  let_others_test (fd);

  g_autoptr (ZipReader) reader = reopen (fd);
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
  g_autoptr (ZipReader) before = zip_test_build (KEPT);
  g_autoptr (ZipPacker) packer = zip_packer_new (1);
  const gsize size = ZIP_PACKER_WHOLE_MAX + 2 * ZIP_PACKER_BLOCK;
  g_autofree guint8 *noise = zip_builder_random (4, size);
  gsize fail_at[] = { 0, 1000, ZIP_PACKER_WHOLE_MAX + 1000, size - 1 };

  for (guint k = 0; k < G_N_ELEMENTS (fail_at); k++)
    {
      int fd = new_file ();
      g_autoptr (ZipWriter) writer = zip_writer_new (fd);
      g_autoptr (GError) error = NULL;
      ZipNewEntry entry = { .name = "new", .mode = 0100644, .mtime = 1700000000 };
      Stream stream = { noise, size, 0, fail_at[k] };

      keep (writer, before, 0);
      g_assert_false (zip_writer_add_stream (writer, &entry, packer, read_cb, &stream, size, NULL,
                                             &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED);
      g_clear_error (&error);
      g_assert_false (zip_writer_is_broken (writer));
      keep (writer, before, 2);
      finish (writer);

      g_autoptr (ZipReader) after = reopen (fd);
      g_assert_cmpuint (zip_reader_get_n_entries (after), ==, 2);
      assert_kept (before, 0, after, 0);
      assert_kept (before, 2, after, 1);
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
      int fd = new_file ();
      g_autoptr (ZipWriter) writer = zip_writer_new (fd);

      zip_writer_set_watch (writer, stop_cb, &total);
      for (guint i = 0; i < 4; i++)
        if (i != 1)
          {
            keep (writer, before, i);
            expected += zip_reader_get_entry (before, i)->packed_size;
          }
      finish (writer);
      g_assert_cmpuint (total, ==, expected);

      g_autoptr (ZipReader) after = reopen (fd);
      assert_kept (before, 0, after, 0);
      assert_kept (before, 2, after, 1);
      assert_kept (before, 3, after, 2);
      g_autoptr (GBytes) bytes = zip_test_read (after, 2, &error);
      g_assert_no_error (error);
      g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), noise + 3,
                       size - 300);
      g_assert_cmpint (close (fd), ==, 0);

      int second = new_file ();
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
  g_autoptr (ZipReader) before = zip_test_build (KEPT);
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

/* Entries that share a header go on doing so; contradictions of the old archive are no news. */
static void
test_odd (void)
{
  g_autoptr (ZipReader) before
    = zip_test_build ("a|hello|deflate\n"
                      "b|hello|deflate same-as=0\n"
                      "c|other|local-name=x\n"
                      "d|apart|local-extra=35d90a0000100000000000000000\n");
  int fd = new_file ();
  g_autoptr (ZipWriter) writer = zip_writer_new (fd);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 4; i++)
    keep (writer, before, i);
  finish (writer);

  g_autoptr (ZipReader) after = reopen (fd);
  zip_test_assert_entry (after, 0, "a", "hello");
  zip_test_assert_entry (after, 1, "b", "hello");
  zip_test_assert_entry (after, 2, "c", "other");
  zip_test_assert_entry (after, 3, "d", "apart");
  g_assert_cmpuint (zip_reader_get_entry (after, 0)->header_offset, ==,
                    zip_reader_get_entry (after, 1)->header_offset);
  g_assert_cmpint (close (fd), ==, 0);

  /* What is cut cannot be kept, and the writer is fine. */
  g_autoptr (ZipReader) cut = zip_test_build ("a|hello|packed=6000 size=6000\nb|b|\n");
  int second = new_file ();
  g_autoptr (ZipWriter) next = zip_writer_new (second);
  g_assert_false (zip_writer_copy_entry (next, cut, 0, NULL, 0, NULL, &error));
  g_assert_error (error, ZIP_ERROR, ZIP_ERROR_TRUNCATED);
  g_clear_error (&error);
  g_assert_false (zip_writer_is_broken (next));
  keep (next, cut, 1);
  finish (next);
  g_assert_cmpint (close (second), ==, 0);
}

/* ZIP64 where a number does not fit, here the count; and where a large file was announced. */
static void
test_zip64 (void)
{
  int fd = new_file ();
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
  finish (writer);

  g_autoptr (ZipReader) reader = reopen (fd);
  g_assert_cmpuint (zip_reader_get_n_entries (reader), ==, 65536);
  g_assert_true (zip_reader_get_facts (reader) & ZIP_READER_ZIP64);
  zip_test_assert_entry (reader, 0, "announced", "short");
  zip_test_assert_entry (reader, 65535, "65535", "");
  let_others_test (fd);
  g_assert_cmpint (close (fd), ==, 0);
}

/* One entry as an archive of its own reads as it did before, also with a password. */
static void
test_parts (void)
{
  g_autoptr (ZipReader) reader = zip_test_build (KEPT);
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
        assert_kept (reader, i, single, 0);
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

  g_test_add_func ("/zip/writer/keep", test_keep);
  g_test_add_func ("/zip/writer/drop", test_drop);
  g_test_add_func ("/zip/writer/others-accept-kept", test_others_accept_kept);
  g_test_add_func ("/zip/writer/rename", test_rename);
  g_test_add_func ("/zip/writer/new", test_new);
  g_test_add_func ("/zip/writer/source-fails", test_source_fails);
  g_test_add_func ("/zip/writer/large", test_large);
  g_test_add_func ("/zip/writer/full", test_full);
  g_test_add_func ("/zip/writer/odd", test_odd);
  g_test_add_func ("/zip/writer/zip64", test_zip64);
  g_test_add_func ("/zip/writer/parts", test_parts);

  return g_test_run ();
}
