/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The question about a changed copy is a bar: one may look around, and save again, before one
 * answers. Only a window that closes asks in a dialog. */

#include "config.h"

#include "holdall-window-opened.h"

#include <glib/gi18n.h>

#include "holdall-error-dialog.h"
#include "holdall-native-dialog.h"
#include "holdall-opened-list.h"
#include "holdall-opened-update.h"
#include "holdall-window-private.h"

static GtkApplication *
get_application (HoldallWindow *self)
{
  return gtk_window_get_application (GTK_WINDOW (self));
}

/* NULL: the window is closed. */
static HoldallOpenedList *
get_list (HoldallWindow *self)
{
  GtkApplication *application = get_application (self);

  return application != NULL ? holdall_application_get_opened (HOLDALL_APPLICATION (application))
                             : NULL;
}

static const char *
get_path (HoldallWindow *self)
{
  return self->file != NULL ? g_file_peek_path (self->file) : NULL;
}

/* (transfer full): may be empty */
static GPtrArray *
dup_asking (HoldallWindow *self)
{
  HoldallOpenedList *list = get_list (self);

  if (list == NULL || get_path (self) == NULL)
    return g_ptr_array_new ();
  return holdall_opened_list_dup_asking (list, get_path (self));
}

static gboolean
is_read_only (GPtrArray *entries)
{
  return holdall_opened_entry_get_why_read_only (g_ptr_array_index (entries, 0)) != NULL;
}

static void
list_changed_cb (HoldallWindow *self)
{
  g_autoptr (GPtrArray) asking = dup_asking (self);
  g_autofree char *question = NULL;
  gboolean was_shown = gtk_revealer_get_reveal_child (self->opened_bar);

  if (asking->len > 0)
    {
      question = holdall_opened_update_dup_question (get_list (self), asking);
      if (!was_shown || g_strcmp0 (question, gtk_label_get_label (self->opened_label)) != 0)
        {
          g_autofree char *escaped = g_markup_escape_text (question, -1);

          holdall_window_announce (self, escaped);
        }
      gtk_label_set_label (self->opened_label, question);
    }
  _holdall_window_set_enabled (self, "update-opened", asking->len > 0 && !is_read_only (asking));
  _holdall_window_set_enabled (self, "save-opened-as", asking->len > 0 && is_read_only (asking));
  _holdall_window_set_enabled (self, "put-off-opened", asking->len > 0);
  gtk_widget_set_visible (self->opened_update_button, asking->len > 0 && !is_read_only (asking));
  gtk_widget_set_visible (self->opened_save_button, asking->len > 0 && is_read_only (asking));
  gtk_revealer_set_reveal_child (self->opened_bar, asking->len > 0);
}

static void
update_opened_cb (GSimpleAction *action,
                  GVariant      *parameter,
                  gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  g_autoptr (GPtrArray) asking = dup_asking (self);

  if (asking->len > 0)
    holdall_opened_update_run (get_application (self), asking, NULL);
}

static void
put_off_opened_cb (GSimpleAction *action,
                   GVariant      *parameter,
                   gpointer       user_data)
{
  g_autoptr (GPtrArray) asking = dup_asking (HOLDALL_WINDOW (user_data));

  for (guint i = 0; i < asking->len; i++)
    holdall_opened_entry_put_off (g_ptr_array_index (asking, i));
}

/* Saving elsewhere. */

typedef struct {
  HoldallWindow *window;      /* weak */
  HoldallOpenedEntry *entry;
  guint version;              /* of the content that is saved */
  gboolean close_after;
} Saving;

static void
saving_free (gpointer data)
{
  Saving *saving = data;

  g_clear_weak_pointer (&saving->window);
  g_object_unref (saving->entry);
  g_free (saving);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Saving, saving_free)

static void
saving_free_closure (gpointer  data,
                     GClosure *closure)
{
  saving_free (data);
}

static Saving *
saving_new (HoldallWindow      *self,
            HoldallOpenedEntry *entry,
            gboolean            close_after)
{
  Saving *saving = g_new0 (Saving, 1);

  g_set_weak_pointer (&saving->window, self);
  saving->entry = g_object_ref (entry);
  saving->close_after = close_after;
  return saving;
}

/* An existing file is replaced when all of the new one is on the disk, and not before. What is behind
 * a GVfs has nothing but the ways of GIO. */
