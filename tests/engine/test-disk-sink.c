/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The disk sink against hostile names and links and things that stand in the way: nothing outside
 * the destination, nothing of the person's touched. */

#include "disk-fixture.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* S01: names that would leave the destination. */
static void
test_unsafe_names (DiskFixture *fixture, gconstpointer data)
{
  const char *names[] = { "", "/abs.txt", "../evil.txt", "a/../../evil.txt", "..", ".", "a//b", "a/./b", "a/", "./a" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;
      HoldDiskKind kind;

      g_assert_false (disk_write_text (fixture->sink, names[i], "x", TRUE, &error));
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
  g_assert_cmpuint (disk_count_children (fixture->target), ==, 0);
  g_assert_cmpuint (disk_count_children (fixture->root), ==, 2);
}

/* S02: the person's link in the way, and a link of the archive with a file "inside" it. */
static void
test_links_are_not_followed (DiskFixture *fixture, gconstpointer data)
{
  g_autofree char *link = g_build_filename (fixture->target, "mine", NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *blocked_by = NULL;
  HoldDiskKind kind;
  struct stat st;

  g_assert_cmpint (symlink (fixture->outside, link), ==, 0);
  g_assert_false (disk_write_text (fixture->sink, "mine/pwn", "x", TRUE, &error));
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME);
  g_clear_error (&error);
  g_assert_false (hold_disk_sink_make_folder (fixture->sink, "mine", NULL, &error));
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME);
  g_clear_error (&error);
  g_assert_true (hold_disk_sink_look_up (fixture->sink, "mine/a/b", &kind, NULL, NULL, &blocked_by, &error));
  g_assert_cmpint (kind, ==, HOLD_DISK_NOTHING);
  g_assert_cmpstr (blocked_by, ==, "mine");

  g_assert_true (hold_disk_sink_add_symlink (fixture->sink, "l", fixture->outside, NULL, FALSE, &error));
  g_assert_false (disk_write_text (fixture->sink, "l/pwn", "x", TRUE, &error));
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME);
  disk_finish (fixture->sink);
  g_assert_true (disk_get_stat (fixture->target, "l", &st));
  g_assert_true (S_ISLNK (st.st_mode));
  g_clear_error (&error);
  g_assert_false (disk_write_text (fixture->sink, "l/pwn", "x", TRUE, &error));
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME);
}

