/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Files that are moved into an archive, from disk and from another archive: what has arrived leaves
 * its place, and nothing else does. */

#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hold-disk-remove.h"
#include "hold-disk-source.h"
#include "hold-job-create.h"
#include "hold-job-update.h"
#include "hold-scheduler.h"

typedef struct
{
  char *folder;
  HoldScheduler *scheduler;
  HoldArchive *archive;   /* empty */
} Fixture;

static char *
in (Fixture    *fixture,
    const char *name)
{
  return g_build_filename (fixture->folder, name, NULL);
}

static void
put (Fixture    *fixture,
     const char *name,
     const char *content)
{
  g_autofree char *path = in (fixture, name);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (parent, 0755), ==, 0);
  g_file_set_contents (path, content, -1, &error);
  g_assert_no_error (error);
}

static void
put_link (Fixture    *fixture,
          const char *name,
          const char *target)
{
  g_autofree char *path = in (fixture, name);

  g_assert_cmpint (symlink (target, path), ==, 0);
}

static gboolean
is_there (Fixture    *fixture,
          const char *name)
{
  g_autofree char *path = in (fixture, name);
  GStatBuf st;

  return g_lstat (path, &st) == 0;
}

static HoldArchive *
make_archive (Fixture    *fixture,
              const char *name,
              const char *file)
{
  g_autofree char *path = in (fixture, name);
  g_autofree char *given = file != NULL ? in (fixture, file) : NULL;
  const char *files[] = { given, NULL };
  g_autoptr (HoldCreateJob) job =
    hold_create_job_new (hold_create_request_new (path, hold_format_by_id ("zip"), files));

  hold_scheduler_run (fixture->scheduler, HOLD_JOB (job));
  g_assert_no_error (hold_job_get_error (HOLD_JOB (job)));
  return g_object_ref (hold_create_job_get_archive (job));
}

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  fixture->folder = g_dir_make_tmp ("hold-move-in-XXXXXX", NULL);
  fixture->scheduler = hold_scheduler_new (2, 2);
  fixture->archive = make_archive (fixture, "a.zip", NULL);
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  const char *argv[] = { "rm", "-rf", fixture->folder, NULL };

  hold_scheduler_free (fixture->scheduler);
  g_clear_object (&fixture->archive);
  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  g_free (fixture->folder);
}

/* (transfer full) */
static HoldUpdateJob *
run (Fixture           *fixture,
     HoldUpdateRequest *request)
{
  HoldUpdateJob *job = hold_update_job_new (request);

  hold_scheduler_run (fixture->scheduler, HOLD_JOB (job));
  g_assert_no_error (hold_job_get_error (HOLD_JOB (job)));
  g_set_object (&fixture->archive, hold_update_job_get_archive (job));
  return job;
}

static HoldUpdateJob *
move_in (Fixture    *fixture,
         const char *name)
{
  HoldUpdateRequest *request = hold_update_request_new (fixture->archive);
  g_autofree char *path = in (fixture, name);

  hold_update_request_set_move (request, TRUE);
  hold_update_request_add (request, path, "");
  return run (fixture, request);
}

static gboolean
holds (Fixture    *fixture,
       const char *path)
{
  return hold_tree_lookup (hold_archive_get_tree (fixture->archive), path) != NULL;
}

static void
test_all (Fixture       *fixture,
          gconstpointer  data)
{
  g_autoptr (HoldUpdateJob) job = NULL;

  put (fixture, "precious/file", "stays");
  put (fixture, "docs/a", "alpha");
  put (fixture, "docs/deep/er/b", "beta");
  put (fixture, "docs-beside", "stays");
  put_link (fixture, "docs/link", "../precious");
  job = move_in (fixture, "docs");

  g_assert_cmpuint (hold_report_get_n_items (hold_job_get_report (HOLD_JOB (job))), ==, 0);
  g_assert_cmpuint (hold_update_job_get_n_taken (job), ==, 6);
  g_assert_true (holds (fixture, "docs/deep/er/b") && holds (fixture, "docs/link"));
  g_assert_false (is_there (fixture, "docs"));
  g_assert_true (is_there (fixture, "precious/file") && is_there (fixture, "docs-beside"));
}

