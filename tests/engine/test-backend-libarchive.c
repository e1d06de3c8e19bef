/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What libarchive alone gets wrong, or does not notice: each case is one that must never pass for a
 * success. */

#include <archive.h>
#include <archive_entry.h>
#include <glib/gstdio.h>
#include <locale.h>
#include <string.h>

#include "backend-helpers.h"
#include "hold-error.h"

/* Archives from libarchive's own writer. */
typedef struct {
  struct archive *archive;
  GByteArray *bytes;
} Writer;

static la_ssize_t
write_cb (struct archive *archive, void *user_data, const void *bytes, size_t length)
{
  g_byte_array_append (user_data, bytes, (guint) length);
  return (la_ssize_t) length;
}

static Writer
writer_start (int (*format) (struct archive *), int filter, const char *options)
{
  Writer self = { archive_write_new (), g_byte_array_new () };

  g_assert_cmpint (format (self.archive), ==, ARCHIVE_OK);
  g_assert_cmpint (archive_write_add_filter (self.archive, filter), ==, ARCHIVE_OK);
  if (options != NULL)
    g_assert_cmpint (archive_write_set_options (self.archive, options), ==, ARCHIVE_OK);
  g_assert_cmpint (archive_write_set_bytes_in_last_block (self.archive, 1), ==, ARCHIVE_OK);
  g_assert_cmpint (archive_write_open (self.archive, self.bytes, NULL, write_cb, NULL), ==, ARCHIVE_OK);
  return self;
}

static void
writer_add (Writer *self, const char *name, const void *data, gsize length)
{
  struct archive_entry *entry = archive_entry_new ();

  archive_entry_set_pathname (entry, name);
  archive_entry_set_filetype (entry, AE_IFREG);
  archive_entry_set_perm (entry, 0644);
  archive_entry_set_size (entry, (la_int64_t) length);
  g_assert_cmpint (archive_write_header (self->archive, entry), ==, ARCHIVE_OK);
  g_assert_cmpint (archive_write_data (self->archive, data, length), ==, (int) length);
  archive_entry_free (entry);
}

static GByteArray *
writer_finish (Writer *self)
{
  g_assert_cmpint (archive_write_free (self->archive), ==, ARCHIVE_OK);
  return self->bytes;
}

static GBytes *
noise (gsize length)
{
  guint8 *bytes = g_malloc (length);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  for (gsize i = 0; i < length; i++)
    bytes[i] = (guint8) g_rand_int (rand);
  return g_bytes_new_take (bytes, length);
}

static void
test_names_in_c_locale (void)
{
  g_auto (Box) box = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) bytes = NULL;
  g_autoptr (HoldArchive) archive = NULL;
  g_autofree char *path = NULL;
  Writer writer;

  box_init (&box);
  g_assert_nonnull (setlocale (LC_ALL, "C.UTF-8"));
  writer = writer_start (archive_write_set_format_7zip, ARCHIVE_FILTER_NONE, NULL);
  writer_add (&writer, "日本.txt", "x", 1);
  bytes = writer_finish (&writer);
  path = box_put (&box, "a.7z", bytes->data, bytes->len);

  g_assert_nonnull (setlocale (LC_ALL, "C"));
  archive = open_archive (path, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (hold_entry_get_path (hold_archive_get_entry (archive, 0)), ==, "日本.txt");
  g_assert_cmpstr (setlocale (LC_ALL, NULL), ==, "C");

  g_autoptr (Pass) pass = pass_run (archive, NULL, 0, NULL, NULL);
  assert_content (pass, 0, "x");
}

/* libarchive's gzip filter checks no CRC. */
static void
test_gzip_crc (void)
{
  g_auto (Box) box = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) bytes = NULL;
  g_autoptr (HoldArchive) archive = NULL;
  g_autofree char *path = NULL;
  Writer writer = writer_start (archive_write_set_format_gnutar, ARCHIVE_FILTER_GZIP, "gzip:compression-level=0");

  box_init (&box);
  writer_add (&writer, "a.txt", "precious data", 13);
  bytes = writer_finish (&writer);

  guint8 *at = memmem (bytes->data, bytes->len, "precious", 8);
  g_assert_nonnull (at);
  at[0] = 'P';
  path = box_put (&box, "a.tar.gz", bytes->data, bytes->len);

  archive = open_archive (path, &error);
  if (archive == NULL)
    {
      g_assert_error (error, HOLD_ERROR, HOLD_ERROR_CORRUPT);
      return;
    }
  g_assert_nonnull (_hold_archive_get_list_error (archive));
}

