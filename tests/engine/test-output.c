/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The transaction under every archive that is written: what is kept, what is refused, what is left
 * behind. */

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "hold-open-file.h"
#include "hold-output.h"

typedef struct
{
  char *folder;
  char *path;
  char *part;
} Fixture;

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("hold-output-XXXXXX", &error);
  g_assert_no_error (error);
  fixture->path = g_build_filename (fixture->folder, "a.zip", NULL);
  fixture->part = g_build_filename (fixture->folder, ".a.zip.holdall-part", NULL);
  g_file_set_contents (fixture->path, "old", -1, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  GDir *dir = g_dir_open (fixture->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (fixture->folder, name, NULL);

      g_assert_cmpint (g_remove (path), ==, 0);
    }
  g_dir_close (dir);
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  g_free (fixture->folder);
  g_free (fixture->path);
  g_free (fixture->part);
}

static HoldFileIdentity
identity_of (const char *path)
{
  HoldFileIdentity identity;
  g_autoptr (GError) error = NULL;
  int fd = open (path, O_RDONLY | O_CLOEXEC);

  g_assert_cmpint (fd, >=, 0);
  hold_file_identity_from_fd (fd, &identity, &error);
  g_assert_no_error (error);
  close (fd);
  return identity;
}

static void
write_new (HoldOutput *output)
{
  g_autoptr (GError) error = NULL;

  hold_output_write_all (hold_output_get_fd (output), (const guint8 *) "new", 3, "test", &error);
  g_assert_no_error (error);
}

static void
assert_content (const char *path,
                const char *expected)
{
  g_autofree char *content = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &content, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (content, ==, expected);
}

static void
test_replace (Fixture       *fixture,
              gconstpointer  data)
{
  HoldFileIdentity identity = identity_of (fixture->path);
  g_autoptr (HoldReport) report = hold_report_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (HoldOutput) output = hold_output_new_replace (fixture->path, &identity, &error);

  g_assert_no_error (error);
  write_new (output);
  assert_content (fixture->path, "old");
  g_assert_true (hold_output_commit (output, report, &error));
  g_assert_no_error (error);
  assert_content (fixture->path, "new");
  g_assert_false (g_file_test (fixture->part, G_FILE_TEST_EXISTS));
}

static void
test_roll_back (Fixture       *fixture,
                gconstpointer  data)
{
  HoldFileIdentity identity = identity_of (fixture->path);
  HoldOutput *output = hold_output_new_replace (fixture->path, &identity, NULL);

  write_new (output);
  g_assert_true (g_file_test (fixture->part, G_FILE_TEST_EXISTS));
  hold_output_free (output);
  assert_content (fixture->path, "old");
  g_assert_false (g_file_test (fixture->part, G_FILE_TEST_EXISTS));
}

/* W03 */
static void
test_keeps_mode_and_attributes (Fixture       *fixture,
                                gconstpointer  data)
{
  g_autoptr (HoldReport) report = hold_report_new ();
  g_autoptr (HoldOutput) output = NULL;
  HoldFileIdentity identity;
  gboolean has_xattr;
  char value[8] = "";
  struct stat st;

  g_assert_cmpint (chmod (fixture->path, 0617), ==, 0);
  has_xattr = setxattr (fixture->path, "user.holdall", "kept", 5, 0) == 0;
  identity = identity_of (fixture->path);
  output = hold_output_new_replace (fixture->path, &identity, NULL);
  write_new (output);
  g_assert_true (hold_output_commit (output, report, NULL));

  g_assert_cmpint (stat (fixture->path, &st), ==, 0);
  g_assert_cmphex (st.st_mode & 07777, ==, 0617);
  if (has_xattr)
    {
      g_assert_cmpint (getxattr (fixture->path, "user.holdall", value, sizeof value), ==, 5);
      g_assert_cmpstr (value, ==, "kept");
    }
}

