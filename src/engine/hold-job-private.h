/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What the body of a job may do: report progress, pass checkpoints, ask. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-job.h"
#include "hold-limits.h"

G_BEGIN_DECLS

typedef struct _HoldCompute HoldCompute;

/* All: Thread: the job's worker, or a compute thread working for it. */

void hold_job_set_phase    (HoldJob *self, HoldPhase phase);
void hold_job_set_totals   (HoldJob *self, gboolean has_total, gboolean is_packed, guint64 bytes_total, guint entries_total);
void hold_job_set_current  (HoldJob *self, const char *path);
void hold_job_add_bytes    (HoldJob *self, guint64 n_bytes);          /* grows, never over the total */
void hold_job_set_bytes    (HoldJob *self, guint64 bytes_done);       /* for packed progress; smaller values are ignored */
void hold_job_add_entries  (HoldJob *self, guint n_entries);
/* FALSE with G_IO_ERROR_CANCELLED when cancelled; waits here while paused. At least every 256 KiB. */
gboolean hold_job_checkpoint (HoldJob *self, GError **error);

/* Shows @question and waits. TRUE: answered. FALSE: cancelled, or nobody listens (@error unset in the latter case: use the policy). One question at a time
 * per job; several compute threads queue here. */
gboolean hold_job_ask (HoldJob *self, HoldQuestion *question, GError **error);

/* The compute pool of the scheduler that runs this job; NULL if it is run without one. */
HoldCompute *hold_job_get_compute (HoldJob *self);

/**
 * HoldComputeFunc:
 * One unit of per-entry work. @worker in 0 … n_workers-1 is unique among those running at the same time for one
 * call: an index for workspaces. FALSE with @error: no further units are started.
 */
typedef gboolean (*HoldComputeFunc) (gpointer user_data, guint unit, guint worker, GError **error);

guint    hold_compute_get_n_workers (HoldCompute *self);
/* Runs units 0 … n_units-1 on the pool (in order of start; the caller's thread waits) and returns the first error. @self NULL: in the
 * calling thread. Units are handed out by an atomic counter, so small ones cost nothing. */
gboolean hold_compute_for_each (HoldCompute *self, guint n_units, HoldComputeFunc func, gpointer user_data, GError **error);

G_END_DECLS
