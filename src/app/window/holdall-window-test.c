/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* With HOLDALL_TEST=1: actions by which a test sees and steers the window over D-Bus. */

#include "config.h"

#include "holdall-heartbeat.h"
#include "holdall-window-private.h"

/* A test that selects more knows what it selected. */
#define MAX_PATHS 50

#define STATUS_KEY "holdall-test-status"
#define DRAG_KEY "holdall-test-drag"

/* The status is made when it is asked for: what an action has done is in it as soon as the action
 * has been answered. A property, since the state of a property's action is read each time. */
#define HOLDALL_TYPE_TEST_STATUS (holdall_test_status_get_type ())
G_DECLARE_FINAL_TYPE (HoldallTestStatus, holdall_test_status, HOLDALL, TEST_STATUS, GObject)

struct _HoldallTestStatus {
  GObject parent_instance;

  HoldallWindow *window;       /* (nullable): borrowed, until it goes */
};

G_DEFINE_FINAL_TYPE (HoldallTestStatus, holdall_test_status, G_TYPE_OBJECT)

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

typedef gboolean (*Matches) (GtkWidget *widget, const char *words);

/* (nullable): the first that is shown below a widget. */
static GtkWidget *
find_widget (GtkWidget  *widget,
             Matches     matches,
             const char *words)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found;

      if (!gtk_widget_get_mapped (child))
        continue;
      found = matches (child, words) ? child : find_widget (child, matches, words);
      if (found != NULL)
        return found;
    }
  return NULL;
}

static gboolean
is_lit (GtkWidget  *widget,
        const char *words)
{
  return gtk_widget_has_css_class (widget, "drop-folder");
}

static gboolean
is_button (GtkWidget  *widget,
           const char *words)
{
  const char *label = GTK_IS_BUTTON (widget) ? gtk_button_get_label (GTK_BUTTON (widget)) : NULL;
  g_auto (GStrv) parts = label != NULL ? g_strsplit (label, "_", -1) : NULL;
  g_autofree char *plain = parts != NULL ? g_strjoinv ("", parts) : NULL;

  return g_strcmp0 (plain, words) == 0;
}

/* What a target says to the last drag from here: "begun", "refused", "taken", and "ended". */

static void
set_drag (HoldallWindow *self,
          const char    *state)
{
  g_object_set_data (G_OBJECT (self), DRAG_KEY, (gpointer) state);
}

static void
drag_action_cb (GdkDrag       *drag,
                GParamSpec    *pspec,
                HoldallWindow *self)
{
  set_drag (self, gdk_drag_get_selected_action (drag) != 0 ? "taken" : "refused");
}

static void
drag_ended_cb (HoldallWindow *self)
{
  set_drag (self, "ended");
}