/* Without being asked nothing goes. */
static void
test_copy (Fixture       *fixture,
           gconstpointer  data)
{
  HoldUpdateRequest *request = hold_update_request_new (fixture->archive);
  g_autofree char *path = in (fixture, "docs");
  g_autoptr (HoldUpdateJob) job = NULL;

  put (fixture, "docs/a", "alpha");
  hold_update_request_add (request, path, "");
  job = run (fixture, request);
  g_assert_true (holds (fixture, "docs/a") && is_there (fixture, "docs/a"));
  g_assert_cmpuint (hold_update_job_get_n_taken (job), ==, 0);
}

/* W07: what does not come about takes nothing away. */
static void
test_failed (Fixture       *fixture,
             gconstpointer  data)
{
  HoldUpdateRequest *request = hold_update_request_new (fixture->archive);
  g_autofree char *path = in (fixture, "docs");
  g_autoptr (HoldUpdateJob) job = NULL;

  put (fixture, "docs/a", "alpha");
  put (fixture, "a.zip", "no archive any more");
  hold_update_request_set_move (request, TRUE);
  hold_update_request_add (request, path, "");
  job = hold_update_job_new (request);
  hold_scheduler_run (fixture->scheduler, HOLD_JOB (job));
  g_assert_cmpint (hold_job_get_state (HOLD_JOB (job)), ==, HOLD_JOB_FAILED);
  g_assert_cmpuint (hold_update_job_get_n_taken (job), ==, 0);
  g_assert_true (is_there (fixture, "docs/a"));
}

/* A pipe can't be put into an archive, and a name that is taken was not asked to be replaced. */
static void
test_what_did_not_arrive_stays (Fixture       *fixture,
                                gconstpointer  data)
{
  g_autofree char *pipe_path = in (fixture, "docs/pipe");
  g_autoptr (HoldUpdateJob) first = NULL;
  g_autoptr (HoldUpdateJob) second = NULL;

  put (fixture, "docs/a", "alpha");
  first = move_in (fixture, "docs");
  g_assert_false (is_there (fixture, "docs"));

  put (fixture, "docs/a", "another");
  put (fixture, "docs/b", "beta");
  put (fixture, "docs/empty/c", "gamma");
  g_assert_cmpint (mkfifo (pipe_path, 0600), ==, 0);
  second = move_in (fixture, "docs");
  g_assert_true (is_there (fixture, "docs/a") && is_there (fixture, "docs/pipe"));
  g_assert_false (is_there (fixture, "docs/b") || is_there (fixture, "docs/empty"));
  /* Skipped, failed, and the folder in which they are. */
  g_assert_cmpuint (hold_report_get_n_items (hold_job_get_report (HOLD_JOB (second))), ==, 3);
}

/* One that waited is joined to the other: each takes its own. */
static void
test_dropped_by_a_later_edit (Fixture       *fixture,
                              gconstpointer  data)
{
  HoldUpdateRequest *request = hold_update_request_new (fixture->archive);
  g_autofree char *path = in (fixture, "docs");
  g_autoptr (HoldUpdateJob) job = NULL;

  put (fixture, "docs/a", "alpha");
  put (fixture, "docs/b", "beta");
  hold_update_request_set_move (request, TRUE);
  hold_update_request_add (request, path, "");
  hold_update_request_delete (request, "docs/a");
  job = run (fixture, request);
  g_assert_true (is_there (fixture, "docs/a"));
  g_assert_false (is_there (fixture, "docs/b"));
}

static gboolean
found_cb (gpointer        user_data,
          const char     *path,
          HoldPlanSource *source,
          GError        **error)
{
  g_ptr_array_add (user_data, source);
  return TRUE;
}

