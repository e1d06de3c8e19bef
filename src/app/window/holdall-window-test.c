/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* With HOLDALL_TEST=1: actions by which a test sees and steers the window over D-Bus. */

#include "config.h"

#include "holdall-heartbeat.h"
#include "holdall-window-private.h"

#define STATUS_INTERVAL_MS 50
/* A test that selects more knows what it selected. */
#define MAX_PATHS 50

static void
append_bool (GString    *json,
             const char *name,
             gboolean    value)
{
  g_string_append_printf (json, ",\"%s\":%s", name, value ? "true" : "false");
}

static void
append_string (GString    *json,
               const char *name,
               const char *value)
{
  g_string_append_printf (json, ",\"%s\":", name);
  holdall_json_append_string (json, value);
}

static void
append_selected (HoldallWindow *self,
                 GString       *json)
{
  g_autoptr (GPtrArray) nodes = holdall_browser_dup_selected_nodes (self->browser);

  g_string_append_printf (json, ",\"selected\":%u,\"selected_paths\":[", nodes->len);
  for (guint i = 0; i < MIN (nodes->len, MAX_PATHS); i++)
    {
      g_autofree char *path = hold_node_dup_path (g_ptr_array_index (nodes, i));

      if (i > 0)
        g_string_append_c (json, ',');
      holdall_json_append_string (json, path);
    }
  g_string_append_c (json, ']');
}

static void
append_first_rows (HoldallWindow *self,
                   GString       *json)
{
  HoldallEntryModel *model = holdall_browser_get_model (self->browser);
  guint n_rows = g_list_model_get_n_items (G_LIST_MODEL (model));

  g_string_append_printf (json, ",\"rows\":%u,\"first_rows\":[", n_rows);
  for (guint i = 0; i < MIN (n_rows, MAX_PATHS); i++)
    {
      g_autofree char *path = hold_node_dup_path (holdall_entry_model_get_node (model, i));

      if (i > 0)
        g_string_append_c (json, ',');
      holdall_json_append_string (json, path);
    }
  g_string_append_c (json, ']');
}

static char *
make_status (HoldallWindow *self)
{
  HoldallApplication *application =
    HOLDALL_APPLICATION (gtk_window_get_application (GTK_WINDOW (self)));
  HoldallEntryModel *model = holdall_browser_get_model (self->browser);
  g_autoptr (GString) json = g_string_new ("{\"folder\":");
  const char *page = gtk_stack_get_visible_child_name (self->main_stack);

  holdall_json_append_string (json, _holdall_window_get_shown_folder (self));
  append_string (json, "page", page);
  append_string (json, "archive", self->archive != NULL ? hold_archive_get_path (self->archive) : NULL);
  append_string (json, "error",
                 g_strcmp0 (page, "error") == 0 ? adw_status_page_get_title (self->error_page) : NULL);
  append_string (json, "search", self->query != NULL ? self->query->text : NULL);
  append_string (json, "view", holdall_browser_is_grid (self->browser) ? "grid" : "list");
  append_string (json, "status_text", gtk_label_get_label (self->status_label));
  append_string (json, "selection_text", gtk_label_get_label (self->selection_label));
  append_string (json, "toast", g_object_get_data (G_OBJECT (self), "holdall-last-toast"));
  append_string (json, "title", gtk_window_get_title (GTK_WINDOW (self)));
  append_string (json, "opened_question",
                 gtk_revealer_get_reveal_child (self->opened_bar)
                   ? gtk_label_get_label (self->opened_label) : NULL);
  append_bool (json, "busy", self->open_job != NULL || holdall_entry_model_is_busy (model) ||
                               self->status_idle != 0);
  append_first_rows (self, json);
  append_selected (self, json);
  g_string_append_printf (json, ",\"scroll\":%d,\"worst_stall_ms\":%u,\"worst_busy_ms\":%u,\"jobs\":",
                          (int) holdall_browser_get_scroll (self->browser),
                          holdall_heartbeat_get_worst_stall_ms (),
                          holdall_heartbeat_get_worst_busy_ms ());
  if (application != NULL)
    holdall_job_list_append_status (holdall_application_get_jobs (application), json);
  else
    g_string_append (json, "[]");
  g_string_append_c (json, '}');
  return g_string_free (g_steal_pointer (&json), FALSE);
}

static gboolean
status_cb (gpointer user_data)
{
  HoldallWindow *self = user_data;
  g_autofree char *status = make_status (self);
  g_autoptr (GVariant) old = g_action_group_get_action_state (G_ACTION_GROUP (self), "status");

  if (g_strcmp0 (status, g_variant_get_string (old, NULL)) != 0)
    _holdall_window_set_state (self, "status", g_variant_new_string (status));
  return G_SOURCE_CONTINUE;
}

