/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The one process: its windows, its settings and the jobs that outlive windows. */

#pragma once

#include <adwaita.h>
#include <hold.h>

#include "holdall-doors.h"
#include "holdall-opened-list.h"
#include "holdall-job-list.h"

G_BEGIN_DECLS

#define HOLDALL_TYPE_APPLICATION (holdall_application_get_type ())
G_DECLARE_FINAL_TYPE (HoldallApplication, holdall_application, HOLDALL, APPLICATION, AdwApplication)

/* All: Thread: main. */
HoldallApplication *holdall_application_new          (void);
HoldallJobList     *holdall_application_get_jobs     (HoldallApplication *self);  /* borrowed */
HoldallDoors       *holdall_application_get_doors    (HoldallApplication *self);  /* borrowed */
HoldallOpenedList  *holdall_application_get_opened   (HoldallApplication *self);  /* borrowed */
GSettings          *holdall_application_get_settings (HoldallApplication *self);  /* borrowed */
/* What the process ends with, if it was not called to open windows: the toolkit forgets it once its
 * main loop has run. */
int                 holdall_application_get_exit_status (HoldallApplication *self);
void                holdall_application_set_exit_status (HoldallApplication *self, int exit_status);
/* HOLDALL_TEST=1 in the environment: windows get the actions that tests drive. */
gboolean            holdall_application_is_test      (HoldallApplication *self);

G_END_DECLS
