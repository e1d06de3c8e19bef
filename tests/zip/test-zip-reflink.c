/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* On a file system that shares blocks, dropping an entry of a large archive writes next to
 * nothing. Needs root, a loop device and mkfs.xfs or mkfs.btrfs; skips without them.
 */

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "zip-test.h"
#include "zip-writer.h"

#define N_ENTRIES 60u
#define ENTRY_SIZE 2000000u

static gboolean
run (const char *first, ...)
{
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_autoptr (GSubprocess) process = NULL;
  va_list list;

  g_ptr_array_add (arguments, (gpointer) first);
  va_start (list, first);
  for (const char *next = va_arg (list, const char *); next != NULL; next = va_arg (list,
                                                                                    const char *))
    g_ptr_array_add (arguments, (gpointer) next);
  va_end (list);
  g_ptr_array_add (arguments, NULL);

  process = g_subprocess_newv ((const char *const *) arguments->pdata,
                               G_SUBPROCESS_FLAGS_STDOUT_SILENCE
                                 | G_SUBPROCESS_FLAGS_STDERR_SILENCE,
                               NULL);
  return process != NULL && g_subprocess_wait_check (process, NULL, NULL);
}

static guint64
get_free (const char *folder)
{
  struct statvfs info;
  int fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (syncfs (fd), ==, 0);
  g_assert_cmpint (fstatvfs (fd, &info), ==, 0);
  g_assert_cmpint (close (fd), ==, 0);
  return (guint64) info.f_bfree * info.f_frsize;
}

