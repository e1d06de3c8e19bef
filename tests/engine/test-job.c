/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The life of jobs: who may run beside whom, what progress says, how fast cancel is heard, and that
 * everything dies. */

#include "test-job-helpers.h"

#include "hold-job-private.h"

#include <glib/gstdio.h>
#include <string.h>
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

static void
settle (void)
{
  for (guint i = 0; i < 20; i++)
    {
      g_main_context_iteration (NULL, FALSE);
      g_usleep (1000);
    }
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
  settle ();
  g_assert_false (has_started (writer));
  g_assert_false (has_started (late));
  g_assert_cmpint (hold_job_get_state (HOLD_JOB (writer)), ==, HOLD_JOB_QUEUED);

  let_go (one);
  settle ();
  g_assert_false (has_started (writer));
  let_go (two);
  wait_until (has_started, writer);
  settle ();
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
  settle ();
  g_assert_false (has_started (running));
  hold_job_set_paused (HOLD_JOB (paused), TRUE);
  wait_until (has_started, running);
  hold_scheduler_submit (scheduler, HOLD_JOB (queued));
  settle ();

  hold_scheduler_free (scheduler);
  g_assert_cmpint (hold_job_get_state (HOLD_JOB (paused)), ==, HOLD_JOB_CANCELLED);
  g_assert_cmpint (hold_job_get_state (HOLD_JOB (running)), ==, HOLD_JOB_CANCELLED);
  g_assert_cmpint (hold_job_get_state (HOLD_JOB (queued)), ==, HOLD_JOB_CANCELLED);
  g_assert_false (queued->started);
  g_assert_finalize_object (paused);
  g_assert_finalize_object (running);
  g_assert_finalize_object (queued);
}

/* Progress */

typedef struct
{
  HoldJob *job;
  gint64 started_us;
  gint64 first_us;
  gint64 last_us;
  guint n_samples;
  gint64 min_gap_us;
  HoldProgress last;
  gboolean had_total_first;
} Samples;

static void
progress_cb (HoldJob *job, gpointer user_data)
{
  Samples *samples = user_data;
  gint64 now = g_get_monotonic_time ();
  HoldProgress progress;

  g_assert_true (g_main_context_is_owner (NULL)
                 || g_main_context_is_owner (g_main_context_default ()));
  hold_job_get_progress (job, &progress);
  g_assert_cmpuint (progress.bytes_done, >=, samples->last.bytes_done);
  g_assert_cmpuint (progress.entries_done, >=, samples->last.entries_done);
  if (progress.has_total)
    g_assert_cmpuint (progress.bytes_done, <=, progress.bytes_total);
  if (progress.bytes_done > 0)
    g_assert_true (progress.has_total);
  if (samples->n_samples == 0)
    samples->first_us = now;
  samples->last_us = now;
  samples->n_samples++;
  hold_progress_clear (&samples->last);
  samples->last = progress;
}

static void
finished_cb (HoldJob *job, gpointer user_data)
{
  guint *n_finished = user_data;

  g_assert_true (hold_job_is_finished (job));
  (*n_finished)++;
}

/* A source that should come every 5 ms: how late was it? */
typedef struct
{
  gint64 last_us;
  gint64 worst_us;
} Heartbeat;

static gboolean
beat_cb (gpointer user_data)
{
  Heartbeat *heart = user_data;
  gint64 now = g_get_monotonic_time ();

  if (heart->last_us != 0)
    heart->worst_us = MAX (heart->worst_us, now - heart->last_us);
  heart->last_us = now;
  return G_SOURCE_CONTINUE;
}

/* The same in a thread that nothing of ours can hold up: how late does this machine let anybody be?
 */
typedef struct
{
  int stop; /* atomic */
  gint64 worst_us;
} Control;

static gpointer
control_worker (gpointer user_data)
{
  Control *control = user_data;
  gint64 last = g_get_monotonic_time ();

  while (!g_atomic_int_get (&control->stop))
    {
      g_usleep (5000);

      gint64 now = g_get_monotonic_time ();

      control->worst_us = MAX (control->worst_us, now - last);
      last = now;
    }
  return NULL;
}

