/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Where one is in the archive: a button for the archive and for each folder down to the one shown.
 */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Its buttons activate "win.go-to" with the path. Thread: main. */
#define HOLDALL_TYPE_PATH_BAR (holdall_path_bar_get_type ())
G_DECLARE_FINAL_TYPE (HoldallPathBar, holdall_path_bar, HOLDALL, PATH_BAR, GtkWidget)

/* @title: name of the archive for people. @icon: (nullable). @folder: path of the folder shown, ""
 * for the top. */
void holdall_path_bar_set (HoldallPathBar *self, const char *title, GIcon *icon, const char *folder);

G_END_DECLS
