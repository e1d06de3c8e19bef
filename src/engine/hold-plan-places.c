/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A tree of paths with a table beside it: the table finds a path, the tree what lies below. */

#include "hold-plan-places.h"

#include <string.h>

#define NO_ITEM G_MAXUINT

/* A path that holds, held or leads to items; it stays when they leave, since they may come back. */
typedef struct _Place Place;
struct _Place
{
  char *path;
  Place *parent;
  Place *first_child;
  Place *next_sibling;
  guint first_item;
  guint n_files;
  guint n_folders;
  guint n_below;   /* items at all paths below */
};

/* The items of a place are a list with two ways: an archive may hold one name a hundred thousand
 * times, and any of them may leave. */
typedef struct
{
  guint previous;
  guint next;
} Neighbours;

struct _HoldPlanPlaces
{
  GHashTable *by_path;   /* Place.path → Place, owned */
  GArray *neighbours;    /* Neighbours of each item */
};

static void
place_free (gpointer data)
{
  Place *place = data;

  g_free (place->path);
  g_free (place);
}

HoldPlanPlaces *
hold_plan_places_new (void)
{
  HoldPlanPlaces *self = g_new0 (HoldPlanPlaces, 1);

  self->by_path = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, place_free);
  self->neighbours = g_array_new (FALSE, FALSE, sizeof (Neighbours));
  return self;
}

void
hold_plan_places_free (HoldPlanPlaces *self)
{
  if (self == NULL)
    return;

  g_hash_table_unref (self->by_path);
  g_array_unref (self->neighbours);
  g_free (self);
}

/* Made with all its parents; no deeper than the archive's limit on parts of a path. */
static Place *
place_at (HoldPlanPlaces *self,
          const char     *path)
{
  Place *place = g_hash_table_lookup (self->by_path, path);
  const char *slash = strrchr (path, '/');

  if (place != NULL)
    return place;

  place = g_new0 (Place, 1);
  place->path = g_strdup (path);
  place->first_item = NO_ITEM;
  g_hash_table_insert (self->by_path, place->path, place);
  if (slash != NULL)
    {
      g_autofree char *parent = g_strndup (path, (gsize) (slash - path));

      place->parent = place_at (self, parent);
      place->next_sibling = place->parent->first_child;
      place->parent->first_child = place;
    }
  return place;
}

static void
count (Place    *place,
       gboolean  is_folder,
       int       by)
{
  if (is_folder)
    place->n_folders += by;
  else
    place->n_files += by;
  for (Place *above = place->parent; above != NULL; above = above->parent)
    above->n_below += by;
}

static Neighbours *
neighbours_of (HoldPlanPlaces *self,
               guint           item)
{
  return &g_array_index (self->neighbours, Neighbours, item);
}

void
hold_plan_places_enter (HoldPlanPlaces *self,
                        const char     *path,
                        guint           item,
                        gboolean        is_folder)
{
  Place *place = place_at (self, path);

  if (item >= self->neighbours->len)
    g_array_set_size (self->neighbours, item + 1);
  *neighbours_of (self, item) = (Neighbours) { .previous = NO_ITEM, .next = place->first_item };
  if (place->first_item != NO_ITEM)
    neighbours_of (self, place->first_item)->previous = item;
  place->first_item = item;
  count (place, is_folder, 1);
}

void
hold_plan_places_leave (HoldPlanPlaces *self,
                        const char     *path,
                        guint           item,
                        gboolean        is_folder)
{
  Place *place = place_at (self, path);
  Neighbours around = *neighbours_of (self, item);

  if (around.previous != NO_ITEM)
    neighbours_of (self, around.previous)->next = around.next;
  else
    place->first_item = around.next;
  if (around.next != NO_ITEM)
    neighbours_of (self, around.next)->previous = around.previous;
  count (place, is_folder, -1);
}

gboolean
hold_plan_places_look_up (HoldPlanPlaces *self,
                          const char     *path,
                          gboolean       *has_folder,
                          gboolean       *has_file)
{
  const Place *place = g_hash_table_lookup (self->by_path, path);
  gboolean folder = place != NULL && (place->n_folders > 0 || place->n_below > 0);
  gboolean file = place != NULL && place->n_files > 0;

  if (has_folder != NULL)
    *has_folder = folder;
  if (has_file != NULL)
    *has_file = file;
  return folder || file;
}

static void
append_items (HoldPlanPlaces *self,
              const Place    *place,
              GArray         *items)
{
  for (guint item = place->first_item; item != NO_ITEM; item = neighbours_of (self, item)->next)
    g_array_append_val (items, item);
}

static int
compare_numbers (gconstpointer a,
                 gconstpointer b)
{
  guint first = *(const guint *) a;
  guint second = *(const guint *) b;

  return (first > second) - (first < second);
}

GArray *
hold_plan_places_dup_at (HoldPlanPlaces *self,
                         const char     *path)
{
  const Place *place = g_hash_table_lookup (self->by_path, path);
  GArray *items = g_array_new (FALSE, FALSE, sizeof (guint));

  if (place != NULL)
    append_items (self, place, items);
  g_array_sort (items, compare_numbers);
  return items;
}

/* The place that a walk below @top comes to after @at; what nothing is left in is not entered. */
static const Place *
next_below (const Place *at,
            const Place *top)
{
  if (at->n_below > 0)
    return at->first_child;
  while (at != top && at->next_sibling == NULL)
    at = at->parent;
  return at != top ? at->next_sibling : NULL;
}

GArray *
hold_plan_places_dup_below (HoldPlanPlaces *self,
                            const char     *path)
{
  const Place *top = g_hash_table_lookup (self->by_path, path);
  GArray *items = g_array_new (FALSE, FALSE, sizeof (guint));

  for (const Place *at = top; at != NULL; at = next_below (at, top))
    append_items (self, at, items);
  g_array_sort (items, compare_numbers);
  return items;
}
