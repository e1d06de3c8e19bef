/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Where one is and where one has been. Paths, not nodes, are remembered: they survive a new
 * snapshot. */

#include "config.h"

#include <string.h>

#include "holdall-window-private.h"

const char *
_holdall_window_get_shown_folder (HoldallWindow *self)
{
  if (self->history_position >= self->history->len)
    return "";
  return g_ptr_array_index (self->history, self->history_position);
}

/* The folder itself, or the nearest of those it lies in that is there. */
static HoldNode *
find_folder (HoldTree   *tree,
             const char *path)
{
  g_autofree char *rest = g_strdup (path);

  while (*rest != '\0')
    {
      HoldNode *node = hold_tree_lookup (tree, rest);
      char *slash = strrchr (rest, '/');

      if (node != NULL && hold_node_is_folder (node))
        return node;
      rest[slash != NULL ? slash - rest : 0] = '\0';
    }
  return hold_tree_get_root (tree);
}

void
_holdall_window_show_folder (HoldallWindow *self,
                             const char    *select_path)
{
  HoldTree *tree = hold_archive_get_tree (self->archive);
  HoldNode *folder = find_folder (tree, _holdall_window_get_shown_folder (self));
  HoldNode *selected = select_path != NULL ? hold_tree_lookup (tree, select_path) : NULL;
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();

  /* The folder may be gone from a new snapshot. */
  g_free (g_ptr_array_index (self->history, self->history_position));
  g_ptr_array_index (self->history, self->history_position) = hold_node_dup_path (folder);

  holdall_browser_show (self->browser, self->archive, folder, self->query);
  holdall_tree_pane_set_folder (self->tree_pane, folder);
  if (selected != NULL)
    {
      g_ptr_array_add (nodes, selected);
      holdall_browser_select (self->browser, nodes, TRUE);
    }
  _holdall_window_update (self);
}

void
_holdall_window_start_history (HoldallWindow *self)
{
  g_ptr_array_set_size (self->history, 0);
  g_ptr_array_add (self->history, g_strdup (""));
  self->history_position = 0;
  _holdall_window_show_folder (self, NULL);
}

/* Of the way from @folder down to @below, the first step: what one comes out of. NULL: it is not
 * below. */
static char *
dup_child_towards (const char *folder,
                   const char *below)
{
  gsize length = strlen (folder);
  const char *rest;
  const char *slash;

  if (length > 0 && (!g_str_has_prefix (below, folder) || below[length] != '/'))
    return NULL;
  rest = below + (length > 0 ? length + 1 : 0);
  if (*rest == '\0')
    return NULL;
  slash = strchr (rest, '/');
  return slash != NULL ? g_strndup (below, (gsize) (slash - below)) : g_strdup (below);
}

static void
move_in_history (HoldallWindow *self,
                 guint          position)
{
  g_autofree char *left = g_strdup (_holdall_window_get_shown_folder (self));
  g_autofree char *child = NULL;

  if (self->archive == NULL || position >= self->history->len)
    return;
  _holdall_window_end_search (self);
  self->history_position = position;
  child = dup_child_towards (_holdall_window_get_shown_folder (self), left);
  _holdall_window_show_folder (self, child);
}

static void
enter_folder (HoldallWindow *self,
              const char    *folder,
              const char    *select_path)
{
  g_autofree char *left = g_strdup (_holdall_window_get_shown_folder (self));
  g_autofree char *child = NULL;
  gboolean was_searching = _holdall_window_is_searching (self);

  _holdall_window_end_search (self);
  if (strcmp (folder, left) == 0)
    {
      if (was_searching || select_path != NULL)
        _holdall_window_show_folder (self, select_path);
      return;
    }
  g_ptr_array_set_size (self->history, (int) self->history_position + 1);
  g_ptr_array_add (self->history, g_strdup (folder));
  self->history_position++;
  child = dup_child_towards (folder, left);
  _holdall_window_show_folder (self, select_path != NULL ? select_path : child);
}

void
_holdall_window_go_to (HoldallWindow *self,
                       const char    *path)
{
  g_autofree char *folder_path = NULL;
  g_autofree char *node_path = NULL;
  HoldNode *node;
  HoldNode *folder;

  if (self->archive == NULL)
    {
      g_free (self->pending_path);
      self->pending_path = g_strdup (path);
      return;
    }
  node = hold_tree_lookup (hold_archive_get_tree (self->archive), path);
  if (node == NULL)
    return;
  folder = hold_node_is_folder (node) ? node : hold_node_get_parent (node);
  folder_path = hold_node_dup_path (folder);
  node_path = hold_node_dup_path (node);
  enter_folder (self, folder_path, folder != node ? node_path : NULL);
}

static void
go_to_cb (GSimpleAction *action,
          GVariant      *parameter,
          gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);

  _holdall_window_go_to (self, g_variant_get_string (parameter, NULL));
  holdall_browser_focus (self->browser);
}

static void
go_back_cb (GSimpleAction *action,
            GVariant      *parameter,
            gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);

  if (self->history_position > 0)
    move_in_history (self, self->history_position - 1);
}

static void
go_forward_cb (GSimpleAction *action,
               GVariant      *parameter,
               gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);

  move_in_history (self, self->history_position + 1);
}

static void
go_up_cb (GSimpleAction *action,
          GVariant      *parameter,
          gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  const char *folder = _holdall_window_get_shown_folder (self);
  const char *slash = strrchr (folder, '/');
  g_autofree char *parent = g_strndup (folder, slash != NULL ? (gsize) (slash - folder) : 0);

  if (self->archive != NULL && *folder != '\0')
    enter_folder (self, parent, NULL);
}

void
_holdall_window_navigate_init (HoldallWindow *self)
{
  static const GActionEntry entries[] = {
    { "go-back", go_back_cb },
    { "go-forward", go_forward_cb },
    { "go-to", go_to_cb, "s" },
    { "go-up", go_up_cb },
  };

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
}
