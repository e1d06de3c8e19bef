/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The destination as a whole: opening it, looking around in it, and taking back what was
 * made. */

#include "config.h"

#include "hold-disk-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

gboolean
_hold_disk_check_name (const char *name, GError **error)
{
  const char *part = name;

  for (;;)
    {
      gsize length = strcspn (part, "/");

      if (length == 0 || (length == 1 && part[0] == '.') || (length == 2 && part[0] == '.' && part[1] == '.'))
        {
          g_set_error (error, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME, "“%s” is no safe name for a file", name);
          return FALSE;
        }
      if (part[length] == '\0')
        return TRUE;
      part += length + 1;
    }
}

/* Where the file system that holds @path is mounted: the last folder upwards on the same device. */
static char *
dup_mount_point (const char *path)
{
  g_autofree char *real = realpath (path, NULL);
  char *at = g_strdup (real != NULL ? real : path);
  struct stat st, above;

  if (stat (at, &st) != 0)
    return at;
  while (at[0] == '/' && at[1] != '\0')
    {
      g_autofree char *parent = g_path_get_dirname (at);

      if (stat (parent, &above) != 0 || above.st_dev != st.st_dev)
        break;
      g_free (at);
      at = g_steal_pointer (&parent);
    }
  return at;
}

gboolean
_hold_disk_sink_set_error (HoldDiskSink *self, GError **error, const char *what, const char *name, int errsv)
{
  int code = g_io_error_from_errno (errsv);

  switch (errsv)
    {
    case ENOSPC:
    case EDQUOT:
      {
        g_autofree char *mount_point = dup_mount_point (self->path);

        g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE, "Could not %s “%s”: %s “%s” is full", what, name,
                     errsv == EDQUOT ? "your share of the disk mounted at" : "the disk mounted at", mount_point);
        break;
      }
    case EEXIST:
      g_set_error (error, G_IO_ERROR, code, "Could not %s “%s”: something of that name is there already", what, name);
      break;
    case EISDIR:
      g_set_error (error, G_IO_ERROR, code, "Could not %s “%s”: a folder of that name is there", what, name);
      break;
    case EFBIG:
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
                   "Could not %s “%s”: it is larger than a file may be on this disk", what, name);
      break;
    default:
      g_set_error (error, G_IO_ERROR, code, "Could not %s “%s”: %s", what, name, g_strerror (errsv));
    }
  return FALSE;
}

/* umask(2) can only be read by changing it, which another thread would notice; the kernel tells it
 * here. */
static mode_t
read_umask (void)
{
  g_autofree char *status = NULL;
  const char *line;

  if (g_file_get_contents ("/proc/self/status", &status, NULL, NULL))
    {
      line = strstr (status, "\nUmask:");
      if (line != NULL)
        return (mode_t) strtoul (line + strlen ("\nUmask:"), NULL, 8) & 0777;
    }
  return 022;
}

/* *refused: why a part could not be made, if opening the whole path will tell whether that
 * matters. */
static gboolean
make_parents (const char *path, GPtrArray *made, int *refused, GError **error)
{
  g_autofree char *part = g_strdup (path);

  for (char *end = part + 1;; end++)
    {
      char kept = *end;

      if (kept != '/' && kept != '\0')
        continue;
      *end = '\0';
      if (mkdir (part, 0777) == 0)
        g_ptr_array_add (made, g_strdup (part));
      /* These come before EEXIST on some file systems. */
      else if (errno == EROFS || errno == EACCES || errno == EPERM || errno == EISDIR)
        *refused = errno;
      else if (errno != EEXIST)
        {
          int errsv = errno;

          g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errsv),
                       errsv == ENOTDIR ? "Could not make the folder “%s”: a file is in the way"
                                        : "Could not make the folder “%s”: %s",
                       part, g_strerror (errsv));
          return FALSE;
        }
      *end = kept;
      if (kept == '\0')
        return TRUE;
    }
}

static void
link_free (gpointer data)
{
  HoldDiskLink *link = data;

  g_free (link->name);
  g_free (link->target);
  g_free (link);
}

static void
made_folder_free (gpointer data)
{
  HoldDiskMadeFolder *made = data;

  g_free (made->name);
  g_free (made);
}

static void
folder_unref (gpointer data)
{
  _hold_disk_folder_unref (data);
}

static void
remove_made_parents (GPtrArray *made)
{
  for (guint i = made->len; i > 0; i--)
    if (rmdir (g_ptr_array_index (made, i - 1)) != 0)
      break;
  g_ptr_array_set_size (made, 0);
}

