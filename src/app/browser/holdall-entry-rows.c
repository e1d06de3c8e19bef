/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Sorting by keys that are made once: a comparison is one of two numbers, at worst of two
 * strings, and never makes text. */

#include "config.h"

#include <string.h>

#include "holdall-entry-rows.h"

/* Between two looks at the cancellable. */
#define CHECK_EVERY 4096

typedef struct {
  HoldNode *node;
  const char *name_key;  /* in keys */
  guint64 number;        /* what the column sorts by; 0 if all rows are equal in it */
  guint sequence;        /* position before sorting */
} Row;

/* Keys are long-lived memory that successive orders of the same rows share. */
typedef struct {
  GStringChunk *chunk;
} Keys;

struct _HoldallEntryRows {
  gatomicrefcount ref_count;
  HoldArchive *archive;
  HoldNode *folder;
  HoldallQuery *query;
  Row *rows;
  guint n_rows;
  guint64 size_bytes;
  Keys *keys;
};

HoldallQuery *
holdall_query_copy (const HoldallQuery *self)
{
  HoldallQuery *copy;

  if (self == NULL)
    return NULL;
  copy = g_new0 (HoldallQuery, 1);
  copy->text = g_strdup (self->text);
  copy->is_glob = self->is_glob;
  copy->case_sensitive = self->case_sensitive;
  return copy;
}

void
holdall_query_free (HoldallQuery *self)
{
  g_free (self->text);
  g_free (self);
}

static gboolean
query_equal (const HoldallQuery *a,
             const HoldallQuery *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  return strcmp (a->text, b->text) == 0 && a->is_glob == b->is_glob &&
         a->case_sensitive == b->case_sensitive;
}

static void
keys_clear (gpointer data)
{
  Keys *keys = data;

  g_string_chunk_free (keys->chunk);
}

/* Matching */

typedef struct {
  const HoldallQuery *query;
  char *needle;            /* folded unless case counts */
  GPatternSpec *pattern;   /* (nullable) */
  gboolean whole_path;
} Matcher;

/* One spelling for what looks the same: composed, and without case unless it counts. */
static char *
fold (const char *text,
      gboolean    case_sensitive)
{
  g_autofree char *folded = NULL;

  if (g_str_is_ascii (text))
    return case_sensitive ? g_strdup (text) : g_ascii_strdown (text, -1);
  folded = case_sensitive ? g_strdup (text) : g_utf8_casefold (text, -1);
  return g_utf8_normalize (folded, -1, G_NORMALIZE_DEFAULT_COMPOSE);
}

static void
matcher_init (Matcher            *self,
              const HoldallQuery *query)
{
  self->query = query;
  self->needle = fold (query->text, query->case_sensitive);
  self->whole_path = strchr (query->text, '/') != NULL;
  self->pattern = NULL;
  if (query->is_glob && strpbrk (query->text, "*?") != NULL)
    self->pattern = g_pattern_spec_new (self->needle);
}

static void
matcher_clear (Matcher *self)
{
  g_clear_pointer (&self->needle, g_free);
  g_clear_pointer (&self->pattern, g_pattern_spec_free);
}

static gboolean
matcher_matches (const Matcher *self,
                 HoldNode      *node)
{
  g_autofree char *path = self->whole_path ? hold_node_dup_path (node) : NULL;
  const char *text = path != NULL ? path : hold_node_get_name (node);
  g_autofree char *folded = NULL;

  if (text == NULL)
    return FALSE;
  folded = fold (text, self->query->case_sensitive);
  if (self->pattern != NULL)
    return g_pattern_spec_match_string (self->pattern, folded);
  return strstr (folded, self->needle) != NULL;
}

/* Which nodes */

static gboolean
collect_children (GArray       *rows,
                  HoldNode     *folder,
                  GCancellable *cancellable)
{
  guint n_children = hold_node_get_n_children (folder);

  for (guint i = 0; i < n_children; i++)
    {
      Row row = { .node = hold_node_get_child (folder, i), .sequence = rows->len };

      if (i % CHECK_EVERY == 0 && g_cancellable_is_cancelled (cancellable))
        return FALSE;
      g_array_append_val (rows, row);
    }
  return TRUE;
}

static gboolean
collect_matches (GArray             *rows,
                 HoldNode           *root,
                 const HoldallQuery *query,
                 GCancellable       *cancellable)
{
  /* A stack of our own: the depth of the tree is the archive's choice. */
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  guint n_seen = 0;
  gboolean completed = TRUE;
  Matcher matcher;

  matcher_init (&matcher, query);
  g_ptr_array_add (stack, root);
  while (stack->len > 0 && completed)
    {
      HoldNode *folder = g_ptr_array_steal_index_fast (stack, stack->len - 1);
      guint n_children = hold_node_get_n_children (folder);

      for (guint i = 0; i < n_children && completed; i++)
        {
          HoldNode *node = hold_node_get_child (folder, i);

          if (n_seen++ % CHECK_EVERY == 0 && g_cancellable_is_cancelled (cancellable))
            completed = FALSE;
          if (matcher_matches (&matcher, node))
            {
              Row row = { .node = node, .sequence = rows->len };

              g_array_append_val (rows, row);
            }
          if (hold_node_get_n_children (node) > 0)
            g_ptr_array_add (stack, node);
        }
    }
  matcher_clear (&matcher);
  return completed;
}

