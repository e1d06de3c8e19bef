/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Cut-paste, the job that Holdall is there for: one extraction, made durable, then one rewrite that
 * drops exactly what has arrived. At no moment is a file in neither place. */

#include "config.h"

#include "hold-job-move.h"

#include "hold-extract-run.h"
#include "hold-rewrite.h"

struct _HoldMoveJob
{
  HoldJob parent_instance;

  HoldExtractRequest *request;
  HoldExtractResult result;
  HoldArchive *archive;
};

G_DEFINE_FINAL_TYPE (HoldMoveJob, hold_move_job, HOLD_TYPE_JOB)

static HoldPlan *
plan_without (HoldArchive *archive,
              GArray      *indices)
{
  HoldPlan *plan = hold_plan_new (archive);
  guint n = indices != NULL ? indices->len : hold_archive_get_n_entries (archive);

  for (guint i = 0; i < n; i++)
    hold_plan_drop_index (plan, indices != NULL ? g_array_index (indices, guint, i) : i);
  return plan;
}

/* Whether the archive can be rewritten, and what that will cost, is known before the first file is
 * taken out. */
static gboolean
look_ahead (HoldMoveJob  *self,
            GError      **error)
{
  g_autoptr (HoldPlan) plan = NULL;
  HoldPlanCost cost;

  hold_extract_request_renew (self->request, hold_job_get_report (HOLD_JOB (self)));
  plan = plan_without (self->request->archive, self->request->indices);
  hold_plan_get_cost (plan, &cost);
  self->result.bytes_after = cost.write_bytes;
  return hold_rewrite_check (plan, error);
}

static gboolean
hold_move_job_run (HoldJob       *job,
                   GCancellable  *cancellable,
                   GError       **error)
{
  HoldMoveJob *self = HOLD_MOVE_JOB (job);
  g_autoptr (GArray) arrived = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (HoldPlan) plan = NULL;
  g_auto (HoldProgress) so_far = { 0 };
  HoldRewriteRequest rewrite = { .options = { .level = -1, .keyring = self->request->keyring } };

  if (!look_ahead (self, error))
    return FALSE;

  self->result.arrived = arrived;
  if (!hold_extract_run (job, self->request, &self->result, cancellable, error))
    return FALSE;

  hold_job_get_progress (job, &so_far);
  rewrite.bytes_before = so_far.bytes_done;
  plan = plan_without (self->request->archive, arrived);
  rewrite.plan = plan;
  return hold_rewrite_run (job, &rewrite, &self->archive, cancellable, error);
}

static HoldAccess
hold_move_job_get_access (HoldJob     *job,
                          const char **path)
{
  *path = hold_archive_get_path (HOLD_MOVE_JOB (job)->request->archive);
  return HOLD_ACCESS_WRITE;
}

static void
hold_move_job_finalize (GObject *object)
{
  HoldMoveJob *self = HOLD_MOVE_JOB (object);

  g_clear_pointer (&self->request, hold_extract_request_free);
  hold_extract_result_clear (&self->result);
  g_clear_object (&self->archive);

  G_OBJECT_CLASS (hold_move_job_parent_class)->finalize (object);
}

static void
hold_move_job_class_init (HoldMoveJobClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  HoldJobClass *job_class = HOLD_JOB_CLASS (klass);

  object_class->finalize = hold_move_job_finalize;
  job_class->run = hold_move_job_run;
  job_class->get_access = hold_move_job_get_access;
  job_class->verb = "move";
}

static void
hold_move_job_init (HoldMoveJob *self)
{
}

HoldMoveJob *
hold_move_job_new (HoldExtractRequest *request)
{
  HoldMoveJob *self = g_object_new (HOLD_TYPE_MOVE_JOB, NULL);

  self->request = request;
  /* A file whose data is damaged has not arrived, whatever is kept of it. */
  self->request->keep_damaged = FALSE;
  return self;
}

HoldArchive *
hold_move_job_get_archive (HoldMoveJob *self)
{
  return self->archive;
}

const char *
hold_move_job_get_result_folder (HoldMoveJob *self)
{
  return self->result.folder;
}
