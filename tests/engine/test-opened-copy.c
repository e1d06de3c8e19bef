/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* An entry that was opened in another program: what was changed there goes back to its place in the
 * archive, and its copy on disk goes only when nothing in it can be lost. */

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hold-job-create.h"
#include "hold-job-update.h"
#include "hold-scheduler.h"
#include "hold-staging-copy.h"
#include "hold-stream.h"

typedef struct
{
  char *folder;
  char *path;
  HoldScheduler *scheduler;
  HoldSecret *secret;     /* (nullable) */
  HoldArchive *archive;   /* a.txt (0755) and b.txt */
  HoldStaging *staging;
  char *copy;             /* where a.txt lies in it */
} Fixture;

static void
put (const char *path,
     const char *content)
{
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, content, -1, &error);
  g_assert_no_error (error);
}

static void
run_job (Fixture *fixture,
         HoldJob *job)
{
  hold_scheduler_run (fixture->scheduler, job);
  g_assert_no_error (hold_job_get_error (job));
  g_assert_cmpint (hold_job_get_state (job), ==, HOLD_JOB_DONE);
}

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  g_autofree char *a = NULL;
  g_autofree char *b = NULL;
  g_autofree char *cache = NULL;
  g_autoptr (HoldCreateJob) job = NULL;
  g_autoptr (GError) error = NULL;
  HoldCreateRequest *request;
  const char *password = data;

  fixture->folder = g_dir_make_tmp ("hold-opened-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->folder, "a.zip", NULL);
  fixture->scheduler = hold_scheduler_new (2, 2);
  cache = g_build_filename (fixture->folder, "cache", NULL);
  a = g_build_filename (fixture->folder, "a.txt", NULL);
  b = g_build_filename (fixture->folder, "b.txt", NULL);
  put (a, "alpha");
  put (b, "beta");
  g_assert_cmpint (g_chmod (a, 0755), ==, 0);

  request = hold_create_request_new (fixture->path, hold_format_by_id ("zip"),
                                     (const char *[]) { a, b, NULL });
  if (password != NULL)
    {
      fixture->secret = hold_secret_new (password);
      request->secret = hold_secret_ref (fixture->secret);
    }
  job = hold_create_job_new (request);
  run_job (fixture, HOLD_JOB (job));
  fixture->archive = g_object_ref (hold_create_job_get_archive (job));

  fixture->staging = hold_staging_new (cache, &error);
  g_assert_no_error (error);
  fixture->copy = g_build_filename (hold_staging_get_payload (fixture->staging), "a.txt", NULL);
  put (fixture->copy, "alpha");
  g_assert_cmpint (g_chmod (fixture->copy, 0600), ==, 0);
  hold_staging_record (fixture->staging, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  const char *argv[] = { "rm", "-rf", fixture->folder, NULL };

  hold_staging_free (fixture->staging);
  hold_scheduler_free (fixture->scheduler);
  g_clear_pointer (&fixture->secret, hold_secret_unref);
  g_clear_object (&fixture->archive);
  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  g_free (fixture->copy);
  g_free (fixture->path);
  g_free (fixture->folder);
}

static guint
find (HoldArchive *archive,
      const char  *path)
{
  HoldNode *node = hold_tree_lookup (hold_archive_get_tree (archive), path);

  return node != NULL ? hold_entry_get_index (hold_node_get_entry (node)) : G_MAXUINT;
}

static gboolean
append_cb (gpointer       user_data,
           const guint8  *data,
           gsize          length_bytes,
           GError       **error)
{
  g_string_append_len (user_data, (const char *) data, (gssize) length_bytes);
  return TRUE;
}

static void
assert_content (Fixture     *fixture,
                HoldArchive *archive,
                const char  *path,
                const char  *expected)
{
  g_autoptr (HoldKeyring) keyring = hold_keyring_new ();
  g_autoptr (GString) content = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  if (fixture->secret != NULL)
    hold_keyring_add (keyring, fixture->secret);
  g_assert_cmpuint (find (archive, path), !=, G_MAXUINT);
  hold_archive_read_entry (archive, find (archive, path), keyring, append_cb, content, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (content->str, ==, expected);
}

/* The job is not run yet. */
static HoldUpdateJob *
replace (Fixture     *fixture,
         HoldArchive *archive,
         HoldKeyring *keyring)
{
  HoldUpdateRequest *request = hold_update_request_new (archive);

  hold_update_request_set_keyring (request, keyring);
  hold_update_request_replace (request, find (archive, "a.txt"), fixture->copy);
  return hold_update_job_new (request);
}

/* The entry stays what and where it was, but for its content and time. */
static void
test_replace (Fixture       *fixture,
              gconstpointer  data)
{
  g_autoptr (HoldUpdateJob) job = NULL;
  HoldArchive *after;
  const HoldEntry *entry;
  struct stat st;
  gint64 seconds;
  guint nanoseconds;
  guint mode;

  put (fixture->copy, "alpha, edited");
  job = replace (fixture, fixture->archive, NULL);
  run_job (fixture, HOLD_JOB (job));
  after = hold_update_job_get_archive (job);
  g_assert_cmpuint (hold_archive_get_n_entries (after), ==, 2);
  assert_content (fixture, after, "a.txt", "alpha, edited");
  assert_content (fixture, after, "b.txt", "beta");

  entry = hold_archive_get_entry (after, find (after, "a.txt"));
  g_assert_cmpuint (hold_entry_get_index (entry), ==, find (fixture->archive, "a.txt"));
  g_assert_true (hold_entry_get_mode (entry, &mode));
  g_assert_cmpuint (mode, ==, 0755);
  g_assert_cmpint (g_stat (fixture->copy, &st), ==, 0);
  g_assert_true (hold_entry_get_mtime (entry, &seconds, &nanoseconds));
  g_assert_cmpint (ABS (seconds - st.st_mtim.tv_sec), <=, 2);
}

static HoldArchive *
change (Fixture    *fixture,
        const char *new_name)
{
  HoldUpdateRequest *request = hold_update_request_new (fixture->archive);
  g_autoptr (HoldUpdateJob) job = NULL;

  if (new_name != NULL)
    hold_update_request_rename (request, "a.txt", new_name);
  else
    hold_update_request_delete (request, "a.txt");
  job = hold_update_job_new (request);
  run_job (fixture, HOLD_JOB (job));
  return g_object_ref (hold_update_job_get_archive (job));
}

/* Renamed in the archive while it was open outside: the content follows the name. */
static void
test_renamed (Fixture       *fixture,
              gconstpointer  data)
{
  g_autoptr (HoldArchive) renamed = change (fixture, "folder/new.txt");
  g_autoptr (HoldArchive) followed = NULL;
  g_autoptr (HoldUpdateJob) job = NULL;
  guint index = find (fixture->archive, "a.txt");

  followed = hold_archive_follow (fixture->archive, &index);
  g_assert_true (followed == renamed);
  g_assert_cmpuint (index, ==, find (renamed, "folder/new.txt"));

  put (fixture->copy, "edited");
  job = replace (fixture, fixture->archive, NULL);
  run_job (fixture, HOLD_JOB (job));
  assert_content (fixture, hold_update_job_get_archive (job), "folder/new.txt", "edited");
  g_assert_cmpuint (find (hold_update_job_get_archive (job), "a.txt"), ==, G_MAXUINT);
}

/* Deleted from the archive meanwhile: what was edited comes back rather than being lost. */
static void
test_deleted (Fixture       *fixture,
              gconstpointer  data)
{
  g_autoptr (HoldArchive) without = change (fixture, NULL);
  g_autoptr (HoldArchive) followed = NULL;
  g_autoptr (HoldUpdateJob) job = NULL;
  guint index = find (fixture->archive, "a.txt");

  followed = hold_archive_follow (fixture->archive, &index);
  g_assert_true (followed == without);
  g_assert_cmpuint (index, ==, G_MAXUINT);

  put (fixture->copy, "edited");
  job = replace (fixture, fixture->archive, NULL);
  run_job (fixture, HOLD_JOB (job));
  assert_content (fixture, hold_update_job_get_archive (job), "a.txt", "edited");
}

/* What stood encrypted is never put back in the clear, password or not. */
static void
test_encrypted (Fixture       *fixture,
                gconstpointer  data)
{
  g_autoptr (HoldKeyring) empty = hold_keyring_new ();
  g_autoptr (HoldKeyring) keyring = hold_keyring_new ();
  g_autoptr (HoldUpdateJob) refused = NULL;
  g_autoptr (HoldUpdateJob) job = NULL;
  HoldArchive *after;

  put (fixture->copy, "secret, edited");
  refused = replace (fixture, fixture->archive, empty);
  hold_scheduler_run (fixture->scheduler, HOLD_JOB (refused));
  g_assert_error (hold_job_get_error (HOLD_JOB (refused)), HOLD_ERROR, HOLD_ERROR_PASSWORD_NEEDED);

  hold_keyring_add (keyring, fixture->secret);
  job = replace (fixture, fixture->archive, keyring);
  run_job (fixture, HOLD_JOB (job));
  after = hold_update_job_get_archive (job);
  g_assert_true (hold_entry_is_encrypted (hold_archive_get_entry (after, find (after, "a.txt"))));
  assert_content (fixture, after, "a.txt", "secret, edited");
}

/* The copy is gone, or something else has its name: nothing is replaced by nothing. */
static void
test_copy_gone (Fixture       *fixture,
                gconstpointer  data)
{
  g_autoptr (HoldUpdateJob) job = NULL;
  g_autoptr (HoldUpdateJob) again = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_unlink (fixture->copy), ==, 0);
  job = replace (fixture, fixture->archive, NULL);
  hold_scheduler_run (fixture->scheduler, HOLD_JOB (job));
  g_assert_error (hold_job_get_error (HOLD_JOB (job)), G_IO_ERROR, G_IO_ERROR_NOT_FOUND);

  g_assert_cmpint (symlink ("/etc/hostname", fixture->copy), ==, 0);
  again = replace (fixture, fixture->archive, NULL);
  hold_scheduler_run (fixture->scheduler, HOLD_JOB (again));
  g_assert_error (hold_job_get_error (HOLD_JOB (again)), G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE);
  g_assert_true (hold_archive_check_unchanged (fixture->archive, &error));
}

/* A changed copy is kept, also by the sweep of a later start, until it is renewed. */
static void
test_renew (Fixture       *fixture,
            gconstpointer  data)
{
  g_autofree char *next = g_strconcat (fixture->copy, ".new", NULL);
  g_autoptr (GError) error = NULL;

  /* As editors save: a new file takes the name. */
  put (next, "edited");
  g_assert_cmpint (g_rename (next, fixture->copy), ==, 0);
  g_assert_false (hold_staging_clean (fixture->staging));
  g_assert_true (g_file_test (fixture->copy, G_FILE_TEST_EXISTS));

  g_assert_true (hold_staging_renew (fixture->staging, "a.txt", &error));
  g_assert_no_error (error);
  g_assert_true (hold_staging_clean (fixture->staging));
  g_assert_false (g_file_test (fixture->copy, G_FILE_TEST_EXISTS));
}

/* O01: what somebody saved beside the copy is not ours. */
static void
test_beside (Fixture       *fixture,
             gconstpointer  data)
{
  g_autofree char *other = g_strconcat (fixture->copy, ".mine", NULL);
  g_autoptr (GError) error = NULL;

  put (other, "mine");
  put (fixture->copy, "edited");
  g_assert_true (hold_staging_renew (fixture->staging, "a.txt", &error));
  g_assert_false (hold_staging_renew (fixture->staging, "missing", &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  g_assert_false (hold_staging_clean (fixture->staging));
  g_assert_false (g_file_test (fixture->copy, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (other, G_FILE_TEST_EXISTS));
}

static void
test_in_use (Fixture       *fixture,
             gconstpointer  data)
{
  int ready[2], done[2];
  char byte;
  pid_t child;
  int fd;

  g_assert_false (hold_staging_is_in_use (fixture->staging));
  g_assert_cmpint (pipe (ready), ==, 0);
  g_assert_cmpint (pipe (done), ==, 0);
  child = fork ();
  if (child == 0)
    {
      close (done[1]);
      fd = open (fixture->copy, O_RDONLY);
      if (fd < 0 || write (ready[1], "x", 1) != 1 || read (done[0], &byte, 1) < 0)
        _exit (1);
      _exit (0);
    }
  g_assert_cmpint (read (ready[0], &byte, 1), ==, 1);
  if (!hold_staging_is_in_use (fixture->staging))
    g_test_skip ("no leases on this file system");
  close (done[1]);
  g_assert_cmpint (waitpid (child, NULL, 0), ==, child);
  close (ready[0]);
  close (ready[1]);
  close (done[0]);
  g_assert_false (hold_staging_is_in_use (fixture->staging));
  /* And the lease is given back: a writer is not held up. */
  fd = open (fixture->copy, O_WRONLY | O_NONBLOCK);
  g_assert_cmpint (fd, >=, 0);
  close (fd);
}

static HoldStagingLeft *
reclaim (Fixture    *fixture,
         const char *archive_path,
         guint       n_expected)
{
  g_autofree char *cache = g_build_filename (fixture->folder, "cache", NULL);
  g_autoptr (GPtrArray) found = hold_staging_reclaim (cache, archive_path);

  g_assert_cmpuint (found->len, ==, n_expected);
  return n_expected > 0 ? g_ptr_array_steal_index (found, 0) : NULL;
}

/* After a crash the changed copy is found again, by the archive that it came from, and only once. */
static void
test_reclaim (Fixture       *fixture,
              gconstpointer  data)
{
  g_autofree char *cache = g_build_filename (fixture->folder, "cache", NULL);
  g_autoptr (GError) error = NULL;
  HoldStagingLeft *left;

  g_assert_true (hold_staging_set_origin (fixture->staging, fixture->path, "a.txt", &error));
  g_assert_no_error (error);
  put (fixture->copy, "edited");
  reclaim (fixture, fixture->path, 0); /* its owner lives */

  hold_staging_free (g_steal_pointer (&fixture->staging));
  hold_staging_sweep (cache, 0);
  g_assert_true (g_file_test (fixture->copy, G_FILE_TEST_EXISTS));
  reclaim (fixture, "/another.zip", 0);
  left = reclaim (fixture, fixture->path, 1);
  g_assert_cmpstr (left->copy, ==, fixture->copy);
  g_assert_cmpstr (left->entry_path, ==, "a.txt");
  reclaim (fixture, fixture->path, 0); /* it has an owner again */

  g_assert_true (hold_staging_renew (left->staging, "a.txt", &error));
  g_assert_no_error (error);
  g_assert_true (hold_staging_clean (left->staging));
  hold_staging_left_free (left);
  reclaim (fixture, fixture->path, 0);
}

/* What was not changed need not be asked about, and goes with the sweep. */
static void
test_reclaim_unchanged (Fixture       *fixture,
                        gconstpointer  data)
{
  g_autofree char *cache = g_build_filename (fixture->folder, "cache", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (hold_staging_set_origin (fixture->staging, fixture->path, "a.txt", &error));
  g_assert_no_error (error);
  hold_staging_free (g_steal_pointer (&fixture->staging));
  reclaim (fixture, fixture->path, 0);
  hold_staging_sweep (cache, 0);
  g_assert_false (g_file_test (fixture->copy, G_FILE_TEST_EXISTS));
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

#define ADD(name, data, func) \
  g_test_add ("/opened-copy/" name, Fixture, data, set_up, func, tear_down)
  ADD ("replace", NULL, test_replace);
  ADD ("renamed", NULL, test_renamed);
  ADD ("deleted", NULL, test_deleted);
  ADD ("encrypted", "pass word", test_encrypted);
  ADD ("copy-gone", NULL, test_copy_gone);
  ADD ("renew", NULL, test_renew);
  ADD ("beside", NULL, test_beside);
  ADD ("in-use", NULL, test_in_use);
  ADD ("reclaim", NULL, test_reclaim);
  ADD ("reclaim-unchanged", NULL, test_reclaim_unchanged);
#undef ADD

  return g_test_run ();
}
