/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The folders of the archive as a tree at the side of the window. */

#pragma once

#include <gtk/gtk.h>
#include <hold.h>

G_BEGIN_DECLS

/* Choosing a folder activates "win.go-to" with its path. Thread: main. */
#define HOLDALL_TYPE_TREE_PANE (holdall_tree_pane_get_type ())
G_DECLARE_FINAL_TYPE (HoldallTreePane, holdall_tree_pane, HOLDALL, TREE_PANE, GtkWidget)

void holdall_tree_pane_set_archive (HoldallTreePane *self, HoldArchive *archive);  /* (nullable) */
/* Unfolds the way down to @folder and marks it; goes nowhere. */
void holdall_tree_pane_set_folder  (HoldallTreePane *self, HoldNode *folder);

G_END_DECLS
