/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What is different inside a sandbox that GTK and GIO do not hide: which files came through the
 * document portal, where they really lie, and how to show a folder of the host. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Whether the program runs in a Flatpak. */
gboolean holdall_portal_is_sandboxed (void);

/**
 * holdall_portal_is_lone_document:
 * @path: absolute, file-system encoding
 *
 * Whether @path is a single file that was handed over by the document portal. Such a file seems to
 * lie alone in a folder of its own: what stands beside it outside is not seen, and a new file there
 * arrives outside only as litter with a hidden name, unless it is renamed onto @path. In a folder
 * that was chosen as a whole everything is as usual, and the answer FALSE.
 */
gboolean holdall_portal_is_lone_document (const char *path);

/**
 * holdall_portal_is_place:
 * @folder: absolute, file-system encoding
 *
 * Whether a new file in @folder is found there outside, and later on. In a sandbox most folders, the
 * home folder among them, are made of memory that goes away with the program, and around a lone
 * document there is no folder at all. Blocks: two system calls. Returns: TRUE outside a sandbox.
 */
gboolean holdall_portal_is_place (const char *folder);

/**
 * holdall_portal_dup_host_path:
 * @path: absolute, file-system encoding
 *
 * Where a file of the document portal lies outside. @path itself for any other file. Blocks: one
 * system call. Returns: (nullable) (transfer full): %NULL where the portal does not say (before 1.20).
 */
char *holdall_portal_dup_host_path (const char *path);

/**
 * holdall_portal_open_folder:
 * @bus: the session bus
 * @path: absolute, of a file or folder: the folder around it is shown, with it selected
 *
 * Asks the OpenURI portal, which knows the host's path even for a document. Thread: main. Blocks: no.
 * Errors: through @callback, to be read with holdall_portal_open_folder_finish().
 */
void     holdall_portal_open_folder        (GDBusConnection     *bus,
                                            const char          *path,
                                            GAsyncReadyCallback  callback,
                                            gpointer             user_data);
gboolean holdall_portal_open_folder_finish (GDBusConnection     *bus,
                                            GAsyncResult        *result,
                                            GError             **error);

G_END_DECLS
