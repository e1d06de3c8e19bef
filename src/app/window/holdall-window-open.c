/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Opening an archive: chooser, job, page while it lasts, page when it fails. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-encoding-dialog.h"
#include "holdall-encoding-list.h"
#include "holdall-error-text.h"
#include "holdall-native-dialog.h"
#include "holdall-remote.h"
#include "holdall-window-opened.h"
#include "holdall-window-private.h"

/* Most archives are open before anybody would see a spinner. */
#define LOADING_DELAY_MS 200

static void start_job (HoldallWindow *self);

static void
show_page (HoldallWindow *self,
           const char    *name)
{
  g_clear_handle_id (&self->loading_timeout, g_source_remove);
  gtk_stack_set_visible_child_name (self->main_stack, name);
}

static gboolean
show_loading_cb (gpointer user_data)
{
  HoldallWindow *self = user_data;

  self->loading_timeout = 0;
  gtk_stack_set_visible_child_name (self->main_stack, "loading");
  return G_SOURCE_REMOVE;
}

static void
forget_archive (HoldallWindow *self)
{
  _holdall_window_end_search (self);
  g_clear_object (&self->archive);
  holdall_browser_show (self->browser, NULL, NULL, NULL);
  holdall_tree_pane_set_archive (self->tree_pane, NULL);
  holdall_preview_show (self->preview, NULL, NULL, NULL);
}

static void
show_error (HoldallWindow *self,
            const GError  *error)
{
  g_autofree char *title = holdall_error_text_title (error);
  g_autofree char *body = holdall_error_text_open_body (error);
  g_autofree char *details = holdall_error_text_details (error);
  g_autofree char *shown_name = _holdall_window_dup_title (self);
  g_autofree char *heading = NULL;
  g_autofree char *escaped_title = NULL;
  g_autofree char *escaped_body = NULL;

  /* What was shown is of another file, or of this one as it was: neither may pass for what is
   * there now. */
  forget_archive (self);
  heading = g_strdup_printf ("%s\n%s", shown_name, body);
  escaped_title = g_markup_escape_text (title, -1);
  escaped_body = g_markup_escape_text (heading, -1);
  adw_status_page_set_title (self->error_page, escaped_title);
  adw_status_page_set_description (self->error_page, escaped_body);
  gtk_label_set_label (self->error_details_label, details);
  gtk_expander_set_expanded (self->error_details, FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self->error_details), *details != '\0');
  show_page (self, "error");
  gtk_widget_grab_focus (self->open_another_button);
  holdall_window_announce (self, escaped_title);
  _holdall_window_update (self);
}

static void
remember_as_recent (HoldallWindow *self)
{
  const HoldFormat *format = hold_archive_get_format (self->archive);
  GFile *origin = holdall_remote_peek_origin (self->file);
  g_autofree char *uri = g_file_get_uri (origin != NULL ? origin : self->file);
  g_autofree char *command = g_strdup_printf ("%s %%u", g_get_prgname ());
  GtkRecentData data = { 0 };

  /* The copy of an archive in an archive goes with its window. */
  if (_holdall_window_is_nested (self))
    return;
  if (format == NULL || format->mime_types == NULL || format->mime_types[0] == NULL)
    return;
  data.mime_type = (char *) format->mime_types[0];
  data.app_name = (char *) g_get_application_name ();
  data.app_exec = command;
  gtk_recent_manager_add_full (gtk_recent_manager_get_default (), uri, &data);
}

/* As before, if there was something before. */
static void
show_cancelled (HoldallWindow *self)
{
  if (self->archive == NULL)
    g_clear_object (&self->file);
  show_page (self, self->archive != NULL ? "archive" : "welcome");
  _holdall_window_update (self);
}