static char *
make_absolute (const char *path)
{
  g_autofree char *here = NULL;

  /* Taking ".." out of the text would be wrong where links are in the path. */
  if (strstr (path, "..") == NULL)
    return g_canonicalize_filename (path, NULL);
  if (g_path_is_absolute (path))
    return g_strdup (path);
  here = g_get_current_dir ();
  return g_build_filename (here, path, NULL);
}

/* How many folders are kept open. Archives are mostly in folder order, so few are enough; other
 * jobs and all else that holds descriptors need room too. */
static guint
choose_max_open_folders (void)
{
  struct rlimit limit;

  if (getrlimit (RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return 128;
  return (guint) CLAMP (limit.rlim_cur / 8, 4, 128);
}

static gboolean
open_destination (const char *path, int refused, int *fd, struct stat *st, GError **error)
{
  int errsv;

  /* Links are followed here and only here: this is the path that a person chose (S04). */
  *fd = TEMP_FAILURE_RETRY (open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (*fd < 0 && errno == EACCES)
    *fd = TEMP_FAILURE_RETRY (open (path, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (*fd >= 0 && fstat (*fd, st) == 0)
    return TRUE;

  errsv = errno;
  if (*fd >= 0 && close (*fd) != 0)
    g_debug ("Closing “%s”: %s", path, g_strerror (errno));
  if (errsv == ENOTDIR)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_DIRECTORY, "“%s” is not a folder", path);
  else if (errsv == ENOENT && refused != 0)
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (refused), "Could not make the folder “%s”: %s", path,
                 g_strerror (refused));
  else
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errsv), "Could not open the folder “%s”: %s", path,
                 g_strerror (errsv));
  return FALSE;
}

HoldDiskSink *
hold_disk_sink_new (const char *path, GError **error)
{
  g_autoptr (GPtrArray) made_parents = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *absolute = make_absolute (path);
  HoldDiskSink *self;
  struct stat st;
  int fd, root_fd, refused = 0;

  if (!make_parents (absolute, made_parents, &refused, error)
      || !open_destination (absolute, refused, &fd, &st, error))
    {
      remove_made_parents (made_parents);
      return NULL;
    }
  root_fd = fcntl (fd, F_DUPFD_CLOEXEC, 0);
  if (root_fd < 0)
    {
      int errsv = errno;

      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errsv), "Could not open the folder “%s”: %s", absolute,
                   g_strerror (errsv));
      close (fd);
      remove_made_parents (made_parents);
      return NULL;
    }

  self = g_new0 (HoldDiskSink, 1);
  g_mutex_init (&self->lock);
  self->path = g_steal_pointer (&absolute);
  self->fd = fd;
  self->device = st.st_dev;
  self->umask = read_umask ();
  self->max_open_folders = choose_max_open_folders ();
  /* A nameless file gets its name by way of /proc. */
  self->tmpfile_works = access ("/proc/self/fd", X_OK) == 0;
  self->made_parents = g_steal_pointer (&made_parents);
  self->folders = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, folder_unref);
  g_queue_init (&self->lru);
  self->root = _hold_disk_folder_new_root (root_fd, st.st_dev);
  self->made_folders = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, made_folder_free);
  self->made_files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->links = g_ptr_array_new_with_free_func (link_free);
  self->link_names = g_hash_table_new (g_str_hash, g_str_equal);
  self->handed_out = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->next_number = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->devices = g_array_new (FALSE, FALSE, sizeof (HoldDiskDevice));
  _hold_disk_sink_remember_device (self, self->root);
  return self;
}

void
hold_disk_sink_free (HoldDiskSink *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->devices->len; i++)
    if (g_array_index (self->devices, HoldDiskDevice, i).fd >= 0)
      close (g_array_index (self->devices, HoldDiskDevice, i).fd);
  g_array_unref (self->devices);
  g_hash_table_unref (self->folders);
  _hold_disk_folder_unref (self->root);
  g_hash_table_unref (self->made_folders);
  g_hash_table_unref (self->made_files);
  g_hash_table_unref (self->link_names);
  g_ptr_array_unref (self->links);
  g_hash_table_unref (self->handed_out);
  g_hash_table_unref (self->next_number);
  g_ptr_array_unref (self->made_parents);
  /* Nothing was written through this descriptor. */
  close (self->fd);
  g_mutex_clear (&self->lock);
  g_free (self->path);
  g_free (self);
}

