/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The small window of an errand that takes long: what is done, how far it is, pause and cancel. */

#pragma once

#include <adwaita.h>
#include <hold.h>

G_BEGIN_DECLS

#define HOLDALL_TYPE_PROGRESS_WINDOW (holdall_progress_window_get_type ())
G_DECLARE_FINAL_TYPE (HoldallProgressWindow, holdall_progress_window, HOLDALL, PROGRESS_WINDOW,
                      AdwWindow)

/* Not shown yet. Thread: main, as all of these. */
HoldallProgressWindow *holdall_progress_window_new (GtkApplication *application);
/* Shows @job in place of the one before. @part: from 0, which of @n_parts archives it is about. */
void     holdall_progress_window_set_job      (HoldallProgressWindow *self, HoldJob *job, guint part,
                                               guint n_parts);
/* Whether somebody closed it: that only hides it, the work goes on. */
gboolean holdall_progress_window_is_dismissed (HoldallProgressWindow *self);

G_END_DECLS
