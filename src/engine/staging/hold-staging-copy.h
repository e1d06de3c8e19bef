/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A staged file that other programs may change while they have it: is it in use, and is what they
 * left there still needed? */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-staging.h"

G_BEGIN_DECLS

/**
 * hold_staging_renew:
 * @name: of a file at the top of the payload, file-system encoding
 *
 * Takes what lies there now for ours, in place of what was recorded under that name: its content is
 * safe elsewhere. A file that was changed and is not renewed is nobody's, and so is never removed.
 *
 * Thread: that of the staging. Blocks: shortly. Errors: G_IO_ERROR; nothing has changed then.
 */
gboolean hold_staging_renew        (HoldStaging *self, const char *name, GError **error);

/**
 * hold_staging_is_in_use:
 *
 * Whether any process, also one outside of a sandbox, has a file in the payload open at this moment:
 * one of ours, or one that it has put beside it, as editors do that keep only their own notes open.
 * Asks the kernel for a write lease (fcntl(2)), which it gives to nobody beside another open
 * descriptor. Where leases are not known (network file systems) the answer is FALSE.
 *
 * Thread: that of the staging. Blocks: shortly.
 */
gboolean hold_staging_is_in_use    (HoldStaging *self);

/**
 * hold_staging_set_origin:
 * @archive_path: absolute, file-system encoding
 *
 * Writes down, for the start after a crash, which entry the file in the payload is a copy of. Thread:
 * that of the staging. Blocks: shortly. Errors: G_IO_ERROR.
 */
gboolean    hold_staging_set_origin (HoldStaging *self, const char *archive_path,
                                     const char *entry_path, GError **error);

/**
 * HoldStagingLeft:
 * @staging: taken over: ours from now on
 * @copy: absolute path of the file that was changed
 */
typedef struct {
  HoldStaging *staging;
  char *copy;
  char *entry_path;
} HoldStagingLeft;

void        hold_staging_left_free  (HoldStagingLeft *self);

/**
 * hold_staging_reclaim:
 *
 * Finds copies of entries of @archive_path whose owner is gone, that were changed, and of which
 * nobody knows whether the change is in the archive.
 *
 * Thread: any. Blocks: yes, up to half a second if something else looks through the stagings just
 * now. Returns: (transfer full) (element-type HoldStagingLeft)
 */
GPtrArray  *hold_staging_reclaim    (const char *cache_folder, const char *archive_path);

G_END_DECLS
