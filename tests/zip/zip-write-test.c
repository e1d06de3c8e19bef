/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* What the tests of the writer share. */

#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>

#include "zip-write-test.h"

int
zip_write_test_new_file (void)
{
  int fd = memfd_create ("zip-writer", MFD_CLOEXEC);

  g_assert_cmpint (fd, >=, 0);
  return fd;
}

void
zip_write_test_keep (ZipWriter *writer, ZipReader *reader, guint i)
{
  g_autoptr (GError) error = NULL;

  (void) zip_writer_copy_entry (writer, reader, i, NULL, 0, NULL, &error);
  g_assert_no_error (error);
}

void
zip_write_test_finish (ZipWriter *writer)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (zip_writer_finish (writer, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (zip_writer_verify (writer, NULL, &error));
  g_assert_no_error (error);
}

ZipReader *
zip_write_test_reopen (int fd)
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
void
zip_write_test_let_others (int fd)
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
GBytes *
zip_write_test_get_raw (ZipReader *reader, guint i)
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
void
zip_write_test_assert_kept (ZipReader *before, guint i, ZipReader *after, guint k)
{
  const ZipEntry *old = zip_reader_get_entry (before, i);
  const ZipEntry *new = zip_reader_get_entry (after, k);
  g_autoptr (GBytes) old_raw = zip_write_test_get_raw (before, i);
  g_autoptr (GBytes) new_raw = zip_write_test_get_raw (after, k);

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