/* Keys */

static gboolean
make_name_keys (HoldallEntryRows *self,
                GCancellable     *cancellable)
{
  self->keys = g_atomic_rc_box_new0 (Keys);
  self->keys->chunk = g_string_chunk_new (64 * 1024);
  for (guint i = 0; i < self->n_rows; i++)
    {
      g_autofree char *key = hold_path_collation_key (hold_node_get_name (self->rows[i].node));

      if (i % CHECK_EVERY == 0 && g_cancellable_is_cancelled (cancellable))
        return FALSE;
      self->rows[i].name_key = g_string_chunk_insert (self->keys->chunk, key);
    }
  return TRUE;
}

static const char *
get_column_text (HoldNode        *node,
                 HoldallColumnId  column)
{
  const HoldEntry *entry = hold_node_get_entry (node);

  if (column == HOLDALL_COLUMN_TYPE)
    return holdall_type_info_for_node (node)->description;
  if (entry == NULL)
    return NULL;
  return column == HOLDALL_COLUMN_METHOD ? hold_entry_get_method (entry)
                                         : hold_entry_get_comment (entry);
}

static int
compare_texts (gconstpointer a,
               gconstpointer b)
{
  return g_utf8_collate (*(const char * const *) a, *(const char * const *) b);
}

/* Texts of a column repeat a lot, so they are ranked once and rows compare ranks. No text is 0. */
static void
rank_texts (HoldallEntryRows *self,
            HoldallColumnId   column)
{
  g_autoptr (GHashTable) ranks = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) texts = g_ptr_array_new ();

  for (guint i = 0; i < self->n_rows; i++)
    {
      const char *text = get_column_text (self->rows[i].node, column);

      if (text != NULL && g_hash_table_add (ranks, (gpointer) text))
        g_ptr_array_add (texts, (gpointer) text);
    }
  g_ptr_array_sort (texts, compare_texts);
  for (guint i = 0; i < texts->len; i++)
    g_hash_table_insert (ranks, g_ptr_array_index (texts, i), GUINT_TO_POINTER (i + 1));
  for (guint i = 0; i < self->n_rows; i++)
    {
      const char *text = get_column_text (self->rows[i].node, column);

      self->rows[i].number = text != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (ranks, text)) : 0;
    }
}

/* Results of a search by the folder they lie in: folders rank in the order of their paths. */
static void
rank_folders (HoldallEntryRows *self)
{
  g_autoptr (GHashTable) ranks = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) parents = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < self->n_rows; i++)
    {
      HoldNode *parent = hold_node_get_parent (self->rows[i].node);

      if (parent != NULL && g_hash_table_add (ranks, parent))
        {
          char *path = hold_node_dup_path (parent);

          g_ptr_array_add (paths, path);
          g_hash_table_insert (parents, path, parent);
        }
    }
  g_ptr_array_sort (paths, compare_texts);
  for (guint i = 0; i < paths->len; i++)
    {
      gpointer parent = g_hash_table_lookup (parents, g_ptr_array_index (paths, i));

      g_hash_table_insert (ranks, parent, GUINT_TO_POINTER (i + 1));
    }
  for (guint i = 0; i < self->n_rows; i++)
    self->rows[i].number =
      GPOINTER_TO_UINT (g_hash_table_lookup (ranks, hold_node_get_parent (self->rows[i].node)));
}

/* What is not recorded sorts below everything that is, hence the + 1. */
static guint64
get_column_number (HoldNode        *node,
                   HoldallColumnId  column)
{
  const HoldEntry *entry = hold_node_get_entry (node);
  guint64 size_bytes;
  gint64 seconds;
  guint nanoseconds;
  guint mode;
  guint32 crc;

  if (column == HOLDALL_COLUMN_SIZE)
    return hold_node_get_size (node);
  if (column == HOLDALL_COLUMN_PACKED)
    return hold_node_get_packed_size (node);
  if (column == HOLDALL_COLUMN_RATIO)
    {
      size_bytes = hold_node_get_size (node);
      return size_bytes == 0 ? 0
                             : 1 + (guint64) ((double) hold_node_get_packed_size (node) * 1e6 /
                                              (double) size_bytes);
    }
  if (entry == NULL)
    return 0;
  switch (column)
    {
    case HOLDALL_COLUMN_POSITION:
      return (guint64) hold_entry_get_index (entry) + 1;
    case HOLDALL_COLUMN_MODIFIED:
      if (!hold_entry_get_mtime (entry, &seconds, &nanoseconds))
        return 0;
      /* Moves the signed range onto the unsigned one. */
      return (guint64) seconds ^ ((guint64) 1 << 63);
    case HOLDALL_COLUMN_CRC:
      return hold_entry_get_crc32 (entry, &crc) ? (guint64) crc + 1 : 0;
    case HOLDALL_COLUMN_MODE:
      return hold_entry_get_mode (entry, &mode) ? (guint64) mode + 1 : 0;
    case HOLDALL_COLUMN_ENCRYPTED:
      return hold_entry_is_encrypted (entry) ? 1 : 0;
    case HOLDALL_COLUMN_STREAMED:
      return hold_entry_is_streamed (entry) ? 1 : 0;
    default:
      return 0;
    }
}