/* A link is replaced by the file, never written through. */
static void
test_replace_link (DiskFixture *fixture, gconstpointer data)
{
  g_autofree char *link = g_build_filename (fixture->target, "f", NULL);
  g_autofree char *precious = g_build_filename (fixture->outside, "precious", NULL);
  g_autoptr (GError) error = NULL;
  struct stat st;

  g_assert_cmpint (symlink (precious, link), ==, 0);
  g_assert_false (disk_write_text (fixture->sink, "f", "new", FALSE, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS);
  g_clear_error (&error);
  g_assert_true (disk_write_text (fixture->sink, "f", "new", TRUE, &error));
  g_assert_no_error (error);
  g_assert_true (disk_get_stat (fixture->target, "f", &st));
  g_assert_true (S_ISREG (st.st_mode));
  disk_assert_content (fixture->target, "f", "new");
  g_assert_cmpuint (disk_count_children (fixture->target), ==, 1);
}

/* A folder is swapped for a link between two files. */
static void
test_link_race (DiskFixture *fixture, gconstpointer data)
{
  g_autofree char *folder = g_build_filename (fixture->target, "d", NULL);
  g_autofree char *moved = g_build_filename (fixture->target, "moved", NULL);
  g_autoptr (GError) error = NULL;

  disk_assert_written (fixture->sink, "d/one", "1");
  g_assert_cmpint (rename (folder, moved), ==, 0);
  g_assert_cmpint (symlink (fixture->outside, folder), ==, 0);
  disk_write_text (fixture->sink, "d/two", "2", TRUE, &error);
  hold_disk_sink_make_folder (fixture->sink, "d/three", NULL, NULL);
  disk_finish (fixture->sink);
  hold_disk_sink_discard (fixture->sink);
}

/* S04: the destination itself may be a link. */
static void
test_destination_link (DiskFixture *fixture, gconstpointer data)
{
  g_autofree char *link = g_build_filename (fixture->root, "dest", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HoldDiskSink) sink = NULL;

  g_assert_cmpint (symlink ("target", link), ==, 0);
  sink = hold_disk_sink_new (link, &error);
  g_assert_no_error (error);
  disk_assert_written (sink, "a/b", "x");
  disk_assert_content (fixture->target, "a/b", "x");
  g_assert_cmpstr (hold_disk_sink_get_path (sink), ==, link);
}

static void
test_bad_destination (DiskFixture *fixture, gconstpointer data)
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
test_discard (DiskFixture *fixture, gconstpointer data)
{
  const HoldDiskMeta closed = { .has_mode = TRUE, .mode = 0500 };
  g_autofree char *fresh = g_build_filename (fixture->root, "new", "deep", NULL);
  g_autofree char *fresh_parent = g_build_filename (fixture->root, "new", NULL);
  g_autoptr (GError) error = NULL;
  HoldDiskSink *sink;
  struct stat st;

  disk_put (fixture->target, "keep.txt", "keep");
  disk_put (fixture->target, "old/keep.txt", "keep");
  disk_put (fixture->target, "changed.txt", "before");
  disk_assert_written (fixture->sink, "made/a/b", "x");
  disk_assert_written (fixture->sink, "old/x", "x");
  disk_assert_written (fixture->sink, "made/theirs/x", "x");
  disk_assert_written (fixture->sink, "swapped", "x");
  g_assert_true (hold_disk_sink_make_folder (fixture->sink, "made", &closed, &error));
  g_assert_true (hold_disk_sink_add_symlink (fixture->sink, "old/l", "..", NULL, FALSE, &error));
  g_assert_true (hold_disk_sink_add_hardlink (fixture->sink, "old/h", "old/x", FALSE, &error));
  g_assert_true (disk_write_text (fixture->sink, "changed.txt", "after", TRUE, &error));
  disk_finish (fixture->sink);
  g_assert_cmpuint (disk_get_mode (fixture->target, "made"), ==, 0500);
  g_assert_cmpuint (disk_count_children (fixture->target), ==, 5);

  /* What somebody else put there or put in place of ours stays. */
  disk_put (fixture->target, "made/theirs/note", "mine");
  {
    g_autofree char *swapped = g_build_filename (fixture->target, "swapped", NULL);
    int held = open (swapped, O_RDONLY | O_CLOEXEC);

    /* As long as it is open, nobody gets its inode. */
    g_assert_cmpint (held, >=, 0);
    g_assert_cmpint (unlink (swapped), ==, 0);
    disk_put (fixture->target, "swapped", "mine");
    g_assert_true (g_close (held, NULL));
  }
  hold_disk_sink_discard (fixture->sink);
  disk_assert_content (fixture->target, "keep.txt", "keep");
  disk_assert_content (fixture->target, "old/keep.txt", "keep");
  disk_assert_content (fixture->target, "made/theirs/note", "mine");
  disk_assert_content (fixture->target, "changed.txt", "after");
  disk_assert_content (fixture->target, "swapped", "mine");
  g_assert_false (disk_get_stat (fixture->target, "made/a", &st));
  g_assert_false (disk_get_stat (fixture->target, "made/theirs/x", &st));
  g_assert_false (disk_get_stat (fixture->target, "old/x", &st));
  g_assert_false (disk_get_stat (fixture->target, "old/l", &st));
  g_assert_false (disk_get_stat (fixture->target, "old/h", &st));

  sink = hold_disk_sink_new (fresh, &error);
  g_assert_no_error (error);
  disk_assert_written (sink, "a", "x");
  hold_disk_sink_discard (sink);
  hold_disk_sink_free (sink);
  g_assert_cmpint (lstat (fresh_parent, &st), !=, 0);
}

/* X06, X07, X08, Z17. */
static void
test_modes_and_times (DiskFixture *fixture, gconstpointer data)
{
  const HoldDiskMeta folder = { TRUE, 0750, TRUE, 1000000000, 500 };
  const HoldDiskMeta sealed = { TRUE, 0555, TRUE, 1000000001, 0 };
  const HoldDiskMeta script = { TRUE, 06755, TRUE, -86400, 0 };
  const HoldDiskMeta nothing = { TRUE, 0, FALSE, 0, 0 };
  const HoldDiskMeta hostile = { TRUE, 0640, TRUE, G_MAXINT64, G_MAXUINT };
  g_autoptr (GError) error = NULL;
  struct stat st;
  HoldDiskFile *file;

  disk_put (fixture->target, "mine/f", "x");
  g_assert_cmpint (disk_get_mode (fixture->target, "mine"), ==, 0755);

  /* Children before their folder, and after it. */
  disk_assert_written (fixture->sink, "d/child", "x");
  g_assert_true (hold_disk_sink_make_folder (fixture->sink, "d", &folder, &error));
  g_assert_true (hold_disk_sink_make_folder (fixture->sink, "sealed", &sealed, &error));
  g_assert_cmpuint (disk_get_mode (fixture->target, "sealed") & 0700, ==, 0700);
  g_assert_true (disk_write_file (fixture->sink, "sealed/script", (const guint8 *) "#!", 2, &script, FALSE,
                                            &error));
  g_assert_true (hold_disk_sink_make_folder (fixture->sink, "mine", &sealed, &error));
  g_assert_true (hold_disk_sink_make_folder (fixture->sink, "", &folder, &error));
  g_assert_true (hold_disk_sink_make_folder (fixture->sink, "nothing", &nothing, &error));
  g_assert_true (disk_write_file (fixture->sink, "nothing/f", NULL, 0, &nothing, FALSE, &error));
  g_assert_true (disk_write_file (fixture->sink, "hostile", NULL, 0, &hostile, FALSE, &error));
  g_assert_no_error (error);
  file = hold_disk_sink_open_file (fixture->sink, "stream", 100, &error);
  g_assert_no_error (error);
  g_assert_true (hold_disk_file_write_at (file, (const guint8 *) "end", 3, 70000, &error));
  g_assert_true (hold_disk_file_commit (file, 100000, &script, FALSE, &error));
  g_assert_no_error (error);
  disk_finish (fixture->sink);

  g_assert_cmpuint (disk_get_mode (fixture->target, "d"), ==, 0750);
  g_assert_true (disk_get_stat (fixture->target, "d", &st));
  g_assert_cmpint (st.st_mtim.tv_sec, ==, 1000000000);
  g_assert_cmpint (st.st_mtim.tv_nsec, ==, 500);
  g_assert_cmpuint (disk_get_mode (fixture->target, "sealed"), ==, 0555);
  g_assert_true (disk_get_stat (fixture->target, "sealed", &st));
  g_assert_cmpint (st.st_mtim.tv_sec, ==, 1000000001);
  g_assert_cmpuint (disk_get_mode (fixture->target, "sealed/script"), ==, 0755);
  g_assert_true (disk_get_stat (fixture->target, "sealed/script", &st));
  g_assert_cmpint (st.st_mtim.tv_sec, ==, -86400);
  g_assert_cmpuint (disk_get_mode (fixture->target, "mine"), ==, 0755);
  g_assert_cmpuint (disk_get_mode (fixture->target, "."), ==, 0755);
  g_assert_cmpuint (disk_get_mode (fixture->target, "nothing"), ==, 0755);
  g_assert_cmpuint (disk_get_mode (fixture->target, "nothing/f"), ==, 0644);
  g_assert_cmpuint (disk_get_mode (fixture->target, "stream"), ==, 0755);
  g_assert_true (disk_get_stat (fixture->target, "stream", &st));
  g_assert_cmpint (st.st_size, ==, 100000);
  g_assert_cmpint (st.st_mtim.tv_sec, ==, -86400);
  g_assert_cmpint (st.st_blocks, <, 100);
}

/* X09, X10: a folder, a file, a fifo in the way. */
static void
test_things_in_the_way (DiskFixture *fixture, gconstpointer data)
{
  g_autofree char *fifo = g_build_filename (fixture->target, "fifo", NULL);
  g_autofree char *blocked_by = NULL;
  g_autoptr (GError) error = NULL;
  HoldDiskKind kind;
  guint64 size;
  gint64 mtime;

  disk_put (fixture->target, "folder/inside", "mine");
  disk_put (fixture->target, "file", "mine!");
  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);

  g_assert_false (disk_write_text (fixture->sink, "folder", "x", FALSE, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS);
  g_clear_error (&error);
  g_assert_false (disk_write_text (fixture->sink, "folder", "x", TRUE, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY);
  g_clear_error (&error);
  g_assert_false (disk_write_text (fixture->sink, "fifo", "x", TRUE, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS);
  g_clear_error (&error);
  g_assert_false (disk_write_text (fixture->sink, "file/below/x", "x", TRUE, &error));
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

  disk_assert_written (fixture->sink, "good", "x");
  disk_finish (fixture->sink);
  disk_assert_content (fixture->target, "folder/inside", "mine");
  disk_assert_content (fixture->target, "file", "mine!");
  /* No temporary names are left of what failed. */
  g_assert_cmpuint (disk_count_children (fixture->target), ==, 4);
}

static void
test_long_names (DiskFixture *fixture, gconstpointer data)
{
  g_autofree char *longest = g_strnfill (255, 'n');
  g_autofree char *too_long = g_strnfill (256, 'n');
  g_autoptr (GString) deep = g_string_new ("d");
  g_autoptr (GString) umlauts = g_string_new (NULL);
  g_autofree char *numbered = NULL, *cut = NULL, *name = NULL;
  g_autoptr (GError) error = NULL;

  disk_assert_written (fixture->sink, longest, "x");
  g_assert_false (disk_write_text (fixture->sink, too_long, "x", FALSE, &error));
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
  disk_assert_written (fixture->sink, deep->str, "deep");
  disk_finish (fixture->sink);
  hold_disk_sink_discard (fixture->sink);
  g_assert_cmpuint (disk_count_children (fixture->target), ==, 0);
}

static void
test_free_names (DiskFixture *fixture, gconstpointer data)
{
  const char *pairs[][2] = {
    { "a.txt", "a (2).txt" }, { "a.txt", "a (4).txt" }, { "b/c.tar.gz", "b/c (2).tar.gz" },
    { ".bashrc", ".bashrc (2)" }, { "noext", "noext (2)" }, { "v1.2 final report", "v1.2 final report (2)" },
  };

  disk_put (fixture->target, "a (3).txt", "mine");
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
test_links (DiskFixture *fixture, gconstpointer data)
{
  const HoldDiskMeta meta = { .has_mtime = TRUE, .mtime = 1000000000 };
  g_autoptr (GPtrArray) failures = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *target = NULL, *link = g_build_filename (fixture->target, "s/link", NULL);
  g_autoptr (GError) error = NULL;
  HoldDiskKind kind;
  struct stat st, st2;

  disk_put (fixture->target, "mine", "mine");
  disk_put (fixture->target, "taken", "mine");
  disk_put (fixture->target, "gives-way", "mine");
  disk_assert_written (fixture->sink, "a", "data");
  g_assert_true (hold_disk_sink_add_symlink (fixture->sink, "s/link", "../no/such", &meta, FALSE, &error));
  g_assert_true (hold_disk_sink_add_symlink (fixture->sink, "taken", "x", NULL, FALSE, &error));
  g_assert_true (hold_disk_sink_add_symlink (fixture->sink, "gives-way", "x", NULL, TRUE, &error));
  g_assert_true (hold_disk_sink_add_hardlink (fixture->sink, "s/b", "a", FALSE, &error));
  g_assert_true (hold_disk_sink_add_hardlink (fixture->sink, "s/c", "s/b", FALSE, &error));
  g_assert_true (hold_disk_sink_add_hardlink (fixture->sink, "steal", "mine", FALSE, &error));
  g_assert_true (hold_disk_sink_add_hardlink (fixture->sink, "void", "no/such", FALSE, &error));
  g_assert_true (hold_disk_sink_look_up (fixture->sink, "s/link", &kind, NULL, NULL, NULL, &error));
  g_assert_cmpint (kind, ==, HOLD_DISK_SYMLINK);
  g_assert_false (disk_get_stat (fixture->target, "s/link", &st));
  g_assert_true (hold_disk_sink_finish (fixture->sink, collect_failure, failures, &error));
  g_assert_no_error (error);

  target = g_file_read_link (link, &error);
  g_assert_cmpstr (target, ==, "../no/such");
  g_assert_true (disk_get_stat (fixture->target, "s/link", &st));
  g_assert_cmpint (st.st_mtim.tv_sec, ==, 1000000000);
  g_assert_true (disk_get_stat (fixture->target, "gives-way", &st));
  g_assert_true (S_ISLNK (st.st_mode));
  g_assert_true (disk_get_stat (fixture->target, "a", &st));
  g_assert_true (disk_get_stat (fixture->target, "s/c", &st2));
  g_assert_cmpuint (st.st_ino, ==, st2.st_ino);
  disk_assert_content (fixture->target, "taken", "mine");
  g_assert_cmpuint (failures->len, ==, 3);
  g_assert_true (g_str_has_prefix (failures->pdata[0], "taken g-io-error-quark 2"));
  g_assert_true (g_str_has_prefix (failures->pdata[1], "steal g-io-error-quark 1"));
  g_assert_true (g_str_has_prefix (failures->pdata[2], "void g-io-error-quark 1"));
  g_assert_cmpuint (disk_count_children (fixture->target), ==, 5);
}

/* An aborted file leaves nothing, and nothing can be seen of it before. */
static void
test_abort (DiskFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  HoldDiskFile *file;

  file = hold_disk_sink_open_file (fixture->sink, "f", 0, &error);
  g_assert_no_error (error);
  g_assert_true (hold_disk_file_write_at (file, (const guint8 *) "half", 4, 0, &error));
  g_assert_false (hold_disk_file_write_at (file, (const guint8 *) "far", 3, G_MAXUINT64, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE);
  hold_disk_file_abort (file);
  g_assert_cmpuint (disk_count_children (fixture->target), ==, 0);

  disk_put (fixture->target, "f", "mine");
  file = hold_disk_sink_open_file (fixture->sink, "f", 0, NULL);
  g_clear_error (&error);
  g_assert_false (hold_disk_file_commit (file, 0, NULL, FALSE, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS);
  disk_assert_content (fixture->target, "f", "mine");
  g_assert_cmpuint (disk_count_children (fixture->target), ==, 1);
}

/* A file without content comes into being in one go, and takes a place like any other. */
static void
test_empty (DiskFixture *fixture, gconstpointer data)
{
  const HoldDiskMeta meta = { .has_mode = TRUE, .mode = 0440, .has_mtime = TRUE, .mtime = 1000000000 };
  g_autofree char *link = g_build_filename (fixture->target, "link", NULL);
  g_autofree char *precious = g_build_filename (fixture->outside, "precious", NULL);
  g_autofree char *kept = NULL;
  g_autoptr (GError) error = NULL;
  const char *taken[] = { "link", "file" };
  struct stat st;

  g_assert_true (g_file_get_contents (precious, &kept, NULL, NULL));
  g_assert_true (disk_write_file (fixture->sink, "d/new", NULL, 0, &meta, FALSE, &error));
  g_assert_no_error (error);
  g_assert_true (disk_get_stat (fixture->target, "d/new", &st));
  g_assert_cmpint (st.st_mtime, ==, 1000000000);
  g_assert_cmpuint (st.st_mode & 0777, ==, 0440);

  g_assert_cmpint (symlink (precious, link), ==, 0);
  disk_put (fixture->target, "file", "mine");
  disk_put (fixture->target, "folder/inside", "mine");
  for (guint i = 0; i < G_N_ELEMENTS (taken); i++)
    {
      g_assert_false (disk_write_file (fixture->sink, taken[i], NULL, 0, NULL, FALSE, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS);
      g_clear_error (&error);
      g_assert_true (disk_write_file (fixture->sink, taken[i], NULL, 0, NULL, TRUE, &error));
      g_assert_no_error (error);
      g_assert_true (disk_get_stat (fixture->target, taken[i], &st));
      g_assert_true (S_ISREG (st.st_mode));
      g_assert_cmpint (st.st_size, ==, 0);
    }
  g_assert_false (disk_write_file (fixture->sink, "folder", NULL, 0, NULL, TRUE, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY);
  disk_assert_content (fixture->outside, "precious", kept);
  disk_finish (fixture->sink);
  g_assert_cmpuint (disk_count_children (fixture->target), ==, 4);

  /* What this run made goes with it, what took the place of something stays. */
  hold_disk_sink_discard (fixture->sink);
  g_assert_cmpuint (disk_count_children (fixture->target), ==, 3);
}

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
  ADD_BOTH ("empty", test_empty);
  return g_test_run ();
}
