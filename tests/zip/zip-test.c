/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Opens archives that were never on a disk. */

#include "zip-test.h"

#include <sys/mman.h>
#include <unistd.h>

int
zip_test_fd (GBytes *archive)
{
  int fd = memfd_create ("zip-test", MFD_CLOEXEC);
  gsize length = 0;
  const guint8 *data = g_bytes_get_data (archive, &length);

  g_assert_cmpint (fd, >=, 0);
  while (length > 0)
    {
      ssize_t n = write (fd, data, length);
      g_assert_cmpint (n, >, 0);
      data += n;
      length -= (gsize) n;
    }
  return fd;
}

ZipReader *
zip_test_open (GBytes *archive, GError **error)
{
  int fd = zip_test_fd (archive);
  ZipReader *reader = zip_reader_open_fd (fd, NULL, error);

  g_assert_cmpint (close (fd), ==, 0);
  return reader;
}

ZipReader *
zip_test_build (const char *text)
{
  g_autoptr (GBytes) archive = zip_builder_from_text (text);
  g_autoptr (GError) error = NULL;
  ZipReader *reader = zip_test_open (archive, &error);

  g_assert_no_error (error);
  return reader;
}

static gboolean
append_cb (gpointer user, const guint8 *data, gsize length, GError **error)
{
  g_assert_cmpuint (length, >, 0);
  g_assert_cmpuint (length, <=, ZIP_CODEC_CHUNK);
  g_byte_array_append (user, data, (guint) length);
  return TRUE;
}

GBytes *
zip_test_read (ZipReader *reader, guint i, GError **error)
{
  /* Kept from test to test, as programs keep it from entry to entry. */
  static ZipWorkspace *workspace;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  if (workspace == NULL)
    workspace = zip_workspace_new ();
  if (!zip_reader_read_entry (reader, i, workspace, append_cb, bytes, NULL, error))
    return NULL;
  return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}

void
zip_test_assert_entry (ZipReader *reader, guint i, const char *name, const char *content)
{
  g_autoptr (GError) error = NULL;
  gsize length = 0;
  const char *raw = zip_entry_get_name (zip_reader_get_entry (reader, i), &length);

  g_assert_cmpmem (raw, length, name, strlen (name));

  g_autoptr (GBytes) bytes = zip_test_read (reader, i, &error);
  g_assert_no_error (error);
  const char *data = g_bytes_get_data (bytes, &length);
  g_assert_cmpmem (data, length, content, strlen (content));
}
