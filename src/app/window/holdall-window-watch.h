/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Other programs may change the archive that a window shows. */

#pragma once

#include "holdall-window.h"

G_BEGIN_DECLS

/* Watches the file that is shown now; call it when that may be another one. */
void _holdall_window_watch_update  (HoldallWindow *self);
void _holdall_window_watch_dispose (HoldallWindow *self);
/* Reads the list again, a moment later, if the file is no longer the one that was read. */
void _holdall_window_check_changed (HoldallWindow *self);
/* From now on the old content that undo keeps open is let go of when somebody ejects its disk; what is
 * only shown keeps no disk busy. */
void _holdall_window_watch_unmount (HoldallWindow *self);

G_END_DECLS
