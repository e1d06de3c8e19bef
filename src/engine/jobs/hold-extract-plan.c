/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* First step of an extraction: every entry gets a name below the destination, without a look at the
 * disk. Unsafe names are refused here, and clashes inside the archive found, so that no entry
 * silently replaces another. */

#include "hold-extract-run.h"

#include <string.h>

/* Where the part behind the first @n_parts parts of @path begins. */
static const char *
skip_parts (const char *path, guint n_parts)
{
  for (; n_parts > 0 && path != NULL; n_parts--)
    {
      path = strchr (path, '/');
      if (path != NULL)
        path++;
    }
  return path != NULL ? path : "";
}

/* The name below the folder shown; entries outside it keep their whole path. Display path and disk
 * path have the same parts, only undecodable bytes in them differ. */
static const char *
cut_base (const HoldEntry *entry, const char *base, guint n_base_parts)
{
  const char *path = hold_entry_get_path (entry);
  gsize length = strlen (base);

  if (length == 0 || strncmp (path, base, length) != 0)
    return hold_entry_get_disk_path (entry);
  if (path[length] == '\0')
    return "";
  if (path[length] != '/')
    return hold_entry_get_disk_path (entry);
  return skip_parts (hold_entry_get_disk_path (entry), n_base_parts);
}

/* The name below the roots; entries outside of all keep their whole path. */
static const char *
cut_roots (HoldExtractRun *run, const HoldEntry *entry)
{
  g_autofree char *name = hold_extract_roots_dup_name (run->request->roots, entry);

  return name != NULL ? g_string_chunk_insert (run->strings, name)
                      : hold_entry_get_disk_path (entry);
}

static guint
count_parts (const char *path)
{
  guint n = *path != '\0';

  for (; *path != '\0'; path++)
    n += *path == '/';
  return n;
}

static void
refuse (HoldExtractRun *run, HoldExtractItem *item, const char *why)
{
  g_autoptr (GError) error = g_error_new (HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME, "%s", why);

  hold_extract_settle_bad (run, item, HOLD_OUTCOME_REFUSED, error);
  hold_job_add_entries (run->job, 1);
}

/* NULL: safe. The first reason counts. */
static const char *
why_unsafe (const HoldExtractItem *item)
{
  HoldUnsafe unsafe = hold_entry_get_unsafe (item->entry);

  if (unsafe & HOLD_UNSAFE_DOTDOT)
    return "its name leads out of the destination (“..”)";
  if (unsafe & HOLD_UNSAFE_SPECIAL || item->type == HOLD_ENTRY_OTHER)
    return "it is a device, a pipe or a socket";
  if (unsafe & HOLD_UNSAFE_EMPTY)
    return "it has no name";
  if (unsafe & HOLD_UNSAFE_TOO_LONG)
    return "its name is too long for a disk";
  if (unsafe & HOLD_UNSAFE_LINK_ESCAPE)
    return "the link leads out of the destination";

  /* A link may stay inside the archive and yet leave the folder that it is taken out of. */
  const char *target = hold_entry_get_link_target (item->entry);
  const char *disk_target = hold_entry_get_disk_link_target (item->entry);

  if (item->type == HOLD_ENTRY_SYMLINK
      && ((target != NULL && !hold_path_link_stays_inside (item->name, target))
          || (disk_target != NULL && !hold_path_link_stays_inside (item->name, disk_target))))
    return "the link leads out of the destination";
  return NULL;
}

static void
add_item (HoldExtractRun *run, guint index, const char *base, guint n_base_parts)
{
  HoldExtractItem item = { .index = index, .source = index, .link_to = G_MAXUINT };

  item.entry = hold_archive_get_entry (run->archive, index);
  if (item.entry == NULL)
    return;
  item.type = (guint8) hold_entry_get_type (item.entry);
  item.name = run->request->roots != NULL ? cut_roots (run, item.entry)
                                          : cut_base (item.entry, base, n_base_parts);
  g_array_append_val (run->items, item);

  HoldExtractItem *added = hold_extract_item (run, run->items->len - 1);
  const char *why = why_unsafe (added);

  if (why != NULL)
    refuse (run, added, why);
  else if (*item.name == '\0' || g_str_equal (item.name, "."))
    /* The folder that stands for the destination itself: it is there, and its mode is the person's
     * own (X07). */
    added->name = "";
}