static void
copy_func (GTask        *task,
           gpointer      source_object,
           gpointer      task_data,
           GCancellable *cancellable)
{
  GFile *copy = source_object;
  GFile *place = task_data;
  g_autoptr (GError) error = NULL;
  gboolean copied;

  if (g_file_is_native (place))
    copied = hold_file_copy (g_file_peek_path (copy), g_file_peek_path (place), cancellable, &error);
  else
    copied = g_file_copy (copy, place, G_FILE_COPY_OVERWRITE | G_FILE_COPY_TARGET_DEFAULT_PERMS,
                          cancellable, NULL, NULL, &error);
  if (copied)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, g_steal_pointer (&error));
}

static void
saved_cb (GObject      *object,
          GAsyncResult *result,
          gpointer      user_data)
{
  g_autoptr (Saving) saving = user_data;
  g_autoptr (GError) error = NULL;

  if (!g_task_propagate_boolean (G_TASK (result), &error))
    {
      holdall_error_dialog_present (GTK_WINDOW (saving->window), NULL, error);
      return;
    }
  /* What a program has written meanwhile may not have come along. */
  holdall_opened_entry_check (saving->entry);
  if (holdall_opened_entry_get_version (saving->entry) == saving->version)
    holdall_opened_entry_settle (saving->entry);
  if (saving->window == NULL)
    return;
  list_changed_cb (saving->window);
  if (saving->close_after)
    gtk_window_close (GTK_WINDOW (saving->window));
}

static void
place_chosen_cb (GtkFileChooserNative *chooser,
                 int                   response,
                 Saving               *saving)
{
  g_autoptr (GFile) place = NULL;
  g_autoptr (GFile) copy = NULL;
  g_autoptr (GTask) task = NULL;
  Saving *copying;

  if (response == GTK_RESPONSE_ACCEPT && holdall_opened_entry_get_copy (saving->entry) != NULL)
    {
      place = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (chooser));
      copy = g_file_new_for_path (holdall_opened_entry_get_copy (saving->entry));
      copying = saving_new (saving->window, saving->entry, saving->close_after);
      holdall_opened_entry_check (saving->entry);
      copying->version = holdall_opened_entry_get_version (saving->entry);
      task = g_task_new (copy, NULL, saved_cb, copying);
      g_task_set_task_data (task, g_steal_pointer (&place), g_object_unref);
      g_task_run_in_thread (task, copy_func);
    }
}

static void
save_as (HoldallWindow      *self,
         HoldallOpenedEntry *entry,
         gboolean            close_after)
{
  GtkFileChooserNative *chooser =
    gtk_file_chooser_native_new (_("Save"), GTK_WINDOW (self), GTK_FILE_CHOOSER_ACTION_SAVE,
                                 _("_Save"), NULL);

  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (chooser),
                                     holdall_opened_entry_get_name (entry));
  g_signal_connect_data (chooser, "response", G_CALLBACK (place_chosen_cb),
                         saving_new (self, entry, close_after), saving_free_closure,
                         G_CONNECT_DEFAULT);
  holdall_native_dialog_present (GTK_NATIVE_DIALOG (chooser));
}

static void
save_opened_as_cb (GSimpleAction *action,
                   GVariant      *parameter,
                   gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  g_autoptr (GPtrArray) asking = dup_asking (self);

  if (asking->len > 0)
    save_as (self, g_ptr_array_index (asking, 0), FALSE);
}

/* Closing. */

static gboolean
close_cb (gpointer user_data)
{
  g_autoptr (HoldallWindow) self = user_data;

  gtk_window_close (GTK_WINDOW (self));
  return G_SOURCE_REMOVE;
}

/* Not from within the answer: the window would take the dialog with it that is just closing. What that
 * question was not about is asked next. */
static void
close_soon (HoldallWindow *self)
{
  g_autoptr (GPtrArray) unsaved =
    holdall_opened_list_dup_unsaved (get_list (self), GTK_WINDOW (self));

  self->may_close = unsaved->len == 0;
  g_idle_add (close_cb, g_object_ref (self));
}

