/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What the files of the browser share. */

#pragma once

#include "holdall-browser.h"
#include "holdall-list-columns.h"

G_BEGIN_DECLS

struct _HoldallBrowser {
  GtkWidget parent_instance;

  HoldallEntryModel *model;
  GtkSelectionModel *selection;
  HoldallListColumns *columns;
  GSettings *settings;        /* (nullable) */
  gboolean is_grid;
  gboolean is_search;
  gboolean loading_order;     /* the header is told, it does not tell */

  HoldArchive *archive;       /* (nullable): what is shown, or about to be */
  HoldNode *folder;
  /* the rows on their way are other ones, not the same in another order */
  gboolean fresh;
  GPtrArray *pending;         /* (nullable): nodes to select when the rows have settled */
  gboolean pending_scroll;
  double pending_value;       /* scroll position to restore; negative: none */
  int restore_frames;         /* frames since the rows have settled */
  gboolean had_focus;
  guint aim;                  /* row to scroll to in one of the next frames; G_MAXUINT: none */
  gboolean aim_focus;         /* it gets the focus too */
  guint aim_frames;           /* frames since then */

  GtkPopover *context_popover;
  GtkColumnView *list;
  GtkScrolledWindow *list_scroller;
  GtkGridView *grid;
  GtkScrolledWindow *grid_scroller;
  GtkStack *stack;
  GMenuModel *columns_menu;
};

/* holdall-browser-scroll.c */
GtkScrolledWindow *_holdall_browser_get_scroller  (HoldallBrowser *self);
/* (nullable): the widget that scrolls and whose children are the rows or tiles. */
GtkWidget         *_holdall_browser_get_list_base (HoldallBrowser *self);

G_END_DECLS
