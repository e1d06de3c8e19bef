/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Actions on what is shown: the views, the columns, the selection. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-engine-text.h"
#include "holdall-menu-reasons.h"
#include "holdall-properties-dialog.h"
#include "holdall-window-extract.h"
#include "holdall-window-private.h"

static void
apply_view (HoldallWindow *self,
            const char    *view)
{
  gboolean is_grid = g_strcmp0 (view, "grid") == 0;

  holdall_browser_set_grid (self->browser, is_grid);
  /* The button shows the view that a click would bring. */
  adw_split_button_set_icon_name (self->view_button,
                                  is_grid ? "view-list-symbolic" : "view-grid-symbolic");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->view_button),
                               is_grid ? _("Show as a List") : _("Show as a Grid"));
}

static void
view_cb (GSimpleAction *action,
         GVariant      *value,
         gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  const char *view = g_variant_get_string (value, NULL);

  if (g_strcmp0 (view, "grid") != 0 && g_strcmp0 (view, "list") != 0)
    return;
  g_simple_action_set_state (action, value);
  g_settings_set_string (self->settings, "view", view);
  apply_view (self, view);
}

static void
toggle_view_cb (GSimpleAction *action,
                GVariant      *parameter,
                gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);

  g_action_group_activate_action (
    G_ACTION_GROUP (self), "view",
    g_variant_new_string (holdall_browser_is_grid (self->browser) ? "list" : "grid"));
}

static void
show_tree_cb (GSimpleAction *action,
              GVariant      *value,
              gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);

  g_simple_action_set_state (action, value);
  g_settings_set_boolean (self->settings, "show-tree", g_variant_get_boolean (value));
  adw_flap_set_reveal_flap (self->tree_flap, g_variant_get_boolean (value));
}

static void
show_preview_cb (GSimpleAction *action,
                 GVariant      *value,
                 gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);

  g_simple_action_set_state (action, value);
  g_settings_set_boolean (self->settings, "show-preview", g_variant_get_boolean (value));
  adw_flap_set_reveal_flap (self->preview_flap, g_variant_get_boolean (value));
  _holdall_window_queue_status (self);
}

/* A flap that lies over the rows can be swept away. */
static void
flap_revealed_cb (HoldallWindow *self)
{
  _holdall_window_set_state (self, "show-tree",
                             g_variant_new_boolean (adw_flap_get_reveal_flap (self->tree_flap)));
  _holdall_window_set_state (self, "show-preview",
                             g_variant_new_boolean (adw_flap_get_reveal_flap (self->preview_flap)));
}

static void
sort_cb (GSimpleAction *action,
         GVariant      *value,
         gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  HoldallOrder order = *holdall_entry_model_get_order (holdall_browser_get_model (self->browser));
  const HoldallColumn *column = holdall_column_by_nick (g_variant_get_string (value, NULL));

  if (column == NULL)
    return;
  order.column = column->id;
  holdall_browser_set_order (self->browser, &order);
}

static void
sort_descending_cb (GSimpleAction *action,
                    GVariant      *value,
                    gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  HoldallOrder order = *holdall_entry_model_get_order (holdall_browser_get_model (self->browser));

  order.descending = g_variant_get_boolean (value);
  holdall_browser_set_order (self->browser, &order);
}

static void
folders_first_cb (GSimpleAction *action,
                  GVariant      *value,
                  gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  HoldallOrder order = *holdall_entry_model_get_order (holdall_browser_get_model (self->browser));

  order.folders_first = g_variant_get_boolean (value);
  holdall_browser_set_order (self->browser, &order);
}

static void
select_all_cb (GSimpleAction *action,
               GVariant      *parameter,
               gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));

  /* In a text that is being typed, Ctrl+A means that text. */
  if (focus != NULL && GTK_IS_EDITABLE (focus))
    gtk_editable_select_region (GTK_EDITABLE (focus), 0, -1);
  else
    gtk_selection_model_select_all (holdall_browser_get_selection (self->browser));
}

static void
invert_selection_cb (GSimpleAction *action,
                     GVariant      *parameter,
                     gpointer       user_data)
{
  holdall_browser_invert_selection (HOLDALL_WINDOW (user_data)->browser);
}

/* (nullable) (transfer full): the path of the only selected row */
static char *
dup_only_selected (HoldallWindow *self,
                   HoldNode     **node)
{
  g_autoptr (GPtrArray) nodes = holdall_browser_dup_selected_nodes (self->browser);

  if (nodes->len != 1)
    return NULL;
  *node = g_ptr_array_index (nodes, 0);
  return hold_node_dup_path (*node);
}

static void
show_in_folder_cb (GSimpleAction *action,
                   GVariant      *parameter,
                   gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  HoldNode *node = NULL;
  g_autofree char *path = dup_only_selected (self, &node);
  HoldNode *parent = node != NULL ? hold_node_get_parent (node) : NULL;
  g_autofree char *folder = parent != NULL ? hold_node_dup_path (parent) : NULL;
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();

  if (folder == NULL)
    return;
  _holdall_window_go_to (self, folder);
  g_ptr_array_add (nodes, node);
  holdall_browser_select (self->browser, nodes, TRUE);
  holdall_browser_focus (self->browser);
}

static void
archive_properties_cb (GSimpleAction *action,
                       GVariant      *parameter,
                       gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);

  if (self->archive != NULL)
    holdall_properties_dialog_present (GTK_WINDOW (self), self->archive, NULL);
}