/* Plain text behind gzip, made to look like a list that libarchive would obey (F12). */
static void
test_single_file (void)
{
  static const char text[] = "#mtree\n./passwd type=file contents=/etc/passwd\n";
  g_auto (Box) box = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) bytes = NULL;
  g_autoptr (HoldArchive) archive = NULL;
  g_autofree char *path = NULL;
  guint64 size;
  Writer writer = writer_start (archive_write_set_format_raw, ARCHIVE_FILTER_GZIP, NULL);

  box_init (&box);
  writer_add (&writer, "../../other", text, strlen (text));
  bytes = writer_finish (&writer);
  path = box_put (&box, "notes.txt.gz", bytes->data, bytes->len);

  archive = open_archive (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hold_archive_get_n_entries (archive), ==, 1);
  g_assert_cmpstr (hold_entry_get_path (hold_archive_get_entry (archive, 0)), ==, "notes.txt");
  g_assert_false (hold_entry_get_size (hold_archive_get_entry (archive, 0), &size));
  g_assert_cmpstr (hold_archive_get_format (archive)->id, ==, "gz");

  g_autoptr (Pass) pass = pass_run (archive, NULL, 0, NULL, NULL);
  assert_content (pass, 0, text);
}

static void
test_gzip_members (void)
{
  g_auto (Box) box = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (HoldArchive) archive = NULL;
  g_autoptr (HoldArchive) cut = NULL;
  g_autoptr (GByteArray) whole = g_byte_array_new ();
  g_autofree char *path = NULL;
  g_autofree char *cut_path = NULL;

  box_init (&box);
  for (guint i = 0; i < 2; i++)
    {
      Writer writer = writer_start (archive_write_set_format_raw, ARCHIVE_FILTER_GZIP, NULL);
      writer_add (&writer, "x", i == 0 ? "one " : "two", i == 0 ? 4 : 3);
      g_autoptr (GByteArray) member = writer_finish (&writer);
      g_byte_array_append (whole, member->data, member->len);
    }
  cut_path = box_put (&box, "cut.gz", whole->data, whole->len - 5);
  g_byte_array_append (whole, (const guint8 *) "\0\0\0\0\0\0", 6);
  path = box_put (&box, "b.gz", whole->data, whole->len);

  archive = open_archive (path, &error);
  g_assert_no_error (error);
  g_autoptr (Pass) pass = pass_run (archive, NULL, 0, NULL, NULL);
  assert_content (pass, 0, "one two");

  cut = open_archive (cut_path, &error);
  if (cut != NULL)
    {
      g_autoptr (Pass) cut_pass = pass_run (cut, NULL, 0, NULL, NULL);
      g_assert_error (pass_get (cut_pass, 0)->error, HOLD_ERROR, HOLD_ERROR_TRUNCATED);
    }
  else
    g_assert_error (error, HOLD_ERROR, HOLD_ERROR_TRUNCATED);
}

/* What came before the cut stays usable, and nobody is told that this was all (G06). */
static void
test_truncated_tar (void)
{
  g_auto (Box) box = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) bytes = NULL;
  g_autoptr (GBytes) data = noise (20000);
  g_autoptr (HoldArchive) archive = NULL;
  g_autofree char *path = NULL;
  Writer writer = writer_start (archive_write_set_format_ustar, ARCHIVE_FILTER_NONE, NULL);

  box_init (&box);
  writer_add (&writer, "whole.txt", "all of it", 9);
  writer_add (&writer, "cut.bin", g_bytes_get_data (data, NULL), 20000);
  bytes = writer_finish (&writer);
  path = box_put (&box, "t.tar", bytes->data, 10000);

  archive = open_archive (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hold_archive_get_n_entries (archive), ==, 2);
  g_assert_error (_hold_archive_get_list_error (archive), HOLD_ERROR, HOLD_ERROR_TRUNCATED);

  g_autoptr (Pass) pass = pass_run (archive, NULL, 0, NULL, NULL);
  assert_content (pass, 0, "all of it");
  g_assert_error (pass_get (pass, 1)->error, HOLD_ERROR, HOLD_ERROR_TRUNCATED);
  g_assert_nonnull (pass->error);
}

