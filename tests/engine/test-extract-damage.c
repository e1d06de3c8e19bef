/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What an extraction makes of archives that are damaged, and of a disk that is full. */

#include "test-job-helpers.h"

#include <glib/gstdio.h>
#include <string.h>

/* S06, F22, Z19: what is bad leaves nothing, what is good comes out, what was there stays. */
static void
test_damage (void)
{
  const char *how[] = { "archive\n", "archive sequential\n" };

  for (guint i = 0; i < G_N_ELEMENTS (how); i++)
    {
      JobFixture f;
      g_autoptr (HoldReport) report = NULL;
      g_autofree char *text = g_strconcat (
        how[i],
        "file bad/crc size=5000 fail=checksum\nfile endless size=1000 extra=900000000000\n"
        "file half size=600000 fail=corrupt at=300000\nfile old size=3 unreadable\nfile good "
        "size=9\n",
        NULL);

      job_fixture_set_up (&f, text);
      job_fixture_write (&f, "keep.txt", "mine");
      job_fixture_write (&f, "half", "mine too");

      HoldExtractRequest *request = job_fixture_new_request (&f);

      request->conflict = HOLD_CONFLICT_OVERWRITE;
      g_assert_cmpint (job_fixture_extract (&f, request, &report, NULL), ==, HOLD_JOB_DONE);
      job_fixture_assert_entry (&f, "good", "good", 9);
      job_fixture_assert_text (&f, "keep.txt", "mine");
      job_fixture_assert_text (&f, "half", "mine too");
      job_fixture_assert_none (&f, "bad/crc");
      job_fixture_assert_none (&f, "endless");
      assert_reported (report, "bad/crc", HOLD_OUTCOME_FAILED, HOLD_ERROR, HOLD_ERROR_CHECKSUM);
      assert_reported (report, "endless", HOLD_OUTCOME_FAILED, HOLD_ERROR, HOLD_ERROR_CORRUPT);
      assert_reported (report, "half", HOLD_OUTCOME_FAILED, HOLD_ERROR, HOLD_ERROR_CORRUPT);
      assert_reported (report, "old", HOLD_OUTCOME_FAILED, HOLD_ERROR, HOLD_ERROR_UNSUPPORTED);
      g_assert_cmpuint (hold_report_get_n_done (report), ==, 1);
      job_fixture_tear_down (&f);
    }
}

/* G06 */
static void
test_keep_damaged (void)
{
  JobFixture f;
  g_autoptr (HoldReport) report = NULL;

  job_fixture_set_up (
    &f,
    "archive sequential\nfile crc size=5000 fail=checksum\nfile half size=600000 fail=truncated "
    "at=300000\nfile never size=3\n");

  HoldExtractRequest *request = job_fixture_new_request (&f);

  request->keep_damaged = TRUE;
  g_assert_cmpint (job_fixture_extract (&f, request, &report, NULL), ==, HOLD_JOB_DONE);
  job_fixture_assert_tree (&f, "crc half");
  job_fixture_assert_entry (&f, "crc", "crc", 5000);
  job_fixture_assert_entry (&f, "half", "half", 300000);
  assert_reported (report, "crc", HOLD_OUTCOME_CHANGED, HOLD_ERROR, HOLD_ERROR_CHECKSUM);
  assert_reported (report, "half", HOLD_OUTCOME_CHANGED, HOLD_ERROR, HOLD_ERROR_TRUNCATED);
  assert_reported (report, "never", HOLD_OUTCOME_FAILED, HOLD_ERROR, HOLD_ERROR_TRUNCATED);
  job_fixture_tear_down (&f);
}

/* Nothing at all came out: the job fails with the first reason and takes its empty folders along.
 */
static void
test_nothing_done (void)
{
  JobFixture f;
  g_autoptr (HoldReport) report = NULL;
  g_autoptr (GError) error = NULL;

  job_fixture_set_up (&f, "folder d\nfile d/a size=10 fail=checksum\n");
  g_assert_cmpint (job_fixture_extract (&f, job_fixture_new_request (&f), &report, &error), ==,
                   HOLD_JOB_FAILED);
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_CHECKSUM);
  g_assert_false (g_file_test (f.dest, G_FILE_TEST_EXISTS));
  job_fixture_tear_down (&f);
}

/* A list that broke off is never a full success; a selection from its good part is. */
static void
test_broken_list (void)
{
  JobFixture f;
  g_autoptr (HoldReport) report = NULL, second = NULL;

  job_fixture_set_up (&f, "archive sequential broken=truncated\nfile a size=10\nfile b size=10\n");
  g_assert_cmpint (job_fixture_extract (&f, job_fixture_new_request (&f), &report, NULL), ==,
                   HOLD_JOB_DONE);
  job_fixture_assert_tree (&f, "a b");
  assert_reported (report, "", HOLD_OUTCOME_FAILED, HOLD_ERROR, HOLD_ERROR_TRUNCATED);

  HoldExtractRequest *request = job_fixture_new_request (&f);
  guint index = 1;

  request->indices = g_array_new (FALSE, FALSE, sizeof (guint));
  request->conflict = HOLD_CONFLICT_OVERWRITE;
  g_array_append_val (request->indices, index);
  g_assert_cmpint (job_fixture_extract (&f, request, &second, NULL), ==, HOLD_JOB_DONE);
  g_assert_cmpuint (hold_report_get_n_items (second), ==, 0);
  job_fixture_tear_down (&f);
}

/* W10 */
static void
test_changed_on_disk (void)
{
  JobFixture f;
  g_autoptr (GError) replaced = NULL, moved = NULL;

  job_fixture_set_up (&f, "file a size=10\n");
  g_assert_true (g_file_set_contents (hold_archive_get_path (f.archive), "other", -1, NULL));
  g_assert_cmpint (job_fixture_extract (&f, job_fixture_new_request (&f), NULL, &replaced), ==,
                   HOLD_JOB_FAILED);
  g_assert_error (replaced, HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK);
  g_assert_cmpint (g_unlink (hold_archive_get_path (f.archive)), ==, 0);
  g_assert_cmpint (job_fixture_extract (&f, job_fixture_new_request (&f), NULL, &moved), ==,
                   HOLD_JOB_FAILED);
  g_assert_nonnull (moved);
  g_assert_false (g_file_test (f.dest, G_FILE_TEST_EXISTS));
  job_fixture_tear_down (&f);
}

/* Space: said before a byte is written, with the disk and the number. */
static void
test_no_space (void)
{
  JobFixture f;
  g_autoptr (GError) error = NULL;

  job_fixture_set_up (&f, "file a size=4000000000000000000\nfile b size=4000000000000000000\n"
                          "file c size=18000000000000000000\n");
  g_assert_cmpint (job_fixture_extract (&f, job_fixture_new_request (&f), NULL, &error), ==,
                   HOLD_JOB_FAILED);
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_TOO_LARGE);
  g_assert_nonnull (strstr (error->message, "out"));
  g_assert_cmpuint (hold_fake_get_n_reads (f.fake), ==, 0);
  g_assert_false (g_file_test (f.dest, G_FILE_TEST_EXISTS));
  job_fixture_tear_down (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/extract-damage/damage", test_damage);
  g_test_add_func ("/extract-damage/keep-damaged", test_keep_damaged);
  g_test_add_func ("/extract-damage/nothing-done", test_nothing_done);
  g_test_add_func ("/extract-damage/broken-list", test_broken_list);
  g_test_add_func ("/extract-damage/changed-on-disk", test_changed_on_disk);
  g_test_add_func ("/extract-damage/no-space", test_no_space);
  return g_test_run ();
}
