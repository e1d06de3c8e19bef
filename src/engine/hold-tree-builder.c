/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Builds the tree: nodes in blocks, folders found by a hash of (parent, name), children in one
 * exact array. Input decides depth and width, so nothing here recurses, and nothing is searched
 * linearly. */

#include "hold-tree-private.h"

#include <string.h>

#define BLOCK_NODES 1024

/* Implied folders cost memory that no entry pays for: a name of 4,095 bytes may imply 2,000. */
#define MIN_IMPLIED 100000
#define IMPLIED_PER_ENTRY 8

static HoldNode *
node_at (HoldTree *self, guint position)
{
  HoldNode *block = g_ptr_array_index (self->blocks, position / BLOCK_NODES);

  return &block[position % BLOCK_NODES];
}

static HoldNode *
add_node (HoldTree *self, HoldNode *parent, const char *name, gboolean is_folder)
{
  if (self->n_nodes % BLOCK_NODES == 0)
    g_ptr_array_add (self->blocks, g_new0 (HoldNode, BLOCK_NODES));

  HoldNode *node = node_at (self, self->n_nodes++);
  node->parent = parent;
  node->name = name;
  node->is_folder = is_folder != FALSE;
  return node;
}

/* Seeded, so that nobody can prepare an archive whose names all fall into one slot. */
static guint32
hash_name (const HoldTree *self, const HoldNode *parent, const char *name, gsize length,
           gboolean is_folder)
{
  guint64 hash = self->seed ^ ((guint64) parent->hash << 32) ^ (is_folder ? 0x5bd1e995u : 0);

  while (length > 0)
    {
      guint64 word = 0;
      gsize n = MIN (length, sizeof word);

      memcpy (&word, name, n);
      hash = (hash ^ word ^ ((guint64) n << 56)) * G_GUINT64_CONSTANT (0x9fb21c651e98df25);
      hash ^= hash >> 32;
      name += n;
      length -= n;
    }
  hash *= G_GUINT64_CONSTANT (0xd6e8feb86659fd93);
  return (guint32) (hash >> 32) ^ (guint32) hash;
}

/* The slot of the node that is looked for, or the free one where it belongs. */
static HoldNode **
find_slot (const HoldTree *self, const HoldNode *parent, const char *name, gsize length,
           gboolean is_folder, guint32 hash)
{
  guint mask = self->table_size - 1;
  guint i = hash & mask;

  for (; self->table[i] != NULL; i = (i + 1) & mask)
    {
      const HoldNode *node = self->table[i];

      if (node->hash == hash && node->parent == parent && node->is_folder == (is_folder != FALSE) &&
          strncmp (node->name, name, length) == 0 && node->name[length] == '\0')
        break;
    }
  return &self->table[i];
}

HoldNode *
_hold_tree_find (const HoldTree *self, const HoldNode *parent, const char *name, gsize length,
                 gboolean is_folder)
{
  guint32 hash = hash_name (self, parent, name, length, is_folder);

  return *find_slot (self, parent, name, length, is_folder, hash);
}

static void
grow_table (HoldTree *self)
{
  guint old_size = self->table_size;
  g_autofree HoldNode **old = g_steal_pointer (&self->table);

  self->table_size = old_size * 2;
  self->table = g_new0 (HoldNode *, self->table_size);
  for (guint i = 0; i < old_size; i++)
    {
      if (old[i] == NULL)
        continue;

      guint slot = old[i]->hash & (self->table_size - 1);
      while (self->table[slot] != NULL)
        slot = (slot + 1) & (self->table_size - 1);
      self->table[slot] = old[i];
    }
}

/* Enters @node, or chains it behind the one that has its place already; then that one is
 * returned. */
static HoldNode *
enter (HoldTree *self, HoldNode *node)
{
  gsize length = strlen (node->name);

  node->hash = hash_name (self, node->parent, node->name, length, node->is_folder);
  HoldNode **slot = find_slot (self, node->parent, node->name, length, node->is_folder, node->hash);
  if (*slot != NULL)
    {
      node->next_same = (*slot)->next_same;
      (*slot)->next_same = node;
      return *slot;
    }

  *slot = node;
  if (++self->n_in_table * 2 > self->table_size)
    grow_table (self);
  return NULL;
}

HoldTree *
_hold_tree_new (const HoldLimits *limits, guint n_hint)
{
  HoldTree *self = g_new0 (HoldTree, 1);

  self->blocks = g_ptr_array_new_with_free_func (g_free);
  self->by_index = g_ptr_array_sized_new (n_hint);
  self->names = g_string_chunk_new (4096);
  self->max_depth = limits->max_depth;
  self->seed = g_random_int ();
  self->table_size = 64;
  while (self->table_size < 1u << 30 && self->table_size / 2 <= n_hint)
    self->table_size *= 2;
  self->table = g_new0 (HoldNode *, self->table_size);
  self->root = add_node (self, NULL, "", TRUE);
  return self;
}

void
_hold_tree_free (HoldTree *self)
{
  g_ptr_array_unref (self->blocks);
  g_ptr_array_unref (self->by_index);
  g_string_chunk_free (self->names);
  g_free (self->children);
  g_free (self->table);
  g_free (self);
}

static gboolean
is_too_deep (const HoldTree *self, const char *path)
{
  guint n_parts = 1;

  while ((path = strchr (path, '/')) != NULL && n_parts <= self->max_depth)
    {
      n_parts++;
      path++;
    }
  return n_parts > self->max_depth;
}

