/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The context menu, Backspace and Space, and a Ctrl+click that works in GTK 4.8 too. */

#include "config.h"

#include "holdall-browser-input.h"
#include "holdall-list-columns.h"

GtkListItem *
_holdall_browser_find_list_item (GtkWidget *widget)
{
  for (int depth = 0; widget != NULL && depth < 3; depth++)
    {
      GtkListItem *list_item = g_object_get_data (G_OBJECT (widget), HOLDALL_LIST_ITEM_KEY);

      if (list_item != NULL)
        return list_item;
      widget = gtk_widget_get_first_child (widget);
    }
  return NULL;
}

/* Looks up from what is under the pointer, and down from each step: the padding of a cell or of a
 * row is theirs too. */
GtkListItem *
_holdall_browser_pick (GtkWidget *view,
                       double     x,
                       double     y)
{
  for (GtkWidget *widget = gtk_widget_pick (view, x, y, GTK_PICK_DEFAULT);
       widget != NULL && widget != view && !GTK_IS_LIST_VIEW (widget);
       widget = gtk_widget_get_parent (widget))
    {
      GtkListItem *list_item = _holdall_browser_find_list_item (widget);

      if (list_item != NULL)
        return list_item;
    }
  return NULL;
}

static void
show_menu (HoldallBrowser *self,
           GtkPopover     *popover,
           double          x,
           double          y)
{
  GdkRectangle place = { (int) x, (int) y, 1, 1 };

  /* GTK does not turn the menu itself. */
  gtk_widget_set_halign (GTK_WIDGET (popover),
                         gtk_widget_get_direction (GTK_WIDGET (popover)) == GTK_TEXT_DIR_RTL
                           ? GTK_ALIGN_END : GTK_ALIGN_START);
  gtk_popover_set_pointing_to (popover, &place);
  gtk_popover_popup (popover);
}

/* Beside all rows: the folder that is shown is meant. The header has a menu of its own. */
static gboolean
is_background (GtkWidget *view,
               double     x,
               double     y)
{
  GtkWidget *picked = gtk_widget_pick (view, x, y, GTK_PICK_DEFAULT);

  return picked != NULL && (picked == view || GTK_IS_LIST_VIEW (picked) || GTK_IS_GRID_VIEW (picked));
}

static void
secondary_pressed_cb (GtkGestureClick *gesture,
                      int              n_press,
                      double           x,
                      double           y,
                      GtkPopover      *popover)
{
  GtkWidget *view = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture));
  GtkWidget *browser = gtk_widget_get_parent (GTK_WIDGET (popover));
  HoldallBrowser *self = HOLDALL_BROWSER (browser);
  GtkSelectionModel *selection = holdall_browser_get_selection (self);
  GtkListItem *list_item = _holdall_browser_pick (view, x, y);
  double browser_x, browser_y;

  if (list_item == NULL && !is_background (view, x, y))
    return;
  if (list_item == NULL)
    gtk_selection_model_unselect_all (selection);
  else
    {
      guint position = gtk_list_item_get_position (list_item);
      GtkWidget *row = _holdall_browser_find_row (self, position);

      if (!gtk_selection_model_is_selected (selection, position))
        gtk_selection_model_select_item (selection, position, TRUE);
      /* The keys that come after the menu start here. */
      if (row != NULL)
        gtk_widget_grab_focus (row);
    }
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  gtk_widget_translate_coordinates (view, browser, x, y, &browser_x, &browser_y);
  show_menu (self, popover, browser_x, browser_y);
}

/* In a column view of GTK 4.8 the row and the cell both toggle, so that Ctrl+click does nothing
 * (GTK issue 4819). Doing it here, and claiming the click, is right with and without that fault. */
static void
primary_released_cb (GtkGestureClick *gesture,
                     int              n_press,
                     double           x,
                     double           y,
                     gpointer         user_data)
{
  GtkWidget *view = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture));
  GdkModifierType state =
    gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  gboolean modify = (state & GDK_CONTROL_MASK) != 0;
  gboolean extend = (state & GDK_SHIFT_MASK) != 0;
  GtkListItem *list_item;

  if (n_press != 1 || (!modify && !extend))
    return;
  list_item = _holdall_browser_pick (view, x, y);
  if (list_item == NULL)
    return;
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  gtk_widget_activate_action (gtk_list_item_get_child (list_item), "list.select-item", "(ubb)",
                              gtk_list_item_get_position (list_item), modify, extend);
}

