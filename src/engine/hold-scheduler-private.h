/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The handshake between a job, the scheduler that runs it and the compute pool: who may call whom,
 * and in which order locks are taken (the scheduler's before a job's, never the other way round).
 */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-job-private.h"
#include "hold-scheduler.h"

G_BEGIN_DECLS

/* The part of a scheduler that jobs may outlive its owner with: refcounted, locked inside. */
typedef struct _HoldSchedulerCore HoldSchedulerCore;

/* Called by a job without its lock held. */
HoldSchedulerCore *_hold_scheduler_core_ref (HoldSchedulerCore *self);
void _hold_scheduler_core_unref (HoldSchedulerCore *self);
/* A queued job is over: start what waited for it. Thread: any. */
void _hold_scheduler_core_wake (HoldSchedulerCore *self);
/* A job's last notification is out: drops the scheduler's reference. Thread: main. */
void _hold_scheduler_core_forget (HoldSchedulerCore *self, HoldJob *job);
/* A job's own thread starts (@delta 1) or ends (-1) standing still for a person; meanwhile another
 * job may run. */
void _hold_scheduler_core_block (HoldSchedulerCore *self, int delta);

/* Called by the scheduler. */

/* Thread: main. FALSE if the job was submitted before. */
gboolean _hold_job_prepare (HoldJob *self, HoldSchedulerCore *core, HoldCompute *compute);
/* Takes a queued job for running; FALSE if it was cancelled meanwhile. Called with the scheduler's
 * lock held. */
gboolean _hold_job_claim (HoldJob *self);
void _hold_job_unclaim (HoldJob *self);
gboolean _hold_job_is_over (HoldJob *self);
/* Runs a claimed job to its end. Thread: a job worker. */
void _hold_job_execute (HoldJob *self);
/* Ends a claimed job that @host did in its run(), with the same state and error. Thread: a job
 * worker. */
/* In place of the above: no thread could be started for it. Takes @error. */
void _hold_job_fail (HoldJob *self, GError *error);
void _hold_job_end_like (HoldJob *self, HoldJob *host);
/* Sends "finished" to the main context: the worker's last act, after which it must not touch the
 * job. */
void _hold_job_post_finish (HoldJob *self);
/* Delivers what is still on its way, now. Thread: main, when no worker is left. */
void _hold_job_deliver (HoldJob *self);

G_END_DECLS
