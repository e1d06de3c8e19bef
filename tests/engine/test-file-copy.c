/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* "Save As": what stands at the place is replaced by all of the new file, or stays. */

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "hold-error.h"
#include "hold-file-copy.h"

typedef struct {
  char *folder;
  char *from;
  char *to;
} Fixture;

static void
set_up (Fixture       *self,
        gconstpointer  data)
{
  self->folder = g_dir_make_tmp ("hold-file-copy-XXXXXX", NULL);
  self->from = g_build_filename (self->folder, "from", NULL);
  self->to = g_build_filename (self->folder, "to", NULL);
  g_assert_true (g_file_set_contents (self->from, "new", -1, NULL));
}

static void
tear_down (Fixture       *self,
           gconstpointer  data)
{
  GDir *dir = g_dir_open (self->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (self->folder, name, NULL);

      g_assert_null (strstr (name, "part"));
      g_assert_cmpint (g_remove (path), ==, 0);
    }
  g_dir_close (dir);
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_free (self->folder);
  g_free (self->from);
  g_free (self->to);
}

static void
assert_content (const char *path,
                const char *expected)
{
  g_autofree char *content = NULL;

  g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
  g_assert_cmpstr (content, ==, expected);
}

static void
test_new (Fixture       *self,
          gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (hold_file_copy (self->from, self->to, NULL, &error));
  g_assert_no_error (error);
  assert_content (self->to, "new");
}

static void
test_replace (Fixture       *self,
              gconstpointer  data)
{
  g_autoptr (GError) error = NULL;
  struct stat before;
  struct stat after;

  g_assert_true (g_file_set_contents (self->to, "old and longer", -1, NULL));
  g_assert_cmpint (g_chmod (self->to, 0640), ==, 0);
  g_assert_cmpint (g_stat (self->to, &before), ==, 0);
  g_assert_true (hold_file_copy (self->from, self->to, NULL, &error));
  g_assert_no_error (error);
  assert_content (self->to, "new");
  g_assert_cmpint (g_stat (self->to, &after), ==, 0);
  g_assert_cmpint (after.st_mode & 07777, ==, 0640);
  /* Another file: whoever has the old one open reads that to its end. */
  g_assert_cmpuint (after.st_ino, !=, before.st_ino);
}

/* As on a full disk, in the middle of the file. */
static void
test_no_room (Fixture       *self,
              gconstpointer  data)
{
  g_autofree char *large = g_strnfill (1 << 20, 'x');
  g_autoptr (GError) error = NULL;
  struct rlimit limit;
  struct rlimit small;

  g_assert_true (g_file_set_contents (self->from, large, -1, NULL));
  g_assert_true (g_file_set_contents (self->to, "old", -1, NULL));
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  small = limit;
  small.rlim_cur = 300 * 1024;
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &small), ==, 0);
  g_assert_false (hold_file_copy (self->from, self->to, NULL, &error));
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  g_assert_nonnull (error);
  assert_content (self->to, "old");
}

static void
test_cancelled (Fixture       *self,
                gconstpointer  data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (self->to, "old", -1, NULL));
  g_cancellable_cancel (cancellable);
  g_assert_false (hold_file_copy (self->from, self->to, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  assert_content (self->to, "old");
}

/* A pipe that lies in the place of the copy is not waited for. */
static void
test_no_file (Fixture       *self,
              gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_remove (self->from), ==, 0);
  g_assert_cmpint (mkfifo (self->from, 0600), ==, 0);
  g_assert_false (hold_file_copy (self->from, self->to, NULL, &error));
  g_assert_nonnull (error);
  g_assert_false (g_file_test (self->to, G_FILE_TEST_EXISTS));
}

#define ADD(path, func) g_test_add (path, Fixture, NULL, set_up, func, tear_down)

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  ADD ("/engine/file-copy/new", test_new);
  ADD ("/engine/file-copy/replace", test_replace);
  ADD ("/engine/file-copy/no-room", test_no_room);
  ADD ("/engine/file-copy/cancelled", test_cancelled);
  ADD ("/engine/file-copy/no-file", test_no_file);

  return g_test_run ();
}
