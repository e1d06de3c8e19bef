/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Opening entries: with their usual program, or as a folder if they are archives. */

#pragma once

#include "holdall-window.h"

G_BEGIN_DECLS

/* Adds the actions; once, from the window's init. */
void _holdall_window_open_entry_init   (HoldallWindow *self);
/* Greys them according to the selection. */
void _holdall_window_open_entry_update (HoldallWindow *self);

G_END_DECLS
