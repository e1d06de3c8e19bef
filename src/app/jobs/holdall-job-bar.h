/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The rows of running jobs at the bottom of a window; it appears once a job has run for 100 ms. */

#pragma once

#include <gtk/gtk.h>

#include "holdall-job-list.h"

G_BEGIN_DECLS

/* Property "jobs": a GListModel of HoldJob, usually the HoldallJobList of the application. */
#define HOLDALL_TYPE_JOB_BAR (holdall_job_bar_get_type ())
G_DECLARE_FINAL_TYPE (HoldallJobBar, holdall_job_bar, HOLDALL, JOB_BAR, GtkWidget)

void holdall_job_bar_set_jobs       (HoldallJobBar *self, GListModel *jobs);
/* Every row says which archive it is about; for a place of its own, without a line above. */
void holdall_job_bar_set_all_titles (HoldallJobBar *self);

G_END_DECLS
