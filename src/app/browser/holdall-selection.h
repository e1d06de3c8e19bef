/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Which rows are selected, as a set of positions and nothing else. GtkMultiSelection keeps the
 * item of each selected row and looks at all new rows whenever a selected one goes; with 100,000
 * rows that is a second each time. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A GtkSelectionModel over @model, whose changes must replace all rows: then nothing is selected.
 * Thread: main. */
#define HOLDALL_TYPE_SELECTION (holdall_selection_get_type ())
G_DECLARE_FINAL_TYPE (HoldallSelection, holdall_selection, HOLDALL, SELECTION, GObject)

HoldallSelection *holdall_selection_new (GListModel *model);  /* references @model */

G_END_DECLS
