/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A folder to extract into and a folder that must stay as it is, for each test anew. */

#include "disk-fixture.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void
disk_put (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (parent, 0755), ==, 0);
  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
}

void
disk_assert_content (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *content = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &content, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (content, ==, text);
}

gboolean
disk_get_stat (const char *folder, const char *name, struct stat *st)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  return lstat (path, st) == 0;
}

guint
disk_get_mode (const char *folder, const char *name)
{
  struct stat st;

  g_assert_true (disk_get_stat (folder, name, &st));
  return st.st_mode & 07777;
}

guint
disk_count_children (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  g_assert_nonnull (dir);
  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = NULL;
  const char *name;
  struct stat st;

  if (lstat (path, &st) != 0)
    return;
  if (!S_ISDIR (st.st_mode))
    {
      g_assert_cmpint (unlink (path), ==, 0);
      return;
    }
  g_assert_cmpint (chmod (path, 0700), ==, 0);
  dir = g_dir_open (path, 0, NULL);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      remove_tree (child);
    }
  g_assert_cmpint (rmdir (path), ==, 0);
}

void
disk_set_up (DiskFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  fixture->root = g_dir_make_tmp ("holdall-sink-XXXXXX", &error);
  g_assert_no_error (error);
  fixture->target = g_build_filename (fixture->root, "target", NULL);
  fixture->outside = g_build_filename (fixture->root, "outside", NULL);
  disk_put (fixture->outside, "precious", "precious");
  g_assert_cmpint (mkdir (fixture->target, 0755), ==, 0);
  fixture->sink = hold_disk_sink_new (fixture->target, &error);
  g_assert_no_error (error);
  /* As on a disk that knows no nameless files. */
  if (GPOINTER_TO_INT (data))
    fixture->sink->tmpfile_works = 0;
}

void
disk_tear_down (DiskFixture *fixture, gconstpointer data)
{
  /* Whatever a test did: what lies outside is as it was. */
  disk_assert_content (fixture->outside, "precious", "precious");
  g_assert_cmpuint (disk_count_children (fixture->outside), ==, 1);
  hold_disk_sink_free (fixture->sink);
  remove_tree (fixture->root);
  g_free (fixture->root);
  g_free (fixture->target);
  g_free (fixture->outside);
}

gboolean
disk_write_file (HoldDiskSink *sink, const char *name, const guint8 *data, gsize length_bytes,
                 const HoldDiskMeta *meta, gboolean replace, GError **error)
{
  HoldDiskFile *file = hold_disk_sink_open_file (sink, name, length_bytes, error);

  if (file == NULL)
    return FALSE;
  if (length_bytes > 0 && !hold_disk_file_write_at (file, data, length_bytes, 0, error))
    {
      hold_disk_file_abort (file);
      return FALSE;
    }
  return hold_disk_file_commit (file, length_bytes, meta, replace, error);
}

gboolean
disk_write_text (HoldDiskSink *sink, const char *name, const char *text, gboolean replace, GError **error)
{
  return disk_write_file (sink, name, (const guint8 *) text, strlen (text), NULL, replace, error);
}

void
disk_assert_written (HoldDiskSink *sink, const char *name, const char *text)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (disk_write_text (sink, name, text, FALSE, &error));
  g_assert_no_error (error);
}

void
disk_finish (HoldDiskSink *sink)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (hold_disk_sink_finish (sink, NULL, NULL, &error));
  g_assert_no_error (error);
}
