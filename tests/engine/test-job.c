/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The life of jobs: who may run beside whom, and that everything dies. */

#include "test-job-helpers.h"

#include "hold-job-private.h"

#include <glib/gstdio.h>
#include <unistd.h>

/* A job that touches what it is told to and stays until it is let go. */

#define TEST_TYPE_PROBE_JOB (test_probe_job_get_type ())
G_DECLARE_FINAL_TYPE (TestProbeJob, test_probe_job, TEST, PROBE_JOB, HoldJob)

struct _TestProbeJob
{
  HoldJob parent_instance;
  char *path;
  HoldAccess access;
  int started; /* atomic */
  int go; /* atomic */
  int n_absorbed;
  gboolean absorbs;
  HoldJobState fail;
};

G_DEFINE_FINAL_TYPE (TestProbeJob, test_probe_job, HOLD_TYPE_JOB)

static gboolean
test_probe_job_run (HoldJob *job, GCancellable *cancellable, GError **error)
{
  TestProbeJob *self = TEST_PROBE_JOB (job);

  g_atomic_int_set (&self->started, TRUE);
  while (!g_atomic_int_get (&self->go))
    {
      if (!hold_job_checkpoint (job, error))
        return FALSE;
      g_usleep (500);
    }
  if (self->fail == HOLD_JOB_FAILED)
    g_set_error_literal (error, HOLD_ERROR, HOLD_ERROR_CORRUPT, "as told");
  return self->fail != HOLD_JOB_FAILED;
}

static HoldAccess
test_probe_job_get_access (HoldJob *job, const char **path)
{
  *path = TEST_PROBE_JOB (job)->path;
  return TEST_PROBE_JOB (job)->access;
}

static gboolean
test_probe_job_absorb (HoldJob *job, HoldJob *queued)
{
  TestProbeJob *self = TEST_PROBE_JOB (job);

  self->n_absorbed += self->absorbs;
  return self->absorbs;
}

static void
test_probe_job_finalize (GObject *object)
{
  g_free (TEST_PROBE_JOB (object)->path);
  G_OBJECT_CLASS (test_probe_job_parent_class)->finalize (object);
}

static void
test_probe_job_class_init (TestProbeJobClass *klass)
{
  HoldJobClass *job_class = HOLD_JOB_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = test_probe_job_finalize;
  job_class->run = test_probe_job_run;
  job_class->get_access = test_probe_job_get_access;
  job_class->absorb = test_probe_job_absorb;
  job_class->verb = "probe";
}

static void
test_probe_job_init (TestProbeJob *self)
{
}

static TestProbeJob *
probe_new (HoldAccess access, const char *path)
{
  TestProbeJob *self = g_object_new (TEST_TYPE_PROBE_JOB, NULL);

  self->access = access;
  self->path = g_strdup (path);
  return self;
}

static gboolean
has_started (gpointer data)
{
  return g_atomic_int_get (&TEST_PROBE_JOB (data)->started);
}

static void
let_go (TestProbeJob *job)
{
  g_atomic_int_set (&job->go, TRUE);
  wait_finished (HOLD_JOB (job));
}

/* Readers share, a writer waits for them and keeps later readers out; another archive does not
 * care. */
static void
test_access (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *dir = g_dir_make_tmp ("holdall-job-XXXXXX", &error);
  g_autofree char *path = g_build_filename (dir, "a.zip", NULL);
  g_autofree char *link = g_build_filename (dir, "b.zip", NULL);
  g_autofree char *detour = g_build_filename (dir, ".", "a.zip", NULL);
  HoldScheduler *scheduler = hold_scheduler_new (10, 1);

  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (path, "x", 1, NULL));
  g_assert_cmpint (symlink ("a.zip", link), ==, 0);

  TestProbeJob *one = probe_new (HOLD_ACCESS_READ, path);
  TestProbeJob *two = probe_new (HOLD_ACCESS_READ, link);
  TestProbeJob *writer = probe_new (HOLD_ACCESS_WRITE, detour);
  TestProbeJob *late = probe_new (HOLD_ACCESS_READ, path);
  TestProbeJob *other = probe_new (HOLD_ACCESS_WRITE, "/nowhere/c.zip");
  TestProbeJob *jobs[] = { one, two, writer, late, other };

  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    hold_scheduler_submit (scheduler, HOLD_JOB (jobs[i]));
  wait_until (has_started, one);
  wait_until (has_started, two);
  wait_until (has_started, other);
  settle_a_little ();
  g_assert_false (has_started (writer));
  g_assert_false (has_started (late));
  g_assert_cmpint (hold_job_get_state (HOLD_JOB (writer)), ==, HOLD_JOB_QUEUED);

  let_go (one);
  settle_a_little ();
  g_assert_false (has_started (writer));
  let_go (two);
  wait_until (has_started, writer);
  settle_a_little ();
  g_assert_false (has_started (late));
  let_go (writer);
  wait_until (has_started, late);
  let_go (late);
  let_go (other);

  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    g_assert_finalize_object (jobs[i]);
  hold_scheduler_free (scheduler);
  g_unlink (path);
  g_unlink (link);
  g_rmdir (dir);
}

