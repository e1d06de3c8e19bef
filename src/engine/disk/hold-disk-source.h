/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Finds what is to be added to an archive: a file, or a folder with all that lies below it. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-plan.h"

G_BEGIN_DECLS

/**
 * HoldDiskScan:
 * @exclude_device, @exclude_inode: a file that is passed over: the archive itself, when it lies in
 * a folder being added. Asked for, or found where it has several names, it goes to @failed.
 * @found: one thing to add. @path: its place in the archive, UTF-8. Takes @source. FALSE with
 * @error stops.
 * @failed: something that can't be added, with its path on disk: it is left out and the scan goes
 * on
 */
typedef struct {
  guint64 exclude_device;
  guint64 exclude_inode;
  gboolean (*found)  (gpointer user_data, const char *path, HoldPlanSource *source, GError **error);
  void     (*failed) (gpointer user_data, const char *disk_path, const GError *error);
  gpointer user_data;
} HoldDiskScan;

/* Walks @disk_path and calls back in a stable order (by name), folders before what is in them.
 * Symlinks are entries of their own and never followed (W16), except that @disk_path itself may
 * lead through links in its parents. @into: folder of the archive, "" for its root. Blocks: yes.
 * Errors: cancelled, those of @found; a @disk_path that isn't there goes to @failed. */
gboolean hold_disk_source_scan (const char          *disk_path,
                                const char          *into,
                                const HoldDiskScan  *scan,
                                GCancellable        *cancellable,
                                GError             **error);

G_END_DECLS
