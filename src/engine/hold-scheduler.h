/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Runs jobs on threads of its own: a few for jobs, one per core for the per-entry work inside
 * them. Readers of one archive share it, a writer waits for them. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-job.h"

G_BEGIN_DECLS

/* Thread: main. n_compute 0: one per core. The pools are the scheduler's own; freeing it cancels
 *   and waits. */
HoldScheduler *hold_scheduler_new    (guint n_jobs, guint n_compute);
void           hold_scheduler_free   (HoldScheduler *self);
/* Captures the thread-default main context: all notifications of @job come there. Takes a reference
 * until "finished". */
void           hold_scheduler_submit (HoldScheduler *self, HoldJob *job);
guint          hold_scheduler_get_n_compute (HoldScheduler *self);
/* Submits and iterates @context of the caller until the job is finished. For the command line and
 * tests. */
void           hold_scheduler_run    (HoldScheduler *self, HoldJob *job);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldScheduler, hold_scheduler_free)

G_END_DECLS