static void
make_numbers (HoldallEntryRows *self,
              HoldallColumnId   column)
{
  switch (column)
    {
    case HOLDALL_COLUMN_TYPE:
    case HOLDALL_COLUMN_METHOD:
    case HOLDALL_COLUMN_COMMENT:
      rank_texts (self, column);
      return;
    case HOLDALL_COLUMN_FOLDER:
      rank_folders (self);
      return;
    default:
      for (guint i = 0; i < self->n_rows; i++)
        self->rows[i].number = get_column_number (self->rows[i].node, column);
      return;
    }
}

/* Order */

static int
compare_rows (gconstpointer a,
              gconstpointer b,
              gpointer      user_data)
{
  const HoldallOrder *order = user_data;
  const Row *row_a = a;
  const Row *row_b = b;
  gboolean by_name = order->column == HOLDALL_COLUMN_NAME;
  int result = 0;

  /* Folders stay first, whichever way the rest runs. */
  if (order->folders_first)
    {
      result = hold_node_is_folder (row_b->node) - hold_node_is_folder (row_a->node);
      if (result != 0)
        return result;
    }
  if (row_a->number != row_b->number)
    result = row_a->number < row_b->number ? -1 : 1;
  if (result == 0 && by_name)
    result = strcmp (row_a->name_key, row_b->name_key);
  if (result != 0)
    return order->descending ? -result : result;
  if (!by_name)
    result = strcmp (row_a->name_key, row_b->name_key);
  if (result == 0)
    result = row_a->sequence < row_b->sequence ? -1 : 1;
  return result;
}

static gboolean
collect (HoldallEntryRows *self,
         HoldallEntryRows *old,
         GCancellable     *cancellable)
{
  g_autoptr (GArray) rows = NULL;

  if (old != NULL && old->archive == self->archive && old->folder == self->folder &&
      query_equal (old->query, self->query))
    {
      self->rows = g_memdup2 (old->rows, old->n_rows * sizeof (Row));
      self->n_rows = old->n_rows;
      self->keys = g_atomic_rc_box_acquire (old->keys);
      return TRUE;
    }

  rows = g_array_new (FALSE, FALSE, sizeof (Row));
  if (self->query != NULL)
    {
      HoldNode *root = hold_tree_get_root (hold_archive_get_tree (self->archive));

      if (!collect_matches (rows, root, self->query, cancellable))
        return FALSE;
    }
  else if (self->folder != NULL && !collect_children (rows, self->folder, cancellable))
    {
      return FALSE;
    }
  self->n_rows = rows->len;
  self->rows = (gpointer) g_array_free (g_steal_pointer (&rows), FALSE);
  return make_name_keys (self, cancellable);
}

HoldallEntryRows *
holdall_entry_rows_new (HoldArchive        *archive,
                        HoldNode           *folder,
                        const HoldallQuery *query,
                        const HoldallOrder *order,
                        HoldallEntryRows   *old,
                        GCancellable       *cancellable)
{
  g_autoptr (HoldallEntryRows) self = g_new0 (HoldallEntryRows, 1);

  g_return_val_if_fail (HOLD_IS_ARCHIVE (archive), NULL);
  g_return_val_if_fail (order != NULL, NULL);

  g_atomic_ref_count_init (&self->ref_count);
  self->archive = g_object_ref (archive);
  self->folder = folder;
  self->query = holdall_query_copy (query);
  if (!collect (self, old, cancellable))
    return NULL;

  make_numbers (self, order->column);
  if (g_cancellable_is_cancelled (cancellable))
    return NULL;
  if (self->n_rows > 1)
    g_qsort_with_data (self->rows, (int) self->n_rows, sizeof (Row), compare_rows, (gpointer) order);
  for (guint i = 0; i < self->n_rows; i++)
    self->size_bytes += hold_node_get_size (self->rows[i].node);
  return g_steal_pointer (&self);
}

HoldallEntryRows *
holdall_entry_rows_ref (HoldallEntryRows *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
holdall_entry_rows_unref (HoldallEntryRows *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_clear_object (&self->archive);
  g_clear_pointer (&self->query, holdall_query_free);
  g_clear_pointer (&self->rows, g_free);
  if (self->keys != NULL)
    g_atomic_rc_box_release_full (self->keys, keys_clear);
  g_free (self);
}

guint
holdall_entry_rows_get_n_rows (HoldallEntryRows *self)
{
  return self->n_rows;
}

HoldNode *
holdall_entry_rows_get_node (HoldallEntryRows *self,
                             guint             position)
{
  return position < self->n_rows ? self->rows[position].node : NULL;
}

HoldArchive *
holdall_entry_rows_get_archive (HoldallEntryRows *self)
{
  return self->archive;
}

guint64
holdall_entry_rows_get_size (HoldallEntryRows *self)
{
  return self->size_bytes;
}
