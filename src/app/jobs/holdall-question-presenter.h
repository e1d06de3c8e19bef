/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Shows what a job asks as a dialog, and takes it away again when the job no longer asks. */

#pragma once

#include <gtk/gtk.h>
#include <hold.h>

G_BEGIN_DECLS

/**
 * holdall_question_presenter_watch:
 * @job: not yet submitted
 * @parent: (nullable): the window that questions belong to; only a weak reference is kept
 * @application: (nullable): its active window is used when @parent is gone
 *
 * Watches @job as long as it lives. Thread: main. Blocks: no.
 */
void holdall_question_presenter_watch (HoldJob *job, GtkWindow *parent, GtkApplication *application);
/* (nullable), borrowed: where @job asks just now; @job is one that is watched. */
GtkWindow *holdall_question_presenter_get_dialog (HoldJob *job);

G_END_DECLS
