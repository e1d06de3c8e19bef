/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The job keeps the task, and until it has ended the cancellable keeps the job. */

#include "config.h"

#include "holdall-job-task.h"

typedef struct {
  GTask *task;
  HoldallJobTaskFunc ended;
  gulong cancelled_id;
} Step;

static void
step_free (gpointer  data,
           GClosure *closure)
{
  Step *step = data;

  g_object_unref (step->task);
  g_free (step);
}

static void
finished_cb (HoldJob *job,
             Step    *step)
{
  g_cancellable_disconnect (g_task_get_cancellable (step->task), step->cancelled_id);
  step->ended (job, step->task);
}

static void
cancelled_cb (GCancellable *cancellable,
              HoldJob      *job)
{
  hold_job_cancel (job);
}

void
holdall_job_task_submit (GTask              *task,
                         HoldallJobList     *jobs,
                         HoldJob            *job,
                         GtkWindow          *parent,
                         HoldallJobTaskFunc  ended)
{
  Step *step = g_new0 (Step, 1);

  step->task = g_object_ref (task);
  step->ended = ended;
  g_signal_connect_data (job, "finished", G_CALLBACK (finished_cb), step, step_free, G_CONNECT_DEFAULT);
  holdall_job_list_submit (jobs, job, parent);
  step->cancelled_id = g_cancellable_connect (g_task_get_cancellable (task), G_CALLBACK (cancelled_cb),
                                              g_object_ref (job), g_object_unref);
}
