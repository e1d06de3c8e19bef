/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The archive may be shown by a window, or by none any more; and another program may have changed
 * it since. */

#include "config.h"

#include "holdall-opened-update.h"

#include <glib/gi18n.h>
#include <string.h>

#include "holdall-error-dialog.h"
#include "holdall-format-text.h"
#include "holdall-window-edit.h"

static const char *
get_archive_path (HoldallOpenedEntry *entry)
{
  return hold_archive_get_path (holdall_opened_entry_get_archive (entry));
}

/* (nullable): the window that shows the very archive of @entry */
static HoldallWindow *
find_window (GtkApplication     *application,
             HoldallOpenedEntry *entry,
             GtkWindow          *except)
{
  for (GList *l = gtk_application_get_windows (application); l != NULL; l = l->next)
    if (l->data != except && HOLDALL_IS_WINDOW (l->data) &&
        holdall_window_get_archive (l->data) == holdall_opened_entry_get_archive (entry))
      return l->data;
  return NULL;
}

/* Shows the archive, so that its window asks again. */
static void
show_archive (GtkApplication *application,
              const char     *path)
{
  HoldallWindow *window = holdall_window_new (HOLDALL_APPLICATION (application));
  g_autoptr (GFile) file = g_file_new_for_path (path);

  holdall_window_open (window, file);
  gtk_window_present (GTK_WINDOW (window));
}

static void
finished_cb (HoldJob *job,
             char    *path)
{
  GtkApplication *application = GTK_APPLICATION (g_application_get_default ());

  if (hold_job_get_state (job) != HOLD_JOB_FAILED)
    return;
  show_archive (application, path);
  holdall_error_dialog_present (gtk_application_get_active_window (application), NULL,
                                hold_job_get_error (job));
}

static void
free_closure (gpointer  data,
              GClosure *closure)
{
  g_free (data);
}

static void
add_to_request (HoldUpdateRequest  *request,
                HoldallOpenedEntry *entry)
{
  const char *copy = holdall_opened_entry_get_copy (entry);
  guint index = holdall_opened_entry_get_index (entry);
  const char *path = holdall_opened_entry_get_path (entry);
  const char *slash = strrchr (path, '/');
  g_autofree char *folder = g_strndup (path, slash != NULL ? (gsize) (slash - path) : 0);

  if (index != G_MAXUINT)
    hold_update_request_replace (request, index, copy);
  else
    hold_update_request_add (request, copy, folder);
}

/* @group: of one archive */
static void
run_group (GtkApplication *application,
           GPtrArray      *group,
           GtkWindow      *except)
{
  HoldallOpenedEntry *first = g_ptr_array_index (group, 0);
  HoldUpdateRequest *request =
    hold_update_request_new (holdall_opened_entry_get_archive (first));
  HoldallWindow *window = find_window (application, first, except);
  g_autoptr (HoldUpdateJob) job = NULL;
  HoldallEdit edit = { 0 };

  hold_update_request_set_keyring (request, holdall_opened_entry_get_keyring (first));
  hold_update_request_set_conflict (request, HOLD_CONFLICT_OVERWRITE);
  for (guint i = 0; i < group->len; i++)
    add_to_request (request, g_ptr_array_index (group, i));
  job = hold_update_job_new (request);
  for (guint i = 0; i < group->len; i++)
    holdall_opened_entry_begin_update (g_ptr_array_index (group, i), job);

  if (window == NULL)
    {
      g_signal_connect_data (job, "finished", G_CALLBACK (finished_cb),
                             g_strdup (get_archive_path (first)), free_closure, G_CONNECT_DEFAULT);
      holdall_job_list_submit (
        holdall_application_get_jobs (HOLDALL_APPLICATION (application)), HOLD_JOB (job), NULL);
      return;
    }
  edit.job = HOLD_JOB (g_steal_pointer (&job));
  if (group->len == 1)
    edit.words = g_strdup_printf (_("Updated “%s”"), holdall_opened_entry_get_name (first));
  else
    edit.words = g_strdup_printf (ngettext ("Updated %u file", "Updated %u files", group->len),
                                  group->len);
  _holdall_window_submit_edit (window, &edit);
}

void
holdall_opened_update_run (GtkApplication *application,
                           GPtrArray      *entries,
                           GtkWindow      *except)
{
  g_autoptr (GPtrArray) left = g_ptr_array_copy (entries, (GCopyFunc) g_object_ref, NULL);

  g_ptr_array_set_free_func (left, g_object_unref);
  while (left->len > 0)
    {
      HoldArchive *archive = holdall_opened_entry_get_archive (g_ptr_array_index (left, 0));
      g_autoptr (GPtrArray) group = g_ptr_array_new_with_free_func (g_object_unref);

      for (guint i = 0; i < left->len;)
        {
          HoldallOpenedEntry *entry = g_ptr_array_index (left, i);

          if (holdall_opened_entry_get_archive (entry) == archive)
            g_ptr_array_add (group, g_ptr_array_steal_index (left, i));
          else
            i++;
        }
      run_group (application, group, except);
    }
}

