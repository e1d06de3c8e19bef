/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Per-entry work on all cores: the pool knows nothing of jobs, so that backends may use it too. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-types.h"

G_BEGIN_DECLS

typedef struct _HoldCompute HoldCompute;

/**
 * HoldComputeFunc:
 * One unit of per-entry work. @worker in 0 … n_workers-1 is unique among those running at the same
 * time for one
 * call: an index for workspaces. FALSE with @error: no further units are started.
 */
typedef gboolean (*HoldComputeFunc) (gpointer user_data, guint unit, guint worker, GError **error);

guint    hold_compute_get_n_workers (HoldCompute *self);
/* Runs units 0 … n_units-1 on the pool and in the calling thread (in order of start) and returns
 * the first error. @self NULL: in the calling thread. Units are handed out by an atomic counter, so
 * small ones cost nothing. */
gboolean hold_compute_for_each (HoldCompute *self, guint n_units, HoldComputeFunc func, gpointer user_data, GError **error);

G_END_DECLS
