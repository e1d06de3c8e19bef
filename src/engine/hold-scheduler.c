/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Decides which queued job may start: readers of one archive share it, a writer waits for them and
 * keeps later ones out. Jobs that may not start hold no thread. */

#include "hold-scheduler-private.h"

#include "hold-compute-private.h"
#include "hold-lent-file.h"

#include <stdlib.h>
#include <sys/stat.h>

/* One job in the queue or at work. An archive is known by where it lies and by what it is: a path
 * may be written in several ways, and a rewrite gives the path a new inode. */
typedef struct
{
  HoldJob *job; /* borrowed from the list of live jobs, which forgets it last */
  HoldAccess access;
  char *path;
  gboolean has_inode;
  dev_t device;
  ino_t inode;
  GPtrArray *absorbed; /* (nullable): jobs that are done together with this one; borrowed like it */
} Ticket;

struct _HoldSchedulerCore
{
  GMutex lock;
  GThreadPool *pool; /* NULL: closing, nothing starts any more */
  guint n_slots;
  guint n_blocked;
  GQueue waiting; /* Ticket, oldest first */
  GQueue ready; /* Ticket, running but without a thread yet */
  gboolean lacks_threads; /* something is in the pool that no thread came for */
  GPtrArray *running; /* Ticket */
  GPtrArray *live; /* HoldJob, until "finished" is out */
};

struct _HoldScheduler
{
  HoldSchedulerCore *core;
  HoldCompute *compute;
};

static void
ticket_free (gpointer data)
{
  Ticket *ticket = data;

  g_clear_pointer (&ticket->absorbed, g_ptr_array_unref);
  g_free (ticket->path);
  g_free (ticket);
}

static Ticket *
ticket_new (HoldJob *job)
{
  HoldJobClass *klass = HOLD_JOB_GET_CLASS (job);
  Ticket *ticket = g_new0 (Ticket, 1);
  const char *path = NULL;

  ticket->job = job;
  ticket->access = klass->get_access != NULL ? klass->get_access (job, &path) : HOLD_ACCESS_NONE;
  if (path == NULL || ticket->access == HOLD_ACCESS_NONE)
    {
      ticket->access = HOLD_ACCESS_NONE;
      return ticket;
    }

  struct stat info;
  char *real = realpath (path, NULL);

  ticket->path = g_strdup (real != NULL ? real : path);
  free (real);
  if (stat (path, &info) == 0)
    {
      ticket->has_inode = TRUE;
      ticket->device = info.st_dev;
      ticket->inode = info.st_ino;
    }
  return ticket;
}

static gboolean
same_archive (const Ticket *a, const Ticket *b)
{
  if (a->access == HOLD_ACCESS_NONE || b->access == HOLD_ACCESS_NONE)
    return FALSE;
  if (a->has_inode && b->has_inode && a->device == b->device && a->inode == b->inode)
    return TRUE;
  return g_str_equal (a->path, b->path);
}

/* Is there one in @tickets beside which @ticket may not run? */
static gboolean
is_kept_out (GPtrArray *tickets, const Ticket *ticket)
{
  for (guint i = 0; i < tickets->len; i++)
    {
      const Ticket *other = g_ptr_array_index (tickets, i);

      if ((ticket->access == HOLD_ACCESS_WRITE || other->access == HOLD_ACCESS_WRITE)
          && same_archive (ticket, other))
        return TRUE;
    }
  return FALSE;
}

/* Remembers a waiting ticket, unless an older one keeps out at least as much: so that a thousand
 * edits of one archive are compared with one ticket and not with each other. */
static void
add_older (GPtrArray *older, Ticket *ticket)
{
  if (ticket->access == HOLD_ACCESS_NONE)
    return;
  for (guint i = 0; i < older->len; i++)
    {
      const Ticket *other = g_ptr_array_index (older, i);

      if (other->access >= ticket->access && same_archive (ticket, other)
          && g_str_equal (ticket->path, other->path))
        return;
    }
  g_ptr_array_add (older, ticket);
}

/* Lets a writer that starts take along the writers that wait for the same archive, up to the first
 * job that must see the archive in between. With the lock held. */
static void
absorb (HoldSchedulerCore *self, Ticket *ticket, GList *link)
{
  HoldJobClass *klass = HOLD_JOB_GET_CLASS (ticket->job);

  if (ticket->access != HOLD_ACCESS_WRITE || klass->absorb == NULL)
    return;

  for (GList *next; link != NULL; link = next)
    {
      Ticket *other = link->data;

      next = link->next;
      if (!same_archive (ticket, other))
        continue;
      if (other->access != HOLD_ACCESS_WRITE || !_hold_job_claim (other->job))
        return;
      if (!klass->absorb (ticket->job, other->job))
        {
          _hold_job_unclaim (other->job);
          return;
        }
      if (ticket->absorbed == NULL)
        ticket->absorbed = g_ptr_array_new ();
      g_ptr_array_add (ticket->absorbed, other->job);
      g_queue_delete_link (&self->waiting, link);
      ticket_free (other);
    }
}

