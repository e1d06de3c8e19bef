/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A list of programs: those for this kind of file, then all others that open files. */

#include "config.h"

#include "holdall-app-dialog.h"

#include <glib/gi18n.h>

#include "holdall-open-kind.h"

typedef struct {
  GtkListBox *list;
  HoldallAppChosen chosen;
  gpointer user_data;
  GDestroyNotify destroy;
} Request;

static void
request_free (gpointer  data,
              GClosure *closure)
{
  Request *request = data;

  if (request->destroy != NULL)
    request->destroy (request->user_data);
  g_free (request);
}

static void
response_cb (AdwMessageDialog *dialog,
             const char       *response,
             Request          *request)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (request->list);

  if (g_str_equal (response, "open") && row != NULL)
    request->chosen (g_object_get_data (G_OBJECT (row), "app"), request->user_data);
}

static void
row_selected_cb (AdwMessageDialog *dialog,
                 GtkListBoxRow    *row)
{
  adw_message_dialog_set_response_enabled (dialog, "open", row != NULL);
}

static void
row_activated_cb (AdwMessageDialog *dialog)
{
  adw_message_dialog_response (dialog, "open");
  gtk_window_close (GTK_WINDOW (dialog));
}

static void
add_app (GtkListBox *list,
         GHashTable *seen,
         GAppInfo   *app)
{
  const char *id = g_app_info_get_id (app);
  GtkWidget *box;
  GtkWidget *label;
  GtkWidget *image;
  GtkWidget *row;

  if (id == NULL || g_str_equal (id, HOLDALL_APP_ID ".desktop") || holdall_open_kind_runs (app) ||
      !g_hash_table_add (seen, g_strdup (id)))
    return;
  box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  label = gtk_label_new (g_app_info_get_display_name (app));
  image = gtk_image_new_from_icon_name ("application-x-executable");
  if (g_app_info_get_icon (app) != NULL)
    gtk_image_set_from_gicon (GTK_IMAGE (image), g_app_info_get_icon (app));
  row = gtk_list_box_row_new ();
  gtk_image_set_pixel_size (GTK_IMAGE (image), 32);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_box_append (GTK_BOX (box), image);
  gtk_box_append (GTK_BOX (box), label);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_RELATION_LABELLED_BY, label,
                                  NULL, -1);
  g_object_set_data_full (G_OBJECT (row), "app", g_object_ref (app), g_object_unref);
  gtk_list_box_append (list, row);
}

static int
compare_names (gconstpointer a,
               gconstpointer b)
{
  return g_utf8_collate (g_app_info_get_display_name ((GAppInfo *) a),
                         g_app_info_get_display_name ((GAppInfo *) b));
}

static void
fill (GtkListBox *list,
      const char *type)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GAppInfo) usual = holdall_open_kind_dup_app (type);
  GList *recommended = g_app_info_get_all_for_type (type);
  GList *all = g_list_sort (g_app_info_get_all (), compare_names);

  if (usual != NULL)
    add_app (list, seen, usual);
  for (GList *l = recommended; l != NULL; l = l->next)
    add_app (list, seen, l->data);
  for (GList *l = all; l != NULL; l = l->next)
    if (g_app_info_should_show (l->data) &&
        (g_app_info_supports_files (l->data) || g_app_info_supports_uris (l->data)))
      add_app (list, seen, l->data);
  g_list_free_full (recommended, g_object_unref);
  g_list_free_full (all, g_object_unref);
}

void
holdall_app_dialog_present (GtkWindow        *parent,
                            const char       *name,
                            const char       *type,
                            HoldallAppChosen  chosen,
                            gpointer          user_data,
                            GDestroyNotify    destroy)
{
  /* Translators: %s is the name of a file */
  g_autofree char *heading = g_strdup_printf (_("Open “%s” With"), name);
  GtkWidget *dialog = adw_message_dialog_new (parent, heading, NULL);
  GtkWidget *list = gtk_list_box_new ();
  GtkWidget *scroller = gtk_scrolled_window_new ();
  Request *request = g_new0 (Request, 1);

  request->list = GTK_LIST_BOX (list);
  request->chosen = chosen;
  request->user_data = user_data;
  request->destroy = destroy;

  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _("_Cancel"), "open",
                                    _("_Open"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "open",
                                              ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "open");
  adw_message_dialog_set_response_enabled (ADW_MESSAGE_DIALOG (dialog), "open", FALSE);
  g_signal_connect_data (dialog, "response", G_CALLBACK (response_cb), request, request_free,
                         G_CONNECT_DEFAULT);
  g_signal_connect_object (list, "row-selected", G_CALLBACK (row_selected_cb), dialog,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (list, "row-activated", G_CALLBACK (row_activated_cb), dialog,
                           G_CONNECT_SWAPPED);

  gtk_list_box_set_activate_on_single_click (GTK_LIST_BOX (list), FALSE);
  fill (GTK_LIST_BOX (list), type);
  gtk_list_box_select_row (GTK_LIST_BOX (list), gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), 0));
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _("Programs"), -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), list);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (scroller), 220);
  gtk_widget_add_css_class (scroller, "frame");
  adw_message_dialog_set_extra_child (ADW_MESSAGE_DIALOG (dialog), scroller);
  gtk_window_set_focus (GTK_WINDOW (dialog), list);
  gtk_window_present (GTK_WINDOW (dialog));
}
