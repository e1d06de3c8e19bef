/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Workers add to a report while others read it; its items are bounded and stay where they are. */

#include "hold-report.h"

#define N_THREADS 8
#define N_ADDED 3000

static gpointer
add_worker (gpointer data)
{
  HoldReport *report = data;
  g_autoptr (GError) error = g_error_new_literal (HOLD_ERROR, HOLD_ERROR_CORRUPT, "bad");

  for (guint i = 0; i < N_ADDED; i++)
    {
      hold_report_add (report, HOLD_OUTCOME_FAILED, "a/b", error);
      hold_report_add_done (report, 1, 10);
    }
  hold_report_unref (report);
  return NULL;
}

static void
test_threads (void)
{
  g_autoptr (HoldReport) report = hold_report_new ();
  g_autoptr (GError) first = g_error_new_literal (HOLD_ERROR, HOLD_ERROR_CHECKSUM, "first");
  GThread *threads[N_THREADS];

  hold_report_add (report, HOLD_OUTCOME_WARNING, NULL, first);
  const HoldReportItem *item = hold_report_get_item (report, 0);

  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("add", add_worker, hold_report_ref (report));
  for (guint i = 0; i < 1000; i++)
    {
      guint n = hold_report_get_n_items (report);
      g_assert_cmpstr (hold_report_get_item (report, n - 1)->error->message, !=, "");
    }
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);

  g_assert_cmpuint (hold_report_count (report, HOLD_OUTCOME_FAILED), ==, N_THREADS * N_ADDED);
  g_assert_cmpuint (hold_report_count (report, HOLD_OUTCOME_WARNING), ==, 1);
  g_assert_cmpuint (hold_report_count (report, HOLD_OUTCOME_SKIPPED), ==, 0);
  g_assert_cmpuint (hold_report_get_n_done (report), ==, N_THREADS * N_ADDED);
  g_assert_cmpuint (hold_report_get_bytes_done (report), ==, N_THREADS * N_ADDED * 10);
  g_assert_cmpuint (hold_report_get_n_items (report), ==, 10000);

  /* The item that was borrowed before all that. */
  g_assert_true (item == hold_report_get_item (report, 0));
  g_assert_cmpstr (item->error->message, ==, "first");
  g_assert_cmpstr (item->path, ==, "");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/report/threads", test_threads);
  return g_test_run ();
}