static void
open_finished_cb (HoldallWindow *self,
                  HoldJob       *job)
{
  g_autoptr (HoldJob) finished = NULL;
  HoldArchive *archive;

  if (job != self->open_job)
    return;
  finished = g_steal_pointer (&self->open_job);
  switch (hold_job_get_state (finished))
    {
    case HOLD_JOB_DONE:
      archive = hold_open_job_get_archive (HOLD_OPEN_JOB (finished));
      holdall_remote_keep_for (self->file, G_OBJECT (archive));
      holdall_window_set_archive (self, archive);
      remember_as_recent (self);
      break;
    case HOLD_JOB_FAILED:
      show_error (self, hold_job_get_error (finished));
      break;
    default:
      show_cancelled (self);
      break;
    }
}

static void
cancel_job (HoldallWindow *self)
{
  g_clear_handle_id (&self->loading_timeout, g_source_remove);
  if (self->reaching != NULL)
    g_cancellable_cancel (self->reaching);
  g_clear_object (&self->reaching);
  if (self->open_job == NULL)
    return;
  g_signal_handlers_disconnect_by_data (self->open_job, self);
  hold_job_cancel (self->open_job);
  g_clear_object (&self->open_job);
}

static void
reached_cb (GObject      *object,
            GAsyncResult *result,
            gpointer      user_data)
{
  g_autoptr (HoldallWindow) self = holdall_window_take_weak (user_data);
  g_autoptr (GError) error = NULL;
  g_autoptr (GFile) file = holdall_remote_reach_finish (result, &error);

  /* The window is closed, or another file is being opened by now. */
  if (self == NULL || g_task_get_cancellable (G_TASK (result)) != self->reaching || self->file == NULL)
    return;
  g_clear_object (&self->reaching);
  if (file != NULL)
    {
      g_set_object (&self->file, file);
      start_job (self);
    }
  else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
           /* The person has closed the question for a password. */
           || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_FAILED_HANDLED))
    show_cancelled (self);
  else
    show_error (self, error);
}

static void
show_loading (HoldallWindow *self)
{
  gtk_stack_set_visible_child_name (self->main_stack, "blank");
  self->loading_timeout = g_timeout_add (LOADING_DELAY_MS, show_loading_cb, self);
}

/* On another machine, or in a place that only GIO knows (X14). */
static void
reach (HoldallWindow *self)
{
  HoldallApplication *application = HOLDALL_APPLICATION (gtk_window_get_application (GTK_WINDOW (self)));

  self->reaching = g_cancellable_new ();
  show_loading (self);
  holdall_remote_reach_async (self->file, holdall_application_get_jobs (application),
                              GTK_WINDOW (self), self->reaching, reached_cb,
                              holdall_window_new_weak (self));
  _holdall_window_update (self);
}

static void
start_job (HoldallWindow *self)
{
  HoldallApplication *application = HOLDALL_APPLICATION (gtk_window_get_application (GTK_WINDOW (self)));
  g_autofree char *path = g_file_get_path (self->file);

  cancel_job (self);
  if (path == NULL)
    {
      reach (self);
      return;
    }
  self->open_job = HOLD_JOB (hold_open_job_new (path, self->encoding, self->keyring));
  if (holdall_remote_peek_origin (self->file) != NULL)
    hold_open_job_set_fetched (HOLD_OPEN_JOB (self->open_job));
  g_signal_connect_object (self->open_job, "finished", G_CALLBACK (open_finished_cb), self,
                           G_CONNECT_SWAPPED);
  if (self->archive == NULL)
    show_loading (self);
  holdall_job_list_submit (holdall_application_get_jobs (application), self->open_job,
                           GTK_WINDOW (self));
  _holdall_window_update (self);
}

void
holdall_window_open (HoldallWindow *self,
                     GFile         *file)
{
  g_return_if_fail (HOLDALL_IS_WINDOW (self));
  g_return_if_fail (G_IS_FILE (file));

  if (self->file == NULL || !g_file_equal (self->file, file))
    {
      forget_archive (self);
      g_set_object (&self->file, file);
      g_clear_pointer (&self->encoding, g_free);
      g_clear_pointer (&self->keyring, hold_keyring_unref);
      self->keyring = hold_keyring_new ();
      self->encoding = holdall_encoding_recall (self->settings, file);
      _holdall_window_set_state (self, "encoding",
                                 g_variant_new_string (self->encoding != NULL ? self->encoding : ""));
      self->encoding_bar_hidden = FALSE;
      self->damage_bar_hidden = FALSE;
    }
  start_job (self);
}

