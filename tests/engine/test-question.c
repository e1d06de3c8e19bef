/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What jobs ask, what they make of the answers, and that nothing hangs when none comes. */

#include "test-job-helpers.h"

#include "hold-job-private.h"
#include "hold-question-private.h"

#include <glib/gstdio.h>
#include <string.h>

/* One who answers: takes the next word of a script for each question. */
typedef struct
{
  const char *const *script;
  guint n_asked;
  guint n_wrong;
  char *last_entry;
  gboolean last_is_folder;
} Person;

static void
answer (Person *person, HoldQuestion *question)
{
  const char *word = person->script[person->n_asked];

  g_assert_nonnull (word);
  person->n_asked++;
  switch (hold_question_get_kind (question))
    {
    case HOLD_QUESTION_PASSWORD:
      {
        g_autoptr (HoldSecret) secret = hold_secret_new (word);

        g_free (person->last_entry);
        person->last_entry = g_strdup (hold_question_get_entry_path (question));
        person->n_wrong += hold_question_was_wrong (question);
        if (g_str_equal (word, "cancel"))
          hold_question_cancel (question);
        else
          hold_question_answer_password (question, secret);
        break;
      }
    case HOLD_QUESTION_CONFLICT:
      {
        gboolean for_all = g_str_has_suffix (word, "!");

        person->last_is_folder = hold_question_get_existing (question)->is_folder;
        if (g_str_has_prefix (word, "skip"))
          hold_question_answer_conflict (question, HOLD_CONFLICT_SKIP, for_all);
        else if (g_str_has_prefix (word, "overwrite"))
          hold_question_answer_conflict (question, HOLD_CONFLICT_OVERWRITE, for_all);
        else if (g_str_has_prefix (word, "newer"))
          hold_question_answer_conflict (question, HOLD_CONFLICT_NEWER, for_all);
        else if (g_str_has_prefix (word, "rename"))
          hold_question_answer_conflict (question, HOLD_CONFLICT_RENAME, for_all);
        else
          hold_question_cancel (question);
        break;
      }
    case HOLD_QUESTION_CONTINUE:
    default:
      g_assert_nonnull (hold_question_get_error (question));
      hold_question_answer_continue (question, g_str_equal (word, "yes"), FALSE);
    }
}

static void
question_cb (HoldJob *job, GParamSpec *pspec, gpointer user_data)
{
  HoldQuestion *question = hold_job_get_question (job);

  if (question == NULL)
    return;
  g_assert_cmpint (hold_job_get_state (job), ==, HOLD_JOB_ASKING);
  answer (user_data, question);
  /* Only the first answer counts. */
  hold_question_cancel (question);
  g_assert_true (hold_question_is_answered (question));
}

static HoldJobState
run_asking (JobFixture *f, HoldJob *job, Person *person, HoldReport **report, GError **error)
{
  hold_job_set_interactive (job, TRUE);
  g_signal_connect (job, "notify::question", G_CALLBACK (question_cb), person);
  return job_fixture_run (f, job, report, error);
}

static HoldJobState
extract_asking (JobFixture *f, const char *const *script, guint n_expected, HoldReport **report,
                GError **error)
{
  Person person = { .script = script };
  HoldJobState state = run_asking (f, HOLD_JOB (hold_extract_job_new (job_fixture_new_request (f))),
                                   &person, report, error);

  g_assert_cmpuint (person.n_asked, ==, n_expected);
  g_free (person.last_entry);
  return state;
}

/* X03: each one, then one word for the rest. */
static void
test_for_all (void)
{
  JobFixture f;
  g_autoptr (HoldReport) report = NULL;
  const char *script[] = { "skip", "rename", "overwrite!", NULL };

  job_fixture_set_up (
    &f,
    "file a size=5\nfile b size=5\nfile c size=5\nfile d size=5\nfile e size=5\nfile new size=5\n");
  for (const char *name = "abcde"; *name != '\0'; name++)
    job_fixture_write (&f, (char[]){ *name, '\0' }, "mine");
  g_assert_cmpint (extract_asking (&f, script, 3, &report, NULL), ==, HOLD_JOB_DONE);
  job_fixture_assert_tree (&f, "a b b (2) c d e new");
  job_fixture_assert_text (&f, "a", "mine");
  job_fixture_assert_text (&f, "b", "mine");
  job_fixture_assert_entry (&f, "b (2)", "b", 5);
  for (const char *name = "cde"; *name != '\0'; name++)
    job_fixture_assert_entry (&f, (char[]){ *name, '\0' }, (char[]){ *name, '\0' }, 5);
  assert_reported (report, "a", HOLD_OUTCOME_SKIPPED, G_IO_ERROR, G_IO_ERROR_EXISTS);
  g_assert_cmpuint (hold_report_get_n_items (report), ==, 1);
  job_fixture_tear_down (&f);
}

