/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The drop protocol that Dolphin and Ark speak: the target tells over the session bus where to, and
 * the files are unpacked there at once, without lying anywhere in between. */

#pragma once

#include "holdall-offer.h"

G_BEGIN_DECLS

/**
 * holdall_dnd_extract_export:
 * @jobs: where the extraction runs; must outlive @offer
 * @parent: (nullable): where it asks; only a weak reference is kept
 * @service: (out) (transfer full): bus name to ask
 * @path: (out) (transfer full): object to ask
 *
 * Puts an object on the session bus that stays as long as @offer. FALSE: there is no bus, and
 * nothing is offered this way. Thread: main. Blocks: no.
 */
gboolean holdall_dnd_extract_export (HoldallOffer *offer, HoldallJobList *jobs, GtkWindow *parent,
                                     char **service, char **path);

G_END_DECLS