/* The folder that @length bytes of @path name, made where it is missing; NULL beyond the bounds. */
static HoldNode *
require_folder (HoldTree *self, const char *path, gsize length)
{
  if (self->last_folder != NULL && length == self->last_length &&
      memcmp (path, self->last_path, length) == 0)
    return self->last_folder;

  guint max_implied = MAX (MIN_IMPLIED, self->by_index->len * (guint64) IMPLIED_PER_ENTRY);
  HoldNode *folder = self->root;

  for (gsize start = 0; start < length;)
    {
      const char *slash = memchr (path + start, '/', length - start);
      gsize part = slash != NULL ? (gsize) (slash - path) - start : length - start;
      HoldNode *child = _hold_tree_find (self, folder, path + start, part, TRUE);

      if (child == NULL)
        {
          if (self->n_implied >= max_implied)
            return NULL;
          self->n_implied++;
          child = add_node (self, folder,
                            g_string_chunk_insert_len (self->names, path + start, (gssize) part),
                            TRUE);
          enter (self, child);
        }
      folder = child;
      start += part + 1;
    }

  self->last_path = path;
  self->last_length = length;
  self->last_folder = folder;
  return folder;
}

/* A name for a node in the root whose path is beyond all bounds: one part, short, and told apart
 * by its index, which nothing else in it would do. */
static const char *
make_misplaced_name (HoldTree *self, const HoldEntry *entry)
{
  g_autoptr (GString) name = g_string_new (NULL);
  const char *base = hold_path_peek_basename (entry->path);
  gsize length = strlen (base);

  if (length > 100)
    {
      const char *cut = g_utf8_find_prev_char (base, base + 100);
      length = cut != NULL ? (gsize) (cut - base) : 0;
    }
  g_string_append_printf (name, "…%%2F%.*s (%u)", (int) length, base, entry->index);
  return g_string_chunk_insert_len (self->names, name->str, (gssize) name->len);
}

static void
place_outside (HoldTree *self, const HoldEntry *entry)
{
  HoldNode *node = add_node (self, self->root, make_misplaced_name (self, entry),
                             entry->type == HOLD_ENTRY_FOLDER);

  node->entry = entry;
  node->is_misplaced = TRUE;
  node->hash = g_random_int ();
  self->n_misplaced++;
  g_ptr_array_add (self->by_index, node);
}

gboolean
_hold_tree_add (HoldTree *self, const HoldEntry *entry)
{
  const char *path = entry->path;
  const char *name = hold_path_peek_basename (path);
  gboolean is_folder = entry->type == HOLD_ENTRY_FOLDER;
  HoldNode *parent = self->root;

  g_assert (entry->index == self->by_index->len);
  g_assert (self->children == NULL);

  if (name != path)
    parent = is_too_deep (self, path) ? NULL
                                      : require_folder (self, path, (gsize) (name - path) - 1);
  if (parent == NULL)
    {
      place_outside (self, entry);
      return FALSE;
    }

  /* "./" is the root itself, the first time. */
  HoldNode *node = NULL;
  if (is_folder && strcmp (path, ".") == 0)
    node = self->root;
  else if (is_folder)
    node = _hold_tree_find (self, parent, name, strlen (name), TRUE);

  if (node != NULL && node->entry == NULL)
    {
      node->entry = entry;
      if (node != self->root)
        self->n_implied--;
      g_ptr_array_add (self->by_index, node);
      return TRUE;
    }

  if (node == self->root)
    {
      HoldNode *twin = add_node (self, self->root, name, TRUE);
      twin->entry = entry;
      twin->is_hidden = TRUE;
      twin->next_same = self->root->next_same;
      self->root->next_same = twin;
      g_ptr_array_add (self->by_index, self->root);
      return TRUE;
    }

  HoldNode *added = add_node (self, parent, name, is_folder);
  HoldNode *first;
  added->entry = entry;
  first = enter (self, added);
  added->is_hidden = is_folder && first != NULL;
  g_ptr_array_add (self->by_index, added->is_hidden ? first : added);
  return TRUE;
}

static guint64
add_saturated (guint64 a, guint64 b)
{
  return a > G_MAXUINT64 - b ? G_MAXUINT64 : a + b;
}

/* Parents were made before what lies in them, so one pass from the end sums everything up. */
static void
sum_up (HoldTree *self)
{
  for (guint i = self->n_nodes; i-- > 0;)
    {
      HoldNode *node = node_at (self, i);
      guint64 size;

      if (node->entry != NULL)
        {
          if (hold_entry_get_size (node->entry, &size))
            node->size = add_saturated (node->size, size);
          if (hold_entry_get_packed_size (node->entry, &size))
            node->packed = add_saturated (node->packed, size);
        }
      if (node->parent != NULL)
        {
          node->parent->size = add_saturated (node->parent->size, node->size);
          node->parent->packed = add_saturated (node->parent->packed, node->packed);
          node->parent->n_below += node->n_below + (node->entry != NULL && !node->is_hidden);
          if (!node->is_hidden)
            node->parent->n_children++;
        }
    }
}

void
_hold_tree_freeze (HoldTree *self)
{
  sum_up (self);

  self->children = g_new (HoldNode *, self->n_nodes);

  HoldNode **next = self->children;
  for (guint i = 0; i < self->n_nodes; i++)
    {
      HoldNode *node = node_at (self, i);

      node->children = next;
      next += node->n_children;
      node->n_children = 0;
    }
  for (guint i = 1; i < self->n_nodes; i++)
    {
      HoldNode *node = node_at (self, i);

      if (!node->is_hidden)
        node->parent->children[node->parent->n_children++] = node;
    }
  self->last_folder = NULL;
}
