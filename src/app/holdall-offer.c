/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* One staging, one extraction, many who wait for it. */

#include "config.h"

#include "holdall-offer.h"

#include <glib/gi18n.h>
#include <string.h>

/* Files that were served more recently stay on disk when the offer goes: a copy may still be
 * running. */
#define SERVED_SECONDS 60

struct _HoldallOffer {
  GObject parent_instance;

  HoldArchive *archive;
  GArray *indices;
  char *base;
  HoldKeyring *keyring;

  HoldStaging *staging;
  HoldJob *job;
  GPtrArray *waiting;      /* GTask */
  GError *error;
  gboolean is_ready;
  gint64 served_us;        /* monotonic; 0: never */
};

G_DEFINE_FINAL_TYPE (HoldallOffer, holdall_offer, G_TYPE_OBJECT)

static char **
dup_uris (HoldallOffer *self)
{
  g_auto (GStrv) paths = hold_staging_dup_top_items (self->staging);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (guint i = 0; paths[i] != NULL; i++)
    {
      g_autofree char *uri = g_filename_to_uri (paths[i], NULL, NULL);

      if (uri != NULL)
        g_strv_builder_add (builder, uri);
    }
  return g_strv_builder_end (builder);
}

static void
answer (HoldallOffer *self,
        GTask        *task)
{
  if (self->is_ready)
    g_task_return_pointer (task, dup_uris (self), (GDestroyNotify) g_strfreev);
  else
    g_task_return_error (task, g_error_copy (self->error));
}

static void
answer_all (HoldallOffer *self)
{
  g_autoptr (GPtrArray) waiting = g_steal_pointer (&self->waiting);

  self->waiting = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < waiting->len; i++)
    answer (self, g_ptr_array_index (waiting, i));
}

static void
take_result (HoldallOffer *self)
{
  HoldJobState state = hold_job_get_state (self->job);

  if (state != HOLD_JOB_DONE)
    {
      const GError *error = hold_job_get_error (self->job);

      if (error != NULL)
        self->error = g_error_copy (error);
      else
        self->error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, _("Cancelled"));
      return;
    }

  /* Half of what was dragged would look like all of it at the other end. */
  if (hold_report_count (hold_job_get_report (self->job), HOLD_OUTCOME_FAILED) > 0 ||
      hold_report_count (hold_job_get_report (self->job), HOLD_OUTCOME_REFUSED) > 0)
    {
      self->error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED,
                                         _("Some of the selected items can’t be taken out of the archive"));
      return;
    }
  self->is_ready = hold_staging_record (self->staging, &self->error);
}

static void
job_finished_cb (HoldallOffer *self)
{
  take_result (self);
  g_clear_object (&self->job);
  answer_all (self);
}

void
holdall_offer_prepare (HoldallOffer   *self,
                       HoldallJobList *jobs,
                       GtkWindow      *parent)
{
  HoldExtractRequest *request;

  if (self->staging != NULL || self->error != NULL)
    return;

  self->staging = hold_staging_new (g_get_user_cache_dir (), &self->error);
  if (self->staging == NULL)
    {
      answer_all (self);
      return;
    }

  request = hold_extract_request_new (self->archive, hold_staging_get_payload (self->staging));
  request->indices = g_array_ref (self->indices);
  request->keyring = hold_keyring_ref (self->keyring);
  request->conflict = HOLD_CONFLICT_RENAME;
  g_free (request->base);
  request->base = g_strdup (self->base);

  self->job = HOLD_JOB (hold_extract_job_new (request));
  g_signal_connect_object (self->job, "finished", G_CALLBACK (job_finished_cb), self, G_CONNECT_SWAPPED);
  holdall_job_list_submit (jobs, self->job, parent);
}

void
holdall_offer_wait_async (HoldallOffer        *self,
                          GCancellable        *cancellable,
                          GAsyncReadyCallback  callback,
                          gpointer             user_data)
{
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, user_data);

  g_task_set_source_tag (task, holdall_offer_wait_async);
  if (self->is_ready || self->error != NULL)
    answer (self, task);
  else
    g_ptr_array_add (self->waiting, g_steal_pointer (&task));
}

char **
holdall_offer_wait_finish (HoldallOffer  *self,
                           GAsyncResult  *result,
                           GError       **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

gboolean
holdall_offer_is_ready (HoldallOffer *self)
{
  return self->is_ready;
}

static gboolean
same_indices (GArray *a,
              GArray *b)
{
  return a->len == b->len && (a->len == 0 || memcmp (a->data, b->data, a->len * sizeof (guint)) == 0);
}

gboolean
holdall_offer_is_of (HoldallOffer *self,
                     HoldArchive  *archive,
                     GArray       *indices,
                     const char   *base)
{
  return self->error == NULL && self->archive == archive && g_str_equal (self->base, base) &&
         same_indices (self->indices, indices);
}

void
holdall_offer_set_served (HoldallOffer *self)
{
  self->served_us = g_get_monotonic_time ();
}

HoldArchive *
holdall_offer_get_archive (HoldallOffer *self)
{
  return self->archive;
}

GArray *
holdall_offer_get_indices (HoldallOffer *self)
{
  return self->indices;
}

const char *
holdall_offer_get_base (HoldallOffer *self)
{
  return self->base;
}

HoldKeyring *
holdall_offer_get_keyring (HoldallOffer *self)
{
  return self->keyring;
}

HoldStaging *
holdall_offer_get_staging (HoldallOffer *self)
{
  return self->is_ready ? self->staging : NULL;
}

static void
holdall_offer_finalize (GObject *object)
{
  HoldallOffer *self = HOLDALL_OFFER (object);
  gboolean just_served = self->served_us != 0 &&
                         g_get_monotonic_time () - self->served_us < (gint64) SERVED_SECONDS * G_USEC_PER_SEC;

  if (self->job != NULL)
    hold_job_cancel (self->job);
  /* While the job still writes, or somebody may still read, the next start has to clean up. */
  if (self->staging != NULL && self->job == NULL && !just_served && !hold_staging_clean (self->staging))
    g_debug ("Something is left in %s", hold_staging_get_payload (self->staging));

  g_clear_object (&self->job);
  g_clear_pointer (&self->staging, hold_staging_free);
  g_ptr_array_unref (self->waiting);
  g_clear_error (&self->error);
  g_clear_object (&self->archive);
  g_clear_pointer (&self->indices, g_array_unref);
  g_clear_pointer (&self->keyring, hold_keyring_unref);
  g_free (self->base);

  G_OBJECT_CLASS (holdall_offer_parent_class)->finalize (object);
}

static void
holdall_offer_class_init (HoldallOfferClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = holdall_offer_finalize;
}

static void
holdall_offer_init (HoldallOffer *self)
{
  self->waiting = g_ptr_array_new_with_free_func (g_object_unref);
}

HoldallOffer *
holdall_offer_new (HoldArchive *archive,
                   GArray      *indices,
                   const char  *base,
                   HoldKeyring *keyring)
{
  HoldallOffer *self = g_object_new (HOLDALL_TYPE_OFFER, NULL);

  self->archive = g_object_ref (archive);
  self->indices = g_array_ref (indices);
  self->base = g_strdup (base);
  self->keyring = hold_keyring_ref (keyring);
  return self;
}
