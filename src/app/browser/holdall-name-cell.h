/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What shows an entry by name: icon, name and small signs; a row of the list or a tile of the
 * grid. */

#pragma once

#include <gtk/gtk.h>

#include "holdall-entry-item.h"

G_BEGIN_DECLS

/* Properties: "item" (HoldallEntryItem, nullable), "orientation" of GtkOrientable: vertical is a
 * tile. */
#define HOLDALL_TYPE_NAME_CELL (holdall_name_cell_get_type ())
G_DECLARE_FINAL_TYPE (HoldallNameCell, holdall_name_cell, HOLDALL, NAME_CELL, GtkWidget)

GtkWidget        *holdall_name_cell_new      (gboolean is_tile);
void              holdall_name_cell_set_item (HoldallNameCell *self, HoldallEntryItem *item);
HoldallEntryItem *holdall_name_cell_get_item (HoldallNameCell *self);  /* (nullable) borrowed */
/* Puts an entry in place of the name; a new name goes to "win.rename-to". */
void              holdall_name_cell_start_rename (HoldallNameCell *self);
/* Pale while it is cut and not yet pasted. */
void              holdall_name_cell_update_cut   (HoldallNameCell *self);

G_END_DECLS