/* With the lock held. */
static void
end_ticket (HoldSchedulerCore *self, Ticket *ticket)
{
  GPtrArray *absorbed = ticket->absorbed;

  for (guint i = 0; absorbed != NULL && i < absorbed->len; i++)
    {
      _hold_job_end_like (g_ptr_array_index (absorbed, i), ticket->job);
      _hold_job_post_finish (g_ptr_array_index (absorbed, i));
    }
  _hold_job_post_finish (ticket->job);
  g_ptr_array_remove_fast (self->running, ticket);
}

/* With the lock held. A push that fails has not started a thread, but one that is at work takes what stands in
 * the queue. Without any, the job would wait for ever. */
static void
start (HoldSchedulerCore *self, Ticket *ticket)
{
  g_autoptr (GError) failure = NULL;

  g_ptr_array_add (self->running, ticket);
  g_queue_push_tail (&self->ready, ticket);
  if (g_thread_pool_push (self->pool, self, &failure) || g_thread_pool_get_num_threads (self->pool) > 0
      || !g_queue_remove (&self->ready, ticket))
    return;

  self->lacks_threads = TRUE;
  _hold_job_fail (ticket->job, g_steal_pointer (&failure));
  end_ticket (self, ticket);
}

/* With the lock held. */
static void
pump (HoldSchedulerCore *self)
{
  g_autoptr (GPtrArray) older = g_ptr_array_new ();

  for (GList *link = self->waiting.head, *next; link != NULL; link = next)
    {
      Ticket *ticket = link->data;

      next = link->next;
      if (self->pool == NULL || self->running->len >= self->n_slots + self->n_blocked)
        return;
      if (is_kept_out (self->running, ticket) || is_kept_out (older, ticket))
        {
          add_older (older, ticket);
          continue;
        }

      g_queue_delete_link (&self->waiting, link);
      if (!_hold_job_claim (ticket->job))
        {
          ticket_free (ticket);
          continue;
        }
      absorb (self, ticket, next);
      next = self->waiting.head;
      g_ptr_array_set_size (older, 0);
      start (self, ticket);
    }
}

static void
job_worker (gpointer data, gpointer user_data)
{
  HoldSchedulerCore *self = user_data;
  g_autoptr (GPtrArray) absorbed = NULL;

  g_mutex_lock (&self->lock);
  Ticket *ticket = g_queue_pop_head (&self->ready);
  g_mutex_unlock (&self->lock);
  /* What was failed for want of a thread is still in the pool. */
  if (ticket == NULL)
    return;

  HoldJob *job = ticket->job;

  if (ticket->absorbed != NULL)
    absorbed = g_ptr_array_ref (ticket->absorbed);
  hold_lent_files_begin_job ();
  _hold_job_execute (job);
  hold_lent_files_end_job ();
  for (guint i = 0; absorbed != NULL && i < absorbed->len; i++)
    _hold_job_end_like (g_ptr_array_index (absorbed, i), job);

  /* The archive is free again before anybody hears that the job is over. */
  g_mutex_lock (&self->lock);
  g_ptr_array_remove_fast (self->running, ticket);
  pump (self);
  gboolean is_last = self->running->len == 0;
  g_mutex_unlock (&self->lock);

  /* What windows show keeps no disk busy. */
  if (is_last)
    hold_lent_files_rest (TRUE);

  for (guint i = 0; absorbed != NULL && i < absorbed->len; i++)
    _hold_job_post_finish (g_ptr_array_index (absorbed, i));
  _hold_job_post_finish (job);
}

static void
core_clear (gpointer data)
{
  HoldSchedulerCore *self = data;

  g_queue_clear_full (&self->waiting, ticket_free);
  g_ptr_array_unref (self->running);
  g_ptr_array_unref (self->live);
  g_mutex_clear (&self->lock);
}

