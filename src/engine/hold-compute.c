/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The pool for the per-entry work inside jobs. Units are handed out by an atomic counter, so a
 * thousand small files cost a thousand additions, not a thousand queue operations. The offers to
 * help stand in a queue of ours, and what the pool carries are mere tokens: a pool that is freed may
 * drop a task without telling anyone (g_thread_pool_free() while a thread wakes up). */

#include "hold-compute-private.h"

struct _HoldCompute
{
  GThreadPool *pool;
  guint n_workers;
  GMutex lock; /* for all below, and for each call's n_active */
  GQueue offers; /* of Call: once for each helper that has not come yet */
  guint n_blocked; /* threads that wait for a person; as many more may run */
};

/* One hold_compute_for_each(), on the stack of its caller. */
typedef struct
{
  HoldComputeFunc func;
  gpointer user_data;
  guint n_units;
  guint next_unit; /* atomic */
  guint next_worker; /* atomic */
  int stopped; /* atomic */

  guint n_active; /* helpers that are at work */
  GCond idle; /* none is */
  GMutex error_lock;
  GError *error;
} Call;

static GPrivate current_compute = G_PRIVATE_INIT (NULL);

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
      g_mutex_lock (&call->error_lock);
      if (call->error == NULL)
        call->error = g_steal_pointer (&error);
      g_mutex_unlock (&call->error_lock);
    }
}

/* @token stands for one offer; that offer's call may be over by now. */
static void
helper_worker (gpointer token, gpointer user_data)
{
  HoldCompute *self = user_data;

  g_mutex_lock (&self->lock);
  Call *call = g_queue_pop_head (&self->offers);
  if (call != NULL)
    call->n_active++;
  g_mutex_unlock (&self->lock);
  if (call == NULL)
    return;

  g_private_set (&current_compute, self);
  call_work (call);
  g_private_set (&current_compute, NULL);

  g_mutex_lock (&self->lock);
  if (--call->n_active == 0)
    g_cond_signal (&call->idle);
  g_mutex_unlock (&self->lock);
}

/* A failed push means that no thread could be started now; the offer stays, and the caller does the
 * work. */
static void
offer (HoldCompute *self, Call *call, guint n_helpers)
{
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < n_helpers; i++)
    g_queue_push_tail (&self->offers, call);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < n_helpers; i++)
    g_thread_pool_push (self->pool, self, NULL);
}

/* Nobody knows of @call when this returns. */
static void
withdraw (HoldCompute *self, Call *call)
{
  g_mutex_lock (&self->lock);
  g_queue_remove_all (&self->offers, call);
  while (call->n_active > 0)
    g_cond_wait (&call->idle, &self->lock);
  g_mutex_unlock (&self->lock);
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
  g_queue_init (&self->offers);
  /* A pool that shares threads fails only to start them, and then it does so again at the next
   * push. */
  self->pool = g_thread_pool_new (helper_worker, self, (int) self->n_workers, FALSE, NULL);
  return self;
}

/* Waits for the helpers that are at work. Tokens that no thread came for are dropped: their calls are
 * over, and where no thread can be started none would ever come. */
void
_hold_compute_free (HoldCompute *self)
{
  g_thread_pool_free (self->pool, TRUE, TRUE);
  g_assert (g_queue_is_empty (&self->offers));
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

  Call call = { .func = func, .user_data = user_data, .n_units = n_units };
  guint n_helpers = self == NULL || n_units == 0 ? 0 : MIN (self->n_workers, n_units) - 1;

  g_mutex_init (&call.error_lock);
  g_cond_init (&call.idle);

  if (n_helpers > 0)
    offer (self, &call, n_helpers);
  call_work (&call);
  if (n_helpers > 0)
    withdraw (self, &call);

  g_cond_clear (&call.idle);
  g_mutex_clear (&call.error_lock);
  if (call.error != NULL)
    {
      g_propagate_error (error, call.error);
      return FALSE;
    }
  return TRUE;
}
