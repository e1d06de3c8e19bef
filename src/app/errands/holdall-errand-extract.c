/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Extracting archives without a window: each is opened and extracted, one after the other, since
 * they would only take the disk from each other. One that cannot be opened does not keep the others
 * from coming out (X12). */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-errand-private.h"
#include "holdall-native-dialog.h"
#include "holdall-portal.h"

#define HOLDALL_TYPE_EXTRACT_ERRAND (holdall_extract_errand_get_type ())
G_DECLARE_FINAL_TYPE (HoldallExtractErrand, holdall_extract_errand, HOLDALL, EXTRACT_ERRAND,
                      HoldallErrand)

struct _HoldallExtractErrand {
  HoldallErrand parent_instance;

  GPtrArray *archives;    /* of GFile */
  GFile *destination;     /* (nullable): beside each archive */
  HoldLayout layout;
  gboolean asks;          /* for the destination */
  guint position;         /* of the archive that is worked on */
};

G_DEFINE_FINAL_TYPE (HoldallExtractErrand, holdall_extract_errand, HOLDALL_TYPE_ERRAND)

static GFile *
get_archive_file (HoldallExtractErrand *self)
{
  return g_ptr_array_index (self->archives, self->position);
}

/* Goes on with the next archive that has a path, or finishes. */
static void
open_next (HoldallExtractErrand *self)
{
  HoldallErrand *errand = HOLDALL_ERRAND (self);

  for (; self->position < self->archives->len; self->position++)
    {
      g_autofree char *path = _holdall_errand_dup_path (errand, get_archive_file (self));

      if (path == NULL)
        continue;
      _holdall_errand_set_part (errand, self->position, self->archives->len);
      _holdall_errand_submit (errand, HOLD_JOB (hold_open_job_new (path, NULL,
                                                                   _holdall_errand_get_keyring (errand))));
      return;
    }
  _holdall_errand_finish (errand);
}

static void
extract (HoldallExtractErrand *self,
         HoldArchive          *archive)
{
  HoldallErrand *errand = HOLDALL_ERRAND (self);
  g_autoptr (GFile) folder = self->destination != NULL ? g_object_ref (self->destination)
                                                       : g_file_get_parent (get_archive_file (self));
  g_autofree char *path = folder != NULL ? _holdall_errand_dup_path (errand, folder) : NULL;
  HoldExtractRequest *request;

  if (path == NULL)
    {
      self->position++;
      open_next (self);
      return;
    }
  request = hold_extract_request_new (archive, path);
  request->layout = self->layout;
  request->keyring = hold_keyring_ref (_holdall_errand_get_keyring (errand));
  _holdall_errand_submit (errand, HOLD_JOB (hold_extract_job_new (request)));
}

static void
holdall_extract_errand_job_finished (HoldallErrand *errand,
                                     HoldJob       *job)
{
  HoldallExtractErrand *self = HOLDALL_EXTRACT_ERRAND (errand);
  HoldArchive *archive = HOLD_IS_OPEN_JOB (job) ? hold_open_job_get_archive (HOLD_OPEN_JOB (job))
                                                : NULL;
  const GError *error = hold_job_get_error (job);

  if (hold_job_get_state (job) == HOLD_JOB_DONE && archive != NULL)
    {
      /* What can be reached comes out; that it is not everything is told at the end. */
      if (hold_archive_get_list_error (archive) != NULL)
        _holdall_errand_fail (errand, get_archive_file (self), hold_archive_get_list_error (archive));
      extract (self, archive);
      return;
    }
  if (hold_job_get_state (job) == HOLD_JOB_FAILED)
    _holdall_errand_fail (errand, get_archive_file (self), error);
  if (!HOLD_IS_OPEN_JOB (job))
    _holdall_errand_add_report (errand, get_archive_file (self), job);
  self->position++;
  open_next (self);
}

static void
folder_response_cb (HoldallExtractErrand *self,
                    int                   response,
                    GtkFileChooserNative *chooser)
{
  if (response == GTK_RESPONSE_ACCEPT)
    self->destination = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (chooser));
  if (self->destination != NULL)
    open_next (self);
  else
    _holdall_errand_cancel (HOLDALL_ERRAND (self));
}

static void
ask_folder (HoldallExtractErrand *self)
{
  GtkFileChooserNative *chooser =
    gtk_file_chooser_native_new (_("Extract To"), NULL, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER,
                                 _("_Extract"), _("_Cancel"));
  g_autoptr (GFile) start =
    self->archives->len > 0 ? g_file_get_parent (g_ptr_array_index (self->archives, 0)) : NULL;

  /* Without it the chooser begins where it likes. */
  if (start != NULL)
    gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (chooser), start, NULL);
  g_signal_connect_object (chooser, "response", G_CALLBACK (folder_response_cb), self,
                           G_CONNECT_SWAPPED);
  holdall_native_dialog_present (GTK_NATIVE_DIALOG (chooser));
}

/* Whether one of the archives is a document of the portal, around which there is no folder. */
static gboolean
lacks_place (HoldallExtractErrand *self)
{
  for (guint i = 0; i < self->archives->len; i++)
    {
      g_autoptr (GFile) folder = g_file_get_parent (g_ptr_array_index (self->archives, i));
      const char *path = folder != NULL ? g_file_peek_path (folder) : NULL;

      if (path != NULL && !holdall_portal_is_place (path))
        return TRUE;
    }
  return FALSE;
}

static void
holdall_extract_errand_start (HoldallErrand *errand)
{
  HoldallExtractErrand *self = HOLDALL_EXTRACT_ERRAND (errand);

  if (self->asks || (self->destination == NULL && lacks_place (self)))
    ask_folder (self);
  else
    open_next (self);
}

static void
holdall_extract_errand_finalize (GObject *object)
{
  HoldallExtractErrand *self = HOLDALL_EXTRACT_ERRAND (object);

  g_clear_pointer (&self->archives, g_ptr_array_unref);
  g_clear_object (&self->destination);

  G_OBJECT_CLASS (holdall_extract_errand_parent_class)->finalize (object);
}

static void
holdall_extract_errand_class_init (HoldallExtractErrandClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = holdall_extract_errand_finalize;
  HOLDALL_ERRAND_CLASS (klass)->start = holdall_extract_errand_start;
  HOLDALL_ERRAND_CLASS (klass)->job_finished = holdall_extract_errand_job_finished;
}

static void
holdall_extract_errand_init (HoldallExtractErrand *self)
{
}

HoldallErrand *
holdall_errand_new_extract (HoldallApplication *application,
                            GPtrArray          *archives,
                            GFile              *destination,
                            HoldLayout          layout)
{
  HoldallExtractErrand *self =
    g_object_new (HOLDALL_TYPE_EXTRACT_ERRAND, "application", application, NULL);

  self->archives = g_ptr_array_ref (archives);
  self->layout = layout;
  g_set_object (&self->destination, destination);
  return HOLDALL_ERRAND (self);
}

HoldallErrand *
holdall_errand_new_extract_to (HoldallApplication *application,
                               GPtrArray          *archives)
{
  HoldallErrand *errand = holdall_errand_new_extract (application, archives, NULL,
                                                      HOLD_LAYOUT_SMART);

  HOLDALL_EXTRACT_ERRAND (errand)->asks = TRUE;
  return errand;
}
