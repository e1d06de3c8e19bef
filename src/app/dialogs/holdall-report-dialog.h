/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Lists the entries that failed, were skipped or refused, with the reason of each; copyable. */

#pragma once

#include <adwaita.h>
#include <hold.h>

G_BEGIN_DECLS

#define HOLDALL_TYPE_REPORT_DIALOG (holdall_report_dialog_get_type ())
G_DECLARE_FINAL_TYPE (HoldallReportDialog, holdall_report_dialog, HOLDALL, REPORT_DIALOG, AdwWindow)

/* @parent: (nullable). @heading: a sentence, for example holdall_job_text_outcome(). */
void holdall_report_dialog_present (GtkWindow *parent, const char *heading, HoldReport *report);

G_END_DECLS
