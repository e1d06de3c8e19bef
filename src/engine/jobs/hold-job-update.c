/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The job behind every edit. Edits that wait for one archive are gathered into one plan, so that a
 * thousand of them cost one rewrite; each job keeps its own report. */

#include "config.h"

#include "hold-job-update.h"

#include "hold-rewrite.h"
#include "hold-update-request.h"

struct _HoldUpdateJob
{
  HoldJob parent_instance;

  HoldUpdateRequest *request;
  GPtrArray *absorbed; /* HoldUpdateJob whose edits go into this job's plan; filled by the scheduler before run */
  HoldArchive *archive;
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

static gboolean
hold_update_job_run (HoldJob       *job,
                     GCancellable  *cancellable,
                     GError       **error)
{
  HoldUpdateJob *self = HOLD_UPDATE_JOB (job);
  g_autoptr (HoldArchive) latest = _hold_archive_dup_latest (self->request->archive);
  g_autoptr (HoldPlan) plan = hold_plan_new (latest);
  HoldRewriteRequest rewrite = {
    .plan = plan,
    .options = { .level = self->request->level, .keyring = self->request->keyring },
  };

  hold_job_set_phase (job, HOLD_PHASE_SCANNING);
  if (!apply_edits (self, plan, cancellable, error) || !fail_if_all_failed (self, plan, error))
    return FALSE;
  if (!hold_rewrite_run (job, &rewrite, &self->archive, cancellable, error))
    return FALSE;

  for (guint i = 0; i < self->absorbed->len; i++)
    {
      HoldUpdateJob *other = g_ptr_array_index (self->absorbed, i);

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

/* Jobs that pack at different levels, or ask different people, stay apart. */
static gboolean
hold_update_job_absorb (HoldJob *job,
                        HoldJob *queued)
{
  HoldUpdateJob *self = HOLD_UPDATE_JOB (job);
  HoldUpdateJob *other;

  if (!HOLD_IS_UPDATE_JOB (queued))
    return FALSE;
  other = HOLD_UPDATE_JOB (queued);
  if (other->request->level != self->request->level ||
      other->request->conflict == HOLD_CONFLICT_ASK)
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
}

HoldUpdateJob *
hold_update_job_new (HoldUpdateRequest *request)
{
  HoldUpdateJob *self = g_object_new (HOLD_TYPE_UPDATE_JOB, NULL);

  self->request = request;
  return self;
}

HoldArchive *
hold_update_job_get_archive (HoldUpdateJob *self)
{
  return self->archive;
}
