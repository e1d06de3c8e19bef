/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Escape during a drag on X11, which GTK 4.8 does not hear (D08). */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Until @drag ends, the Escape key cancels it. No effect where the windowing system does that by
 * itself. Thread: main. */
void holdall_x11_escape_watch (GdkDrag *drag);

G_END_DECLS
