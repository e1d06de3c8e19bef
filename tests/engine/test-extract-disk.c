/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Extraction onto disks that are full, that ignore case, or that others write to at the same time.
 */

#include "test-job-helpers.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/mount.h>

/* Starts to extract, stops at the gate of the fake, lets something appear at @name, and goes on. */
static HoldJobState
extract_while_appearing (JobFixture *f, HoldConflict conflict, const char *name,
                         HoldReport **report)
{
  HoldExtractRequest *request = job_fixture_new_request (f);

  request->conflict = conflict;

  HoldJob *job = HOLD_JOB (hold_extract_job_new (request));

  hold_scheduler_submit (f->scheduler, job);
  wait_at_gate (f->fake);
  job_fixture_write (f, name, "mine");
  hold_fake_release (f->fake);
  wait_finished (job);

  HoldJobState state = hold_job_get_state (job);

  *report = hold_report_ref (hold_job_get_report (job));
  g_assert_finalize_object (job);
  return state;
}

/* Nothing was in the way when the job looked; now it is, and the policy holds all the same. */
static void
test_appears (void)
{
  static const struct
  {
    HoldConflict policy;
    const char *tree;
    gboolean is_replaced;
    guint n_skipped;
  } cases[] = {
    { HOLD_CONFLICT_SKIP, "a b", FALSE, 1 },
    { HOLD_CONFLICT_OVERWRITE, "a b", TRUE, 0 },
    { HOLD_CONFLICT_NEWER, "a b", TRUE, 0 },
    { HOLD_CONFLICT_RENAME, "a a (2) b", FALSE, 0 },
  };
  const char *how[] = { "archive\n", "archive sequential\n" };

  for (guint i = 0; i < G_N_ELEMENTS (cases) * 2; i++)
    {
      JobFixture f;
      g_autoptr (HoldReport) report = NULL;
      g_autofree char *text = g_strconcat (
        how[i % 2], "file a size=600000 mtime=4000000000 gate=300000\nfile b size=3\n", NULL);

      job_fixture_set_up (&f, text);
      g_assert_cmpint (extract_while_appearing (&f, cases[i / 2].policy, "a", &report), ==,
                       HOLD_JOB_DONE);
      job_fixture_assert_tree (&f, cases[i / 2].tree);
      if (cases[i / 2].is_replaced)
        job_fixture_assert_entry (&f, "a", "a", 600000);
      else
        job_fixture_assert_text (&f, "a", "mine");
      if (cases[i / 2].policy == HOLD_CONFLICT_RENAME)
        job_fixture_assert_entry (&f, "a (2)", "a", 600000);
      g_assert_cmpuint (hold_report_count (report, HOLD_OUTCOME_SKIPPED), ==,
                        cases[i / 2].n_skipped);
      g_assert_cmpuint (hold_report_get_n_items (report), ==, cases[i / 2].n_skipped);
      job_fixture_tear_down (&f);
    }
}

/* What a disk that ignores case would show: the place of the second is taken once the first is
 * written (Z20). */
static void
test_twin_is_met (void)
{
  const char *how[] = { "archive\n", "archive sequential\n" };

  for (guint i = 0; i < G_N_ELEMENTS (how); i++)
    {
      JobFixture f;
      g_autoptr (HoldReport) report = NULL;
      g_autofree char *text = g_strconcat (
        how[i], "file A.txt size=600000 gate=300000\nfile a.txt size=5\n", NULL);

      job_fixture_set_up (&f, text);
      g_assert_cmpint (extract_while_appearing (&f, HOLD_CONFLICT_OVERWRITE, "a.txt", &report), ==,
                       HOLD_JOB_DONE);
      job_fixture_assert_tree (&f, "A.txt a (2).txt a.txt");
      job_fixture_assert_text (&f, "a.txt", "mine");
      job_fixture_assert_entry (&f, "a (2).txt", "a.txt", 5);
      assert_reported (report, "a.txt", HOLD_OUTCOME_CHANGED, G_IO_ERROR, G_IO_ERROR_EXISTS);
      job_fixture_tear_down (&f);
    }
}

static gboolean
run_quietly (const char *command)
{
  int status = 0;

  return g_spawn_command_line_sync (command, NULL, NULL, &status, NULL)
         && g_spawn_check_wait_status (status, NULL);
}

/* Z20 on a real one, where the kernel has one. */
static void
test_ignores_case (void)
{
  JobFixture f;
  g_autoptr (HoldReport) first = NULL, second = NULL;
  g_autofree char *command = NULL;

  job_fixture_set_up (&f, "file A.txt size=10\nfile a.txt size=20\nfile Ä size=3\nfile ä size=4\n"
                          "file Foo size=5\nfile foo/x size=6\n");
  g_assert_cmpint (g_mkdir (f.dest, 0755), ==, 0);
  command = g_strdup_printf ("sh -c 'cd %s && truncate -s 16M img && "
                             "mkfs.ext4 -q -O casefold -E encoding=utf8 img && "
                             "mount -o loop img out && rmdir out/lost+found && chattr +F out'",
                             f.dir);
  if (!run_quietly (command))
    {
      g_test_skip ("no disk that ignores case can be mounted here");
      umount (f.dest);
      job_fixture_tear_down (&f);
      return;
    }

  g_assert_cmpint (job_fixture_extract (&f, job_fixture_new_request (&f), &first, NULL), ==,
                   HOLD_JOB_DONE);
  g_assert_cmpuint (hold_report_get_n_done (first), ==, 6);
  g_assert_cmpuint (hold_report_count (first, HOLD_OUTCOME_CHANGED), ==, 3);
  job_fixture_assert_entry (&f, "A.txt", "A.txt", 10);
  job_fixture_assert_entry (&f, "a (2).txt", "a.txt", 20);
  job_fixture_assert_entry (&f, "foo/x", "foo/x", 6);

  /* Over what is there: each is replaced by its own, none by the other. */
  HoldExtractRequest *request = job_fixture_new_request (&f);

  request->conflict = HOLD_CONFLICT_OVERWRITE;
  g_assert_cmpint (job_fixture_extract (&f, request, &second, NULL), ==, HOLD_JOB_DONE);
  job_fixture_assert_entry (&f, "A.txt", "A.txt", 10);
  umount (f.dest);
  job_fixture_tear_down (&f);
}