const char *
hold_disk_sink_get_path (HoldDiskSink *self)
{
  return self->path;
}

/* What finish() will make at @name. */
static HoldDiskKind
get_planned_kind (HoldDiskSink *self, const char *name)
{
  HoldDiskKind kind = HOLD_DISK_NOTHING;
  HoldDiskLink *link;

  g_mutex_lock (&self->lock);
  link = g_hash_table_lookup (self->link_names, name);
  if (link != NULL)
    kind = link->kind == HOLD_DISK_LINK_SYMBOLIC ? HOLD_DISK_SYMLINK : HOLD_DISK_FILE;
  g_mutex_unlock (&self->lock);
  return kind;
}

gboolean
hold_disk_sink_look_up (HoldDiskSink *self, const char *name, HoldDiskKind *kind, guint64 *size_bytes, gint64 *mtime,
                        char **blocked_by, GError **error)
{
  g_autoptr (HoldDiskFolder) folder = NULL;
  g_autoptr (GError) local_error = NULL;
  g_autofree char *blocker = NULL;
  const char *base;
  struct stat st;

  *kind = HOLD_DISK_NOTHING;
  if (size_bytes != NULL)
    *size_bytes = 0;
  if (mtime != NULL)
    *mtime = 0;
  if (blocked_by != NULL)
    *blocked_by = NULL;
  if (!_hold_disk_check_name (name, error))
    return FALSE;

  folder = _hold_disk_sink_get_parent (self, name, HOLD_DISK_MUST_EXIST, &base, &blocker, &local_error);
  if (folder == NULL)
    {
      if (blocker == NULL && local_error != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&local_error));
          return FALSE;
        }
      if (blocker == NULL)
        *kind = get_planned_kind (self, name);
      if (blocked_by != NULL)
        *blocked_by = g_steal_pointer (&blocker);
      return TRUE;
    }

  if (fstatat (folder->fd, base, &st, AT_SYMLINK_NOFOLLOW) != 0)
    {
      if (errno != ENOENT)
        return _hold_disk_sink_set_error (self, error, "look at", name, errno);
      *kind = get_planned_kind (self, name);
      return TRUE;
    }
  if (S_ISREG (st.st_mode))
    {
      *kind = HOLD_DISK_FILE;
      if (size_bytes != NULL)
        *size_bytes = (guint64) st.st_size;
      if (mtime != NULL)
        *mtime = st.st_mtim.tv_sec;
    }
  else if (S_ISDIR (st.st_mode))
    *kind = HOLD_DISK_FOLDER;
  else if (S_ISLNK (st.st_mode))
    *kind = HOLD_DISK_SYMLINK;
  else
    *kind = HOLD_DISK_OTHER;
  return TRUE;
}

gboolean
hold_disk_sink_get_free_space (HoldDiskSink *self, guint64 *free_bytes, GError **error)
{
  struct statvfs fs;

  if (fstatvfs (self->fd, &fs) != 0)
    return _hold_disk_sink_set_error (self, error, "ask for the free space of", self->path, errno);
  /* A place behind GVfs that does not tell, and a tmpfs without a limit. */
  if (fs.f_blocks == 0)
    return _hold_disk_sink_set_error (self, error, "ask for the free space of", self->path, ENOTSUP);
  *free_bytes = (guint64) fs.f_bavail * fs.f_frsize;
  return TRUE;
}

void
hold_disk_sink_discard (HoldDiskSink *self)
{
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_remove_all (self->link_names);
  g_ptr_array_set_size (self->links, 0);
  _hold_disk_sink_unlock_folders (self);

  g_hash_table_iter_init (&iter, self->made_files);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      HoldDiskMadeFile *made = value;
      g_autoptr (HoldDiskFolder) parent = NULL;
      const char *base;
      struct stat st;

      /* What stood there before is gone; an empty place would be worse than the new file. */
      if (made->replaced)
        continue;
      parent = _hold_disk_sink_get_parent (self, key, HOLD_DISK_MUST_EXIST, &base, NULL, NULL);
      if (parent == NULL || fstatat (parent->fd, base, &st, AT_SYMLINK_NOFOLLOW) != 0
          || st.st_dev != made->device || st.st_ino != made->inode)
        continue;
      if (unlinkat (parent->fd, base, 0) != 0)
        g_debug ("“%s” stays: %s", (char *) key, g_strerror (errno));
    }
  g_hash_table_remove_all (self->made_files);

  _hold_disk_sink_remove_folders (self);
  remove_made_parents (self->made_parents);
}
