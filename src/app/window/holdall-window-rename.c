/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Renaming in place, and new folders. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-name-check.h"
#include "holdall-name-dialog.h"
#include "holdall-window-edit.h"
#include "holdall-window-private.h"

static void
rename_cb (GSimpleAction *action,
           GVariant      *parameter,
           gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  g_autoptr (GtkBitset) selected =
    gtk_selection_model_get_selection (holdall_browser_get_selection (self->browser));

  if (gtk_bitset_get_size (selected) == 1)
    holdall_browser_start_rename (self->browser, gtk_bitset_get_minimum (selected));
}

static char **
create_select (const char *path)
{
  const char *paths[] = { path, NULL };

  return g_strdupv ((char **) paths);
}

/* (nullable): the one file that is selected, if that is its path. Of two files of the same name
 * exactly this one is meant. */
static HoldNode *
find_meant_file (HoldallWindow *self,
                 const char    *path)
{
  g_autoptr (GPtrArray) nodes = holdall_browser_dup_selected_nodes (self->browser);
  g_autofree char *node_path = NULL;
  HoldNode *node;

  if (nodes->len != 1)
    return NULL;
  node = g_ptr_array_index (nodes, 0);
  node_path = hold_node_dup_path (node);
  return !hold_node_is_folder (node) && g_str_equal (node_path, path) ? node : NULL;
}

static void
rename_to_cb (GSimpleAction *action,
              GVariant      *parameter,
              gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  const char *old_path;
  const char *name;
  g_autofree char *folder = NULL;
  g_autofree char *new_path = NULL;
  g_autofree char *shown = NULL;
  HoldNode *file;
  HoldUpdateRequest *request;

  if (self->archive == NULL)
    return;
  g_variant_get (parameter, "(&s&s)", &old_path, &name);
  folder = holdall_name_dup_folder (old_path);
  new_path = holdall_name_join (folder, name);
  shown = hold_path_escape_for_display (name);
  request = _holdall_window_create_update (self);
  file = find_meant_file (self, old_path);
  if (file != NULL)
    hold_update_request_rename_index (request, hold_entry_get_index (hold_node_get_entry (file)), new_path);
  else
    hold_update_request_rename (request, old_path, new_path);
  _holdall_window_submit_edit (self, &(HoldallEdit) {
    .job = HOLD_JOB (hold_update_job_new (request)),
    /* Translators: %s is the new name. */
    .words = g_strdup_printf (_("Renamed to “%s”"), shown),
    .select = create_select (new_path),
  });
}

static void
make_folder (HoldallWindow *self,
             const char    *name)
{
  g_autofree char *path = holdall_name_join (_holdall_window_get_shown_folder (self), name);
  g_autofree char *shown = hold_path_escape_for_display (name);
  HoldUpdateRequest *request;

  if (self->archive == NULL)
    return;
  request = _holdall_window_create_update (self);
  hold_update_request_make_folder (request, path);
  _holdall_window_submit_edit (self, &(HoldallEdit) {
    .job = HOLD_JOB (hold_update_job_new (request)),
    .words = g_strdup_printf (_("Made the folder “%s”"), shown),
    .select = create_select (path),
  });
}

static void
new_folder_cb (GSimpleAction *action,
               GVariant      *parameter,
               gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  HoldallNameDialog *dialog;

  if (self->archive == NULL)
    return;
  dialog = holdall_name_dialog_new (GTK_WINDOW (self), self->archive,
                                    _holdall_window_get_shown_folder (self), _("New Folder"));
  g_signal_connect_object (dialog, "named", G_CALLBACK (make_folder), self, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

void
_holdall_window_rename_init (HoldallWindow *self)
{
  static const GActionEntry entries[] = {
    { "rename", rename_cb },
    { "rename-to", rename_to_cb, "(ss)" },
    { "new-folder", new_folder_cb },
  };

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
}