static void
close_cb (GSimpleAction *action,
          GVariant      *parameter,
          gpointer       user_data)
{
  gtk_window_close (GTK_WINDOW (user_data));
}

static void
column_visible_cb (GSimpleAction *action,
                   GVariant      *value,
                   gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  const HoldallColumn *column = holdall_column_by_nick (g_action_get_name (G_ACTION (action)));

  g_simple_action_set_state (action, value);
  holdall_browser_set_column_visible (self->browser, column->id, g_variant_get_boolean (value));
}

/* One switch per column, in a group of their own. */
static void
add_column_actions (HoldallWindow *self)
{
  g_autoptr (GSimpleActionGroup) group = g_simple_action_group_new ();

  for (guint i = 0; i < HOLDALL_COLUMN_FOLDER; i++)
    {
      g_autoptr (GSimpleAction) action = NULL;
      const HoldallColumn *column = holdall_column_get (i);
      g_auto (GStrv) shown = g_settings_get_strv (self->settings, "columns");
      gboolean visible = g_strv_contains ((const char * const *) shown, column->nick);

      if (i == HOLDALL_COLUMN_NAME)
        continue;
      action = g_simple_action_new_stateful (column->nick, NULL, g_variant_new_boolean (visible));
      g_signal_connect_object (action, "change-state", G_CALLBACK (column_visible_cb), self, 0);
      g_action_map_add_action (G_ACTION_MAP (group), G_ACTION (action));
    }
  gtk_widget_insert_action_group (GTK_WIDGET (self), "columns", G_ACTION_GROUP (group));
}

/* What the menus say about the archive as a whole. */
#define CHANGE_ACTION "win.change"

static char *
why_not_cb (const char *action,
            gpointer    user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  const char *name = g_str_has_prefix (action, "win.") ? action + strlen ("win.") : action;

  if (g_str_equal (action, CHANGE_ACTION))
    return self->archive != NULL
             ? holdall_engine_text_why_not (hold_archive_why_not (self->archive, HOLD_CAP_UPDATE))
             : NULL;
  if (g_str_has_prefix (name, "extract") || g_str_equal (name, "test"))
    return _holdall_window_extract_why_not (self, name);
  if (self->archive == NULL)
    return g_strdup (_("No archive is open"));
  if (g_str_equal (name, "choose-encoding"))
    return g_strdup (_("All names of this archive are Unicode"));
  return _holdall_window_edit_why_not (self, name);
}

static void
explain_menus (HoldallWindow *self)
{
  GtkPopoverMenu *rows = holdall_browser_get_context_menu (self->browser);
  GtkPopover *primary = gtk_menu_button_get_popover (self->menu_button);
  GtkPopover *extract = adw_split_button_get_popover (self->extract_button);

  holdall_menu_reasons_attach (rows, gtk_popover_menu_get_menu_model (rows), "note", CHANGE_ACTION,
                               why_not_cb, self);
  holdall_menu_reasons_attach (GTK_POPOVER_MENU (primary),
                               gtk_menu_button_get_menu_model (self->menu_button), "note",
                               CHANGE_ACTION, why_not_cb, self);
  holdall_menu_reasons_attach (GTK_POPOVER_MENU (extract),
                               adw_split_button_get_menu_model (self->extract_button), NULL, NULL,
                               why_not_cb, self);
}

void
_holdall_window_actions_update (HoldallWindow *self)
{
  g_autoptr (GtkBitset) selected =
    gtk_selection_model_get_selection (holdall_browser_get_selection (self->browser));
  guint64 n_selected = gtk_bitset_get_size (selected);

  _holdall_window_set_enabled (self, "show-in-folder",
                               n_selected == 1 && _holdall_window_is_searching (self));
}

void
_holdall_window_actions_init (HoldallWindow *self)
{
  static const GActionEntry entries[] = {
    { "view", NULL, "s", "'list'", view_cb },
    { "toggle-view", toggle_view_cb },
    { "show-tree", NULL, NULL, "false", show_tree_cb },
    { "show-preview", NULL, NULL, "false", show_preview_cb },
    { "sort", NULL, "s", "'name'", sort_cb },
    { "sort-descending", NULL, NULL, "false", sort_descending_cb },
    { "folders-first", NULL, NULL, "true", folders_first_cb },
    { "select-all", select_all_cb },
    { "invert-selection", invert_selection_cb },
    { "show-in-folder", show_in_folder_cb },
    { "archive-properties", archive_properties_cb },
    { "close", close_cb },
  };
  g_autofree char *view = g_settings_get_string (self->settings, "view");

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  add_column_actions (self);
  explain_menus (self);
  _holdall_window_set_state (self, "view", g_variant_new_string (view));
  apply_view (self, view);
  adw_flap_set_reveal_flap (self->tree_flap, g_settings_get_boolean (self->settings, "show-tree"));
  adw_flap_set_reveal_flap (self->preview_flap,
                            g_settings_get_boolean (self->settings, "show-preview"));
  flap_revealed_cb (self);
  g_signal_connect_swapped (self->tree_flap, "notify::reveal-flap", G_CALLBACK (flap_revealed_cb), self);
  g_signal_connect_swapped (self->preview_flap, "notify::reveal-flap", G_CALLBACK (flap_revealed_cb),
                            self);
}
