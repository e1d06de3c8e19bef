/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Hard links of cpio, which say where the data is only when all of them are known. */

#include "hold-backend-libarchive-private.h"

#include <string.h>

/* An entry whose turn to be added comes when all are known. */
typedef struct {
  HoldEntry entry;
  char *name;
  char *link;          /* (nullable) */
  gboolean is_utf8;
} Delayed;

static void
delayed_clear (gpointer pointer)
{
  Delayed *delayed = pointer;

  g_free (delayed->name);
  g_free (delayed->link);
}

GArray *
_hold_libarchive_delayed_new (void)
{
  GArray *delayed = g_array_new (FALSE, FALSE, sizeof (Delayed));

  g_array_set_clear_func (delayed, delayed_clear);
  return delayed;
}

void
_hold_libarchive_delay (GArray *list, const HoldEntry *entry, const HoldNameSource *name, const HoldNameSource *link)
{
  Delayed delayed = {
    .entry = *entry,
    .name = g_strndup ((const char *) name->bytes, name->length),
    .link = link->bytes != NULL ? g_strndup ((const char *) link->bytes, link->length) : NULL,
    .is_utf8 = name->is_utf8,
  };

  g_array_append_val (list, delayed);
}

/* The newer cpio formats store the data of a file with its LAST name, and nothing with the first.
 * So the last name becomes the file, and those before it become links to it. */
static void
turn_links_round (GArray *entries)
{
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = entries->len; i-- > 0;)
    {
      Delayed *last = &g_array_index (entries, Delayed, i);

      if (last->entry.type == HOLD_ENTRY_HARDLINK && last->link != NULL && last->entry.size > 0
          && !g_hash_table_contains (by_name, last->link))
        g_hash_table_insert (by_name, last->link, last);
    }
  for (guint i = 0; i < entries->len; i++)
    {
      Delayed *first = &g_array_index (entries, Delayed, i);
      gboolean is_file = first->entry.type == HOLD_ENTRY_FILE && first->entry.size == 0;
      const char *group = is_file ? first->name : first->entry.type == HOLD_ENTRY_HARDLINK ? first->link : NULL;
      Delayed *last = group != NULL ? g_hash_table_lookup (by_name, group) : NULL;

      if (last == NULL || first >= last || (!is_file && first->entry.size > 0))
        continue;
      if (!is_file)
        g_free (first->link);
      first->entry.type = HOLD_ENTRY_HARDLINK;
      first->entry.flags &= (guint16) ~HOLD_ENTRY_HAS_SIZE;
      first->link = g_strdup (last->name);
    }

  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, by_name);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      Delayed *last = value;
      Delayed *first = &g_array_index (entries, Delayed, 0);

      for (; first < last && strcmp (first->name, last->link) != 0; first++)
        ;
      if (first < last && first->entry.type == HOLD_ENTRY_HARDLINK)
        last->entry.type = HOLD_ENTRY_FILE;
    }
}

gboolean
_hold_libarchive_add_delayed (GArray *list, HoldArchiveBuilder *builder, GError **error)
{
  turn_links_round (list);
  for (guint i = 0; i < list->len; i++)
    {
      const Delayed *from = &g_array_index (list, Delayed, i);
      gboolean is_link = from->entry.type == HOLD_ENTRY_SYMLINK || from->entry.type == HOLD_ENTRY_HARDLINK;
      HoldNameSource name = { (const guint8 *) from->name, strlen (from->name), from->is_utf8, FALSE };
      HoldNameSource link = { (const guint8 *) from->link, from->link != NULL ? strlen (from->link) : 0, FALSE, FALSE };

      if (!hold_archive_builder_add (builder, &from->entry, &name,
                                     is_link && from->link != NULL ? &link : NULL, NULL, error))
        return FALSE;
    }
  return TRUE;
}
