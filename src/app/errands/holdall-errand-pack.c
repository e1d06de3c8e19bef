/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Packing files without a window: into a new archive, after a dialog that asks for its name, or
 * into one that is named. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-create-dialog.h"
#include "holdall-errand-private.h"
#include "holdall-file-ask.h"

#define HOLDALL_TYPE_PACK_ERRAND (holdall_pack_errand_get_type ())
G_DECLARE_FINAL_TYPE (HoldallPackErrand, holdall_pack_errand, HOLDALL, PACK_ERRAND, HoldallErrand)

struct _HoldallPackErrand {
  HoldallErrand parent_instance;

  GFile *archive;   /* (nullable): asked for */
  GPtrArray *files; /* of GFile */
  GFile *folder;    /* (nullable): where the dialog begins */
  gboolean chosen;  /* the dialog was answered */
};

G_DEFINE_FINAL_TYPE (HoldallPackErrand, holdall_pack_errand, HOLDALL_TYPE_ERRAND)

/* The paths of the files; what has none is told. NULL: none of them has one, which ends the errand.
 * (nullable) (transfer full), of char * and NULL at the end. */
static GPtrArray *
take_paths (HoldallPackErrand *self)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < self->files->len; i++)
    {
      char *path = _holdall_errand_dup_path (HOLDALL_ERRAND (self),
                                             g_ptr_array_index (self->files, i));

      if (path != NULL)
        g_ptr_array_add (paths, path);
    }
  if (paths->len == 0 && self->files->len > 0)
    {
      g_ptr_array_unref (paths);
      _holdall_errand_finish (HOLDALL_ERRAND (self));
      return NULL;
    }
  g_ptr_array_add (paths, NULL);
  return paths;
}

static void
create_cb (HoldallPackErrand *self,
           HoldCreateRequest *request)
{
  self->chosen = TRUE;
  self->archive = g_file_new_for_path (request->path);
  _holdall_errand_submit (HOLDALL_ERRAND (self), HOLD_JOB (hold_create_job_new (request)));
}

static void
dialog_destroyed_cb (HoldallPackErrand *self)
{
  if (!self->chosen)
    _holdall_errand_cancel (HOLDALL_ERRAND (self));
}

