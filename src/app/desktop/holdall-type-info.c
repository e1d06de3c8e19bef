/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Keeps what the desktop knows of file types by suffix. Sorting asks from a worker while rows
 * ask from the main thread, therefore the tables lie behind a lock. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-type-info.h"

/* An archive can hold any number of different suffixes; the table starts anew when it is full. */
#define MAX_SUFFIXES 4096

static GMutex lock;
static GHashTable *by_suffix;        /* char * -> borrowed HoldallTypeInfo */
static GHashTable *by_content_type;  /* borrowed char * -> HoldallTypeInfo, never freed */

static HoldallTypeInfo *
type_info_new (const char *content_type)
{
  HoldallTypeInfo *info = g_new0 (HoldallTypeInfo, 1);

  info->content_type = g_strdup (content_type);
  info->description = g_content_type_get_description (content_type);
  info->icon = g_content_type_get_icon (content_type);
  info->symbolic_icon = g_content_type_get_symbolic_icon (content_type);
  return info;
}

static HoldallTypeInfo *
type_info_new_special (const char *description,
                       const char *icon_name,
                       const char *symbolic_icon_name)
{
  HoldallTypeInfo *info = g_new0 (HoldallTypeInfo, 1);

  info->description = g_strdup (description);
  info->icon = g_themed_icon_new_with_default_fallbacks (icon_name);
  info->symbolic_icon = g_themed_icon_new (symbolic_icon_name);
  return info;
}

/* What decides about the type of a name: its suffix, two of them for the likes of "a.tar.gz", and
 * the whole name where there is none ("Makefile"). */
static const char *
find_suffix (const char *name)
{
  const char *last = strrchr (name, '.');

  if (last == NULL || last == name)
    return name;
  for (const char *before = last - 1; before > name && last - before <= 5; before--)
    {
      if (*before == '.')
        return before;
    }
  return last;
}

const HoldallTypeInfo *
holdall_type_info_for_name (const char *name)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);
  const char *suffix = find_suffix (name);
  g_autofree char *content_type = NULL;
  HoldallTypeInfo *info;

  if (by_suffix == NULL)
    {
      by_suffix = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      by_content_type = g_hash_table_new (g_str_hash, g_str_equal);
    }

  info = g_hash_table_lookup (by_suffix, suffix);
  if (info != NULL)
    return info;

  content_type = g_content_type_guess (name, NULL, 0, NULL);
  info = g_hash_table_lookup (by_content_type, content_type);
  if (info == NULL)
    {
      info = type_info_new (content_type);
      g_hash_table_insert (by_content_type, info->content_type, info);
    }
  if (g_hash_table_size (by_suffix) >= MAX_SUFFIXES)
    g_hash_table_remove_all (by_suffix);
  g_hash_table_insert (by_suffix, g_strdup (suffix), info);
  return info;
}

const HoldallTypeInfo *
holdall_type_info_for_node (HoldNode *node)
{
  static gsize initialised;
  static HoldallTypeInfo *folder_info;
  static HoldallTypeInfo *link_info;
  static HoldallTypeInfo *special_info;
  const HoldEntry *entry = hold_node_get_entry (node);

  if (g_once_init_enter (&initialised))
    {
      folder_info = type_info_new_special (_("Folder"), "folder", "folder-symbolic");
      link_info = type_info_new_special (_("Link"), "emblem-symbolic-link",
                                         "emblem-symbolic-link");
      special_info = type_info_new_special (_("Special file"), "application-x-firmware",
                                            "application-x-firmware-symbolic");
      g_once_init_leave (&initialised, 1);
    }

  if (hold_node_is_folder (node))
    return folder_info;
  if (entry != NULL && hold_entry_get_type (entry) == HOLD_ENTRY_SYMLINK)
    return link_info;
  if (entry != NULL && hold_entry_get_type (entry) == HOLD_ENTRY_OTHER)
    return special_info;
  return holdall_type_info_for_name (hold_node_get_name (node));
}
