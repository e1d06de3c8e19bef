/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What the body of a job may do: report progress, pass checkpoints, ask. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-compute.h"
#include "hold-job.h"
#include "hold-limits.h"

G_BEGIN_DECLS

/* All: Thread: the job's worker, or a compute thread working for it. */

void hold_job_set_phase    (HoldJob *self, HoldPhase phase);
void hold_job_set_totals   (HoldJob *self, gboolean has_total, gboolean is_packed, guint64 bytes_total, guint entries_total);
void hold_job_set_current  (HoldJob *self, const char *path);
void hold_job_add_bytes    (HoldJob *self, guint64 n_bytes);          /* grows, never over the total */
void hold_job_set_bytes    (HoldJob *self, guint64 bytes_done);       /* for packed progress; smaller values are ignored */
void hold_job_add_entries  (HoldJob *self, guint n_entries);
/* FALSE with G_IO_ERROR_CANCELLED when cancelled; waits here while paused. At least every 256
 * KiB. */
gboolean hold_job_checkpoint (HoldJob *self, GError **error);

/* Shows @question and waits. TRUE: answered. FALSE: cancelled, or nobody listens (@error unset in
 * the latter case: use the policy). One question at a time per job; several compute threads queue
 * here. */
gboolean hold_job_ask (HoldJob *self, HoldQuestion *question, GError **error);

/* Is anybody there to answer hold_job_ask()? */
gboolean hold_job_is_interactive (HoldJob *self);

/* The compute pool of the scheduler that runs this job; NULL if it is run without one. */
HoldCompute *hold_job_get_compute (HoldJob *self);

/* Borrowed; what backends are given. Cancel a job by hold_job_cancel() only. */
GCancellable *_hold_job_get_cancellable (HoldJob *self);

G_END_DECLS
