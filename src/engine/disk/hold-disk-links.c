/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Links come last: until every file is written, no name that the archive made can lead anywhere
 * else. Folders get their modes and times after that. */

#include "config.h"

#include "hold-disk-private.h"
#include "hold-open-file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define COPY_BLOCK_BYTES (256 * 1024)

static gboolean
add_link (HoldDiskSink *self, HoldDiskLinkKind kind, const char *name, const char *target, const HoldDiskMeta *meta,
          gboolean replace, GError **error)
{
  HoldDiskLink *link;

  if (!_hold_disk_check_name (name, error))
    return FALSE;
  if (kind == HOLD_DISK_LINK_HARD && !_hold_disk_check_name (target, error))
    return FALSE;
  if (*target == '\0')
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_CORRUPT, "The link “%s” leads nowhere: its target is empty", name);
      return FALSE;
    }

  link = g_new0 (HoldDiskLink, 1);
  link->kind = kind;
  link->name = g_strdup (name);
  link->target = g_strdup (target);
  link->replace = replace;
  if (meta != NULL)
    link->meta = *meta;

  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->links, link);
  /* Replacing the key too: it belongs to the link that the table now names. */
  g_hash_table_replace (self->link_names, link->name, link);
  g_mutex_unlock (&self->lock);
  return TRUE;
}

gboolean
hold_disk_sink_add_symlink (HoldDiskSink *self, const char *name, const char *target, const HoldDiskMeta *meta,
                            gboolean replace, GError **error)
{
  return add_link (self, HOLD_DISK_LINK_SYMBOLIC, name, target, meta, replace, error);
}

gboolean
hold_disk_sink_add_hardlink (HoldDiskSink *self, const char *name, const char *existing, gboolean replace,
                             GError **error)
{
  return add_link (self, HOLD_DISK_LINK_HARD, name, existing, NULL, replace, error);
}

/* Makes a link by way of @make, under a hidden name first if something has to give way. */
static int
make_link_at (HoldDiskFolder *folder, const char *base, gboolean replace, gboolean *replaced,
              int (*make) (gpointer data, int dir_fd, const char *name), gpointer data)
{
  char temp_name[32];
  int errsv;

  *replaced = FALSE;
  if (make (data, folder->fd, base) == 0)
    return 0;
  if (errno != EEXIST || !replace)
    return errno;
  for (guint tries = 0; tries < 100; tries++)
    {
      _hold_disk_make_temp_name (temp_name);
      if (make (data, folder->fd, temp_name) == 0)
        {
          errsv = _hold_disk_place_named (folder, temp_name, base, TRUE, replaced);
          if (errsv != 0 && unlinkat (folder->fd, temp_name, 0) != 0)
            g_debug ("Removing “%s”: %s", temp_name, g_strerror (errno));
          return errsv;
        }
      if (errno != EEXIST)
        break;
    }
  return errno;
}

static int
make_symlink_cb (gpointer data, int dir_fd, const char *name)
{
  return symlinkat (data, dir_fd, name);
}

static gboolean
make_symlink (HoldDiskSink *self, const HoldDiskLink *link, HoldDiskFolder *folder, const char *base, GError **error)
{
  gboolean replaced;
  struct stat st;
  int errsv;

  errsv = make_link_at (folder, base, link->replace, &replaced, make_symlink_cb, link->target);
  if (errsv == EPERM || errsv == EOPNOTSUPP)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                   "Could not make the link “%s”: this disk knows no symbolic links", link->name);
      return FALSE;
    }
  if (errsv != 0)
    return _hold_disk_sink_set_error (self, error, "make the link", link->name, errsv);

  if (fstatat (folder->fd, base, &st, AT_SYMLINK_NOFOLLOW) == 0)
    _hold_disk_sink_note_file (self, link->name, &st, replaced);
  if (link->meta.has_mtime)
    {
      struct timespec times[2];

      _hold_disk_meta_get_times (&link->meta, times);
      if (utimensat (folder->fd, base, times, AT_SYMLINK_NOFOLLOW) != 0 && !_hold_disk_is_unkept (errno))
        return _hold_disk_sink_set_error (self, error, "set the time of", link->name, errno);
    }
  return TRUE;
}

