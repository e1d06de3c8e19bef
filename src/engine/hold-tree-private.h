/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* How the archive builder makes the tree, and what it is made of: hold-tree-builder.c builds,
 * hold-tree.c answers. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-entry-private.h"
#include "hold-limits.h"
#include "hold-tree.h"

G_BEGIN_DECLS

struct _HoldNode {
  const char *name;
  const HoldEntry *entry;  /* (nullable) */
  HoldNode *parent;        /* (nullable) */
  HoldNode *next_same;     /* further nodes of this parent, name and kind */
  HoldNode **children;     /* into the tree's one array */
  guint64 size;
  guint64 packed;
  guint32 hash;            /* of (parent, name, kind) */
  guint n_children;
  guint n_below;
  guint is_folder : 1;
  guint is_hidden : 1;     /* a folder stored twice: its first node stands for both */
  guint is_misplaced : 1;  /* in the root although its path says otherwise */
};

struct _HoldTree {
  GPtrArray *blocks;     /* of HoldNode[BLOCK_NODES] */
  guint n_nodes;
  guint n_implied;
  guint n_misplaced;
  guint max_depth;
  HoldNode *root;
  GPtrArray *by_index;   /* of HoldNode, by entry index */
  GStringChunk *names;   /* of implied folders and misplaced nodes */
  HoldNode **children;
  HoldNode **table;      /* open addressing, a power of two, at most half full */
  guint table_size;
  guint n_in_table;
  guint32 seed;
  const char *last_path; /* of the entry before: neighbours mostly share their folder */
  gsize last_length;     /* of its folder part */
  HoldNode *last_folder;
};

/* (nullable): the first node of that kind; @length bytes of @name count. */
HoldNode *_hold_tree_find   (const HoldTree *self, const HoldNode *parent, const char *name, gsize length,
                             gboolean is_folder);

/* Thread: the one that builds; after the last add and freeze() any. @n_hint: entries to come, for
 *   sizing, 0: unknown. */
HoldTree *_hold_tree_new    (const HoldLimits *limits, guint n_hint);
/* @entry: borrowed, must outlive the tree; its index is the number of entries added before. FALSE:
 *   nested too deeply, or too many folders are implied; the entry then stands in the root under its
 *   whole path. */
gboolean  _hold_tree_add    (HoldTree *self, const HoldEntry *entry);
/* Makes the lists of children and the sums. Nothing may be added afterwards. */
void      _hold_tree_freeze (HoldTree *self);
void      _hold_tree_free   (HoldTree *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldTree, _hold_tree_free)

G_END_DECLS
