/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A job as one step of a GTask. */

#pragma once

#include "holdall-job-list.h"

G_BEGIN_DECLS

/* @job has ended, well or not; what comes of @task is decided here. */
typedef void (*HoldallJobTaskFunc) (HoldJob *job, GTask *task);

/**
 * holdall_job_task_submit:
 * @task: has a cancellable, by which the job is cancelled; kept until @ended was called
 * @jobs: to which @job is submitted
 * @parent: (nullable): as for holdall_job_list_submit()
 *
 * Thread: main. Blocks: no.
 */
void holdall_job_task_submit (GTask              *task,
                              HoldallJobList     *jobs,
                              HoldJob            *job,
                              GtkWindow          *parent,
                              HoldallJobTaskFunc  ended);

G_END_DECLS
