/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Entries that were copied or cut, or that are being dragged, inside this program: which, from
 * where, and whether they are to leave their place. Other programs never see this. */

#pragma once

#include <gtk/gtk.h>
#include <hold.h>

G_BEGIN_DECLS

/* Immutable. All: Thread: main. Blocks: no. */
#define HOLDALL_TYPE_CLIP (holdall_clip_get_type ())
G_DECLARE_FINAL_TYPE (HoldallClip, holdall_clip, HOLDALL, CLIP, GObject)

/* @owner: the window they come from; only a weak reference is kept. @paths: copied. */
HoldallClip        *holdall_clip_new         (GtkWindow *owner, HoldArchive *archive, const char * const *paths,
                                              gboolean is_cut);
HoldArchive        *holdall_clip_get_archive (HoldallClip *self);  /* borrowed: as it was then */
const char * const *holdall_clip_get_paths   (HoldallClip *self);  /* borrowed */
gboolean            holdall_clip_get_is_cut  (HoldallClip *self);
GtkWindow          *holdall_clip_dup_owner   (HoldallClip *self);  /* (nullable) (transfer full) */

/* Takes @provider: what other programs are given of it; once, before it is put anywhere. */
void                holdall_clip_set_outside (HoldallClip *self, GdkContentProvider *provider);
/* What goes on the clipboard or into a drag: the clip, and what other programs are given.
 * (transfer full) */
GdkContentProvider *holdall_clip_create_provider (HoldallClip *self);
/* The clip that is in such a one. @provider: (nullable). (nullable) (transfer full): it is somebody
 * else's */
HoldallClip        *holdall_clip_dup_from_provider (GdkContentProvider *provider);

/* Puts @clip on the clipboard; a cut of before ends. */
void         holdall_clipboard_set      (GdkClipboard *clipboard, HoldallClip *clip);
/* (nullable) (transfer full): NULL if something else is on the clipboard */
HoldallClip *holdall_clipboard_dup_clip (GdkClipboard *clipboard);
/* Forgets what is cut. FALSE: nothing was. */
gboolean     holdall_clipboard_end_cut  (GdkClipboard *clipboard);
/* Is the node, or a folder it lies in, cut and not yet pasted? */
gboolean     holdall_clip_is_cut        (HoldArchive *archive, HoldNode *node);

G_END_DECLS
