/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* How large the parts of a new archive may be: sizes that mail servers and disks allow. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* What a person chooses from; the first one is not to split. (transfer full) */
GtkStringList *holdall_volume_size_list_new (void);

/* @position: in that list. Returns: bytes; 0: one file, whatever its size */
guint64 holdall_volume_size_get_bytes (guint position);

G_END_DECLS