static void
test_conflict_cancelled (void)
{
  JobFixture f;
  g_autoptr (GError) error = NULL;
  const char *script[] = { "cancel", NULL };

  job_fixture_set_up (&f, "file a size=5\nfile b size=5\n");
  job_fixture_write (&f, "b", "mine");
  g_assert_cmpint (extract_asking (&f, script, 1, NULL, &error), ==, HOLD_JOB_CANCELLED);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  job_fixture_assert_tree (&f, "b");
  job_fixture_assert_text (&f, "b", "mine");
  job_fixture_tear_down (&f);
}

/* X02: "extract here" into a folder of the same name: merge, another name, or not at all. */
static void
test_merge (void)
{
  static const struct
  {
    const char *script[3];
    guint n_asked;
    const char *tree;
  } cases[] = {
    { { "overwrite!", "rename" }, 2, "p/ p/a p/a (2) p/b p/old" },
    { { "rename" }, 1, "p (2)/ p (2)/a p (2)/b p/ p/a p/old" },
    { { "skip" }, 1, "p/ p/a p/old" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      JobFixture f;
      Person person = { .script = cases[i].script };

      job_fixture_set_up (&f, "file p/a size=5\nfile p/b size=5\n");
      job_fixture_write (&f, "p/a", "mine");
      job_fixture_write (&f, "p/old", "mine");

      HoldExtractRequest *request = job_fixture_new_request (&f);

      request->layout = HOLD_LAYOUT_SMART;
      g_assert_cmpint (
        run_asking (&f, HOLD_JOB (hold_extract_job_new (request)), &person, NULL, NULL), ==,
        HOLD_JOB_DONE);
      g_assert_cmpuint (person.n_asked, ==, cases[i].n_asked);
      job_fixture_assert_tree (&f, cases[i].tree);
      job_fixture_assert_text (&f, "p/a", "mine");
      job_fixture_tear_down (&f);
    }
}

/* Passwords */

/* P07, P10: wrong, said to be wrong, then right; nothing is left of the wrong try. */
static void
test_wrong_then_right (void)
{
  const char *how[] = { "archive\n", "archive sequential\n" };

  for (guint i = 0; i < G_N_ELEMENTS (how); i++)
    {
      JobFixture f;
      Person person = { .script = (const char *[]){ "no", "nor this", "secret", NULL } };
      g_autoptr (HoldReport) report = NULL;
      g_autofree char *text = g_strconcat (how[i],
                                           "file open size=3\nfile a size=600000 password=secret\n"
                                           "file b size=9 password=secret\n",
                                           NULL);

      job_fixture_set_up (&f, text);
      g_assert_cmpint (run_asking (&f,
                                   HOLD_JOB (hold_extract_job_new (job_fixture_new_request (&f))),
                                   &person, &report, NULL),
                       ==, HOLD_JOB_DONE);
      g_assert_cmpuint (person.n_asked, ==, 3);
      g_assert_cmpuint (person.n_wrong, ==, 2);
      g_assert_nonnull (person.last_entry);
      g_free (person.last_entry);
      job_fixture_assert_tree (&f, "a b open");
      job_fixture_assert_entry (&f, "a", "a", 600000);
      g_assert_cmpuint (hold_report_get_n_items (report), ==, 0);

      /* Known from now on: nobody is asked twice. */
      Person nobody = { .script = (const char *[]){ NULL } };

      g_assert_cmpint (run_asking (&f, HOLD_JOB (hold_test_job_new (f.archive, NULL, f.keyring)),
                                   &nobody, NULL, NULL),
                       ==, HOLD_JOB_DONE);
      job_fixture_tear_down (&f);
    }
}

/* P09: cancelling is a quiet end with nothing written. */
static void
test_password_cancelled (void)
{
  JobFixture f;
  g_autoptr (GError) error = NULL;
  g_autoptr (HoldReport) report = NULL;
  const char *script[] = { "cancel", NULL }, *empty[] = { "", NULL };

  job_fixture_set_up (&f, "folder d\nfile d/a size=5 password=secret\nfile open size=3\n");
  g_assert_cmpint (extract_asking (&f, script, 1, &report, &error), ==, HOLD_JOB_CANCELLED);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (hold_report_get_n_items (report), ==, 0);
  g_assert_false (g_file_test (f.dest, G_FILE_TEST_EXISTS));
  /* P08: so is an empty one. */
  g_assert_cmpint (extract_asking (&f, empty, 1, NULL, NULL), ==, HOLD_JOB_CANCELLED);
  g_assert_false (g_file_test (f.dest, G_FILE_TEST_EXISTS));
  job_fixture_tear_down (&f);
}

/* Nobody to ask: what needs no password comes out; if all does, the job says so. */
static void
test_no_listener (void)
{
  JobFixture f;
  g_autoptr (HoldReport) report = NULL;
  g_autoptr (GError) needed = NULL, wrong = NULL;
  g_autoptr (HoldSecret) secret = hold_secret_new ("no");

  job_fixture_set_up (&f, "file a size=5 password=secret\nfile open size=3\n");
  g_assert_cmpint (job_fixture_extract (&f, job_fixture_new_request (&f), &report, NULL), ==,
                   HOLD_JOB_DONE);
  job_fixture_assert_tree (&f, "open");
  assert_reported (report, "a", HOLD_OUTCOME_FAILED, HOLD_ERROR, HOLD_ERROR_PASSWORD_NEEDED);
  job_fixture_tear_down (&f);

  job_fixture_set_up (&f, "folder d\nfile d/a size=5 password=secret\nhardlink d/b target=d/a\n");
  g_assert_cmpint (job_fixture_extract (&f, job_fixture_new_request (&f), NULL, &needed), ==,
                   HOLD_JOB_FAILED);
  g_assert_error (needed, HOLD_ERROR, HOLD_ERROR_PASSWORD_NEEDED);
  g_assert_false (g_file_test (f.dest, G_FILE_TEST_EXISTS));
  hold_keyring_add (f.keyring, secret);
  g_assert_cmpint (job_fixture_extract (&f, job_fixture_new_request (&f), NULL, &wrong), ==,
                   HOLD_JOB_FAILED);
  g_assert_error (wrong, HOLD_ERROR, HOLD_ERROR_PASSWORD_WRONG);
  g_assert_false (g_file_test (f.dest, G_FILE_TEST_EXISTS));
  job_fixture_tear_down (&f);
}

/* Every entry may have a password of its own. */
static void
test_several_passwords (void)
{
  const char *how[] = { "archive\n", "archive sequential\n" };

  for (guint i = 0; i < G_N_ELEMENTS (how); i++)
    {
      JobFixture f;
      const char *script[] = { "one", "no", "two", NULL };
      g_autofree char *text = g_strconcat (
        how[i],
        "file a size=5 password=one\nfile b size=700000 password=two\n"
        "file c size=6 password=two\nfile open size=1\n",
        NULL);
      g_autoptr (HoldReport) report = NULL;

      job_fixture_set_up (&f, text);
      g_assert_cmpint (extract_asking (&f, script, 3, &report, NULL), ==, HOLD_JOB_DONE);
      job_fixture_assert_tree (&f, "a b c open");
      job_fixture_assert_entry (&f, "b", "b", 700000);
      g_assert_cmpuint (hold_report_get_n_items (report), ==, 0);
      g_assert_cmpuint (hold_report_get_n_done (report), ==, 4);
      job_fixture_tear_down (&f);
    }
}

/* P05: the list itself is locked. */
static void
test_open (void)
{
  JobFixture f;
  g_autoptr (GError) error = NULL;
  const char *scripts[][4] = { { "no", "secret", NULL }, { "cancel", NULL } };
  g_autofree char *path = NULL;

  job_fixture_set_up (&f, "archive password=secret\nfile a size=5\n");
  path = g_strdup (hold_archive_get_path (f.archive));
  for (guint i = 0; i < 2; i++)
    {
      Person person = { .script = scripts[i] };
      HoldOpenJob *job = hold_open_job_new (path, NULL, NULL);

      _hold_open_job_set_opener (job, hold_fake_opener);
      hold_job_set_interactive (HOLD_JOB (job), TRUE);
      g_signal_connect (job, "notify::question", G_CALLBACK (question_cb), &person);
      hold_scheduler_run (f.scheduler, HOLD_JOB (job));
      g_assert_cmpint (hold_job_get_state (HOLD_JOB (job)), ==,
                       i == 0 ? HOLD_JOB_DONE : HOLD_JOB_CANCELLED);
      g_assert_true ((hold_open_job_get_archive (job) != NULL) == (i == 0));
      g_assert_cmpuint (person.n_wrong, ==, i == 0 ? 1 : 0);
      g_assert_null (person.last_entry);
      g_assert_finalize_object (job);
    }

  HoldOpenJob *job = hold_open_job_new (path, NULL, NULL);

  _hold_open_job_set_opener (job, hold_fake_opener);
  g_assert_cmpint (job_fixture_run (&f, HOLD_JOB (job), NULL, &error), ==, HOLD_JOB_FAILED);
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_PASSWORD_NEEDED);
  job_fixture_tear_down (&f);
}

