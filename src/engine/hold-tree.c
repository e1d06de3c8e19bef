/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Answers of a frozen tree. Depth is up to the archive, so nothing here recurses. */

#include "hold-tree-private.h"

#include <string.h>

#include "hold-indices.h"

/** hold_tree_get_root: Thread: any. Blocks: no. Returns: borrowed. */
HoldNode *
hold_tree_get_root (HoldTree *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->root;
}

/**
 * hold_tree_get_node:
 * @entry_index: less than the number of entries
 *
 * Of a folder that is stored twice both entries give the same node. Thread: any. Blocks: no.
 */
HoldNode *
hold_tree_get_node (HoldTree *self, guint entry_index)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (entry_index < self->by_index->len, NULL);

  return g_ptr_array_index (self->by_index, entry_index);
}

static HoldNode *
find_misplaced (HoldTree *self, const char *path)
{
  if (self->n_misplaced == 0)
    return NULL;

  for (guint i = 0; i < self->root->n_children; i++)
    {
      HoldNode *node = self->root->children[i];

      if (node->is_misplaced &&
          (strcmp (node->entry->path, path) == 0 || strcmp (node->name, path) == 0))
        return node;
    }
  return NULL;
}

/* The folder, and the first of what is no folder, at @path. */
static void
look_up (HoldTree *self, const char *path, HoldNode **folder, HoldNode **other)
{
  HoldNode *parent = self->root;
  gsize left = strlen (path);

  *folder = NULL;
  *other = NULL;
  while (left > 0 && path[left - 1] == '/')
    left--;
  if (left == 0 || (left == 1 && *path == '.'))
    {
      *folder = self->root;
      *other = _hold_tree_find (self, self->root, ".", 1, FALSE);
      return;
    }

  while (parent != NULL)
    {
      const char *slash = memchr (path, '/', left);
      gsize part = slash != NULL ? (gsize) (slash - path) : left;

      if (slash == NULL)
        *other = _hold_tree_find (self, parent, path, part, FALSE);
      parent = _hold_tree_find (self, parent, path, part, TRUE);
      if (slash == NULL)
        break;
      path += part + 1;
      left -= part + 1;
    }
  *folder = parent;
}

/**
 * hold_tree_lookup:
 *
 * See the header. "" and "." are the root. Thread: any. Blocks: no.
 */
HoldNode *
hold_tree_lookup (HoldTree *self, const char *path)
{
  g_return_val_if_fail (self != NULL && path != NULL, NULL);

  HoldNode *folder, *other;

  look_up (self, path, &folder, &other);
  if (folder != NULL)
    return folder;
  return other != NULL ? other : find_misplaced (self, path);
}

const char *
hold_node_get_name (HoldNode *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->name;
}

/**
 * hold_node_dup_path: "" for the root; what hold_tree_lookup() takes. Thread: any. Blocks: no.
 */
char *
hold_node_dup_path (HoldNode *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  gsize length = 0;

  if (self->is_misplaced)
    return g_strdup (self->entry->path);
  for (const HoldNode *node = self; node->parent != NULL; node = node->parent)
    length += strlen (node->name) + 1;
  if (length == 0)
    return g_strdup ("");

  char *path = g_malloc (length);
  char *end = path + length - 1;
  *end = '\0';
  for (const HoldNode *node = self; node->parent != NULL; node = node->parent)
    {
      gsize part = strlen (node->name);

      end -= part;
      memcpy (end, node->name, part);
      if (end > path)
        *--end = '/';
    }
  return path;
}

const HoldEntry *
hold_node_get_entry (HoldNode *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->entry;
}

HoldNode *
hold_node_get_parent (HoldNode *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->parent;
}

gboolean
hold_node_is_folder (HoldNode *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->is_folder;
}

guint
hold_node_get_n_children (HoldNode *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_children;
}

HoldNode *
hold_node_get_child (HoldNode *self, guint position)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (position < self->n_children, NULL);

  return self->children[position];
}

guint
hold_node_get_n_below (HoldNode *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_below;
}

guint64
hold_node_get_size (HoldNode *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->size;
}

guint64
hold_node_get_packed_size (HoldNode *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->packed;
}

static void
append_index (GArray *indices, const HoldEntry *entry)
{
  if (entry != NULL)
    g_array_append_val (indices, entry->index);
}

/* Of a folder that is stored several times every entry is meant, of a file only this one. */
static void
append_node (GArray *indices, const HoldNode *node)
{
  append_index (indices, node->entry);
  if (!node->is_folder)
    return;

  for (node = node->next_same; node != NULL; node = node->next_same)
    append_index (indices, node->entry);
}

static void
append_below (GArray *indices, HoldNode *top)
{
  g_autoptr (GPtrArray) pending = g_ptr_array_new ();

  append_node (indices, top);
  g_ptr_array_add (pending, top);
  while (pending->len > 0)
    {
      HoldNode *folder = g_ptr_array_steal_index_fast (pending, pending->len - 1);

      for (guint i = 0; i < folder->n_children; i++)
        {
          append_node (indices, folder->children[i]);
          if (folder->children[i]->n_children > 0)
            g_ptr_array_add (pending, folder->children[i]);
        }
    }
}

/* Makes @indices sorted and unique again, of which the first @n_sorted are already. Mostly that is
 * a glance: whoever selects in archive order only ever appends. */
static void
tidy (GArray *indices, guint n_sorted)
{
  guint *all = (guint *) (gpointer) indices->data;
  gboolean is_tidy = TRUE;

  for (guint i = MAX (n_sorted, 1); i < indices->len && is_tidy; i++)
    is_tidy = all[i - 1] < all[i];
  if (is_tidy)
    return;

  /* One index between many: cheaper to move the others than to sort them, 20,000 times over. */
  if (indices->len == n_sorted + 1)
    {
      guint index = all[n_sorted];
      guint low = 0, high = n_sorted;

      while (low < high)
        {
          guint middle = low + (high - low) / 2;
          if (all[middle] < index)
            low = middle + 1;
          else
            high = middle;
        }
      g_array_set_size (indices, n_sorted);
      if (low == n_sorted || all[low] != index)
        g_array_insert_val (indices, low, index);
      return;
    }

  hold_indices_tidy (indices);
}

/**
 * hold_node_collect:
 * @indices: (inout): GArray of guint, sorted and unique or empty; is so afterwards
 *
 * Adds the node's own entries and all below. Of files of one name only this one is meant.
 * Thread: any. Blocks: no.
 */
void
hold_node_collect (HoldNode *self, GArray *indices)
{
  g_return_if_fail (self != NULL && indices != NULL);

  guint n_sorted = indices->len;

  append_below (indices, self);
  tidy (indices, n_sorted);
}

/**
 * hold_tree_collect:
 *
 * See the header. If a path names nothing, the entries of those before it are in @indices already.
 * Thread: any. Blocks: no.
 */
const char *
hold_tree_collect (HoldTree *self, const char * const *paths, GArray *indices)
{
  g_return_val_if_fail (self != NULL && paths != NULL && indices != NULL, NULL);

  const char *missing = NULL;
  guint n_sorted = indices->len;

  for (; *paths != NULL && missing == NULL; paths++)
    {
      HoldNode *folder, *other;

      look_up (self, *paths, &folder, &other);
      if (folder == NULL && other == NULL)
        other = find_misplaced (self, *paths);
      if (folder == NULL && other == NULL)
        missing = *paths;
      if (folder != NULL)
        append_below (indices, folder);
      for (; other != NULL; other = other->next_same)
        append_index (indices, other->entry);
    }
  tidy (indices, n_sorted);
  return missing;
}
