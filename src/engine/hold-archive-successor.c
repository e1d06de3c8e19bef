/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What a snapshot became by our own rewrites, so that a job that was made for an older snapshot
 * finds the present one instead of calling our own change somebody else's. */

#include "config.h"

#include "hold-archive-private.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>

typedef struct
{
  HoldArchive *archive;
  guint *map;
} Successor;

G_LOCK_DEFINE_STATIC (successors);

static GQuark
successor_quark (void)
{
  return g_quark_from_static_string ("hold-archive-successor");
}

static void
successor_free (gpointer data)
{
  Successor *self = data;

  g_object_unref (self->archive);
  g_free (self->map);
  g_free (self);
}

void
_hold_archive_set_successor (HoldArchive *self,
                             HoldArchive *successor,
                             guint       *map)
{
  Successor *next = g_new0 (Successor, 1);

  next->archive = g_object_ref (successor);
  next->map = map;

  G_LOCK (successors);
  g_object_set_qdata_full (G_OBJECT (self), successor_quark (), next, successor_free);
  G_UNLOCK (successors);
}

HoldArchive *
_hold_archive_dup_latest (HoldArchive *self)
{
  HoldArchive *latest = self;
  const Successor *next;

  G_LOCK (successors);
  while ((next = g_object_get_qdata (G_OBJECT (latest), successor_quark ())) != NULL)
    latest = next->archive;
  g_object_ref (latest);
  G_UNLOCK (successors);

  return latest;
}

guint
_hold_archive_map_index (HoldArchive *self,
                         guint        index)
{
  HoldArchive *at = self;
  const Successor *next;

  G_LOCK (successors);
  while (index != G_MAXUINT && (next = g_object_get_qdata (G_OBJECT (at), successor_quark ())) != NULL)
    {
      index = next->map[index];
      at = next->archive;
    }
  G_UNLOCK (successors);

  return index;
}

HoldArchive *
hold_archive_follow (HoldArchive *self,
                     guint       *index)
{
  HoldArchive *at = self;
  const Successor *next;

  g_return_val_if_fail (HOLD_IS_ARCHIVE (self), NULL);

  G_LOCK (successors);
  while ((next = g_object_get_qdata (G_OBJECT (at), successor_quark ())) != NULL)
    {
      if (*index != G_MAXUINT)
        *index = next->map[*index];
      at = next->archive;
    }
  g_object_ref (at);
  G_UNLOCK (successors);

  return at;
}

static GQuark
backup_quark (void)
{
  return g_quark_from_static_string ("hold-archive-backup");
}

/* Descriptors are kept from 1, so that none is NULL. */
static void
backup_free (gpointer data)
{
  g_close (GPOINTER_TO_INT (data) - 1, NULL);
}

void
_hold_archive_take_backup (HoldArchive *self,
                           int          fd)
{
  G_LOCK (successors);
  g_object_set_qdata_full (G_OBJECT (self), backup_quark (), GINT_TO_POINTER (fd + 1), backup_free);
  G_UNLOCK (successors);
}

int
_hold_archive_dup_backup (HoldArchive *self)
{
  int fd;

  G_LOCK (successors);
  fd = GPOINTER_TO_INT (g_object_get_qdata (G_OBJECT (self), backup_quark ())) - 1;
  if (fd >= 0)
    fd = fcntl (fd, F_DUPFD_CLOEXEC, 0);
  G_UNLOCK (successors);
  return fd;
}

gboolean
hold_archive_has_backup (HoldArchive *self,
                         guint64     *size_bytes)
{
  struct stat st;
  gboolean has;
  int fd;

  G_LOCK (successors);
  fd = GPOINTER_TO_INT (g_object_get_qdata (G_OBJECT (self), backup_quark ())) - 1;
  has = fd >= 0 && fstat (fd, &st) == 0;
  G_UNLOCK (successors);

  if (has && size_bytes != NULL)
    *size_bytes = (guint64) st.st_size;
  return has;
}

void
hold_archive_drop_backup (HoldArchive *self)
{
  G_LOCK (successors);
  g_object_set_qdata (G_OBJECT (self), backup_quark (), NULL);
  G_UNLOCK (successors);
}