static void
ask (HoldallPackErrand *self)
{
  HoldallApplication *application = _holdall_errand_get_application (HOLDALL_ERRAND (self));
  g_autoptr (GPtrArray) paths = take_paths (self);
  HoldallCreateDialog *dialog;

  if (paths == NULL)
    return;
  dialog = holdall_create_dialog_new (NULL, (const char * const *) paths->pdata,
                                      holdall_application_get_settings (application));
  if (self->folder != NULL)
    holdall_create_dialog_set_folder (dialog, self->folder);
  gtk_window_set_application (GTK_WINDOW (dialog), GTK_APPLICATION (application));
  g_signal_connect_object (dialog, "create", G_CALLBACK (create_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (dialog, "destroy", G_CALLBACK (dialog_destroyed_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* Nothing is there yet under the name that was given. */
static void
create (HoldallPackErrand *self,
        const char        *path)
{
  HoldallErrand *errand = HOLDALL_ERRAND (self);
  const HoldFormat *format = hold_format_by_suffix (path);
  g_autoptr (GPtrArray) paths = NULL;

  if (format == NULL || (format->caps & HOLD_CAP_WRITE) == 0)
    {
      g_autoptr (GError) error =
        g_error_new (HOLD_ERROR, HOLD_ERROR_UNSUPPORTED, "%s",
                     format != NULL ? hold_format_why_not (format, HOLD_CAP_WRITE)
                                    : "The name tells no format of archives");

      _holdall_errand_fail (errand, self->archive, error);
      _holdall_errand_finish (errand);
      return;
    }
  paths = take_paths (self);
  if (paths == NULL)
    return;
  _holdall_errand_submit (errand, HOLD_JOB (hold_create_job_new (
    hold_create_request_new (path, format, (const char * const *) paths->pdata))));
}

static void
archive_asked_cb (GObject      *object,
                  GAsyncResult *result,
                  gpointer      user_data)
{
  g_autoptr (HoldallPackErrand) self = user_data;
  HoldallErrand *errand = HOLDALL_ERRAND (self);
  g_autofree char *path = g_file_get_path (self->archive);
  guint n_found = 0;

  /* Without an answer a new archive would be made beside one that may be there: opening it says what
   * is wrong. */
  if (!holdall_file_ask_finish (result, &n_found, NULL, NULL) || n_found > 0)
    _holdall_errand_submit (errand, HOLD_JOB (hold_open_job_new (path, NULL,
                                                                 _holdall_errand_get_keyring (errand))));
  else
    create (self, path);
}

static void
holdall_pack_errand_start (HoldallErrand *errand)
{
  HoldallPackErrand *self = HOLDALL_PACK_ERRAND (errand);
  g_autofree char *path = NULL;
  g_autoptr (GPtrArray) files = NULL;

  if (self->archive == NULL)
    {
      ask (self);
      return;
    }
  path = _holdall_errand_dup_path (errand, self->archive);
  if (path == NULL)
    {
      _holdall_errand_finish (errand);
      return;
    }
  files = g_ptr_array_new_with_free_func (g_object_unref);
  g_ptr_array_add (files, g_object_ref (self->archive));
  holdall_file_ask_async (files, archive_asked_cb, g_object_ref (self));
}

static void
add (HoldallPackErrand *self,
     HoldArchive       *archive)
{
  HoldallErrand *errand = HOLDALL_ERRAND (self);
  g_autoptr (GPtrArray) paths = NULL;
  HoldUpdateRequest *request;

  if (hold_archive_why_not (archive, HOLD_CAP_UPDATE) != NULL)
    {
      g_autoptr (GError) error =
        g_error_new_literal (HOLD_ERROR, HOLD_ERROR_READ_ONLY,
                             hold_archive_why_not (archive, HOLD_CAP_UPDATE));

      _holdall_errand_fail (errand, self->archive, error);
      _holdall_errand_finish (errand);
      return;
    }
  paths = take_paths (self);
  if (paths == NULL)
    return;
  request = hold_update_request_new (archive);
  hold_update_request_set_conflict (request, HOLD_CONFLICT_ASK);
  hold_update_request_set_keyring (request, _holdall_errand_get_keyring (errand));
  for (guint i = 0; g_ptr_array_index (paths, i) != NULL; i++)
    hold_update_request_add (request, g_ptr_array_index (paths, i), "");
  _holdall_errand_submit (errand, HOLD_JOB (hold_update_job_new (request)));
}

static void
holdall_pack_errand_job_finished (HoldallErrand *errand,
                                  HoldJob       *job)
{
  HoldallPackErrand *self = HOLDALL_PACK_ERRAND (errand);

  if (hold_job_get_state (job) == HOLD_JOB_DONE && HOLD_IS_OPEN_JOB (job))
    {
      add (self, hold_open_job_get_archive (HOLD_OPEN_JOB (job)));
      return;
    }
  if (hold_job_get_state (job) == HOLD_JOB_FAILED)
    _holdall_errand_fail (errand, self->archive, hold_job_get_error (job));
  _holdall_errand_add_report (errand, self->archive, job);
  _holdall_errand_finish (errand);
}

static void
holdall_pack_errand_finalize (GObject *object)
{
  HoldallPackErrand *self = HOLDALL_PACK_ERRAND (object);

  g_clear_object (&self->archive);
  g_clear_pointer (&self->files, g_ptr_array_unref);
  g_clear_object (&self->folder);

  G_OBJECT_CLASS (holdall_pack_errand_parent_class)->finalize (object);
}

static void
holdall_pack_errand_class_init (HoldallPackErrandClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = holdall_pack_errand_finalize;
  HOLDALL_ERRAND_CLASS (klass)->start = holdall_pack_errand_start;
  HOLDALL_ERRAND_CLASS (klass)->job_finished = holdall_pack_errand_job_finished;
}

static void
holdall_pack_errand_init (HoldallPackErrand *self)
{
}

HoldallErrand *
holdall_errand_new_create (HoldallApplication *application,
                           GPtrArray          *files,
                           GFile              *folder)
{
  HoldallPackErrand *self =
    g_object_new (HOLDALL_TYPE_PACK_ERRAND, "application", application, NULL);

  self->files = g_ptr_array_ref (files);
  g_set_object (&self->folder, folder);
  return HOLDALL_ERRAND (self);
}

HoldallErrand *
holdall_errand_new_add (HoldallApplication *application,
                        GFile              *archive,
                        GPtrArray          *files)
{
  HoldallErrand *errand = holdall_errand_new_create (application, files, NULL);

  HOLDALL_PACK_ERRAND (errand)->archive = g_object_ref (archive);
  return errand;
}
