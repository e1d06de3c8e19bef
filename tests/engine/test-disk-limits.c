/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The disk sink where room, rights or descriptors end, on several disks and from several threads. */

#include "disk-fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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
        g_assert_true (disk_write_text (shared->sink, name, name, FALSE, &error));
      g_assert_no_error (error);
      /* All want one name: exactly one gets it. */
      if (!disk_write_text (shared->sink, "d0/same", "same", FALSE, &error))
        {
          g_assert_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS);
          g_atomic_int_inc (&shared->n_exist);
        }
    }
}

static void
test_threads (DiskFixture *fixture, gconstpointer data)
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

      disk_assert_content (fixture->target, name, name);
    }
  disk_finish (fixture->sink);
  hold_disk_sink_discard (fixture->sink);
  g_assert_cmpuint (disk_count_children (fixture->target), ==, 0);
}

/* A limit on the size of files stands in for a full disk where nothing can be mounted. */
static void
test_file_size_limit (DiskFixture *fixture, gconstpointer data)
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
  g_assert_cmpuint (disk_count_children (fixture->target), ==, 0);
}

/* More folders in turn than there are descriptors. */
static void
test_few_descriptors (DiskFixture *fixture, gconstpointer data)
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

      disk_assert_written (sink, name, name);
    }
  disk_finish (sink);
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &before), ==, 0);
  disk_assert_content (fixture->target, "d199/e/f599", "d199/e/f599");
  hold_disk_sink_discard (sink);
  g_assert_cmpuint (disk_count_children (fixture->target), ==, 0);
  hold_disk_sink_free (sink);
}

static void
test_full_disk (DiskFixture *fixture, gconstpointer data)
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

      if (disk_write_file (sink, name, block, 256 * 1024, NULL, FALSE, &error))
        n_written++;
    }
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE);
  g_assert_nonnull (strstr (error->message, mount_point));
  g_assert_cmpuint (n_written, >=, 2);
  g_assert_cmpuint (disk_count_children (mount_point), ==, n_written);
  hold_disk_sink_free (sink);
  g_assert_cmpint (umount (mount_point), ==, 0);
}

/* Another disk is mounted below the destination: links across are copies, durable on both. */
static void
test_mount_below (DiskFixture *fixture, gconstpointer data)
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
  g_assert_true (disk_write_file (fixture->sink, "a", (const guint8 *) big, strlen (big), &meta, FALSE,
                                            &error));
  g_assert_no_error (error);
  disk_put (mount_point, "taken", "mine");
  g_assert_true (hold_disk_sink_add_hardlink (fixture->sink, "m/b", "a", FALSE, &error));
  g_assert_true (hold_disk_sink_add_hardlink (fixture->sink, "m/taken", "a", TRUE, &error));
  disk_finish (fixture->sink);
  disk_assert_content (mount_point, "b", big);
  disk_assert_content (mount_point, "taken", big);
  g_assert_cmpuint (disk_get_mode (mount_point, "b"), ==, 0640);
  g_assert_true (disk_get_stat (mount_point, "b", &st));
  g_assert_cmpint (st.st_mtim.tv_sec, ==, 1000000000);
  g_assert_cmpuint (st.st_nlink, ==, 1);
  g_assert_true (hold_disk_sink_sync (fixture->sink, &error));
  g_assert_no_error (error);
  hold_disk_sink_discard (fixture->sink);
  g_assert_cmpuint (disk_count_children (mount_point), ==, 1);
  g_assert_cmpint (umount2 (mount_point, MNT_DETACH), ==, 0);
}

/* Root may write anywhere; so this runs as nobody in a process of its own. */
static G_NORETURN void
run_as_nobody (DiskFixture *fixture)
{
  const HoldDiskMeta sealed = { .has_mode = TRUE, .mode = 0500 };
  g_autoptr (GError) error = NULL;
  HoldDiskSink *sink;
  struct stat st;

  sink = hold_disk_sink_new (fixture->target, &error);
  if (sink == NULL)
    _exit (10);
  if (disk_write_text (sink, "readonly/x", "x", TRUE, &error)
      || !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED))
    _exit (11);
  /* May be entered and written, not listed. */
  if (!disk_write_text (sink, "blind/x", "x", FALSE, NULL))
    _exit (12);
  if (!hold_disk_sink_make_folder (sink, "open/sealed", &sealed, NULL)
      || !disk_write_text (sink, "open/sealed/x", "x", FALSE, NULL) || !hold_disk_sink_finish (sink, NULL, NULL, NULL))
    _exit (13);
  if (disk_get_mode (fixture->target, "open/sealed") != 0500)
    _exit (14);
  hold_disk_sink_discard (sink);
  if (disk_get_stat (fixture->target, "open/sealed", &st))
    _exit (15);
  hold_disk_sink_free (sink);
  _exit (0);
}

static void
test_ordinary_person (DiskFixture *fixture, gconstpointer data)
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
test_sync (DiskFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  disk_assert_written (fixture->sink, "a", "x");
  g_assert_true (hold_disk_sink_sync (fixture->sink, &error));
  g_assert_no_error (error);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  umask (022);
  ADD_BOTH ("threads", test_threads);
  ADD_BOTH ("file-size-limit", test_file_size_limit);
  ADD ("few-descriptors", test_few_descriptors);
  ADD ("full-disk", test_full_disk);
  ADD_BOTH ("mount-below", test_mount_below);
  ADD ("ordinary-person", test_ordinary_person);
  ADD ("sync", test_sync);
  return g_test_run ();
}
