/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* One function per column makes its text when its cell comes into view. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-column.h"
#include "holdall-format-text.h"

static char *
dup_position (HoldallEntryItem *item)
{
  const HoldEntry *entry = holdall_entry_item_get_entry (item);

  return entry != NULL ? holdall_format_count ((guint64) hold_entry_get_index (entry) + 1)
                       : g_strdup ("");
}

/* A file whose size is not recorded has none; a folder has the sum of what is known. */
static char *
dup_size (HoldallEntryItem *item)
{
  HoldNode *node = holdall_entry_item_get_node (item);
  const HoldEntry *entry = hold_node_get_entry (node);
  guint64 size_bytes;

  if (hold_node_is_folder (node))
    return holdall_format_size (hold_node_get_size (node));
  if (entry != NULL && hold_entry_get_size (entry, &size_bytes))
    return holdall_format_size (size_bytes);
  return g_strdup ("");
}

static char *
dup_packed (HoldallEntryItem *item)
{
  HoldNode *node = holdall_entry_item_get_node (item);
  const HoldEntry *entry = hold_node_get_entry (node);
  guint64 size_bytes;

  /* Formats that compress everything in one piece record no packed sizes: 0 is no answer then. */
  if (hold_node_is_folder (node))
    {
      size_bytes = hold_node_get_packed_size (node);
      return size_bytes > 0 || hold_node_get_size (node) == 0 ? holdall_format_size (size_bytes)
                                                              : g_strdup ("");
    }
  if (entry != NULL && hold_entry_get_packed_size (entry, &size_bytes))
    return holdall_format_size (size_bytes);
  return g_strdup ("");
}

static char *
dup_ratio (HoldallEntryItem *item)
{
  HoldNode *node = holdall_entry_item_get_node (item);
  const HoldEntry *entry = hold_node_get_entry (node);
  guint64 size_bytes = hold_node_get_size (node);
  guint64 packed_bytes = hold_node_get_packed_size (node);

  if (!hold_node_is_folder (node) &&
      (entry == NULL || !hold_entry_get_packed_size (entry, &packed_bytes)))
    return g_strdup ("");
  if (packed_bytes == 0)
    return g_strdup ("");
  return holdall_format_ratio (packed_bytes, size_bytes);
}

static char *
dup_type (HoldallEntryItem *item)
{
  return g_strdup (holdall_entry_item_get_type_info (item)->description);
}

static char *
dup_modified (HoldallEntryItem *item)
{
  const HoldEntry *entry = holdall_entry_item_get_entry (item);
  gint64 seconds;

  if (entry != NULL && hold_entry_get_mtime (entry, &seconds, NULL))
    return holdall_format_time (seconds);
  return g_strdup ("");
}

/* What the archive says in words; it may say anything. */
static char *
dup_words (HoldallEntryItem *item,
           const char     *(*get_words) (const HoldEntry *entry))
{
  const HoldEntry *entry = holdall_entry_item_get_entry (item);
  const char *words = entry != NULL ? get_words (entry) : NULL;

  return hold_path_escape_for_display (words != NULL ? words : "");
}

/* Most entries are not, so that only the others have a word. */
static char *
dup_yes (HoldallEntryItem *item,
         gboolean        (*is_so) (const HoldEntry *entry))
{
  const HoldEntry *entry = holdall_entry_item_get_entry (item);

  return g_strdup (entry != NULL && is_so (entry) ? _("Yes") : "");
}

static char *
dup_method (HoldallEntryItem *item)
{
  return dup_words (item, hold_entry_get_method);
}

static char *
dup_crc (HoldallEntryItem *item)
{
  const HoldEntry *entry = holdall_entry_item_get_entry (item);
  guint32 crc;

  if (entry != NULL && !holdall_entry_item_is_folder (item) && hold_entry_get_crc32 (entry, &crc))
    return g_strdup_printf ("%08x", crc);
  return g_strdup ("");
}

static char *
dup_mode (HoldallEntryItem *item)
{
  const HoldEntry *entry = holdall_entry_item_get_entry (item);
  guint mode;

  if (entry != NULL && hold_entry_get_mode (entry, &mode))
    return holdall_format_mode (mode);
  return g_strdup ("");
}

static char *
dup_encrypted (HoldallEntryItem *item)
{
  return dup_yes (item, hold_entry_is_encrypted);
}

static char *
dup_comment (HoldallEntryItem *item)
{
  return dup_words (item, hold_entry_get_comment);
}

static char *
dup_streamed (HoldallEntryItem *item)
{
  return dup_yes (item, hold_entry_is_streamed);
}

static char *
dup_folder (HoldallEntryItem *item)
{
  HoldNode *parent = hold_node_get_parent (holdall_entry_item_get_node (item));
  g_autofree char *path = parent != NULL ? hold_node_dup_path (parent) : NULL;

  return hold_path_escape_for_display (path != NULL ? path : "");
}

static const HoldallColumn columns[] = {
  { HOLDALL_COLUMN_POSITION, "position", N_("Position"), 7, TRUE, dup_position },
  { HOLDALL_COLUMN_NAME, "name", N_("Name"), 30, FALSE, NULL },
  { HOLDALL_COLUMN_SIZE, "size", N_("Size"), 9, TRUE, dup_size },
  /* Translators: a column; the size of an entry in the archive. */
  { HOLDALL_COLUMN_PACKED, "packed", N_("Packed"), 9, TRUE, dup_packed },
  /* Translators: a column; the packed size in percent of the size. */
  { HOLDALL_COLUMN_RATIO, "ratio", N_("Ratio"), 6, TRUE, dup_ratio },
  { HOLDALL_COLUMN_TYPE, "type", N_("Type"), 18, FALSE, dup_type },
  { HOLDALL_COLUMN_MODIFIED, "modified", N_("Modified"), 15, FALSE, dup_modified },
  { HOLDALL_COLUMN_METHOD, "method", N_("Method"), 8, FALSE, dup_method },
  { HOLDALL_COLUMN_CRC, "crc", N_("CRC-32"), 9, FALSE, dup_crc },
  { HOLDALL_COLUMN_MODE, "mode", N_("Permissions"), 16, FALSE, dup_mode },
  { HOLDALL_COLUMN_ENCRYPTED, "encrypted", N_("Encrypted"), 9, FALSE, dup_encrypted },
  { HOLDALL_COLUMN_COMMENT, "comment", N_("Comment"), 20, FALSE, dup_comment },
  /* Translators: a column; the entry was written to a stream, its sizes stand behind its data. */
  { HOLDALL_COLUMN_STREAMED, "streamed", N_("Streamed"), 9, FALSE, dup_streamed },
  /* Translators: a column; the folder in which a found entry lies. */
  { HOLDALL_COLUMN_FOLDER, "folder", N_("Folder"), 24, FALSE, dup_folder },
};

const HoldallColumn *
holdall_column_get (HoldallColumnId id)
{
  g_return_val_if_fail (id < G_N_ELEMENTS (columns), NULL);

  return &columns[id];
}

const HoldallColumn *
holdall_column_by_nick (const char *nick)
{
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      if (g_strcmp0 (columns[i].nick, nick) == 0)
        return &columns[i];
    }
  return NULL;
}
