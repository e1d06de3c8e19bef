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

  return holdall_clip_dup_from_provider (drag != NULL ? gdk_drag_get_content (drag) : NULL);
}

/* A folder is not put into itself, nor an item to where it is. */
static gboolean
is_worth_a_drop (HoldallWindow *self,
                 HoldallClip   *clip,
                 const char    *folder)
{
  const char * const *paths = holdall_clip_get_paths (clip);

  if (!hold_archive_is_of_same_file (self->archive, holdall_clip_get_archive (clip)))
    return TRUE;
  for (guint i = 0; paths[i] != NULL; i++)
    {
      g_autofree char *parent = holdall_name_dup_folder (paths[i]);

      if (!g_str_equal (parent, folder) && !holdall_name_is_below (folder, paths[i]))
        return TRUE;
    }
  return FALSE;
}

/* Into what is being dragged nobody wants to go. */
static gboolean
is_worth_opening (HoldallWindow *self,
                  HoldallClip   *clip,
                  const char    *folder)
{
  const char * const *paths = holdall_clip_get_paths (clip);

  if (!hold_archive_is_of_same_file (self->archive, holdall_clip_get_archive (clip)))
    return TRUE;
  for (guint i = 0; paths[i] != NULL; i++)
    {
      if (holdall_name_is_below (folder, paths[i]))
        return FALSE;
    }
  return TRUE;
}

static GdkDragAction
motion_cb (GtkDropTarget *target,
           double         x,
           double         y,
           HoldallWindow *self)
{
  g_autoptr (HoldallClip) clip = can_change (self) ? dup_dragged (target) : NULL;
  g_auto (HoldallPlace) place = { 0 };
  gboolean takes;

  if (clip == NULL)
    return 0;
  _holdall_window_find_place (self, x, y, &place);
  takes = place.folder != NULL && is_worth_a_drop (self, clip, place.folder);
  _holdall_window_hover (self, &place, takes,
                         place.folder == NULL || is_worth_opening (self, clip, place.folder));
  return takes ? GDK_ACTION_COPY : 0;
}

static void
leave_cb (GtkDropTarget *target,
          HoldallWindow *self)
{
  _holdall_window_hover (self, NULL, FALSE, FALSE);
}

/* Only "copy" is ever offered, since other programs would take a "move" at its word. Here a drop
 * inside an archive moves, and Ctrl copies; between archives it copies, and Shift moves. */
static gboolean
wants_copy (HoldallWindow *self,
            HoldallClip   *clip)
{
  GdkSeat *seat = gdk_display_get_default_seat (gtk_widget_get_display (GTK_WIDGET (self)));
  GdkModifierType state = gdk_device_get_modifier_state (gdk_seat_get_keyboard (seat));

  if (!hold_archive_is_of_same_file (self->archive, holdall_clip_get_archive (clip)))
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
  g_auto (HoldallPlace) place = { 0 };

  _holdall_window_hover (self, NULL, FALSE, FALSE);
  _holdall_window_find_place (self, x, y, &place);
  if (place.folder == NULL || !can_change (self) || !is_worth_a_drop (self, clip, place.folder))
    return FALSE;
  _holdall_window_take_clip (self, clip, !wants_copy (self, clip), place.folder);
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
  _holdall_window_test_note_drag (self, drag);
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
