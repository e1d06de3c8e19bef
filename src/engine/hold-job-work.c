/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What the body of a job calls from its worker and from compute threads: numbers, checkpoints,
 * questions. */

#include "hold-job-struct.h"

#include "hold-compute-private.h"
#include "hold-question-private.h"

/**
 * hold_job_set_phase:
 * @self: a job
 * @phase: what it is doing now
 *
 * Thread: its workers. Blocks: no.
 */
void
hold_job_set_phase (HoldJob *self, HoldPhase phase)
{
  HoldJobPrivate *priv = _hold_job_get_private (self);

  g_mutex_lock (&priv->lock);
  priv->progress.phase = phase;
  _hold_job_queue_progress (self, priv);
  g_mutex_unlock (&priv->lock);
}

/**
 * hold_job_set_totals:
 * @has_total: @bytes_total is known
 * @is_packed: bytes are counted in the archive's file
 * @bytes_total: bytes; below what is done already it is raised to that
 * @entries_total: number of entries
 *
 * Before the first byte, as far as the format allows. Thread: its workers. Blocks: no.
 */
void
hold_job_set_totals (HoldJob *self, gboolean has_total, gboolean is_packed, guint64 bytes_total,
                     guint entries_total)
{
  HoldJobPrivate *priv = _hold_job_get_private (self);

  g_mutex_lock (&priv->lock);
  priv->progress.has_total = has_total;
  priv->progress.is_packed = is_packed;
  priv->progress.bytes_total = MAX (bytes_total, priv->progress.bytes_done);
  priv->progress.entries_total = MAX (entries_total, priv->progress.entries_done);
  _hold_job_queue_progress (self, priv);
  g_mutex_unlock (&priv->lock);
}

/* @path: (nullable): UTF-8, copied. */
void
hold_job_set_current (HoldJob *self, const char *path)
{
  HoldJobPrivate *priv = _hold_job_get_private (self);
  char *copy = g_strdup (path);

  g_mutex_lock (&priv->lock);
  char *old = priv->progress.current;
  priv->progress.current = copy;
  _hold_job_queue_progress (self, priv);
  g_mutex_unlock (&priv->lock);
  g_free (old);
}

/* With the lock held: grows, and never over a total that is known. */
static void
raise_bytes (HoldJob *self, HoldJobPrivate *priv, guint64 bytes_done)
{
  if (priv->progress.has_total)
    bytes_done = MIN (bytes_done, priv->progress.bytes_total);
  if (bytes_done <= priv->progress.bytes_done)
    return;
  priv->progress.bytes_done = bytes_done;
  _hold_job_queue_progress (self, priv);
}

void
hold_job_add_bytes (HoldJob *self, guint64 n_bytes)
{
  HoldJobPrivate *priv = _hold_job_get_private (self);

  g_mutex_lock (&priv->lock);
  guint64 done = priv->progress.bytes_done;
  raise_bytes (self, priv, n_bytes > G_MAXUINT64 - done ? G_MAXUINT64 : done + n_bytes);
  g_mutex_unlock (&priv->lock);
}

void
hold_job_set_bytes (HoldJob *self, guint64 bytes_done)
{
  HoldJobPrivate *priv = _hold_job_get_private (self);

  g_mutex_lock (&priv->lock);
  raise_bytes (self, priv, bytes_done);
  g_mutex_unlock (&priv->lock);
}

void
hold_job_add_entries (HoldJob *self, guint n_entries)
{
  HoldJobPrivate *priv = _hold_job_get_private (self);

  g_mutex_lock (&priv->lock);
  guint left = priv->progress.entries_total > priv->progress.entries_done
                 ? priv->progress.entries_total - priv->progress.entries_done
                 : 0;
  priv->progress.entries_done += priv->progress.entries_total > 0 ? MIN (n_entries, left)
                                                                  : n_entries;
  _hold_job_queue_progress (self, priv);
  g_mutex_unlock (&priv->lock);
}

/* Standing still for a person must not keep others from working: whoever owns the thread lends
 * another one. */
static void
block (HoldJobPrivate *priv, int delta)
{
  if (!_hold_compute_block (delta) && priv->core != NULL)
    _hold_scheduler_core_block (priv->core, delta);
}

/**
 * hold_job_checkpoint:
 * @self: a job
 *
 * Thread: its workers; at least every 256 KiB. Blocks: while the job is paused.
 * Errors: G_IO_ERROR_CANCELLED.
 * Returns: TRUE: go on
 */
gboolean
hold_job_checkpoint (HoldJob *self, GError **error)
{
  HoldJobPrivate *priv = _hold_job_get_private (self);

  if (G_UNLIKELY (g_atomic_int_get (&priv->paused))
      && !g_cancellable_is_cancelled (priv->cancellable))
    {
      block (priv, 1);
      g_mutex_lock (&priv->lock);
      while (priv->paused && !g_cancellable_is_cancelled (priv->cancellable))
        g_cond_wait (&priv->wake, &priv->lock);
      g_mutex_unlock (&priv->lock);
      block (priv, -1);
    }
  return !g_cancellable_set_error_if_cancelled (priv->cancellable, error);
}

static void
show_question (HoldJob *self, HoldQuestion *question)
{
  HoldJobPrivate *priv = _hold_job_get_private (self);

  g_mutex_lock (&priv->lock);
  g_set_object (&priv->question, question);
  priv->state = question != NULL ? HOLD_JOB_ASKING : HOLD_JOB_RUNNING;
  _hold_job_queue_notify (self, priv);
  g_mutex_unlock (&priv->lock);
}

/**
 * hold_job_ask:
 * @self: a job
 * @question: what to ask; read its answer when this returns TRUE
 *
 * Thread: its workers; several queue here. Blocks: until answered or cancelled.
 * Errors: G_IO_ERROR_CANCELLED. Cancelling the question cancels the job.
 * Returns: TRUE: answered. FALSE without @error: nobody listens, the policy decides
 */
gboolean
hold_job_ask (HoldJob *self, HoldQuestion *question, GError **error)
{
  HoldJobPrivate *priv = _hold_job_get_private (self);
  HoldAnswer answer = HOLD_ANSWER_CANCELLED;

  if (!priv->interactive || priv->context == NULL)
    return FALSE;

  block (priv, 1);
  g_mutex_lock (&priv->ask_lock);
  if (!g_cancellable_is_cancelled (priv->cancellable))
    {
      show_question (self, question);
      answer = hold_question_wait (question, priv->cancellable);
      show_question (self, NULL);
    }
  g_mutex_unlock (&priv->ask_lock);
  block (priv, -1);

  if (answer == HOLD_ANSWER_GIVEN)
    return hold_job_checkpoint (self, error);

  hold_job_cancel (self);
  g_cancellable_set_error_if_cancelled (priv->cancellable, error);
  return FALSE;
}

gboolean
hold_job_is_interactive (HoldJob *self)
{
  return _hold_job_get_private (self)->interactive;
}

/* (nullable), borrowed; valid while the job runs. */
HoldCompute *
hold_job_get_compute (HoldJob *self)
{
  return _hold_job_get_private (self)->compute;
}

/* Borrowed; what backends are given. */
GCancellable *
_hold_job_get_cancellable (HoldJob *self)
{
  return _hold_job_get_private (self)->cancellable;
}
