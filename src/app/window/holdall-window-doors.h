/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* How rows of the window get to other programs: dragged, copied, cut. */

#pragma once

#include "holdall-clipboard.h"
#include "holdall-offer.h"
#include "holdall-window.h"

G_BEGIN_DECLS

/* holdall-window-drag-out.c: lets other programs have what is dragged; in the "prepare" of @source,
 * before @clip is asked for its provider. */
void          _holdall_window_open_drag     (HoldallWindow *self, HoldallClip *clip,
                                             GtkDragSource *source);

/* holdall-window-cut.c */
/* What is selected, for other programs; NULL if nothing is. @for_cut: a fresh one.
 * (transfer full) */
HoldallOffer *_holdall_window_create_offer  (HoldallWindow *self, gboolean for_cut);
/* Lets other programs have what @clip holds, too; call it before @clip is put on the clipboard.
 * Files of a cut are watched, and the archive lets go of them when they have arrived. */
void          _holdall_window_open_clip     (HoldallWindow *self, HoldallClip *clip);
/* Nobody takes what is cut out of this program any more, and it is unpacked no further. */
void          _holdall_window_forget_cut    (void);

G_END_DECLS