/* F01: a hole at the end has no data to show for it. */
static void
test_sparse (void)
{
  g_auto (Box) box = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) bytes = NULL;
  g_autoptr (HoldArchive) archive = NULL;
  g_autofree char *path = NULL;
  struct archive_entry *entry = archive_entry_new ();
  guint64 size = 0;
  Writer writer = writer_start (archive_write_set_format_pax, ARCHIVE_FILTER_NONE, NULL);

  box_init (&box);
  archive_entry_set_pathname (entry, "holes");
  archive_entry_set_filetype (entry, AE_IFREG);
  archive_entry_set_perm (entry, 0644);
  archive_entry_set_size (entry, 300000);
  archive_entry_sparse_add_entry (entry, 100000, 512);
  g_assert_cmpint (archive_write_header (writer.archive, entry), ==, ARCHIVE_OK);

  g_autofree guint8 *content = g_malloc0 (300000);
  memset (content + 100000, 'x', 512);
  g_assert_cmpint (archive_write_data (writer.archive, content, 300000), ==, 300000);
  archive_entry_free (entry);
  bytes = writer_finish (&writer);
  g_assert_cmpuint (bytes->len, <, 100000);
  path = box_put (&box, "s.tar", bytes->data, bytes->len);

  archive = open_archive (path, &error);
  g_assert_no_error (error);
  g_assert_true (hold_entry_get_size (hold_archive_get_entry (archive, 0), &size));
  g_assert_cmpuint (size, ==, 300000);

  g_autoptr (Pass) pass = pass_run (archive, NULL, 0, NULL, NULL);
  g_assert_no_error (pass_get (pass, 0)->error);
  g_assert_cmpmem (pass_get (pass, 0)->content->data, pass_get (pass, 0)->content->len, content, 300000);
}

static void
pad (GByteArray *out)
{
  while (out->len % 4 != 0)
    g_byte_array_append (out, (const guint8 *) "", 1);
}

static void
add_newc (GByteArray *out, guint inode, guint n_links, const char *name, const char *content)
{
  g_autofree char *head = g_strdup_printf ("070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x",
                                           inode, 0100644, 0, 0, n_links, 0, (guint) strlen (content), 0, 0, 0, 0,
                                           (guint) strlen (name) + 1, 0);

  g_byte_array_append (out, (const guint8 *) head, (guint) strlen (head));
  g_byte_array_append (out, (const guint8 *) name, (guint) strlen (name) + 1);
  pad (out);
  g_byte_array_append (out, (const guint8 *) content, (guint) strlen (content));
  pad (out);
}

/* The newer cpio formats store the data with the last name of a file. */
static void
test_cpio_links (void)
{
  g_autoptr (GByteArray) cpio = g_byte_array_new ();
  g_auto (Box) box = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (HoldArchive) archive = NULL;
  g_autofree char *path = NULL;

  box_init (&box);
  add_newc (cpio, 1, 2, "a", "");
  add_newc (cpio, 1, 2, "b", "hello");
  add_newc (cpio, 0, 1, "TRAILER!!!", "");
  path = box_put (&box, "l.cpio", cpio->data, cpio->len);
  archive = open_archive (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hold_archive_get_n_entries (archive), ==, 2);

  const HoldEntry *first = hold_archive_get_entry (archive, 0);
  const HoldEntry *last = hold_archive_get_entry (archive, 1);

  g_assert_cmpint (hold_entry_get_type (first), ==, HOLD_ENTRY_HARDLINK);
  g_assert_cmpstr (hold_entry_get_link_target (first), ==, "b");
  g_assert_cmpint (hold_entry_get_type (last), ==, HOLD_ENTRY_FILE);

  g_autoptr (Pass) pass = pass_run (archive, NULL, 0, NULL, NULL);
  assert_content (pass, 1, "hello");
}