char *
holdall_opened_update_dup_question (HoldallOpenedList *list,
                                    GPtrArray         *entries)
{
  HoldallOpenedEntry *first = g_ptr_array_index (entries, 0);
  const char *name = holdall_opened_entry_get_name (first);
  g_autofree char *archive = holdall_opened_list_dup_title (list, get_archive_path (first));
  guint n_others = entries->len - 1;

  if (holdall_opened_entry_get_why_read_only (first) != NULL)
    /* Translators: a file, and the archive that it was opened from */
    return g_strdup_printf (_("“%s” was changed, but “%s” can’t be. Save it elsewhere to keep it."),
                            name, archive);
  if (n_others > 0)
    return g_strdup_printf (ngettext ("“%s” and %u other file were changed. Update “%s”?",
                                      "“%s” and %u other files were changed. Update “%s”?", n_others),
                            name, n_others, archive);
  if (holdall_opened_entry_get_index (first) == G_MAXUINT)
    return g_strdup_printf (_("“%s” was changed, and is no longer in “%s”. Put it back there?"),
                            name, archive);
  if (holdall_opened_entry_has_rival (first))
    return g_strdup_printf (_("“%s” was changed, and so was the one in “%s”. Replace that?"), name,
                            archive);
  /* Translators: a file, and the archive that it was opened from */
  return g_strdup_printf (_("“%s” was changed. Update “%s”?"), name, archive);
}

/* The dialog. */

static void
response_cb (AdwMessageDialog   *dialog,
             const char         *response,
             HoldallOpenedEntry *entry)
{
  GtkApplication *application = GTK_APPLICATION (g_application_get_default ());
  g_autoptr (GPtrArray) entries = g_ptr_array_new ();

  g_object_set_data (G_OBJECT (entry), "holdall-question", NULL);
  g_ptr_array_add (entries, entry);
  if (g_str_equal (response, "update"))
    holdall_opened_update_run (application, entries, NULL);
  else if (g_str_equal (response, "discard"))
    holdall_opened_entry_settle (entry);
  else
    show_archive (application, get_archive_path (entry));
}

static void
unref_closure (gpointer  data,
               GClosure *closure)
{
  g_object_unref (data);
}

void
holdall_opened_update_ask (GtkApplication     *application,
                           HoldallOpenedEntry *entry)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new ();
  g_autofree char *question = NULL;
  g_autofree char *archive = NULL;
  g_autofree char *body = NULL;
  AdwMessageDialog *dialog;

  if (g_object_get_data (G_OBJECT (entry), "holdall-question") != NULL)
    return;
  g_ptr_array_add (entries, entry);
  /* Translators: %s is the name of a file */
  question = g_strdup_printf (_("“%s” Was Changed"), holdall_opened_entry_get_name (entry));
  dialog = ADW_MESSAGE_DIALOG (adw_message_dialog_new (NULL, question, NULL));
  adw_message_dialog_add_responses (dialog, "show", _("_Show Archive"), "discard", _("_Discard"),
                                    NULL);
  adw_message_dialog_set_response_appearance (dialog, "discard", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_close_response (dialog, "show");
  if (holdall_opened_entry_get_why_read_only (entry) != NULL)
    {
      body = holdall_opened_update_dup_question (
        holdall_application_get_opened (HOLDALL_APPLICATION (application)), entries);
      adw_message_dialog_set_body (dialog, body);
    }
  else
    {
      archive = holdall_format_basename (get_archive_path (entry));
      /* Translators: %s is the name of an archive */
      adw_message_dialog_format_body (dialog, _("The window of “%s” is closed. Put the change into "
                                                "the archive?"), archive);
      adw_message_dialog_add_response (dialog, "update", _("_Update"));
      adw_message_dialog_set_response_appearance (dialog, "update", ADW_RESPONSE_SUGGESTED);
      adw_message_dialog_set_default_response (dialog, "update");
    }
  g_object_set_data (G_OBJECT (entry), "holdall-question", dialog);
  g_signal_connect_data (dialog, "response", G_CALLBACK (response_cb), g_object_ref (entry),
                         unref_closure, G_CONNECT_DEFAULT);
  gtk_window_set_application (GTK_WINDOW (dialog), application);
  gtk_window_present (GTK_WINDOW (dialog));
}
