/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Watches what becomes of files that were cut for another program, and lets the archive go of them
 * when, and only when, they have arrived. */

#pragma once

#include "holdall-offer.h"

G_BEGIN_DECLS

/**
 * HoldallCutGuard:
 *
 * Waits for the offer, then watches its staging. When nothing has happened there for two seconds
 * it asks hold_cut_watch_evaluate(); the
 * signal "verdict" (HoldCutVerdict) tells every verdict that differs from the one before and is
 * not "nothing". On COMMIT the watch is
 * over and the staging is buried; whoever listens starts the one rewrite. Thread: main.
 */
#define HOLDALL_TYPE_CUT_GUARD (holdall_cut_guard_get_type ())
G_DECLARE_FINAL_TYPE (HoldallCutGuard, holdall_cut_guard, HOLDALL, CUT_GUARD, GObject)

HoldallCutGuard *holdall_cut_guard_new          (HoldallOffer *offer);
HoldallOffer    *holdall_cut_guard_get_offer    (HoldallCutGuard *self);  /* borrowed */
/* Names of the things at the top that have arrived (moved or copied), as of the last verdict.
 * (transfer full) */
char           **holdall_cut_guard_dup_arrived  (HoldallCutGuard *self);

G_END_DECLS
