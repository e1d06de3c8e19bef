/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What is closed while nobody reads it, and what is found when somebody does. */

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "backend-helpers.h"
#include "hold-lent-file.h"
#include "hold-volumes.h"

/* How many descriptors of this process lead to @path, also if it has lost its name. */
static guint
count_open (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/fd", 0, NULL);
  const char *name;
  guint n = 0;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *link = g_build_filename ("/proc/self/fd", name, NULL);
      g_autofree char *target = g_file_read_link (link, NULL);

      if (target != NULL && g_str_has_prefix (target, path))
        n++;
    }
  return n;
}

static HoldVolumes *
open_volumes (const char *path)
{
  g_autoptr (GError) error = NULL;
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  HoldVolumes *volumes;

  g_assert_cmpint (fd, >=, 0);
  volumes = hold_volumes_open (path, fd, &error);
  g_assert_no_error (error);
  g_assert_cmpint (close (fd), ==, 0);
  return volumes;
}

static void
assert_reads (HoldVolumes *volumes,
              const char  *text)
{
  g_autoptr (GError) error = NULL;
  char read[16];
  gsize n;

  g_assert_true (hold_volumes_read (volumes, 0, read, sizeof read, &n, &error));
  g_assert_no_error (error);
  g_assert_cmpmem (read, n, text, strlen (text));
}

static void
assert_changed (HoldVolumes *volumes)
{
  g_autoptr (GError) error = NULL;
  char read[16];
  gsize n;

  g_assert_false (hold_volumes_read (volumes, 0, read, sizeof read, &n, &error));
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK);
  g_clear_error (&error);
  g_assert_false (hold_volumes_check_unchanged (volumes, &error));
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK);
}

static void
test_rests_and_is_read_again (void)
{
  g_auto (Box) box = { 0 };
  g_autoptr (GError) error = NULL;

  box_init (&box);
  g_autofree char *path = box_put (&box, "a", "abc", 3);
  g_autoptr (HoldVolumes) one = open_volumes (path);
  g_autoptr (HoldVolumes) two = open_volumes (path);

  g_assert_cmpuint (count_open (path), ==, 2);
  hold_lent_files_rest (FALSE);
  g_assert_cmpuint (count_open (path), ==, 0);
  hold_lent_files_rest (FALSE);

  assert_reads (one, "abc");
  g_assert_cmpuint (count_open (path), ==, 1);
  g_clear_pointer (&one, hold_volumes_unref);
  g_assert_cmpuint (count_open (path), ==, 0);
  g_assert_true (hold_volumes_check_unchanged (two, &error));
  g_assert_no_error (error);
  assert_reads (two, "abc");
}

static void
test_lent_stays_open (void)
{
  g_auto (Box) box = { 0 };
  g_autoptr (GError) error = NULL;
  char byte;
  int fd;

  box_init (&box);
  g_autofree char *path = box_put (&box, "a", "abc", 3);
  g_autoptr (HoldVolumes) volumes = open_volumes (path);

  hold_lent_files_rest (FALSE);
  fd = hold_volumes_lend_fd (volumes, 0, &error);
  g_assert_no_error (error);
  hold_lent_files_rest (FALSE);
  g_assert_cmpint (pread (fd, &byte, 1, 2), ==, 1);
  g_assert_cmpint (byte, ==, 'c');
  hold_volumes_give_back_fd (volumes, 0);
  hold_lent_files_rest (FALSE);
  g_assert_cmpuint (count_open (path), ==, 0);
}

static void
test_changed_while_closed (void)
{
  g_auto (Box) box = { 0 };

  box_init (&box);
  g_autofree char *grown = box_put (&box, "grown", "abc", 3);
  g_autofree char *replaced = box_put (&box, "replaced", "abc", 3);
  g_autofree char *other = box_put (&box, "other", "xyz", 3);
  g_autofree char *deleted = box_put (&box, "deleted", "abc", 3);
  g_autoptr (HoldVolumes) of_grown = open_volumes (grown);
  g_autoptr (HoldVolumes) of_replaced = open_volumes (replaced);
  g_autoptr (HoldVolumes) of_deleted = open_volumes (deleted);
  g_autoptr (GError) error = NULL;
  char read[16];
  gsize n;

  hold_lent_files_rest (FALSE);
  g_assert_cmpint (truncate (grown, 4), ==, 0);
  g_assert_cmpint (g_rename (other, replaced), ==, 0);
  g_assert_cmpint (g_unlink (deleted), ==, 0);

  assert_changed (of_grown);
  assert_changed (of_replaced);
  g_assert_false (hold_volumes_read (of_deleted, 0, read, sizeof read, &n, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
}

/* What undo brings back, and what a job reads while somebody deletes it. */
static void
test_without_a_name (void)
{
  g_auto (Box) box = { 0 };

  box_init (&box);
  g_autofree char *path = box_put (&box, "a", "abc", 3);
  g_autoptr (HoldVolumes) volumes = open_volumes (path);

  g_assert_cmpint (g_unlink (path), ==, 0);
  hold_lent_files_rest (FALSE);
  assert_reads (volumes, "abc");
  g_assert_cmpuint (count_open (path), ==, 1);
  /* The end of one job may be late, and come while the next is at it. */
  hold_lent_files_begin_job ();
  hold_lent_files_rest (TRUE);
  assert_reads (volumes, "abc");
  hold_lent_files_end_job ();
  hold_lent_files_rest (TRUE);
  g_assert_cmpuint (count_open (path), ==, 0);
}

static gpointer
rest_func (gpointer data)
{
  gint *stop = data;

  while (!g_atomic_int_get (stop))
    hold_lent_files_rest (FALSE);
  return NULL;
}

static gpointer
read_func (gpointer data)
{
  for (guint i = 0; i < 300; i++)
    assert_reads (data, "abc");
  return NULL;
}

static void
test_threads (void)
{
  g_auto (Box) box = { 0 };
  gint stop = FALSE;

  box_init (&box);
  g_autofree char *path = box_put (&box, "a", "abc", 3);
  g_autoptr (HoldVolumes) one = open_volumes (path);
  g_autoptr (HoldVolumes) two = open_volumes (path);
  GThread *resting = g_thread_new ("rest", rest_func, &stop);
  GThread *reading[] = { g_thread_new ("read", read_func, one), g_thread_new ("read", read_func, one),
                         g_thread_new ("read", read_func, two) };

  for (gsize i = 0; i < G_N_ELEMENTS (reading); i++)
    g_thread_join (reading[i]);
  g_atomic_int_set (&stop, TRUE);
  g_thread_join (resting);
  hold_lent_files_rest (FALSE);
  g_assert_cmpuint (count_open (path), ==, 0);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/lent-file/rests-and-is-read-again", test_rests_and_is_read_again);
  g_test_add_func ("/engine/lent-file/lent-stays-open", test_lent_stays_open);
  g_test_add_func ("/engine/lent-file/changed-while-closed", test_changed_while_closed);
  g_test_add_func ("/engine/lent-file/without-a-name", test_without_a_name);
  g_test_add_func ("/engine/lent-file/threads", test_threads);
  return g_test_run ();
}
