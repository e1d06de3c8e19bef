/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Reads what is dropped on X11 without GTK, for programs that never answer GTK: GTK 4 asks at no
 * particular time and from a window of its own, and Qt then finds no drag that is meant. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Is @drop one of X11, and can be read this way? */
gboolean holdall_x11_drop_can_read    (GdkDrop *drop);

/**
 * holdall_x11_drop_read_async:
 * @drop: that holdall_x11_drop_can_read(); from the "drop" signal on
 * @time: of the event by which it was dropped
 *
 * Asks for text/uri-list. Thread: main. Blocks: no. Errors: G_IO_ERROR_NOT_FOUND if the other
 * program has none, CANCELLED; if it never answers nothing happens until @cancellable is cancelled.
 */
void     holdall_x11_drop_read_async  (GdkDrop *drop, guint32 time, GCancellable *cancellable,
                                       GAsyncReadyCallback callback, gpointer user_data);
/* (transfer full) (nullable) */
GBytes  *holdall_x11_drop_read_finish (GAsyncResult *result, GError **error);

G_END_DECLS
