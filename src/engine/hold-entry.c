/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Reads the packed entry; the only place that knows which flag guards which field. */

#include "hold-entry-private.h"

static gboolean
has (const HoldEntry *self, HoldEntryFlags flag)
{
  return (self->flags & flag) != 0;
}

const char *
hold_entry_type_to_string (HoldEntryType type)
{
  switch (type)
    {
    case HOLD_ENTRY_FILE:
      return "file";
    case HOLD_ENTRY_FOLDER:
      return "folder";
    case HOLD_ENTRY_SYMLINK:
      return "symlink";
    case HOLD_ENTRY_HARDLINK:
      return "hardlink";
    case HOLD_ENTRY_OTHER:
    default:
      return "other";
    }
}

guint
hold_entry_get_index (const HoldEntry *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->index;
}

const char *
hold_entry_get_path (const HoldEntry *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->path;
}

const char *
hold_entry_get_name (const HoldEntry *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return hold_path_peek_basename (self->path);
}

HoldEntryType
hold_entry_get_type (const HoldEntry *self)
{
  g_return_val_if_fail (self != NULL, HOLD_ENTRY_OTHER);

  return (HoldEntryType) self->type;
}

const guint8 *
hold_entry_get_raw_name (const HoldEntry *self, gsize *length_bytes)
{
  g_return_val_if_fail (self != NULL, NULL);

  if (length_bytes != NULL)
    *length_bytes = self->raw_name != NULL ? self->raw_length : 0;
  return self->raw_name;
}

const char *
hold_entry_get_disk_path (const HoldEntry *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->disk_path;
}

gboolean
hold_entry_get_size (const HoldEntry *self, guint64 *size_bytes)
{
  g_return_val_if_fail (self != NULL, FALSE);

  if (!has (self, HOLD_ENTRY_HAS_SIZE))
    return FALSE;
  if (size_bytes != NULL)
    *size_bytes = self->size;
  return TRUE;
}

gboolean
hold_entry_get_packed_size (const HoldEntry *self, guint64 *size_bytes)
{
  g_return_val_if_fail (self != NULL, FALSE);

  if (!has (self, HOLD_ENTRY_HAS_PACKED))
    return FALSE;
  if (size_bytes != NULL)
    *size_bytes = self->packed;
  return TRUE;
}

gboolean
hold_entry_get_mtime (const HoldEntry *self, gint64 *seconds, guint *nanoseconds)
{
  g_return_val_if_fail (self != NULL, FALSE);

  if (!has (self, HOLD_ENTRY_HAS_MTIME))
    return FALSE;
  if (seconds != NULL)
    *seconds = self->mtime;
  if (nanoseconds != NULL)
    *nanoseconds = self->mtime_ns;
  return TRUE;
}

gboolean
hold_entry_get_mode (const HoldEntry *self, guint *mode)
{
  g_return_val_if_fail (self != NULL, FALSE);

  if (!has (self, HOLD_ENTRY_HAS_MODE))
    return FALSE;
  if (mode != NULL)
    *mode = self->mode & 07777;
  return TRUE;
}

gboolean
hold_entry_get_crc32 (const HoldEntry *self, guint32 *crc)
{
  g_return_val_if_fail (self != NULL, FALSE);

  if (!has (self, HOLD_ENTRY_HAS_CRC32))
    return FALSE;
  if (crc != NULL)
    *crc = self->crc32;
  return TRUE;
}

const char *
hold_entry_get_method (const HoldEntry *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->method;
}

const char *
hold_entry_get_link_target (const HoldEntry *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->link_target;
}

const char *
hold_entry_get_disk_link_target (const HoldEntry *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->disk_link_target;
}

const char *
hold_entry_get_comment (const HoldEntry *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->comment;
}

gboolean
hold_entry_is_encrypted (const HoldEntry *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return has (self, HOLD_ENTRY_ENCRYPTED);
}

gboolean
hold_entry_is_streamed (const HoldEntry *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return has (self, HOLD_ENTRY_STREAMED);
}

gboolean
hold_entry_is_readable (const HoldEntry *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return !has (self, HOLD_ENTRY_UNREADABLE);
}

HoldUnsafe
hold_entry_get_unsafe (const HoldEntry *self)
{
  g_return_val_if_fail (self != NULL, HOLD_UNSAFE_NONE);

  return (HoldUnsafe) self->unsafe;
}