static G_NORETURN void
failed_cb (gpointer      user_data,
           const char   *disk_path,
           const GError *error)
{
  g_assert_not_reached ();
}

static void
kept_cb (gpointer      user_data,
         const char   *disk_path,
         const GError *error)
{
  guint *n_kept = user_data;

  (*n_kept)++;
}

static GPtrArray *
scan (Fixture    *fixture,
      const char *name)
{
  GPtrArray *sources = g_ptr_array_new_with_free_func ((GDestroyNotify) hold_plan_source_free);
  HoldDiskScan how = { .found = found_cb, .failed = failed_cb, .user_data = sources };
  g_autofree char *path = in (fixture, name);
  g_autoptr (GError) error = NULL;

  g_assert_true (hold_disk_source_scan (path, "", &how, NULL, &error));
  return sources;
}

/* Other programs do not wait until the archive is written. */
static void
test_changed_meanwhile (Fixture       *fixture,
                        gconstpointer  data)
{
  g_autoptr (GPtrArray) sources = NULL;
  g_autofree char *same_size = in (fixture, "docs/same-size");
  g_autofree char *away = in (fixture, "docs/away");
  g_autofree char *elsewhere = in (fixture, "elsewhere");
  g_autofree char *pinned = in (fixture, "docs/pinned");
  guint n_kept = 0;
  FILE *file;

  put (fixture, "docs/fine", "1");
  put (fixture, "docs/same-size", "12");
  put (fixture, "docs/replaced", "123");
  put (fixture, "docs/away", "1234");
  put (fixture, "docs/pinned", "12345");
  /* A file system's clock may stand still for some milliseconds. */
  g_usleep (30000);
  sources = scan (fixture, "docs");

  file = g_fopen (same_size, "r+");
  g_assert_cmpint (fputs ("21", file), >=, 0);
  g_assert_cmpint (fclose (file), ==, 0);
  put (fixture, "docs/replaced", "321");
  g_assert_cmpint (g_rename (away, elsewhere), ==, 0);
  g_assert_cmpint (g_rename (elsewhere, away), ==, 0);
  put (fixture, "docs/new", "came later");
  g_assert_cmpint (g_unlink (pinned), ==, 0);

  g_assert_cmpuint (hold_disk_remove (sources, kept_cb, &n_kept), ==, 1);
  g_assert_cmpuint (n_kept, ==, 4);
  g_assert_false (is_there (fixture, "docs/fine"));
  g_assert_true (is_there (fixture, "docs/same-size") && is_there (fixture, "docs/replaced") &&
                 is_there (fixture, "docs/away") && is_there (fixture, "docs/new"));
}

/* Removing one name changes the file's time for the others. */
static void
test_hard_links (Fixture       *fixture,
                 gconstpointer  data)
{
  g_autofree char *first = in (fixture, "docs/a");
  g_autofree char *second = in (fixture, "docs/b");
  g_autofree char *outside = in (fixture, "outside");
  g_autoptr (HoldUpdateJob) job = NULL;

  put (fixture, "docs/a", "alpha");
  g_assert_cmpint (link (first, second), ==, 0);
  g_assert_cmpint (link (first, outside), ==, 0);
  job = move_in (fixture, "docs");

  g_assert_true (holds (fixture, "docs/a") && holds (fixture, "docs/b"));
  g_assert_cmpuint (hold_report_get_n_items (hold_job_get_report (HOLD_JOB (job))), ==, 0);
  g_assert_cmpuint (hold_update_job_get_n_taken (job), ==, 3);
  g_assert_false (is_there (fixture, "docs"));
  g_assert_true (is_there (fixture, "outside"));
}

