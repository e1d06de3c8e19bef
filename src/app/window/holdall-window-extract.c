/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Extract, test and properties as actions of the window: gather what is meant, build the request,
 * submit the job, and say at its end what came of it. */

#include "config.h"

#include "holdall-window-extract.h"

#include "holdall-application.h"
#include "holdall-engine-text.h"
#include "holdall-error-dialog.h"
#include "holdall-extract-chooser.h"
#include "holdall-file-ask.h"
#include "holdall-file-manager.h"
#include "holdall-job-text.h"
#include "holdall-portal.h"
#include "holdall-properties-dialog.h"
#include "holdall-remote.h"
#include "holdall-report-dialog.h"
#include "holdall-window-opened.h"

#include <glib/gi18n.h>

static HoldallApplication *
get_application (HoldallWindow *self)
{
  return HOLDALL_APPLICATION (gtk_window_get_application (GTK_WINDOW (self)));
}

/* What the button of a toast needs once it is clicked: the window may have gone on by then. */
typedef struct {
  HoldJob *job;
  char *heading;
} Result;

static void
result_free (gpointer  data,
             GClosure *closure)
{
  Result *result = data;

  g_object_unref (result->job);
  g_free (result->heading);
  g_free (result);
}

static GtkWindow *
get_toast_window (AdwToast *toast)
{
  GtkApplication *application = GTK_APPLICATION (g_application_get_default ());

  return gtk_application_get_active_window (application);
}

static void
details_clicked_cb (AdwToast *toast,
                    Result   *result)
{
  holdall_report_dialog_present (get_toast_window (toast), result->heading,
                                 hold_job_get_report (result->job));
}

static void
show_clicked_cb (AdwToast *toast,
                 Result   *result)
{
  HoldExtractJob *job = HOLD_EXTRACT_JOB (result->job);

  holdall_file_manager_show (get_toast_window (toast), hold_extract_job_get_result_folder (job),
                             hold_extract_job_get_result_items (job));
}

static void
show_outcome (HoldallWindow *self,
              HoldJob       *job)
{
  g_autofree char *words = holdall_job_text_outcome (job);
  gboolean has_problems = holdall_job_text_has_problems (job);
  gboolean has_folder = HOLD_IS_EXTRACT_JOB (job)
                     && hold_extract_job_get_result_folder (HOLD_EXTRACT_JOB (job)) != NULL;
  AdwToast *toast = adw_toast_new (words);

  if (has_problems || has_folder)
    {
      Result *result = g_new0 (Result, 1);

      result->job = g_object_ref (job);
      result->heading = g_steal_pointer (&words);
      adw_toast_set_button_label (toast, has_problems ? _("Details") : _("Show"));
      g_signal_connect_data (toast, "button-clicked",
                             has_problems ? G_CALLBACK (details_clicked_cb)
                                          : G_CALLBACK (show_clicked_cb),
                             result, result_free, G_CONNECT_DEFAULT);
    }
  /* What went wrong stays until it was read. */
  if (has_problems)
    adw_toast_set_timeout (toast, 0);
  holdall_window_show_toast (self, toast);
}

static void
finished_cb (HoldallWindow *self,
             HoldJob       *job)
{
  switch (hold_job_get_state (job))
    {
    case HOLD_JOB_DONE:
    case HOLD_JOB_CANCELLED:
      show_outcome (self, job);
      break;
    case HOLD_JOB_FAILED:
      holdall_error_dialog_present (GTK_WINDOW (self), NULL, hold_job_get_error (job));
      break;
    case HOLD_JOB_QUEUED:
    case HOLD_JOB_RUNNING:
    case HOLD_JOB_ASKING:
    default:
      break;
    }
}

static void
submit (HoldallWindow *self,
        HoldJob       *job)
{
  /* Dies with the window; then the job list notifies instead. */
  g_signal_connect_object (job, "finished", G_CALLBACK (finished_cb), self, G_CONNECT_SWAPPED);
  holdall_job_list_submit (holdall_application_get_jobs (get_application (self)), job,
                           GTK_WINDOW (self));
}

/* The part of a request that the person's choice does not touch. */
static HoldExtractRequest *
make_request (HoldallWindow *self,
              const char    *destination,
              gboolean       only_selection)
{
  HoldExtractRequest *request = hold_extract_request_new (holdall_window_get_archive (self),
                                                          destination);

  request->keyring = hold_keyring_ref (holdall_window_get_keyring (self));
  if (only_selection)
    request->indices = holdall_window_dup_selection (self);
  /* Everything selected one by one is everything: it gets its folder like any whole archive
   * (X05). */
  if (request->indices != NULL
      && request->indices->len == hold_archive_get_n_entries (request->archive))
    g_clear_pointer (&request->indices, g_array_unref);
  if (request->indices != NULL)
    {
      g_auto (GStrv) paths = holdall_window_dup_selected_paths (self);

      /* Selected rows come out as they are seen: without the folders that they lie in (D12). Results of
       * a search may lie in several, and have one name: then each has a numbered folder, so that none
       * takes the place of another, whatever is done about what is on the disk already. */
      request->roots = hold_extract_roots_new ((const char * const *) paths, TRUE);
    }
  return request;
}