HoldSchedulerCore *
_hold_scheduler_core_ref (HoldSchedulerCore *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
_hold_scheduler_core_unref (HoldSchedulerCore *self)
{
  g_atomic_rc_box_release_full (self, core_clear);
}

/* A cancelled ticket must not keep others out, and it must not be claimed: out with it. */
void
_hold_scheduler_core_wake (HoldSchedulerCore *self)
{
  g_mutex_lock (&self->lock);
  for (GList *link = self->waiting.head, *next; link != NULL; link = next)
    {
      Ticket *ticket = link->data;

      next = link->next;
      if (_hold_job_is_over (ticket->job))
        {
          ticket_free (ticket);
          g_queue_delete_link (&self->waiting, link);
        }
    }
  pump (self);
  g_mutex_unlock (&self->lock);
}

void
_hold_scheduler_core_forget (HoldSchedulerCore *self, HoldJob *job)
{
  guint position;
  HoldJob *owned = NULL;

  g_mutex_lock (&self->lock);
  if (g_ptr_array_find (self->live, job, &position))
    owned = g_ptr_array_steal_index_fast (self->live, position);
  g_mutex_unlock (&self->lock);

  g_clear_object (&owned);
}

void
_hold_scheduler_core_block (HoldSchedulerCore *self, int delta)
{
  g_mutex_lock (&self->lock);
  self->n_blocked = (guint) ((int) self->n_blocked + delta);
  pump (self);
  g_mutex_unlock (&self->lock);
}

/**
 * hold_scheduler_new:
 * @n_jobs: how many jobs run at once, at least 1; those that stand still for a person do not count
 * @n_compute: threads for per-entry work; 0: one per core
 *
 * Thread: main. Blocks: no.
 * Returns: (transfer full)
 */
HoldScheduler *
hold_scheduler_new (guint n_jobs, guint n_compute)
{
  HoldScheduler *self = g_new0 (HoldScheduler, 1);
  HoldSchedulerCore *core = g_atomic_rc_box_new0 (HoldSchedulerCore);

  g_mutex_init (&core->lock);
  g_queue_init (&core->waiting);
  g_queue_init (&core->ready);
  core->n_slots = MAX (n_jobs, 1);
  core->running = g_ptr_array_new_with_free_func (ticket_free);
  core->live = g_ptr_array_new_with_free_func (g_object_unref);
  /* No bound of its own: pump() hands out as many as may run. */
  core->pool = g_thread_pool_new (job_worker, core, -1, FALSE, NULL);

  self->core = core;
  self->compute = _hold_compute_new (n_compute != 0 ? n_compute : g_get_num_processors ());
  return self;
}

/**
 * hold_scheduler_free:
 * @self: (transfer full)
 *
 * Cancels every job, waits for the workers to notice and delivers what is still to be told.
 *
 * Thread: main. Blocks: until the last worker is out, normally below 200 ms.
 */
void
hold_scheduler_free (HoldScheduler *self)
{
  if (self == NULL)
    return;

  HoldSchedulerCore *core = self->core;
  g_autoptr (GPtrArray) live = g_ptr_array_new_with_free_func (g_object_unref);

  g_mutex_lock (&core->lock);
  GThreadPool *pool = g_steal_pointer (&core->pool);
  gboolean lacks_threads = core->lacks_threads && g_queue_is_empty (&core->ready);
  for (guint i = 0; i < core->live->len; i++)
    g_ptr_array_add (live, g_object_ref (g_ptr_array_index (core->live, i)));
  g_mutex_unlock (&core->lock);

  for (guint i = 0; i < live->len; i++)
    hold_job_cancel (g_ptr_array_index (live, i));
  /* Nobody would come for what no thread came for. */
  g_thread_pool_free (pool, lacks_threads, TRUE);
  _hold_compute_free (self->compute);
  for (guint i = 0; i < live->len; i++)
    _hold_job_deliver (g_ptr_array_index (live, i));

  _hold_scheduler_core_unref (core);
  g_free (self);
}

/**
 * hold_scheduler_submit:
 * @self: the scheduler
 * @job: a job that was not submitted before; a reference is held until "finished"
 *
 * Thread: any that has a main context; all of @job's notifications come to its thread-default one.
 * Blocks: one look at the archive's file.
 */
void
hold_scheduler_submit (HoldScheduler *self, HoldJob *job)
{
  g_return_if_fail (HOLD_IS_JOB (job));

  HoldSchedulerCore *core = self->core;
  gboolean is_first_time = _hold_job_prepare (job, core, self->compute);

  g_return_if_fail (is_first_time);

  Ticket *ticket = ticket_new (job);

  g_mutex_lock (&core->lock);
  g_ptr_array_add (core->live, g_object_ref (job));
  g_queue_push_tail (&core->waiting, ticket);
  pump (core);
  g_mutex_unlock (&core->lock);
}

guint
hold_scheduler_get_n_compute (HoldScheduler *self)
{
  return hold_compute_get_n_workers (self->compute);
}

/**
 * hold_scheduler_run:
 * @self: the scheduler
 * @job: a job that was not submitted before; the caller keeps a reference
 *
 * Thread: one that may iterate its thread-default main context. Blocks: until "finished".
 */
void
hold_scheduler_run (HoldScheduler *self, HoldJob *job)
{
  g_autoptr (GMainContext) context = g_main_context_ref_thread_default ();

  hold_scheduler_submit (self, job);
  while (!hold_job_is_finished (job))
    g_main_context_iteration (context, TRUE);
}
