/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Windows come and go; settings and jobs are here. */

#include "config.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "holdall-accessible.h"
#include "holdall-application.h"
#include "holdall-archive-manager.h"
#include "holdall-ending.h"
#include "holdall-options.h"
#include "holdall-preferences.h"
#include "holdall-window.h"

struct _HoldallApplication {
  AdwApplication parent_instance;

  GSettings *settings;
  HoldallJobList *jobs;
  HoldallDoors *doors;
  HoldallOpenedList *opened;
  HoldallEnding *ending;
  HoldallArchiveManager *archive_manager;  /* (nullable): there is no bus */
  GtkCssProvider *high_contrast;
  int exit_status;
};

G_DEFINE_FINAL_TYPE (HoldallApplication, holdall_application, ADW_TYPE_APPLICATION)

/* (nullable), borrowed: the window that had the focus last; dialogs of errands do not count. */
static GtkWindow *
find_window (GtkApplication *application)
{
  for (GList *l = gtk_application_get_windows (application); l != NULL; l = l->next)
    if (HOLDALL_IS_WINDOW (l->data))
      return l->data;
  return NULL;
}

static void
new_window_cb (GSimpleAction *action,
               GVariant      *parameter,
               gpointer       user_data)
{
  gtk_window_present (GTK_WINDOW (holdall_window_new (HOLDALL_APPLICATION (user_data))));
}

/* From outside of a window (the desktop's menu): shows a window first. */
static void
activate_in_window (GtkApplication *application,
                    const char     *action)
{
  GtkWindow *window = find_window (application);

  if (window == NULL)
    {
      window = GTK_WINDOW (holdall_window_new (HOLDALL_APPLICATION (application)));
      gtk_window_present (window);
    }
  g_action_group_activate_action (G_ACTION_GROUP (window), action, NULL);
}

static void
open_cb (GSimpleAction *action,
         GVariant      *parameter,
         gpointer       user_data)
{
  activate_in_window (GTK_APPLICATION (user_data), "open");
}

static void
new_archive_cb (GSimpleAction *action,
                GVariant      *parameter,
                gpointer       user_data)
{
  activate_in_window (GTK_APPLICATION (user_data), "new-archive");
}

static void
preferences_cb (GSimpleAction *action,
                GVariant      *parameter,
                gpointer       user_data)
{
  HoldallApplication *self = HOLDALL_APPLICATION (user_data);

  holdall_preferences_present (gtk_application_get_active_window (GTK_APPLICATION (self)),
                               self->settings);
}

static void
about_cb (GSimpleAction *action,
          GVariant      *parameter,
          gpointer       user_data)
{
  static const char * const developers[] = { "The Holdall developers", NULL };

  adw_show_about_window (gtk_application_get_active_window (GTK_APPLICATION (user_data)),
                         "application-name", g_get_application_name (),
                         "application-icon", HOLDALL_APP_ID,
                         "version", HOLDALL_VERSION,
                         "comments", _("Look into archives as if they were folders"),
                         "developer-name", _("The Holdall developers"),
                         "developers", developers,
                         "copyright", "© 2026 The Holdall developers",
                         "license-type", GTK_LICENSE_GPL_3_0,
                         "website", "https://github.com/holdall/holdall",
                         "issue-url", "https://github.com/holdall/holdall/issues",
                         /* Translators: put your names here, one a line. */
                         "translator-credits", _("translator-credits"),
                         NULL);
}

static void
quit_cb (GSimpleAction *action,
         GVariant      *parameter,
         gpointer       user_data)
{
  holdall_ending_quit (HOLDALL_APPLICATION (user_data)->ending);
}

