/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Jobs that change archives, run as the app runs them: many at once, one after the other on what
 * the last one made, undone and done again. What single edits do to the bytes is tested through the
 * command line. */

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "hold-job-create.h"
#include "hold-job-extract.h"
#include "hold-job-move.h"
#include "hold-job-open.h"
#include "hold-job-restore.h"
#include "hold-job-update.h"
#include "hold-scheduler.h"

typedef struct
{
  char *folder;
  char *path;
  HoldScheduler *scheduler;
  HoldArchive *archive;
} Fixture;

static char *
put (Fixture    *fixture,
     const char *name,
     const char *content)
{
  char *path = g_build_filename (fixture->folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (parent, 0755), ==, 0);
  g_file_set_contents (path, content, -1, &error);
  g_assert_no_error (error);
  return path;
}

static void
assert_done (HoldJob *job)
{
  if (hold_job_get_error (job) != NULL)
    g_error ("%s", hold_job_get_error (job)->message);
  g_assert_cmpint (hold_job_get_state (job), ==, HOLD_JOB_DONE);
}

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  g_autoptr (HoldCreateJob) job = NULL;
  g_autofree char *docs = NULL;
  g_autofree char *a = NULL;
  g_autofree char *b = NULL;
  g_autofree char *c = NULL;

  fixture->folder = g_dir_make_tmp ("hold-update-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->folder, "a.zip", NULL);
  fixture->scheduler = hold_scheduler_new (2, 2);
  docs = g_build_filename (fixture->folder, "docs", NULL);
  a = put (fixture, "docs/a", "alpha");
  b = put (fixture, "docs/b", "beta");
  c = put (fixture, "c", "gamma");

  {
    const char *files[] = { docs, c, NULL };

    job = hold_create_job_new (hold_create_request_new (fixture->path, hold_format_by_id ("zip"), files));
  }
  hold_scheduler_run (fixture->scheduler, HOLD_JOB (job));
  assert_done (HOLD_JOB (job));
  fixture->archive = g_object_ref (hold_create_job_get_archive (job));
  g_assert_cmpuint (hold_archive_get_n_entries (fixture->archive), ==, 4);
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  const char *argv[] = { "rm", "-rf", fixture->folder, NULL };

  hold_scheduler_free (fixture->scheduler);
  g_assert_finalize_object (fixture->archive);
  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  g_free (fixture->folder);
  g_free (fixture->path);
}

/* The paths of an archive in its order, with " " between. */
static char *
paths (HoldArchive *archive)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < hold_archive_get_n_entries (archive); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "", hold_entry_get_path (hold_archive_get_entry (archive, i)));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

#define assert_paths(archive, expected) \
  G_STMT_START { g_autofree char *got = paths (archive); g_assert_cmpstr (got, ==, expected); } G_STMT_END

static HoldArchive *
rename_in (Fixture     *fixture,
           HoldArchive *archive,
           const char  *from,
           const char  *to)
{
  HoldUpdateRequest *request = hold_update_request_new (archive);
  g_autoptr (HoldUpdateJob) job = NULL;

  hold_update_request_rename (request, from, to);
  job = hold_update_job_new (request);
  hold_scheduler_run (fixture->scheduler, HOLD_JOB (job));
  assert_done (HOLD_JOB (job));
  return g_object_ref (hold_update_job_get_archive (job));
}

static guint64
inode_of (const char *path)
{
  GStatBuf st;

  g_assert_cmpint (g_stat (path, &st), ==, 0);
  return st.st_ino;
}

/* Each job knows only the first snapshot; none takes our own rewrite for somebody else's. */
static void
test_old_snapshot (Fixture       *fixture,
                   gconstpointer  data)
{
  g_autoptr (HoldArchive) first = rename_in (fixture, fixture->archive, "c", "d");
  g_autoptr (HoldArchive) second = rename_in (fixture, fixture->archive, "d", "e");
  g_autoptr (HoldExtractJob) job = NULL;
  g_autofree char *target = g_build_filename (fixture->folder, "target", NULL);
  g_autofree char *file = g_build_filename (target, "e", NULL);
  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (guint));
  HoldExtractRequest *request;
  guint index = 3;

  assert_paths (second, "docs docs/a docs/b e");

  /* Entry 3 of the first snapshot, under the name that it has by now. */
  g_array_append_val (indices, index);
  request = hold_extract_request_new (fixture->archive, target);
  request->indices = g_array_ref (indices);
  job = hold_extract_job_new (request);
  hold_scheduler_run (fixture->scheduler, HOLD_JOB (job));
  assert_done (HOLD_JOB (job));
  g_assert_true (g_file_test (file, G_FILE_TEST_EXISTS));
}

