/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Asks whether to go on after an error, over a limit or without enough room. */

#pragma once

#include <adwaita.h>
#include <hold.h>

G_BEGIN_DECLS

#define HOLDALL_TYPE_CONTINUE_DIALOG (holdall_continue_dialog_get_type ())
G_DECLARE_FINAL_TYPE (HoldallContinueDialog, holdall_continue_dialog, HOLDALL, CONTINUE_DIALOG, AdwMessageDialog)

/* @question: of kind CONTINUE. The dialog answers it; closing the dialog cancels it. */
GtkWindow *holdall_continue_dialog_new (HoldQuestion *question);

G_END_DECLS
