/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Changing the archive, as actions of the window. One place submits every edit, so that all of them
 * show what came of them, can be undone, and say first what they cost. */

#pragma once

#include "holdall-window.h"

G_BEGIN_DECLS

/* What the window keeps for its edits; opaque to its other files. */
typedef struct _HoldallWindowEdit HoldallWindowEdit;

/* Adds the actions; once, from the window's init. */
void  _holdall_window_edit_init    (HoldallWindow *self);
void  _holdall_window_edit_dispose (HoldallWindow *self);
/* Greys the actions according to archive and selection; call it when either changes. */
void  _holdall_window_edit_update  (HoldallWindow *self);
/* Another file is shown from now on, or another program changed this one: nothing of before can be
 * undone. */
void  _holdall_window_edit_forget  (HoldallWindow *self);
/* Something was moved in: the archive of before does not hold it, and it is nowhere else, so from
 * here on there is no way back. Whoever wants it out can move it out. */
void  _holdall_window_edit_bar_undo (HoldallWindow *self);
/* Why the action can't be used now, a translated sentence; NULL if it can, or if it is not one of
 * these. @action without "win.". (transfer full) */
char *_holdall_window_edit_why_not (HoldallWindow *self, const char *action);
/* Edits that are submitted and not finished. */
guint _holdall_window_edit_get_n_pending (HoldallWindow *self);

/**
 * HoldallEdit:
 * @job: (transfer full): HoldUpdateJob or HoldMoveJob of the window's archive, not submitted
 * @words: (transfer full): what will have been done: "Deleted 3 items"
 * @select: (transfer full) (nullable): paths to select afterwards, NULL-terminated
 * @done: (nullable): called when the job is DONE, after the window shows the new snapshot
 * @data: (transfer full) (nullable): for @done, released by @free_data
 */
typedef struct {
  HoldJob *job;
  char *words;
  char **select;
  void (*done) (HoldallWindow *self, HoldJob *job, gpointer data);
  gpointer data;
  GDestroyNotify free_data;
} HoldallEdit;

/* Takes the content of @edit. Submits it, or asks first where it is slow. */
void  _holdall_window_submit_edit  (HoldallWindow *self, const HoldallEdit *edit);

/* A request on the present archive with the window's passwords. */
HoldUpdateRequest *_holdall_window_create_update (HoldallWindow *self);

/* holdall-window-edit-toast.c */
/* Says what was done, with @words, and how much of it was not: failed or skipped as @report says,
 * @n_staying files still on the disk. @can_undo: with the button for it. */
void  _holdall_window_tell_edit    (HoldallWindow *self, const char *words, HoldReport *report,
                                    guint n_staying, gboolean can_undo);
/* The toast that is shown loses its button: there is no way back. */
void  _holdall_window_end_edit_undo (HoldallWindow *self);
/* After the last entry was moved out. */
void  _holdall_window_offer_trash  (HoldallWindow *self);

/* holdall-window-edit-actions.c */
void  _holdall_window_edit_actions_init (HoldallWindow *self);
/* Adds files and folders of the disk to the folder @into of the archive. Those without a local path
 * are told and left out. */
void  _holdall_window_add_files    (HoldallWindow *self, GFile **files, guint n_files, const char *into);
/* Likewise; what has arrived is removed from the disk. */
void  _holdall_window_move_files_in (HoldallWindow *self, GFile **files, guint n_files, const char *into);

/* holdall-window-rename.c: F2 and new folders. */
void  _holdall_window_rename_init  (HoldallWindow *self);

/* holdall-window-clipboard.c */
void  _holdall_window_clipboard_init    (HoldallWindow *self);
gboolean _holdall_window_can_paste (HoldallWindow *self);

/* holdall-window-transfer.c */
/* Puts entries that were cut or copied, or that are dragged, into the folder @into of this window's
 * archive. */
void  _holdall_window_take_clip    (HoldallWindow *self, gpointer clip, gboolean move, const char *into);

G_END_DECLS