/* W04 */
static void
test_symlink_stays (Fixture       *fixture,
                    gconstpointer  data)
{
  HoldFileIdentity identity = identity_of (fixture->path);
  g_autofree char *link = g_build_filename (fixture->folder, "link.zip", NULL);
  g_autofree char *target = NULL;
  g_autoptr (HoldReport) report = hold_report_new ();
  g_autoptr (HoldOutput) output = NULL;

  g_assert_cmpint (symlink ("a.zip", link), ==, 0);
  output = hold_output_new_replace (link, &identity, NULL);
  write_new (output);
  g_assert_true (hold_output_commit (output, report, NULL));

  target = g_file_read_link (link, NULL);
  g_assert_cmpstr (target, ==, "a.zip");
  assert_content (fixture->path, "new");
}

static void
test_changed_before (Fixture       *fixture,
                     gconstpointer  data)
{
  HoldFileIdentity identity = identity_of (fixture->path);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (fixture->path, "other", -1, NULL);
  g_assert_null (hold_output_new_replace (fixture->path, &identity, &error));
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK);
  assert_content (fixture->path, "other");
  g_assert_false (g_file_test (fixture->part, G_FILE_TEST_EXISTS));
}

/* W10: also when another file stands there only at the last moment. */
static void
test_changed_meanwhile (Fixture       *fixture,
                        gconstpointer  data)
{
  HoldFileIdentity identity = identity_of (fixture->path);
  g_autoptr (HoldReport) report = hold_report_new ();
  g_autoptr (GError) error = NULL;
  HoldOutput *output = hold_output_new_replace (fixture->path, &identity, NULL);

  write_new (output);
  g_file_set_contents (fixture->path, "other", -1, NULL);
  g_assert_false (hold_output_commit (output, report, &error));
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK);
  hold_output_free (output);
  assert_content (fixture->path, "other");
  g_assert_false (g_file_test (fixture->part, G_FILE_TEST_EXISTS));
}

