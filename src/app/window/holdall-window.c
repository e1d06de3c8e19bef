/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The window itself: its parts, what is enabled, and what its labels say. What one can do in it
 * lies in the files holdall-window-*.c, one aspect each. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-error-text.h"
#include "holdall-type-info.h"
#include "holdall-window-extract.h"
#include "holdall-window-open-entry.h"
#include "holdall-window-opened.h"
#include "holdall-window-private.h"
#include "holdall-window-watch.h"

#define DISMISS_MS 1000

G_DEFINE_FINAL_TYPE (HoldallWindow, holdall_window, ADW_TYPE_APPLICATION_WINDOW)

static void
welcome_open_cb (HoldallWindow *self,
                 GFile         *file)
{
  holdall_window_open (self, file);
}

static void
browser_activated_cb (HoldallWindow    *self,
                      HoldallEntryItem *item)
{
  /* The row may be selected since this very moment. */
  _holdall_window_update_selection (self);
  g_action_group_activate_action (G_ACTION_GROUP (self), "open-entry", NULL);
}

static void
browser_selection_changed_cb (HoldallWindow *self)
{
  _holdall_window_queue_status (self);
}

static void
browser_settled_cb (HoldallWindow *self)
{
  _holdall_window_queue_status (self);
}

static void
browser_order_changed_cb (HoldallWindow *self)
{
  const HoldallOrder *order =
    holdall_entry_model_get_order (holdall_browser_get_model (self->browser));

  _holdall_window_set_state (self, "sort",
                             g_variant_new_string (holdall_column_get (order->column)->nick));
  _holdall_window_set_state (self, "sort-descending", g_variant_new_boolean (order->descending));
  _holdall_window_set_state (self, "folders-first", g_variant_new_boolean (order->folders_first));
}

void
_holdall_window_set_enabled (HoldallWindow *self,
                             const char    *action,
                             gboolean       enabled)
{
  GAction *found = g_action_map_lookup_action (G_ACTION_MAP (self), action);

  if (found != NULL)
    g_simple_action_set_enabled (G_SIMPLE_ACTION (found), enabled);
}

void
_holdall_window_set_state (HoldallWindow *self,
                           const char    *action,
                           GVariant      *state)
{
  g_autoptr (GVariant) owned = g_variant_ref_sink (state);
  GAction *found = g_action_map_lookup_action (G_ACTION_MAP (self), action);

  if (found != NULL)
    g_simple_action_set_state (G_SIMPLE_ACTION (found), owned);
}

static void
update_title (HoldallWindow *self)
{
  g_autofree char *name = NULL;
  g_autofree char *shown = NULL;
  GIcon *icon;

  if (self->file == NULL)
    {
      gtk_window_set_title (GTK_WINDOW (self), g_get_application_name ());
      adw_window_title_set_title (self->window_title, g_get_application_name ());
      gtk_stack_set_visible_child_name (self->title_stack, "title");
      return;
    }

  name = g_file_get_basename (self->file);
  shown = _holdall_window_dup_title (self);
  gtk_window_set_title (GTK_WINDOW (self), shown);
  adw_window_title_set_title (self->window_title, shown);
  if (self->archive != NULL)
    {
      icon = holdall_type_info_for_name (name)->symbolic_icon;
      holdall_path_bar_set (self->path_bar, shown, icon, _holdall_window_get_shown_folder (self));
    }
  gtk_stack_set_visible_child_name (self->title_stack, self->archive != NULL ? "path" : "title");
}

static void
update_extract_button (HoldallWindow *self)
{
  g_autofree char *why_not = _holdall_window_extract_why_not (self, "extract");
  g_autoptr (GtkBitset) selected =
    gtk_selection_model_get_selection (holdall_browser_get_selection (self->browser));
  const char *tooltip = gtk_bitset_is_empty (selected) ? _("Extract Everything")
                                                       : _("Extract the Selection");

  gtk_widget_set_tooltip_text (GTK_WIDGET (self->extract_button),
                               why_not != NULL ? why_not : tooltip);
}

static void
update_encoding_bar (HoldallWindow *self)
{
  const char *encoding = self->archive != NULL ? hold_archive_get_encoding (self->archive) : NULL;
  g_autofree char *text = NULL;

  if (encoding != NULL)
    {
      /* Translators: %s is the name of a character set, such as CP866. */
      text = g_strdup_printf (_("Names were read as %s. Do they look wrong?"), encoding);
      gtk_label_set_label (self->encoding_label, text);
    }
  gtk_revealer_set_reveal_child (self->encoding_bar,
                                 encoding != NULL && self->encoding == NULL &&
                                   !self->encoding_bar_hidden);
}

