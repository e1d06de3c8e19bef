/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A selection on its way to other programs: unpacked once into a private folder, however many ask
 * for it. */

#pragma once

#include <gtk/gtk.h>
#include <hold.h>

#include "holdall-job-list.h"

G_BEGIN_DECLS

/**
 * HoldallOffer:
 *
 * Made when a drag begins or something is copied, because the programs at the other end ask at once
 * and do not wait long. All requests share the one extraction and its result; a second drag of the
 * same selection finds it ready.
 *
 * The signal "ready" comes when the files are there, before anybody is told of them.
 * The signal "warning" (a sentence) tells once, when somebody asks, that the files can't be had, or
 * that there is no room for two of them.
 *
 * Other programs may read the files long after a drop, so they stay until the offer goes, and if
 * they were touched shortly before, until the next start sweeps them up. Thread: main.
 */
#define HOLDALL_TYPE_OFFER (holdall_offer_get_type ())
G_DECLARE_FINAL_TYPE (HoldallOffer, holdall_offer, HOLDALL, OFFER, GObject)

/**
 * holdall_offer_new:
 * @indices: sorted entry indices, folders expanded; referenced
 * @roots: what was selected: each of them is an item of its own, without the folders it lies in;
 *   referenced
 * @keyring: passwords
 * @jobs: where the extraction runs; must outlive the offer
 * @parent: (nullable): where it asks for a password; only a weak reference is kept
 */
HoldallOffer *holdall_offer_new (HoldArchive *archive, GArray *indices,
                                 HoldExtractRoots *roots,
                                 HoldKeyring *keyring, HoldallJobList *jobs, GtkWindow *parent);

/* Starts the extraction, unless it has been started. The first who waits starts it too. */
void          holdall_offer_prepare (HoldallOffer *self);
/* Who takes the files moves them: on the same disk they need no more space. */
void          holdall_offer_set_for_move (HoldallOffer *self);
/* Says by "warning", without starting anything, if there is too little space for it. */
void          holdall_offer_tell_space (HoldallOffer *self);
/* Is it worth preparing before anybody asks? Not what is huge, nor very many files, nor what would
 * ask for a password. */
gboolean      holdall_offer_is_cheap (HoldallOffer *self);
/* Ends an extraction that nobody waits for. @is_replaced: or those who wait get the files in
 * another way. */
void          holdall_offer_abandon (HoldallOffer *self, gboolean is_replaced);

/* Waits until the files are there. Finish gives their URIs (transfer full), one for each
 * item; or NULL with the reason. */
void          holdall_offer_wait_async  (HoldallOffer *self, GCancellable *cancellable,
                                         GAsyncReadyCallback callback, gpointer user_data);
char        **holdall_offer_wait_finish (HoldallOffer *self, GAsyncResult *result, GError **error);

gboolean      holdall_offer_is_ready    (HoldallOffer *self);
/* Somebody waits for it at this moment. */
gboolean      holdall_offer_is_awaited  (HoldallOffer *self);
/* Is it of this very selection, and still good, so that it can be used again? Blocks: shortly, it
 * looks at the files. */
gboolean      holdall_offer_is_of       (HoldallOffer *self, HoldArchive *archive, GArray *indices,
                                         HoldExtractRoots *roots);
/* Somebody was given the files, or reads them now: a while longer they may be read at any time. */
void          holdall_offer_set_served  (HoldallOffer *self);
gboolean      holdall_offer_was_served  (HoldallOffer *self);
guint64       holdall_offer_get_size    (HoldallOffer *self);   /* bytes, unpacked */

HoldArchive  *holdall_offer_get_archive (HoldallOffer *self);   /* borrowed */
GArray       *holdall_offer_get_indices (HoldallOffer *self);   /* borrowed */
HoldExtractRoots *holdall_offer_get_roots (HoldallOffer *self); /* borrowed */
/* Is every item a plain file? */
gboolean      holdall_offer_has_only_files (HoldallOffer *self);
HoldKeyring  *holdall_offer_get_keyring (HoldallOffer *self);   /* borrowed */
/* (nullable) until ready; borrowed */
HoldStaging  *holdall_offer_get_staging (HoldallOffer *self);

/* The program ends: the files go now, whoever still holds the offer, unless they are being read. */
void          holdall_offer_close       (HoldallOffer *self);
/* Waits until the folders of offers that are gone have been cleaned; at the end of the program. */
void          holdall_offer_flush       (void);

G_END_DECLS