gboolean
_holdall_window_is_opening (HoldallWindow *self)
{
  return self->open_job != NULL || self->reaching != NULL;
}

gboolean
holdall_window_is_vacant (HoldallWindow *self)
{
  g_return_val_if_fail (HOLDALL_IS_WINDOW (self), FALSE);

  return self->archive == NULL && !_holdall_window_is_opening (self);
}

void
holdall_window_set_archive (HoldallWindow *self,
                            HoldArchive   *archive)
{
  g_auto (GStrv) selected = NULL;
  g_autoptr (GPtrArray) nodes = NULL;
  HoldTree *tree;
  double scroll;
  gboolean is_new;

  g_return_if_fail (HOLDALL_IS_WINDOW (self));
  g_return_if_fail (HOLD_IS_ARCHIVE (archive));

  /* Nodes of the old snapshot mean nothing in the new one; paths do. */
  is_new = self->archive == NULL;
  selected = holdall_window_dup_selected_paths (self);
  scroll = holdall_browser_get_scroll (self->browser);
  tree = hold_archive_get_tree (archive);

  g_set_object (&self->archive, archive);
  if (self->file == NULL)
    self->file = g_file_new_for_path (hold_archive_get_path (archive));
  holdall_tree_pane_set_archive (self->tree_pane, archive);
  show_page (self, "archive");
  if (is_new)
    {
      _holdall_window_start_history (self);
      if (self->pending_path != NULL)
        _holdall_window_go_to (self, self->pending_path);
      g_clear_pointer (&self->pending_path, g_free);
      holdall_browser_focus (self->browser);
      return;
    }

  _holdall_window_show_folder (self, NULL);
  nodes = g_ptr_array_new ();
  for (guint i = 0; selected[i] != NULL; i++)
    {
      HoldNode *node = hold_tree_lookup (tree, selected[i]);

      if (node != NULL)
        g_ptr_array_add (nodes, node);
    }
  holdall_browser_select (self->browser, nodes, FALSE);
  holdall_browser_set_scroll (self->browser, scroll);
}

/* The first file here if there is room, the others in windows of their own. */
static void
chooser_response_cb (HoldallWindow        *self,
                     int                   response,
                     GtkFileChooserNative *chooser)
{
  g_autoptr (GListModel) files = NULL;
  g_autoptr (GPtrArray) array = g_ptr_array_new_with_free_func (g_object_unref);

  if (response == GTK_RESPONSE_ACCEPT)
    {
      files = gtk_file_chooser_get_files (GTK_FILE_CHOOSER (chooser));
      for (guint i = 0; i < g_list_model_get_n_items (files); i++)
        g_ptr_array_add (array, g_list_model_get_item (files, i));
      _holdall_window_open_files (self, (GFile **) array->pdata, array->len);
    }
}

static GtkFileFilter *
create_archive_filter (void)
{
  GtkFileFilter *filter = gtk_file_filter_new ();
  guint n_formats;
  const HoldFormat *formats = hold_format_table (&n_formats);

  gtk_file_filter_set_name (filter, _("Archives"));
  for (guint i = 0; i < n_formats; i++)
    {
      for (guint j = 0; formats[i].mime_types != NULL && formats[i].mime_types[j] != NULL; j++)
        gtk_file_filter_add_mime_type (filter, formats[i].mime_types[j]);
      for (guint j = 0; formats[i].suffixes != NULL && formats[i].suffixes[j] != NULL; j++)
        gtk_file_filter_add_suffix (filter, formats[i].suffixes[j] + 1);
    }
  return filter;
}

