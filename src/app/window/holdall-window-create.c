/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* New archives: asks, packs, and shows what came of it. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-create-dialog.h"
#include "holdall-error-dialog.h"
#include "holdall-window-private.h"

/* The password of an archive, which its job does not give back. */
#define SECRET_KEY "holdall-secret"

/* Whoever has just chosen the password is not asked for it at once. */
static void
show_archive (HoldallWindow *self,
              HoldArchive   *archive,
              HoldSecret    *secret)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  g_autoptr (GFile) file = g_file_new_for_path (hold_archive_get_path (archive));
  HoldallWindow *window =
    holdall_window_is_vacant (self) ? self
                                    : holdall_window_new (HOLDALL_APPLICATION (application));

  holdall_window_open (window, file);
  if (secret != NULL)
    hold_keyring_add (holdall_window_get_keyring (window), secret);
  if (window != self)
    gtk_window_present (GTK_WINDOW (window));
}

static void
created_cb (HoldallWindow *self,
            HoldJob       *job)
{
  HoldArchive *archive;

  if (hold_job_get_state (job) == HOLD_JOB_FAILED)
    holdall_error_dialog_present (GTK_WINDOW (self), NULL, hold_job_get_error (job));
  if (hold_job_get_state (job) != HOLD_JOB_DONE)
    return;
  archive = hold_create_job_get_archive (HOLD_CREATE_JOB (job));
  if (archive != NULL)
    show_archive (self, archive, g_object_get_data (G_OBJECT (job), SECRET_KEY));
  if (hold_report_get_n_items (hold_job_get_report (job)) > 0)
    _holdall_window_tell_edit (self, _("Some files could not be packed"), hold_job_get_report (job),
                               0, FALSE);
}

static void
submit_create (HoldallWindow     *self,
               HoldCreateRequest *request)
{
  HoldallApplication *application =
    HOLDALL_APPLICATION (gtk_window_get_application (GTK_WINDOW (self)));
  HoldSecret *secret = request->secret != NULL ? hold_secret_ref (request->secret) : NULL;
  g_autoptr (HoldCreateJob) job = hold_create_job_new (request);

  g_object_set_data_full (G_OBJECT (job), SECRET_KEY, secret, (GDestroyNotify) hold_secret_unref);
  g_signal_connect_object (job, "finished", G_CALLBACK (created_cb), self, G_CONNECT_SWAPPED);
  holdall_job_list_submit (holdall_application_get_jobs (application), HOLD_JOB (job),
                           GTK_WINDOW (self));
}

void
_holdall_window_present_create (HoldallWindow  *self,
                                GFile         **files,
                                guint           n_files)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  HoldallCreateDialog *dialog;

  for (guint i = 0; i < n_files; i++)
    {
      char *path = g_file_get_path (files[i]);

      if (path != NULL)
        g_ptr_array_add (paths, path);
    }
  g_ptr_array_add (paths, NULL);
  dialog = holdall_create_dialog_new (GTK_WINDOW (self), (const char * const *) paths->pdata,
                                      self->settings);
  g_signal_connect_object (dialog, "create", G_CALLBACK (submit_create), self, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
new_archive_cb (GSimpleAction *action,
                GVariant      *parameter,
                gpointer       user_data)
{
  _holdall_window_present_create (HOLDALL_WINDOW (user_data), NULL, 0);
}

/* For tests: paths of files to pack. */
static void
pack_cb (GSimpleAction *action,
         GVariant      *parameter,
         gpointer       user_data)
{
  g_autofree const char **paths = g_variant_get_strv (parameter, NULL);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; paths[i] != NULL; i++)
    g_ptr_array_add (files, g_file_new_for_path (paths[i]));
  _holdall_window_present_create (HOLDALL_WINDOW (user_data), (GFile **) files->pdata, files->len);
}

void
_holdall_window_create_init (HoldallWindow *self)
{
  static const GActionEntry entries[] = {
    { "new-archive", new_archive_cb },
  };
  static const GActionEntry test_entries[] = {
    { "pack", pack_cb, "as" },
  };

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  if (g_strcmp0 (g_getenv ("HOLDALL_TEST"), "1") == 0)
    g_action_map_add_action_entries (G_ACTION_MAP (self), test_entries,
                                     G_N_ELEMENTS (test_entries), self);
}