/* Notes the folders that @name lies in. Most neighbours lie in the same one, so @last, the deepest
 * one of the name before, spares the walk. */
static void
add_parents (HoldExtractRun *run, const char *name, const char **last)
{
  gsize length = strlen (name);
  gboolean is_deepest = TRUE;

  for (;;)
    {
      gpointer key;

      while (length > 0 && name[length - 1] != '/')
        length--;
      if (length == 0)
        return;
      length--;
      if (is_deepest && *last != NULL && strncmp (*last, name, length) == 0
          && (*last)[length] == '\0')
        return;

      g_autofree char *parent = g_strndup (name, length);
      gboolean is_known = g_hash_table_lookup_extended (run->names, parent, &key, NULL);

      if (!is_known)
        {
          key = g_string_chunk_insert (run->strings, parent);
          g_hash_table_insert (run->names, key, GUINT_TO_POINTER (G_MAXUINT));
        }
      if (is_deepest)
        *last = key;
      if (is_known)
        return;
      is_deepest = FALSE;
      name = key;
    }
}

/* A million entries take long enough for somebody to change their mind. */
static gboolean
may_go_on (HoldExtractRun *run, guint position, GError **error)
{
  return position % 1024 != 0 || hold_job_checkpoint (run->job, error);
}

static gboolean
collect_folders (HoldExtractRun *run, GError **error)
{
  const char *last = NULL;

  for (guint i = 0; i < run->items->len; i++)
    {
      HoldExtractItem *item = hold_extract_item (run, i);

      if (!may_go_on (run, i, error))
        return FALSE;
      if (item->state != HOLD_ITEM_PENDING || *item->name == '\0')
        continue;
      add_parents (run, item->name, &last);
      if (item->type == HOLD_ENTRY_FOLDER)
        g_hash_table_insert (run->names, (gpointer) item->name, GUINT_TO_POINTER (G_MAXUINT));
    }
  return TRUE;
}

/* What a disk that ignores case and composition of letters may take for the same name, as a number:
 * two names that meet by chance are merely treated with more care than they need. */
static gpointer
fold_name (const char *name)
{
  guint64 hash = G_GUINT64_CONSTANT (14695981039346656037);
  g_autofree char *folded = NULL;
  g_autofree char *text = NULL;

  if (g_str_is_ascii (name))
    {
      text = g_ascii_strdown (name, -1);
    }
  else if (g_utf8_validate (name, -1, NULL))
    {
      folded = g_utf8_casefold (name, -1);
      text = g_utf8_normalize (folded, -1, G_NORMALIZE_NFD);
    }

  for (const char *byte = text != NULL ? text : name; *byte != '\0'; byte++)
    hash = (hash ^ (guint8) *byte) * G_GUINT64_CONSTANT (1099511628211);
  return (gpointer) (guintptr) (hash | 1);
}

/* Who asked for overwriting gets what every other program leaves: the last entry of a name, as in a
 * tar that was appended to. */
static gboolean
give_way (HoldExtractRun *run, guint earlier)
{
  if (run->request->conflict != HOLD_CONFLICT_OVERWRITE || earlier == G_MAXUINT)
    return FALSE;

  HoldExtractItem *item = hold_extract_item (run, earlier - 1);
  g_autoptr (GError)
    error = g_error_new (G_IO_ERROR, G_IO_ERROR_EXISTS,
                         "a later entry of the archive has the same name and took its place");

  hold_extract_settle_bad (run, item, HOLD_OUTCOME_CHANGED, error);
  hold_job_add_entries (run->job, 1);
  return TRUE;
}

/* Files beside files, and files beside folders, of one name. The folder keeps the name, then the
 * first file. */
