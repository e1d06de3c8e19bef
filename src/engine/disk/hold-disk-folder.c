/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Folders below the destination: walked part by part without following links, kept open in a
 * small cache, made with a working mode and settled when everything is in them. */

#include "config.h"

#include "hold-disk-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static HoldDiskFolder *
folder_new (int fd, dev_t device, char *name)
{
  HoldDiskFolder *self = g_new0 (HoldDiskFolder, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->fd = fd;
  self->device = device;
  self->name = name;
  self->link.data = self;
  return self;
}

HoldDiskFolder *
_hold_disk_folder_new_root (int fd, dev_t device)
{
  return folder_new (fd, device, g_strdup (""));
}

HoldDiskFolder *
_hold_disk_folder_ref (HoldDiskFolder *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
_hold_disk_folder_unref (HoldDiskFolder *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  /* An O_PATH descriptor has nothing to flush: closing it can't lose data. */
  if (close (self->fd) != 0)
    g_debug ("Closing folder “%s”: %s", self->name, g_strerror (errno));
  g_free (self->name);
  g_free (self);
}

/* Takes @folder into the cache, and lets the one that was used longest ago go. */
static void
cache_folder (HoldDiskSink *self, HoldDiskFolder *folder)
{
  g_hash_table_insert (self->folders, folder->name, folder);
  g_queue_push_head_link (&self->lru, &folder->link);
  if (folder->device != self->device)
    _hold_disk_sink_remember_device (self, folder);

  if (self->lru.length > self->max_open_folders)
    {
      HoldDiskFolder *oldest = g_queue_peek_tail (&self->lru);

      g_queue_unlink (&self->lru, &oldest->link);
      g_hash_table_remove (self->folders, oldest->name);
    }
}

static HoldDiskFolder *
look_in_cache (HoldDiskSink *self, const char *name)
{
  HoldDiskFolder *folder;

  if (*name == '\0')
    return self->root;
  folder = g_hash_table_lookup (self->folders, name);
  if (folder != NULL && self->lru.head != &folder->link)
    {
      g_queue_unlink (&self->lru, &folder->link);
      g_queue_push_head_link (&self->lru, &folder->link);
    }
  return folder;
}

static void
note_made (HoldDiskSink *self, const char *name, const struct stat *st)
{
  HoldDiskMadeFolder *made = g_new0 (HoldDiskMadeFolder, 1);

  made->name = g_strdup (name);
  made->device = st->st_dev;
  made->inode = st->st_ino;
  g_hash_table_replace (self->made_folders, made->name, made);
}

/* What stands at @base is no folder: say what it is. */
static void
report_blocked (HoldDiskSink *self, HoldDiskFolder *parent, const char *base, const char *name, char **blocked_by,
                GError **error)
{
  struct stat st;

  if (blocked_by != NULL)
    *blocked_by = g_strdup (name);
  if (fstatat (parent->fd, base, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK (st.st_mode))
    g_set_error (error, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME,
                 "“%s” is a link; files are not written through links below “%s”", name, self->path);
  else
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_DIRECTORY,
                 "A folder is needed at “%s”, but a file of that name is in the way", name);
}

/* Opens, or makes and opens, one part. NULL without error: it is not there and should not be
 * made. */
static HoldDiskFolder *
step_into (HoldDiskSink *self, HoldDiskFolder *parent, const char *name, HoldDiskWant want, mode_t mode,
           char **blocked_by, GError **error)
{
  const char *slash = strrchr (name, '/');
  const char *base = slash != NULL ? slash + 1 : name;
  gboolean made = FALSE;
  struct stat st;
  int fd;

  if (g_hash_table_contains (self->link_names, name))
    {
      if (blocked_by != NULL)
        *blocked_by = g_strdup (name);
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME,
                   "“%s” is a link of the archive; nothing is written through it", name);
      return NULL;
    }

  fd = TEMP_FAILURE_RETRY (openat (parent->fd, base, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (fd < 0 && errno == ENOENT && want == HOLD_DISK_MAKE)
    {
      if (mkdirat (parent->fd, base, (mode | 0700) & ~self->umask) == 0)
        made = TRUE;
      else if (errno != EEXIST)
        {
          _hold_disk_sink_set_error (self, error, "make the folder", name, errno);
          return NULL;
        }
      fd = TEMP_FAILURE_RETRY (openat (parent->fd, base, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    }
  if (fd < 0)
    {
      if (errno == ENOTDIR || errno == ELOOP)
        report_blocked (self, parent, base, name, blocked_by, error);
      else if (errno != ENOENT || want == HOLD_DISK_MAKE)
        _hold_disk_sink_set_error (self, error, "open the folder", name, errno);
      return NULL;
    }
  if (fstat (fd, &st) != 0)
    {
      _hold_disk_sink_set_error (self, error, "look at the folder", name, errno);
      close (fd);
      return NULL;
    }
  if (made)
    note_made (self, name, &st);
  return folder_new (fd, st.st_dev, g_strdup (name));
}

/* Lock held. Walks down from the deepest folder that is in the cache; at no time are more than two
 * descriptors held besides the cache's, however deep the name goes. @mode: of the last part if it
 * is made; until finish() the owner may do everything in it, whatever the archive says, so that its
 * content can be written. */
static HoldDiskFolder *
walk (HoldDiskSink *self, const char *name, HoldDiskWant want, mode_t mode, char **blocked_by, GError **error)
{
  g_autofree char *part = g_strdup (name);
  g_autoptr (HoldDiskFolder) folder = NULL;
  gsize length = strlen (part), end = length;
  HoldDiskFolder *cached;

  while ((cached = look_in_cache (self, part)) == NULL)
    {
      while (end > 0 && part[end] != '/')
        end--;
      part[end] = '\0';
    }
  folder = _hold_disk_folder_ref (cached);

  while (end < length)
    {
      HoldDiskFolder *next;

      /* Put back the separator that was cut away, then go on to the end of the next part. */
      part[end] = name[end];
      end = strlen (part);
      next = step_into (self, folder, part, want, end < length ? 0777 : mode, blocked_by, error);
      if (next == NULL)
        return NULL;
      cache_folder (self, next);
      _hold_disk_folder_unref (folder);
      folder = _hold_disk_folder_ref (next);
    }
  return g_steal_pointer (&folder);
}

HoldDiskFolder *
_hold_disk_sink_get_folder (HoldDiskSink *self, const char *name, HoldDiskWant want, char **blocked_by,
                            GError **error)
{
  HoldDiskFolder *folder;

  g_mutex_lock (&self->lock);
  folder = walk (self, name, want, 0777, blocked_by, error);
  g_mutex_unlock (&self->lock);
  return folder;
}

HoldDiskFolder *
_hold_disk_sink_get_parent (HoldDiskSink *self, const char *name, HoldDiskWant want, const char **base,
                            char **blocked_by, GError **error)
{
  const char *slash = strrchr (name, '/');
  g_autofree char *parent = slash != NULL ? g_strndup (name, slash - name) : g_strdup ("");

  *base = slash != NULL ? slash + 1 : name;
  return _hold_disk_sink_get_folder (self, parent, want, blocked_by, error);
}

gboolean
hold_disk_sink_make_folder (HoldDiskSink *self, const char *name, const HoldDiskMeta *meta, GError **error)
{
  g_autoptr (HoldDiskFolder) folder = NULL;
  HoldDiskMadeFolder *made;
  mode_t mode = 0777;

  /* "./" of a tar: the person's own folder, never touched (X07). */
  if (*name == '\0')
    return TRUE;
  if (!_hold_disk_check_name (name, error))
    return FALSE;

  if (meta != NULL && meta->has_mode && (meta->mode & 0777) != 0)
    mode = meta->mode & 0777;

  g_mutex_lock (&self->lock);
  folder = walk (self, name, HOLD_DISK_MAKE, mode, NULL, error);
  made = folder != NULL ? g_hash_table_lookup (self->made_folders, name) : NULL;
  if (made != NULL && meta != NULL)
    made->meta = *meta;
  g_mutex_unlock (&self->lock);
  return folder != NULL;
}

static guint
count_parts (const char *name)
{
  guint n = 0;

  for (; *name != '\0'; name++)
    n += *name == '/';
  return n;
}

static int
compare_depth (gconstpointer a, gconstpointer b)
{
  const HoldDiskMadeFolder *one = *(HoldDiskMadeFolder * const *) a;
  const HoldDiskMadeFolder *two = *(HoldDiskMadeFolder * const *) b;
  guint depth_one = count_parts (one->name), depth_two = count_parts (two->name);

  return depth_one != depth_two ? (depth_one < depth_two ? 1 : -1) : strcmp (two->name, one->name);
}

/* (transfer container): the folders that were made, the deepest first. */
static GPtrArray *
list_deepest_first (HoldDiskSink *self)
{
  GPtrArray *made = g_ptr_array_sized_new (g_hash_table_size (self->made_folders));
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->made_folders);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    g_ptr_array_add (made, value);
  g_ptr_array_sort (made, compare_depth);
  return made;
}

static gboolean
settle_folder (HoldDiskSink *self, HoldDiskMadeFolder *made, GError **error)
{
  g_autoptr (HoldDiskFolder) parent = NULL;
  const char *base;
  struct stat st;
  int fd, errsv = 0;

  parent = _hold_disk_sink_get_parent (self, made->name, HOLD_DISK_MUST_EXIST, &base, NULL, error);
  if (parent == NULL)
    return *error == NULL && _hold_disk_sink_set_error (self, error, "open the folder", made->name, ENOENT);
  fd = TEMP_FAILURE_RETRY (openat (parent->fd, base, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (fd < 0)
    return _hold_disk_sink_set_error (self, error, "open the folder", made->name, errno);

  /* Somebody may have put another folder in its place: that one is not ours to change. */
  if (fstat (fd, &st) != 0)
    errsv = errno;
  else if (st.st_dev == made->device && st.st_ino == made->inode)
    {
      if (made->meta.has_mode && (made->meta.mode & 0777) != 0)
        {
          mode_t mode = made->meta.mode & 0777 & ~self->umask;

          /* setgid, inherited from the parent, stays as the kernel gave it. */
          mode |= st.st_mode & S_ISGID;
          if ((st.st_mode & 07777) != mode && fchmod (fd, mode) != 0 && !_hold_disk_is_unkept (errno))
            errsv = errno;
        }
      if (made->meta.has_mtime)
        {
          struct timespec times[2];

          _hold_disk_meta_get_times (&made->meta, times);
          if (futimens (fd, times) != 0 && !_hold_disk_is_unkept (errno) && errsv == 0)
            errsv = errno;
        }
    }
  if (close (fd) != 0 && errno != EINTR && errsv == 0)
    errsv = errno;
  return errsv == 0 || _hold_disk_sink_set_error (self, error, "set mode and time of", made->name, errsv);
}

void
_hold_disk_sink_settle_folders (HoldDiskSink *self, void (*failed) (gpointer, const char *, const GError *),
                                gpointer user_data)
{
  g_autoptr (GPtrArray) made = list_deepest_first (self);

  for (guint i = 0; i < made->len; i++)
    {
      HoldDiskMadeFolder *folder = g_ptr_array_index (made, i);
      g_autoptr (GError) error = NULL;

      if ((folder->meta.has_mode || folder->meta.has_mtime) && !settle_folder (self, folder, &error))
        failed (user_data, folder->name, error);
    }
}

/* After finish() a folder may be closed to its owner; before anything can be taken out of it, it
 * must be opened. */
void
_hold_disk_sink_unlock_folders (HoldDiskSink *self)
{
  g_autoptr (GPtrArray) made = list_deepest_first (self);

  for (guint i = made->len; i > 0; i--)
    {
      HoldDiskMadeFolder *folder = g_ptr_array_index (made, i - 1);
      g_autoptr (HoldDiskFolder) parent = NULL;
      const char *base;
      struct stat st;

      if (!folder->meta.has_mode || (folder->meta.mode & 0777) == 0 || (folder->meta.mode & 0700) == 0700)
        continue;
      parent = _hold_disk_sink_get_parent (self, folder->name, HOLD_DISK_MUST_EXIST, &base, NULL, NULL);
      if (parent == NULL || fstatat (parent->fd, base, &st, AT_SYMLINK_NOFOLLOW) != 0
          || st.st_dev != folder->device || st.st_ino != folder->inode)
        continue;
      if (fchmodat (parent->fd, base, 0700, 0) != 0)
        g_debug ("Folder “%s” stays closed: %s", folder->name, g_strerror (errno));
    }
}

void
_hold_disk_sink_remove_folders (HoldDiskSink *self)
{
  g_autoptr (GPtrArray) made = list_deepest_first (self);

  for (guint i = 0; i < made->len; i++)
    {
      HoldDiskMadeFolder *folder = g_ptr_array_index (made, i);
      g_autoptr (HoldDiskFolder) parent = NULL;
      const char *base;
      struct stat st;

      parent = _hold_disk_sink_get_parent (self, folder->name, HOLD_DISK_MUST_EXIST, &base, NULL, NULL);
      if (parent == NULL || fstatat (parent->fd, base, &st, AT_SYMLINK_NOFOLLOW) != 0
          || st.st_dev != folder->device || st.st_ino != folder->inode)
        continue;
      /* Not empty: somebody else put something in; it stays. */
      if (unlinkat (parent->fd, base, AT_REMOVEDIR) != 0)
        g_debug ("Folder “%s” stays: %s", folder->name, g_strerror (errno));
    }
  g_hash_table_remove_all (self->made_folders);
}
