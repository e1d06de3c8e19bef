/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A file chooser of the system is no widget: nobody keeps it while it is shown, and it does not go
 * with the window that it belongs to. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * holdall_native_dialog_present:
 * @dialog: (transfer full): connect to its "response" before; with a window it is transient for
 *
 * Shows @dialog in front of its window, modal to it, and keeps it until it was answered or that
 * window is closed, in which case there is no response. Thread: main. Blocks: no.
 */
void holdall_native_dialog_present (GtkNativeDialog *dialog);

G_END_DECLS
