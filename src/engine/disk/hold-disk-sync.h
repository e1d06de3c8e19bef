/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Has what another program wrote reached its disk, wherever that is? */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * hold_disk_sync_everywhere:
 *
 * For files that somebody took to a place that nobody knows: all disks that are mounted, and can be
 * seen from here, write what they have.
 *
 * Thread: any. Blocks: yes, long. Errors: G_IO_ERROR if one of them has lost something.
 */
gboolean hold_disk_sync_everywhere (GError **error);

G_END_DECLS