static void
extract_to_path (HoldallWindow *self,
                 const char    *destination,
                 gboolean       only_selection,
                 gboolean       new_folder,
                 HoldConflict   conflict)
{
  HoldExtractRequest *request = make_request (self, destination, only_selection);
  g_autoptr (HoldExtractJob) job = NULL;

  request->conflict = conflict;
  if (request->indices == NULL && new_folder)
    request->layout = HOLD_LAYOUT_SMART;
  job = hold_extract_job_new (request);
  submit (self, HOLD_JOB (job));
}

static void
extract_to_file (HoldallWindow *self,
                 GFile         *folder,
                 gboolean       only_selection,
                 gboolean       new_folder,
                 HoldConflict   conflict)
{
  g_autofree char *path = g_file_get_path (folder);

  if (path == NULL)
    {
      g_autoptr (GError) error = holdall_remote_create_error (folder);

      holdall_error_dialog_present (GTK_WINDOW (self), NULL, error);
      return;
    }
  extract_to_path (self, path, only_selection, new_folder, conflict);
}

static HoldConflict
get_conflict_setting (GSettings *settings)
{
  return (HoldConflict) g_settings_get_enum (settings, "extract-conflict");
}

static void
chosen_cb (GtkWindow                  *parent,
           const HoldallExtractChoice *choice)
{
  HoldallWindow *self = HOLDALL_WINDOW (parent);

  /* The archive may have been closed while the chooser was open. */
  if (holdall_window_get_archive (self) != NULL)
    extract_to_file (self, choice->folder, choice->only_selection, choice->new_folder,
                     choice->conflict);
}

static gboolean
has_selection (HoldallWindow *self)
{
  g_auto (GStrv) paths = holdall_window_dup_selected_paths (self);

  return paths != NULL && paths[0] != NULL;
}

static char *
dup_archive_folder (HoldallWindow *self)
{
  g_autofree char *path = _holdall_window_dup_outermost_path (self);

  return g_path_get_dirname (path);
}

/* What is shown was fetched from a place in which nothing can be made. */
static gboolean
is_fetched (HoldallWindow *self)
{
  GFile *file = holdall_window_get_file (self);

  return file != NULL && holdall_remote_peek_origin (file) != NULL;
}

/* @is_here: the person wants it beside the archive. */
static void
ask_where (HoldallWindow *self,
           gboolean       is_here)
{
  g_autofree char *path = _holdall_window_dup_outermost_path (self);
  g_autofree char *host_path = is_fetched (self) ? NULL : holdall_portal_dup_host_path (path);
  g_autofree char *folder = host_path != NULL ? g_path_get_dirname (host_path) : NULL;

  holdall_extract_chooser_present (GTK_WINDOW (self), has_selection (self), folder, is_here,
                                   holdall_application_get_settings (get_application (self)),
                                   chosen_cb);
}

static void
extract_to_cb (GSimpleAction *action,
               GVariant      *parameter,
               gpointer       user_data)
{
  ask_where (user_data, FALSE);
}

/* Beside a document that a portal handed over nothing can be made: the sandbox does not see its
 * folder. The person has to let it in; the chooser stands there already. TRUE: it was asked. */
static gboolean
ask_instead_of_here (HoldallWindow *self)
{
  g_autofree char *path = _holdall_window_dup_outermost_path (self);

  if (!holdall_portal_is_lone_document (path) && !is_fetched (self))
    return FALSE;
  ask_where (self, TRUE);
  return TRUE;
}

/* (transfer full) (nullable): where it went the last time */
static GFile *
dup_last_folder (HoldallWindow *self)
{
  GSettings *settings = holdall_application_get_settings (get_application (self));
  g_autofree char *uri = g_settings_get_string (settings, "extract-folder");

  return *uri != '\0' ? g_file_new_for_uri (uri) : NULL;
}

static void
last_folder_asked_cb (GObject      *object,
                      GAsyncResult *result,
                      gpointer      user_data)
{
  g_autoptr (HoldallWindow) self = holdall_window_take_weak (user_data);
  g_autoptr (GFile) folder = self != NULL ? dup_last_folder (self) : NULL;
  GSettings *settings;
  guint n_found = 0;

  if (folder == NULL || holdall_window_get_archive (self) == NULL)
    return;
  settings = holdall_application_get_settings (get_application (self));
  /* Not there, or on a disk that does not answer. */
  if (!holdall_file_ask_finish (result, &n_found, NULL, NULL) || n_found == 0)
    ask_where (self, FALSE);
  else
    extract_to_file (self, folder, TRUE, g_settings_get_boolean (settings, "extract-new-folder"),
                     get_conflict_setting (settings));
}

