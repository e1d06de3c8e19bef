/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The life of a job: workers write numbers and states behind a lock and attach at most one source
 * of each kind to the context of the submitter; only that context's thread emits anything. */

#include "hold-job-struct.h"

#define PROGRESS_INTERVAL_MS 100

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (HoldJob, hold_job, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_STATE,
  PROP_QUESTION,
  PROP_PAUSED,
  N_PROPS
};
enum
{
  SIGNAL_PROGRESS,
  SIGNAL_FINISHED,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];
static int last_id;

HoldJobPrivate *
_hold_job_get_private (HoldJob *self)
{
  return hold_job_get_instance_private (self);
}

static gboolean
is_final (HoldJobState state)
{
  return state == HOLD_JOB_DONE || state == HOLD_JOB_FAILED || state == HOLD_JOB_CANCELLED;
}

static void
hold_job_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  HoldJob *self = HOLD_JOB (object);

  switch (prop_id)
    {
    case PROP_STATE:
      g_value_set_int (value, (int) hold_job_get_state (self));
      break;
    case PROP_QUESTION:
      g_value_set_object (value, hold_job_get_question (self));
      break;
    case PROP_PAUSED:
      g_value_set_boolean (value, hold_job_get_paused (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
hold_job_set_property (GObject *object, guint prop_id, const GValue *value, GParamSpec *pspec)
{
  switch (prop_id)
    {
    case PROP_PAUSED:
      hold_job_set_paused (HOLD_JOB (object), g_value_get_boolean (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
hold_job_finalize (GObject *object)
{
  HoldJobPrivate *priv = hold_job_get_instance_private (HOLD_JOB (object));

  g_clear_object (&priv->cancellable);
  g_clear_object (&priv->question);
  g_clear_object (&priv->shown_question);
  g_clear_pointer (&priv->report, hold_report_unref);
  g_clear_pointer (&priv->context, g_main_context_unref);
  g_clear_pointer (&priv->core, _hold_scheduler_core_unref);
  g_clear_pointer (&priv->notify_source, g_source_unref);
  g_clear_pointer (&priv->progress_source, g_source_unref);
  g_clear_pointer (&priv->finish_source, g_source_unref);
  g_clear_error (&priv->error);
  hold_progress_clear (&priv->progress);
  g_mutex_clear (&priv->ask_lock);
  g_cond_clear (&priv->wake);
  g_mutex_clear (&priv->lock);

  G_OBJECT_CLASS (hold_job_parent_class)->finalize (object);
}

static void
hold_job_class_init (HoldJobClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = hold_job_get_property;
  object_class->set_property = hold_job_set_property;
  object_class->finalize = hold_job_finalize;

  properties[PROP_STATE] = g_param_spec_int (
    "state", NULL, NULL, HOLD_JOB_QUEUED, HOLD_JOB_CANCELLED, HOLD_JOB_QUEUED,
    G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  properties[PROP_QUESTION] = g_param_spec_object ("question", NULL, NULL, HOLD_TYPE_QUESTION,
                                                   G_PARAM_READABLE | G_PARAM_STATIC_STRINGS
                                                     | G_PARAM_EXPLICIT_NOTIFY);
  properties[PROP_PAUSED] = g_param_spec_boolean ("paused", NULL, NULL, FALSE,
                                                  G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
                                                    | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  signals[SIGNAL_PROGRESS] = g_signal_new ("progress", HOLD_TYPE_JOB, G_SIGNAL_RUN_LAST, 0, NULL,
                                           NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_FINISHED] = g_signal_new ("finished", HOLD_TYPE_JOB, G_SIGNAL_RUN_LAST, 0, NULL,
                                           NULL, NULL, G_TYPE_NONE, 0);
}

static void
hold_job_init (HoldJob *self)
{
  HoldJobPrivate *priv = hold_job_get_instance_private (self);

  priv->id = (guint) g_atomic_int_add (&last_id, 1) + 1;
  priv->cancellable = g_cancellable_new ();
  priv->report = hold_report_new ();
  g_mutex_init (&priv->lock);
  g_mutex_init (&priv->ask_lock);
  g_cond_init (&priv->wake);
}

/* Main thread */

static gboolean
notify_cb (gpointer user_data)
{
  HoldJob *self = user_data;
  HoldJobPrivate *priv = hold_job_get_instance_private (self);

  g_mutex_lock (&priv->lock);
  g_autoptr (GSource) source = g_steal_pointer (&priv->notify_source);
  HoldJobState state = priv->state;
  g_autoptr (HoldQuestion) question = priv->question != NULL ? g_object_ref (priv->question) : NULL;
  g_mutex_unlock (&priv->lock);

  /* The end has a source of its own, which also says "finished". */
  if (is_final (state))
    return G_SOURCE_REMOVE;

  gboolean state_changed = state != priv->shown_state;
  gboolean question_changed = question != priv->shown_question;

  /* Both are set before either is told, so that a listener to one sees the other. */
  priv->shown_state = state;
  g_set_object (&priv->shown_question, question);
  if (state_changed)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
  if (question_changed)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_QUESTION]);
  return G_SOURCE_REMOVE;
}

static gboolean
progress_cb (gpointer user_data)
{
  HoldJob *self = user_data;
  HoldJobPrivate *priv = hold_job_get_instance_private (self);

  g_mutex_lock (&priv->lock);
  g_autoptr (GSource) source = g_steal_pointer (&priv->progress_source);
  g_mutex_unlock (&priv->lock);

  g_signal_emit (self, signals[SIGNAL_PROGRESS], 0);
  return G_SOURCE_REMOVE;
}

/* Destroying a source may drop the last reference but the caller's: never do it with the lock held.
 */
static void
drop_source (GSource *source)
{
  if (source != NULL)
    {
      g_source_destroy (source);
      g_source_unref (source);
    }
}

static gboolean
finish_cb (gpointer user_data)
{
  HoldJob *self = user_data;
  HoldJobPrivate *priv = hold_job_get_instance_private (self);

  g_mutex_lock (&priv->lock);
  GSource *sources[] = {
    g_steal_pointer (&priv->notify_source),
    g_steal_pointer (&priv->progress_source),
  };
  g_autoptr (GSource) own = g_steal_pointer (&priv->finish_source);
  HoldJobState state = priv->state;
  g_mutex_unlock (&priv->lock);

  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    drop_source (sources[i]);

  g_signal_emit (self, signals[SIGNAL_PROGRESS], 0);

  gboolean had_question = priv->shown_question != NULL;

  g_clear_object (&priv->shown_question);
  priv->shown_state = state;
  if (had_question)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_QUESTION]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
  g_signal_emit (self, signals[SIGNAL_FINISHED], 0);

  if (priv->core != NULL)
    _hold_scheduler_core_forget (priv->core, self);
  return G_SOURCE_REMOVE;
}

static GSource *
new_source (HoldJob *self, guint delay_ms, GSourceFunc callback)
{
  GSource *source = delay_ms > 0 ? g_timeout_source_new (delay_ms) : g_idle_source_new ();

  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_static_name (source, "HoldJob");
  g_source_set_callback (source, callback, g_object_ref (self), g_object_unref);
  return source;
}

void
_hold_job_queue_notify (HoldJob *self, HoldJobPrivate *priv)
{
  if (priv->notify_source != NULL || priv->context == NULL)
    return;
  priv->notify_source = new_source (self, 0, notify_cb);
  g_source_attach (priv->notify_source, priv->context);
}

void
_hold_job_queue_progress (HoldJob *self, HoldJobPrivate *priv)
{
  if (priv->progress_source != NULL || priv->context == NULL)
    return;
  priv->progress_source = new_source (self, priv->has_progress ? PROGRESS_INTERVAL_MS : 0,
                                      progress_cb);
  priv->has_progress = TRUE;
  g_source_attach (priv->progress_source, priv->context);
}

/* The scheduler's side */

gboolean
_hold_job_prepare (HoldJob *self, HoldSchedulerCore *core, HoldCompute *compute)
{
  HoldJobPrivate *priv = hold_job_get_instance_private (self);

  if (priv->context != NULL)
    return FALSE;

  g_mutex_lock (&priv->lock);
  priv->context = g_main_context_ref_thread_default ();
  priv->core = _hold_scheduler_core_ref (core);
  priv->compute = compute;
  g_mutex_unlock (&priv->lock);
  return TRUE;
}

gboolean
_hold_job_claim (HoldJob *self)
{
  HoldJobPrivate *priv = hold_job_get_instance_private (self);

  g_mutex_lock (&priv->lock);
  priv->claimed = priv->state == HOLD_JOB_QUEUED;
  gboolean claimed = priv->claimed;
  g_mutex_unlock (&priv->lock);
  return claimed;
}

void
_hold_job_unclaim (HoldJob *self)
{
  HoldJobPrivate *priv = hold_job_get_instance_private (self);

  g_mutex_lock (&priv->lock);
  priv->claimed = FALSE;
  g_mutex_unlock (&priv->lock);
}

gboolean
_hold_job_is_over (HoldJob *self)
{
  HoldJobPrivate *priv = hold_job_get_instance_private (self);

  g_mutex_lock (&priv->lock);
  gboolean over = is_final (priv->state);
  g_mutex_unlock (&priv->lock);
  return over;
}

static void
end (HoldJob *self, gboolean done, GError *error)
{
  HoldJobPrivate *priv = hold_job_get_instance_private (self);

  g_mutex_lock (&priv->lock);
  if (done)
    {
      /* Skipped and failed entries were counted as they went by, so this only closes the gap that
       * formats leave whose decoder need not read the file to its last byte. */
      priv->state = HOLD_JOB_DONE;
      if (priv->progress.has_total)
        priv->progress.bytes_done = priv->progress.bytes_total;
      else
        priv->progress.bytes_total = priv->progress.bytes_done;
      priv->progress.entries_done = priv->progress.entries_total;
    }
  else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      priv->state = HOLD_JOB_CANCELLED;
    }
  else
    {
      priv->state = HOLD_JOB_FAILED;
    }
  priv->error = error;
  g_mutex_unlock (&priv->lock);
}

void
_hold_job_fail (HoldJob *self, GError *error)
{
  end (self, FALSE, error);
}

void
_hold_job_execute (HoldJob *self)
{
  HoldJobPrivate *priv = hold_job_get_instance_private (self);
  GError *error = NULL;

  g_mutex_lock (&priv->lock);
  priv->state = HOLD_JOB_RUNNING;
  _hold_job_queue_notify (self, priv);
  _hold_job_queue_progress (self, priv);
  g_mutex_unlock (&priv->lock);

  gboolean done = hold_job_checkpoint (self, &error)
                  && HOLD_JOB_GET_CLASS (self)->run (self, priv->cancellable, &error);

  if (!done && error == NULL)
    error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED,
                                 "the work failed and did not say why");
  else if (done)
    g_clear_error (&error);
  end (self, done, error);
}

void
_hold_job_end_like (HoldJob *self, HoldJob *host)
{
  HoldJobPrivate *priv = hold_job_get_instance_private (self);
  HoldJobPrivate *host_priv = hold_job_get_instance_private (host);
  HoldProgress progress;

  /* Nobody else writes these any more: @host has ended. */
  hold_job_get_progress (host, &progress);
  g_mutex_lock (&priv->lock);
  priv->state = host_priv->state;
  priv->error = host_priv->error != NULL ? g_error_copy (host_priv->error) : NULL;
  hold_progress_clear (&priv->progress);
  priv->progress = progress;
  g_mutex_unlock (&priv->lock);
}

void
_hold_job_post_finish (HoldJob *self)
{
  HoldJobPrivate *priv = hold_job_get_instance_private (self);

  g_mutex_lock (&priv->lock);
  g_autoptr (GMainContext) context = g_main_context_ref (priv->context);
  g_autoptr (GSource) source = new_source (self, 0, finish_cb);
  priv->finish_source = g_source_ref (source);
  g_mutex_unlock (&priv->lock);

  g_source_attach (source, context);
}

void
_hold_job_deliver (HoldJob *self)
{
  HoldJobPrivate *priv = hold_job_get_instance_private (self);

  if (is_final (priv->shown_state) || !g_main_context_acquire (priv->context))
    return;

  g_object_ref (self);
  g_mutex_lock (&priv->lock);
  GSource *source = g_steal_pointer (&priv->finish_source);
  g_mutex_unlock (&priv->lock);
  drop_source (source);
  finish_cb (self);
  g_main_context_release (priv->context);
  g_object_unref (self);
}

/* Public */

/**
 * hold_job_get_state:
 * @self: a job
 *
 * Thread: main; what listeners were told last. Blocks: no.
 */
HoldJobState
hold_job_get_state (HoldJob *self)
{
  HoldJobPrivate *priv = hold_job_get_instance_private (self);

  return priv->shown_state;
}

const char *
hold_job_get_verb (HoldJob *self)
{
  return HOLD_JOB_GET_CLASS (self)->verb;
}

guint
hold_job_get_id (HoldJob *self)
{
  HoldJobPrivate *priv = hold_job_get_instance_private (self);

  return priv->id;
}

/* Thread: main. */
gboolean
hold_job_is_finished (HoldJob *self)
{
  return is_final (hold_job_get_state (self));
}

/**
 * hold_job_get_progress:
 * @self: a job
 * @progress: (out caller-allocates): filled; clear it with hold_progress_clear()
 *
 * Thread: any. Blocks: no.
 */
void
hold_job_get_progress (HoldJob *self, HoldProgress *progress)
{
  HoldJobPrivate *priv = hold_job_get_instance_private (self);

  g_mutex_lock (&priv->lock);
  *progress = priv->progress;
  progress->current = g_strdup (priv->progress.current);
  g_mutex_unlock (&priv->lock);
}

HoldQuestion *
hold_job_get_question (HoldJob *self)
{
  HoldJobPrivate *priv = hold_job_get_instance_private (self);

  return priv->shown_question;
}

HoldReport *
hold_job_get_report (HoldJob *self)
{
  HoldJobPrivate *priv = hold_job_get_instance_private (self);

  return priv->report;
}

/* Thread: main, once the job is finished. */
const GError *
hold_job_get_error (HoldJob *self)
{
  HoldJobPrivate *priv = hold_job_get_instance_private (self);

  return hold_job_is_finished (self) ? priv->error : NULL;
}

void
hold_job_set_interactive (HoldJob *self, gboolean interactive)
{
  HoldJobPrivate *priv = hold_job_get_instance_private (self);

  g_return_if_fail (priv->context == NULL);
  priv->interactive = interactive;
}

/**
 * hold_job_cancel:
 * @self: a job
 *
 * Stops it at its next checkpoint; wakes it if it is paused or asking. A queued job is over at
 * once. Without effect on one that is finished.
 *
 * Thread: any. Blocks: no.
 */
void
hold_job_cancel (HoldJob *self)
{
  HoldJobPrivate *priv = hold_job_get_instance_private (self);
  gboolean over = FALSE;

  g_cancellable_cancel (priv->cancellable);

  g_mutex_lock (&priv->lock);
  g_cond_broadcast (&priv->wake);
  if (priv->state == HOLD_JOB_QUEUED && !priv->claimed && priv->context != NULL)
    {
      priv->state = HOLD_JOB_CANCELLED;
      g_cancellable_set_error_if_cancelled (priv->cancellable, &priv->error);
      over = TRUE;
    }
  g_mutex_unlock (&priv->lock);

  if (over)
    {
      _hold_scheduler_core_wake (priv->core);
      _hold_job_post_finish (self);
    }
}

/**
 * hold_job_set_paused:
 * @self: a job
 * @paused: stand still at the next checkpoint, or go on
 *
 * Thread: main. Blocks: no.
 */
void
hold_job_set_paused (HoldJob *self, gboolean paused)
{
  HoldJobPrivate *priv = hold_job_get_instance_private (self);

  paused = !!paused;
  g_mutex_lock (&priv->lock);
  gboolean changed = priv->paused != paused;
  g_atomic_int_set (&priv->paused, paused);
  g_cond_broadcast (&priv->wake);
  g_mutex_unlock (&priv->lock);

  if (changed)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PAUSED]);
}

gboolean
hold_job_get_paused (HoldJob *self)
{
  HoldJobPrivate *priv = hold_job_get_instance_private (self);

  return g_atomic_int_get (&priv->paused);
}
