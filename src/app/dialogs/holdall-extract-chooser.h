/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Asks where to extract to, and how. */

#pragma once

#include <gtk/gtk.h>
#include <hold.h>

G_BEGIN_DECLS

/**
 * HoldallExtractChoice:
 * @folder: where to
 * @only_selection: only the selected entries, not all
 * @new_folder: several items at the top of the archive go into a folder of their own
 */
typedef struct {
  GFile *folder;
  gboolean only_selection;
  gboolean new_folder;
  HoldConflict conflict;
} HoldallExtractChoice;

/* @choice: borrowed, only valid during the call. Not called when the person cancels. */
typedef void (*HoldallExtractChosen) (GtkWindow *parent, const HoldallExtractChoice *choice);

/**
 * holdall_extract_chooser_present:
 * @has_selection: offer to take the selected entries only
 * @folder: (nullable): where to begin; absolute, file-system encoding
 * @is_best: begin there even if another folder was chosen the last time
 * @settings: the program's settings: the choices start as they were last, and are remembered
 *
 * Goes through the portal where there is one. Thread: main. Blocks: no.
 */
void holdall_extract_chooser_present (GtkWindow           *parent,
                                      gboolean             has_selection,
                                      const char          *folder,
                                      gboolean             is_best,
                                      GSettings           *settings,
                                      HoldallExtractChosen chosen);

/* Shows everything that @chooser can choose. Without a filter, GTK shows one called "(None)". */
void holdall_chooser_add_all_filter (GtkFileChooser *chooser);

G_END_DECLS