static void
extract_cb (GSimpleAction *action,
            GVariant      *parameter,
            gpointer       user_data)
{
  HoldallWindow *self = user_data;
  g_autoptr (GFile) folder = dup_last_folder (self);
  g_autoptr (GPtrArray) files = NULL;

  if (folder == NULL)
    {
      ask_where (self, FALSE);
      return;
    }
  files = g_ptr_array_new_with_free_func (g_object_unref);
  g_ptr_array_add (files, g_steal_pointer (&folder));
  holdall_file_ask_async (files, last_folder_asked_cb, holdall_window_new_weak (self));
}

static void
extract_here_cb (GSimpleAction *action,
                 GVariant      *parameter,
                 gpointer       user_data)
{
  HoldallWindow *self = user_data;
  g_autofree char *folder = dup_archive_folder (self);

  if (!ask_instead_of_here (self))
    extract_to_path (self, folder, TRUE, TRUE, HOLD_CONFLICT_ASK);
}

static void
extract_new_folder_cb (GSimpleAction *action,
                       GVariant      *parameter,
                       gpointer       user_data)
{
  HoldallWindow *self = user_data;
  g_autofree char *folder = dup_archive_folder (self);
  HoldExtractRequest *request;
  g_autoptr (HoldExtractJob) job = NULL;

  if (ask_instead_of_here (self))
    return;
  request = make_request (self, folder, TRUE);
  request->layout = HOLD_LAYOUT_NEW_FOLDER;
  job = hold_extract_job_new (request);
  submit (self, HOLD_JOB (job));
}

static void
extract_into_cb (GSimpleAction *action,
                 GVariant      *parameter,
                 gpointer       user_data)
{
  HoldallWindow *self = user_data;
  GSettings *settings = holdall_application_get_settings (get_application (self));

  g_autoptr (GFile) folder =
    g_file_new_for_commandline_arg (g_variant_get_string (parameter, NULL));

  extract_to_file (self, folder, TRUE,
                   g_settings_get_boolean (settings, "extract-new-folder"),
                   get_conflict_setting (settings));
}

static void
test_cb (GSimpleAction *action,
         GVariant      *parameter,
         gpointer       user_data)
{
  HoldallWindow *self = user_data;
  g_autoptr (GArray) indices = holdall_window_dup_selection (self);
  g_autoptr (HoldTestJob) job = hold_test_job_new (holdall_window_get_archive (self), indices,
                                                   holdall_window_get_keyring (self));

  submit (self, HOLD_JOB (job));
}

static void
properties_cb (GSimpleAction *action,
               GVariant      *parameter,
               gpointer       user_data)
{
  HoldallWindow *self = user_data;
  g_auto (GStrv) paths = holdall_window_dup_selected_paths (self);

  holdall_properties_dialog_present (GTK_WINDOW (self), holdall_window_get_archive (self),
                                     (const char * const *) paths);
}

static const GActionEntry entries[] = {
  { "extract", extract_cb },
  { "extract-here", extract_here_cb },
  { "extract-to", extract_to_cb },
  { "extract-new-folder", extract_new_folder_cb },
  { "test", test_cb },
  { "properties", properties_cb },
};

static const GActionEntry test_entries[] = {
  { "extract-into", extract_into_cb, "s" },
};

void
_holdall_window_extract_init (HoldallWindow *self)
{
  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  if (g_strcmp0 (g_getenv ("HOLDALL_TEST"), "1") == 0)
    g_action_map_add_action_entries (G_ACTION_MAP (self), test_entries,
                                     G_N_ELEMENTS (test_entries), self);
  _holdall_window_extract_update (self);
}

char *
_holdall_window_extract_why_not (HoldallWindow *self,
                                 const char    *action)
{
  HoldArchive *archive = holdall_window_get_archive (self);

  if (archive == NULL)
    return g_strdup (_("No archive is open"));
  if (g_str_equal (action, "properties"))
    return NULL;
  if (hold_archive_get_n_entries (archive) == 0)
    return g_strdup (_("The archive is empty"));
  /* The engine's reason is technical, but better than none. */
  return holdall_engine_text_why_not (hold_archive_why_not (archive, HOLD_CAP_READ));
}

static void
update_action (HoldallWindow *self,
               const char    *name)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self), name);
  g_autofree char *why_not = _holdall_window_extract_why_not (self, name);

  if (action != NULL)
    g_simple_action_set_enabled (G_SIMPLE_ACTION (action), why_not == NULL);
}

void
_holdall_window_extract_update (HoldallWindow *self)
{
  for (gsize i = 0; i < G_N_ELEMENTS (entries); i++)
    update_action (self, entries[i].name);
  for (gsize i = 0; i < G_N_ELEMENTS (test_entries); i++)
    update_action (self, test_entries[i].name);
}