static gboolean
is_progress_prompt (const char *text, gboolean is_packed, guint64 total, guint n_entries)
{
  JobFixture f;
  Samples samples = { 0 };
  Heartbeat heart = { 0 };
  Control control = { 0 };
  GThread *thread = g_thread_new ("control", control_worker, &control);
  guint n_finished = 0;

  job_fixture_set_up (&f, text);

  HoldJob *job = HOLD_JOB (hold_extract_job_new (job_fixture_new_request (&f)));
  guint beat = g_timeout_add (5, beat_cb, &heart);

  g_signal_connect (job, "progress", G_CALLBACK (progress_cb), &samples);
  g_signal_connect (job, "finished", G_CALLBACK (finished_cb), &n_finished);
  samples.started_us = g_get_monotonic_time ();
  hold_scheduler_run (f.scheduler, job);
  g_source_remove (beat);
  g_atomic_int_set (&control.stop, TRUE);
  g_thread_join (thread);

  g_assert_cmpint (hold_job_get_state (job), ==, HOLD_JOB_DONE);
  g_assert_cmpuint (n_finished, ==, 1);
  g_assert_cmpuint (samples.n_samples, <=,
                    3 + (guint) ((samples.last_us - samples.started_us) / 100000));
  g_assert_cmpint (samples.last.is_packed, ==, is_packed);
  g_assert_true (samples.last.has_total);
  g_assert_cmpuint (samples.last.bytes_total, ==, total);
  g_assert_cmpuint (samples.last.bytes_done, ==, total);
  g_assert_cmpuint (samples.last.entries_total, ==, n_entries);
  g_assert_cmpuint (samples.last.entries_done, ==, n_entries);
  g_test_message (
    "%u samples; the main loop stood still for %d ms at most, an idle thread for %d ms",
    samples.n_samples, (int) (heart.worst_us / 1000), (int) (control.worst_us / 1000));
  hold_progress_clear (&samples.last);
  g_assert_finalize_object (job);
  job_fixture_tear_down (&f);
  return samples.first_us - samples.started_us < 100 * 1000 + control.worst_us
         && heart.worst_us < 50 * 1000 + control.worst_us;
}

/* A machine with more to do than it can may hold up anybody, but not every time. */
#define MAX_TRIES 5

static void
check_progress (const char *text, gboolean is_packed, guint64 total, guint n_entries)
{
  for (guint i = 0; i < MAX_TRIES; i++)
    if (is_progress_prompt (text, is_packed, total, n_entries))
      return;
  g_error ("the main loop was held up each time");
}

static void
test_progress (void)
{
  /* Skipped, refused and failed entries count too, or the end would not equal the total. */
  const char *sized = "folder d\nfile d/a size=5000000 ms=20\nfile ../x size=77\nfile bad "
                      "size=900000 fail=corrupt at=5000\n"
                      "symlink s target=d/a\nhardlink h target=d/a\nfile c size=3000000 ms=20\n";
  g_autofree char *sequential = g_strconcat ("archive sequential\n", sized, NULL);

  check_progress (sized, FALSE, 8900000, 7);
  check_progress (sequential, FALSE, 8900000, 7);
  /* No sizes: by bytes of the archive, which is as long as the fake makes it. */
  check_progress (
    "archive sequential\nfile a size=5000000 nosize ms=20\nfile b size=2000000 ms=10\n", TRUE,
    65536, 2);
}

/* Many small files: what the job itself costs must not be felt in the main loop. */
static void
test_many (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint64 total = 0;

  for (guint i = 0; i < 3000; i++)
    {
      g_string_append_printf (text, "file d%u/f%u size=%u\n", i % 40, i, i % 500);
      total += i % 500;
    }
  check_progress (text->str, FALSE, total, 3000);
}

/* Cancel and pause */

static void
check_tree_is_clean (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_assert_false (g_str_has_prefix (name, "."));
}

