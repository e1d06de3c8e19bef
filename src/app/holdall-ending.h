/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* How the program ends while there is work: by the person, by the end of the session, by a signal. */

#pragma once

#include <gtk/gtk.h>

#include "holdall-job-list.h"

G_BEGIN_DECLS

/**
 * HoldallEnding:
 *
 * "Quit" closes the windows; jobs go on without them, and the process ends after the last. A job that
 * waits for an answer would never end so: then it is asked first, and the question of the job comes to
 * the front.
 *
 * While jobs write, the session is asked not to end. If it does, or a signal comes (TERM, INT, HUP),
 * the program ends as always: jobs are cancelled and undo what they have begun, archives stay as they
 * were, and nothing is left in the stagings. Thread: main.
 */
typedef struct _HoldallEnding HoldallEnding;

/* @application and @jobs: must outlive it. */
HoldallEnding *holdall_ending_new  (GtkApplication *application, HoldallJobList *jobs);
void           holdall_ending_free (HoldallEnding *self);
/* Closes all windows, now or once the person has said what shall become of questions. */
void           holdall_ending_quit (HoldallEnding *self);

G_END_DECLS
