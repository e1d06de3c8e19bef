/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What a name typed by a person may be, and names that are free. */

#pragma once

#include <hold.h>

G_BEGIN_DECLS

/* All: Thread: main. Blocks: no. */

/**
 * holdall_name_check:
 * @tree: (nullable): where nothing of that name may be yet
 * @folder: path in @tree
 * @name: as it was typed
 * @but: (nullable): a name that may be taken: that of the entry itself
 *
 * Returns: (nullable) (transfer full): a translated sentence on what is wrong; "" for a name that is only not there yet
 */
char *holdall_name_check    (HoldTree *tree, const char *folder, const char *name, const char *but);
/* The number of characters that are usually typed anew: all but the suffix. */
int   holdall_name_get_stem (const char *name, gboolean is_folder);
/* "folder/name", "name" at the top. (transfer full) */
char *holdall_name_join     (const char *folder, const char *name);
/* The folder of a path, "" for the top. (transfer full) */
char *holdall_name_dup_folder (const char *path);
/**
 * holdall_name_make_free:
 * @taken: (nullable): paths that will be taken as well, owned by it, each with the last number that was
 *   tried for it; the one that is returned is added. Thousands of files may have one name.
 *
 * Returns: (transfer full): @path, or the first of "a (2).txt", "a (3).txt" … that is neither in @tree nor in @taken
 */
char *holdall_name_make_free (HoldTree *tree, GHashTable *taken, const char *path, gboolean is_folder);
/* Is @path @folder, or below it? "" holds everything. */
gboolean holdall_name_is_below (const char *path, const char *folder);

G_END_DECLS
