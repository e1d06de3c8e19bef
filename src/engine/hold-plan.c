/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Turns edits as people make them (delete this folder, call that one so) into one list of steps,
 * and refuses what would give an archive that does not behave like a folder. */

#include "config.h"

#include "hold-plan-private.h"

#include <string.h>

HoldPlanSource *
hold_plan_source_new_folder (void)
{
  HoldPlanSource *self = g_new0 (HoldPlanSource, 1);

  self->type = HOLD_ENTRY_FOLDER;
  self->mode = 0755;
  self->mtime = g_get_real_time () / G_USEC_PER_SEC;
  return self;
}

void
hold_plan_source_free (HoldPlanSource *self)
{
  if (self == NULL)
    return;

  g_clear_object (&self->archive);
  g_free (self->disk_path);
  g_free (self->link_target);
  g_free (self);
}

static void
item_clear (gpointer data)
{
  HoldPlanItem *item = data;

  g_free (item->path);
  hold_plan_source_free (item->source);
}

static HoldPlanItem *
get_item (HoldPlan *self,
          guint     position)
{
  return &g_array_index (self->items, HoldPlanItem, position);
}

static HoldPlanPlaces *
get_places (HoldPlan *self)
{
  if (self->places != NULL)
    return self->places;

  self->places = hold_plan_places_new ();
  for (guint i = 0; i < self->items->len; i++)
    {
      const HoldPlanItem *item = get_item (self, i);

      if (!item->dropped)
        hold_plan_places_enter (self->places, _hold_plan_item_path (item), i, item->is_folder);
    }
  return self->places;
}

static void
enter_item (HoldPlan *self,
            guint     position)
{
  const HoldPlanItem *item = get_item (self, position);

  if (self->places != NULL)
    hold_plan_places_enter (self->places, _hold_plan_item_path (item), position, item->is_folder);
}

static void
leave_item (HoldPlan *self,
            guint     position)
{
  const HoldPlanItem *item = get_item (self, position);

  if (self->places != NULL)
    hold_plan_places_leave (self->places, _hold_plan_item_path (item), position, item->is_folder);
}

static void
edited (HoldPlan *self)
{
  self->changed = TRUE;
  g_clear_pointer (&self->steps, g_array_unref);
}

static HoldPlan *
plan_alloc (const HoldFormat *format)
{
  HoldPlan *self = g_new0 (HoldPlan, 1);

  self->format = format;
  self->items = g_array_new (FALSE, TRUE, sizeof (HoldPlanItem));
  g_array_set_clear_func (self->items, item_clear);
  return self;
}

HoldPlan *
hold_plan_new (HoldArchive *archive)
{
  HoldPlan *self = plan_alloc (hold_archive_get_format (archive));
  guint n_entries = hold_archive_get_n_entries (archive);

  self->archive = g_object_ref (archive);
  g_array_set_size (self->items, n_entries);
  for (guint i = 0; i < n_entries; i++)
    {
      const HoldEntry *entry = hold_archive_get_entry (archive, i);
      HoldPlanItem *item = &g_array_index (self->items, HoldPlanItem, i);

      item->index = i;
      item->stored_path = hold_entry_get_path (entry);
      item->is_folder = hold_entry_get_type (entry) == HOLD_ENTRY_FOLDER;
    }

  return self;
}

HoldPlan *
hold_plan_new_create (const HoldFormat *format)
{
  HoldPlan *self = plan_alloc (format);

  self->changed = TRUE;
  return self;
}

HoldPlan *
hold_plan_new_convert (HoldArchive      *archive,
                       const HoldFormat *format)
{
  HoldPlan *self = hold_plan_new (archive);

  self->format = format;
  self->is_conversion = TRUE;
  self->changed = TRUE;
  return self;
}

void
hold_plan_free (HoldPlan *self)
{
  if (self == NULL)
    return;

  g_clear_object (&self->archive);
  g_array_unref (self->items);
  g_clear_pointer (&self->places, hold_plan_places_free);
  g_clear_pointer (&self->free_numbers, g_hash_table_unref);
  g_clear_pointer (&self->steps, g_array_unref);
  g_free (self);
}

HoldArchive *
hold_plan_get_archive (HoldPlan *self)
{
  return self->archive;
}

const HoldFormat *
hold_plan_get_format (HoldPlan *self)
{
  return self->format;
}

gboolean
hold_plan_is_unchanged (HoldPlan *self)
{
  return !self->changed;
}

