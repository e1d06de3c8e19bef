/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What a screen reader is told, where GTK 4.8 by itself tells it nothing or nonsense. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* All: Thread: main. Blocks: no. */

/* From now on every button of the program has a name as soon as it is seen. Call once, after
 * gtk_init(). */
void holdall_accessible_init      (void);
/* (transfer full): "_Open…" without the mark, as it is read out. */
char *holdall_accessible_strip_mnemonic (const char *label);
/* Names the row of a list or the tile of a grid that @cell is in, or is going to be in. */
void holdall_accessible_label_row (GtkWidget *cell, const char *label);
/* Names the parts of a GtkColumnView that can have the focus and that GTK calls by their type. */
void holdall_accessible_label_column_view (GtkColumnView *view, const char *label,
                                           const char *header_label);

G_END_DECLS
