/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The disk sink against hostile names and links, things that stand in the way, full disks and
 * several threads: nothing outside the destination, nothing of the person's touched. */

#include "hold-disk-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
  char *root;       /* all of the test lies here */
  char *target;     /* root/target */
  char *outside;    /* root/outside, with the file "precious" */
  HoldDiskSink *sink;
} Fixture;

static void
put (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (parent, 0755), ==, 0);
  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
}

static void
assert_content (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *content = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &content, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (content, ==, text);
}

static gboolean
get_stat (const char *folder, const char *name, struct stat *st)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  return lstat (path, st) == 0;
}

static guint
get_mode (const char *folder, const char *name)
{
  struct stat st;

  g_assert_true (get_stat (folder, name, &st));
  return st.st_mode & 07777;
}

static guint
count_children (const char *folder)
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

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  fixture->root = g_dir_make_tmp ("holdall-sink-XXXXXX", &error);
  g_assert_no_error (error);
  fixture->target = g_build_filename (fixture->root, "target", NULL);
  fixture->outside = g_build_filename (fixture->root, "outside", NULL);
  put (fixture->outside, "precious", "precious");
  g_assert_cmpint (mkdir (fixture->target, 0755), ==, 0);
  fixture->sink = hold_disk_sink_new (fixture->target, &error);
  g_assert_no_error (error);
  /* As on a disk that knows no nameless files. */
  if (GPOINTER_TO_INT (data))
    fixture->sink->tmpfile_works = 0;
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  /* Whatever a test did: what lies outside is as it was. */
  assert_content (fixture->outside, "precious", "precious");
  g_assert_cmpuint (count_children (fixture->outside), ==, 1);
  hold_disk_sink_free (fixture->sink);
  remove_tree (fixture->root);
  g_free (fixture->root);
  g_free (fixture->target);
  g_free (fixture->outside);
}

static gboolean
write_text (HoldDiskSink *sink, const char *name, const char *text, gboolean replace, GError **error)
{
  return hold_disk_sink_write_file (sink, name, (const guint8 *) text, strlen (text), NULL, replace, error);
}

static void
assert_written (HoldDiskSink *sink, const char *name, const char *text)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (write_text (sink, name, text, FALSE, &error));
  g_assert_no_error (error);
}

static void
finish (HoldDiskSink *sink)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (hold_disk_sink_finish (sink, NULL, NULL, &error));
  g_assert_no_error (error);
}

/* S01: names that would leave the destination. */
static void
test_unsafe_names (Fixture *fixture, gconstpointer data)
{
  const char *names[] = { "", "/abs.txt", "../evil.txt", "a/../../evil.txt", "..", ".", "a//b", "a/./b", "a/", "./a" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;
      HoldDiskKind kind;

      g_assert_false (write_text (fixture->sink, names[i], "x", TRUE, &error));
      g_assert_error (error, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME);
      g_clear_error (&error);
      g_assert_null (hold_disk_sink_open_file (fixture->sink, names[i], 0, &error));
      g_assert_error (error, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME);
      g_clear_error (&error);
      g_assert_false (hold_disk_sink_add_symlink (fixture->sink, names[i], "t", NULL, TRUE, &error));
      g_assert_error (error, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME);
      g_clear_error (&error);
      g_assert_false (hold_disk_sink_add_hardlink (fixture->sink, "l", names[i], TRUE, &error));
      g_assert_error (error, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME);
      g_clear_error (&error);
      g_assert_false (hold_disk_sink_look_up (fixture->sink, names[i], &kind, NULL, NULL, NULL, &error));
      g_assert_error (error, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME);
    }
  g_assert_cmpuint (count_children (fixture->target), ==, 0);
  g_assert_cmpuint (count_children (fixture->root), ==, 2);
}