/* L04: nothing is read behind the last entry that is wanted. */
static void
test_stops_early (void)
{
  g_auto (Box) box = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) bytes = NULL;
  g_autoptr (GBytes) data = noise (8 << 20);
  g_autoptr (HoldArchive) archive = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autofree char *path = NULL;
  const guint wanted[] = { 0 };
  Writer writer = writer_start (archive_write_set_format_ustar, ARCHIVE_FILTER_GZIP, "gzip:compression-level=1");

  box_init (&box);
  writer_add (&writer, "first", "1", 1);
  writer_add (&writer, "huge", g_bytes_get_data (data, NULL), 8 << 20);
  bytes = writer_finish (&writer);
  path = box_put (&box, "h.tar.gz", bytes->data, bytes->len);
  archive = open_archive (path, &error);
  g_assert_no_error (error);

  g_autoptr (Pass) pass = pass_run (archive, wanted, 1, NULL, NULL);
  assert_content (pass, 0, "1");
  g_assert_false (pass_get (pass, 1)->seen);
  g_assert_cmpuint (pass->consumed, <, 1 << 20);

  g_cancellable_cancel (cancellable);
  g_autoptr (Pass) cancelled = pass_run (archive, NULL, 0, NULL, cancellable);
  g_assert_error (cancelled->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* libarchive takes a frame that is to be skipped for the start of Zstandard. */
static void
test_lz4_behind_skippable (void)
{
  static const guint8 skippable[] = { 0x50, 0x2a, 0x4d, 0x18, 5, 0, 0, 0, 'h', 'e', 'l', 'l', 'o' };
  g_auto (Box) box = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) bytes = NULL;
  g_autoptr (HoldArchive) archive = NULL;
  g_autofree char *path = NULL;
  Writer writer = writer_start (archive_write_set_format_ustar, ARCHIVE_FILTER_LZ4, NULL);

  box_init (&box);
  writer_add (&writer, "a.txt", "behind", 6);
  bytes = writer_finish (&writer);
  g_byte_array_prepend (bytes, skippable, sizeof skippable);
  path = box_put (&box, "a.tar.lz4", bytes->data, bytes->len);

  archive = open_archive (path, &error);
  g_assert_no_error (error);
  g_autoptr (Pass) pass = pass_run (archive, NULL, 0, NULL, NULL);
  assert_content (pass, 0, "behind");
}

static void
test_changed (void)
{
  g_auto (Box) box = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) bytes = NULL;
  g_autoptr (HoldArchive) archive = NULL;
  g_autofree char *path = NULL;
  g_autofree char *moved = NULL;
  Writer writer = writer_start (archive_write_set_format_ustar, ARCHIVE_FILTER_NONE, NULL);

  box_init (&box);
  writer_add (&writer, "a.txt", "as it was", 9);
  bytes = writer_finish (&writer);
  path = box_put (&box, "a.tar", bytes->data, bytes->len);
  moved = box_path (&box, "b.tar");
  archive = open_archive (path, &error);
  g_assert_no_error (error);

  /* W10: moved away it is still the same, with another one in its place too. */
  g_assert_cmpint (g_rename (path, moved), ==, 0);
  g_free (box_put (&box, "a.tar", "something else", 14));
  g_autoptr (Pass) pass = pass_run (archive, NULL, 0, NULL, NULL);
  assert_content (pass, 0, "as it was");

  /* Written over in place it is not. */
  g_autoptr (GFile) file = g_file_new_for_path (moved);
  g_autoptr (GFileOutputStream) stream = g_file_append_to (file, G_FILE_CREATE_NONE, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_output_stream_write (G_OUTPUT_STREAM (stream), "x", 1, NULL, &error), ==, 1);
  g_assert_true (g_output_stream_close (G_OUTPUT_STREAM (stream), NULL, &error));
  g_autoptr (Pass) changed = pass_run (archive, NULL, 0, NULL, NULL);
  g_assert_error (changed->error, HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/backend/libarchive/names-in-c-locale", test_names_in_c_locale);
  g_test_add_func ("/backend/libarchive/gzip-crc", test_gzip_crc);
  g_test_add_func ("/backend/libarchive/single-file", test_single_file);
  g_test_add_func ("/backend/libarchive/gzip-members", test_gzip_members);
  g_test_add_func ("/backend/libarchive/truncated-tar", test_truncated_tar);
  g_test_add_func ("/backend/libarchive/sparse", test_sparse);
  g_test_add_func ("/backend/libarchive/cpio-links", test_cpio_links);
  g_test_add_func ("/backend/libarchive/stops-early", test_stops_early);
  g_test_add_func ("/backend/libarchive/lz4-behind-skippable", test_lz4_behind_skippable);
  g_test_add_func ("/backend/libarchive/changed", test_changed);
  return g_test_run ();
}