/* Drops entry @dropped of the archive at @path; returns the new one's path. */
static char *
rewrite_without (const char *path, guint dropped, const char *new_path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ZipReader) before = zip_reader_open_path (path, NULL, &error);
  g_assert_no_error (error);
  int fd = open (new_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  g_assert_cmpint (fd, >=, 0);

  g_autoptr (ZipWriter) writer = zip_writer_new (fd);
  for (guint i = 0; i < zip_reader_get_n_entries (before); i++)
    if (i != dropped)
      {
        g_assert_true (zip_writer_copy_entry (writer, before, i, NULL, 0, NULL, &error));
        g_assert_no_error (error);
      }
  g_assert_true (zip_writer_finish (writer, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (zip_writer_verify (writer, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpint (close (fd), ==, 0);
  return g_strdup (new_path);
}

static void
check_on (const char *folder, const char *options)
{
  g_autoptr (ZipBuilder) builder = zip_builder_new ();
  g_autofree guint8 *noise = zip_builder_random (9, ENTRY_SIZE + 2 * N_ENTRIES);
  g_autofree char *second = g_build_filename (folder, "second.zip", NULL);
  g_autofree char *third = g_build_filename (folder, "third.zip", NULL);

  for (guint i = 0; i < N_ENTRIES; i++)
    {
      g_autofree char *name = g_strdup_printf ("entry-%u", i);
      zip_builder_add_bytes (builder, name, noise + i, ENTRY_SIZE + i, options);
    }
  g_autoptr (GBytes) archive = zip_builder_finish (builder, NULL);
  g_autofree char *first = zip_builder_save (archive, folder, "first.zip");

  /* Twice, so that paddings of the first time are met in the second. */
  guint64 free_before = get_free (folder);
  g_free (rewrite_without (first, 7, second));
  g_free (rewrite_without (second, 3, third));
  guint64 free_after = get_free (folder);
  g_assert_cmpuint (free_before - free_after, <, 4000000);

  g_autoptr (GError) error = NULL;
  g_autoptr (ZipReader) after = zip_reader_open_path (third, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (zip_reader_get_n_entries (after), ==, N_ENTRIES - 2);
  for (guint k = 0; k < N_ENTRIES - 2; k++)
    {
      guint i = k < 3 ? k : k < 6 ? k + 1 : k + 2;
      g_autoptr (GBytes) bytes = zip_test_read (after, k, &error);

      g_assert_no_error (error);
      g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), noise + i,
                       ENTRY_SIZE + i);
    }

  g_assert_cmpint (g_unlink (first), ==, 0);
  g_assert_cmpint (g_unlink (second), ==, 0);
  g_assert_cmpint (g_unlink (third), ==, 0);
}

/* An entry above 4 GiB, which is a hole here and costs nothing to copy: ZIP64 fields come with
 * it, and go with it. */
static void
check_zip64 (const char *folder)
{
  const guint64 size = G_GUINT64_CONSTANT (5000000000);
  const gsize head = 30 + 3 + 20; /* the first local header, with its ZIP64 field */
  g_autofree char *text = g_strdup_printf ("big|x|zip64 crc=0 packed=%" G_GUINT64_FORMAT
                                           " size=%" G_GUINT64_FORMAT "\n"
                                           "small|hello|deflate zip64 "
                                           "offset=%" G_GUINT64_FORMAT "\n"
                                           "|zip64 cd-offset=%" G_GUINT64_FORMAT "\n",
                                           size, size, head + size,
                                           head + size + 30 + 5 + 20 + 7);
  g_autoptr (GBytes) archive = zip_builder_from_text (text);
  g_autofree char *path = g_build_filename (folder, "large.zip", NULL);
  g_autofree char *new_path = g_build_filename (folder, "new.zip", NULL);
  g_autoptr (GError) error = NULL;
  gsize length = 0;
  const guint8 *data = g_bytes_get_data (archive, &length);
  int fd = open (path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

  g_assert_cmpint (pwrite (fd, data, head, 0), ==, (gssize) head);
  g_assert_cmpint (pwrite (fd, data + head + 1, length - head - 1, (off_t) (head + size)), ==,
                   (gssize) (length - head - 1));
  g_assert_cmpint (close (fd), ==, 0);

  g_autoptr (ZipReader) before = zip_reader_open_path (path, NULL, &error);
  g_assert_no_error (error);

  /* As they are; with a new header for the large one; without it. */
  for (guint k = 0; k < 3; k++)
    {
      fd = open (new_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      g_autoptr (ZipWriter) writer = zip_writer_new (fd);

      g_assert_true (zip_writer_copy_entry (writer, before, 1, NULL, 0, NULL, &error));
      if (k < 2)
        g_assert_true (zip_writer_copy_entry (writer, before, 0, k == 1 ? "renamed" : NULL, 7, NULL,
                                              &error));
      g_assert_true (zip_writer_copy_entry (writer, before, 1, "again", 5, NULL, &error));
      g_assert_true (zip_writer_finish (writer, NULL, &error));
      g_assert_true (zip_writer_verify (writer, NULL, &error));
      g_assert_no_error (error);

      g_autoptr (ZipReader) after = zip_reader_open_fd (fd, NULL, &error);
      g_assert_no_error (error);
      guint last = zip_reader_get_n_entries (after) - 1;
      zip_test_assert_entry (after, 0, "small", "hello");
      zip_test_assert_entry (after, last, "again", "hello");
      g_assert_cmpint ((zip_reader_get_facts (after) & ZIP_READER_ZIP64) != 0, ==, k < 2);
      g_assert_cmpint ((zip_reader_get_entry (after, last)->facts & ZIP_ENTRY_ZIP64) != 0, ==,
                       k < 2);
      if (k < 2)
        {
          g_assert_cmpuint (zip_reader_get_entry (after, 1)->size, ==, size);
          g_assert_cmpuint (zip_reader_get_entry (after, 1)->packed_size, ==, size);
        }
      g_assert_cmpint (close (fd), ==, 0);
      g_assert_cmpint (g_unlink (new_path), ==, 0);
    }

  g_assert_cmpint (g_unlink (path), ==, 0);
}

static void
test_reflink (void)
{
  static const char *const makers[][3] = { { "mkfs.xfs", "-q", "-f" },
                                           { "mkfs.btrfs", "-q", "-f" } };
  g_autofree char *folder = g_dir_make_tmp ("zip-reflink-XXXXXX", NULL);
  g_autofree char *image = g_build_filename (folder, "image", NULL);
  g_autofree char *mount_point = g_build_filename (folder, "mount", NULL);
  guint n_checked = 0;

  /* Whatever happens to this test, its mounts go with it. */
  gboolean allowed = geteuid () == 0 && unshare (CLONE_NEWNS) == 0
                     && mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;

  g_assert_cmpint (g_mkdir (mount_point, 0700), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (makers) && allowed; i++)
    {
      int fd = open (image, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

      g_assert_cmpint (ftruncate (fd, 600 * 1024 * 1024), ==, 0);
      g_assert_cmpint (close (fd), ==, 0);
      if (!run (makers[i][0], makers[i][1], makers[i][2], image, NULL)
          || !run ("mount", "-o", "loop", image, mount_point, NULL))
        continue;

      g_test_message ("%s", makers[i][0]);
      check_on (mount_point, NULL);
      check_on (mount_point, "streamed");
      check_zip64 (mount_point);
      g_assert_true (run ("umount", mount_point, NULL));
      n_checked++;
    }

  (void) g_unlink (image);
  g_assert_cmpint (g_rmdir (mount_point), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  if (n_checked == 0)
    g_test_skip ("no file system that shares blocks can be mounted here");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/zip/reflink", test_reflink);

  return g_test_run ();
}
