/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Asks in which encoding the names of an archive are, and shows how they would read in each. */

#pragma once

#include <gtk/gtk.h>
#include <hold.h>

G_BEGIN_DECLS

/* @chosen: (nullable): the encoding that was asked for, else the engine guessed. The answer goes to
 * the action "win.encoding" of @parent. Thread: main. */
void holdall_encoding_dialog_present (GtkWindow *parent, HoldArchive *archive, const char *chosen);

G_END_DECLS
