/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What a window can undo and redo: snapshots whose old content is still kept, with the words for
 * what was done after them. Bounded by the bytes that they keep. */

#pragma once

#include <hold.h>

G_BEGIN_DECLS

typedef struct _HoldallUndo HoldallUndo;

/**
 * HoldallUndoStep:
 * @archive: a snapshot from before (to undo) or after (to redo) an edit
 * @words: what was done: "Deleted 3 items"
 */
typedef struct {
  HoldArchive *archive;
  char *words;
} HoldallUndoStep;

void         holdall_undo_step_free (HoldallUndoStep *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldallUndoStep, holdall_undo_step_free)

/* @limit_bytes: of old content that is kept. All: Thread: main. Blocks: no. */
HoldallUndo *holdall_undo_new  (guint64 limit_bytes);
void         holdall_undo_free (HoldallUndo *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldallUndo, holdall_undo_free)

/* An edit was made: @before is what was there. What was undone can no longer be redone. A snapshot
 * without kept content can't be gone back to, and neither can those before it. */
void             holdall_undo_push      (HoldallUndo *self, HoldArchive *before, const char *words);
/* (nullable) (transfer full): the step to go back (or forth) to. After the restoring job put it
 * back, if it failed, with the function of the same kind; if it is done put what was there with the
 * other kind. */
HoldallUndoStep *holdall_undo_take_undo (HoldallUndo *self);
HoldallUndoStep *holdall_undo_take_redo (HoldallUndo *self);
void             holdall_undo_put_undo  (HoldallUndo *self, HoldArchive *archive, const char *words);
void             holdall_undo_put_redo  (HoldallUndo *self, HoldArchive *archive, const char *words);
gboolean         holdall_undo_can_undo  (HoldallUndo *self);
gboolean         holdall_undo_can_redo  (HoldallUndo *self);
/* Forgets all and gives the space back. */
void             holdall_undo_clear     (HoldallUndo *self);

G_END_DECLS