static void
select_cb (GSimpleAction *action,
           GVariant      *parameter,
           gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  g_autofree const char **paths = g_variant_get_strv (parameter, NULL);
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();

  if (self->archive == NULL)
    return;
  for (guint i = 0; paths[i] != NULL; i++)
    {
      HoldNode *node = hold_tree_lookup (hold_archive_get_tree (self->archive), paths[i]);

      if (node != NULL)
        g_ptr_array_add (nodes, node);
    }
  holdall_browser_select (self->browser, nodes, TRUE);
}

typedef struct {
  guint position;
  guint n_frames;
} Geometry;

/* Asks in the next frames: a row that had to be scrolled to has no place before. */
static gboolean
geometry_tick_cb (GtkWidget     *widget,
                  GdkFrameClock *clock,
                  gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (widget);
  Geometry *geometry = user_data;
  graphene_rect_t bounds;
  double x, y;

  if (geometry->n_frames++ < 6)
    return G_SOURCE_CONTINUE;
  if (!holdall_browser_get_row_bounds (self->browser, geometry->position, widget, &bounds))
    return geometry->n_frames < 60 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
  gtk_native_get_surface_transform (GTK_NATIVE (self), &x, &y);
  _holdall_window_set_state (
    self, "row-geometry",
    g_variant_new ("(iiii)", (int) (bounds.origin.x + x), (int) (bounds.origin.y + y),
                   (int) bounds.size.width, (int) bounds.size.height));
  return G_SOURCE_REMOVE;
}

static void
row_geometry_cb (GSimpleAction *action,
                 GVariant      *parameter,
                 gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  HoldallEntryModel *model = holdall_browser_get_model (self->browser);
  Geometry *geometry;
  HoldNode *node = NULL;
  guint position;

  g_simple_action_set_state (action, g_variant_new ("(iiii)", 0, 0, 0, 0));
  if (self->archive != NULL)
    node = hold_tree_lookup (hold_archive_get_tree (self->archive),
                             g_variant_get_string (parameter, NULL));
  position = node != NULL ? holdall_entry_model_find_node (model, node) : G_MAXUINT;
  if (position == G_MAXUINT)
    return;
  holdall_browser_scroll_to (self->browser, position);
  geometry = g_new0 (Geometry, 1);
  geometry->position = position;
  gtk_widget_add_tick_callback (GTK_WIDGET (self), geometry_tick_cb, geometry, g_free);
}

/* "tree", "path-bar" or "back"; the folder. Tells a point of the window that is found by looking
 * everywhere, as somebody does who drags something there. */
static void
place_geometry_cb (GSimpleAction *action,
                   GVariant      *parameter,
                   gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  const char *kind, *folder;
  double surface_x, surface_y;

  g_simple_action_set_state (action, g_variant_new ("(ii)", 0, 0));
  g_variant_get (parameter, "(&s&s)", &kind, &folder);
  gtk_native_get_surface_transform (GTK_NATIVE (self), &surface_x, &surface_y);
  for (int y = 4; y < gtk_widget_get_height (GTK_WIDGET (self)); y += 8)
    for (int x = 4; x < gtk_widget_get_width (GTK_WIDGET (self)); x += 8)
      {
        g_auto (HoldallPlace) place = { 0 };
        GType type = g_str_equal (kind, "tree") ? HOLDALL_TYPE_TREE_PANE : HOLDALL_TYPE_PATH_BAR;

        _holdall_window_find_place (self, x, y, &place);
        if (g_str_equal (kind, "back") ? g_strcmp0 (place.action, "win.go-back") != 0
                                       : place.widget == NULL || g_strcmp0 (place.folder, folder) != 0 ||
                                           gtk_widget_get_ancestor (place.widget, type) == NULL)
          continue;
        g_simple_action_set_state (action, g_variant_new ("(ii)", (int) (x + surface_x) + 4,
                                                          (int) (y + surface_y) + 4));
        return;
      }
}

static void
search_text_cb (GSimpleAction *action,
                GVariant      *parameter,
                gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);

  gtk_search_bar_set_search_mode (self->search_bar, TRUE);
  gtk_editable_set_text (GTK_EDITABLE (self->search_entry), g_variant_get_string (parameter, NULL));
}

static void
reset_stall_cb (GSimpleAction *action,
                GVariant      *parameter,
                gpointer       user_data)
{
  holdall_heartbeat_reset ();
}

void
_holdall_window_test_init (HoldallWindow *self)
{
  static const GActionEntry entries[] = {
    { "select", select_cb, "as" },
    { "row-geometry", row_geometry_cb, "s", "(0, 0, 0, 0)" },
    { "place-geometry", place_geometry_cb, "(ss)", "(0, 0)" },
    { "search-text", search_text_cb, "s" },
    { "reset-stall", reset_stall_cb },
    { "status", NULL, NULL, "''" },
  };

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  holdall_heartbeat_start ();
  self->test_timeout = g_timeout_add (STATUS_INTERVAL_MS, status_cb, self);
}

void
_holdall_window_test_dispose (HoldallWindow *self)
{
  g_clear_handle_id (&self->test_timeout, g_source_remove);
}
