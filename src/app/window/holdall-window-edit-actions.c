/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Delete, add, and out of the archive into a folder of the disk, as a move or as a copy. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-error-dialog.h"
#include "holdall-extract-chooser.h"
#include "holdall-name-check.h"
#include "holdall-native-dialog.h"
#include "holdall-remote.h"
#include "holdall-window-edit.h"
#include "holdall-window-opened.h"
#include "holdall-window-private.h"

static void
delete_cb (GSimpleAction *action,
           GVariant      *parameter,
           gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  g_autoptr (GPtrArray) nodes = holdall_browser_dup_selected_nodes (self->browser);
  HoldUpdateRequest *request;

  if (self->archive == NULL || nodes->len == 0)
    return;
  request = _holdall_window_create_update (self);
  for (guint i = 0; i < nodes->len; i++)
    {
      HoldNode *node = g_ptr_array_index (nodes, i);
      g_autofree char *path = hold_node_dup_path (node);

      /* Of two files of the same name exactly the one that is meant. */
      if (hold_node_is_folder (node))
        hold_update_request_delete (request, path);
      else
        hold_update_request_delete_index (request, hold_entry_get_index (hold_node_get_entry (node)));
    }
  _holdall_window_submit_edit (self, &(HoldallEdit) {
    .job = HOLD_JOB (hold_update_job_new (request)),
    .words = g_strdup_printf (ngettext ("Deleted %'u item", "Deleted %'u items", nodes->len),
                              nodes->len),
  });
}

/* (transfer full): what of @files lies in the file system; the rest is told. */
static GPtrArray *
dup_local_paths (HoldallWindow  *self,
                 GFile         **files,
                 guint           n_files)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < n_files; i++)
    {
      char *path = g_file_get_path (files[i]);

      if (path != NULL)
        g_ptr_array_add (paths, path);
    }
  if (paths->len < n_files)
    {
      guint n_lost = n_files - paths->len;
      g_autoptr (GError) error =
        g_error_new (G_IO_ERROR, G_IO_ERROR_NOT_MOUNTED,
                     ngettext ("%u file has no path on this machine",
                               "%u files have no path on this machine", n_lost), n_lost);

      holdall_error_dialog_present (GTK_WINDOW (self), NULL, error);
    }
  return g_steal_pointer (&paths);
}

static void
put_in (HoldallWindow  *self,
        GFile         **files,
        guint           n_files,
        const char     *into,
        gboolean        move)
{
  g_autoptr (GPtrArray) paths = dup_local_paths (self, files, n_files);
  g_autoptr (GPtrArray) added = g_ptr_array_new ();
  HoldUpdateRequest *request;

  if (paths->len == 0)
    return;
  request = _holdall_window_create_update (self);
  hold_update_request_set_conflict (request, HOLD_CONFLICT_ASK);
  hold_update_request_set_move (request, move);
  for (guint i = 0; i < paths->len; i++)
    {
      const char *path = g_ptr_array_index (paths, i);
      g_autofree char *name = g_path_get_basename (path);
      g_autofree char *shown = g_filename_display_name (name);

      hold_update_request_add (request, path, into);
      g_ptr_array_add (added, holdall_name_join (into, shown));
    }
  g_ptr_array_add (added, NULL);
  _holdall_window_submit_edit (self, &(HoldallEdit) {
    .job = HOLD_JOB (hold_update_job_new (request)),
    .words = move
      ? g_strdup_printf (ngettext ("Moved %'u item in", "Moved %'u items in", paths->len), paths->len)
      : g_strdup_printf (ngettext ("Added %'u item", "Added %'u items", paths->len), paths->len),
    .select = (char **) g_ptr_array_free (g_steal_pointer (&added), FALSE),
  });
}

void
_holdall_window_add_files (HoldallWindow  *self,
                           GFile         **files,
                           guint           n_files,
                           const char     *into)
{
  put_in (self, files, n_files, into, FALSE);
}

void
_holdall_window_move_files_in (HoldallWindow  *self,
                               GFile         **files,
                               guint           n_files,
                               const char     *into)
{
  /* Of an archive in an archive there is only a copy in the cache, whose changes may yet be thrown
   * away: what was only there would go with them. */
  put_in (self, files, n_files, into, !_holdall_window_is_nested (self));
}

static void
add_response_cb (HoldallWindow        *self,
                 int                   response,
                 GtkFileChooserNative *chooser)
{
  g_autoptr (GListModel) files = NULL;
  g_autoptr (GPtrArray) array = g_ptr_array_new_with_free_func (g_object_unref);

  if (response == GTK_RESPONSE_ACCEPT && self->archive != NULL)
    {
      files = gtk_file_chooser_get_files (GTK_FILE_CHOOSER (chooser));
      for (guint i = 0; i < g_list_model_get_n_items (files); i++)
        g_ptr_array_add (array, g_list_model_get_item (files, i));
      _holdall_window_add_files (self, (GFile **) array->pdata, array->len,
                                 _holdall_window_get_shown_folder (self));
    }
}