gboolean
hold_plan_is_conversion (HoldPlan *self)
{
  return self->is_conversion;
}

gboolean
hold_plan_has (HoldPlan   *self,
               const char *path,
               gboolean   *is_folder)
{
  return hold_plan_places_look_up (get_places (self), path, is_folder, NULL);
}

/* A name that a person may give: relative, without "." and ".." parts, nothing that the next reader
 * would refuse. */
static gboolean
check_new_path (const char  *path,
                GError     **error)
{
  HoldUnsafe unsafe = HOLD_UNSAFE_NONE;
  g_autofree char *normal = hold_path_normalise (path, &unsafe);

  if (unsafe == HOLD_UNSAFE_NONE && *path != '\0' && g_str_equal (normal, path) &&
      g_utf8_validate (path, -1, NULL))
    return TRUE;

  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_FILENAME,
               "“%s” can't be a name in an archive", path);
  return FALSE;
}

/* No part above @path may be a plain file. */
static gboolean
check_parents (HoldPlan    *self,
               const char  *path,
               GError     **error)
{
  g_autofree char *parent = g_strdup (path);
  char *slash;

  while ((slash = strrchr (parent, '/')) != NULL)
    {
      gboolean is_folder;

      *slash = '\0';
      if (hold_plan_has (self, parent, &is_folder) && !is_folder)
        {
          g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_DIRECTORY,
                       "“%s” is a file, so nothing can be put into it", parent);
          return FALSE;
        }
    }

  return TRUE;
}

static gboolean
fail_not_found (const char  *path,
                GError     **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "The archive holds no “%s”", path);
  return FALSE;
}

static gboolean
fail_exists (const char  *path,
             GError     **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS, "The archive holds “%s” already", path);
  return FALSE;
}

static gboolean
is_at_or_below (const char *path,
                const char *root)
{
  gsize length = strlen (root);

  return strncmp (path, root, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

static void
drop_item (HoldPlan *self,
           guint     position)
{
  leave_item (self, position);
  get_item (self, position)->dropped = TRUE;
  edited (self);
}

gboolean
hold_plan_drop (HoldPlan    *self,
                const char  *path,
                GError     **error)
{
  g_autoptr (GArray) positions = hold_plan_places_dup_below (get_places (self), path);

  if (positions->len == 0)
    return fail_not_found (path, error);

  for (guint i = 0; i < positions->len; i++)
    drop_item (self, g_array_index (positions, guint, i));
  return TRUE;
}

void
hold_plan_drop_index (HoldPlan *self,
                      guint     index)
{
  g_return_if_fail (self->archive != NULL && index < hold_archive_get_n_entries (self->archive));

  if (!get_item (self, index)->dropped)
    drop_item (self, index);
}

/* FALSE with the reason if a name can't change so. */
static gboolean
check_rename (HoldPlan    *self,
              const char  *old_path,
              const char  *new_path,
              GError     **error)
{
  if (!hold_plan_has (self, old_path, NULL))
    return fail_not_found (old_path, error);
  if (!check_new_path (new_path, error))
    return FALSE;
  if (g_str_equal (old_path, new_path))
    return TRUE;
  if (is_at_or_below (new_path, old_path))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_WOULD_RECURSE,
                   "“%s” can't be moved into itself", old_path);
      return FALSE;
    }
  if (hold_plan_has (self, new_path, NULL))
    return fail_exists (new_path, error);
  return check_parents (self, new_path, error);
}

/* Takes @path. */
static void
rename_item (HoldPlan *self,
             guint     position,
             char     *path)
{
  HoldPlanItem *item = get_item (self, position);

  leave_item (self, position);
  g_free (item->path);
  item->path = path;
  item->renamed = item->source == NULL;
  enter_item (self, position);
}

gboolean
hold_plan_rename (HoldPlan    *self,
                  const char  *old_path,
                  const char  *new_path,
                  GError     **error)
{
  gsize old_length = strlen (old_path);
  g_autoptr (GArray) positions = NULL;

  if (!check_rename (self, old_path, new_path, error))
    return FALSE;
  if (g_str_equal (old_path, new_path))
    return TRUE;

  positions = hold_plan_places_dup_below (get_places (self), old_path);
  for (guint i = 0; i < positions->len; i++)
    {
      guint position = g_array_index (positions, guint, i);

      rename_item (self, position,
                   g_strconcat (new_path, _hold_plan_item_path (get_item (self, position)) + old_length, NULL));
    }

  edited (self);
  return TRUE;
}