/* The list of a half-loaded archive looks as good as any other. */
static void
update_damage_bar (HoldallWindow *self)
{
  const GError *error = self->archive != NULL ? hold_archive_get_list_error (self->archive) : NULL;
  gboolean is_shown = error != NULL && !self->damage_bar_hidden;

  if (error != NULL)
    {
      g_autofree char *title = holdall_error_text_title (error);
      g_autofree char *body = holdall_error_text_body (error);
      g_autofree char *text = g_markup_printf_escaped ("<b>%s</b>\n%s", title, body);

      gtk_label_set_markup (self->damage_label, text);
      if (is_shown && !gtk_revealer_get_reveal_child (self->damage_bar))
        holdall_window_announce (self, gtk_label_get_text (self->damage_label));
    }
  gtk_revealer_set_reveal_child (self->damage_bar, is_shown);
}

void
_holdall_window_update (HoldallWindow *self)
{
  gboolean has_archive = self->archive != NULL;
  const char *folder = _holdall_window_get_shown_folder (self);
  static const char * const need_archive[] = {
    "search", "toggle-view", "view", "show-tree", "show-preview", "select-all",
    "invert-selection", "sort", "sort-descending", "folders-first", "encoding", "go-to",
    "archive-properties",
  };

  for (guint i = 0; i < G_N_ELEMENTS (need_archive); i++)
    _holdall_window_set_enabled (self, need_archive[i], has_archive);
  _holdall_window_set_enabled (self, "go-back", has_archive && self->history_position > 0);
  _holdall_window_set_enabled (self, "go-forward",
                               has_archive && self->history_position + 1 < self->history->len);
  _holdall_window_set_enabled (self, "go-up", has_archive && *folder != '\0');
  _holdall_window_set_enabled (self, "cancel-open", _holdall_window_is_opening (self));
  _holdall_window_set_enabled (self, "choose-encoding",
                               has_archive && hold_archive_get_encoding (self->archive) != NULL);
  gtk_widget_set_visible (self->history_box, has_archive);
  gtk_widget_set_visible (GTK_WIDGET (self->extract_button), has_archive);
  gtk_widget_set_visible (GTK_WIDGET (self->search_button), has_archive);
  gtk_widget_set_visible (GTK_WIDGET (self->view_button), has_archive);
  gtk_widget_set_visible (self->status_bar, has_archive);
  gtk_search_bar_set_key_capture_widget (self->search_bar,
                                         has_archive ? GTK_WIDGET (self) : NULL);
  update_title (self);
  update_damage_bar (self);
  update_encoding_bar (self);
  _holdall_window_watch_update (self);
  _holdall_window_opened_update (self);
  _holdall_window_queue_status (self);
}

void
_holdall_window_update_selection (HoldallWindow *self)
{
  _holdall_window_actions_update (self);
  _holdall_window_open_entry_update (self);
  _holdall_window_extract_update (self);
  _holdall_window_edit_update (self);
  update_extract_button (self);
}

static gboolean
holdall_window_close_request (GtkWindow *window)
{
  HoldallWindow *self = HOLDALL_WINDOW (window);
  int width, height;

  if (_holdall_window_ask_unsaved (self))
    return TRUE;
  gtk_window_get_default_size (window, &width, &height);
  g_settings_set (self->settings, "window-size", "(ii)", width, height);
  g_settings_set_boolean (self->settings, "window-maximized", gtk_window_is_maximized (window));
  holdall_browser_save (self->browser);
  /* Other work goes on without the window; a list that nobody will see need not be read. */
  if (self->reaching != NULL)
    g_cancellable_cancel (self->reaching);
  if (self->open_job != NULL)
    hold_job_cancel (self->open_job);

  return GTK_WINDOW_CLASS (holdall_window_parent_class)->close_request (window);
}

static void
holdall_window_dispose (GObject *object)
{
  HoldallWindow *self = HOLDALL_WINDOW (object);

  g_clear_handle_id (&self->status_idle, g_source_remove);
  _holdall_window_test_dispose (self);
  _holdall_window_open_dispose (self);
  _holdall_window_watch_dispose (self);
  _holdall_window_edit_dispose (self);
  g_clear_object (&self->archive);
  g_clear_object (&self->file);
  g_clear_object (&self->settings);
  g_clear_pointer (&self->keyring, hold_keyring_unref);

  G_OBJECT_CLASS (holdall_window_parent_class)->dispose (object);
}

static void
holdall_window_finalize (GObject *object)
{
  HoldallWindow *self = HOLDALL_WINDOW (object);

  g_clear_pointer (&self->history, g_ptr_array_unref);
  g_clear_pointer (&self->encoding, g_free);
  g_clear_pointer (&self->query, holdall_query_free);
  g_clear_pointer (&self->pending_path, g_free);

  G_OBJECT_CLASS (holdall_window_parent_class)->finalize (object);
}

