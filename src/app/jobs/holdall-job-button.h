/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The button in the header bar with all jobs of the program: those of other windows, and those
 * whose window is closed. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Invisible while nothing has been running for a moment. */
#define HOLDALL_TYPE_JOB_BUTTON (holdall_job_button_get_type ())
G_DECLARE_FINAL_TYPE (HoldallJobButton, holdall_job_button, HOLDALL, JOB_BUTTON, GtkWidget)

/* @jobs: of HoldJob; a reference is taken. Call once. Thread: main. */
void holdall_job_button_set_jobs (HoldallJobButton *self, GListModel *jobs);

G_END_DECLS