/* S02: the person's link in the way, and a link of the archive with a file "inside" it. */
static void
test_links_are_not_followed (Fixture *fixture, gconstpointer data)
{
  g_autofree char *link = g_build_filename (fixture->target, "mine", NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *blocked_by = NULL;
  HoldDiskKind kind;
  struct stat st;

  g_assert_cmpint (symlink (fixture->outside, link), ==, 0);
  g_assert_false (write_text (fixture->sink, "mine/pwn", "x", TRUE, &error));
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME);
  g_clear_error (&error);
  g_assert_false (hold_disk_sink_make_folder (fixture->sink, "mine", NULL, &error));
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME);
  g_clear_error (&error);
  g_assert_true (hold_disk_sink_look_up (fixture->sink, "mine/a/b", &kind, NULL, NULL, &blocked_by, &error));
  g_assert_cmpint (kind, ==, HOLD_DISK_NOTHING);
  g_assert_cmpstr (blocked_by, ==, "mine");

  g_assert_true (hold_disk_sink_add_symlink (fixture->sink, "l", fixture->outside, NULL, FALSE, &error));
  g_assert_false (write_text (fixture->sink, "l/pwn", "x", TRUE, &error));
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME);
  finish (fixture->sink);
  g_assert_true (get_stat (fixture->target, "l", &st));
  g_assert_true (S_ISLNK (st.st_mode));
  g_clear_error (&error);
  g_assert_false (write_text (fixture->sink, "l/pwn", "x", TRUE, &error));
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME);
}