static void
bind_children (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, announcer);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, browser);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, cost_bar);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, damage_bar);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, damage_label);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, encoding_bar);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, encoding_label);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, error_details);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, error_details_label);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, error_page);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, extract_button);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, history_box);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, job_bar);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, job_button);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, main_stack);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, menu_button);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, open_another_button);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, opened_bar);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, opened_label);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, opened_save_button);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, opened_update_button);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, path_bar);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, preview);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, preview_flap);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, read_only_sign);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, search_bar);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, search_button);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, search_case);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, search_entry);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, search_glob);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, selection_label);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, status_bar);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, status_label);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, title_stack);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, toast_overlay);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, tree_flap);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, tree_pane);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, view_button);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, view_section);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, welcome);
  gtk_widget_class_bind_template_child (widget_class, HoldallWindow, window_title);
}

static void
holdall_window_class_init (HoldallWindowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = holdall_window_dispose;
  object_class->finalize = holdall_window_finalize;
  GTK_WINDOW_CLASS (klass)->close_request = holdall_window_close_request;

  g_type_ensure (HOLDALL_TYPE_ANNOUNCER);
  g_type_ensure (HOLDALL_TYPE_BROWSER);
  g_type_ensure (HOLDALL_TYPE_COST_BAR);
  g_type_ensure (HOLDALL_TYPE_JOB_BAR);
  g_type_ensure (HOLDALL_TYPE_JOB_BUTTON);
  g_type_ensure (HOLDALL_TYPE_PATH_BAR);
  g_type_ensure (HOLDALL_TYPE_PREVIEW);
  g_type_ensure (HOLDALL_TYPE_TREE_PANE);
  g_type_ensure (HOLDALL_TYPE_WELCOME);
  gtk_widget_class_set_template_from_resource (widget_class, HOLDALL_APP_PATH "/holdall-window.ui");
  bind_children (widget_class);
  gtk_widget_class_bind_template_callback (widget_class, browser_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, browser_order_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, browser_selection_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, browser_settled_cb);
  gtk_widget_class_bind_template_callback (widget_class, welcome_open_cb);
}

static void
holdall_window_init (HoldallWindow *self)
{
  self->history = g_ptr_array_new_with_free_func (g_free);
  self->keyring = hold_keyring_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  /* This menu appears in two places and is written down in one. */
  g_menu_append_submenu (self->view_section, _("_Columns"),
                         holdall_browser_get_columns_menu (self->browser));
}

static void
restore_state (HoldallWindow *self)
{
  int width, height;

  g_settings_get (self->settings, "window-size", "(ii)", &width, &height);
  gtk_window_set_default_size (GTK_WINDOW (self), CLAMP (width, 360, 8000),
                               CLAMP (height, 300, 8000));
  if (g_settings_get_boolean (self->settings, "window-maximized"))
    gtk_window_maximize (GTK_WINDOW (self));
  gtk_widget_set_size_request (GTK_WIDGET (self->tree_pane),
                               g_settings_get_int (self->settings, "tree-width"), -1);
  holdall_browser_set_settings (self->browser, self->settings);
}

/* A closure keeps no window alive: the filter dies with the job bar that shows it. */
static gboolean
is_job_of_window_cb (gpointer job,
                     gpointer user_data)
{
  HoldallWindow *self = user_data;
  HoldallApplication *application =
    HOLDALL_APPLICATION (gtk_window_get_application (GTK_WINDOW (self)));

  return application != NULL &&
         holdall_job_list_get_window (holdall_application_get_jobs (application), job) ==
           GTK_WINDOW (self);
}

static void
show_jobs (HoldallWindow  *self,
           HoldallJobList *jobs)
{
  GtkFilter *filter = GTK_FILTER (gtk_custom_filter_new (is_job_of_window_cb, self, NULL));
  g_autoptr (GtkFilterListModel) own =
    gtk_filter_list_model_new (g_object_ref (G_LIST_MODEL (jobs)), filter);

  holdall_job_bar_set_jobs (self->job_bar, G_LIST_MODEL (own));
  holdall_job_button_set_jobs (self->job_button, G_LIST_MODEL (jobs));
}

HoldallWindow *
holdall_window_new (HoldallApplication *application)
{
  HoldallWindow *self = g_object_new (HOLDALL_TYPE_WINDOW, "application", application, NULL);
  HoldallJobList *jobs = holdall_application_get_jobs (application);

  self->settings = g_object_ref (holdall_application_get_settings (application));
  show_jobs (self, jobs);
  gtk_widget_insert_action_group (GTK_WIDGET (self), "job", holdall_job_list_get_actions (jobs));
  _holdall_window_actions_init (self);
  _holdall_window_open_entry_init (self);
  _holdall_window_navigate_init (self);
  _holdall_window_search_init (self);
  _holdall_window_open_init (self);
  _holdall_window_dnd_init (self);
  _holdall_window_extract_init (self);
  _holdall_window_edit_init (self);
  _holdall_window_create_init (self);
  _holdall_window_drag_init (self);
  if (holdall_application_is_test (application))
    _holdall_window_test_init (self);
  restore_state (self);
  _holdall_window_update (self);
  return self;
}

