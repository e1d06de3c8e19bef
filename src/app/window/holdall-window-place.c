/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Folders under the pointer while something is dragged, be it ours or of another program: in the
 * list, the tree and the path bar. Held there for a moment they open, so that one gets to where one
 * wants without letting go. */

#include "config.h"

#include <math.h>

#include "holdall-browser-input.h"
#include "holdall-window-private.h"

/* Long enough that nothing opens while one passes by. */
#define SPRING_MS 1000

/* After something has opened the pointer has to leave its place by so many pixels before the next
 * does: what came to lie under it was not chosen. */
#define REST_PIXELS 16

#define HOVER_KEY "holdall-hover"

/* What lies under the pointer during a drag. */
typedef struct {
  HoldallWindow *window;   /* borrowed: owns this */
  GtkWidget *lit;          /* (nullable) owned */
  GtkWidget *widget;       /* (nullable) owned: that the pointer rests on */
  char *folder;            /* (nullable) */
  const char *action;      /* (nullable) */
  guint timeout;
  double x, y;             /* where the pointer was last */
  gboolean is_resting;     /* and where something has opened under it */
  double rest_x, rest_y;
} Hover;

void
_holdall_place_clear (HoldallPlace *place)
{
  g_clear_pointer (&place->folder, g_free);
  place->widget = NULL;
}

/* The row, tile or button around @widget that the eye takes for one thing. */
static GtkWidget *
find_row_widget (GtkWidget *widget)
{
  for (; widget != NULL; widget = gtk_widget_get_parent (widget))
    {
      GtkWidget *parent = gtk_widget_get_parent (widget);

      if (GTK_IS_BUTTON (widget) || GTK_IS_LIST_VIEW (parent) || GTK_IS_GRID_VIEW (parent))
        return widget;
    }
  return NULL;
}

static gboolean
find_in_browser (HoldallWindow *self,
                 GtkWidget     *view,
                 double         x,
                 double         y,
                 HoldallPlace  *place)
{
  GtkListItem *list_item;
  HoldallEntryItem *item;
  double view_x, view_y;

  gtk_widget_translate_coordinates (GTK_WIDGET (self), view, x, y, &view_x, &view_y);
  list_item = _holdall_browser_pick (view, view_x, view_y);
  item = list_item != NULL ? gtk_list_item_get_item (list_item) : NULL;
  if (item == NULL || !holdall_entry_item_is_folder (item))
    return FALSE;
  place->folder = holdall_entry_item_dup_path (item);
  place->widget = find_row_widget (gtk_list_item_get_child (list_item));
  return TRUE;
}

static void
find_in_tree (GtkWidget    *picked,
              HoldallPlace *place)
{
  for (GtkWidget *widget = picked; widget != NULL && !HOLDALL_IS_TREE_PANE (widget);
       widget = gtk_widget_get_parent (widget))
    {
      GtkWidget *child = gtk_widget_get_first_child (widget);
      GtkWidget *expander = GTK_IS_TREE_EXPANDER (widget) ? widget
                          : child != NULL && GTK_IS_TREE_EXPANDER (child) ? child : NULL;
      g_autoptr (HoldallEntryItem) item = NULL;

      if (expander == NULL)
        continue;
      item = gtk_tree_expander_get_item (GTK_TREE_EXPANDER (expander));
      if (item == NULL)
        return;
      place->folder = holdall_entry_item_dup_path (item);
      place->widget = find_row_widget (expander);
      return;
    }
}

/* Of the path bar, or one that goes back and forth. */
static void
find_button (GtkWidget    *picked,
             HoldallPlace *place)
{
  static const char * const moves[] = { "win.go-back", "win.go-forward", "win.go-up" };
  GtkWidget *button = gtk_widget_get_ancestor (picked, GTK_TYPE_BUTTON);
  GtkActionable *actionable = button != NULL ? GTK_ACTIONABLE (button) : NULL;
  const char *action = actionable != NULL ? gtk_actionable_get_action_name (actionable) : NULL;
  GVariant *target = actionable != NULL ? gtk_actionable_get_action_target_value (actionable) : NULL;

  if (gtk_widget_get_ancestor (picked, HOLDALL_TYPE_PATH_BAR) != NULL)
    {
      if (target == NULL || !g_variant_is_of_type (target, G_VARIANT_TYPE_STRING))
        return;
      place->folder = g_variant_dup_string (target, NULL);
      place->widget = button;
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (moves) && gtk_widget_is_sensitive (picked); i++)
    {
      if (g_strcmp0 (action, moves[i]) != 0)
        continue;
      place->action = moves[i];
      place->widget = button;
    }
}

