/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Every row is bound to a key of the settings; there is nothing else to it. */

#include "config.h"

#include "holdall-preferences.h"

struct _HoldallPreferences {
  AdwPreferencesWindow parent_instance;

  AdwComboRow *conflict_row;
  GtkSwitch *folders_switch;
  GtkSwitch *new_folder_switch;
};

G_DEFINE_FINAL_TYPE (HoldallPreferences, holdall_preferences, ADW_TYPE_PREFERENCES_WINDOW)

static void
holdall_preferences_class_init (HoldallPreferencesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_template_from_resource (widget_class, HOLDALL_APP_PATH
                                               "/holdall-preferences.ui");
  gtk_widget_class_bind_template_child (widget_class, HoldallPreferences, conflict_row);
  gtk_widget_class_bind_template_child (widget_class, HoldallPreferences, folders_switch);
  gtk_widget_class_bind_template_child (widget_class, HoldallPreferences, new_folder_switch);
}

static void
holdall_preferences_init (HoldallPreferences *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/* The key is an enumeration in the order of the list's rows. */
static void
conflict_selected_cb (AdwComboRow *row,
                      GParamSpec  *pspec,
                      GSettings   *settings)
{
  g_settings_set_enum (settings, "extract-conflict", (int) adw_combo_row_get_selected (row));
}

void
holdall_preferences_present (GtkWindow *parent,
                             GSettings *settings)
{
  HoldallPreferences *self =
    g_object_new (HOLDALL_TYPE_PREFERENCES, "transient-for", parent, NULL);

  g_settings_bind (settings, "extract-new-folder", self->new_folder_switch, "active",
                   G_SETTINGS_BIND_DEFAULT);
  g_settings_bind (settings, "folders-first", self->folders_switch, "active",
                   G_SETTINGS_BIND_DEFAULT);
  adw_combo_row_set_selected (self->conflict_row,
                              (guint) g_settings_get_enum (settings, "extract-conflict"));
  g_signal_connect_object (self->conflict_row, "notify::selected",
                           G_CALLBACK (conflict_selected_cb), settings, 0);
  gtk_window_present (GTK_WINDOW (self));
}
