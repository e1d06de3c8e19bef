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
/* What is larger, or more, is only unpacked when somebody asks for it. */
#define CHEAP_BYTES (G_GUINT64_CONSTANT (1) << 30)
#define CHEAP_ENTRIES 10000

struct _HoldallOffer {
  GObject parent_instance;

  HoldArchive *archive;
  GArray *indices;
  HoldExtractRoots *roots;
  HoldKeyring *keyring;
  HoldallJobList *jobs;    /* borrowed */
  GWeakRef parent;
  guint64 size_bytes;
  gboolean is_encrypted;
  gboolean has_only_files;

  HoldStaging *staging;
  HoldJob *job;            /* (nullable): it writes into the staging */
  GPtrArray *waiting;      /* GTask */
  GError *error;
  gboolean is_ready;
  guint64 free_bytes;      /* beside it, if that is too little for a second copy; else 0 */
  gboolean has_warned;
  gboolean is_for_move;
  gboolean is_recording;   /* a thread writes the manifest */
  gint64 served_us;        /* monotonic; 0: never */
};

enum { READY, WARNING, N_SIGNALS };

static guint signals[N_SIGNALS];

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
  g_auto (GStrv) paths = hold_staging_dup_items (self->staging);
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
warn (HoldallOffer *self,
      const char   *words)
{
  if (self->has_warned)
    return;
  self->has_warned = TRUE;
  g_signal_emit (self, signals[WARNING], 0, words);
}

static void
warn_of_error (HoldallOffer *self,
               const GError *error)
{
  g_autofree char *words = NULL;

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  /* Translators: what was dragged or copied can't be unpacked; %s is the reason. */
  words = g_strdup_printf (_("Other programs can’t have this: %s"), error->message);
  warn (self, words);
}

static void
answer (HoldallOffer *self,
        GTask        *task)
{
  if (self->is_ready)
    {
      g_task_return_pointer (task, dup_uris (self), (GDestroyNotify) g_strfreev);
      return;
    }
  warn_of_error (self, self->error);
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
  if (self->is_ready)
    g_signal_emit (self, signals[READY], 0);
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

/* D11: said before a byte is written. What is unpacked here is copied from here, so a target on
 * the same disk takes as much again. */
static gboolean
check_space (HoldallOffer  *self,
             GError       **error)
{
  guint64 free_bytes;
  g_autofree char *needed = NULL;
  g_autofree char *available = NULL;

  if (!hold_staging_get_free_space (g_get_user_cache_dir (), &free_bytes))
    return TRUE;
  if (free_bytes >= self->size_bytes)
    {
      if (free_bytes - self->size_bytes < self->size_bytes)
        self->free_bytes = free_bytes - self->size_bytes;
      return TRUE;
    }
  needed = g_format_size (self->size_bytes);
  available = g_format_size (free_bytes);
  /* Translators: both are sizes, such as "1.5 GB". */
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
               _("unpacking it takes %s, and only %s are free"), needed, available);
  return FALSE;
}

static void
tell_if_tight (HoldallOffer *self)
{
  g_autofree char *needed = NULL;
  g_autofree char *available = NULL;
  g_autofree char *words = NULL;

  if (self->free_bytes == 0 || self->is_for_move)
    return;
  needed = g_format_size (self->size_bytes);
  available = g_format_size (self->free_bytes);
  /* Translators: of files that other programs copy from where this one has unpacked them. Both are
   * sizes, such as "1.5 GB". */
  words = g_strdup_printf (_("A copy on the same disk takes another %s, and only %s are free"),
                           needed, available);
  warn (self, words);
}

void
holdall_offer_set_for_move (HoldallOffer *self)
{
  self->is_for_move = TRUE;
}

void
holdall_offer_tell_space (HoldallOffer *self)
{
  g_autoptr (GError) error = NULL;

  if (self->staging != NULL)
    return;
  if (check_space (self, &error))
    tell_if_tight (self);
  else
    warn_of_error (self, error);
}

