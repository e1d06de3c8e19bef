/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The entries of an archive as a folder tree: folders that are only implied by names act like
 * stored ones, equal names stay apart, and a file may stand beside a folder of its name. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-entry.h"

G_BEGIN_DECLS

/* Built by a worker, then frozen; owned by the HoldArchive, nodes live as long as it. Thread:
 * any. */
HoldNode        *hold_tree_get_root      (HoldTree *self);                     /* path "" */
/* Of several nodes with that path the folder if there is one, else the first. (nullable). "" and
 * "." are the root. */
HoldNode        *hold_tree_lookup        (HoldTree *self, const char *path);   /* trailing "/" allowed */
/* A folder that is stored twice is one node, which both entries give. */
HoldNode        *hold_tree_get_node      (HoldTree *self, guint entry_index);

const char      *hold_node_get_name      (HoldNode *self);
char            *hold_node_dup_path      (HoldNode *self);                     /* without trailing "/" */
const HoldEntry *hold_node_get_entry     (HoldNode *self);                     /* (nullable): implied folder */
HoldNode        *hold_node_get_parent    (HoldNode *self);                     /* (nullable): root */
gboolean         hold_node_is_folder     (HoldNode *self);
guint            hold_node_get_n_children (HoldNode *self);
HoldNode        *hold_node_get_child     (HoldNode *self, guint position);     /* archive order */
guint            hold_node_get_n_below   (HoldNode *self);                     /* stored entries below, not itself, each folder once */
guint64          hold_node_get_size      (HoldNode *self);  /* bytes; folders: sum of what is known below */
guint64          hold_node_get_packed_size (HoldNode *self);

/**
 * hold_tree_collect:
 * @paths: NULL-terminated paths as hold_entry_get_path() gives them; a folder brings all below it;
 *         every entry of that exact path is meant
 * @indices: (inout): GArray of guint; entry indices are appended, in the end sorted and unique
 * Returns: (nullable): the first path that names nothing, borrowed from @paths; else NULL
 */
const char      *hold_tree_collect       (HoldTree *self, const char * const *paths, GArray *indices);
void             hold_node_collect       (HoldNode *self, GArray *indices);    /* itself and all below; @indices stays sorted and unique */

G_END_DECLS
