/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* One job: how far it is, in a bar and in words, with pause and cancel. */

#pragma once

#include <gtk/gtk.h>
#include <hold.h>

G_BEGIN_DECLS

#define HOLDALL_TYPE_JOB_ROW (holdall_job_row_get_type ())
G_DECLARE_FINAL_TYPE (HoldallJobRow, holdall_job_row, HOLDALL, JOB_ROW, GtkWidget)

/* The row is invisible until @job has run for 100 ms. */
GtkWidget *holdall_job_row_new (HoldJob *job);
HoldJob   *holdall_job_row_get_job (HoldallJobRow *self);
/* Whether the row also says which archive it is about: worth a line once there are several rows. */
void       holdall_job_row_set_show_title (HoldallJobRow *self, gboolean show_title);

G_END_DECLS