static gboolean
find_clashes (HoldExtractRun *run, GError **error)
{
  g_autoptr (GHashTable) folded = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer folder;

  g_hash_table_iter_init (&iter, run->names);
  while (g_hash_table_iter_next (&iter, &folder, NULL))
    g_hash_table_insert (folded, fold_name (folder), GUINT_TO_POINTER (G_MAXUINT));

  for (guint i = 0; i < run->items->len; i++)
    {
      HoldExtractItem *item = hold_extract_item (run, i);

      if (!may_go_on (run, i, error))
        return FALSE;
      if (item->state != HOLD_ITEM_PENDING || item->type == HOLD_ENTRY_FOLDER)
        continue;

      guint earlier = GPOINTER_TO_UINT (g_hash_table_lookup (run->names, item->name));

      if (earlier != 0 && !give_way (run, earlier))
        {
          item->is_second = TRUE;
          continue;
        }
      g_hash_table_insert (run->names, (gpointer) item->name, GUINT_TO_POINTER (i + 1));

      gpointer fold = fold_name (item->name);

      item->twin = earlier == 0 ? GPOINTER_TO_UINT (g_hash_table_lookup (folded, fold)) : 0;
      if (item->twin == 0)
        g_hash_table_insert (folded, fold, GUINT_TO_POINTER (i + 1));
    }
  return TRUE;
}

/* Archives made on a Mac carry a shadow tree of this name; it makes no second top item (X04). */
#define MAC_SHADOW "__MACOSX"

static void
find_top (HoldExtractRun *run)
{
  g_autoptr (GHashTable) tops = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const char *last = "";
  gsize last_length = 0;
  gboolean is_folder = FALSE;

  for (guint i = 0; i < run->items->len; i++)
    {
      const HoldExtractItem *item = hold_extract_item (run, i);
      gsize length = strcspn (item->name, "/");

      if (item->state != HOLD_ITEM_PENDING || length == 0)
        continue;
      if (length == last_length && strncmp (item->name, last, length) == 0)
        continue;
      last = item->name;
      last_length = length;

      g_autofree char *top = g_strndup (item->name, length);

      if (g_str_equal (top, MAC_SHADOW))
        continue;
      is_folder = GPOINTER_TO_UINT (g_hash_table_lookup (run->names, top)) == G_MAXUINT;
      /* Two files of one name are two items. */
      if (!is_folder && g_hash_table_contains (tops, top))
        run->n_top = MAX (run->n_top, 2);
      g_hash_table_add (tops, g_steal_pointer (&top));
    }

  run->n_top = MAX (run->n_top, g_hash_table_size (tops));
  if (run->n_top == 1 && is_folder)
    {
      GHashTableIter iter;
      gpointer top;

      g_hash_table_iter_init (&iter, tops);
      g_hash_table_iter_next (&iter, &top, NULL);
      run->top_folder = g_strdup (top);
    }
}

/**
 * hold_extract_plan:
 * @run: its items, names and top are filled in
 *
 * Thread: the job's worker. Blocks: no more than the number of entries asks for. Errors:
 * G_IO_ERROR_CANCELLED.
 */
gboolean
hold_extract_plan (HoldExtractRun *run, GError **error)
{
  const HoldExtractRequest *request = run->request;
  HoldUnsafe unsafe = HOLD_UNSAFE_NONE;
  g_autofree char *base = hold_path_normalise (request->base, &unsafe);
  guint n_base_parts = count_parts (base);

  guint n = request->indices != NULL ? request->indices->len
                                     : hold_archive_get_n_entries (run->archive);

  for (guint i = 0; i < n; i++)
    {
      if (!may_go_on (run, i, error))
        return FALSE;
      add_item (run, request->indices != NULL ? g_array_index (request->indices, guint, i) : i,
                base, n_base_parts);
    }

  if (!collect_folders (run, error) || !find_clashes (run, error))
    return FALSE;
  find_top (run);
  return TRUE;
}
