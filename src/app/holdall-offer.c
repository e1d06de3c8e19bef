/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* One staging, one extraction, many who wait for it. */

#include "config.h"

#include "holdall-offer.h"

#include <glib/gi18n.h>
#include <string.h>

/* Files that were touched more recently stay on disk when the offer goes: a copy may still be
 * running. */
#define SERVED_SECONDS 60
/* What is larger is only unpacked when somebody asks for it. */
#define CHEAP_BYTES (G_GUINT64_CONSTANT (1) << 30)

struct _HoldallOffer {
  GObject parent_instance;

  HoldArchive *archive;
  GArray *indices;
  char *base;
  HoldKeyring *keyring;
  HoldallJobList *jobs;    /* borrowed */
  GWeakRef parent;
  guint64 size_bytes;
  gboolean is_encrypted;

  HoldStaging *staging;
  HoldJob *job;            /* (nullable): it writes into the staging */
  GPtrArray *waiting;      /* GTask */
  GError *error;
  gboolean is_ready;
  gboolean is_recording;   /* a thread writes the manifest */
  gint64 served_us;        /* monotonic; 0: never */
};

G_DEFINE_FINAL_TYPE (HoldallOffer, holdall_offer, G_TYPE_OBJECT)

/* Cleans stagings beside the main loop: there may be many thousand files. */
static GThreadPool *cleaners;

static void
clean_func (gpointer data,
            gpointer user_data)
{
  HoldStaging *staging = data;

  if (!hold_staging_clean (staging))
    g_debug ("Something is left in %s", hold_staging_get_payload (staging));
  hold_staging_free (staging);
}

/* Takes @data, a HoldStaging. */
static void
clean_later (gpointer data)
{
  if (cleaners == NULL)
    cleaners = g_thread_pool_new (clean_func, NULL, 1, FALSE, NULL);
  g_thread_pool_push (cleaners, data, NULL);
}

void
holdall_offer_flush (void)
{
  if (cleaners != NULL)
    g_thread_pool_free (g_steal_pointer (&cleaners), FALSE, TRUE);
}

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

/* (transfer full) (nullable): why what the job has unpacked can't be offered. */
static GError *
find_fault (HoldJob *job)
{
  HoldReport *report = hold_job_get_report (job);

  if (hold_job_get_state (job) != HOLD_JOB_DONE)
    {
      const GError *error = hold_job_get_error (job);

      return error != NULL ? g_error_copy (error)
                           : g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED,
                                                  _("Cancelled"));
    }
  /* Half of what was dragged would look like all of it at the other end. */
  if (hold_report_count (report, HOLD_OUTCOME_FAILED) > 0 ||
      hold_report_count (report, HOLD_OUTCOME_REFUSED) > 0 ||
      hold_report_count (report, HOLD_OUTCOME_SKIPPED) > 0)
    return g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED,
                                _("Some of the selected items can’t be taken out of the archive"));
  return NULL;
}

