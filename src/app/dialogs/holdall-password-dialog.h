/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Asks for the password of an archive or of one of its entries. */

#pragma once

#include <adwaita.h>
#include <hold.h>

G_BEGIN_DECLS

#define HOLDALL_TYPE_PASSWORD_DIALOG (holdall_password_dialog_get_type ())
G_DECLARE_FINAL_TYPE (HoldallPasswordDialog, holdall_password_dialog, HOLDALL, PASSWORD_DIALOG, AdwMessageDialog)

/* @question: of kind PASSWORD. The dialog answers it; closing the dialog cancels it. */
GtkWindow *holdall_password_dialog_new (HoldQuestion *question);

G_END_DECLS