/* G03, G04: at @percent of one large entry. */
static gboolean
is_cancel_prompt (const char *how, guint percent)
{
  const guint64 size = G_GUINT64_CONSTANT (2) << 30;
  JobFixture f;
  guint64 gate = percent == 99 ? 64 * 1024 * 1024 : percent * 64 * 1024 * 1024 / 100;
  g_autofree char *text = NULL;
  HoldProgress progress;

  /* Only so much of the 2 GB is written as the test needs: the rest is a hole before the data. */
  if (percent == 99)
    text = g_strdup_printf (
      "%s\nfile first size=10\nfile big size=67108865 gate=%" G_GUINT64_FORMAT "\n", how, gate);
  else
    text = g_strdup_printf ("%s\nfile first size=10\nfile big size=%" G_GUINT64_FORMAT
                            " gate=%" G_GUINT64_FORMAT "\n",
                            how, size, gate);
  job_fixture_set_up (&f, text);
  job_fixture_write (&f, "keep.txt", "mine");

  HoldJob *job = HOLD_JOB (hold_extract_job_new (job_fixture_new_request (&f)));

  hold_scheduler_submit (f.scheduler, job);
  wait_at_gate (f.fake);

  gint64 asked_us = g_get_monotonic_time ();

  hold_job_cancel (job);
  wait_finished (job);
  gint64 waited_us = g_get_monotonic_time () - asked_us;

  g_assert_cmpint (hold_job_get_state (job), ==, HOLD_JOB_CANCELLED);
  g_assert_error (hold_job_get_error (job), G_IO_ERROR, G_IO_ERROR_CANCELLED);
  hold_job_get_progress (job, &progress);
  g_assert_cmpuint (progress.bytes_done, <, progress.bytes_total);
  hold_progress_clear (&progress);
  job_fixture_assert_none (&f, "big");
  job_fixture_assert_text (&f, "keep.txt", "mine");
  check_tree_is_clean (f.dest);
  g_assert_cmpuint (hold_report_count (hold_job_get_report (job), HOLD_OUTCOME_FAILED), ==, 0);
  g_assert_finalize_object (job);
  job_fixture_tear_down (&f);
  return waited_us < 200 * 1000;
}

static void
check_cancel (const char *how, guint percent)
{
  for (guint i = 0; i < MAX_TRIES; i++)
    if (is_cancel_prompt (how, percent))
      return;
  g_error ("cancel took more than 200 ms each time");
}

static void
test_cancel (void)
{
  static const guint percents[] = { 0, 1, 45, 99 };

  for (guint i = 0; i < G_N_ELEMENTS (percents); i++)
    {
      check_cancel ("archive", percents[i]);
      check_cancel ("archive sequential", percents[i]);
    }
}

static gboolean
has_bytes (gpointer data)
{
  HoldProgress progress;

  hold_job_get_progress (data, &progress);
  gboolean has = progress.bytes_done > 0;
  hold_progress_clear (&progress);
  return has;
}

/* In full flight, not at a gate. */
static gboolean
is_flying_cancel_prompt (void)
{
  JobFixture f;

  job_fixture_set_up (&f, "file big size=2147483648 ms=1\n");

  HoldJob *job = HOLD_JOB (hold_extract_job_new (job_fixture_new_request (&f)));

  hold_scheduler_submit (f.scheduler, job);
  wait_until (has_bytes, job);

  gint64 asked_us = g_get_monotonic_time ();

  hold_job_cancel (job);
  wait_finished (job);
  gint64 waited_us = g_get_monotonic_time () - asked_us;

  g_assert_false (g_file_test (f.dest, G_FILE_TEST_EXISTS));
  g_assert_finalize_object (job);
  job_fixture_tear_down (&f);
  return waited_us < 200 * 1000;
}

static void
test_cancel_flying (void)
{
  for (guint i = 0; i < MAX_TRIES; i++)
    if (is_flying_cancel_prompt ())
      return;
  g_error ("cancel took more than 200 ms each time");
}

