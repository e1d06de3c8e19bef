/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The pool for the work inside jobs: each unit once, the first error, and an end that loses
 * nothing, even when helpers come too late. */

#include "hold-compute-private.h"

enum
{
  N_UNITS = 1000,
  N_WORKERS = 7,
};

typedef struct
{
  int seen[N_UNITS]; /* atomic */
  int working[N_WORKERS]; /* atomic: at most one thread per number at once */
  guint fails_at; /* N_UNITS: never */
} Units;

static gboolean
unit (gpointer user_data, guint index, guint worker, GError **error)
{
  Units *units = user_data;

  g_assert_cmpuint (worker, <, N_WORKERS);
  g_assert_cmpint (g_atomic_int_add (&units->working[worker], 1), ==, 0);
  g_atomic_int_inc (&units->seen[index]);
  g_atomic_int_add (&units->working[worker], -1);
  if (index < units->fails_at)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "unit %u", index);
  return FALSE;
}

static void
assert_each_once (const Units *units)
{
  for (guint i = 0; i < N_UNITS; i++)
    g_assert_cmpint (units->seen[i], ==, 1);
}

static void
test_each_once (void)
{
  HoldCompute *pools[] = { NULL, _hold_compute_new (1), _hold_compute_new (N_WORKERS) };

  for (guint i = 0; i < G_N_ELEMENTS (pools); i++)
    {
      Units units = { .fails_at = N_UNITS };
      g_autoptr (GError) error = NULL;

      g_assert_true (hold_compute_for_each (pools[i], N_UNITS, unit, &units, &error));
      g_assert_no_error (error);
      assert_each_once (&units);
      g_assert_true (hold_compute_for_each (pools[i], 0, unit, &units, &error));
      if (pools[i] != NULL)
        _hold_compute_free (pools[i]);
    }
}

/* What has begun is finished, what has not is left alone. */
static void
test_error (void)
{
  HoldCompute *pools[] = { NULL, _hold_compute_new (N_WORKERS) };

  for (guint i = 0; i < G_N_ELEMENTS (pools); i++)
    {
      Units units = { .fails_at = 10 };
      g_autoptr (GError) error = NULL;

      g_assert_false (hold_compute_for_each (pools[i], N_UNITS, unit, &units, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
      for (guint j = 0; j < 10; j++)
        g_assert_cmpint (units.seen[j], ==, 1);
      g_assert_cmpint (units.seen[N_UNITS - 1], ==, 0);
      for (guint j = 0; j < N_WORKERS; j++)
        g_assert_cmpint (units.working[j], ==, 0);
      if (pools[i] != NULL)
        _hold_compute_free (pools[i]);
    }
}

static gpointer
caller (gpointer data)
{
  for (guint i = 0; i < 50; i++)
    {
      Units units = { .fails_at = N_UNITS };

      g_assert_true (hold_compute_for_each (data, N_UNITS, unit, &units, NULL));
      assert_each_once (&units);
    }
  return NULL;
}

/* Jobs beside each other share the helpers, and none takes another's units. */
static void
test_shared (void)
{
  HoldCompute *pool = _hold_compute_new (N_WORKERS);
  GThread *threads[3];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("caller", caller, pool);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  _hold_compute_free (pool);
}

static gboolean
nothing (gpointer user_data, guint index, guint worker, GError **error)
{
  return TRUE;
}

/* The work is over before its helpers wake, and then the pool goes. With a leak checker this fails
 * if anything hangs on a helper that never came. */
static void
test_late_helpers (void)
{
  for (guint i = 0; i < 2000; i++)
    {
      HoldCompute *pool = _hold_compute_new (N_WORKERS);

      g_assert_true (hold_compute_for_each (pool, N_WORKERS, nothing, NULL, NULL));
      g_assert_true (hold_compute_for_each (pool, 2, nothing, NULL, NULL));
      _hold_compute_free (pool);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/compute/each-once", test_each_once);
  g_test_add_func ("/compute/error", test_error);
  g_test_add_func ("/compute/shared", test_shared);
  g_test_add_func ("/compute/late-helpers", test_late_helpers);
  return g_test_run ();
}