/* Limits */

static void
test_too_large (void)
{
  JobFixture f;
  g_autoptr (GError) error = NULL;
  const char *no[] = { "no", NULL };

  /* More than any disk has; "yes" would try. */
  job_fixture_set_up (&f, "file a size=9000000000000000000 gate=0\n");
  g_assert_cmpint (extract_asking (&f, no, 1, NULL, &error), ==, HOLD_JOB_FAILED);
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_TOO_LARGE);
  g_assert_false (g_file_test (f.dest, G_FILE_TEST_EXISTS));
  job_fixture_tear_down (&f);
}

/* Z22: fits on the disk, but is a bomb by its ratio (the fake's file has 64 KiB). */
static void
test_ratio (void)
{
  JobFixture f;
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) grown = NULL;
  const char *no[] = { "no", NULL }, *yes[] = { "yes", NULL };

  job_fixture_set_up (&f, "file a size=1200000000 hole=1199999990\n");
  g_assert_cmpint (extract_asking (&f, no, 1, NULL, &error), ==, HOLD_JOB_FAILED);
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_TOO_LARGE);
  job_fixture_tear_down (&f);

  job_fixture_set_up (&f, "archive sequential\nfile a size=1200000000 hole=1199999990\n");
  g_assert_cmpint (extract_asking (&f, yes, 1, NULL, NULL), ==, HOLD_JOB_DONE);
  g_assert_cmpint (job_fixture_extract (&f, job_fixture_new_request (&f), NULL, NULL), ==,
                   HOLD_JOB_DONE);
  job_fixture_tear_down (&f);

  /* Nobody declared its size, so it is watched while it grows. */
  job_fixture_set_up (
    &f, "archive sequential\nfile a size=9000000000 hole=8999999990 nosize\nfile b size=3\n");
  g_assert_cmpint (extract_asking (&f, no, 1, NULL, &grown), ==, HOLD_JOB_FAILED);
  g_assert_error (grown, HOLD_ERROR, HOLD_ERROR_TOO_LARGE);
  g_assert_false (g_file_test (f.dest, G_FILE_TEST_EXISTS));
  job_fixture_tear_down (&f);
}

