/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Where the rows are on the screen: the scroll position, bringing a row into view, the rectangle
 * of a row. Rows get their places when a frame is laid out, so most of this waits for frames. */

#include "config.h"

#include "holdall-browser-input.h"
#include "holdall-browser-private.h"

GtkScrolledWindow *
_holdall_browser_get_scroller (HoldallBrowser *self)
{
  return self->is_grid ? self->grid_scroller : self->list_scroller;
}

/* The list inside a column view is its own widget, and the one that scrolls. */
GtkWidget *
_holdall_browser_get_list_base (HoldallBrowser *self)
{
  if (self->is_grid)
    return GTK_WIDGET (self->grid);
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->list)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      if (GTK_IS_LIST_VIEW (child))
        return child;
    }
  return NULL;
}

static gboolean
restore_scroll_cb (GtkWidget     *widget,
                   GdkFrameClock *clock,
                   gpointer       user_data)
{
  HoldallBrowser *self = HOLDALL_BROWSER (widget);

  /* The rows that are there since the last frame get their places at the end of this one. */
  if (++self->restore_frames < 3)
    return G_SOURCE_CONTINUE;
  if (self->pending_value > 0)
    gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (_holdall_browser_get_scroller (self)),
                              self->pending_value);
  self->pending_value = -1;
  return G_SOURCE_REMOVE;
}

double
holdall_browser_get_scroll (HoldallBrowser *self)
{
  g_return_val_if_fail (HOLDALL_IS_BROWSER (self), 0);

  return gtk_adjustment_get_value (gtk_scrolled_window_get_vadjustment (_holdall_browser_get_scroller (self)));
}

void
holdall_browser_set_scroll (HoldallBrowser *self,
                            double          value)
{
  g_return_if_fail (HOLDALL_IS_BROWSER (self));

  if (self->pending_value < 0)
    gtk_widget_add_tick_callback (GTK_WIDGET (self), restore_scroll_cb, NULL, NULL);
  self->pending_value = MAX (value, 0);
  self->restore_frames = holdall_entry_model_is_busy (self->model) ? G_MININT : 0;
}

GtkWidget *
_holdall_browser_find_row (HoldallBrowser *self,
                           guint           position)
{
  GtkWidget *base = _holdall_browser_get_list_base (self);

  if (base == NULL)
    return NULL;
  for (GtkWidget *row = gtk_widget_get_first_child (base); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    {
      GtkListItem *list_item = _holdall_browser_find_list_item (row);

      if (list_item != NULL && gtk_widget_get_mapped (row) &&
          gtk_list_item_get_position (list_item) == position)
        return row;
    }
  return NULL;
}

/* Rows get their places when the frame after a change is laid out, and a row that was far away
 * exists one frame later: so wait, scroll, wait, focus. The list gives the focus back to the row
 * that had it, whatever is selected; only a row itself can take it. */
static gboolean
aim_cb (GtkWidget     *widget,
        GdkFrameClock *clock,
        gpointer       user_data)
{
  HoldallBrowser *self = HOLDALL_BROWSER (widget);
  GtkWidget *base = _holdall_browser_get_list_base (self);
  GtkWidget *row = NULL;

  self->aim_frames++;
  if (base == NULL || !gtk_widget_get_mapped (base) || self->aim_frames > 30 ||
      self->aim >= g_list_model_get_n_items (G_LIST_MODEL (self->model)))
    {
      self->aim = G_MAXUINT;
      return G_SOURCE_REMOVE;
    }
  if (self->aim_frames < 2)
    return G_SOURCE_CONTINUE;
  if (self->aim_frames == 2)
    {
      gtk_widget_activate_action (base, "list.scroll-to-item", "u", self->aim);
      return G_SOURCE_CONTINUE;
    }
  if (self->aim_focus)
    {
      row = _holdall_browser_find_row (self, self->aim);
      if (row == NULL)
        return G_SOURCE_CONTINUE;
      gtk_widget_grab_focus (row);
    }
  self->aim = G_MAXUINT;
  return G_SOURCE_REMOVE;
}

static void
aim_at (HoldallBrowser *self,
        guint           position,
        gboolean        focus)
{
  if (self->aim == G_MAXUINT)
    gtk_widget_add_tick_callback (GTK_WIDGET (self), aim_cb, NULL, NULL);
  self->aim = position;
  self->aim_focus = focus;
  self->aim_frames = 0;
}

void
holdall_browser_scroll_to (HoldallBrowser *self,
                           guint           position)
{
  g_return_if_fail (HOLDALL_IS_BROWSER (self));

  aim_at (self, position, FALSE);
}

void
holdall_browser_focus_row (HoldallBrowser *self,
                           guint           position)
{
  g_return_if_fail (HOLDALL_IS_BROWSER (self));

  aim_at (self, position, TRUE);
}

gboolean
holdall_browser_get_row_bounds (HoldallBrowser  *self,
                                guint            position,
                                GtkWidget       *relative_to,
                                graphene_rect_t *bounds)
{
  GtkWidget *row;

  g_return_val_if_fail (HOLDALL_IS_BROWSER (self), FALSE);

  row = _holdall_browser_find_row (self, position);
  return row != NULL && gtk_widget_compute_bounds (row, relative_to, bounds);
}
