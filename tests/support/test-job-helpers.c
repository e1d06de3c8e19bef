/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What tests of jobs share. */

#include "test-job-helpers.h"

#include <glib/gstdio.h>
#include <string.h>

void
job_fixture_set_up (JobFixture *self, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;

  *self = (JobFixture){ 0 };
  self->dir = g_dir_make_tmp ("holdall-job-XXXXXX", &error);
  g_assert_no_error (error);
  self->dest = g_build_filename (self->dir, "out", NULL);
  path = g_build_filename (self->dir, "pack.zip", NULL);
  self->scheduler = hold_scheduler_new (2, 2);
  self->keyring = hold_keyring_new ();
  self->fake = hold_fake_new (path, text);
  self->archive = hold_fake_open (self->fake);
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = NULL;
  const char *name;

  if (!g_file_test (path, G_FILE_TEST_IS_SYMLINK) && g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      g_chmod (path, 0700);
      dir = g_dir_open (path, 0, NULL);
      while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
        {
          g_autofree char *child = g_build_filename (path, name, NULL);

          remove_tree (child);
        }
    }
  g_remove (path);
}

void
job_fixture_tear_down (JobFixture *self)
{
  g_clear_pointer (&self->scheduler, hold_scheduler_free);
  g_assert_finalize_object (self->archive);
  g_clear_pointer (&self->fake, hold_fake_free);
  g_clear_pointer (&self->keyring, hold_keyring_unref);
  remove_tree (self->dir);
  g_clear_pointer (&self->dest, g_free);
  g_clear_pointer (&self->dir, g_free);
}

HoldExtractRequest *
job_fixture_new_request (JobFixture *self)
{
  HoldExtractRequest *request = hold_extract_request_new (self->archive, self->dest);

  request->keyring = hold_keyring_ref (self->keyring);
  return request;
}

HoldJobState
job_fixture_run (JobFixture *self, HoldJob *job, HoldReport **report, GError **error)
{
  hold_scheduler_run (self->scheduler, job);

  HoldJobState state = hold_job_get_state (job);

  if (report != NULL)
    *report = hold_report_ref (hold_job_get_report (job));
  if (error != NULL && hold_job_get_error (job) != NULL)
    g_propagate_error (error, g_error_copy (hold_job_get_error (job)));
  g_assert_finalize_object (job);
  return state;
}

HoldJobState
job_fixture_extract (JobFixture *self, HoldExtractRequest *request, HoldReport **report,
                     GError **error)
{
  return job_fixture_run (self, HOLD_JOB (hold_extract_job_new (request)), report, error);
}

const char *
job_fixture_out (JobFixture *self, const char *name)
{
  static char *names[4];
  static guint next;

  next = (next + 1) % G_N_ELEMENTS (names);
  g_free (names[next]);
  names[next] = g_build_filename (self->dest, name, NULL);
  return names[next];
}

void
job_fixture_write (JobFixture *self, const char *name, const char *text)
{
  const char *path = job_fixture_out (self, name);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (folder, 0755), ==, 0);
  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
}

void
job_fixture_assert_text (JobFixture *self, const char *name, const char *text)
{
  g_autofree char *content = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (job_fixture_out (self, name), &content, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (content, ==, text);
}

void
job_fixture_assert_entry (JobFixture *self, const char *name, const char *path, guint64 size)
{
  hold_fake_assert_file (job_fixture_out (self, name), path, size);
}

void
job_fixture_assert_none (JobFixture *self, const char *name)
{
  GStatBuf info;

  g_assert_cmpint (g_lstat (job_fixture_out (self, name), &info), !=, 0);
}

static void
list_tree (const char *path, const char *prefix, GPtrArray *names)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);
      gboolean is_folder = !g_file_test (child, G_FILE_TEST_IS_SYMLINK)
                           && g_file_test (child, G_FILE_TEST_IS_DIR);
      g_autofree char *shown = g_strconcat (prefix, name, is_folder ? "/" : NULL, NULL);

      if (is_folder)
        list_tree (child, shown, names);
      g_ptr_array_add (names, g_steal_pointer (&shown));
    }
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

void
job_fixture_assert_tree (JobFixture *self, const char *expected)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  list_tree (self->dest, "", names);
  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);

  g_autofree char *found = g_strjoinv (" ", (char **) names->pdata);

  g_assert_cmpstr (found, ==, expected);
}

void
assert_reported (HoldReport *report, const char *path, HoldOutcome outcome, GQuark domain, int code)
{
  for (guint i = 0; i < hold_report_get_n_items (report); i++)
    {
      const HoldReportItem *item = hold_report_get_item (report, i);

      if (!g_str_equal (item->path, path) || item->outcome != outcome)
        continue;
      g_assert_error (item->error, domain, code);
      return;
    }
  g_error ("“%s” is not in the report with outcome %d", path, (int) outcome);
}

void
wait_until (Condition condition, gpointer data)
{
  gint64 deadline = g_get_monotonic_time () + 100 * G_TIME_SPAN_SECOND;

  while (!condition (data))
    {
      if (!g_main_context_iteration (NULL, FALSE))
        g_usleep (500);
      if (g_get_monotonic_time () > deadline)
        g_error ("waited 100 seconds in vain");
    }
}

static gboolean
is_finished (gpointer data)
{
  return hold_job_is_finished (data);
}

void
wait_finished (HoldJob *job)
{
  wait_until (is_finished, job);
}

static gboolean
is_at_gate (gpointer data)
{
  return hold_fake_is_at_gate (data);
}

void
wait_at_gate (HoldFake *fake)
{
  wait_until (is_at_gate, fake);
}

void
settle_a_little (void)
{
  for (guint i = 0; i < 20; i++)
    {
      g_main_context_iteration (NULL, FALSE);
      g_usleep (1000);
    }
}