/* A link is replaced by the file, never written through. */
static void
test_replace_link (Fixture *fixture, gconstpointer data)
{
  g_autofree char *link = g_build_filename (fixture->target, "f", NULL);
  g_autofree char *precious = g_build_filename (fixture->outside, "precious", NULL);
  g_autoptr (GError) error = NULL;
  struct stat st;

  g_assert_cmpint (symlink (precious, link), ==, 0);
  g_assert_false (write_text (fixture->sink, "f", "new", FALSE, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS);
  g_clear_error (&error);
  g_assert_true (write_text (fixture->sink, "f", "new", TRUE, &error));
  g_assert_no_error (error);
  g_assert_true (get_stat (fixture->target, "f", &st));
  g_assert_true (S_ISREG (st.st_mode));
  assert_content (fixture->target, "f", "new");
  g_assert_cmpuint (count_children (fixture->target), ==, 1);
}

/* A folder is swapped for a link between two files. */
static void
test_link_race (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = g_build_filename (fixture->target, "d", NULL);
  g_autofree char *moved = g_build_filename (fixture->target, "moved", NULL);
  g_autoptr (GError) error = NULL;

  assert_written (fixture->sink, "d/one", "1");
  g_assert_cmpint (rename (folder, moved), ==, 0);
  g_assert_cmpint (symlink (fixture->outside, folder), ==, 0);
  write_text (fixture->sink, "d/two", "2", TRUE, &error);
  hold_disk_sink_make_folder (fixture->sink, "d/three", NULL, NULL);
  finish (fixture->sink);
  hold_disk_sink_discard (fixture->sink);
}

/* S04: the destination itself may be a link. */
static void
test_destination_link (Fixture *fixture, gconstpointer data)
{
  g_autofree char *link = g_build_filename (fixture->root, "dest", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HoldDiskSink) sink = NULL;

  g_assert_cmpint (symlink ("target", link), ==, 0);
  sink = hold_disk_sink_new (link, &error);
  g_assert_no_error (error);
  assert_written (sink, "a/b", "x");
  assert_content (fixture->target, "a/b", "x");
  g_assert_cmpstr (hold_disk_sink_get_path (sink), ==, link);
}

static void
test_bad_destination (Fixture *fixture, gconstpointer data)
{
  g_autofree char *file = g_build_filename (fixture->outside, "precious", NULL);
  g_autofree char *below = g_build_filename (file, "below", NULL);
  g_autofree char *fifo = g_build_filename (fixture->root, "fifo", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (hold_disk_sink_new (file, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_DIRECTORY);
  g_clear_error (&error);
  g_assert_null (hold_disk_sink_new (below, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_DIRECTORY);
  g_clear_error (&error);
  /* Must not wait for somebody to open the other end. */
  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  g_assert_null (hold_disk_sink_new (fifo, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_DIRECTORY);
}

/* S06: only what was made goes again. */
static void
test_discard (Fixture *fixture, gconstpointer data)
{
  const HoldDiskMeta closed = { .has_mode = TRUE, .mode = 0500 };
  g_autofree char *fresh = g_build_filename (fixture->root, "new", "deep", NULL);
  g_autofree char *fresh_parent = g_build_filename (fixture->root, "new", NULL);
  g_autoptr (GError) error = NULL;
  HoldDiskSink *sink;
  struct stat st;

  put (fixture->target, "keep.txt", "keep");
  put (fixture->target, "old/keep.txt", "keep");
  put (fixture->target, "changed.txt", "before");
  assert_written (fixture->sink, "made/a/b", "x");
  assert_written (fixture->sink, "old/x", "x");
  assert_written (fixture->sink, "made/theirs/x", "x");
  assert_written (fixture->sink, "swapped", "x");
  g_assert_true (hold_disk_sink_make_folder (fixture->sink, "made", &closed, &error));
  g_assert_true (hold_disk_sink_add_symlink (fixture->sink, "old/l", "..", NULL, FALSE, &error));
  g_assert_true (hold_disk_sink_add_hardlink (fixture->sink, "old/h", "old/x", FALSE, &error));
  g_assert_true (write_text (fixture->sink, "changed.txt", "after", TRUE, &error));
  finish (fixture->sink);
  g_assert_cmpuint (get_mode (fixture->target, "made"), ==, 0500);
  g_assert_cmpuint (count_children (fixture->target), ==, 5);

  /* What somebody else put there or put in place of ours stays. */
  put (fixture->target, "made/theirs/note", "mine");
  {
    g_autofree char *swapped = g_build_filename (fixture->target, "swapped", NULL);

    g_assert_cmpint (unlink (swapped), ==, 0);
    put (fixture->target, "blocker", "occupies an inode");
    put (fixture->target, "swapped", "mine");
  }
  hold_disk_sink_discard (fixture->sink);
  assert_content (fixture->target, "keep.txt", "keep");
  assert_content (fixture->target, "old/keep.txt", "keep");
  assert_content (fixture->target, "made/theirs/note", "mine");
  assert_content (fixture->target, "changed.txt", "after");
  assert_content (fixture->target, "swapped", "mine");
  g_assert_false (get_stat (fixture->target, "made/a", &st));
  g_assert_false (get_stat (fixture->target, "made/theirs/x", &st));
  g_assert_false (get_stat (fixture->target, "old/x", &st));
  g_assert_false (get_stat (fixture->target, "old/l", &st));
  g_assert_false (get_stat (fixture->target, "old/h", &st));

  sink = hold_disk_sink_new (fresh, &error);
  g_assert_no_error (error);
  assert_written (sink, "a", "x");
  hold_disk_sink_discard (sink);
  hold_disk_sink_free (sink);
  g_assert_cmpint (lstat (fresh_parent, &st), !=, 0);
}

/* X06, X07, X08, Z17. */
static void
test_modes_and_times (Fixture *fixture, gconstpointer data)
{
  const HoldDiskMeta folder = { TRUE, 0750, TRUE, 1000000000, 500 };
  const HoldDiskMeta sealed = { TRUE, 0555, TRUE, 1000000001, 0 };
  const HoldDiskMeta script = { TRUE, 06755, TRUE, -86400, 0 };
  const HoldDiskMeta nothing = { TRUE, 0, FALSE, 0, 0 };
  const HoldDiskMeta hostile = { TRUE, 0640, TRUE, G_MAXINT64, G_MAXUINT };
  g_autoptr (GError) error = NULL;
  struct stat st;
  HoldDiskFile *file;

  put (fixture->target, "mine/f", "x");
  g_assert_cmpint (get_mode (fixture->target, "mine"), ==, 0755);

  /* Children before their folder, and after it. */
  assert_written (fixture->sink, "d/child", "x");
  g_assert_true (hold_disk_sink_make_folder (fixture->sink, "d", &folder, &error));
  g_assert_true (hold_disk_sink_make_folder (fixture->sink, "sealed", &sealed, &error));
  g_assert_cmpuint (get_mode (fixture->target, "sealed") & 0700, ==, 0700);
  g_assert_true (hold_disk_sink_write_file (fixture->sink, "sealed/script", (const guint8 *) "#!", 2, &script, FALSE,
                                            &error));
  g_assert_true (hold_disk_sink_make_folder (fixture->sink, "mine", &sealed, &error));
  g_assert_true (hold_disk_sink_make_folder (fixture->sink, "", &folder, &error));
  g_assert_true (hold_disk_sink_make_folder (fixture->sink, "nothing", &nothing, &error));
  g_assert_true (hold_disk_sink_write_file (fixture->sink, "nothing/f", NULL, 0, &nothing, FALSE, &error));
  g_assert_true (hold_disk_sink_write_file (fixture->sink, "hostile", NULL, 0, &hostile, FALSE, &error));
  g_assert_no_error (error);
  file = hold_disk_sink_open_file (fixture->sink, "stream", 100, &error);
  g_assert_no_error (error);
  g_assert_true (hold_disk_file_write_at (file, (const guint8 *) "end", 3, 70000, &error));
  g_assert_true (hold_disk_file_commit (file, 100000, &script, FALSE, &error));
  g_assert_no_error (error);
  finish (fixture->sink);

  g_assert_cmpuint (get_mode (fixture->target, "d"), ==, 0750);
  g_assert_true (get_stat (fixture->target, "d", &st));
  g_assert_cmpint (st.st_mtim.tv_sec, ==, 1000000000);
  g_assert_cmpint (st.st_mtim.tv_nsec, ==, 500);
  g_assert_cmpuint (get_mode (fixture->target, "sealed"), ==, 0555);
  g_assert_true (get_stat (fixture->target, "sealed", &st));
  g_assert_cmpint (st.st_mtim.tv_sec, ==, 1000000001);
  g_assert_cmpuint (get_mode (fixture->target, "sealed/script"), ==, 0755);
  g_assert_true (get_stat (fixture->target, "sealed/script", &st));
  g_assert_cmpint (st.st_mtim.tv_sec, ==, -86400);
  g_assert_cmpuint (get_mode (fixture->target, "mine"), ==, 0755);
  g_assert_cmpuint (get_mode (fixture->target, "."), ==, 0755);
  g_assert_cmpuint (get_mode (fixture->target, "nothing"), ==, 0755);
  g_assert_cmpuint (get_mode (fixture->target, "nothing/f"), ==, 0644);
  g_assert_cmpuint (get_mode (fixture->target, "stream"), ==, 0755);
  g_assert_true (get_stat (fixture->target, "stream", &st));
  g_assert_cmpint (st.st_size, ==, 100000);
  g_assert_cmpint (st.st_mtim.tv_sec, ==, -86400);
  g_assert_cmpint (st.st_blocks, <, 100);
}

/* X09, X10: a folder, a file, a fifo in the way. */
static void
test_things_in_the_way (Fixture *fixture, gconstpointer data)
{
  g_autofree char *fifo = g_build_filename (fixture->target, "fifo", NULL);
  g_autofree char *blocked_by = NULL;
  g_autoptr (GError) error = NULL;
  HoldDiskKind kind;
  guint64 size;
  gint64 mtime;

  put (fixture->target, "folder/inside", "mine");
  put (fixture->target, "file", "mine!");
  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);

  g_assert_false (write_text (fixture->sink, "folder", "x", FALSE, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS);
  g_clear_error (&error);
  g_assert_false (write_text (fixture->sink, "folder", "x", TRUE, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY);
  g_clear_error (&error);
  g_assert_false (write_text (fixture->sink, "fifo", "x", TRUE, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS);
  g_clear_error (&error);
  g_assert_false (write_text (fixture->sink, "file/below/x", "x", TRUE, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_DIRECTORY);
  g_clear_error (&error);
  g_assert_false (hold_disk_sink_make_folder (fixture->sink, "file", NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_DIRECTORY);
  g_clear_error (&error);

  g_assert_true (hold_disk_sink_look_up (fixture->sink, "file/below/x", &kind, NULL, NULL, &blocked_by, &error));
  g_assert_cmpint (kind, ==, HOLD_DISK_NOTHING);
  g_assert_cmpstr (blocked_by, ==, "file");
  g_assert_true (hold_disk_sink_look_up (fixture->sink, "file", &kind, &size, &mtime, NULL, &error));
  g_assert_cmpint (kind, ==, HOLD_DISK_FILE);
  g_assert_cmpuint (size, ==, 5);
  g_assert_cmpint (mtime, >, 1000000000);
  g_assert_true (hold_disk_sink_look_up (fixture->sink, "fifo", &kind, NULL, NULL, NULL, &error));
  g_assert_cmpint (kind, ==, HOLD_DISK_OTHER);
  g_assert_true (hold_disk_sink_look_up (fixture->sink, "folder", &kind, NULL, NULL, NULL, &error));
  g_assert_cmpint (kind, ==, HOLD_DISK_FOLDER);
  g_assert_true (hold_disk_sink_look_up (fixture->sink, "none/x", &kind, NULL, NULL, NULL, &error));
  g_assert_cmpint (kind, ==, HOLD_DISK_NOTHING);

  assert_written (fixture->sink, "good", "x");
  finish (fixture->sink);
  assert_content (fixture->target, "folder/inside", "mine");
  assert_content (fixture->target, "file", "mine!");
  /* No temporary names are left of what failed. */
  g_assert_cmpuint (count_children (fixture->target), ==, 4);
}

static void
test_long_names (Fixture *fixture, gconstpointer data)
{
  g_autofree char *longest = g_strnfill (255, 'n');
  g_autofree char *too_long = g_strnfill (256, 'n');
  g_autoptr (GString) deep = g_string_new ("d");
  g_autoptr (GString) umlauts = g_string_new (NULL);
  g_autofree char *numbered = NULL, *cut = NULL, *name = NULL;
  g_autoptr (GError) error = NULL;

  assert_written (fixture->sink, longest, "x");
  g_assert_false (write_text (fixture->sink, too_long, "x", FALSE, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FILENAME_TOO_LONG);

  numbered = hold_disk_sink_free_name (fixture->sink, longest);
  g_assert_cmpuint (strlen (numbered), ==, 255);
  g_assert_true (g_str_has_suffix (numbered, "n (2)"));

  for (guint i = 0; i < 125; i++)
    g_string_append (umlauts, "ä");
  name = g_strconcat ("x", umlauts->str, ".txt", NULL);
  cut = hold_disk_sink_free_name (fixture->sink, name);
  g_assert_true (g_utf8_validate (cut, -1, NULL));
  g_assert_cmpuint (strlen (cut), <=, 255);
  g_assert_true (g_str_has_suffix (cut, "ä (2).txt"));

  /* Far deeper than there are descriptors. */
  for (guint i = 0; i < 1900; i++)
    g_string_append (deep, "/d");
  g_string_append (deep, "/file");
  assert_written (fixture->sink, deep->str, "deep");
  finish (fixture->sink);
  hold_disk_sink_discard (fixture->sink);
  g_assert_cmpuint (count_children (fixture->target), ==, 0);
}

static void
test_free_names (Fixture *fixture, gconstpointer data)
{
  const char *pairs[][2] = {
    { "a.txt", "a (2).txt" }, { "a.txt", "a (4).txt" }, { "b/c.tar.gz", "b/c (2).tar.gz" },
    { ".bashrc", ".bashrc (2)" }, { "noext", "noext (2)" }, { "v1.2 final report", "v1.2 final report (2)" },
  };

  put (fixture->target, "a (3).txt", "mine");
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autofree char *name = hold_disk_sink_free_name (fixture->sink, pairs[i][0]);

      g_assert_cmpstr (name, ==, pairs[i][1]);
    }
}

static void
collect_failure (gpointer user_data, const char *name, const GError *error)
{
  g_ptr_array_add (user_data, g_strdup_printf ("%s %s %d", name, g_quark_to_string (error->domain), error->code));
}

static void
test_links (Fixture *fixture, gconstpointer data)
{
  const HoldDiskMeta meta = { .has_mtime = TRUE, .mtime = 1000000000 };
  g_autoptr (GPtrArray) failures = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *target = NULL, *link = g_build_filename (fixture->target, "s/link", NULL);
  g_autoptr (GError) error = NULL;
  HoldDiskKind kind;
  struct stat st, st2;

  put (fixture->target, "mine", "mine");
  put (fixture->target, "taken", "mine");
  put (fixture->target, "gives-way", "mine");
  assert_written (fixture->sink, "a", "data");
  g_assert_true (hold_disk_sink_add_symlink (fixture->sink, "s/link", "../no/such", &meta, FALSE, &error));
  g_assert_true (hold_disk_sink_add_symlink (fixture->sink, "taken", "x", NULL, FALSE, &error));
  g_assert_true (hold_disk_sink_add_symlink (fixture->sink, "gives-way", "x", NULL, TRUE, &error));
  g_assert_true (hold_disk_sink_add_hardlink (fixture->sink, "s/b", "a", FALSE, &error));
  g_assert_true (hold_disk_sink_add_hardlink (fixture->sink, "s/c", "s/b", FALSE, &error));
  g_assert_true (hold_disk_sink_add_hardlink (fixture->sink, "steal", "mine", FALSE, &error));
  g_assert_true (hold_disk_sink_add_hardlink (fixture->sink, "void", "no/such", FALSE, &error));
  g_assert_true (hold_disk_sink_look_up (fixture->sink, "s/link", &kind, NULL, NULL, NULL, &error));
  g_assert_cmpint (kind, ==, HOLD_DISK_SYMLINK);
  g_assert_false (get_stat (fixture->target, "s/link", &st));
  g_assert_true (hold_disk_sink_finish (fixture->sink, collect_failure, failures, &error));
  g_assert_no_error (error);

  target = g_file_read_link (link, &error);
  g_assert_cmpstr (target, ==, "../no/such");
  g_assert_true (get_stat (fixture->target, "s/link", &st));
  g_assert_cmpint (st.st_mtim.tv_sec, ==, 1000000000);
  g_assert_true (get_stat (fixture->target, "gives-way", &st));
  g_assert_true (S_ISLNK (st.st_mode));
  g_assert_true (get_stat (fixture->target, "a", &st));
  g_assert_true (get_stat (fixture->target, "s/c", &st2));
  g_assert_cmpuint (st.st_ino, ==, st2.st_ino);
  assert_content (fixture->target, "taken", "mine");
  g_assert_cmpuint (failures->len, ==, 3);
  g_assert_true (g_str_has_prefix (failures->pdata[0], "taken g-io-error-quark 2"));
  g_assert_true (g_str_has_prefix (failures->pdata[1], "steal g-io-error-quark 1"));
  g_assert_true (g_str_has_prefix (failures->pdata[2], "void g-io-error-quark 1"));
  g_assert_cmpuint (count_children (fixture->target), ==, 5);
}

/* An aborted file leaves nothing, and nothing can be seen of it before. */
static void
test_abort (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  HoldDiskFile *file;

  file = hold_disk_sink_open_file (fixture->sink, "f", 0, &error);
  g_assert_no_error (error);
  g_assert_true (hold_disk_file_write_at (file, (const guint8 *) "half", 4, 0, &error));
  g_assert_false (hold_disk_file_write_at (file, (const guint8 *) "far", 3, G_MAXUINT64, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE);
  hold_disk_file_abort (file);
  g_assert_cmpuint (count_children (fixture->target), ==, 0);

  put (fixture->target, "f", "mine");
  file = hold_disk_sink_open_file (fixture->sink, "f", 0, NULL);
  g_clear_error (&error);
  g_assert_false (hold_disk_file_commit (file, 0, NULL, FALSE, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS);
  assert_content (fixture->target, "f", "mine");
  g_assert_cmpuint (count_children (fixture->target), ==, 1);
}

#define N_THREADS 4
#define N_FILES   2000

typedef struct {
  HoldDiskSink *sink;
  gint next;
  gint n_exist;
} Shared;

static gpointer
write_many (gpointer data)
{
  Shared *shared = data;

  for (;;)
    {
      gint i = g_atomic_int_add (&shared->next, 1);
      g_autofree char *name = g_strdup_printf ("d%d/e%d/f%d", i % 10, i % 300, i);
      g_autoptr (GError) error = NULL;
      HoldDiskFile *file;

      if (i >= N_FILES)
        return NULL;
      if (i % 3 == 0)
        {
          file = hold_disk_sink_open_file (shared->sink, name, 0, &error);
          g_assert_no_error (error);
          g_assert_true (hold_disk_file_write_at (file, (const guint8 *) name, strlen (name), 0, &error));
          g_assert_true (hold_disk_file_commit (file, strlen (name), NULL, FALSE, &error));
        }
      else
        g_assert_true (write_text (shared->sink, name, name, FALSE, &error));
      g_assert_no_error (error);
      /* All want one name: exactly one gets it. */
      if (!write_text (shared->sink, "d0/same", "same", FALSE, &error))
        {
          g_assert_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS);
          g_atomic_int_inc (&shared->n_exist);
        }
    }
}

static void
test_threads (Fixture *fixture, gconstpointer data)
{
  Shared shared = { fixture->sink, 0, 0 };
  GThread *threads[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("writer", write_many, &shared);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  g_assert_cmpint (shared.n_exist, ==, N_FILES - 1);
  for (guint i = 0; i < N_FILES; i++)
    {
      g_autofree char *name = g_strdup_printf ("d%u/e%u/f%u", i % 10, i % 300, i);

      assert_content (fixture->target, name, name);
    }
  finish (fixture->sink);
  hold_disk_sink_discard (fixture->sink);
  g_assert_cmpuint (count_children (fixture->target), ==, 0);
}

/* A limit on the size of files stands in for a full disk where nothing can be mounted. */
static void
test_file_size_limit (Fixture *fixture, gconstpointer data)
{
  g_autofree guint8 *block = g_malloc0 (256 * 1024);
  g_autoptr (GError) error = NULL;
  struct rlimit before, limit;
  gboolean ok = TRUE;
  HoldDiskFile *file;

  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
  limit = before;
  limit.rlim_cur = 1024 * 1024;
  file = hold_disk_sink_open_file (fixture->sink, "big", 0, &error);
  g_assert_no_error (error);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  for (guint i = 0; i < 8 && ok; i++)
    ok = hold_disk_file_write_at (file, block, 256 * 1024, i * 256 * 1024, &error);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
  g_assert_false (ok);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE);
  hold_disk_file_abort (file);
  g_assert_cmpuint (count_children (fixture->target), ==, 0);
}

/* More folders in turn than there are descriptors. */
static void
test_few_descriptors (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  struct rlimit before, limit;
  HoldDiskSink *sink;

  g_assert_cmpint (getrlimit (RLIMIT_NOFILE, &before), ==, 0);
  limit = before;
  limit.rlim_cur = 40;
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &limit), ==, 0);
  sink = hold_disk_sink_new (fixture->target, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 600; i++)
    {
      g_autofree char *name = g_strdup_printf ("d%u/e/f%u", i % 200, i);

      assert_written (sink, name, name);
    }
  finish (sink);
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &before), ==, 0);
  assert_content (fixture->target, "d199/e/f599", "d199/e/f599");
  hold_disk_sink_discard (sink);
  g_assert_cmpuint (count_children (fixture->target), ==, 0);
  hold_disk_sink_free (sink);
}

static void
test_full_disk (Fixture *fixture, gconstpointer data)
{
  g_autofree guint8 *block = g_malloc0 (256 * 1024);
  g_autofree char *mount_point = g_build_filename (fixture->root, "small", NULL);
  g_autoptr (GError) error = NULL;
  HoldDiskSink *sink;
  guint64 free_bytes;
  guint n_written = 0;

  g_assert_cmpint (mkdir (mount_point, 0755), ==, 0);
  if (mount ("none", mount_point, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m") != 0)
    {
      g_test_skip ("cannot mount a small disk here");
      return;
    }
  sink = hold_disk_sink_new (mount_point, &error);
  g_assert_no_error (error);
  g_assert_true (hold_disk_sink_get_free_space (sink, &free_bytes, &error));
  g_assert_cmpuint (free_bytes, ==, 1024 * 1024);
  while (error == NULL && n_written < 10)
    {
      g_autofree char *name = g_strdup_printf ("f%u", n_written);

      if (hold_disk_sink_write_file (sink, name, block, 256 * 1024, NULL, FALSE, &error))
        n_written++;
    }
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE);
  g_assert_nonnull (strstr (error->message, mount_point));
  g_assert_cmpuint (n_written, >=, 2);
  g_assert_cmpuint (count_children (mount_point), ==, n_written);
  hold_disk_sink_free (sink);
  g_assert_cmpint (umount (mount_point), ==, 0);
}

/* Another disk is mounted below the destination: links across are copies, durable on both. */
static void
test_mount_below (Fixture *fixture, gconstpointer data)
{
  const HoldDiskMeta meta = { TRUE, 0640, TRUE, 1000000000, 0 };
  g_autofree char *mount_point = g_build_filename (fixture->target, "m", NULL);
  g_autofree char *big = g_strnfill (600 * 1024, 'b');
  g_autoptr (GError) error = NULL;
  struct stat st;

  g_assert_cmpint (mkdir (mount_point, 0755), ==, 0);
  if (mount ("none", mount_point, "tmpfs", MS_NOSUID | MS_NODEV, "size=4m") != 0)
    {
      g_test_skip ("cannot mount a small disk here");
      return;
    }
  g_assert_true (hold_disk_sink_write_file (fixture->sink, "a", (const guint8 *) big, strlen (big), &meta, FALSE,
                                            &error));
  g_assert_no_error (error);
  put (mount_point, "taken", "mine");
  g_assert_true (hold_disk_sink_add_hardlink (fixture->sink, "m/b", "a", FALSE, &error));
  g_assert_true (hold_disk_sink_add_hardlink (fixture->sink, "m/taken", "a", TRUE, &error));
  finish (fixture->sink);
  assert_content (mount_point, "b", big);
  assert_content (mount_point, "taken", big);
  g_assert_cmpuint (get_mode (mount_point, "b"), ==, 0640);
  g_assert_true (get_stat (mount_point, "b", &st));
  g_assert_cmpint (st.st_mtim.tv_sec, ==, 1000000000);
  g_assert_cmpuint (st.st_nlink, ==, 1);
  g_assert_true (hold_disk_sink_sync (fixture->sink, &error));
  g_assert_no_error (error);
  hold_disk_sink_discard (fixture->sink);
  g_assert_cmpuint (count_children (mount_point), ==, 1);
  g_assert_cmpint (umount2 (mount_point, MNT_DETACH), ==, 0);
}

/* Root may write anywhere; so this runs as nobody in a process of its own. */
static void
run_as_nobody (Fixture *fixture)
{
  const HoldDiskMeta sealed = { .has_mode = TRUE, .mode = 0500 };
  g_autoptr (GError) error = NULL;
  HoldDiskSink *sink;
  struct stat st;

  sink = hold_disk_sink_new (fixture->target, &error);
  if (sink == NULL)
    _exit (10);
  if (write_text (sink, "readonly/x", "x", TRUE, &error)
      || !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED))
    _exit (11);
  /* May be entered and written, not listed. */
  if (!write_text (sink, "blind/x", "x", FALSE, NULL))
    _exit (12);
  if (!hold_disk_sink_make_folder (sink, "open/sealed", &sealed, NULL)
      || !write_text (sink, "open/sealed/x", "x", FALSE, NULL) || !hold_disk_sink_finish (sink, NULL, NULL, NULL))
    _exit (13);
  if (get_mode (fixture->target, "open/sealed") != 0500)
    _exit (14);
  hold_disk_sink_discard (sink);
  if (get_stat (fixture->target, "open/sealed", &st))
    _exit (15);
  hold_disk_sink_free (sink);
  _exit (0);
}

static void
test_ordinary_person (Fixture *fixture, gconstpointer data)
{
  const struct { const char *name; mode_t mode; } folders[] = {
    { "readonly", 0555 }, { "blind", 0333 }, { "open", 0777 },
  };
  int status;
  pid_t pid;

  if (getuid () != 0)
    {
      g_test_skip ("needs root to become somebody else");
      return;
    }
  g_assert_cmpint (chmod (fixture->root, 0755), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *path = g_build_filename (fixture->target, folders[i].name, NULL);

      g_assert_cmpint (mkdir (path, 0755), ==, 0);
      g_assert_cmpint (chmod (path, folders[i].mode), ==, 0);
    }
  pid = fork ();
  if (pid == 0)
    {
      if (setgid (65534) != 0 || setuid (65534) != 0)
        _exit (9);
      run_as_nobody (fixture);
    }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

static void
test_sync (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  assert_written (fixture->sink, "a", "x");
  g_assert_true (hold_disk_sink_sync (fixture->sink, &error));
  g_assert_no_error (error);
}

#define ADD(name, func) \
  g_test_add ("/disk-sink/" name, Fixture, GINT_TO_POINTER (FALSE), set_up, func, tear_down)
/* Also the way by hidden names. */
#define ADD_BOTH(name, func) \
  ADD (name, func); \
  g_test_add ("/disk-sink/named/" name, Fixture, GINT_TO_POINTER (TRUE), set_up, func, tear_down)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  umask (022);
  ADD ("unsafe-names", test_unsafe_names);
  ADD ("links-are-not-followed", test_links_are_not_followed);
  ADD_BOTH ("replace-link", test_replace_link);
  ADD ("link-race", test_link_race);
  ADD ("destination-link", test_destination_link);
  ADD ("bad-destination", test_bad_destination);
  ADD_BOTH ("discard", test_discard);
  ADD_BOTH ("modes-and-times", test_modes_and_times);
  ADD_BOTH ("things-in-the-way", test_things_in_the_way);
  ADD_BOTH ("long-names", test_long_names);
  ADD ("free-names", test_free_names);
  ADD_BOTH ("links", test_links);
  ADD_BOTH ("abort", test_abort);
  ADD_BOTH ("threads", test_threads);
  ADD_BOTH ("file-size-limit", test_file_size_limit);
  ADD ("few-descriptors", test_few_descriptors);
  ADD ("full-disk", test_full_disk);
  ADD_BOTH ("mount-below", test_mount_below);
  ADD ("ordinary-person", test_ordinary_person);
  ADD ("sync", test_sync);
  return g_test_run ();
}