static void
add_accelerators (GtkApplication *application)
{
  static const struct {
    const char *action;
    const char *accels[3];
  } table[] = {
    { "app.new-window", { "<Control>n" } },
    { "app.preferences", { "<Control>comma" } },
    { "app.quit", { "<Control>q" } },
    { "win.close", { "<Control>w" } },
    { "win.extract", { "<Control>e" } },
    { "win.extract-to", { "<Control><Shift>e" } },
    { "win.find", { "<Control>f" } },
    { "win.go-back", { "<Alt>Left" } },
    { "win.go-forward", { "<Alt>Right" } },
    { "win.go-up", { "<Alt>Up" } },
    { "win.go-to::", { "<Alt>Home" } },
    { "win.invert-selection", { "<Control><Shift>i" } },
    { "win.open", { "<Control>o" } },
    { "win.open-entry", { "<Alt>Down" } },
    { "win.properties", { "<Alt>Return" } },
    { "win.select-all", { "<Control>a" } },
    { "win.show-help-overlay", { "<Control>question" } },
    { "win.show-preview", { "F8" } },
    { "win.show-tree", { "F9" } },
    { "win.test", { "<Control>t" } },
    { "win.try-again", { "F5", "<Control>r" } },
    { "win.view::list", { "<Control>1" } },
    { "win.view::grid", { "<Control>2" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    gtk_application_set_accels_for_action (application, table[i].action, table[i].accels);
}

static void
high_contrast_cb (HoldallApplication *self)
{
  GdkDisplay *display = gdk_display_get_default ();
  GtkStyleProvider *style = GTK_STYLE_PROVIDER (self->high_contrast);

  if (adw_style_manager_get_high_contrast (adw_style_manager_get_default ()))
    gtk_style_context_add_provider_for_display (display, style,
                                                GTK_STYLE_PROVIDER_PRIORITY_APPLICATION + 1);
  else
    gtk_style_context_remove_provider_for_display (display, style);
}

/* libadwaita 1.2 would load a "style-hc.css" by itself; 1.10 warns of one and wants media queries,
 * which GTK reads from 4.20 on. This way is good for all. */
static void
follow_high_contrast (HoldallApplication *self)
{
  self->high_contrast = gtk_css_provider_new ();
  gtk_css_provider_load_from_resource (self->high_contrast, HOLDALL_APP_PATH "/high-contrast.css");
  g_signal_connect_object (adw_style_manager_get_default (), "notify::high-contrast",
                           G_CALLBACK (high_contrast_cb), self, G_CONNECT_SWAPPED);
  high_contrast_cb (self);
}

static void
holdall_application_startup (GApplication *application)
{
  static const GActionEntry entries[] = {
    { "about", about_cb },
    { "new-archive", new_archive_cb },
    { "new-window", new_window_cb },
    { "open", open_cb },
    { "preferences", preferences_cb },
    { "quit", quit_cb },
  };
  HoldallApplication *self = HOLDALL_APPLICATION (application);

  G_APPLICATION_CLASS (holdall_application_parent_class)->startup (application);

  gtk_window_set_default_icon_name (HOLDALL_APP_ID);
  holdall_accessible_init ();
  follow_high_contrast (self);
  self->settings = g_settings_new (HOLDALL_APP_ID);
  self->jobs = holdall_job_list_new (GTK_APPLICATION (self));
  self->doors = holdall_doors_new (GTK_APPLICATION (self), self->jobs);
  self->opened = holdall_opened_list_new (GTK_APPLICATION (self), self->jobs);
  self->ending = holdall_ending_new (GTK_APPLICATION (self), self->jobs);
  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  add_accelerators (GTK_APPLICATION (self));
}

static void
holdall_application_shutdown (GApplication *application)
{
  HoldallApplication *self = HOLDALL_APPLICATION (application);

  g_clear_pointer (&self->ending, holdall_ending_free);
  if (self->doors != NULL)
    holdall_doors_close (self->doors);
  g_clear_object (&self->doors);
  if (self->opened != NULL)
    holdall_opened_list_close (self->opened);
  g_clear_object (&self->opened);
  /* Before the toolkit goes. Windows that are open still have the list as well. */
  if (self->jobs != NULL)
    holdall_job_list_close (self->jobs);
  g_clear_object (&self->jobs);
  holdall_offer_flush ();
  g_clear_object (&self->settings);
  g_clear_object (&self->high_contrast);

  G_APPLICATION_CLASS (holdall_application_parent_class)->shutdown (application);
}

static void
holdall_application_activate (GApplication *application)
{
  GtkWindow *window = find_window (GTK_APPLICATION (application));

  if (window == NULL)
    window = GTK_WINDOW (holdall_window_new (HOLDALL_APPLICATION (application)));
  gtk_window_present (window);
}

/* The window in front takes the first file if it is vacant; every other file gets a window. */
static void
holdall_application_open (GApplication  *application,
                          GFile        **files,
                          int            n_files,
                          const char    *hint)
{
  HoldallApplication *self = HOLDALL_APPLICATION (application);
  GtkWindow *active = find_window (GTK_APPLICATION (application));

  for (int i = 0; i < n_files; i++)
    {
      HoldallWindow *window =
        i == 0 && active != NULL && holdall_window_is_vacant (HOLDALL_WINDOW (active))
          ? HOLDALL_WINDOW (active)
          : holdall_window_new (self);

      holdall_window_open (window, files[i]);
      gtk_window_present (GTK_WINDOW (window));
    }
}

static int
holdall_application_handle_local_options (GApplication *application,
                                          GVariantDict *options)
{
  return holdall_options_handle_local (options);
}

static int
holdall_application_command_line (GApplication            *application,
                                  GApplicationCommandLine *command_line)
{
  int status = holdall_options_run (HOLDALL_APPLICATION (application), command_line);

  /* Paths were relative to it until now. Some file managers start programs in the folder that they show,
   * and its disk could not be ejected. */
  if (g_chdir (g_get_home_dir ()) != 0 && g_chdir ("/") != 0)
    g_debug ("The folder that the program was started in stays in use");
  return status;
}

static gboolean
holdall_application_dbus_register (GApplication     *application,
                                   GDBusConnection  *connection,
                                   const char       *object_path,
                                   GError          **error)
{
  HoldallApplication *self = HOLDALL_APPLICATION (application);
  g_autoptr (GError) own_error = NULL;

  if (!G_APPLICATION_CLASS (holdall_application_parent_class)->dbus_register (application, connection,
                                                                              object_path, error))
    return FALSE;
  /* Windows open without it as well. */
  self->archive_manager = holdall_archive_manager_new (self, connection, &own_error);
  if (self->archive_manager == NULL)
    g_warning ("File managers cannot call: %s", own_error->message);
  return TRUE;
}

static void
holdall_application_dbus_unregister (GApplication    *application,
                                     GDBusConnection *connection,
                                     const char      *object_path)
{
  g_clear_object (&HOLDALL_APPLICATION (application)->archive_manager);

  G_APPLICATION_CLASS (holdall_application_parent_class)->dbus_unregister (application, connection,
                                                                           object_path);
}

static void
holdall_application_class_init (HoldallApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (klass);

  application_class->activate = holdall_application_activate;
  application_class->command_line = holdall_application_command_line;
  application_class->dbus_register = holdall_application_dbus_register;
  application_class->dbus_unregister = holdall_application_dbus_unregister;
  application_class->handle_local_options = holdall_application_handle_local_options;
  application_class->open = holdall_application_open;
  application_class->shutdown = holdall_application_shutdown;
  application_class->startup = holdall_application_startup;
}

static void
holdall_application_init (HoldallApplication *self)
{
  g_set_application_name (_("Holdall"));
  holdall_options_add (G_APPLICATION (self));
}

HoldallApplication *
holdall_application_new (void)
{
  return g_object_new (HOLDALL_TYPE_APPLICATION,
                       "application-id", HOLDALL_APP_ID,
                       "flags", G_APPLICATION_HANDLES_OPEN |
                                G_APPLICATION_HANDLES_COMMAND_LINE,
                       /* For the session to say when it ends. */
                       "register-session", TRUE,
                       "resource-base-path", HOLDALL_APP_PATH,
                       NULL);
}

HoldallJobList *
holdall_application_get_jobs (HoldallApplication *self)
{
  g_return_val_if_fail (HOLDALL_IS_APPLICATION (self), NULL);

  return self->jobs;
}

HoldallDoors *
holdall_application_get_doors (HoldallApplication *self)
{
  g_return_val_if_fail (HOLDALL_IS_APPLICATION (self), NULL);

  return self->doors;
}

HoldallOpenedList *
holdall_application_get_opened (HoldallApplication *self)
{
  g_return_val_if_fail (HOLDALL_IS_APPLICATION (self), NULL);

  return self->opened;
}

GSettings *
holdall_application_get_settings (HoldallApplication *self)
{
  g_return_val_if_fail (HOLDALL_IS_APPLICATION (self), NULL);

  return self->settings;
}

int
holdall_application_get_exit_status (HoldallApplication *self)
{
  g_return_val_if_fail (HOLDALL_IS_APPLICATION (self), 0);

  return self->exit_status;
}

void
holdall_application_set_exit_status (HoldallApplication *self,
                                     int                 exit_status)
{
  g_return_if_fail (HOLDALL_IS_APPLICATION (self));

  self->exit_status = exit_status;
}

gboolean
holdall_application_is_test (HoldallApplication *self)
{
  return g_strcmp0 (g_getenv ("HOLDALL_TEST"), "1") == 0;
}