void
holdall_offer_prepare (HoldallOffer *self)
{
  HoldExtractRequest *request;
  g_autoptr (GtkWindow) parent = NULL;

  g_return_if_fail (HOLDALL_IS_OFFER (self));

  if (self->staging != NULL || self->error != NULL)
    return;

  if (check_space (self, &self->error))
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
  request->roots = hold_extract_roots_ref (self->roots);
  hold_staging_set_depth (self->staging, hold_extract_roots_has_shelves (self->roots) ? 2 : 1);

  self->job = HOLD_JOB (hold_extract_job_new (request));
  g_signal_connect_object (self->job, "finished", G_CALLBACK (job_finished_cb), self,
                           G_CONNECT_SWAPPED);
  parent = g_weak_ref_get (&self->parent);
  holdall_job_list_submit (self->jobs, self->job, parent);
}

gboolean
holdall_offer_is_cheap (HoldallOffer *self)
{
  return !self->is_encrypted && self->size_bytes <= CHEAP_BYTES &&
         self->indices->len <= CHEAP_ENTRIES;
}

void
holdall_offer_abandon (HoldallOffer *self,
                       gboolean      is_replaced)
{
  if (self->job != NULL && (is_replaced || self->waiting->len == 0))
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
  if (self->error == NULL)
    tell_if_tight (self);
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
  paths = hold_staging_dup_items (self->staging);
  for (guint i = 0; paths[i] != NULL; i++)
    {
      if (!g_file_test (paths[i], G_FILE_TEST_EXISTS) &&
          !g_file_test (paths[i], G_FILE_TEST_IS_SYMLINK))
        return FALSE;
    }
  return TRUE;
}

gboolean
holdall_offer_is_of (HoldallOffer     *self,
                     HoldArchive      *archive,
                     GArray           *indices,
                     HoldExtractRoots *roots)
{
  return self->error == NULL && self->archive == archive &&
         hold_extract_roots_equal (self->roots, roots) &&
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

HoldExtractRoots *
holdall_offer_get_roots (HoldallOffer *self)
{
  return self->roots;
}

gboolean
holdall_offer_has_only_files (HoldallOffer *self)
{
  return self->has_only_files;
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
  hold_extract_roots_unref (self->roots);

  G_OBJECT_CLASS (holdall_offer_parent_class)->finalize (object);
}

static void
holdall_offer_class_init (HoldallOfferClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = holdall_offer_finalize;

  signals[READY] = g_signal_new ("ready", HOLDALL_TYPE_OFFER, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 0);
  /* The parameter is a sentence. */
  signals[WARNING] = g_signal_new ("warning", HOLDALL_TYPE_OFFER, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                   NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
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
  self->has_only_files = self->indices->len > 0;
  for (guint i = 0; i < self->indices->len; i++)
    {
      const HoldEntry *entry =
        hold_archive_get_entry (self->archive, g_array_index (self->indices, guint, i));
      guint64 size = 0;

      if (hold_entry_get_size (entry, &size))
        self->size_bytes += MIN (size, G_MAXUINT64 - self->size_bytes);
      if (hold_entry_is_encrypted (entry))
        self->is_encrypted = TRUE;
      if (hold_entry_get_type (entry) != HOLD_ENTRY_FILE ||
          !hold_extract_roots_has_entry (self->roots, entry))
        self->has_only_files = FALSE;
    }
}

HoldallOffer *
holdall_offer_new (HoldArchive      *archive,
                   GArray           *indices,
                   HoldExtractRoots *roots,
                   HoldKeyring      *keyring,
                   HoldallJobList   *jobs,
                   GtkWindow        *parent)
{
  HoldallOffer *self = g_object_new (HOLDALL_TYPE_OFFER, NULL);

  self->archive = g_object_ref (archive);
  self->indices = g_array_ref (indices);
  self->roots = hold_extract_roots_ref (roots);
  self->keyring = hold_keyring_ref (keyring);
  self->jobs = jobs;
  g_weak_ref_set (&self->parent, parent);
  look_at_entries (self);
  return self;
}
