/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Asks for name, place, format, level and password of a new archive. */

#pragma once

#include <adwaita.h>
#include <hold.h>

G_BEGIN_DECLS

/* Signal "create" (pointer): a HoldCreateRequest, which the handler takes. Once; the dialog closes by itself. */
#define HOLDALL_TYPE_CREATE_DIALOG (holdall_create_dialog_get_type ())
G_DECLARE_FINAL_TYPE (HoldallCreateDialog, holdall_create_dialog, HOLDALL, CREATE_DIALOG, AdwWindow)

/**
 * holdall_create_dialog_new:
 * @parent: (nullable)
 * @files: (nullable): NULL-terminated paths of what goes in; without any the archive is empty
 * @settings: the program's: format and level start as they were last
 */
HoldallCreateDialog *holdall_create_dialog_new (GtkWindow *parent, const char * const *files, GSettings *settings);

/* Where the archive goes, instead of beside the first file. */
void                 holdall_create_dialog_set_folder (HoldallCreateDialog *self, GFile *folder);

G_END_DECLS
