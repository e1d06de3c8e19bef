/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What happens in the name cells of rows: one can be renamed in place, those that are cut are
 * pale. */

#include "config.h"

#include "holdall-browser.h"
#include "holdall-browser-input.h"
#include "holdall-name-cell.h"

/* A row that was far away is there some frames after it was scrolled to. */
#define MAX_FRAMES 60

typedef struct {
  guint position;
  guint n_frames;
} Aim;

/* (nullable): the name cell in a row, whatever the order of the columns */
static HoldallNameCell *
find_cell (GtkWidget *widget)
{
  if (HOLDALL_IS_NAME_CELL (widget))
    return HOLDALL_NAME_CELL (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      HoldallNameCell *cell = find_cell (child);

      if (cell != NULL)
        return cell;
    }
  return NULL;
}

static gboolean
start_cb (GtkWidget     *widget,
          GdkFrameClock *clock,
          gpointer       user_data)
{
  HoldallBrowser *self = HOLDALL_BROWSER (widget);
  Aim *aim = user_data;
  GtkWidget *row = NULL;
  HoldallNameCell *cell = NULL;

  /* The browser focuses the row in one of these frames; the entry must come after. */
  if (++aim->n_frames < 6)
    return G_SOURCE_CONTINUE;
  row = _holdall_browser_find_row (self, aim->position);
  cell = row != NULL ? find_cell (row) : NULL;
  if (cell == NULL)
    return aim->n_frames < MAX_FRAMES ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
  holdall_name_cell_start_rename (cell);
  return G_SOURCE_REMOVE;
}

void
holdall_browser_start_rename (HoldallBrowser *self,
                              guint           position)
{
  Aim *aim;

  g_return_if_fail (HOLDALL_IS_BROWSER (self));

  aim = g_new0 (Aim, 1);
  aim->position = position;
  holdall_browser_focus_row (self, position);
  gtk_widget_add_tick_callback (GTK_WIDGET (self), start_cb, aim, g_free);
}

static void
update_cut_below (GtkWidget *widget)
{
  if (HOLDALL_IS_NAME_CELL (widget))
    {
      holdall_name_cell_update_cut (HOLDALL_NAME_CELL (widget));
      return;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    update_cut_below (child);
}

void
holdall_browser_update_cut (HoldallBrowser *self)
{
  g_return_if_fail (HOLDALL_IS_BROWSER (self));

  update_cut_below (GTK_WIDGET (self));
}