/* A folder that has become a link leads to the very same files. */
static void
test_folder_became_link (Fixture       *fixture,
                         gconstpointer  data)
{
  g_autoptr (GPtrArray) sources = NULL;
  g_autofree char *inner = in (fixture, "docs/inner");
  g_autofree char *moved = in (fixture, "moved");
  guint n_kept = 0;

  put (fixture, "docs/inner/a", "alpha");
  put (fixture, "docs/b", "beta");
  sources = scan (fixture, "docs");
  g_assert_cmpint (g_rename (inner, moved), ==, 0);
  put_link (fixture, "docs/inner", "../moved");

  g_assert_cmpuint (hold_disk_remove (sources, kept_cb, &n_kept), ==, 1);
  g_assert_true (is_there (fixture, "moved/a") && is_there (fixture, "docs/inner"));
  g_assert_false (is_there (fixture, "docs/b"));
  g_assert_cmpuint (n_kept, >, 0);
}

/* What leaves another archive: entries that are in the new one, and folders of which all is. */
static void
test_arrived_from_archive (Fixture       *fixture,
                           gconstpointer  data)
{
  g_autoptr (HoldArchive) from = NULL;
  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) arrived = NULL;
  g_autoptr (HoldUpdateJob) first = NULL;
  g_autoptr (HoldUpdateJob) job = NULL;
  HoldUpdateRequest *request;
  g_autoptr (GString) names = g_string_new (NULL);

  put (fixture, "docs/a", "taken");
  first = move_in (fixture, "docs");
  put (fixture, "docs/a", "alpha");
  put (fixture, "docs/b", "beta");
  put (fixture, "docs/whole/c", "gamma");
  from = make_archive (fixture, "from.zip", "docs");

  for (guint i = 0; i < hold_archive_get_n_entries (from); i++)
    g_array_append_val (indices, i);
  request = hold_update_request_new (fixture->archive);
  hold_update_request_set_conflict (request, HOLD_CONFLICT_SKIP);
  hold_update_request_copy (request, from, indices, "", "");
  job = run (fixture, request);

  arrived = hold_update_job_dup_arrived (job, from);
  for (guint i = 0; i < arrived->len; i++)
    {
      const HoldEntry *entry = hold_archive_get_entry (from, g_array_index (arrived, guint, i));

      g_string_append_printf (names, "%s ", hold_entry_get_path (entry));
    }
  g_assert_cmpstr (names->str, ==, "docs/b docs/whole docs/whole/c ");
}

/* A folder under another name, as it is. */
static void
test_copy_folder_as (Fixture       *fixture,
                     gconstpointer  data)
{
  g_autoptr (HoldArchive) from = NULL;
  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) arrived = NULL;
  g_autoptr (HoldUpdateJob) job = NULL;
  HoldUpdateRequest *request;

  put (fixture, "docs/a", "alpha");
  from = make_archive (fixture, "from.zip", "docs");
  for (guint i = 0; i < hold_archive_get_n_entries (from); i++)
    g_array_append_val (indices, i);
  request = hold_update_request_new (fixture->archive);
  hold_update_request_copy (request, from, indices, "docs", "docs (2)");
  job = run (fixture, request);
  g_assert_true (holds (fixture, "docs (2)/a"));
  g_assert_cmpuint (hold_archive_get_n_entries (fixture->archive), ==, 2);
  arrived = hold_update_job_dup_arrived (job, from);
  g_assert_cmpuint (arrived->len, ==, 2);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

#define ADD(name, func) g_test_add ("/move-in/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("all", test_all);
  ADD ("copy", test_copy);
  ADD ("failed", test_failed);
  ADD ("what-did-not-arrive-stays", test_what_did_not_arrive_stays);
  ADD ("dropped-by-a-later-edit", test_dropped_by_a_later_edit);
  ADD ("changed-meanwhile", test_changed_meanwhile);
  ADD ("hard-links", test_hard_links);
  ADD ("folder-became-link", test_folder_became_link);
  ADD ("arrived-from-archive", test_arrived_from_archive);
  ADD ("copy-folder-as", test_copy_folder_as);
#undef ADD

  return g_test_run ();
}
