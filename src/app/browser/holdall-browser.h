/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The rows of one folder, or of a search, as a list or as a grid: shows, sorts and selects;
 * knows nothing of opening archives, of history and of jobs. */

#pragma once

#include <gtk/gtk.h>

#include "holdall-entry-model.h"

G_BEGIN_DECLS

/* Thread: main.
 *
 * Signals: "activated" (HoldallEntryItem): double click or Enter; "selection-changed"; "settled":
 * other rows are shown; "order-changed". */
#define HOLDALL_TYPE_BROWSER (holdall_browser_get_type ())
G_DECLARE_FINAL_TYPE (HoldallBrowser, holdall_browser, HOLDALL, BROWSER, GtkWidget)

/* Reads columns, widths and order from @settings and writes them back when a person changes them.
 * Once. */
void               holdall_browser_set_settings (HoldallBrowser *self, GSettings *settings);
/* See holdall_entry_model_show(). Rows of the same folder of the same archive stay selected and
 * where they are; others start at the top with nothing selected, unless holdall_browser_select()
 * comes after. */
void               holdall_browser_show         (HoldallBrowser *self, HoldArchive *archive, HoldNode *folder,
                                                 const HoldallQuery *query);
HoldallEntryModel *holdall_browser_get_model    (HoldallBrowser *self);
gboolean           holdall_browser_is_grid      (HoldallBrowser *self);
void               holdall_browser_set_grid     (HoldallBrowser *self, gboolean is_grid);
void               holdall_browser_set_order    (HoldallBrowser *self, const HoldallOrder *order);
gboolean           holdall_browser_get_column_visible (HoldallBrowser *self, HoldallColumnId id);
void               holdall_browser_set_column_visible (HoldallBrowser *self, HoldallColumnId id, gboolean visible);
/* Borrowed: a switch for each column, as actions of the group "columns". */
GMenuModel        *holdall_browser_get_columns_menu (HoldallBrowser *self);
/* Borrowed: what a secondary click on a row opens. */
GtkPopoverMenu    *holdall_browser_get_context_menu (HoldallBrowser *self);
/* Writes order and widths of the columns into the settings. */
void               holdall_browser_save         (HoldallBrowser *self);
void               holdall_browser_focus        (HoldallBrowser *self);

/* Selection */
GtkSelectionModel *holdall_browser_get_selection (HoldallBrowser *self);
/* (transfer full): of HoldNode, in the order of the rows. */
GPtrArray         *holdall_browser_dup_selected_nodes (HoldallBrowser *self);
/* @nodes: of HoldNode; selects exactly these, now or as soon as the rows that are on their way
 * have settled. @scroll: brings the first of them into view and gives it the focus. */
void               holdall_browser_select       (HoldallBrowser *self, GPtrArray *nodes, gboolean scroll);
void               holdall_browser_invert_selection (HoldallBrowser *self);

/* Scroll position in pixels, kept over a new snapshot. */
double             holdall_browser_get_scroll   (HoldallBrowser *self);
void               holdall_browser_set_scroll   (HoldallBrowser *self, double value);
void               holdall_browser_scroll_to    (HoldallBrowser *self, guint position);
/* Brings a row into view and gives it the keyboard focus. */
void               holdall_browser_focus_row    (HoldallBrowser *self, guint position);
/* The rectangle of a row that is in view, in coordinates of @relative_to. FALSE: not in view. */
gboolean           holdall_browser_get_row_bounds (HoldallBrowser *self, guint position, GtkWidget *relative_to,
                                                   graphene_rect_t *bounds);

/* holdall-browser-rename.c: brings the row into view and lets its name be typed anew, in place. */
void               holdall_browser_start_rename (HoldallBrowser *self, guint position);
/* Rows that are cut are pale; call it when that changed. */
void               holdall_browser_update_cut   (HoldallBrowser *self);

G_END_DECLS
