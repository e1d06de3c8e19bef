/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Finds the root of an entry by asking for its path and the folders above it in turn. */

#include "config.h"

#include "hold-extract-roots.h"

#include <string.h>

struct _HoldExtractRoots
{
  gatomicrefcount ref_count;
  GPtrArray *paths;    /* char *, without those that lie below another */
  GHashTable *numbers; /* path, borrowed → its position in @paths, from 1 on */
  gboolean has_shelves;
};

static guint
count_slashes (const char *path)
{
  guint n = 0;

  for (; *path != '\0'; path++)
    n += *path == '/';
  return n;
}

static const char *
skip_parts (const char *path,
            guint       n_parts)
{
  for (; n_parts > 0; n_parts--)
    {
      const char *slash = strchr (path, '/');

      if (slash == NULL)
        return path;
      path = slash + 1;
    }
  return path;
}

/* Number of the root that @path is or lies below; 0: none. */
static guint
find_root (HoldExtractRoots *self,
           const char       *path)
{
  g_autofree char *folder = g_strdup (path);
  char *slash;

  for (;;)
    {
      guint number = GPOINTER_TO_UINT (g_hash_table_lookup (self->numbers, folder));

      if (number != 0)
        return number;
      slash = strrchr (folder, '/');
      if (slash == NULL)
        return 0;
      *slash = '\0';
    }
}

/* Is a folder of @path among @all? */
static gboolean
is_below_any (const char *path,
              GHashTable *all)
{
  g_autofree char *folder = g_strdup (path);
  char *slash;

  while ((slash = strrchr (folder, '/')) != NULL)
    {
      *slash = '\0';
      if (g_hash_table_contains (all, folder))
        return TRUE;
    }
  return FALSE;
}

/* Names that differ by case alone are one name on some disks. */
static gboolean
have_twins (GPtrArray *paths)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < paths->len; i++)
    {
      const char *path = g_ptr_array_index (paths, i);
      const char *slash = strrchr (path, '/');

      if (!g_hash_table_add (names, g_utf8_casefold (slash != NULL ? slash + 1 : path, -1)))
        return TRUE;
    }
  return FALSE;
}

HoldExtractRoots *
hold_extract_roots_new (const char * const *paths,
                        gboolean            shelves)
{
  HoldExtractRoots *self = g_new0 (HoldExtractRoots, 1);
  g_autoptr (GHashTable) all = g_hash_table_new (g_str_hash, g_str_equal);

  g_atomic_ref_count_init (&self->ref_count);
  self->paths = g_ptr_array_new_with_free_func (g_free);
  self->numbers = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; paths[i] != NULL; i++)
    g_hash_table_add (all, (gpointer) paths[i]);
  for (guint i = 0; paths[i] != NULL; i++)
    {
      char *path;

      if (is_below_any (paths[i], all) || g_hash_table_contains (self->numbers, paths[i]))
        continue;
      path = g_strdup (paths[i]);
      g_ptr_array_add (self->paths, path);
      g_hash_table_insert (self->numbers, path, GUINT_TO_POINTER (self->paths->len));
    }

  /* All of them, so that no root can have the name of a shelf. */
  self->has_shelves = shelves && have_twins (self->paths);
  return self;
}

HoldExtractRoots *
hold_extract_roots_ref (HoldExtractRoots *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

HoldExtractRoots *
hold_extract_roots_to_flat (HoldExtractRoots *self)
{
  g_autoptr (GPtrArray) paths = NULL;

  if (!self->has_shelves)
    return hold_extract_roots_ref (self);
  paths = g_ptr_array_copy (self->paths, NULL, NULL);
  g_ptr_array_set_free_func (paths, NULL);
  g_ptr_array_add (paths, NULL);
  return hold_extract_roots_new ((const char * const *) paths->pdata, FALSE);
}

void
hold_extract_roots_unref (HoldExtractRoots *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_hash_table_unref (self->numbers);
  g_ptr_array_unref (self->paths);
  g_free (self);
}

gboolean
hold_extract_roots_equal (HoldExtractRoots *self,
                          HoldExtractRoots *other)
{
  if (self->has_shelves != other->has_shelves || self->paths->len != other->paths->len)
    return FALSE;
  for (guint i = 0; i < self->paths->len; i++)
    {
      if (!g_str_equal (g_ptr_array_index (self->paths, i), g_ptr_array_index (other->paths, i)))
        return FALSE;
    }
  return TRUE;
}

guint
hold_extract_roots_get_n (HoldExtractRoots *self)
{
  return self->paths->len;
}

gboolean
hold_extract_roots_has_shelves (HoldExtractRoots *self)
{
  return self->has_shelves;
}

char *
hold_extract_roots_dup_name (HoldExtractRoots *self,
                             const HoldEntry  *entry)
{
  guint number = find_root (self, hold_entry_get_path (entry));
  const char *name;

  if (number == 0)
    return NULL;
  /* Display path and disk path have the same parts, only undecodable bytes in them differ. */
  name = skip_parts (hold_entry_get_disk_path (entry),
                     count_slashes (g_ptr_array_index (self->paths, number - 1)));
  return self->has_shelves ? g_strdup_printf ("%u/%s", number, name) : g_strdup (name);
}

char *
hold_extract_roots_dup_root (HoldExtractRoots *self,
                             const HoldEntry  *entry)
{
  char *name = hold_extract_roots_dup_name (self, entry);
  char *at = name;

  for (guint i = self->has_shelves ? 2 : 1; at != NULL && i > 0; i--)
    {
      at = strchr (at, '/');
      if (at != NULL && i == 1)
        *at = '\0';
      else if (at != NULL)
        at++;
    }
  return name;
}

gboolean
hold_extract_roots_has_entry (HoldExtractRoots *self,
                              const HoldEntry  *entry)
{
  return g_hash_table_contains (self->numbers, hold_entry_get_path (entry));
}