/* A full disk ends the job, says which disk, and leaves whole files only. */
static void
test_full (void)
{
  const char *how[] = { "archive\n", "archive sequential\n" };

  for (guint i = 0; i < G_N_ELEMENTS (how); i++)
    {
      JobFixture f;
      g_autoptr (HoldReport) report = NULL;
      g_autoptr (GError) error = NULL;
      g_autofree char *text = g_strconcat (how[i],
                                           "file first size=1000\nfile big size=9000000 nosize\n"
                                           "file late size=1000 ms=300\n",
                                           NULL);

      job_fixture_set_up (&f, text);
      g_assert_cmpint (g_mkdir (f.dest, 0755), ==, 0);
      if (mount ("none", f.dest, "tmpfs", MS_NOSUID | MS_NODEV, "size=2m") != 0)
        {
          g_test_skip ("cannot mount a small disk here");
          job_fixture_tear_down (&f);
          return;
        }
      g_assert_cmpint (job_fixture_extract (&f, job_fixture_new_request (&f), &report, &error), ==,
                       HOLD_JOB_FAILED);
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE);
      g_assert_nonnull (strstr (error->message, f.dest));
      job_fixture_assert_entry (&f, "first", "first", 1000);
      job_fixture_assert_none (&f, "big");
      if (i == 1)
        job_fixture_assert_tree (&f, "first");
      g_assert_cmpint (umount (f.dest), ==, 0);
      job_fixture_tear_down (&f);
    }
}

static void
make_room_cb (HoldJob *job, GParamSpec *pspec, gpointer user_data)
{
  HoldQuestion *question = hold_job_get_question (job);
  char *ballast = user_data;

  if (question == NULL)
    return;
  g_assert_cmpint (hold_question_get_kind (question), ==, HOLD_QUESTION_CONTINUE);
  g_assert_error (hold_question_get_error (question), G_IO_ERROR, G_IO_ERROR_NO_SPACE);
  g_assert_cmpint (g_unlink (ballast), ==, 0);
  hold_question_answer_continue (question, TRUE, FALSE);
}

/* Whoever is there may make room, and everything comes out after all. */
static void
test_make_room (void)
{
  const char *how[] = { "archive\n", "archive sequential\n" };

  for (guint i = 0; i < G_N_ELEMENTS (how); i++)
    {
      JobFixture f;
      g_autofree char *ballast = NULL;
      g_autofree char *content = g_strnfill (1500000, 'x');
      g_autofree char *text = g_strconcat (
        how[i], "file a size=1200000 nosize\nfile b size=700000 nosize\n", NULL);

      job_fixture_set_up (&f, text);
      g_assert_cmpint (g_mkdir (f.dest, 0755), ==, 0);
      if (mount ("none", f.dest, "tmpfs", MS_NOSUID | MS_NODEV, "size=2m") != 0)
        {
          g_test_skip ("cannot mount a small disk here");
          job_fixture_tear_down (&f);
          return;
        }
      ballast = g_build_filename (f.dest, "ballast", NULL);
      g_assert_true (g_file_set_contents (ballast, content, -1, NULL));

      HoldJob *job = HOLD_JOB (hold_extract_job_new (job_fixture_new_request (&f)));

      hold_job_set_interactive (job, TRUE);
      g_signal_connect (job, "notify::question", G_CALLBACK (make_room_cb), ballast);
      g_assert_cmpint (job_fixture_run (&f, job, NULL, NULL), ==, HOLD_JOB_DONE);
      job_fixture_assert_tree (&f, "a b");
      job_fixture_assert_entry (&f, "a", "a", 1200000);
      job_fixture_assert_entry (&f, "b", "b", 700000);
      g_assert_cmpint (umount (f.dest), ==, 0);
      job_fixture_tear_down (&f);
    }
}

/* W10: another program writes to the archive while it is read. What came out is not to be trusted.
 */
static void
test_changes_meanwhile (void)
{
  JobFixture f;
  g_autoptr (GError) error = NULL;

  job_fixture_set_up (&f, "file a size=600000 gate=300000\n");

  HoldJob *job = HOLD_JOB (hold_extract_job_new (job_fixture_new_request (&f)));

  hold_scheduler_submit (f.scheduler, job);
  wait_at_gate (f.fake);
  g_assert_true (g_file_set_contents (hold_archive_get_path (f.archive), "other", -1, NULL));
  hold_fake_release (f.fake);
  wait_finished (job);
  g_assert_cmpint (hold_job_get_state (job), ==, HOLD_JOB_FAILED);
  g_assert_error (hold_job_get_error (job), HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK);
  g_assert_finalize_object (job);
  job_fixture_tear_down (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/extract-disk/appears", test_appears);
  g_test_add_func ("/extract-disk/twin-is-met", test_twin_is_met);
  g_test_add_func ("/extract-disk/ignores-case", test_ignores_case);
  g_test_add_func ("/extract-disk/full", test_full);
  g_test_add_func ("/extract-disk/make-room", test_make_room);
  g_test_add_func ("/extract-disk/changes-meanwhile", test_changes_meanwhile);
  return g_test_run ();
}
