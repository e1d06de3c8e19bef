/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* All that is known of an archive, or all that the archive records of one entry. */

#pragma once

#include <adwaita.h>
#include <hold.h>

G_BEGIN_DECLS

#define HOLDALL_TYPE_PROPERTIES_DIALOG (holdall_properties_dialog_get_type ())
G_DECLARE_FINAL_TYPE (HoldallPropertiesDialog, holdall_properties_dialog, HOLDALL, PROPERTIES_DIALOG, AdwWindow)

/* @paths: (nullable): NULL-terminated paths in the archive; none: of the archive itself; one: of
 *   that entry or folder; more: their sums. */
void holdall_properties_dialog_present (GtkWindow *parent, HoldArchive *archive, const char * const *paths);

G_END_DECLS
