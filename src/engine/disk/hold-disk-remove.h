/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The end of a move into an archive: takes away on disk exactly what has been read there. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-plan.h"

G_BEGIN_DECLS

/* Told of what stays although it was asked for, with the reason. A folder that is not empty is told
 * only where it is not itself in one that was asked for. */
typedef void (*HoldDiskKept) (gpointer user_data, const char *disk_path, const GError *error);

/**
 * hold_disk_remove:
 * @sources: of HoldPlanSource with a disk path, as hold_disk_source_scan() found them: folders
 *   before what is in them
 *
 * Removes every file and link that is still the one that was found (same file, size and times), and
 * every folder that is still the one that was found and is empty by then. Below a folder of
 * @sources no link is followed; nothing that is not in @sources is touched.
 * Blocks: yes. Returns: how many were removed.
 */
guint hold_disk_remove (GPtrArray *sources, HoldDiskKept kept, gpointer user_data);

G_END_DECLS
