/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The list of recent files is the desktop's; of it, those that Holdall opened. */

#include "config.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <hold.h>

#include "holdall-format-text.h"
#include "holdall-portal.h"
#include "holdall-type-info.h"
#include "holdall-welcome.h"

#define MAX_RECENT 6

struct _HoldallWelcome {
  GtkWidget parent_instance;

  AdwStatusPage *page;
  GtkButton *open_button;
  AdwPreferencesGroup *recent_group;
  GtkListBox *recent_list;
};

G_DEFINE_FINAL_TYPE (HoldallWelcome, holdall_welcome, GTK_TYPE_WIDGET)

enum { OPEN, N_SIGNALS };

static guint signals[N_SIGNALS];

static void
row_activated_cb (HoldallWelcome *self,
                  AdwActionRow   *row)
{
  g_autoptr (GFile) file = g_file_new_for_uri (g_object_get_data (G_OBJECT (row), "uri"));

  g_signal_emit (self, signals[OPEN], 0, file);
}

/* "~/Downloads" rather than the whole path. */
static char *
dup_short_folder (GFile *file)
{
  g_autofree char *local_path = g_file_get_path (file);
  g_autofree char *host_path = local_path != NULL ? holdall_portal_dup_host_path (local_path) : NULL;
  g_autoptr (GFile) host_file = NULL;
  g_autoptr (GFile) parent = NULL;
  g_autoptr (GFile) home = g_file_new_for_path (g_get_home_dir ());
  g_autofree char *below = NULL;
  g_autofree char *path = NULL;

  /* A document whose place outside the portal does not tell. */
  if (local_path != NULL && host_path == NULL)
    return g_strdup ("");
  host_file = host_path != NULL ? g_file_new_for_path (host_path) : g_object_ref (file);
  parent = g_file_get_parent (host_file);
  if (parent == NULL)
    return g_strdup ("");
  if (g_file_equal (parent, home))
    return g_strdup ("~");
  below = g_file_get_relative_path (home, parent);
  path = below != NULL ? g_build_filename ("~", below, NULL) : g_file_get_parse_name (parent);
  return holdall_format_path (path);
}

static void
add_row (HoldallWelcome *self,
         GtkRecentInfo  *info)
{
  g_autoptr (GFile) file = g_file_new_for_uri (gtk_recent_info_get_uri (info));
  g_autofree char *name = holdall_format_path (gtk_recent_info_get_display_name (info));
  g_autofree char *folder = dup_short_folder (file);
  g_autofree char *title = g_markup_escape_text (name, -1);
  g_autofree char *subtitle = g_markup_escape_text (folder, -1);
  GtkWidget *row = adw_action_row_new ();

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  adw_action_row_set_title_lines (ADW_ACTION_ROW (row), 1);
  adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (row), 1);
  adw_action_row_add_prefix (
    ADW_ACTION_ROW (row),
    gtk_image_new_from_gicon (holdall_type_info_for_name (name)->symbolic_icon));
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  g_object_set_data_full (G_OBJECT (row), "uri", g_strdup (gtk_recent_info_get_uri (info)), g_free);
  gtk_list_box_append (self->recent_list, row);
}

static int
compare_visited (gconstpointer a,
                 gconstpointer b)
{
  return g_date_time_compare (gtk_recent_info_get_visited ((GtkRecentInfo *) b),
                              gtk_recent_info_get_visited ((GtkRecentInfo *) a));
}

static void
fill_recent (HoldallWelcome *self)
{
  GList *infos = gtk_recent_manager_get_items (gtk_recent_manager_get_default ());
  GtkWidget *child;
  guint n_rows = 0;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->recent_list))) != NULL)
    gtk_list_box_remove (self->recent_list, child);
  infos = g_list_sort (infos, compare_visited);
  for (GList *l = infos; l != NULL && n_rows < MAX_RECENT; l = l->next)
    {
      GtkRecentInfo *info = l->data;

      if (!gtk_recent_info_has_application (info, g_get_application_name ()) ||
          !gtk_recent_info_exists (info))
        continue;
      add_row (self, info);
      n_rows++;
    }
  gtk_widget_set_visible (GTK_WIDGET (self->recent_group), n_rows > 0);
  g_list_free_full (infos, (GDestroyNotify) gtk_recent_info_unref);
}

static void
holdall_welcome_map (GtkWidget *widget)
{
  HoldallWelcome *self = HOLDALL_WELCOME (widget);

  /* Looked up when it is seen: most windows open an archive at once and never show this. */
  fill_recent (self);
  GTK_WIDGET_CLASS (holdall_welcome_parent_class)->map (widget);
}

static gboolean
holdall_welcome_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (HOLDALL_WELCOME (widget)->open_button));
}

static void
holdall_welcome_dispose (GObject *object)
{
  HoldallWelcome *self = HOLDALL_WELCOME (object);
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);

  G_OBJECT_CLASS (holdall_welcome_parent_class)->dispose (object);
}

static void
holdall_welcome_class_init (HoldallWelcomeClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = holdall_welcome_dispose;
  widget_class->map = holdall_welcome_map;
  widget_class->grab_focus = holdall_welcome_grab_focus;

  signals[OPEN] = g_signal_new ("open", HOLDALL_TYPE_WELCOME, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 1, G_TYPE_FILE);

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, HOLDALL_APP_PATH
                                               "/holdall-welcome.ui");
  gtk_widget_class_bind_template_child (widget_class, HoldallWelcome, open_button);
  gtk_widget_class_bind_template_child (widget_class, HoldallWelcome, page);
  gtk_widget_class_bind_template_child (widget_class, HoldallWelcome, recent_group);
  gtk_widget_class_bind_template_child (widget_class, HoldallWelcome, recent_list);
}

static void
holdall_welcome_init (HoldallWelcome *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  adw_status_page_set_icon_name (self->page, HOLDALL_APP_ID);
  g_signal_connect_swapped (self->recent_list, "row-activated", G_CALLBACK (row_activated_cb), self);
}
