/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Where the entries of an old snapshot stand in a new one. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-plan.h"

G_BEGIN_DECLS

/**
 * hold_index_map_new:
 * @plan: what was made of its snapshot
 * @now: what stands there now
 *
 * By name, because some formats have an order of their own and what failed to be added takes no
 * place; of equal names the first is
 * the first again.
 *
 * Returns: (transfer full): for each entry of the plan's snapshot its index in @now, G_MAXUINT: it
 * is not there
 */
guint *hold_index_map_new (HoldPlan *plan, HoldArchive *now);

G_END_DECLS