static gboolean
popup_menu_cb (GtkWidget *widget,
               GVariant  *args,
               gpointer   user_data)
{
  HoldallBrowser *self = HOLDALL_BROWSER (widget);
  g_autoptr (GtkBitset) selected =
    gtk_selection_model_get_selection (holdall_browser_get_selection (self));
  graphene_rect_t bounds = GRAPHENE_RECT_INIT (0, 48, gtk_widget_get_width (widget), 0);
  float indent;

  if (!gtk_bitset_is_empty (selected))
    holdall_browser_get_row_bounds (self, gtk_bitset_get_minimum (selected), widget, &bounds);
  /* Below the name, which stands on the right where one reads from there. */
  indent = MIN (bounds.size.width / 2, 64);
  if (gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL)
    indent = bounds.size.width - indent;
  show_menu (self, user_data, bounds.origin.x + indent, bounds.origin.y + bounds.size.height);
  return TRUE;
}

static void
add_shortcut (GtkEventController *controller,
              const char         *trigger,
              GtkShortcutAction  *action)
{
  gtk_shortcut_controller_add_shortcut (
    GTK_SHORTCUT_CONTROLLER (controller),
    gtk_shortcut_new (gtk_shortcut_trigger_parse_string (trigger), action));
}

/* GTK 4.8 loses the focus with the menu, and the next arrow key would go to the header bar. */
static void
menu_closed_cb (HoldallBrowser *self,
                GtkPopover     *popover)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  if (focus == NULL || !gtk_widget_is_ancestor (focus, GTK_WIDGET (self)) ||
      focus == GTK_WIDGET (popover) || gtk_widget_is_ancestor (focus, GTK_WIDGET (popover)))
    holdall_browser_focus (self);
}

/* Nothing is selected in a folder that has just been opened, but the first row has the focus: the first
 * arrow key takes that row and not the one after it. */
static gboolean
arrow_cb (GtkWidget *widget,
          GVariant  *args,
          gpointer   user_data)
{
  HoldallBrowser *self = HOLDALL_BROWSER (widget);
  g_autoptr (GtkBitset) selected =
    gtk_selection_model_get_selection (holdall_browser_get_selection (self));
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  GtkListItem *list_item;

  if (focus == NULL || GTK_IS_EDITABLE (focus) || !gtk_bitset_is_empty (selected))
    return FALSE;
  list_item = _holdall_browser_find_list_item (focus);
  if (list_item == NULL)
    return FALSE;
  return gtk_widget_activate_action (focus, "list.select-item", "(ubb)",
                                     gtk_list_item_get_position (list_item), FALSE, FALSE);
}

/* While a name is typed in a row, its keys are the entry's. */
static gboolean
activate_cb (GtkWidget *widget,
             GVariant  *args,
             gpointer   user_data)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  if (focus != NULL && GTK_IS_EDITABLE (focus))
    return FALSE;
  return gtk_widget_activate_action (widget, user_data, NULL);
}

static void
add_action_shortcut (GtkEventController *controller,
                     const char         *trigger,
                     const char         *action)
{
  add_shortcut (controller, trigger, gtk_callback_action_new (activate_cb, (gpointer) action, NULL));
}

static void
add_gestures (GtkWidget  *view,
              GtkPopover *popover)
{
  GtkGesture *secondary = gtk_gesture_click_new ();

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (secondary), GDK_BUTTON_SECONDARY);
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (secondary), GTK_PHASE_CAPTURE);
  g_signal_connect (secondary, "pressed", G_CALLBACK (secondary_pressed_cb), popover);
  gtk_widget_add_controller (view, GTK_EVENT_CONTROLLER (secondary));

  if (GTK_IS_COLUMN_VIEW (view))
    {
      GtkGesture *primary = gtk_gesture_click_new ();

      gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (primary), GDK_BUTTON_PRIMARY);
      gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (primary),
                                                  GTK_PHASE_CAPTURE);
      g_signal_connect (primary, "released", G_CALLBACK (primary_released_cb), NULL);
      gtk_widget_add_controller (view, GTK_EVENT_CONTROLLER (primary));
    }
}

void
_holdall_browser_input_init (HoldallBrowser *self,
                             GtkWidget      *list,
                             GtkWidget      *grid,
                             GtkPopover     *context_popover)
{
  GtkEventController *keys = gtk_shortcut_controller_new ();

  add_gestures (list, context_popover);
  add_gestures (grid, context_popover);

  /* Before the rows see them: Space would only select the row that is selected anyway. */
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  add_action_shortcut (keys, "BackSpace", "win.go-up");
  add_action_shortcut (keys, "space", "win.show-preview");
  add_action_shortcut (keys, "Escape", "win.end-cut");
  add_shortcut (keys, "Menu|<Shift>F10", gtk_callback_action_new (popup_menu_cb, context_popover, NULL));
  add_shortcut (keys, "Down|Up|KP_Down|KP_Up", gtk_callback_action_new (arrow_cb, NULL, NULL));
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
  g_signal_connect_object (context_popover, "closed", G_CALLBACK (menu_closed_cb), self,
                           G_CONNECT_SWAPPED);
}
