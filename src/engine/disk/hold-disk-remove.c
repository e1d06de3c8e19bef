/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Removing what other programs may be changing at the same moment. The identity of each file is
 * looked at right before its name is removed: with the change time in it, also a file that was
 * written to, or moved away and back, while it was read is not taken for what the archive holds. */

#include "config.h"

#include "hold-disk-remove.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define NS_PER_SECOND G_GINT64_CONSTANT (1000000000)

typedef struct {
  GHashTable *folders;   /* disk path → HoldPlanSource, borrowed both */
  GHashTable *unlinked;  /* "device inode" of files with names left → their change time, gint64 in ns */
  char *parent;          /* (nullable): where parent_fd is */
  int parent_fd;
  HoldDiskKept kept;
  gpointer user_data;
  guint n_removed;
} Remove;

static void
keep (Remove     *self,
      const char *path,
      int         saved_errno)
{
  g_autoptr (GError) error = g_error_new (G_IO_ERROR, g_io_error_from_errno (saved_errno),
                                          "It is in the archive, but could not be removed here: %s",
                                          g_strerror (saved_errno));

  self->kept (self->user_data, path, error);
}

static void
keep_changed (Remove     *self,
              const char *path)
{
  g_autoptr (GError) error =
    g_error_new_literal (G_IO_ERROR, G_IO_ERROR_WRONG_ETAG,
                         "It was changed while it was read, so it stays here");

  self->kept (self->user_data, path, error);
}

/* -1 with errno. A folder that was asked for is opened from its own parent, and never by a link in
 * its place; above those are the ways by which the person came, links or not. */
static int
open_folder (Remove     *self,
             const char *path)
{
  const HoldPlanSource *folder = g_hash_table_lookup (self->folders, path);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (path);
  struct stat st;
  int parent_fd, fd;

  if (folder == NULL)
    return TEMP_FAILURE_RETRY (open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));

  parent_fd = open_folder (self, parent);
  if (parent_fd < 0)
    return -1;
  fd = TEMP_FAILURE_RETRY (openat (parent_fd, name,
                                   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  g_close (parent_fd, NULL);
  if (fd < 0)
    return -1;
  if (fstat (fd, &st) == 0 && st.st_dev == folder->device && st.st_ino == folder->inode)
    return fd;
  g_close (fd, NULL);
  errno = ENOENT;
  return -1;
}

/* Neighbours come one after the other, so one folder is kept open. */
static int
get_parent_fd (Remove     *self,
               const char *path)
{
  g_autofree char *parent = g_path_get_dirname (path);

  if (g_strcmp0 (self->parent, parent) == 0)
    return self->parent_fd;
  if (self->parent_fd >= 0)
    g_close (self->parent_fd, NULL);
  g_free (self->parent);
  self->parent = NULL;
  self->parent_fd = open_folder (self, parent);
  if (self->parent_fd >= 0)
    self->parent = g_steal_pointer (&parent);
  return self->parent_fd;
}

static gint64
to_ns (const struct timespec *time)
{
  return time->tv_sec * NS_PER_SECOND + time->tv_nsec;
}

static char *
dup_key (const struct stat *st)
{
  return g_strdup_printf ("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, (guint64) st->st_dev,
                          (guint64) st->st_ino);
}

static gboolean
is_same (Remove               *self,
         const HoldPlanSource *source,
         const struct stat    *st)
{
  g_autofree char *key = dup_key (st);
  const gint64 *unlinked = g_hash_table_lookup (self->unlinked, key);

  if (st->st_dev != source->device || st->st_ino != source->inode)
    return FALSE;
  /* What lay in a folder has just been removed: only its name and number can be compared. */
  if (source->type == HOLD_ENTRY_FOLDER)
    return S_ISDIR (st->st_mode);
  return (source->type == HOLD_ENTRY_SYMLINK ? S_ISLNK (st->st_mode) : S_ISREG (st->st_mode)) &&
         (guint64) st->st_size == source->size_bytes &&
         st->st_mtim.tv_sec == source->mtime && (guint) st->st_mtim.tv_nsec == source->mtime_ns &&
         to_ns (&st->st_ctim) == (unlinked != NULL ? *unlinked : source->ctime_ns);
}

static gboolean
is_asked_for (Remove     *self,
              const char *path)
{
  g_autofree char *parent = g_path_get_dirname (path);

  return g_hash_table_contains (self->folders, parent);
}

/* Like unlinkat(2). To remove one of several names changes the file for the others: from then on
 * that is the time to compare. */
static int
unlink_one (Remove            *self,
            int                parent_fd,
            const char        *name,
            const struct stat *st)
{
  int fd = -1;
  int result, saved_errno;
  struct stat now;

  if (st->st_nlink > 1)
    fd = TEMP_FAILURE_RETRY (openat (parent_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
  result = unlinkat (parent_fd, name, 0);
  saved_errno = errno;
  if (fd >= 0)
    {
      if (result == 0 && fstat (fd, &now) == 0)
        {
          gint64 changed = to_ns (&now.st_ctim);

          g_hash_table_insert (self->unlinked, dup_key (&now), g_memdup2 (&changed, sizeof changed));
        }
      g_close (fd, NULL);
    }
  errno = saved_errno;
  return result;
}

static void
remove_one (Remove               *self,
            const HoldPlanSource *source)
{
  g_autofree char *name = g_path_get_basename (source->disk_path);
  gboolean is_folder = source->type == HOLD_ENTRY_FOLDER;
  int parent_fd = get_parent_fd (self, source->disk_path);
  struct stat st;

  if (parent_fd < 0 || fstatat (parent_fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
    {
      /* Gone is what was wanted. */
      if (errno != ENOENT)
        keep (self, source->disk_path, errno);
      return;
    }
  if (!is_same (self, source, &st))
    keep_changed (self, source->disk_path);
  else if ((is_folder ? unlinkat (parent_fd, name, AT_REMOVEDIR)
                      : unlink_one (self, parent_fd, name, &st)) == 0)
    self->n_removed++;
  else if (!is_folder || (errno != ENOTEMPTY && errno != EEXIST))
    keep (self, source->disk_path, errno);
  else if (!is_asked_for (self, source->disk_path))
    keep (self, source->disk_path, ENOTEMPTY);
}

guint
hold_disk_remove (GPtrArray    *sources,
                  HoldDiskKept  kept,
                  gpointer      user_data)
{
  g_autoptr (GHashTable) folders = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) unlinked = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  Remove self = {
    .folders = folders, .unlinked = unlinked, .parent_fd = -1, .kept = kept, .user_data = user_data,
  };

  for (guint i = 0; i < sources->len; i++)
    {
      HoldPlanSource *source = g_ptr_array_index (sources, i);

      if (source->type == HOLD_ENTRY_FOLDER)
        g_hash_table_insert (folders, source->disk_path, source);
    }
  for (guint i = sources->len; i-- > 0;)
    remove_one (&self, g_ptr_array_index (sources, i));

  if (self.parent_fd >= 0)
    g_close (self.parent_fd, NULL);
  g_free (self.parent);
  return self.n_removed;
}
