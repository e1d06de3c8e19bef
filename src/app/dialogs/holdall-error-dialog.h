/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Tells that something failed: one sentence, what to do, and the technical details to unfold and
 * copy. */

#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define HOLDALL_TYPE_ERROR_DIALOG (holdall_error_dialog_get_type ())
G_DECLARE_FINAL_TYPE (HoldallErrorDialog, holdall_error_dialog, HOLDALL, ERROR_DIALOG, AdwMessageDialog)

/* @parent: (nullable). @heading: (nullable): instead of the error's own title. Nothing is shown for
 *   a cancelled operation. */
void holdall_error_dialog_present (GtkWindow *parent, const char *heading, const GError *error);

G_END_DECLS
