/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The pool for the per-entry work inside jobs. Units are handed out by an atomic counter, so a
 * thousand small files cost a thousand additions, not a thousand queue operations. */

#include "hold-compute-private.h"

struct _HoldCompute
{
  GThreadPool *pool;
  guint n_workers;
  GMutex lock;
  guint n_blocked; /* threads that wait for a person; as many more may run */
};

/* One hold_compute_for_each(). Helpers that the pool starts late find it closed and only drop their
 * reference. */
typedef struct
{
  HoldCompute *compute;
  HoldComputeFunc func;
  gpointer user_data;
  guint n_units;
  guint next_unit; /* atomic */
  guint next_worker; /* atomic */
  int stopped; /* atomic */

  GMutex lock;
  GCond idle;
  gboolean closed;
  guint n_active;
  GError *error;
} Call;

static GPrivate current_compute = G_PRIVATE_INIT (NULL);

static void
call_clear (gpointer data)
{
  Call *call = data;

  g_clear_error (&call->error);
  g_cond_clear (&call->idle);
  g_mutex_clear (&call->lock);
}

static void
call_unref (gpointer call)
{
  g_atomic_rc_box_release_full (call, call_clear);
}

static void
call_work (Call *call)
{
  guint worker = (guint) g_atomic_int_add ((int *) &call->next_worker, 1);

  while (!g_atomic_int_get (&call->stopped))
    {
      guint unit = (guint) g_atomic_int_add ((int *) &call->next_unit, 1);
      g_autoptr (GError) error = NULL;

      if (unit >= call->n_units)
        break;
      if (call->func (call->user_data, unit, worker, &error))
        continue;

      g_atomic_int_set (&call->stopped, TRUE);
      g_mutex_lock (&call->lock);
      if (call->error == NULL)
        call->error = g_steal_pointer (&error);
      g_mutex_unlock (&call->lock);
    }
}

static void
helper_worker (gpointer data, gpointer user_data)
{
  Call *call = data;

  g_mutex_lock (&call->lock);
  gboolean closed = call->closed;
  if (!closed)
    call->n_active++;
  g_mutex_unlock (&call->lock);

  if (!closed)
    {
      g_private_set (&current_compute, user_data);
      call_work (call);
      g_private_set (&current_compute, NULL);

      g_mutex_lock (&call->lock);
      if (--call->n_active == 0)
        g_cond_signal (&call->idle);
      g_mutex_unlock (&call->lock);
    }
  call_unref (call);
}

/**
 * _hold_compute_new:
 * @n_workers: how many units of one call run at once, at least 1; the thread that calls is one of
 * them
 *
 * Thread: main. Blocks: no.
 * Returns: (transfer full)
 */
HoldCompute *
_hold_compute_new (guint n_workers)
{
  HoldCompute *self = g_new0 (HoldCompute, 1);

  self->n_workers = MAX (n_workers, 1);
  g_mutex_init (&self->lock);
  /* A pool that shares threads fails only to start them, and then it does so again at the next
   * push. */
  self->pool = g_thread_pool_new_full (helper_worker, self, call_unref, (int) self->n_workers, FALSE, NULL);
  return self;
}

/* Waits for the helpers that are at work. Those that no thread came for are dropped: their calls are over, and
 * where no thread can be started none would ever come. */
void
_hold_compute_free (HoldCompute *self)
{
  g_thread_pool_free (self->pool, TRUE, TRUE);
  g_mutex_clear (&self->lock);
  g_free (self);
}

gboolean
_hold_compute_block (int delta)
{
  HoldCompute *self = g_private_get (&current_compute);

  if (self == NULL)
    return FALSE;

  g_mutex_lock (&self->lock);
  self->n_blocked = (guint) ((int) self->n_blocked + delta);
  g_thread_pool_set_max_threads (self->pool, (int) (self->n_workers + self->n_blocked), NULL);
  g_mutex_unlock (&self->lock);
  return TRUE;
}

/**
 * hold_compute_get_n_workers:
 * @self: (nullable): the pool
 *
 * Thread: any. Blocks: no.
 * Returns: how many @worker numbers one hold_compute_for_each() may see
 */
guint
hold_compute_get_n_workers (HoldCompute *self)
{
  return self != NULL ? self->n_workers : 1;
}

/**
 * hold_compute_for_each:
 * @self: (nullable): the pool; NULL: the calling thread does all
 * @n_units: number of units, below 2^31
 * @func: one unit
 *
 * The calling thread works too, so a call makes headway even while every thread of the pool serves
 * another job.
 *
 * Thread: a job worker. Blocks: until all units that were started are over. Errors: the first one
 * of @func.
 */
gboolean
hold_compute_for_each (HoldCompute *self, guint n_units, HoldComputeFunc func, gpointer user_data,
                       GError **error)
{
  g_return_val_if_fail (n_units < G_MAXINT, FALSE);

  Call *call = g_atomic_rc_box_new0 (Call);

  call->compute = self;
  call->func = func;
  call->user_data = user_data;
  call->n_units = n_units;
  g_mutex_init (&call->lock);
  g_cond_init (&call->idle);

  guint n_helpers = self == NULL || n_units == 0 ? 0 : MIN (self->n_workers, n_units) - 1;

  /* A failed push means that no thread could be started now; the work stays queued and the caller
   * does it. */
  for (guint i = 0; i < n_helpers; i++)
    g_thread_pool_push (self->pool, g_atomic_rc_box_acquire (call), NULL);

  call_work (call);

  g_mutex_lock (&call->lock);
  call->closed = TRUE;
  while (call->n_active > 0)
    g_cond_wait (&call->idle, &call->lock);
  GError *failure = g_steal_pointer (&call->error);
  g_mutex_unlock (&call->lock);

  call_unref (call);
  if (failure != NULL)
    {
      g_propagate_error (error, failure);
      return FALSE;
    }
  return TRUE;
}