static void
close_response_cb (HoldallWindow *self,
                   const char    *response)
{
  HoldallOpenedList *list = get_list (self);
  g_autoptr (GPtrArray) unsaved = NULL;

  self->close_question = NULL;
  if (list == NULL || g_str_equal (response, "cancel"))
    return;
  unsaved = holdall_opened_list_dup_unsaved (list, GTK_WINDOW (self));
  if (g_str_equal (response, "save") && unsaved->len > 0)
    {
      save_as (self, g_ptr_array_index (unsaved, 0), TRUE);
      return;
    }
  if (g_str_equal (response, "update") && unsaved->len > 0)
    holdall_opened_update_run (get_application (self), unsaved, GTK_WINDOW (self));
  else
    g_ptr_array_foreach (unsaved, (GFunc) holdall_opened_entry_settle, NULL);
  close_soon (self);
}

gboolean
_holdall_window_ask_unsaved (HoldallWindow *self)
{
  HoldallOpenedList *list = get_list (self);
  g_autoptr (GPtrArray) unsaved = NULL;
  g_autofree char *question = NULL;
  AdwMessageDialog *dialog;

  if (self->may_close || list == NULL)
    return FALSE;
  if (self->close_question != NULL)
    {
      gtk_window_present (self->close_question);
      return TRUE;
    }
  /* Saved a moment ago, and not noticed yet. */
  holdall_opened_list_check (list);
  unsaved = holdall_opened_list_dup_unsaved (list, GTK_WINDOW (self));
  if (unsaved->len == 0)
    return FALSE;

  question = holdall_opened_update_dup_question (list, unsaved);
  dialog = ADW_MESSAGE_DIALOG (adw_message_dialog_new (GTK_WINDOW (self), _("Keep the Changes?"),
                                                       question));
  adw_message_dialog_add_responses (dialog, "cancel", _("_Cancel"), "discard", _("_Discard"), NULL);
  if (is_read_only (unsaved))
    adw_message_dialog_add_response (dialog, "save", _("_Save As…"));
  else
    adw_message_dialog_add_response (dialog, "update", _("_Update"));
  adw_message_dialog_set_response_appearance (dialog, "discard", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_response_appearance (dialog, is_read_only (unsaved) ? "save" : "update",
                                              ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (dialog, is_read_only (unsaved) ? "save" : "update");
  adw_message_dialog_set_close_response (dialog, "cancel");
  g_signal_connect_object (dialog, "response", G_CALLBACK (close_response_cb), self,
                           G_CONNECT_SWAPPED);
  self->close_question = GTK_WINDOW (dialog);
  gtk_window_present (self->close_question);
  return TRUE;
}

/* Where files cannot be watched, a look has to do. */
static void
active_changed_cb (HoldallWindow *self)
{
  HoldallOpenedList *list = get_list (self);

  if (list != NULL && gtk_window_is_active (GTK_WINDOW (self)))
    holdall_opened_list_check (list);
}

void
_holdall_window_opened_update (HoldallWindow *self)
{
  HoldallOpenedList *list = get_list (self);

  if (list != NULL && self->archive != NULL)
    holdall_opened_list_follow (list, self->archive, self->keyring);
  list_changed_cb (self);
}

char *
_holdall_window_dup_title (HoldallWindow *self)
{
  HoldallOpenedList *list = get_list (self);
  g_autofree char *name = NULL;

  if (list != NULL && get_path (self) != NULL)
    return holdall_opened_list_dup_title (list, get_path (self));
  name = g_file_get_basename (self->file);
  /* What is no URI, as a call over D-Bus may have, has no name. */
  if (name == NULL)
    name = g_file_get_uri (self->file);
  return hold_path_escape_for_display (name);
}

gboolean
_holdall_window_is_nested (HoldallWindow *self)
{
  HoldallOpenedList *list = get_list (self);

  return list != NULL && get_path (self) != NULL &&
         holdall_opened_list_find_copy (list, get_path (self)) != NULL;
}

char *
_holdall_window_dup_outermost_path (HoldallWindow *self)
{
  const char *path = hold_archive_get_path (self->archive);
  HoldallOpenedList *list = get_list (self);

  return list != NULL ? holdall_opened_list_dup_outermost (list, path) : g_strdup (path);
}

void
_holdall_window_opened_init (HoldallWindow *self)
{
  static const GActionEntry entries[] = {
    { "update-opened", update_opened_cb },
    { "save-opened-as", save_opened_as_cb },
    { "put-off-opened", put_off_opened_cb },
  };

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  g_signal_connect_object (get_list (self), "changed", G_CALLBACK (list_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect (self, "notify::is-active", G_CALLBACK (active_changed_cb), NULL);
  list_changed_cb (self);
}
