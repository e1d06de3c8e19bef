/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Watches what becomes of files that were cut for another program, and tells when, and only when,
 * they have arrived. */

#pragma once

#include "holdall-offer.h"

G_BEGIN_DECLS

/**
 * HoldallCutGuard:
 *
 * Waits until the offer has been unpacked, which it does not start, then watches its staging. When nothing has happened there for two seconds, or
 * sooner when all has arrived, it asks hold_cut_watch_evaluate(); the signal "verdict" (HoldCutVerdict) tells every verdict that
 * differs from the one before and is not "nothing". On COMMIT the watch is over and the staging is
 * buried; whoever listens starts the one rewrite. The signal "blind" says that it can't watch, for want of
 * descriptors or of inotify watches: a paste is a copy then. Thread: main.
 */
#define HOLDALL_TYPE_CUT_GUARD (holdall_cut_guard_get_type ())
G_DECLARE_FINAL_TYPE (HoldallCutGuard, holdall_cut_guard, HOLDALL, CUT_GUARD, GObject)

/* Make it before anybody can ask for the offer: what happens before it watches proves nothing. */
HoldallCutGuard *holdall_cut_guard_new          (HoldallOffer *offer);
HoldallOffer    *holdall_cut_guard_get_offer    (HoldallCutGuard *self);  /* borrowed */
/* Has "blind" been told? */
gboolean         holdall_cut_guard_is_blind     (HoldallCutGuard *self);
/* Has anybody opened, moved or deleted anything? */
gboolean         holdall_cut_guard_is_touched   (HoldallCutGuard *self);
/* Gives the verdict now, without waiting for quiet; for when there is no time left. */
void             holdall_cut_guard_settle       (HoldallCutGuard *self);
/* Looks again whether the last verdict is still right. FALSE: another one was told. */
gboolean         holdall_cut_guard_is_still     (HoldallCutGuard *self);
/* Has nothing left the disk of the staging, as of the last verdict? */
gboolean         holdall_cut_guard_is_on_same_disk (HoldallCutGuard *self);
/* Names of the items that have arrived (moved or copied), as of the last verdict.
 * (transfer full) */
char           **holdall_cut_guard_dup_arrived  (HoldallCutGuard *self);
guint            holdall_cut_guard_get_n_items  (HoldallCutGuard *self);

G_END_DECLS
