/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The job behind every edit. Edits that wait for one archive are gathered into one plan, so that a
 * thousand of them cost one rewrite; each job keeps its own report. */

#include "config.h"

#include "hold-job-update.h"

#include <string.h>

#include "hold-disk-remove.h"
#include "hold-indices.h"
#include "hold-rewrite.h"
#include "hold-update-request.h"
#include "hold-update-secret.h"

struct _HoldUpdateJob
{
  HoldJob parent_instance;

  HoldUpdateRequest *request;
  GPtrArray *absorbed; /* HoldUpdateJob whose edits go into this job's plan; filled by the scheduler before run */
  HoldArchive *archive;
  GHashTable *arrived; /* HoldArchive, owned → GArray of guint: its entries that are in the new one */
  guint n_taken;       /* files and folders removed from the disk */
};

G_DEFINE_FINAL_TYPE (HoldUpdateJob, hold_update_job, HOLD_TYPE_JOB)

static gboolean
apply_edits (HoldUpdateJob  *self,
             HoldPlan       *plan,
             GCancellable   *cancellable,
             GError        **error)
{
  if (!hold_update_request_apply (self->request, HOLD_JOB (self), plan, cancellable, error))
    return FALSE;

  for (guint i = 0; i < self->absorbed->len; i++)
    {
      HoldUpdateJob *other = g_ptr_array_index (self->absorbed, i);

      if (!hold_update_request_apply (other->request, HOLD_JOB (other), plan, cancellable, error))
        return FALSE;
    }

  return TRUE;
}

/* If nothing at all could be done, the first reason is the job's own. */
static gboolean
fail_if_all_failed (HoldUpdateJob  *self,
                    HoldPlan       *plan,
                    GError        **error)
{
  HoldReport *report = hold_job_get_report (HOLD_JOB (self));

  if (!hold_plan_is_unchanged (plan) || self->absorbed->len > 0 ||
      hold_report_count (report, HOLD_OUTCOME_FAILED) == 0)
    return TRUE;

  for (guint i = 0; i < hold_report_get_n_items (report); i++)
    {
      const HoldReportItem *item = hold_report_get_item (report, i);

      if (item->outcome == HOLD_OUTCOME_FAILED)
        {
          g_propagate_error (error, g_error_copy (item->error));
          break;
        }
    }
  return FALSE;
}

static void
kept_cb (gpointer      user_data,
         const char   *disk_path,
         const GError *error)
{
  g_autofree char *shown = g_filename_display_name (disk_path);

  hold_report_add (hold_job_get_report (user_data), HOLD_OUTCOME_WARNING, shown, error);
}

static void
note_arrived (HoldUpdateJob  *self,
              HoldPlanSource *source,
              GPtrArray      *from_disk)
{
  GArray *indices;

  if (source->disk_path != NULL)
    g_ptr_array_add (from_disk, source);
  if (source->archive == NULL)
    return;
  indices = g_hash_table_lookup (self->arrived, source->archive);
  if (indices == NULL)
    {
      indices = g_array_new (FALSE, FALSE, sizeof (guint));
      g_hash_table_insert (self->arrived, g_object_ref (source->archive), indices);
    }
  g_array_append_val (indices, source->origin);
}

static int
compare_disk_paths (gconstpointer a,
                    gconstpointer b)
{
  const HoldPlanSource *const *first = a;
  const HoldPlanSource *const *second = b;

  return strcmp ((*first)->disk_path, (*second)->disk_path);
}

/* The new archive stands: tells which of this job's sources it holds, and takes those of a move
 * from the disk. What is no longer in the plan, since a later edit dropped it, has not arrived. */
static void
settle (HoldUpdateJob *self,
        HoldPlan      *plan,
        GHashTable    *troubled)
{
  g_autoptr (GPtrArray) from_disk = g_ptr_array_new ();
  GPtrArray *merged = self->request->merged;
  guint n_steps;
  const HoldPlanStep *steps = hold_plan_get_steps (plan, &n_steps);

  for (guint i = 0; i < merged->len; i++)
    note_arrived (self, g_ptr_array_index (merged, i), from_disk);
  for (guint i = 0; i < n_steps; i++)
    {
      if (steps[i].source != NULL && steps[i].source->owner == self &&
          !g_hash_table_contains (troubled, steps[i].path))
        note_arrived (self, (HoldPlanSource *) steps[i].source, from_disk);
    }
  if (!self->request->move)
    return;
  /* Folders before what is in them, wherever each came from. */
  g_ptr_array_sort (from_disk, compare_disk_paths);
  self->n_taken = hold_disk_remove (from_disk, kept_cb, self);
}

static gboolean
hold_update_job_run (HoldJob       *job,
                     GCancellable  *cancellable,
                     GError       **error)
{
  HoldUpdateJob *self = HOLD_UPDATE_JOB (job);
  g_autoptr (HoldArchive) latest = _hold_archive_dup_latest (self->request->archive);
  g_autoptr (HoldPlan) plan = hold_plan_new (latest);
  g_autoptr (GHashTable) troubled = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (HoldSecret) secret = NULL;
  HoldRewriteRequest rewrite = {
    .plan = plan,
    .options = { .level = self->request->level, .keyring = self->request->keyring },
    .troubled = troubled,
  };
  gboolean is_safe;

  hold_job_set_phase (job, HOLD_PHASE_SCANNING);
  if (!apply_edits (self, plan, cancellable, error) || !fail_if_all_failed (self, plan, error) ||
      !hold_update_secret_find (self->request, job, plan, &secret, error))
    return FALSE;
  rewrite.options.secret = secret;
  if (!hold_rewrite_run (job, &rewrite, &self->archive, cancellable, error))
    return FALSE;

  /* Was the new archive read again, and does the disk promise to keep it? Else nothing may be given
   * up for it: what has arrived is only what will still be there after a power cut. */
  is_safe = rewrite.is_durable && self->archive != NULL;
  if (is_safe)
    settle (self, plan, troubled);
  for (guint i = 0; i < self->absorbed->len; i++)
    {
      HoldUpdateJob *other = g_ptr_array_index (self->absorbed, i);

      if (is_safe)
        settle (other, plan, troubled);
      g_set_object (&other->archive, self->archive);
    }
  return TRUE;
}

