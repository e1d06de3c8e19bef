/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Search by name in the whole archive. The folder one was in waits behind the results. */

#include "config.h"

#include "holdall-window-private.h"

static void
show_results (HoldallWindow *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->search_entry));

  if (self->archive == NULL)
    return;
  g_clear_pointer (&self->query, holdall_query_free);
  if (*text != '\0')
    {
      self->query = g_new0 (HoldallQuery, 1);
      self->query->text = g_strdup (text);
      self->query->is_glob = gtk_toggle_button_get_active (self->search_glob);
      self->query->case_sensitive = gtk_toggle_button_get_active (self->search_case);
    }
  _holdall_window_show_folder (self, NULL);
}

static void
search_changed_cb (HoldallWindow *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->search_entry));

  if (*text != '\0' || self->query != NULL)
    show_results (self);
}

static void
toggles_changed_cb (HoldallWindow *self)
{
  g_settings_set_boolean (self->settings, "search-glob",
                          gtk_toggle_button_get_active (self->search_glob));
  g_settings_set_boolean (self->settings, "search-case-sensitive",
                          gtk_toggle_button_get_active (self->search_case));
  if (self->query != NULL)
    show_results (self);
}

/* Enter in the entry goes on in the results. */
static void
entry_activated_cb (HoldallWindow *self)
{
  GtkSelectionModel *selection = holdall_browser_get_selection (self->browser);

  search_changed_cb (self);
  if (g_list_model_get_n_items (G_LIST_MODEL (selection)) > 0)
    {
      gtk_selection_model_select_item (selection, 0, TRUE);
      holdall_browser_focus_row (self->browser, 0);
    }
}

static gboolean
has_entry_focus (HoldallWindow *self)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));

  return focus != NULL && gtk_widget_is_ancestor (focus, GTK_WIDGET (self->search_entry));
}

/* Later GTK gives the focus to nothing that is not on the screen yet. */
static gboolean
focus_entry_cb (GtkWidget     *widget,
                GdkFrameClock *clock,
                gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (widget);

  if (!gtk_search_bar_get_search_mode (self->search_bar) || has_entry_focus (self))
    return G_SOURCE_REMOVE;
  if (!gtk_widget_get_mapped (GTK_WIDGET (self->search_entry)))
    return G_SOURCE_CONTINUE;
  gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
  return G_SOURCE_REMOVE;
}

/* What is typed while the bar opens is meant for its entry, too: the bar sees to the first letter
 * only. */
static gboolean
key_pressed_cb (GtkEventControllerKey *keys,
                guint                  keyval,
                guint                  keycode,
                GdkModifierType        modifiers,
                HoldallWindow         *self)
{
  if (!gtk_search_bar_get_search_mode (self->search_bar) ||
      gtk_widget_get_mapped (GTK_WIDGET (self->search_entry)))
    return GDK_EVENT_PROPAGATE;
  return gtk_event_controller_key_forward (
    keys, GTK_WIDGET (gtk_editable_get_delegate (GTK_EDITABLE (self->search_entry))));
}

static void
mode_changed_cb (HoldallWindow *self)
{
  gboolean enabled = gtk_search_bar_get_search_mode (self->search_bar);

  _holdall_window_set_state (self, "search", g_variant_new_boolean (enabled));
  _holdall_window_set_enabled (self, "leave-search", enabled);
  if (enabled)
    {
      gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
      gtk_widget_add_tick_callback (GTK_WIDGET (self), focus_entry_cb, NULL, NULL);
    }
  else if (self->query != NULL)
    {
      g_clear_pointer (&self->query, holdall_query_free);
      if (self->archive != NULL)
        {
          _holdall_window_show_folder (self, NULL);
          holdall_browser_focus (self->browser);
        }
    }
}

static void
search_cb (GSimpleAction *action,
           GVariant      *value,
           gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);

  gtk_search_bar_set_search_mode (self->search_bar, g_variant_get_boolean (value));
}

/* Ctrl+F on an open search bar goes to its entry instead of closing it. */
static void
find_cb (GSimpleAction *action,
         GVariant      *parameter,
         gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);

  if (self->archive == NULL)
    return;
  gtk_search_bar_set_search_mode (self->search_bar, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
}

/* Escape in the results; in the entry the search bar sees to it. */
static void
leave_search_cb (GSimpleAction *action,
                 GVariant      *parameter,
                 gpointer       user_data)
{
  gtk_search_bar_set_search_mode (HOLDALL_WINDOW (user_data)->search_bar, FALSE);
}

gboolean
_holdall_window_is_searching (HoldallWindow *self)
{
  return self->query != NULL;
}

void
_holdall_window_end_search (HoldallWindow *self)
{
  g_clear_pointer (&self->query, holdall_query_free);
  gtk_search_bar_set_search_mode (self->search_bar, FALSE);
}

void
_holdall_window_search_init (HoldallWindow *self)
{
  static const GActionEntry entries[] = {
    { "search", NULL, NULL, "false", search_cb },
    { "find", find_cb },
    { "leave-search", leave_search_cb },
  };

  GtkEventController *keys = gtk_event_controller_key_new ();

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  _holdall_window_set_enabled (self, "leave-search", FALSE);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (key_pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
  gtk_search_bar_connect_entry (self->search_bar, GTK_EDITABLE (self->search_entry));
  gtk_toggle_button_set_active (self->search_glob,
                                g_settings_get_boolean (self->settings, "search-glob"));
  gtk_toggle_button_set_active (self->search_case,
                                g_settings_get_boolean (self->settings, "search-case-sensitive"));
  g_signal_connect_swapped (self->search_entry, "search-changed", G_CALLBACK (search_changed_cb), self);
  g_signal_connect_swapped (self->search_entry, "activate", G_CALLBACK (entry_activated_cb), self);
  g_signal_connect_swapped (self->search_glob, "toggled", G_CALLBACK (toggles_changed_cb), self);
  g_signal_connect_swapped (self->search_case, "toggled", G_CALLBACK (toggles_changed_cb), self);
  g_signal_connect_swapped (self->search_bar, "notify::search-mode-enabled",
                            G_CALLBACK (mode_changed_cb), self);
}