/* A chooser of GTK shows either files or folders, so there is an action for each. */
static void
present_add_chooser (HoldallWindow       *self,
                     GtkFileChooserAction kind,
                     const char          *title)
{
  GtkFileChooserNative *chooser =
    gtk_file_chooser_native_new (title, GTK_WINDOW (self), kind, _("_Add"), NULL);

  holdall_chooser_add_all_filter (GTK_FILE_CHOOSER (chooser));
  gtk_file_chooser_set_select_multiple (GTK_FILE_CHOOSER (chooser), TRUE);
  g_signal_connect_object (chooser, "response", G_CALLBACK (add_response_cb), self,
                           G_CONNECT_SWAPPED);
  holdall_native_dialog_present (GTK_NATIVE_DIALOG (chooser));
}

static void
add_cb (GSimpleAction *action,
        GVariant      *parameter,
        gpointer       user_data)
{
  present_add_chooser (HOLDALL_WINDOW (user_data), GTK_FILE_CHOOSER_ACTION_OPEN, _("Add Files"));
}

static void
add_folder_cb (GSimpleAction *action,
               GVariant      *parameter,
               gpointer       user_data)
{
  present_add_chooser (HOLDALL_WINDOW (user_data), GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER,
                       _("Add Folders"));
}

/* For tests: paths of the disk. */
static void
add_files_cb (GSimpleAction *action,
              GVariant      *parameter,
              gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  g_autofree const char **paths = g_variant_get_strv (parameter, NULL);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; paths[i] != NULL; i++)
    g_ptr_array_add (files, g_file_new_for_path (paths[i]));
  _holdall_window_add_files (self, (GFile **) files->pdata, files->len,
                             _holdall_window_get_shown_folder (self));
}

static void
move_into (HoldallWindow *self,
           const char    *destination)
{
  GArray *indices = holdall_window_dup_selection (self);
  g_auto (GStrv) paths = holdall_window_dup_selected_paths (self);
  guint n_items = g_strv_length (paths);
  HoldExtractRequest *request;

  if (indices == NULL)
    return;
  request = hold_extract_request_new (self->archive, destination);
  request->indices = indices;
  request->keyring = hold_keyring_ref (self->keyring);
  g_free (request->base);
  request->base = g_strdup (holdall_window_get_folder (self));
  _holdall_window_submit_edit (self, &(HoldallEdit) {
    .job = HOLD_JOB (hold_move_job_new (request)),
    .words = g_strdup_printf (ngettext ("Moved %'u item out", "Moved %'u items out", n_items),
                              n_items),
  });
}

static void
move_to_file (HoldallWindow *self,
              GFile         *folder)
{
  g_autofree char *path = g_file_get_path (folder);

  if (path == NULL)
    {
      g_autoptr (GError) error = holdall_remote_create_error (folder);

      holdall_error_dialog_present (GTK_WINDOW (self), NULL, error);
      return;
    }
  move_into (self, path);
}

static void
move_response_cb (HoldallWindow        *self,
                  int                   response,
                  GtkFileChooserNative *chooser)
{
  g_autoptr (GFile) folder = NULL;

  if (response == GTK_RESPONSE_ACCEPT && self->archive != NULL)
    {
      folder = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (chooser));
      if (folder != NULL)
        move_to_file (self, folder);
    }
}

static void
move_to_cb (GSimpleAction *action,
            GVariant      *parameter,
            gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  GtkFileChooserNative *chooser =
    gtk_file_chooser_native_new (_("Move To"), GTK_WINDOW (self),
                                 GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, _("_Move"), NULL);
  g_autoptr (GFile) folder = g_file_get_parent (self->file);

  holdall_chooser_add_all_filter (GTK_FILE_CHOOSER (chooser));
  if (folder != NULL)
    gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (chooser), folder, NULL);
  g_signal_connect_object (chooser, "response", G_CALLBACK (move_response_cb), self,
                           G_CONNECT_SWAPPED);
  holdall_native_dialog_present (GTK_NATIVE_DIALOG (chooser));
}

/* For tests: without a chooser; a path or an address. */
static void
move_into_cb (GSimpleAction *action,
              GVariant      *parameter,
              gpointer       user_data)
{
  g_autoptr (GFile) folder =
    g_file_new_for_commandline_arg (g_variant_get_string (parameter, NULL));

  move_to_file (HOLDALL_WINDOW (user_data), folder);
}

/* To a folder of the disk: that is what extracting the selection is. */
static void
copy_to_cb (GSimpleAction *action,
            GVariant      *parameter,
            gpointer       user_data)
{
  g_action_group_activate_action (G_ACTION_GROUP (user_data), "extract-to", NULL);
}

void
_holdall_window_edit_actions_init (HoldallWindow *self)
{
  static const GActionEntry entries[] = {
    { "delete", delete_cb },
    { "add", add_cb },
    { "add-folder", add_folder_cb },
    { "move-to", move_to_cb },
    { "copy-to", copy_to_cb },
  };
  static const GActionEntry test_entries[] = {
    { "add-files", add_files_cb, "as" },
    { "move-into", move_into_cb, "s" },
  };

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  if (g_strcmp0 (g_getenv ("HOLDALL_TEST"), "1") == 0)
    g_action_map_add_action_entries (G_ACTION_MAP (self), test_entries,
                                     G_N_ELEMENTS (test_entries), self);
}
