/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A file that is saved under another name: whole and on the disk, or not at all. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * hold_file_copy:
 * @from: a regular file, file-system encoding; not a link
 * @to: file-system encoding; what stands there is replaced, once the copy is complete and synced
 *
 * The new file has the permissions of the one that it replaces, or those of any new file. At a failure
 * @to is as it was.
 *
 * Thread: any. Blocks: yes. Errors: G_IO_ERROR (NO_SPACE, BUSY, CANCELLED…),
 * HOLD_ERROR_READ_ONLY (the folder takes no new files).
 */
gboolean hold_file_copy (const char *from, const char *to, GCancellable *cancellable, GError **error);

G_END_DECLS
