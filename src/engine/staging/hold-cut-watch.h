/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Tells whether files that were cut have really arrived at another program's, by watching what
 * happens to their staging. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-staging.h"

G_BEGIN_DECLS

/**
 * HoldCutWatch:
 *
 * A file manager that pastes a cut list moves the staged files, or copies and deletes them. No
 * clipboard signal proves
 * either; only what the kernel tells about the files does. An item of the staging has been
 *
 *   MOVED    when it was renamed out and still exists elsewhere,
 *   COPIED   when it is gone and every file in it was opened, closed and only then deleted,
 *   TRASHED  when it was renamed into a trash folder,
 *   LEFT     when it is still there,
 *   LOST     when it is gone without having been read (rm -rf, a cleaning program),
 *   UNPROVEN when it is gone and holds nothing whose reading shows (a symlink, an empty folder), or
 *            when only what it held was renamed out.
 *
 * The archive may lose what was cut only on COMMIT. Everything else leaves it as it is, so the
 * worst that can happen is a file
 * in two places.
 *
 * Use: new (before anybody is told of the staging), poll the descriptor and dispatch, and when
 * nothing has come for some two
 * seconds, evaluate. Quiet is only a debounce: a paste may wait for its dialog for hours. Thread:
 * one at a time.
 */
typedef struct _HoldCutWatch HoldCutWatch;

typedef enum {
  HOLD_CUT_LEFT,
  HOLD_CUT_MOVED,
  HOLD_CUT_COPIED,
  HOLD_CUT_TRASHED,
  HOLD_CUT_LOST,
  HOLD_CUT_UNPROVEN,
} HoldCutFate;

typedef enum {
  HOLD_CUT_NOTHING,      /* all is where it was */
  HOLD_CUT_COMMIT,       /* all has arrived: the archive may let go of it */
  HOLD_CUT_PARTIAL,      /* some has arrived */
  HOLD_CUT_NOT_PROVEN,   /* all is gone, and of some nobody can tell where */
  HOLD_CUT_REAPPEARED,   /* something came back, by an undo */
  HOLD_CUT_TRASH,        /* some or all lies in the trash */
  HOLD_CUT_DESTROYED,    /* some or all was deleted unread, or the staging is gone */
  HOLD_CUT_UNKNOWN,      /* events were lost */
} HoldCutVerdict;

/* @staging: recorded; borrowed, must outlive the watch. Blocks: yes. Errors: G_IO_ERROR. */
HoldCutWatch  *hold_cut_watch_new      (HoldStaging *staging, GError **error);
void           hold_cut_watch_free     (HoldCutWatch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldCutWatch, hold_cut_watch_free)

/* Readable when there is something to dispatch. */
int            hold_cut_watch_get_fd   (HoldCutWatch *self);
/* Takes in all events that are there; TRUE if there were any. Blocks: no. */
gboolean       hold_cut_watch_dispatch (HoldCutWatch *self);

/* Is a file open somewhere that has not left? While a big one is copied nothing else is to be
 * seen, and a verdict would come too early. Blocks: no. */
gboolean       hold_cut_watch_is_being_read (HoldCutWatch *self);

/* Has nothing left the disk that the staging lies on, as of the last evaluation? What was moved lies
 * there; of what was copied nobody knows where. */
gboolean       hold_cut_watch_is_on_same_disk (HoldCutWatch *self);

HoldCutVerdict hold_cut_watch_evaluate (HoldCutWatch *self);
guint          hold_cut_watch_get_n_items (HoldCutWatch *self);
/* Name of an item below the payload, and what became of it, as of the last evaluation. */
const char    *hold_cut_watch_get_item (HoldCutWatch *self, guint position, HoldCutFate *fate);

G_END_DECLS
