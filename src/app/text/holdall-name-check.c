/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The engine refuses bad names as well; this says so while they are being typed. */

#include "config.h"

#include "holdall-name-check.h"

#include <glib/gi18n.h>
#include <string.h>

/* What every file system of today takes. */
#define MAX_NAME_BYTES 255

char *
holdall_name_join (const char *folder,
                   const char *name)
{
  return *folder != '\0' ? g_strconcat (folder, "/", name, NULL) : g_strdup (name);
}

char *
holdall_name_dup_folder (const char *path)
{
  const char *slash = strrchr (path, '/');

  return g_strndup (path, slash != NULL ? (gsize) (slash - path) : 0);
}

gboolean
holdall_name_is_below (const char *path,
                       const char *folder)
{
  gsize length = strlen (folder);

  return length == 0 ||
         (strncmp (path, folder, length) == 0 && (path[length] == '\0' || path[length] == '/'));
}

char *
holdall_name_check (HoldTree   *tree,
                    const char *folder,
                    const char *name,
                    const char *but)
{
  g_autofree char *path = NULL;

  if (*name == '\0')
    return g_strdup ("");
  if (strchr (name, '/') != NULL)
    return g_strdup (_("A name can’t contain “/”."));
  if (g_str_equal (name, ".") || g_str_equal (name, ".."))
    return g_strdup (_("This name has a meaning of its own."));
  if (strlen (name) > MAX_NAME_BYTES)
    return g_strdup (_("This name is too long."));
  if (tree == NULL || g_strcmp0 (name, but) == 0)
    return NULL;
  path = holdall_name_join (folder, name);
  if (hold_tree_lookup (tree, path) != NULL)
    return g_strdup (_("There is something of this name already."));
  return NULL;
}

/* Bytes before the suffix. "a.tar.gz" is an "a"; ".profile" has no suffix. */
static gsize
stem_bytes (const char *name,
            gboolean    is_folder)
{
  const HoldFormat *format;
  const char *dot;

  if (is_folder)
    return strlen (name);
  format = hold_format_by_suffix (name);
  for (guint i = 0; format != NULL && format->suffixes != NULL && format->suffixes[i] != NULL; i++)
    {
      gsize length = strlen (name);
      gsize suffix_length = strlen (format->suffixes[i]);

      if (length > suffix_length &&
          g_ascii_strcasecmp (name + length - suffix_length, format->suffixes[i]) == 0)
        return length - suffix_length;
    }
  dot = strrchr (name, '.');
  return dot != NULL && dot != name ? (gsize) (dot - name) : strlen (name);
}

int
holdall_name_get_stem (const char *name,
                       gboolean    is_folder)
{
  return (int) g_utf8_strlen (name, (gssize) stem_bytes (name, is_folder));
}

char *
holdall_name_make_free (HoldTree   *tree,
                        GHashTable *taken,
                        const char *path,
                        gboolean    is_folder)
{
  g_autofree char *folder = holdall_name_dup_folder (path);
  const char *name = hold_path_peek_basename (path);
  gsize stem = stem_bytes (name, is_folder);
  g_autofree char *free_path = g_strdup (path);
  guint last = taken != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (taken, path)) : 0;

  while (hold_tree_lookup (tree, free_path) != NULL ||
         (taken != NULL && g_hash_table_contains (taken, free_path)))
    {
      g_autofree char *free_name = NULL;

      last = MAX (last + 1, 2);
      free_name = g_strdup_printf ("%.*s (%u)%s", (int) stem, name, last, name + stem);
      g_free (free_path);
      free_path = holdall_name_join (folder, free_name);
    }
  if (taken != NULL)
    {
      /* The other one may be a name that others will want as well: then its own numbers begin. */
      g_hash_table_insert (taken, g_strdup (free_path), GUINT_TO_POINTER (0));
      g_hash_table_insert (taken, g_strdup (path), GUINT_TO_POINTER (last));
    }
  return g_steal_pointer (&free_path);
}
