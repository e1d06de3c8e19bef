/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Shows files on disk in the person's file manager. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * holdall_file_manager_show:
 * @parent: (nullable)
 * @folder: absolute, file-system encoding
 * @items: (nullable): NULL-terminated names in @folder, or absolute paths, to be selected there
 *
 * Asks the file manager over D-Bus to show the items; without one that can, opens the folder with its usual
 * program. Thread: main. Blocks: no.
 */
void holdall_file_manager_show (GtkWindow *parent, const char *folder, const char * const *items);

G_END_DECLS
