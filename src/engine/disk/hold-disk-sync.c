/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What an archive lets go of must be on the disk, and the disk must have said so: sync(2) says
 * nothing, syncfs(2) does under conditions, fsync(2) of every file and folder always. */

#include "config.h"

#include "hold-disk-private.h"

#include "hold-disk-sync.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gunixmounts.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef EXFAT_SUPER_MAGIC
#define EXFAT_SUPER_MAGIC 0x2011BAB0
#endif

/* syncfs(2), VERSIONS: "Since Linux 5.8, syncfs() will also report an error if one or more inodes
 * failed to be written back since the last syncfs() call"; before, only a bad descriptor. */
static gboolean
kernel_tells_of_lost_writes (void)
{
  struct utsname names;
  unsigned major, minor;

  return uname (&names) == 0 && sscanf (names.release, "%u.%u", &major, &minor) == 2 &&
         (major > 5 || (major == 5 && minor >= 8));
}

/* The kernel keeps that account for each file system that writes to a disk of its own. One that lies
 * upon another (overlay), or talks to a program or a server, may never hear of what was lost. */
static gboolean
tells_of_lost_writes (int fd)
{
  struct statfs fs;

  if (!kernel_tells_of_lost_writes () || fstatfs (fd, &fs) != 0)
    return FALSE;
  switch ((guint32) fs.f_type)
    {
    case EXT4_SUPER_MAGIC: /* and ext2, ext3 */
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC:
    case MSDOS_SUPER_MAGIC:
    case EXFAT_SUPER_MAGIC:
    case TMPFS_MAGIC: /* keeps nothing beyond the power, and can't lose a write before */
      return TRUE;
    default:
      return FALSE;
    }
}

/* What is lost before a descriptor was opened may be told to others only, so this comes before the
 * first write. A folder that may not be read still takes a file without a name. */
void
_hold_disk_sink_remember_device (HoldDiskSink *self, HoldDiskFolder *folder)
{
  HoldDiskDevice device = { folder->device, -1 };

  for (guint i = 0; i < self->devices->len; i++)
    if (g_array_index (self->devices, HoldDiskDevice, i).device == folder->device)
      return;
  device.fd = TEMP_FAILURE_RETRY (openat (folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (device.fd < 0)
    device.fd = TEMP_FAILURE_RETRY (openat (folder->fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  g_array_append_val (self->devices, device);
}

/* Takes @fd; -1 with errno is what openat() left. */
static gboolean
sync_and_close (HoldDiskSink *self, int fd, const char *name, GError **error)
{
  int errsv = 0;

  if (fd < 0 || TEMP_FAILURE_RETRY (fsync (fd)) != 0)
    errsv = errno;
  if (fd >= 0 && close (fd) != 0 && errno != EINTR && errsv == 0)
    errsv = errno;
  return errsv == 0 || _hold_disk_sink_set_error (self, error, "make durable", name, errsv);
}

static gboolean
sync_folder (HoldDiskSink *self, const char *name, GError **error)
{
  g_autoptr (HoldDiskFolder) folder = _hold_disk_sink_get_folder (self, name, HOLD_DISK_MUST_EXIST, NULL, error);

  if (folder == NULL)
    return error != NULL && *error != NULL ? FALSE
                                           : _hold_disk_sink_set_error (self, error, "make durable", name, ENOENT);
  return sync_and_close (self, TEMP_FAILURE_RETRY (openat (folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
                         *name != '\0' ? name : self->path, error);
}

/* A link is in its folder. What is gone has not arrived, which is for the caller to see. */
static gboolean
sync_file (HoldDiskSink *self, const char *name, GError **error)
{
  const char *base;
  g_autoptr (HoldDiskFolder) folder = _hold_disk_sink_get_parent (self, name, HOLD_DISK_MUST_EXIST, &base, NULL, NULL);
  const int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  int fd;

  if (folder == NULL)
    return TRUE;
  fd = TEMP_FAILURE_RETRY (openat (folder->fd, base, O_RDONLY | flags));
  if (fd < 0 && errno == EACCES)
    fd = TEMP_FAILURE_RETRY (openat (folder->fd, base, O_WRONLY | flags));
  if (fd < 0 && (errno == ELOOP || errno == ENOENT))
    return TRUE;
  return sync_and_close (self, fd, name, error);
}

/* @name and the folders above it, up to the destination. */
static void
add_folders (GHashTable *folders, const char *name)
{
  g_autofree char *folder = g_strdup (name);
  char *slash;

  while (*folder != '\0' && g_hash_table_add (folders, g_strdup (folder)))
    {
      slash = strrchr (folder, '/');
      *(slash != NULL ? slash : folder) = '\0';
    }
  g_hash_table_add (folders, g_strdup (""));
}

/* Every file, every folder with a new name in it, and the folders in which the destination was made. */
static gboolean
sync_each (HoldDiskSink *self, GError **error)
{
  g_autoptr (GHashTable) folders = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, self->made_folders);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    add_folders (folders, key);
  g_hash_table_iter_init (&iter, self->made_files);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      g_autofree char *parent = g_path_get_dirname (key);

      if (!sync_file (self, key, error))
        return FALSE;
      add_folders (folders, g_str_equal (parent, ".") ? "" : parent);
    }

  g_hash_table_iter_init (&iter, folders);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (!sync_folder (self, key, error))
      return FALSE;

  for (guint i = 0; i < self->made_parents->len; i++)
    {
      g_autofree char *parent = g_path_get_dirname (g_ptr_array_index (self->made_parents, i));

      if (!sync_and_close (self, TEMP_FAILURE_RETRY (open (parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)), parent, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hold_disk_sink_sync (HoldDiskSink *self, GError **error)
{
  gboolean is_certain = TRUE;

  /* In one go first: each fsync() has little left to do then. */
  for (guint i = 0; i < self->devices->len; i++)
    {
      int fd = g_array_index (self->devices, HoldDiskDevice, i).fd;

      if (fd < 0)
        sync ();
      else if (syncfs (fd) != 0)
        return _hold_disk_sink_set_error (self, error, "make durable what was written to", self->path, errno);
      is_certain = is_certain && fd >= 0 && tells_of_lost_writes (fd);
    }
  return is_certain || sync_each (self, error);
}

/* Opening a folder of a program that hangs would hang too, and one of a server's may have to be mounted
 * first; their writers have heard of errors when they wrote. */
static gboolean
is_worth_asking (GUnixMountEntry *mount)
{
  const char *type = g_unix_mount_get_fs_type (mount);

  return !g_unix_mount_is_readonly (mount) && !g_str_equal (type, "autofs") && !g_str_equal (type, "fuse") &&
         !g_str_has_prefix (type, "fuse.");
}

gboolean
hold_disk_sync_everywhere (GError **error)
{
  GList *mounts = g_unix_mounts_get (NULL);
  int errsv = 0;

  sync ();
  for (GList *at = mounts; at != NULL && errsv == 0; at = at->next)
    {
      int fd = -1;

      if (is_worth_asking (at->data))
        fd = TEMP_FAILURE_RETRY (open (g_unix_mount_get_mount_path (at->data), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (fd < 0)
        continue;
      /* A loss that nobody has been told of yet is told to a new descriptor as well. */
      if (syncfs (fd) != 0)
        {
          errsv = errno;
          g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errsv), "Writing to the disk mounted at “%s”: %s",
                       g_unix_mount_get_mount_path (at->data), g_strerror (errsv));
        }
      close (fd);
    }
  g_list_free_full (mounts, (GDestroyNotify) g_unix_mount_free);
  return errsv == 0;
}
