/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The pane that shows what is selected: picture or text, what is known of it, and for a folder
 * what takes the space. */

#pragma once

#include <gtk/gtk.h>
#include <hold.h>

G_BEGIN_DECLS

#define HOLDALL_TYPE_PREVIEW (holdall_preview_get_type ())
G_DECLARE_FINAL_TYPE (HoldallPreview, holdall_preview, HOLDALL, PREVIEW, GtkWidget)

/* @archive: (nullable): nothing. @node: of it. @keyring: passwords known so far; nothing is asked.
 * The content is read only while the pane is seen. Thread: main. */
void holdall_preview_show      (HoldallPreview *self, HoldArchive *archive, HoldNode *node, HoldKeyring *keyring);
/* Several at once: how many and how large. */
void holdall_preview_show_many (HoldallPreview *self, HoldArchive *archive, GPtrArray *nodes);

G_END_DECLS