/* A queued writer that is cancelled is over at once, and lets those behind it pass. */
static void
test_cancel_queued (void)
{
  HoldScheduler *scheduler = hold_scheduler_new (10, 1);
  TestProbeJob *reader = probe_new (HOLD_ACCESS_READ, "/nowhere/a.zip");
  TestProbeJob *writer = probe_new (HOLD_ACCESS_WRITE, "/nowhere/a.zip");
  TestProbeJob *late = probe_new (HOLD_ACCESS_READ, "/nowhere/a.zip");

  hold_scheduler_submit (scheduler, HOLD_JOB (reader));
  hold_scheduler_submit (scheduler, HOLD_JOB (writer));
  hold_scheduler_submit (scheduler, HOLD_JOB (late));
  wait_until (has_started, reader);
  g_assert_false (has_started (late));
  hold_job_cancel (HOLD_JOB (writer));
  wait_finished (HOLD_JOB (writer));
  g_assert_cmpint (hold_job_get_state (HOLD_JOB (writer)), ==, HOLD_JOB_CANCELLED);
  g_assert_error (hold_job_get_error (HOLD_JOB (writer)), G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_false (writer->started);
  g_assert_finalize_object (writer);
  wait_until (has_started, late);
  let_go (reader);
  let_go (late);
  g_assert_finalize_object (reader);
  g_assert_finalize_object (late);
  hold_scheduler_free (scheduler);
}

/* Edits that wait for one archive are done together, up to the first reader in between. */
static void
test_absorb (void)
{
  HoldScheduler *scheduler = hold_scheduler_new (10, 1);
  TestProbeJob *reader = probe_new (HOLD_ACCESS_READ, "/nowhere/a.zip");
  TestProbeJob *host = probe_new (HOLD_ACCESS_WRITE, "/nowhere/a.zip");
  TestProbeJob *joined[2];
  TestProbeJob *between = probe_new (HOLD_ACCESS_READ, "/nowhere/a.zip");
  TestProbeJob *last = probe_new (HOLD_ACCESS_WRITE, "/nowhere/a.zip");

  host->absorbs = TRUE;
  host->fail = HOLD_JOB_FAILED;
  hold_scheduler_submit (scheduler, HOLD_JOB (reader));
  hold_scheduler_submit (scheduler, HOLD_JOB (host));
  for (guint i = 0; i < G_N_ELEMENTS (joined); i++)
    {
      joined[i] = probe_new (HOLD_ACCESS_WRITE, "/nowhere/a.zip");
      hold_scheduler_submit (scheduler, HOLD_JOB (joined[i]));
    }
  hold_scheduler_submit (scheduler, HOLD_JOB (between));
  hold_scheduler_submit (scheduler, HOLD_JOB (last));
  let_go (reader);
  let_go (host);
  g_assert_cmpint (host->n_absorbed, ==, 2);
  for (guint i = 0; i < G_N_ELEMENTS (joined); i++)
    {
      wait_finished (HOLD_JOB (joined[i]));
      g_assert_false (joined[i]->started);
      g_assert_cmpint (hold_job_get_state (HOLD_JOB (joined[i])), ==, HOLD_JOB_FAILED);
      g_assert_error (hold_job_get_error (HOLD_JOB (joined[i])), HOLD_ERROR, HOLD_ERROR_CORRUPT);
      g_assert_finalize_object (joined[i]);
    }
  g_assert_false (has_started (last));
  let_go (between);
  let_go (last);
  g_assert_finalize_object (reader);
  g_assert_finalize_object (host);
  g_assert_finalize_object (between);
  g_assert_finalize_object (last);
  hold_scheduler_free (scheduler);
}

/* A paused job neither fills a place nor stays when the scheduler goes; one that waits never
 * starts. */
static void
test_drop_scheduler (void)
{
  HoldScheduler *scheduler = hold_scheduler_new (1, 1);
  TestProbeJob *paused = probe_new (HOLD_ACCESS_NONE, NULL);
  TestProbeJob *running = probe_new (HOLD_ACCESS_NONE, NULL);
  TestProbeJob *queued = probe_new (HOLD_ACCESS_NONE, NULL);

  hold_scheduler_submit (scheduler, HOLD_JOB (paused));
  wait_until (has_started, paused);
  hold_scheduler_submit (scheduler, HOLD_JOB (running));
  settle_a_little ();
  g_assert_false (has_started (running));
  hold_job_set_paused (HOLD_JOB (paused), TRUE);
  wait_until (has_started, running);
  hold_scheduler_submit (scheduler, HOLD_JOB (queued));
  settle_a_little ();

  hold_scheduler_free (scheduler);
  g_assert_cmpint (hold_job_get_state (HOLD_JOB (paused)), ==, HOLD_JOB_CANCELLED);
  g_assert_cmpint (hold_job_get_state (HOLD_JOB (running)), ==, HOLD_JOB_CANCELLED);
  g_assert_cmpint (hold_job_get_state (HOLD_JOB (queued)), ==, HOLD_JOB_CANCELLED);
  g_assert_false (queued->started);
  g_assert_finalize_object (paused);
  g_assert_finalize_object (running);
  g_assert_finalize_object (queued);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/job/access", test_access);
  g_test_add_func ("/job/cancel-queued", test_cancel_queued);
  g_test_add_func ("/job/absorb", test_absorb);
  g_test_add_func ("/job/drop-scheduler", test_drop_scheduler);
  return g_test_run ();
}
