/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Asks for the name of something new in a folder of an archive. */

#pragma once

#include <adwaita.h>
#include <hold.h>

G_BEGIN_DECLS

/* Signal "named" (char *): a name that is free. */
#define HOLDALL_TYPE_NAME_DIALOG (holdall_name_dialog_get_type ())
G_DECLARE_FINAL_TYPE (HoldallNameDialog, holdall_name_dialog, HOLDALL, NAME_DIALOG, AdwMessageDialog)

/* @tree is of @archive, which is kept. @proposal: made free if it is taken. */
HoldallNameDialog *holdall_name_dialog_new (GtkWindow *parent, HoldArchive *archive, const char *folder,
                                            const char *proposal);

G_END_DECLS