/* Waiting */

static gboolean
is_asking (gpointer data)
{
  return hold_job_get_question (data) != NULL;
}

/* A job that asks is cancelled from outside; another one while its scheduler goes. */
static void
test_cancel_while_asking (void)
{
  JobFixture f;

  job_fixture_set_up (&f, "file a size=5\n");
  job_fixture_write (&f, "a", "mine");
  for (guint i = 0; i < 2; i++)
    {
      HoldJob *job = HOLD_JOB (hold_extract_job_new (job_fixture_new_request (&f)));

      hold_job_set_interactive (job, TRUE);
      hold_scheduler_submit (f.scheduler, job);
      wait_until (is_asking, job);
      g_assert_cmpint (hold_job_get_state (job), ==, HOLD_JOB_ASKING);

      if (i == 0)
        {
          hold_job_cancel (job);
          wait_finished (job);
        }
      else
        {
          g_clear_pointer (&f.scheduler, hold_scheduler_free);
        }
      g_assert_cmpint (hold_job_get_state (job), ==, HOLD_JOB_CANCELLED);
      g_assert_null (hold_job_get_question (job));
      g_assert_finalize_object (job);
    }
  job_fixture_assert_text (&f, "a", "mine");
  job_fixture_tear_down (&f);
}

/* Answered before anybody waits. */
static void
test_early_answer (void)
{
  HoldConflictSide side = { .path = "a" };
  HoldQuestion *question = hold_question_new_conflict (&side, &side);
  gboolean for_all = FALSE;

  hold_question_answer_conflict (question, HOLD_CONFLICT_RENAME, TRUE);
  hold_question_answer_conflict (question, HOLD_CONFLICT_SKIP, FALSE);
  hold_question_cancel (question);
  g_assert_cmpint (hold_question_wait (question, NULL), ==, HOLD_ANSWER_GIVEN);
  g_assert_cmpint (hold_question_get_conflict (question, &for_all), ==, HOLD_CONFLICT_RENAME);
  g_assert_true (for_all);
  g_assert_finalize_object (question);
}