HoldArchive *
holdall_window_get_archive (HoldallWindow *self)
{
  g_return_val_if_fail (HOLDALL_IS_WINDOW (self), NULL);

  return self->archive;
}

GFile *
holdall_window_get_file (HoldallWindow *self)
{
  g_return_val_if_fail (HOLDALL_IS_WINDOW (self), NULL);

  return self->file;
}

HoldKeyring *
holdall_window_get_keyring (HoldallWindow *self)
{
  g_return_val_if_fail (HOLDALL_IS_WINDOW (self), NULL);

  return self->keyring;
}

const char *
holdall_window_get_folder (HoldallWindow *self)
{
  g_return_val_if_fail (HOLDALL_IS_WINDOW (self), "");

  return _holdall_window_is_searching (self) ? "" : _holdall_window_get_shown_folder (self);
}

GArray *
holdall_window_dup_selection (HoldallWindow *self)
{
  g_autoptr (GPtrArray) nodes = NULL;
  GArray *indices;

  g_return_val_if_fail (HOLDALL_IS_WINDOW (self), NULL);

  nodes = holdall_browser_dup_selected_nodes (self->browser);
  if (nodes->len == 0)
    return NULL;
  indices = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < nodes->len; i++)
    hold_node_collect (g_ptr_array_index (nodes, i), indices);

  /* Results of a search can hold a folder and what is in it. */
  hold_indices_tidy (indices);
  return indices;
}

char **
holdall_window_dup_selected_paths (HoldallWindow *self)
{
  g_autoptr (GPtrArray) nodes = NULL;
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();

  g_return_val_if_fail (HOLDALL_IS_WINDOW (self), NULL);

  nodes = holdall_browser_dup_selected_nodes (self->browser);
  for (guint i = 0; i < nodes->len; i++)
    g_ptr_array_add (paths, hold_node_dup_path (g_ptr_array_index (nodes, i)));
  g_ptr_array_add (paths, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&paths), FALSE);
}

void
holdall_window_announce (HoldallWindow *self,
                         const char    *markup)
{
  g_autofree char *text = NULL;

  g_return_if_fail (HOLDALL_IS_WINDOW (self));

  if (pango_parse_markup (markup, -1, 0, NULL, &text, NULL, NULL))
    holdall_announcer_say (self->announcer, text);
  else
    holdall_announcer_say (self->announcer, markup);
}

gpointer
holdall_window_new_weak (HoldallWindow *self)
{
  GWeakRef *weak = g_new (GWeakRef, 1);

  g_weak_ref_init (weak, self);
  return weak;
}

HoldallWindow *
holdall_window_take_weak (gpointer weak)
{
  g_autoptr (HoldallWindow) self = g_weak_ref_get (weak);

  g_weak_ref_clear (weak);
  g_free (weak);
  /* One that is closed may be kept by others for a moment, but belongs to no program. */
  if (self != NULL && gtk_window_get_application (GTK_WINDOW (self)) == NULL)
    return NULL;
  return g_steal_pointer (&self);
}

static gboolean
dismiss_cb (gpointer user_data)
{
  adw_toast_dismiss (user_data);
  return G_SOURCE_REMOVE;
}

/* Later: libadwaita 1.2 crashes when a toast goes that is still coming. */
void
_holdall_window_end_toast (AdwToast **toast)
{
  if (*toast == NULL)
    return;
  adw_toast_set_button_label (*toast, NULL);
  g_timeout_add_full (G_PRIORITY_DEFAULT, DISMISS_MS, dismiss_cb, g_steal_pointer (toast),
                      g_object_unref);
}

void
holdall_window_show_toast (HoldallWindow *self,
                           AdwToast      *toast)
{
  g_return_if_fail (HOLDALL_IS_WINDOW (self));

  /* It takes no focus; newer versions of libadwaita say it by themselves. */
#if !ADW_CHECK_VERSION (1, 7, 0)
  holdall_window_announce (self, adw_toast_get_title (toast));
#endif

  g_object_set_data_full (G_OBJECT (self), "holdall-last-toast",
                          g_strdup (adw_toast_get_title (toast)), g_free);
  _holdall_window_test_note_toast (self, toast);
  adw_toast_overlay_add_toast (self->toast_overlay, toast);
}
