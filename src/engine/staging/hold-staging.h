/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A private folder in which files wait for other programs: dragged, copied or cut out of an
 * archive, or opened from it. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-types.h"

G_BEGIN_DECLS

/**
 * HoldStaging:
 *
 * Below the user's cache folder (host programs see it under the same path, also from inside a
 * Flatpak) lies for each
 * staging a folder with a random name, never used twice, readable for its owner alone:
 *
 *   CACHE/holdall/staging/RANDOM/lock      locked while the owner lives
 *                               /manifest  what the owner put in: device, inode, size, time of
 *                               each thing
 *                               /files/    the payload: what other programs are told of
 *
 * Calling sequence: new, let a job extract into hold_staging_get_payload(), hold_staging_record(),
 * tell other programs; in the
 * end hold_staging_clean() or hold_staging_bury().
 *
 * Other programs move files out, and an undo moves them back in, perhaps over a folder that is
 * gone by then. So nothing is
 * ever removed but what the manifest names and what still is the very same file; never
 * recursively, never through a link.
 * What is not ours stays, and so does the folder around it.
 *
 * Thread: one at a time.
 */
typedef struct _HoldStaging HoldStaging;

/* @cache_folder: usually g_get_user_cache_dir(). Blocks: yes. Errors: G_IO_ERROR. */
HoldStaging *hold_staging_new         (const char *cache_folder, GError **error);
/* Free space of the disk where a staging would lie, which need not be there yet. Blocks: shortly.
 * FALSE: nobody can tell. */
gboolean     hold_staging_get_free_space (const char *cache_folder, guint64 *free_bytes);
/* Leaves everything on disk; the next start cleans it up once it is old. */
void         hold_staging_free        (HoldStaging *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldStaging, hold_staging_free)

const char  *hold_staging_get_payload (HoldStaging *self);   /* absolute path, borrowed */

/* Writes the manifest of all that lies in the payload now, and makes it writable for its owner, so
 * that others can move it out. Before this nobody may be told of the payload. Blocks: yes. Errors:
 * G_IO_ERROR. */
gboolean     hold_staging_record      (HoldStaging *self, GError **error);
guint        hold_staging_get_n_recorded (HoldStaging *self);

/* How deep below the payload the items lie that other programs are told of: 1 at its top, 2 each in
 * a folder of its own, so that several can have one name. Before recording; at first 1. */
void         hold_staging_set_depth    (HoldStaging *self, guint depth);
guint        hold_staging_get_depth    (HoldStaging *self);

/* Absolute paths of the items, as recorded. (transfer full) */
char       **hold_staging_dup_items    (HoldStaging *self);

/* Makes durable what was done on the disk that the staging lies on. Thread: any. Blocks: yes.
 * Errors: G_IO_ERROR. */
gboolean     hold_staging_sync         (HoldStaging *self, GError **error);
/* The same for what went from a staging to nobody knows which disk. Thread: any. Blocks: yes, long.
 * Errors: G_IO_ERROR if any disk has lost something. */
gboolean     hold_staging_sync_everywhere (GError **error);

/* Removes what the manifest names and is still the same. TRUE if nothing is left of the staging.
 * Blocks: yes. */
gboolean     hold_staging_clean       (HoldStaging *self);

/* Before a move of all is committed: removes the empty folders that are left, and puts a plain empty
 * file where the payload was, so that an undo in a file manager fails there instead of putting the
 * only copies into a folder that will be cleaned. FALSE: something is there, which stays. */
gboolean     hold_staging_bury        (HoldStaging *self);
/* Before a move of some is committed: from now on nothing cleans what may come back to the places of
 * @items, which are paths below the payload. Errors: G_IO_ERROR. Blocks: yes. */
gboolean     hold_staging_disown      (HoldStaging *self, const char * const *items, GError **error);

/* Cleans what owners left that no longer live, once it is older than @min_age_seconds. Blocks:
 * yes. */
void         hold_staging_sweep       (const char *cache_folder, guint min_age_seconds);

G_END_DECLS
