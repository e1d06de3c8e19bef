/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Asks what to do with an entry whose place is taken, with both sides to compare. */

#pragma once

#include <adwaita.h>
#include <hold.h>

G_BEGIN_DECLS

#define HOLDALL_TYPE_CONFLICT_DIALOG (holdall_conflict_dialog_get_type ())
G_DECLARE_FINAL_TYPE (HoldallConflictDialog, holdall_conflict_dialog, HOLDALL, CONFLICT_DIALOG, AdwMessageDialog)

/**
 * holdall_conflict_dialog_new:
 * @question: of kind CONFLICT. The dialog answers it; closing the dialog cancels it
 * @archive: (nullable): where its side of a picture is read from
 * @into_archive: something is added to the archive, not taken out of it, so it is the existing side
 */
GtkWindow *holdall_conflict_dialog_new (HoldQuestion *question, HoldArchive *archive,
                                        gboolean into_archive);

G_END_DECLS