gboolean
hold_plan_rename_index (HoldPlan    *self,
                        guint        index,
                        const char  *new_path,
                        GError     **error)
{
  g_autofree char *old_path = NULL;

  g_return_val_if_fail (self->archive != NULL && index < hold_archive_get_n_entries (self->archive), FALSE);

  old_path = g_strdup (_hold_plan_item_path (get_item (self, index)));
  if (get_item (self, index)->dropped)
    return fail_not_found (old_path, error);
  if (get_item (self, index)->is_folder)
    return hold_plan_rename (self, old_path, new_path, error);
  if (!check_rename (self, old_path, new_path, error))
    return FALSE;
  if (g_str_equal (old_path, new_path))
    return TRUE;

  rename_item (self, index, g_strdup (new_path));
  edited (self);
  return TRUE;
}

/* Whether something new may take @path, where something is. */
static gboolean
check_replace (HoldPlan    *self,
               const char  *path,
               gboolean     is_folder,
               gboolean     replace,
               GError     **error)
{
  gboolean there_is_folder = FALSE;

  hold_plan_has (self, path, &there_is_folder);
  if (is_folder != there_is_folder)
    {
      g_set_error (error, G_IO_ERROR,
                   there_is_folder ? G_IO_ERROR_IS_DIRECTORY : G_IO_ERROR_NOT_DIRECTORY,
                   there_is_folder ? "“%s” is a folder in the archive and a file outside"
                                   : "“%s” is a file in the archive and a folder outside",
                   path);
      return FALSE;
    }
  return replace || fail_exists (path, error);
}

/* Of several entries of one name all give way: a folder has one file of a name. Indices of the
 * snapshot are positions below n_entries, so nothing may be inserted among them: the content
 * replaces that of the first item. Takes @source. */
static void
replace_items (HoldPlan       *self,
               const char     *path,
               HoldPlanSource *source)
{
  g_autoptr (GArray) positions = hold_plan_places_dup_at (get_places (self), path);
  guint first = g_array_index (positions, guint, 0);
  HoldPlanItem *item = get_item (self, first);

  for (guint i = 0; i < positions->len; i++)
    drop_item (self, g_array_index (positions, guint, i));

  hold_plan_source_free (item->source);
  item->source = source;
  item->renamed = FALSE;
  item->dropped = FALSE;
  enter_item (self, first);
}

gboolean
hold_plan_add (HoldPlan        *self,
               const char      *path,
               HoldPlanSource  *source,
               gboolean         replace,
               GError         **error)
{
  g_autoptr (HoldPlanSource) owned = source;
  gboolean is_folder = source->type == HOLD_ENTRY_FOLDER;
  gboolean there_is_folder = FALSE;
  HoldPlanItem item = { .is_folder = is_folder };

  if (!check_new_path (path, error) || !check_parents (self, path, error))
    return FALSE;

  if (hold_plan_has (self, path, &there_is_folder))
    {
      if (is_folder && there_is_folder)
        return TRUE;
      if (!check_replace (self, path, is_folder, replace, error))
        return FALSE;
      replace_items (self, path, g_steal_pointer (&owned));
      return TRUE;
    }

  item.path = g_strdup (path);
  item.source = g_steal_pointer (&owned);
  g_array_append_val (self->items, item);
  enter_item (self, self->items->len - 1);
  edited (self);
  return TRUE;
}

/* "a (2).txt": the number goes in front of the suffix, as file managers do. */
char *
hold_plan_free_path (HoldPlan   *self,
                     const char *path)
{
  const char *name = hold_path_peek_basename (path);
  const char *dot = strrchr (name, '.');
  gsize stem = dot != NULL && dot != name ? (gsize) (dot - path) : strlen (path);
  char *candidate = g_strdup (path);
  guint n;

  if (!hold_plan_has (self, candidate, NULL))
    return candidate;

  /* An archive may hold a name a hundred thousand times: those below have been asked for already. */
  if (self->free_numbers == NULL)
    self->free_numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  n = MAX (GPOINTER_TO_UINT (g_hash_table_lookup (self->free_numbers, path)), 2);
  do
    {
      g_free (candidate);
      candidate = g_strdup_printf ("%.*s (%u)%s", (int) stem, path, n++, path + stem);
    }
  while (hold_plan_has (self, candidate, NULL));
  /* Whoever asks need not take it. */
  g_hash_table_insert (self->free_numbers, g_strdup (path), GUINT_TO_POINTER (n - 1));
  return candidate;
}
