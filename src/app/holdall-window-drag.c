/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Rows are dragged to folders: of the list, of the tree, of the path bar, of another window. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-browser-input.h"
#include "holdall-clipboard.h"
#include "holdall-format-text.h"
#include "holdall-name-check.h"
#include "holdall-window-doors.h"
#include "holdall-window-private.h"

/* What a point of the window is for something that is dropped: a folder, and the widget that shows
 * it. */
typedef struct {
  char *folder;        /* (nullable): nothing can be dropped here */
  GtkWidget *widget;   /* (nullable) borrowed: to be lit up */
} Place;

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
                 Place         *place)
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

static gboolean
find_in_tree (GtkWidget *picked,
              Place     *place)
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
        return FALSE;
      place->folder = holdall_entry_item_dup_path (item);
      place->widget = find_row_widget (expander);
      return TRUE;
    }
  return FALSE;
}

static gboolean
find_in_path_bar (GtkWidget *picked,
                  Place     *place)
{
  GtkWidget *button = gtk_widget_get_ancestor (picked, GTK_TYPE_BUTTON);
  GVariant *target = button != NULL
                       ? gtk_actionable_get_action_target_value (GTK_ACTIONABLE (button)) : NULL;

  if (target == NULL || !g_variant_is_of_type (target, G_VARIANT_TYPE_STRING))
    return FALSE;
  place->folder = g_variant_dup_string (target, NULL);
  place->widget = button;
  return TRUE;
}

static void
find_place (HoldallWindow *self,
            double         x,
            double         y,
            Place         *place)
{
  GtkWidget *picked = gtk_widget_pick (GTK_WIDGET (self), x, y, GTK_PICK_DEFAULT);
  GtkWidget *view;

  place->folder = NULL;
  place->widget = NULL;
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
  else if (gtk_widget_get_ancestor (picked, HOLDALL_TYPE_PATH_BAR) != NULL)
    find_in_path_bar (picked, place);
}

char *
_holdall_window_dup_drop_folder (HoldallWindow *self,
                                 double         x,
                                 double         y)
{
  Place place;

  find_place (self, x, y, &place);
  return place.folder;
}

static void
light_up (HoldallWindow *self,
          GtkWidget     *widget)
{
  GtkWidget *lit = g_object_get_data (G_OBJECT (self), "holdall-lit");

  if (lit == widget)
    return;
  if (lit != NULL)
    gtk_widget_remove_css_class (lit, "drop-folder");
  if (widget != NULL)
    gtk_widget_add_css_class (widget, "drop-folder");
  g_object_set_data_full (G_OBJECT (self), "holdall-lit",
                          widget != NULL ? g_object_ref (widget) : NULL, g_object_unref);
}

static gboolean
can_change (HoldallWindow *self)
{
  return self->archive != NULL && hold_archive_why_not (self->archive, HOLD_CAP_UPDATE) == NULL;
}

/* (nullable) (transfer full) */
static HoldallClip *
dup_dragged (GtkDropTarget *target)
{
  GdkDrop *drop = gtk_drop_target_get_current_drop (target);
  GdkDrag *drag = drop != NULL ? gdk_drop_get_drag (drop) : NULL;
  GdkContentProvider *provider = drag != NULL ? gdk_drag_get_content (drag) : NULL;
  g_auto (GValue) value = G_VALUE_INIT;

  if (provider == NULL)
    return NULL;
  g_value_init (&value, HOLDALL_TYPE_CLIP);
  if (!gdk_content_provider_get_value (provider, &value, NULL))
    return NULL;
  return g_value_dup_object (&value);
}

/* A folder is not put into itself, nor an item to where it is. */
static gboolean
is_worth_a_drop (HoldallWindow *self,
                 HoldallClip   *clip,
                 const char    *folder)
{
  const char * const *paths = holdall_clip_get_paths (clip);

  if (g_strcmp0 (hold_archive_get_path (self->archive),
                 hold_archive_get_path (holdall_clip_get_archive (clip))) != 0)
    return TRUE;
  for (guint i = 0; paths[i] != NULL; i++)
    {
      g_autofree char *parent = holdall_name_dup_folder (paths[i]);

      if (!g_str_equal (parent, folder) && !holdall_name_is_below (folder, paths[i]))
        return TRUE;
    }
  return FALSE;
}

static GdkDragAction
motion_cb (GtkDropTarget *target,
           double         x,
           double         y,
           HoldallWindow *self)
{
  g_autoptr (HoldallClip) clip = can_change (self) ? dup_dragged (target) : NULL;
  Place place = { 0 };
  g_autofree char *folder = NULL;
  gboolean ok;

  if (clip != NULL)
    find_place (self, x, y, &place);
  folder = place.folder;
  ok = folder != NULL && is_worth_a_drop (self, clip, folder);
  light_up (self, ok ? place.widget : NULL);
  return ok ? GDK_ACTION_COPY : 0;
}