static void
record_func (GTask        *task,
             gpointer      source_object,
             gpointer      task_data,
             GCancellable *cancellable)
{
  GError *error = NULL;

  if (hold_staging_record (task_data, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
recorded_cb (GObject      *object,
             GAsyncResult *result,
             gpointer      user_data)
{
  HoldallOffer *self = HOLDALL_OFFER (object);

  self->is_recording = FALSE;
  self->is_ready = g_task_propagate_boolean (G_TASK (result), &self->error);
  answer_all (self);
}

static void
job_finished_cb (HoldallOffer *self)
{
  g_autoptr (HoldJob) job = g_steal_pointer (&self->job);
  g_autoptr (GTask) task = NULL;

  self->error = find_fault (job);
  if (self->error != NULL)
    {
      answer_all (self);
      return;
    }
  self->is_recording = TRUE;
  task = g_task_new (self, NULL, recorded_cb, NULL);
  g_task_set_task_data (task, self->staging, NULL);
  g_task_run_in_thread (task, record_func);
}

void
holdall_offer_prepare (HoldallOffer *self)
{
  HoldExtractRequest *request;
  g_autoptr (GtkWindow) parent = NULL;

  g_return_if_fail (HOLDALL_IS_OFFER (self));

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
  g_clear_pointer (&request->keyring, hold_keyring_unref);
  request->keyring = hold_keyring_ref (self->keyring);
  request->conflict = HOLD_CONFLICT_RENAME;
  g_free (request->base);
  request->base = g_strdup (self->base);

  self->job = HOLD_JOB (hold_extract_job_new (request));
  g_signal_connect_object (self->job, "finished", G_CALLBACK (job_finished_cb), self,
                           G_CONNECT_SWAPPED);
  parent = g_weak_ref_get (&self->parent);
  holdall_job_list_submit (self->jobs, self->job, parent);
}

gboolean
holdall_offer_is_cheap (HoldallOffer *self)
{
  return !self->is_encrypted && self->size_bytes <= CHEAP_BYTES;
}

void
holdall_offer_abandon (HoldallOffer *self)
{
  if (self->job != NULL && self->waiting->len == 0)
    hold_job_cancel (self->job);
}

void
holdall_offer_wait_async (HoldallOffer        *self,
                          GCancellable        *cancellable,
                          GAsyncReadyCallback  callback,
                          gpointer             user_data)
{
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, user_data);

  g_task_set_source_tag (task, holdall_offer_wait_async);
  holdall_offer_prepare (self);
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

gboolean
holdall_offer_is_awaited (HoldallOffer *self)
{
  return self->waiting->len > 0;
}

static gboolean
same_indices (GArray *a,
              GArray *b)
{
  return a->len == b->len &&
         (a->len == 0 || memcmp (a->data, b->data, a->len * sizeof (guint)) == 0);
}

/* A file manager may have moved some of it away although a copy was offered. */
static gboolean
is_complete (HoldallOffer *self)
{
  g_auto (GStrv) paths = NULL;

  if (!self->is_ready)
    return TRUE;
  paths = hold_staging_dup_top_items (self->staging);
  for (guint i = 0; paths[i] != NULL; i++)
    {
      if (!g_file_test (paths[i], G_FILE_TEST_EXISTS) &&
          !g_file_test (paths[i], G_FILE_TEST_IS_SYMLINK))
        return FALSE;
    }
  return TRUE;
}

gboolean
holdall_offer_is_of (HoldallOffer *self,
                     HoldArchive  *archive,
                     GArray       *indices,
                     const char   *base)
{
  return self->error == NULL && self->archive == archive && g_str_equal (self->base, base) &&
         same_indices (self->indices, indices) && is_complete (self);
}

void
holdall_offer_set_served (HoldallOffer *self)
{
  self->served_us = g_get_monotonic_time ();
}

gboolean
holdall_offer_was_served (HoldallOffer *self)
{
  return self->served_us != 0;
}

guint64
holdall_offer_get_size (HoldallOffer *self)
{
  return self->size_bytes;
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

static gboolean
is_just_served (HoldallOffer *self)
{
  return self->served_us != 0 &&
         g_get_monotonic_time () - self->served_us < (gint64) SERVED_SECONDS * G_USEC_PER_SEC;
}

static void
give_up_staging (HoldallOffer *self)
{
  if (self->job != NULL)
    {
      /* It may still write for a moment; when it is gone, so is its last thread. */
      g_signal_handlers_disconnect_by_data (self->job, self);
      g_object_set_data_full (G_OBJECT (self->job), "holdall-staging",
                              g_steal_pointer (&self->staging), clean_later);
      hold_job_cancel (self->job);
    }
  /* While somebody may still read, the next start has to clean up. */
  else if (self->staging != NULL && !is_just_served (self))
    clean_later (g_steal_pointer (&self->staging));
  g_clear_pointer (&self->staging, hold_staging_free);
}

void
holdall_offer_close (HoldallOffer *self)
{
  g_return_if_fail (HOLDALL_IS_OFFER (self));

  if (self->is_recording)
    return;
  give_up_staging (self);
  g_clear_object (&self->job);
  self->is_ready = FALSE;
  if (self->error == NULL)
    self->error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, _("Cancelled"));
  answer_all (self);
}

static void
holdall_offer_finalize (GObject *object)
{
  HoldallOffer *self = HOLDALL_OFFER (object);

  give_up_staging (self);
  g_clear_object (&self->job);
  g_ptr_array_unref (self->waiting);
  g_clear_error (&self->error);
  g_clear_object (&self->archive);
  g_clear_pointer (&self->indices, g_array_unref);
  g_clear_pointer (&self->keyring, hold_keyring_unref);
  g_weak_ref_clear (&self->parent);
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
  g_weak_ref_init (&self->parent, NULL);
}

static void
look_at_entries (HoldallOffer *self)
{
  for (guint i = 0; i < self->indices->len; i++)
    {
      const HoldEntry *entry =
        hold_archive_get_entry (self->archive, g_array_index (self->indices, guint, i));
      guint64 size = 0;

      if (hold_entry_get_size (entry, &size))
        self->size_bytes += MIN (size, G_MAXUINT64 - self->size_bytes);
      if (hold_entry_is_encrypted (entry))
        self->is_encrypted = TRUE;
    }
}

HoldallOffer *
holdall_offer_new (HoldArchive    *archive,
                   GArray         *indices,
                   const char     *base,
                   HoldKeyring    *keyring,
                   HoldallJobList *jobs,
                   GtkWindow      *parent)
{
  HoldallOffer *self = g_object_new (HOLDALL_TYPE_OFFER, NULL);

  self->archive = g_object_ref (archive);
  self->indices = g_array_ref (indices);
  self->base = g_strdup (base);
  self->keyring = hold_keyring_ref (keyring);
  self->jobs = jobs;
  g_weak_ref_set (&self->parent, parent);
  look_at_entries (self);
  return self;
}