static void
test_pause (void)
{
  JobFixture f;
  HoldProgress before, after;

  job_fixture_set_up (&f, "file a size=100000000 ms=1\nfile b size=100000000 ms=1\n");

  HoldJob *job = HOLD_JOB (hold_extract_job_new (job_fixture_new_request (&f)));
  HoldJob *other = HOLD_JOB (hold_test_job_new (f.archive, NULL, NULL));

  hold_scheduler_submit (f.scheduler, job);
  wait_until (has_bytes, job);
  hold_job_set_paused (job, TRUE);
  /* Its threads are out of their current block once two looks in a row show the same. */
  for (guint64 seen = G_MAXUINT64;;)
    {
      settle ();
      hold_job_get_progress (job, &before);
      if (before.bytes_done == seen)
        break;
      seen = before.bytes_done;
      hold_progress_clear (&before);
    }
  settle ();
  hold_job_get_progress (job, &after);
  g_assert_cmpuint (before.bytes_done, ==, after.bytes_done);
  g_assert_cmpint (hold_job_get_state (job), ==, HOLD_JOB_RUNNING);
  hold_progress_clear (&before);
  hold_progress_clear (&after);

  /* Its threads are lent to whoever still works. */
  hold_scheduler_submit (f.scheduler, other);
  wait_finished (other);
  g_assert_cmpint (hold_job_get_state (other), ==, HOLD_JOB_DONE);
  /* At least one entry stood still, and two moved past it. */
  g_assert_cmpuint (hold_fake_get_max_readers (f.fake), >=, 3);

  hold_job_set_paused (job, FALSE);
  wait_finished (job);
  g_assert_cmpint (hold_job_get_state (job), ==, HOLD_JOB_DONE);
  job_fixture_assert_entry (&f, "a", "a", 100000000);
  g_assert_finalize_object (job);
  g_assert_finalize_object (other);

  job = HOLD_JOB (hold_extract_job_new (job_fixture_new_request (&f)));
  hold_job_set_paused (job, TRUE);
  hold_scheduler_submit (f.scheduler, job);
  settle ();
  hold_job_cancel (job);
  wait_finished (job);
  g_assert_cmpint (hold_job_get_state (job), ==, HOLD_JOB_CANCELLED);
  g_assert_finalize_object (job);
  job_fixture_tear_down (&f);
}

/* Rates */

static void
test_rate (void)
{
  HoldRate rate = { 0 };
  HoldProgress progress = { .has_total = TRUE, .bytes_total = 10 * 1000 * 1000 };
  guint seconds = 77;

  g_assert_false (hold_rate_get_seconds_left (&rate, &progress, &seconds));
  for (guint i = 0; i <= 20; i++)
    {
      progress.bytes_done = i * 100000;
      hold_rate_add_sample (&rate, 1000000 + i * 100000, progress.bytes_done);
    }
  g_assert_cmpfloat_with_epsilon (rate.bytes_per_second, 1e6, 1e3);
  g_assert_true (hold_rate_get_seconds_left (&rate, &progress, &seconds));
  g_assert_cmpuint (seconds, ==, 8);

  /* An hour at a question costs nothing. */
  hold_rate_pause (&rate);
  hold_rate_add_sample (&rate, G_GINT64_CONSTANT (3600000000), progress.bytes_done);
  hold_rate_add_sample (&rate, G_GINT64_CONSTANT (3600100000), progress.bytes_done + 100000);
  g_assert_cmpfloat_with_epsilon (rate.bytes_per_second, 1e6, 1e3);
  progress.has_total = FALSE;
  g_assert_false (hold_rate_get_seconds_left (&rate, &progress, &seconds));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/job/access", test_access);
  g_test_add_func ("/job/cancel-queued", test_cancel_queued);
  g_test_add_func ("/job/absorb", test_absorb);
  g_test_add_func ("/job/drop-scheduler", test_drop_scheduler);
  g_test_add_func ("/job/progress", test_progress);
  g_test_add_func ("/job/many", test_many);
  g_test_add_func ("/job/cancel", test_cancel);
  g_test_add_func ("/job/cancel-flying", test_cancel_flying);
  g_test_add_func ("/job/pause", test_pause);
  g_test_add_func ("/job/rate", test_rate);
  return g_test_run ();
}