static void
open_cb (GSimpleAction *action,
         GVariant      *parameter,
         gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  GtkFileChooserNative *chooser;
  g_autoptr (GtkFileFilter) archives = create_archive_filter ();
  g_autoptr (GtkFileFilter) all = gtk_file_filter_new ();
  g_autoptr (GFile) folder = self->file != NULL ? g_file_get_parent (self->file) : NULL;

  gtk_file_filter_set_name (all, _("All Files"));
  gtk_file_filter_add_pattern (all, "*");
  chooser = gtk_file_chooser_native_new (_("Open an Archive"), GTK_WINDOW (self),
                                         GTK_FILE_CHOOSER_ACTION_OPEN, _("_Open"), NULL);
  gtk_file_chooser_set_select_multiple (GTK_FILE_CHOOSER (chooser), TRUE);
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (chooser), archives);
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (chooser), all);
  gtk_file_chooser_set_filter (GTK_FILE_CHOOSER (chooser), archives);
  if (folder != NULL)
    gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (chooser), folder, NULL);
  g_signal_connect_object (chooser, "response", G_CALLBACK (chooser_response_cb), self,
                           G_CONNECT_SWAPPED);
  holdall_native_dialog_present (GTK_NATIVE_DIALOG (chooser));
}

void
_holdall_window_open_files (HoldallWindow  *self,
                            GFile         **files,
                            guint           n_files)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  guint first = 0;

  if (n_files > 0 && holdall_window_is_vacant (self))
    {
      holdall_window_open (self, files[0]);
      first = 1;
    }
  for (guint i = first; i < n_files; i++)
    {
      HoldallWindow *window = holdall_window_new (HOLDALL_APPLICATION (application));

      holdall_window_open (window, files[i]);
      gtk_window_present (GTK_WINDOW (window));
    }
}

static void
try_again_cb (GSimpleAction *action,
              GVariant      *parameter,
              gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);

  if (self->file != NULL && !_holdall_window_is_opening (self))
    start_job (self);
}

static void
cancel_open_cb (GSimpleAction *action,
                GVariant      *parameter,
                gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);

  if (self->open_job != NULL)
    {
      hold_job_cancel (self->open_job);
      return;
    }
  /* A place that does not answer need not answer to this. */
  cancel_job (self);
  show_cancelled (self);
}

/* Another encoding gives other names, so the list is read again. */
static void
encoding_cb (GSimpleAction *action,
             GVariant      *value,
             gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  const char *encoding = g_variant_get_string (value, NULL);

  if (self->file == NULL || g_strcmp0 (encoding, self->encoding != NULL ? self->encoding : "") == 0)
    return;
  g_simple_action_set_state (action, value);
  g_clear_pointer (&self->encoding, g_free);
  self->encoding = *encoding != '\0' ? g_strdup (encoding) : NULL;
  holdall_encoding_remember (self->settings, self->file, encoding);
  start_job (self);
}

static void
choose_encoding_cb (GSimpleAction *action,
                    GVariant      *parameter,
                    gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);

  if (self->archive != NULL)
    holdall_encoding_dialog_present (GTK_WINDOW (self), self->archive, self->encoding);
}

static void
hide_encoding_bar_cb (GSimpleAction *action,
                      GVariant      *parameter,
                      gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);

  self->encoding_bar_hidden = TRUE;
  _holdall_window_update (self);
}

static void
hide_damage_bar_cb (GSimpleAction *action,
                    GVariant      *parameter,
                    gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);

  self->damage_bar_hidden = TRUE;
  _holdall_window_update (self);
}

void
_holdall_window_open_init (HoldallWindow *self)
{
  static const GActionEntry entries[] = {
    { "open", open_cb },
    { "try-again", try_again_cb },
    { "cancel-open", cancel_open_cb },
    { "choose-encoding", choose_encoding_cb },
    { "encoding", NULL, "s", "''", encoding_cb },
    { "hide-encoding-bar", hide_encoding_bar_cb },
    { "hide-damage-bar", hide_damage_bar_cb },
  };

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  gtk_stack_set_visible_child_name (self->main_stack, "welcome");
}

void
_holdall_window_open_dispose (HoldallWindow *self)
{
  cancel_job (self);
}