/* The test job */

static void
test_test (void)
{
  const char *how[] = { "archive\n", "archive sequential\n" };

  for (guint i = 0; i < G_N_ELEMENTS (how); i++)
    {
      JobFixture f;
      g_autoptr (HoldReport) report = NULL, second = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (GArray) bad = g_array_new (FALSE, FALSE, sizeof (guint));
      guint index = 1;
      g_autofree char *text = g_strconcat (
        how[i],
        "folder d\nfile d/bad size=500 fail=checksum\nfile good size=600000\n"
        "file old size=3 unreadable\nfile long size=5 extra=5\nsymlink s target=x\n",
        NULL);

      job_fixture_set_up (&f, text);
      g_assert_cmpint (
        job_fixture_run (&f, HOLD_JOB (hold_test_job_new (f.archive, NULL, NULL)), &report, NULL),
        ==, HOLD_JOB_DONE);
      assert_reported (report, "d/bad", HOLD_OUTCOME_FAILED, HOLD_ERROR, HOLD_ERROR_CHECKSUM);
      assert_reported (report, "old", HOLD_OUTCOME_FAILED, HOLD_ERROR, HOLD_ERROR_UNSUPPORTED);
      assert_reported (report, "long", HOLD_OUTCOME_FAILED, HOLD_ERROR, HOLD_ERROR_CORRUPT);
      g_assert_cmpuint (hold_report_get_n_items (report), ==, 3);
      g_assert_cmpuint (hold_report_get_n_done (report), ==, 3);
      g_assert_false (g_file_test (f.dest, G_FILE_TEST_EXISTS));

      g_array_append_val (bad, index);
      g_assert_cmpint (
        job_fixture_run (&f, HOLD_JOB (hold_test_job_new (f.archive, bad, NULL)), &second, &error),
        ==, HOLD_JOB_FAILED);
      g_assert_error (error, HOLD_ERROR, HOLD_ERROR_CHECKSUM);
      job_fixture_tear_down (&f);
    }
}

static gboolean
collect_cb (gpointer user_data, const guint8 *data, gsize length_bytes, GError **error)
{
  g_assert_cmpuint (length_bytes, <=, 256 * 1024);
  g_byte_array_append (user_data, data, (guint) length_bytes);
  return TRUE;
}

/* cat: holes are zeros, a hard link gives its file's data. */
static void
test_read_entry (void)
{
  const char *how[] = { "archive\n", "archive sequential\n" };

  for (guint i = 0; i < G_N_ELEMENTS (how); i++)
    {
      JobFixture f;
      g_autofree char *text = g_strconcat (
        how[i],
        "folder d\nfile d/a size=700000\nhardlink h target=./d/a\n"
        "file bad size=3 fail=checksum\nfile long size=3 extra=3\n",
        NULL);

      job_fixture_set_up (&f, text);
      for (guint index = 0; index < 5; index++)
        {
          g_autoptr (GByteArray) bytes = g_byte_array_new ();
          g_autoptr (GError) error = NULL;
          gboolean read = hold_archive_read_entry (f.archive, index, NULL, collect_cb, bytes, NULL,
                                                   &error);

          if (index == 1 || index == 2)
            {
              g_assert_no_error (error);
              g_assert_true (read);
              g_assert_cmpuint (bytes->len, ==, 700000);
              g_assert_cmpuint (bytes->data[699999], ==, hold_fake_byte ("d/a", 699999));
              continue;
            }
          if (index == 4 && i == 0)
            continue;
          g_assert_false (read);
          g_assert_nonnull (error);
        }
      job_fixture_tear_down (&f);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/question/for-all", test_for_all);
  g_test_add_func ("/question/conflict-cancelled", test_conflict_cancelled);
  g_test_add_func ("/question/merge", test_merge);
  g_test_add_func ("/question/wrong-then-right", test_wrong_then_right);
  g_test_add_func ("/question/password-cancelled", test_password_cancelled);
  g_test_add_func ("/question/no-listener", test_no_listener);
  g_test_add_func ("/question/several-passwords", test_several_passwords);
  g_test_add_func ("/question/open", test_open);
  g_test_add_func ("/question/too-large", test_too_large);
  g_test_add_func ("/question/ratio", test_ratio);
  g_test_add_func ("/question/cancel-while-asking", test_cancel_while_asking);
  g_test_add_func ("/question/early-answer", test_early_answer);
  g_test_add_func ("/question/test", test_test);
  g_test_add_func ("/question/read-entry", test_read_entry);
  return g_test_run ();
}