static void
count_finished (HoldJob *job,
                guint   *n_left)
{
  (*n_left)--;
}

/* A thousand edits that are queued while a job runs, here one that stands still, cost at most two
 * rewrites. */
static void
test_many_edits (Fixture       *fixture,
                 gconstpointer  data)
{
  const guint n_jobs = 1000;
  g_autofree char *target = g_build_filename (fixture->folder, "target", NULL);
  g_autoptr (HoldExtractJob) running = hold_extract_job_new (hold_extract_request_new (fixture->archive, target));
  g_autoptr (GPtrArray) jobs = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GHashTable) archives = g_hash_table_new (NULL, NULL);
  guint n_left = n_jobs + 1;

  hold_job_set_paused (HOLD_JOB (running), TRUE);
  g_signal_connect (running, "finished", G_CALLBACK (count_finished), &n_left);
  hold_scheduler_submit (fixture->scheduler, HOLD_JOB (running));

  for (guint i = 0; i < n_jobs; i++)
    {
      HoldUpdateRequest *request = hold_update_request_new (fixture->archive);
      g_autofree char *path = g_strdup_printf ("made/%u", i);
      HoldUpdateJob *job;

      hold_update_request_make_folder (request, path);
      job = hold_update_job_new (request);
      g_ptr_array_add (jobs, job);
      g_signal_connect (job, "finished", G_CALLBACK (count_finished), &n_left);
      hold_scheduler_submit (fixture->scheduler, HOLD_JOB (job));
    }
  g_assert_cmpuint (n_left, ==, n_jobs + 1);
  hold_job_set_paused (HOLD_JOB (running), FALSE);
  while (n_left > 0)
    g_main_context_iteration (NULL, TRUE);

  for (guint i = 0; i < n_jobs; i++)
    {
      HoldUpdateJob *job = g_ptr_array_index (jobs, i);

      assert_done (HOLD_JOB (job));
      g_hash_table_add (archives, hold_update_job_get_archive (job));
      if (i + 1 == n_jobs)
        g_assert_cmpuint (hold_archive_get_n_entries (hold_update_job_get_archive (job)), ==, 4 + n_jobs);
    }
  /* Every rewrite gives a snapshot of its own. */
  g_assert_cmpuint (g_hash_table_size (archives), <=, 2);
}

/* Each of the joined jobs ends with its own report. */
static void
test_joined_reports (Fixture       *fixture,
                     gconstpointer  data)
{
  const char *from[] = { "c", "nothing", "docs/a" };
  HoldUpdateJob *jobs[3];
  guint n_left = 3;

  for (guint i = 0; i < 3; i++)
    {
      HoldUpdateRequest *request = hold_update_request_new (fixture->archive);
      g_autofree char *to = g_strdup_printf ("new%u", i);

      hold_update_request_rename (request, from[i], to);
      jobs[i] = hold_update_job_new (request);
      g_signal_connect (jobs[i], "finished", G_CALLBACK (count_finished), &n_left);
      hold_scheduler_submit (fixture->scheduler, HOLD_JOB (jobs[i]));
    }
  while (n_left > 0)
    g_main_context_iteration (NULL, TRUE);

  g_assert_cmpuint (hold_report_count (hold_job_get_report (HOLD_JOB (jobs[0])), HOLD_OUTCOME_FAILED), ==, 0);
  g_assert_cmpuint (hold_report_count (hold_job_get_report (HOLD_JOB (jobs[1])), HOLD_OUTCOME_FAILED), ==, 1);
  g_assert_cmpuint (hold_report_count (hold_job_get_report (HOLD_JOB (jobs[2])), HOLD_OUTCOME_FAILED), ==, 0);
  assert_paths (hold_update_job_get_archive (jobs[2]), "docs new2 docs/b new0");
  for (guint i = 0; i < 3; i++)
    g_object_unref (jobs[i]);
}

