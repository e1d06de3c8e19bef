/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The status line, the preview and what is enabled follow the selection once per turn of the main
 * loop, however often it changed in between. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-format-text.h"
#include "holdall-window-private.h"

static void
update_labels (HoldallWindow *self,
               GPtrArray     *nodes)
{
  HoldallEntryModel *model = holdall_browser_get_model (self->browser);
  guint n_rows = g_list_model_get_n_items (G_LIST_MODEL (model));
  g_autofree char *items = holdall_format_items (n_rows);
  g_autofree char *size = holdall_format_size (holdall_entry_model_get_size (model));
  g_autofree char *text = NULL;
  g_autofree char *selected_text = NULL;
  guint64 selected_bytes = 0;

  if (_holdall_window_is_searching (self))
    {
      g_autofree char *count = holdall_format_count (n_rows);

      /* Translators: %s is a number of search results. */
      text = g_strdup_printf (ngettext ("%s result", "%s results", n_rows), count);
    }
  else
    {
      /* Translators: "300 items, 26.1 MB" */
      text = g_strdup_printf (_("%s, %s"), items, size);
    }
  gtk_label_set_label (self->status_label, text);

  if (nodes->len > 0)
    {
      g_autofree char *count = holdall_format_count (nodes->len);
      g_autofree char *selected_size = NULL;

      for (guint i = 0; i < nodes->len; i++)
        selected_bytes += hold_node_get_size (g_ptr_array_index (nodes, i));
      selected_size = holdall_format_size (selected_bytes);
      /* Translators: how many are selected and their size: "3 selected, 13 kB" */
      selected_text = g_strdup_printf (ngettext ("%s selected, %s", "%s selected, %s", nodes->len),
                                       count, selected_size);
    }
  gtk_label_set_label (self->selection_label, selected_text != NULL ? selected_text : "");
}

static void
update_preview (HoldallWindow *self,
                GPtrArray     *nodes)
{
  HoldTree *tree;
  HoldNode *node;

  if (!adw_flap_get_reveal_flap (self->preview_flap))
    {
      holdall_preview_show (self->preview, NULL, NULL, NULL);
      return;
    }
  if (nodes->len > 1)
    {
      holdall_preview_show_many (self->preview, self->archive, nodes);
      return;
    }
  tree = hold_archive_get_tree (self->archive);
  node = nodes->len > 0 ? g_ptr_array_index (nodes, 0)
                        : hold_tree_lookup (tree, _holdall_window_get_shown_folder (self));
  if (node == NULL)
    node = hold_tree_get_root (tree);
  holdall_preview_show (self->preview, self->archive, node, self->keyring);
}

static gboolean
update_cb (gpointer user_data)
{
  HoldallWindow *self = user_data;
  HoldallEntryModel *model = holdall_browser_get_model (self->browser);
  g_autoptr (GPtrArray) nodes = NULL;

  self->status_idle = 0;
  _holdall_window_update_selection (self);
  /* Rows of another archive are on their way: the selection is still of the old one. */
  if (self->archive == NULL || holdall_entry_model_get_archive (model) != self->archive)
    return G_SOURCE_REMOVE;
  nodes = holdall_browser_dup_selected_nodes (self->browser);
  update_labels (self, nodes);
  update_preview (self, nodes);
  return G_SOURCE_REMOVE;
}

void
_holdall_window_queue_status (HoldallWindow *self)
{
  if (self->status_idle == 0)
    self->status_idle = g_idle_add_full (G_PRIORITY_DEFAULT, update_cb, self, NULL);
}
