/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What the program keeps for other programs: the files it has unpacked for them, and the watch over
 * a cut. Both outlive the window they come from. */

#pragma once

#include "holdall-cut-guard.h"
#include "holdall-offer.h"

G_BEGIN_DECLS

/* Thread: main. */
#define HOLDALL_TYPE_DOORS (holdall_doors_get_type ())
G_DECLARE_FINAL_TYPE (HoldallDoors, holdall_doors, HOLDALL, DOORS, GObject)

/* @application: (nullable): when its last window has gone, so has what was offered; borrowed.
 * Also sweeps up, in a thread, what programs that are gone left behind. */
HoldallDoors    *holdall_doors_new          (GtkApplication *application, HoldallJobList *jobs);

/**
 * holdall_doors_create_offer:
 * @indices: sorted, referenced
 * @roots: what was selected
 * @reuse: may it be one that others have been told of? Never for a cut: what becomes of its files
 *   decides about the archive.
 *
 * The files of offers that were read by somebody stay until the program ends, as long as they do
 * not take too much room.
 *
 * Returns: (transfer full): prepared already if that is cheap
 */
HoldallOffer    *holdall_doors_create_offer (HoldallDoors *self, HoldArchive *archive,
                                             GArray *indices, HoldExtractRoots *roots,
                                             HoldKeyring *keyring, GtkWindow *parent,
                                             gboolean reuse);

/* The one cut that is pending; a new one ends the one before. @guard: (nullable) */
void             holdall_doors_set_guard    (HoldallDoors *self, HoldallCutGuard *guard);
HoldallCutGuard *holdall_doors_get_guard    (HoldallDoors *self);  /* (nullable), borrowed */

/* Lets go of all: a cut that is pasted by now is finished, the clipboard is cleared if ours (a
 * clipboard manager would hold up the end of the program), the files are cleaned. */
void             holdall_doors_close        (HoldallDoors *self);

G_END_DECLS