static void
test_all_failed (Fixture       *fixture,
                 gconstpointer  data)
{
  HoldUpdateRequest *request = hold_update_request_new (fixture->archive);
  guint64 inode = inode_of (fixture->path);
  g_autoptr (HoldUpdateJob) job = NULL;

  hold_update_request_delete (request, "nothing");
  job = hold_update_job_new (request);
  hold_scheduler_run (fixture->scheduler, HOLD_JOB (job));
  g_assert_cmpint (hold_job_get_state (HOLD_JOB (job)), ==, HOLD_JOB_FAILED);
  g_assert_error (hold_job_get_error (HOLD_JOB (job)), G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  g_assert_cmpuint (inode_of (fixture->path), ==, inode);
}

static HoldArchive *
restore (Fixture     *fixture,
         HoldArchive *older)
{
  g_autoptr (HoldRestoreJob) job = hold_restore_job_new (older);

  g_assert_true (hold_archive_has_backup (older, NULL));
  hold_scheduler_run (fixture->scheduler, HOLD_JOB (job));
  assert_done (HOLD_JOB (job));
  return g_object_ref (hold_restore_job_get_archive (job));
}

static void
test_undo_and_redo (Fixture       *fixture,
                    gconstpointer  data)
{
  g_autoptr (HoldArchive) renamed = NULL;
  g_autoptr (HoldArchive) undone = NULL;
  g_autoptr (HoldArchive) redone = NULL;
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  gsize n_before;
  gsize n_after;

  g_file_get_contents (fixture->path, &before, &n_before, NULL);
  g_assert_false (hold_archive_has_backup (fixture->archive, NULL));
  renamed = rename_in (fixture, fixture->archive, "docs", "texts");
  assert_paths (renamed, "texts texts/a texts/b c");

  undone = restore (fixture, fixture->archive);
  assert_paths (undone, "docs docs/a docs/b c");
  g_file_get_contents (fixture->path, &after, &n_after, NULL);
  g_assert_cmpmem (after, n_after, before, n_before);

  redone = restore (fixture, renamed);
  assert_paths (redone, "texts texts/a texts/b c");
}

static void
test_undo_dropped (Fixture       *fixture,
                   gconstpointer  data)
{
  g_autoptr (HoldArchive) renamed = rename_in (fixture, fixture->archive, "c", "d");
  g_autoptr (HoldRestoreJob) job = NULL;

  hold_archive_drop_backup (fixture->archive);
  g_assert_false (hold_archive_has_backup (fixture->archive, NULL));
  job = hold_restore_job_new (fixture->archive);
  hold_scheduler_run (fixture->scheduler, HOLD_JOB (job));
  g_assert_cmpint (hold_job_get_state (HOLD_JOB (job)), ==, HOLD_JOB_FAILED);
}

/* W10: what another program wrote is neither edited nor undone away. */
static void
test_foreign_change (Fixture       *fixture,
                     gconstpointer  data)
{
  g_autoptr (HoldArchive) renamed = rename_in (fixture, fixture->archive, "c", "d");
  g_autoptr (HoldRestoreJob) undo = NULL;
  g_autoptr (HoldUpdateJob) job = NULL;
  g_autofree char *content = NULL;
  HoldUpdateRequest *request;

  g_file_set_contents (fixture->path, "somebody else's", -1, NULL);

  undo = hold_restore_job_new (fixture->archive);
  hold_scheduler_run (fixture->scheduler, HOLD_JOB (undo));
  g_assert_error (hold_job_get_error (HOLD_JOB (undo)), HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK);

  request = hold_update_request_new (renamed);
  hold_update_request_delete (request, "d");
  job = hold_update_job_new (request);
  hold_scheduler_run (fixture->scheduler, HOLD_JOB (job));
  g_assert_error (hold_job_get_error (HOLD_JOB (job)), HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK);

  g_file_get_contents (fixture->path, &content, NULL, NULL);
  g_assert_cmpstr (content, ==, "somebody else's");
}

/* A job with indices of a listing that is out of date must not slip into another's rewrite, which
 * would take them for its own. */
static void
test_foreign_change_apart (Fixture       *fixture,
                           gconstpointer  data)
{
  g_autoptr (HoldArchive) renamed = rename_in (fixture, fixture->archive, "c", "d");
  g_autofree char *other_path = g_build_filename (fixture->folder, "other.zip", NULL);
  const char *files[] = { fixture->path, NULL };
  g_autoptr (HoldCreateJob) create =
    hold_create_job_new (hold_create_request_new (other_path, hold_format_by_id ("zip"), files));
  g_autoptr (HoldOpenJob) open_job = NULL;
  HoldArchive *archives[] = { renamed, fixture->archive, NULL };
  HoldUpdateJob *jobs[3];
  HoldJobClass *klass;

  hold_scheduler_run (fixture->scheduler, HOLD_JOB (create));
  g_assert_cmpint (g_rename (other_path, fixture->path), ==, 0);
  open_job = hold_open_job_new (fixture->path, NULL, NULL);
  hold_scheduler_run (fixture->scheduler, HOLD_JOB (open_job));
  assert_done (HOLD_JOB (open_job));
  archives[2] = hold_open_job_get_archive (open_job);

  for (guint i = 0; i < 3; i++)
    {
      HoldUpdateRequest *request = hold_update_request_new (archives[i]);

      hold_update_request_delete_index (request, 0);
      jobs[i] = hold_update_job_new (request);
    }
  klass = HOLD_JOB_GET_CLASS (jobs[0]);
  g_assert_false (klass->absorb (HOLD_JOB (jobs[2]), HOLD_JOB (jobs[0])));
  g_assert_false (klass->absorb (HOLD_JOB (jobs[1]), HOLD_JOB (jobs[2])));
  g_assert_true (klass->absorb (HOLD_JOB (jobs[1]), HOLD_JOB (jobs[0])));
  for (guint i = 0; i < 3; i++)
    g_object_unref (jobs[i]);
}

static void
test_move_all (Fixture       *fixture,
               gconstpointer  data)
{
  g_autofree char *target = g_build_filename (fixture->folder, "target", NULL);
  g_autofree char *file = g_build_filename (target, "docs", "b", NULL);
  g_autoptr (HoldMoveJob) job = hold_move_job_new (hold_extract_request_new (fixture->archive, target));
  g_auto (HoldProgress) progress = { 0 };

  hold_scheduler_run (fixture->scheduler, HOLD_JOB (job));
  assert_done (HOLD_JOB (job));
  g_assert_cmpuint (hold_archive_get_n_entries (hold_move_job_get_archive (job)), ==, 0);
  g_assert_true (g_file_test (file, G_FILE_TEST_EXISTS));
  hold_job_get_progress (HOLD_JOB (job), &progress);
  g_assert_cmpuint (progress.bytes_done, ==, progress.bytes_total);
}

/* Out of one ZIP into another, nothing is packed anew: the stored sizes tell. */
static void
test_copy_between (Fixture       *fixture,
                   gconstpointer  data)
{
  g_autofree char *other_path = g_build_filename (fixture->folder, "b.zip", NULL);
  const char *no_files[] = { NULL };
  g_autoptr (HoldCreateJob) create =
    hold_create_job_new (hold_create_request_new (other_path, hold_format_by_id ("zip"), no_files));
  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (HoldUpdateJob) job = NULL;
  HoldUpdateRequest *request;
  HoldArchive *result;

  hold_scheduler_run (fixture->scheduler, HOLD_JOB (create));
  assert_done (HOLD_JOB (create));

  for (guint i = 0; i < 3; i++)
    g_array_append_val (indices, i);
  request = hold_update_request_new (hold_create_job_get_archive (create));
  hold_update_request_copy (request, fixture->archive, indices, "", "in/here");
  job = hold_update_job_new (request);
  hold_scheduler_run (fixture->scheduler, HOLD_JOB (job));
  assert_done (HOLD_JOB (job));
  result = hold_update_job_get_archive (job);
  assert_paths (result, "in/here/docs in/here/docs/a in/here/docs/b");
  for (guint i = 0; i < 3; i++)
    {
      guint64 before;
      guint64 after;

      hold_entry_get_packed_size (hold_archive_get_entry (fixture->archive, i), &before);
      hold_entry_get_packed_size (hold_archive_get_entry (result, i), &after);
      g_assert_cmpuint (before, ==, after);
    }
}

/* Watches a job to its end; cancels it once @fraction of its bytes is done (over 1: never).
 * *n_between: how often a number between nothing and all was seen. Numbers only grow. */
static void
watch (HoldScheduler *scheduler,
       HoldJob       *job,
       double         fraction,
       guint         *n_between)
{
  guint64 last = 0;

  *n_between = 0;
  hold_scheduler_submit (scheduler, job);
  while (!hold_job_is_finished (job))
    {
      g_auto (HoldProgress) now = { 0 };

      g_main_context_iteration (NULL, FALSE);
      hold_job_get_progress (job, &now);
      g_assert_cmpuint (now.bytes_done, >=, last);
      if (now.bytes_done > last && now.bytes_done < now.bytes_total)
        (*n_between)++;
      last = now.bytes_done;
      if (now.bytes_total > 0 && now.phase >= HOLD_PHASE_WRITING &&
          now.bytes_done >= fraction * now.bytes_total)
        hold_job_cancel (job);
    }
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

static char *
put_large (Fixture    *fixture,
           const char *name,
           gsize       size)
{
  char *path = g_build_filename (fixture->folder, name, NULL);
  g_autofree guint32 *words = g_new (guint32, size / sizeof (guint32));

  for (gsize i = 0; i < size / sizeof (guint32); i++)
    words[i] = g_random_int () & 0x0f0f0f0f;
  g_assert_true (g_file_set_contents (path, (const char *) words, (gssize) size, NULL));
  return path;
}

/* G01: progress moves while an archive is made, by bytes, and ends at the total. */
static void
test_create_progress (Fixture       *fixture,
                      gconstpointer  data)
{
  g_autofree char *large = put_large (fixture, "large", 60 * 1000 * 1000);
  g_autofree char *path = g_build_filename (fixture->folder, "b.zip", NULL);
  const char *files[] = { large, NULL };
  g_autoptr (HoldCreateJob) job =
    hold_create_job_new (hold_create_request_new (path, hold_format_by_id ("zip"), files));
  g_auto (HoldProgress) progress = { 0 };
  guint n_between;

  watch (fixture->scheduler, HOLD_JOB (job), 2, &n_between);
  assert_done (HOLD_JOB (job));
  hold_job_get_progress (HOLD_JOB (job), &progress);
  g_assert_cmpuint (progress.bytes_done, ==, progress.bytes_total);
  g_assert_cmpuint (progress.bytes_total, ==, 60 * 1000 * 1000);
  g_assert_cmpuint (n_between, >, 3);
}

/* W01, G05: cancelled at any point, the archive is the old one to the byte and nothing lies beside
 * it; too late, it is the new one. */
static void
test_cancel (Fixture       *fixture,
             gconstpointer  data)
{
  const double fractions[] = { 0, 0.01, 0.45, 0.99, 1 };
  g_autofree char *large = put_large (fixture, "large", 20 * 1000 * 1000);
  g_autofree char *part = g_build_filename (fixture->folder, ".a.zip.holdall-part", NULL);
  g_autofree char *before = NULL;
  gsize n_before;

  g_file_get_contents (fixture->path, &before, &n_before, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (fractions); i++)
    {
      HoldUpdateRequest *request = hold_update_request_new (fixture->archive);
      g_autoptr (HoldUpdateJob) job = NULL;
      g_autofree char *after = NULL;
      guint n_between;
      gsize n_after;

      hold_update_request_add (request, large, "");
      job = hold_update_job_new (request);
      watch (fixture->scheduler, HOLD_JOB (job), fractions[i], &n_between);
      g_assert_false (g_file_test (part, G_FILE_TEST_EXISTS));
      g_file_get_contents (fixture->path, &after, &n_after, NULL);
      if (hold_job_get_state (HOLD_JOB (job)) == HOLD_JOB_CANCELLED)
        {
          g_assert_cmpmem (after, n_after, before, n_before);
          continue;
        }
      assert_done (HOLD_JOB (job));
      g_assert_cmpfloat (fractions[i], >, 0.9);
      g_assert_cmpuint (hold_archive_get_n_entries (hold_update_job_get_archive (job)), ==, 5);
      break;
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

#define ADD(name, func) g_test_add ("/update/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("old-snapshot", test_old_snapshot);
  ADD ("many-edits", test_many_edits);
  ADD ("joined-reports", test_joined_reports);
  ADD ("all-failed", test_all_failed);
  ADD ("undo-and-redo", test_undo_and_redo);
  ADD ("undo-dropped", test_undo_dropped);
  ADD ("foreign-change", test_foreign_change);
  ADD ("foreign-change-apart", test_foreign_change_apart);
  ADD ("move-all", test_move_all);
  ADD ("copy-between", test_copy_between);
  ADD ("create-progress", test_create_progress);
  ADD ("cancel", test_cancel);
#undef ADD

  return g_test_run ();
}
