/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The inside of a job, for its two aspects: hold-job.c (life, main thread) and hold-job-work.c
 * (what its body calls). Nobody else includes it. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-scheduler-private.h"

G_BEGIN_DECLS

typedef struct {
  /* Set before the job is queued, then left alone. */
  guint id;
  gboolean interactive;
  GCancellable *cancellable;
  HoldReport *report;
  GMainContext *context;
  HoldSchedulerCore *core;
  HoldCompute *compute; /* borrowed: outlives every worker */

  /* Under the lock. */
  GMutex lock;
  GCond wake;            /* cancelled, or no longer paused */
  HoldJobState state;    /* as the worker has it */
  gboolean claimed;      /* a worker will run it, so cancel leaves the end to that worker */
  int paused;            /* also read atomically */
  gboolean has_progress; /* the first one is out */
  HoldProgress progress;
  HoldQuestion *question;
  GError *error;
  GSource *notify_source;
  GSource *progress_source;
  GSource *finish_source;

  /* One question at a time: compute threads queue here. Taken before the lock. */
  GMutex ask_lock;

  /* Main thread: what listeners have been told. */
  HoldJobState shown_state;
  HoldQuestion *shown_question;
} HoldJobPrivate;

HoldJobPrivate *_hold_job_get_private (HoldJob *self);
/* With the lock held: tells the main thread soon that state or question changed. */
void _hold_job_queue_notify (HoldJob *self, HoldJobPrivate *priv);
/* With the lock held: tells it within 100 ms that numbers changed; the first time at once. */
void _hold_job_queue_progress (HoldJob *self, HoldJobPrivate *priv);

G_END_DECLS
