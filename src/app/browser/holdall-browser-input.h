/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Pointer and keys of the browser, apart from what the views do by themselves. */

#pragma once

#include "holdall-browser.h"

G_BEGIN_DECLS

void         _holdall_browser_input_init (HoldallBrowser *self, GtkWidget *list,
                                         GtkWidget *grid, GtkPopover *context_popover);
/* The list item of a row, a cell or what is in it, looking down and not up. (nullable) borrowed */
GtkListItem *_holdall_browser_find_list_item (GtkWidget *widget);
/* The list item under a point of @view. (nullable) borrowed */
GtkListItem *_holdall_browser_pick (GtkWidget *view, double x, double y);
/* (nullable): the widget of a row that is in view; in holdall-browser.c */
GtkWidget   *_holdall_browser_find_row (HoldallBrowser *self, guint position);

G_END_DECLS