void
_holdall_window_find_place (HoldallWindow *self,
                            double         x,
                            double         y,
                            HoldallPlace  *place)
{
  GtkWidget *picked = gtk_widget_pick (GTK_WIDGET (self), x, y, GTK_PICK_DEFAULT);
  GtkWidget *view;

  *place = (HoldallPlace) { .x = x, .y = y };
  if (picked == NULL || self->archive == NULL)
    return;
  if (gtk_widget_get_ancestor (picked, HOLDALL_TYPE_BROWSER) != NULL)
    {
      view = gtk_widget_get_ancestor (picked, GTK_TYPE_COLUMN_VIEW);
      if (view == NULL)
        view = gtk_widget_get_ancestor (picked, GTK_TYPE_GRID_VIEW);
      if (view == NULL || !find_in_browser (self, view, x, y, place))
        place->folder = g_strdup (_holdall_window_get_shown_folder (self));
    }
  else if (gtk_widget_get_ancestor (picked, HOLDALL_TYPE_TREE_PANE) != NULL)
    find_in_tree (picked, place);
  else
    find_button (picked, place);
}

static void
light_up (Hover     *self,
          GtkWidget *widget)
{
  if (self->lit == widget)
    return;
  if (self->lit != NULL)
    gtk_widget_remove_css_class (self->lit, "drop-folder");
  if (widget != NULL)
    gtk_widget_add_css_class (widget, "drop-folder");
  g_set_object (&self->lit, widget);
}

static void
hover_stop (Hover *self)
{
  g_clear_handle_id (&self->timeout, g_source_remove);
  g_clear_object (&self->widget);
  g_clear_pointer (&self->folder, g_free);
  self->action = NULL;
}

static void
hover_free (gpointer data)
{
  Hover *self = data;

  hover_stop (self);
  g_clear_object (&self->lit);
  g_free (self);
}

/* In the tree a folder is opened in both senses. */
static void
expand (GtkWidget *widget)
{
  while (widget != NULL && !GTK_IS_TREE_EXPANDER (widget))
    widget = gtk_widget_get_first_child (widget);
  if (widget != NULL)
    gtk_tree_list_row_set_expanded (gtk_tree_expander_get_list_row (GTK_TREE_EXPANDER (widget)), TRUE);
}

static gboolean
spring_cb (gpointer user_data)
{
  Hover *self = user_data;
  g_autofree char *folder = g_steal_pointer (&self->folder);
  const char *action = self->action;

  self->timeout = 0;
  self->is_resting = TRUE;
  self->rest_x = self->x;
  self->rest_y = self->y;
  light_up (self, NULL);
  if (gtk_widget_get_ancestor (self->widget, HOLDALL_TYPE_TREE_PANE) != NULL)
    expand (self->widget);
  if (action != NULL)
    gtk_widget_activate_action (GTK_WIDGET (self->window), action, NULL);
  else if (folder != NULL)
    _holdall_window_go_to (self->window, folder);
  return G_SOURCE_REMOVE;
}

static Hover *
get_hover (HoldallWindow *self)
{
  Hover *hover = g_object_get_data (G_OBJECT (self), HOVER_KEY);

  if (hover == NULL)
    {
      hover = g_new0 (Hover, 1);
      hover->window = self;
      g_object_set_data_full (G_OBJECT (self), HOVER_KEY, hover, hover_free);
    }
  return hover;
}

void
_holdall_window_hover (HoldallWindow      *self,
                       const HoldallPlace *place,
                       gboolean            takes,
                       gboolean            opens)
{
  Hover *hover = get_hover (self);

  light_up (hover, place != NULL && takes ? place->widget : NULL);
  if (place == NULL)
    hover->is_resting = FALSE;
  else if (fabs (place->x - hover->rest_x) > REST_PIXELS || fabs (place->y - hover->rest_y) > REST_PIXELS)
    hover->is_resting = FALSE;
  if (place == NULL || !opens || place->widget == NULL || hover->is_resting ||
      g_strcmp0 (place->folder, _holdall_window_get_shown_folder (self)) == 0)
    {
      hover_stop (hover);
      return;
    }
  hover->x = place->x;
  hover->y = place->y;
  /* A hand is never quite still. */
  if (hover->widget == place->widget && hover->action == place->action &&
      g_strcmp0 (hover->folder, place->folder) == 0)
    return;
  hover_stop (hover);
  hover->widget = g_object_ref (place->widget);
  hover->folder = g_strdup (place->folder);
  hover->action = place->action;
  hover->timeout = g_timeout_add (SPRING_MS, spring_cb, hover);
}
