/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Makes, locks and cleans the folders in which files wait for other programs. */

#include "config.h"

#include "hold-staging.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "hold-disk-sync.h"
#include "hold-staging-private.h"

#define LOCK "lock"
#define MANIFEST "manifest"
#define PAYLOAD "files"

struct _HoldStaging
{
  char *folder;
  char *payload;
  int folder_fd;
  int payload_fd;
  int lock_fd;
  guint depth;                   /* of the items */
  HoldStagingManifest *manifest; /* NULL until recorded */
};

static char *
staging_root (const char *cache_folder)
{
  return g_build_filename (cache_folder, "holdall", "staging", NULL);
}

static int
open_folder (int         parent_fd,
             const char *name)
{
  return TEMP_FAILURE_RETRY (openat (parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

static void
close_fd (int fd)
{
  if (fd >= 0)
    g_close (fd, NULL);
}

void
hold_staging_free (HoldStaging *self)
{
  if (self == NULL)
    return;

  close_fd (self->payload_fd);
  close_fd (self->lock_fd);
  close_fd (self->folder_fd);
  g_clear_pointer (&self->manifest, g_array_unref);
  g_free (self->payload);
  g_free (self->folder);
  g_free (self);
}

static HoldStaging *
staging_alloc (const char *folder)
{
  HoldStaging *self = g_new0 (HoldStaging, 1);

  self->folder = g_strdup (folder);
  self->payload = g_build_filename (folder, PAYLOAD, NULL);
  self->folder_fd = self->payload_fd = self->lock_fd = -1;
  self->depth = 1;
  return self;
}

HoldStaging *
hold_staging_new (const char  *cache_folder,
                  GError     **error)
{
  g_autofree char *root = staging_root (cache_folder);
  g_autofree char *random = NULL;
  g_autofree char *folder = NULL;
  g_autoptr (HoldStaging) self = NULL;

  /* A random name is never used again, so a stale clipboard can never point to other files than it
   * meant. */
  random = g_uuid_string_random ();
  folder = g_build_filename (root, random, NULL);
  self = staging_alloc (folder);

  if (g_mkdir_with_parents (root, 0700) == 0 && mkdir (folder, 0700) == 0)
    {
      self->folder_fd = open_folder (AT_FDCWD, folder);
      if (self->folder_fd >= 0)
        self->lock_fd = TEMP_FAILURE_RETRY (openat (self->folder_fd, LOCK,
                                                    O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
      if (self->lock_fd >= 0 &&
          TEMP_FAILURE_RETRY (flock (self->lock_fd, LOCK_EX | LOCK_NB)) == 0 &&
          mkdirat (self->folder_fd, PAYLOAD, 0700) == 0)
        self->payload_fd = open_folder (self->folder_fd, PAYLOAD);
    }
  if (self->payload_fd < 0)
    {
      int saved_errno = errno;

      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved_errno),
                   "Making a folder for files on their way in “%s”: %s", root, g_strerror (saved_errno));
      return NULL;
    }

  return g_steal_pointer (&self);
}

gboolean
hold_staging_get_free_space (const char *cache_folder,
                             guint64    *free_bytes)
{
  g_autofree char *folder = g_strdup (cache_folder);
  struct statvfs fs;

  while (statvfs (folder, &fs) != 0)
    {
      char *upper = errno == ENOENT ? g_path_get_dirname (folder) : NULL;

      if (upper == NULL || g_str_equal (upper, folder))
        {
          g_free (upper);
          return FALSE;
        }
      g_free (folder);
      folder = upper;
    }
  if (fs.f_blocks == 0)
    return FALSE;
  *free_bytes = (guint64) fs.f_bavail * fs.f_frsize;
  return TRUE;
}

const char *
hold_staging_get_payload (HoldStaging *self)
{
  return self->payload;
}

gboolean
hold_staging_record (HoldStaging  *self,
                     GError      **error)
{
  HoldStagingManifest *manifest = hold_staging_manifest_scan (self->payload_fd, error);

  if (manifest == NULL)
    return FALSE;
  g_clear_pointer (&self->manifest, g_array_unref);
  self->manifest = manifest;
  return _hold_staging_save_manifest (self, error);
}

gboolean
_hold_staging_save_manifest (HoldStaging  *self,
                             GError      **error)
{
  return hold_staging_manifest_save (self->manifest, self->folder_fd, MANIFEST, error);
}

HoldStagingManifest *
_hold_staging_get_manifest (HoldStaging *self)
{
  return self->manifest;
}

int
_hold_staging_get_folder_fd (HoldStaging *self)
{
  return self->folder_fd;
}

int
_hold_staging_get_payload_fd (HoldStaging *self)
{
  return self->payload_fd;
}

guint
hold_staging_get_n_recorded (HoldStaging *self)
{
  return self->manifest != NULL ? self->manifest->len : 0;
}

void
hold_staging_set_depth (HoldStaging *self,
                        guint        depth)
{
  self->depth = depth;
}

guint
hold_staging_get_depth (HoldStaging *self)
{
  return self->depth;
}

gboolean
_hold_staging_is_item (HoldStaging *self,
                       const char  *path)
{
  guint depth = 1;

  for (; *path != '\0'; path++)
    depth += *path == '/' ? 1 : 0;
  return depth == self->depth;
}

char **
hold_staging_dup_items (HoldStaging *self)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (guint i = 0; i < hold_staging_get_n_recorded (self); i++)
    {
      const HoldStagedItem *item = &g_array_index (self->manifest, HoldStagedItem, i);

      if (_hold_staging_is_item (self, item->path))
        {
          g_autofree char *path = g_build_filename (self->payload, item->path, NULL);

          g_strv_builder_add (builder, path);
        }
    }

  return g_strv_builder_end (builder);
}

gboolean
hold_staging_sync (HoldStaging  *self,
                   GError      **error)
{
  if (syncfs (self->folder_fd) == 0)
    return TRUE;
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "Writing to the disk: %s", g_strerror (errno));
  return FALSE;
}

gboolean
hold_staging_sync_everywhere (GError **error)
{
  return hold_disk_sync_everywhere (error);
}

static gboolean
remove_name (HoldStaging *self,
             const char  *name,
             int          flags)
{
  return unlinkat (self->folder_fd, name, flags) == 0 || errno == ENOENT;
}

/* Empties the payload as far as it is ours. TRUE if it is gone. */
static gboolean
remove_payload (HoldStaging *self)
{
  /* Not recorded means that nobody was told: then all that lies there is what our own job put
   * there. */
  if (self->manifest == NULL && self->payload_fd >= 0)
    self->manifest = hold_staging_manifest_scan (self->payload_fd, NULL);
  if (self->manifest != NULL && self->payload_fd >= 0)
    hold_staging_manifest_remove (self->manifest, self->payload_fd, FALSE);
  return remove_name (self, PAYLOAD, AT_REMOVEDIR);
}

gboolean
hold_staging_clean (HoldStaging *self)
{
  /* What is left must be known to whoever comes next, so the manifest goes only after the
   * payload. */
  if (!remove_payload (self) || !remove_name (self, MANIFEST, 0) ||
      !remove_name (self, HOLD_STAGING_MANIFEST_PART, 0) ||
      !remove_name (self, HOLD_STAGING_ORIGIN, 0) || !remove_name (self, LOCK, 0))
    return FALSE;
  return rmdir (self->folder) == 0;
}

gboolean
hold_staging_bury (HoldStaging *self)
{
  int fd;

  /* All files have left it: one that is there has just come back, and is somebody's only copy. */
  if (self->manifest != NULL && self->payload_fd >= 0)
    hold_staging_manifest_remove (self->manifest, self->payload_fd, TRUE);
  if (!remove_name (self, PAYLOAD, AT_REMOVEDIR))
    return FALSE;
  fd = TEMP_FAILURE_RETRY (openat (self->folder_fd, PAYLOAD,
                                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400));
  close_fd (fd);
  return fd >= 0;
}

gboolean
hold_staging_disown (HoldStaging         *self,
                     const char * const  *items,
                     GError             **error)
{
  g_autoptr (GHashTable) gone = g_hash_table_new (g_str_hash, g_str_equal);

  g_return_val_if_fail (self->manifest != NULL, FALSE);

  for (guint i = 0; items[i] != NULL; i++)
    g_hash_table_add (gone, (gpointer) items[i]);
  hold_staging_manifest_drop (self->manifest, gone, self->depth);
  return _hold_staging_save_manifest (self, error);
}

HoldStaging *
_hold_staging_adopt (const char *folder,
                     guint       min_age_seconds)
{
  g_autoptr (HoldStaging) self = staging_alloc (folder);
  gint64 now = g_get_real_time () / G_USEC_PER_SEC;
  struct stat st;

  self->folder_fd = open_folder (AT_FDCWD, folder);
  if (self->folder_fd < 0)
    return NULL;
  self->lock_fd = TEMP_FAILURE_RETRY (openat (self->folder_fd, LOCK, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (self->lock_fd < 0 ||
      TEMP_FAILURE_RETRY (flock (self->lock_fd, LOCK_EX | LOCK_NB)) != 0 ||
      fstat (self->folder_fd, &st) != 0 || now - st.st_mtime < (gint64) min_age_seconds)
    return NULL;

  self->payload_fd = open_folder (self->folder_fd, PAYLOAD);
  if (self->payload_fd < 0 && fstatat (self->folder_fd, PAYLOAD, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
      S_ISREG (st.st_mode) && st.st_size == 0)
    remove_name (self, PAYLOAD, 0);
  if (faccessat (self->folder_fd, MANIFEST, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
    {
      self->manifest = hold_staging_manifest_load (self->folder_fd, MANIFEST, NULL);
      /* A damaged manifest vouches for nothing: better litter than a lost file. */
      if (self->manifest == NULL)
        return NULL;
    }

  return g_steal_pointer (&self);
}

void
hold_staging_sweep (const char *cache_folder,
                    guint       min_age_seconds)
{
  g_autofree char *root = staging_root (cache_folder);
  g_autoptr (GDir) dir = g_dir_open (root, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *folder = g_build_filename (root, name, NULL);
      g_autoptr (HoldStaging) left = NULL;

      if (!g_uuid_string_is_valid (name))
        continue;
      left = _hold_staging_adopt (folder, min_age_seconds);
      if (left != NULL && !hold_staging_clean (left))
        g_debug ("“%s” is not empty and stays", folder);
    }
}
