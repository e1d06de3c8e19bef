/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The owner's side of the compute pool: the scheduler makes it, frees it, and keeps it going while
 * threads of it wait for a person. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-compute.h"

G_BEGIN_DECLS

HoldCompute *_hold_compute_new (guint n_workers);
void _hold_compute_free (HoldCompute *self);
/* Is the calling thread one of a compute pool's? Then it lends another while it stands still. */
gboolean _hold_compute_block (int delta);

G_END_DECLS