void
_holdall_window_test_note_drag (HoldallWindow *self,
                                GdkDrag       *drag)
{
  if (g_object_get_data (G_OBJECT (self), STATUS_KEY) == NULL)
    return;
  set_drag (self, "begun");
  g_signal_connect_object (drag, "notify::selected-action", G_CALLBACK (drag_action_cb), self, 0);
  g_signal_connect_object (drag, "dnd-finished", G_CALLBACK (drag_ended_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (drag, "cancel", G_CALLBACK (drag_ended_cb), self, G_CONNECT_SWAPPED);
}

/* A test finds a button more slowly than a person does. */
void
_holdall_window_test_note_toast (HoldallWindow *self,
                                 AdwToast      *toast)
{
  if (g_object_get_data (G_OBJECT (self), STATUS_KEY) != NULL && adw_toast_get_timeout (toast) != 0)
    adw_toast_set_timeout (toast, 20);
}

static gboolean
is_label (GtkWidget  *widget,
          const char *words)
{
  return GTK_IS_LABEL (widget) && g_str_equal (gtk_label_get_label (GTK_LABEL (widget)), words);
}

/* The last one; it may have gone by now. */
static gboolean
is_toast_shown (HoldallWindow *self)
{
  const char *title = g_object_get_data (G_OBJECT (self), "holdall-last-toast");

  return title != NULL && find_widget (GTK_WIDGET (self->toast_overlay), is_label, title) != NULL;
}

static char *
make_status (HoldallWindow *self)
{
  HoldallApplication *application =
    HOLDALL_APPLICATION (gtk_window_get_application (GTK_WINDOW (self)));
  HoldallEntryModel *model = holdall_browser_get_model (self->browser);
  g_autoptr (GString) json = g_string_new ("{\"folder\":");
  const char *page = gtk_stack_get_visible_child_name (self->main_stack);
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));

  holdall_json_append_string (json, _holdall_window_get_shown_folder (self));
  append_string (json, "page", page);
  append_string (json, "archive", self->archive != NULL ? hold_archive_get_path (self->archive) : NULL);
  append_string (json, "error",
                 g_strcmp0 (page, "error") == 0 ? adw_status_page_get_title (self->error_page) : NULL);
  append_string (json, "error_body",
                 g_strcmp0 (page, "error") == 0
                   ? adw_status_page_get_description (self->error_page) : NULL);
  append_string (json, "error_details",
                 g_strcmp0 (page, "error") == 0 ? gtk_label_get_label (self->error_details_label)
                                                : NULL);
  append_string (json, "search", self->query != NULL ? self->query->text : NULL);
  append_string (json, "view", holdall_browser_is_grid (self->browser) ? "grid" : "list");
  append_string (json, "status_text", gtk_label_get_label (self->status_label));
  append_string (json, "selection_text", gtk_label_get_label (self->selection_label));
  append_string (json, "toast", g_object_get_data (G_OBJECT (self), "holdall-last-toast"));
  append_bool (json, "toast_is_shown", is_toast_shown (self));
  append_string (json, "title", gtk_window_get_title (GTK_WINDOW (self)));
  append_string (json, "opened_question",
                 gtk_revealer_get_reveal_child (self->opened_bar)
                   ? gtk_label_get_label (self->opened_label) : NULL);
  append_string (json, "damage",
                 gtk_revealer_get_reveal_child (self->damage_bar)
                   ? gtk_label_get_text (self->damage_label) : NULL);
  append_bool (json, "busy", _holdall_window_is_opening (self) || holdall_entry_model_is_busy (model) ||
                               self->status_idle != 0);
  append_string (json, "drag", g_object_get_data (G_OBJECT (self), DRAG_KEY));
  append_string (json, "focus", focus != NULL ? G_OBJECT_TYPE_NAME (focus) : NULL);
  append_bool (json, "lit", find_widget (GTK_WIDGET (self), is_lit, NULL) != NULL);
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

static void
holdall_test_status_get_property (GObject    *object,
                                  guint       id,
                                  GValue     *value,
                                  GParamSpec *pspec)
{
  HoldallTestStatus *self = HOLDALL_TEST_STATUS (object);

  if (self->window != NULL)
    g_value_take_string (value, make_status (self->window));
  else
    g_value_set_static_string (value, "");
}

/* An action's property must be one that can be written. */
static void
holdall_test_status_set_property (GObject      *object,
                                  guint         id,
                                  const GValue *value,
                                  GParamSpec   *pspec)
{
}

static void
holdall_test_status_class_init (HoldallTestStatusClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = holdall_test_status_get_property;
  object_class->set_property = holdall_test_status_set_property;
  g_object_class_install_property (
    object_class, 1,
    g_param_spec_string ("status", NULL, NULL, NULL, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
}

static void
holdall_test_status_init (HoldallTestStatus *self)
{
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

static void
button_geometry (HoldallWindow *self,
                 GSimpleAction *action,
                 const char    *label)
{
  GtkWidget *button = find_widget (GTK_WIDGET (self), is_button, label);
  graphene_rect_t bounds;
  double x, y;

  if (button == NULL || !gtk_widget_compute_bounds (button, GTK_WIDGET (self), &bounds))
    return;
  gtk_native_get_surface_transform (GTK_NATIVE (self), &x, &y);
  g_simple_action_set_state (
    action, g_variant_new ("(ii)", (int) (bounds.origin.x + bounds.size.width / 2 + x),
                           (int) (bounds.origin.y + bounds.size.height / 2 + y)));
}

/* "tree", "path-bar" or "back", and the folder: tells a point of the window that is found by looking
 * everywhere, as somebody does who drags something there. "button", and its words: its middle. */
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
  if (g_str_equal (kind, "button"))
    {
      button_geometry (self, action, folder);
      return;
    }
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
  };
  g_autoptr (HoldallTestStatus) status = g_object_new (HOLDALL_TYPE_TEST_STATUS, NULL);
  g_autoptr (GPropertyAction) action = g_property_action_new ("status", status, "status");

  status->window = self;
  g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (action));
  g_object_set_data_full (G_OBJECT (self), STATUS_KEY, g_steal_pointer (&status), g_object_unref);
  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  holdall_heartbeat_start ();
}

void
_holdall_window_test_dispose (HoldallWindow *self)
{
  HoldallTestStatus *status = g_object_get_data (G_OBJECT (self), STATUS_KEY);

  if (status != NULL)
    status->window = NULL;
}