static void
test_second_writer_is_told (Fixture       *fixture,
                            gconstpointer  data)
{
  HoldFileIdentity identity = identity_of (fixture->path);
  g_autoptr (GError) error = NULL;
  g_autoptr (HoldOutput) first = hold_output_new_replace (fixture->path, &identity, NULL);

  g_assert_nonnull (first);
  g_assert_null (hold_output_new_replace (fixture->path, &identity, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_BUSY);
  hold_output_sweep (fixture->path);
  g_assert_true (g_file_test (fixture->part, G_FILE_TEST_EXISTS));
}

/* What a killed process leaves has no lock. */
static void
test_litter_is_swept (Fixture       *fixture,
                      gconstpointer  data)
{
  HoldFileIdentity identity = identity_of (fixture->path);
  g_autoptr (HoldOutput) output = NULL;

  g_file_set_contents (fixture->part, "half", -1, NULL);
  hold_output_sweep (fixture->path);
  g_assert_false (g_file_test (fixture->part, G_FILE_TEST_EXISTS));

  g_file_set_contents (fixture->part, "half", -1, NULL);
  output = hold_output_new_replace (fixture->path, &identity, NULL);
  g_assert_nonnull (output);
}

/* A link laid in the place of the new file must not be written through. */
static void
test_planted_link (Fixture       *fixture,
                   gconstpointer  data)
{
  HoldFileIdentity identity = identity_of (fixture->path);
  g_autofree char *victim = g_build_filename (fixture->folder, "victim", NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (victim, "precious", -1, NULL);
  g_assert_cmpint (symlink ("victim", fixture->part), ==, 0);
  g_assert_null (hold_output_new_replace (fixture->path, &identity, &error));
  g_assert_nonnull (error);
  assert_content (victim, "precious");
}

static void
test_create (Fixture       *fixture,
             gconstpointer  data)
{
  g_autofree char *path = g_build_filename (fixture->folder, "new.zip", NULL);
  g_autoptr (HoldReport) report = hold_report_new ();
  g_autoptr (GError) error = NULL;
  HoldOutput *output = hold_output_new_create (path, FALSE, &error);

  g_assert_no_error (error);
  write_new (output);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  /* A file that comes meanwhile is not replaced. */
  g_file_set_contents (path, "came", -1, NULL);
  g_assert_false (hold_output_commit (output, report, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS);
  hold_output_free (output);
  assert_content (path, "came");
  g_clear_error (&error);

  g_assert_null (hold_output_new_create (path, FALSE, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS);
  g_clear_error (&error);

  output = hold_output_new_create (path, TRUE, &error);
  g_assert_no_error (error);
  write_new (output);
  g_assert_true (hold_output_commit (output, report, &error));
  hold_output_free (output);
  assert_content (path, "new");
}

static void
test_long_name (Fixture       *fixture,
                gconstpointer  data)
{
  g_autofree char *name = g_strnfill (255, 'n');
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);
  g_autoptr (HoldReport) report = hold_report_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (HoldOutput) output = hold_output_new_create (path, FALSE, &error);

  g_assert_no_error (error);
  write_new (output);
  g_assert_true (hold_output_commit (output, report, &error));
  assert_content (path, "new");
}

/* On the document portal's file system the flag itself fails; the second way is as strict. */
static void
test_opens_no_link (Fixture       *fixture,
                    gconstpointer  data)
{
  int (*open_file[]) (int, const char *, int) = {
    hold_open_file, hold_open_file_in_steps
  };
  g_autofree char *link = g_build_filename (fixture->folder, "link", NULL);

  g_assert_cmpint (symlink ("a.zip", link), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (open_file); i++)
    {
      char content[4] = "";
      int fd = open_file[i] (AT_FDCWD, fixture->path, O_RDWR | O_NONBLOCK);

      g_assert_cmpint (fd, >=, 0);
      g_assert_cmpint (read (fd, content, 3), ==, 3);
      g_assert_cmpstr (content, ==, "old");
      g_assert_cmpint (fcntl (fd, F_GETFD) & FD_CLOEXEC, ==, FD_CLOEXEC);
      close (fd);

      errno = 0;
      g_assert_cmpint (open_file[i] (AT_FDCWD, link, O_RDONLY), ==, -1);
      g_assert_cmpint (errno, ==, ELOOP);
      g_assert_cmpint (open_file[i] (AT_FDCWD, fixture->part, O_RDONLY), ==, -1);
      g_assert_cmpint (errno, ==, ENOENT);
    }
}

/* Overwriting never puts a file in the place of something else. */
static void
test_create_over_no_file (Fixture       *fixture,
                          gconstpointer  data)
{
  g_autofree char *pipe = g_build_filename (fixture->folder, "pipe", NULL);
  g_autofree char *link = g_build_filename (fixture->folder, "link", NULL);
  const char *paths[] = { pipe, link, fixture->folder };
  struct stat st;

  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  g_assert_cmpint (symlink ("pipe", link), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (hold_output_new_create (paths[i], TRUE, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE);
    }
  g_assert_cmpint (lstat (pipe, &st), ==, 0);
  g_assert_true (S_ISFIFO (st.st_mode));
  g_assert_cmpint (unlink (link), ==, 0);
  g_assert_cmpint (unlink (pipe), ==, 0);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

#define ADD(name, func) g_test_add ("/output/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("replace", test_replace);
  ADD ("roll-back", test_roll_back);
  ADD ("keeps-mode-and-attributes", test_keeps_mode_and_attributes);
  ADD ("symlink-stays", test_symlink_stays);
  ADD ("changed-before", test_changed_before);
  ADD ("changed-meanwhile", test_changed_meanwhile);
  ADD ("second-writer-is-told", test_second_writer_is_told);
  ADD ("litter-is-swept", test_litter_is_swept);
  ADD ("planted-link", test_planted_link);
  ADD ("create", test_create);
  ADD ("create-over-no-file", test_create_over_no_file);
  ADD ("long-name", test_long_name);
  ADD ("opens-no-link", test_opens_no_link);
#undef ADD

  return g_test_run ();
}