static void
leave_cb (GtkDropTarget *target,
          HoldallWindow *self)
{
  light_up (self, NULL);
}

/* Only "copy" is ever offered, since other programs would take a "move" at its word. Here a drop
 * inside an archive moves, and Ctrl copies; between archives it copies, and Shift moves. */
static gboolean
wants_copy (HoldallWindow *self,
            HoldallClip   *clip)
{
  GdkSeat *seat = gdk_display_get_default_seat (gtk_widget_get_display (GTK_WIDGET (self)));
  GdkModifierType state = gdk_device_get_modifier_state (gdk_seat_get_keyboard (seat));

  if (g_strcmp0 (hold_archive_get_path (self->archive),
                 hold_archive_get_path (holdall_clip_get_archive (clip))) != 0)
    return (state & GDK_SHIFT_MASK) == 0;
  return (state & GDK_CONTROL_MASK) != 0;
}

static gboolean
drop_cb (GtkDropTarget *target,
         const GValue  *value,
         double         x,
         double         y,
         HoldallWindow *self)
{
  HoldallClip *clip = g_value_get_object (value);
  g_autofree char *folder = _holdall_window_dup_drop_folder (self, x, y);

  light_up (self, NULL);
  if (folder == NULL || !can_change (self) || !is_worth_a_drop (self, clip, folder))
    return FALSE;
  _holdall_window_take_clip (self, clip, !wants_copy (self, clip), folder);
  return TRUE;
}

static GdkContentProvider *
prepare_cb (GtkDragSource *source,
            double         x,
            double         y,
            HoldallWindow *self)
{
  GtkWidget *view = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (source));
  GtkSelectionModel *selection = holdall_browser_get_selection (self->browser);
  GtkListItem *list_item = _holdall_browser_pick (view, x, y);
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));
  g_autoptr (HoldallClip) clip = NULL;
  g_auto (GStrv) paths = NULL;
  guint position;

  /* In a name that is being typed the mouse marks letters. */
  if (self->archive == NULL || list_item == NULL ||
      (focus != NULL && GTK_IS_EDITABLE (focus) && gtk_widget_is_ancestor (focus, view)))
    return NULL;
  position = gtk_list_item_get_position (list_item);
  if (!gtk_selection_model_is_selected (selection, position))
    gtk_selection_model_select_item (selection, position, TRUE);
  paths = holdall_window_dup_selected_paths (self);
  if (paths[0] == NULL)
    return NULL;
  clip = holdall_clip_new (GTK_WINDOW (self), self->archive, (const char * const *) paths, FALSE);
  _holdall_window_open_drag (self, clip, source);
  return holdall_clip_create_provider (clip);
}

static void
drag_begin_cb (GtkDragSource *source,
               GdkDrag       *drag,
               HoldallWindow *self)
{
  g_auto (GStrv) paths = holdall_window_dup_selected_paths (self);
  guint n_items = g_strv_length (paths);
  g_autofree char *text = n_items == 1
                            ? hold_path_escape_for_display (hold_path_peek_basename (paths[0]))
                            : holdall_format_items (n_items);
  GtkWidget *label = gtk_label_new (text);

  gtk_widget_add_css_class (label, "drag-label");
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 40);
  gtk_drag_icon_set_child (GTK_DRAG_ICON (gtk_drag_icon_get_for_drag (drag)), label);
  gdk_drag_set_hotspot (drag, -12, -6);
}

static void
add_drag_source (HoldallWindow *self,
                 GtkWidget     *view)
{
  GtkDragSource *source = gtk_drag_source_new ();

  gtk_drag_source_set_actions (source, GDK_ACTION_COPY);
  /* Before the rows and the rubber band see the press. */
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (source), GTK_PHASE_CAPTURE);
  g_signal_connect (source, "prepare", G_CALLBACK (prepare_cb), self);
  g_signal_connect (source, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  gtk_widget_add_controller (view, GTK_EVENT_CONTROLLER (source));
}

static void
add_drag_sources (HoldallWindow *self,
                  GtkWidget     *widget)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      if (GTK_IS_COLUMN_VIEW (child) || GTK_IS_GRID_VIEW (child))
        add_drag_source (self, child);
      else
        add_drag_sources (self, child);
    }
}

void
_holdall_window_drag_init (HoldallWindow *self)
{
  GtkDropTarget *target = gtk_drop_target_new (HOLDALL_TYPE_CLIP, GDK_ACTION_COPY);

  add_drag_sources (self, GTK_WIDGET (self->browser));
  g_signal_connect (target, "enter", G_CALLBACK (motion_cb), self);
  g_signal_connect (target, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect (target, "leave", G_CALLBACK (leave_cb), self);
  g_signal_connect (target, "drop", G_CALLBACK (drop_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
}
