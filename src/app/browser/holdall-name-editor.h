/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The entry in which an item is renamed, right where its name stands. */

#pragma once

#include <gtk/gtk.h>
#include <hold.h>

G_BEGIN_DECLS

/* Signal "done" (char *, nullable): the new name, or NULL if it stays as it is; once. */
#define HOLDALL_TYPE_NAME_EDITOR (holdall_name_editor_get_type ())
G_DECLARE_FINAL_TYPE (HoldallNameEditor, holdall_name_editor, HOLDALL, NAME_EDITOR, GtkWidget)

/* The name of @node can be typed anew once it has a place and is started. @archive is kept. */
GtkWidget *holdall_name_editor_new   (HoldArchive *archive, HoldNode *node);
/* Takes the focus and selects the name without its suffix. */
void       holdall_name_editor_start (HoldallNameEditor *self);
/* As a name below its icon stands. */
void       holdall_name_editor_set_centred (HoldallNameEditor *self);

G_END_DECLS
