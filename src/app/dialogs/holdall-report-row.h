/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* One line of a report as an object, for a list view. */

#pragma once

#include <hold.h>

G_BEGIN_DECLS

/* Read-only properties "path", "reason" and "details", all strings. Thread: main. */
#define HOLDALL_TYPE_REPORT_ROW (holdall_report_row_get_type ())
G_DECLARE_FINAL_TYPE (HoldallReportRow, holdall_report_row, HOLDALL, REPORT_ROW, GObject)

/* @item must live as long as the row. */
HoldallReportRow *holdall_report_row_new (const HoldReportItem *item);
/* For g_ptr_array_sort(): what failed comes first, then by name as in the window's list. */
int   holdall_report_row_compare     (gconstpointer a, gconstpointer b);
/* (transfer full) */
char *holdall_report_row_dup_path    (HoldallReportRow *self);
char *holdall_report_row_dup_reason  (HoldallReportRow *self);
char *holdall_report_row_dup_details (HoldallReportRow *self);

G_END_DECLS
