/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* An offer in the formats that other programs ask for. */

#pragma once

#include "holdall-offer.h"

G_BEGIN_DECLS

typedef enum {
  HOLDALL_OFFER_DRAG,
  HOLDALL_OFFER_COPY,
  HOLDALL_OFFER_CUT,
} HoldallOfferKind;

/**
 * HoldallOfferProvider:
 * Answers when the files are there, also after the drag is over or the selection lost. No
 * GDK_TYPE_FILE_LIST and no plain text among the formats: the one would make GTK offer the portal's
 * format always, which fails with folders and is preferred by its readers, so that it is offered
 * for plain files alone; the other would make editors take paths for text. What file managers expect byte for byte: "cut" or "copy", then a URI a
 * line, no line end at the end.
 */
#define HOLDALL_TYPE_OFFER_PROVIDER (holdall_offer_provider_get_type ())
G_DECLARE_FINAL_TYPE (HoldallOfferProvider, holdall_offer_provider, HOLDALL, OFFER_PROVIDER,
                      GdkContentProvider)

/* @dnd_service, @dnd_path: (nullable): bus name and object of the drop protocol that Dolphin and
 *   Ark speak; drags only. */
GdkContentProvider *holdall_offer_provider_new (HoldallOffer *offer, HoldallOfferKind kind,
                                                const char *dnd_service, const char *dnd_path);

/* The text that @mime_type asks for; NULL if it is not one of ours. (transfer full). For tests. */
char *holdall_offer_provider_format (const char *mime_type, HoldallOfferKind kind,
                                     const char * const *uris);

G_END_DECLS