/* For disks without hard links, and mounts in between: the content once more. */
static gboolean
copy_file (HoldDiskSink *self, const HoldDiskLink *link, int source_dir, const char *source_base, GError **error)
{
  g_autofree guint8 *block = NULL;
  HoldDiskFile *file;
  HoldDiskMeta meta = { 0, };
  struct stat st;
  guint64 offset = 0;
  gssize n;
  int fd, errsv;

  fd = hold_open_file (source_dir, source_base, O_RDONLY | O_NONBLOCK);
  if (fd < 0)
    return _hold_disk_sink_set_error (self, error, "read", link->target, errno);
  if (fstat (fd, &st) != 0 || !S_ISREG (st.st_mode))
    {
      close (fd);
      return _hold_disk_sink_set_error (self, error, "read", link->target, EINVAL);
    }
  file = hold_disk_sink_open_file (self, link->name, (guint64) st.st_size, error);
  if (file == NULL)
    {
      close (fd);
      return FALSE;
    }

  block = g_malloc (COPY_BLOCK_BYTES);
  while ((n = read (fd, block, COPY_BLOCK_BYTES)) != 0)
    {
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0 || !hold_disk_file_write_at (file, block, (gsize) n, offset, error))
        {
          errsv = errno;
          close (fd);
          hold_disk_file_abort (file);
          return n < 0 ? _hold_disk_sink_set_error (self, error, "read", link->target, errsv) : FALSE;
        }
      offset += (guint64) n;
    }
  close (fd);

  meta.has_mode = meta.has_mtime = TRUE;
  meta.mode = st.st_mode & 0777;
  meta.mtime = st.st_mtim.tv_sec;
  meta.mtime_ns = (guint) st.st_mtim.tv_nsec;
  return hold_disk_file_commit (file, offset, &meta, link->replace, error);
}

typedef struct {
  int dir_fd;
  const char *base;
} HardLinkSource;

static int
make_hardlink_cb (gpointer data, int dir_fd, const char *name)
{
  HardLinkSource *source = data;

  /* Without AT_SYMLINK_FOLLOW: a link to a link is another name of that link. */
  return linkat (source->dir_fd, source->base, dir_fd, name, 0);
}

static gboolean
make_hardlink (HoldDiskSink *self, const HoldDiskLink *link, HoldDiskFolder *folder, const char *base,
               GError **error)
{
  g_autoptr (HoldDiskFolder) source_folder = NULL;
  HoldDiskMadeFile *made, source_made = { 0, };
  HardLinkSource source;
  struct stat st;
  gboolean replaced;
  int errsv;

  /* Only onto files of this run: what lay there before is not the archive's to give names to. */
  g_mutex_lock (&self->lock);
  made = g_hash_table_lookup (self->made_files, link->target);
  if (made != NULL)
    source_made = *made;
  g_mutex_unlock (&self->lock);
  if (made != NULL)
    source_folder = _hold_disk_sink_get_parent (self, link->target, HOLD_DISK_MUST_EXIST, &source.base, NULL, NULL);
  if (source_folder == NULL || fstatat (source_folder->fd, source.base, &st, AT_SYMLINK_NOFOLLOW) != 0
      || st.st_dev != source_made.device || st.st_ino != source_made.inode)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                   "“%s” is another name of “%s”, which was not extracted", link->name, link->target);
      return FALSE;
    }

  source.dir_fd = source_folder->fd;
  errsv = make_link_at (folder, base, link->replace, &replaced, make_hardlink_cb, &source);
  if (errsv == EPERM || errsv == EXDEV || errsv == EMLINK || errsv == EOPNOTSUPP || errsv == ENOSYS)
    return copy_file (self, link, source.dir_fd, source.base, error);
  if (errsv != 0)
    return _hold_disk_sink_set_error (self, error, "make the link", link->name, errsv);
  _hold_disk_sink_note_file (self, link->name, &st, replaced);
  return TRUE;
}

static gboolean
make_link (HoldDiskSink *self, const HoldDiskLink *link, GError **error)
{
  g_autoptr (HoldDiskFolder) folder = NULL;
  const char *base;

  folder = _hold_disk_sink_get_parent (self, link->name, HOLD_DISK_MAKE, &base, NULL, error);
  if (folder == NULL)
    return FALSE;
  if (link->kind == HOLD_DISK_LINK_SYMBOLIC)
    return make_symlink (self, link, folder, base, error);
  return make_hardlink (self, link, folder, base, error);
}

typedef struct {
  void (*failed) (gpointer user_data, const char *name, const GError *error);
  gpointer user_data;
  GError *first;
} Failures;

static void
note_failure (gpointer user_data, const char *name, const GError *error)
{
  Failures *failures = user_data;

  if (failures->failed != NULL)
    failures->failed (failures->user_data, name, error);
  else if (failures->first == NULL)
    failures->first = g_error_copy (error);
}

gboolean
hold_disk_sink_finish (HoldDiskSink *self, void (*failed) (gpointer user_data, const char *name, const GError *error),
                       gpointer user_data, GError **error)
{
  Failures failures = { failed, user_data, NULL };

  for (guint i = 0; i < self->links->len; i++)
    {
      const HoldDiskLink *link = g_ptr_array_index (self->links, i);
      g_autoptr (GError) local_error = NULL;

      if (!make_link (self, link, &local_error))
        note_failure (&failures, link->name, local_error);
    }
  g_mutex_lock (&self->lock);
  g_hash_table_remove_all (self->link_names);
  g_ptr_array_set_size (self->links, 0);
  g_mutex_unlock (&self->lock);

  _hold_disk_sink_settle_folders (self, note_failure, &failures);

  if (failures.first == NULL)
    return TRUE;
  g_propagate_error (error, failures.first);
  return FALSE;
}
