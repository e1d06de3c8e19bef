/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Hands a file to another program, inside a sandbox through the portal. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * holdall_launch_async:
 * @path: of the file, absolute, file-system encoding
 * @app: (nullable): the program; not looked at inside a sandbox, where the desktop chooses
 * @ask: inside a sandbox: let the person choose
 * @parent: (nullable): for the place of what appears
 *
 * Ends when the program was started or told, not when it ends. Thread: main. Blocks: no.
 * Errors: G_IO_ERROR, G_DBUS_ERROR; NOT_FOUND without @app outside of a sandbox.
 */
void     holdall_launch_async  (const char          *path,
                                GAppInfo            *app,
                                gboolean             ask,
                                GtkWindow           *parent,
                                GAsyncReadyCallback  callback,
                                gpointer             user_data);
gboolean holdall_launch_finish (GAsyncResult *result, GError **error);

G_END_DECLS