static HoldAccess
hold_update_job_get_access (HoldJob     *job,
                            const char **path)
{
  HoldUpdateJob *self = HOLD_UPDATE_JOB (job);

  *path = hold_archive_get_path (self->request->archive);
  return HOLD_ACCESS_WRITE;
}

/* Only for one state of the file does an index mean the same entry. */
static gboolean
is_of_one_state (HoldUpdateJob *self,
                 HoldUpdateJob *other)
{
  g_autoptr (HoldArchive) latest = _hold_archive_dup_latest (self->request->archive);
  g_autoptr (HoldArchive) of_other = _hold_archive_dup_latest (other->request->archive);

  return hold_file_identity_equal (_hold_archive_get_identity (latest),
                                   _hold_archive_get_identity (of_other));
}

/* Jobs that pack or encrypt differently, ask different people, or were made for what the file held
 * before somebody else changed it, stay apart. */
static gboolean
hold_update_job_absorb (HoldJob *job,
                        HoldJob *queued)
{
  HoldUpdateJob *self = HOLD_UPDATE_JOB (job);
  HoldUpdateJob *other;

  if (!HOLD_IS_UPDATE_JOB (queued))
    return FALSE;
  other = HOLD_UPDATE_JOB (queued);
  if (other->request->level != self->request->level || other->request->conflict == HOLD_CONFLICT_ASK ||
      !is_of_one_state (self, other) || !hold_update_secret_can_share (self->request, other->request))
    return FALSE;

  g_ptr_array_add (self->absorbed, g_object_ref (other));
  return TRUE;
}

static void
hold_update_job_finalize (GObject *object)
{
  HoldUpdateJob *self = HOLD_UPDATE_JOB (object);

  g_clear_pointer (&self->request, hold_update_request_free);
  g_clear_pointer (&self->absorbed, g_ptr_array_unref);
  g_clear_pointer (&self->arrived, g_hash_table_unref);
  g_clear_object (&self->archive);

  G_OBJECT_CLASS (hold_update_job_parent_class)->finalize (object);
}

static void
hold_update_job_class_init (HoldUpdateJobClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  HoldJobClass *job_class = HOLD_JOB_CLASS (klass);

  object_class->finalize = hold_update_job_finalize;
  job_class->run = hold_update_job_run;
  job_class->get_access = hold_update_job_get_access;
  job_class->absorb = hold_update_job_absorb;
  job_class->verb = "update";
}

static void
hold_update_job_init (HoldUpdateJob *self)
{
  self->absorbed = g_ptr_array_new_with_free_func (g_object_unref);
  self->arrived = g_hash_table_new_full (NULL, NULL, g_object_unref, (GDestroyNotify) g_array_unref);
}

HoldUpdateJob *
hold_update_job_new (HoldUpdateRequest *request)
{
  HoldUpdateJob *self = g_object_new (HOLD_TYPE_UPDATE_JOB, NULL);

  self->request = request;
  return self;
}

HoldArchive *
hold_update_job_get_source (HoldUpdateJob *self)
{
  return self->request->archive;
}

HoldArchive *
hold_update_job_get_archive (HoldUpdateJob *self)
{
  return self->archive;
}

guint
hold_update_job_get_n_taken (HoldUpdateJob *self)
{
  return self->n_taken;
}

/* Marks the folders around @path, up to one that is marked already. */
static void
mark_folders (GHashTable *marked,
              const char *path)
{
  g_autofree char *folder = g_strdup (path);
  char *slash;

  while ((slash = strrchr (folder, '/')) != NULL)
    {
      *slash = '\0';
      if (!g_hash_table_add (marked, g_strdup (folder)))
        break;
    }
}

GArray *
hold_update_job_dup_arrived (HoldUpdateJob *self,
                             HoldArchive   *from)
{
  const GArray *all = g_hash_table_lookup (self->arrived, from);
  g_autoptr (GHashTable) staying = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree gboolean *is_there = g_new0 (gboolean, hold_archive_get_n_entries (from) + 1);
  GArray *arrived = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; all != NULL && i < all->len; i++)
    is_there[g_array_index (all, guint, i)] = TRUE;

  for (guint i = 0; i < self->request->edits->len; i++)
    {
      const HoldEdit *edit = g_ptr_array_index (self->request->edits, i);

      for (guint k = 0; edit->from == from && k < edit->indices->len; k++)
        {
          guint index = g_array_index (edit->indices, guint, k);

          if (!is_there[index])
            mark_folders (staying, hold_entry_get_path (hold_archive_get_entry (from, index)));
        }
    }

  for (guint i = 0; all != NULL && i < all->len; i++)
    {
      guint index = g_array_index (all, guint, i);

      if (!g_hash_table_contains (staying, hold_entry_get_path (hold_archive_get_entry (from, index))))
        g_array_append_val (arrived, index);
    }
  hold_indices_tidy (arrived);
  return arrived;
}
