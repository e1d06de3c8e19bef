/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Fetching: all of the file or nothing of it, and never over what is there already. */

#include <glib/gstdio.h>
#include <string.h>

#include <hold.h>

#define N_BYTES (3 * 1024 * 1024 + 7)

typedef struct {
  char *folder;
  char *place;
  GFile *source;
  char *copy;
  HoldScheduler *scheduler;
} Fixture;

static void
set_up (Fixture       *self,
        gconstpointer  data)
{
  g_autofree char *path = NULL;
  g_autofree char *content = g_malloc (N_BYTES);

  self->folder = g_dir_make_tmp ("hold-fetch-XXXXXX", NULL);
  self->place = g_build_filename (self->folder, "place", NULL);
  g_assert_cmpint (g_mkdir (self->place, 0700), ==, 0);
  self->copy = g_build_filename (self->place, "a.zip", NULL);
  path = g_build_filename (self->folder, "source", NULL);
  memset (content, 'x', N_BYTES);
  g_assert_true (g_file_set_contents (path, content, N_BYTES, NULL));
  self->source = g_file_new_for_path (path);
  self->scheduler = hold_scheduler_new (1, 1);
}

static void
tear_down (Fixture       *self,
           gconstpointer  data)
{
  hold_scheduler_free (self->scheduler);
  g_remove (self->copy);
  g_assert_true (g_file_delete (self->source, NULL, NULL));
  g_assert_cmpint (g_rmdir (self->place), ==, 0);
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_object_unref (self->source);
  g_free (self->copy);
  g_free (self->place);
  g_free (self->folder);
}

static HoldJob *
create_job (Fixture *self,
            GFile   *source)
{
  return HOLD_JOB (hold_fetch_job_new (source, self->place, "a.zip"));
}

static void
test_all_of_it (Fixture       *self,
                gconstpointer  data)
{
  g_autoptr (HoldJob) job = create_job (self, self->source);
  g_auto (HoldProgress) progress = { 0 };
  GStatBuf info;

  hold_scheduler_run (self->scheduler, job);
  g_assert_no_error (hold_job_get_error (job));
  g_assert_cmpint (hold_job_get_state (job), ==, HOLD_JOB_DONE);
  g_assert_cmpstr (hold_fetch_job_get_path (HOLD_FETCH_JOB (job)), ==, self->copy);
  g_assert_cmpint (g_stat (self->copy, &info), ==, 0);
  g_assert_cmpint (info.st_size, ==, N_BYTES);
  /* What comes from a connection is nobody else's business. */
  g_assert_cmpint (info.st_mode & 0077, ==, 0);
  hold_job_get_progress (job, &progress);
  g_assert_true (progress.has_total);
  g_assert_cmpuint (progress.bytes_done, ==, N_BYTES);
  g_assert_cmpuint (progress.bytes_total, ==, N_BYTES);
}

static void
test_not_over_another (Fixture       *self,
                       gconstpointer  data)
{
  g_autoptr (HoldJob) job = create_job (self, self->source);
  g_autofree char *content = NULL;

  g_assert_true (g_file_set_contents (self->copy, "mine", -1, NULL));
  hold_scheduler_run (self->scheduler, job);
  g_assert_error (hold_job_get_error (job), G_IO_ERROR, G_IO_ERROR_EXISTS);
  g_assert_true (g_file_get_contents (self->copy, &content, NULL, NULL));
  g_assert_cmpstr (content, ==, "mine");
}

static void
test_no_file (Fixture       *self,
              gconstpointer  data)
{
  g_autoptr (GFile) folder = g_file_new_for_path (self->folder);
  g_autoptr (GFile) nothing = g_file_get_child (folder, "nothing");
  g_autoptr (GFile) elsewhere = g_file_new_for_uri ("holdall-nowhere://host/a.zip");
  g_autoptr (HoldJob) of_folder = create_job (self, folder);
  g_autoptr (HoldJob) of_nothing = create_job (self, nothing);
  g_autoptr (HoldJob) of_elsewhere = create_job (self, elsewhere);

  hold_scheduler_run (self->scheduler, of_folder);
  g_assert_error (hold_job_get_error (of_folder), G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY);
  hold_scheduler_run (self->scheduler, of_nothing);
  g_assert_error (hold_job_get_error (of_nothing), G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  hold_scheduler_run (self->scheduler, of_elsewhere);
  g_assert_error (hold_job_get_error (of_elsewhere), G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED);
  g_assert_false (g_file_test (self->copy, G_FILE_TEST_EXISTS));
}

static void
test_cancelled (Fixture       *self,
                gconstpointer  data)
{
  g_autoptr (HoldJob) job = create_job (self, self->source);

  hold_job_cancel (job);
  hold_scheduler_run (self->scheduler, job);
  g_assert_cmpint (hold_job_get_state (job), ==, HOLD_JOB_CANCELLED);
  g_assert_false (g_file_test (self->copy, G_FILE_TEST_EXISTS));
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

#define ADD(path, function) g_test_add (path, Fixture, NULL, set_up, function, tear_down)
  ADD ("/fetch/all-of-it", test_all_of_it);
  ADD ("/fetch/not-over-another", test_not_over_another);
  ADD ("/fetch/no-file", test_no_file);
  ADD ("/fetch/cancelled", test_cancelled);
#undef ADD

  return g_test_run ();
}
