/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The columns of the list view: makes them from the table in holdall-column.c, keeps which are
 * shown, in what order and how wide, and tells which one sorts. */

#pragma once

#include <gtk/gtk.h>

#include "holdall-entry-rows.h"

G_BEGIN_DECLS

typedef struct _HoldallListColumns HoldallListColumns;

/* The list item that a cell's child belongs to, for finding rows under the pointer: data of the
 * child by this name. */
#define HOLDALL_LIST_ITEM_KEY "holdall-list-item"

/* @view: outlives the result. Thread: main. */
HoldallListColumns *holdall_list_columns_new  (GtkColumnView *view);
void                holdall_list_columns_free (HoldallListColumns *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldallListColumns, holdall_list_columns_free)

void                holdall_list_columns_load (HoldallListColumns *self, GSettings *settings);
void                holdall_list_columns_save (HoldallListColumns *self, GSettings *settings);
gboolean            holdall_list_columns_get_visible (HoldallListColumns *self, HoldallColumnId id);
void                holdall_list_columns_set_visible (HoldallListColumns *self, HoldallColumnId id, gboolean visible);
void                holdall_list_columns_set_header_menu (HoldallListColumns *self, GMenuModel *menu);
/* What the arrow in the header says. FALSE: there is none. */
gboolean            holdall_list_columns_get_sort (HoldallListColumns *self, HoldallColumnId *id, gboolean *descending);
void                holdall_list_columns_set_sort (HoldallListColumns *self, HoldallColumnId id, gboolean descending);

G_END_DECLS
