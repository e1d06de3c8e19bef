/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The transaction behind every archive that Holdall writes. The order of the system calls here is
 * what keeps an archive whole through a crash, a full disk and a second program; change it only
 * with the fault tests at hand. */

#include "config.h"

#include "hold-output-private.h"

#include "hold-open-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Names of at most 255 bytes fit a folder; a longer target name is shortened and told apart by a
 * hash. */
#define NAME_MAX_BYTES 255

/* Where flock is not to be had, a part file is thought abandoned after this long. */
#define ABANDONED_SECONDS (24 * 60 * 60)

#define ATTRIBUTE_LIST_MAX_BYTES (64 * 1024)
#define ATTRIBUTE_MAX_BYTES (64 * 1024)

gboolean
_hold_output_fail (GError     **error,
                   int          saved_errno,
                   const char  *verb,
                   const char  *path)
{
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved_errno),
               "%s “%s”: %s", verb, path, g_strerror (saved_errno));
  return FALSE;
}

char *
_hold_output_part_name (const char *name)
{
  gsize room = NAME_MAX_BYTES - strlen (HOLD_OUTPUT_PART_SUFFIX) - strlen (".-00000000");

  if (strlen (name) <= room)
    return g_strdup_printf (".%s" HOLD_OUTPUT_PART_SUFFIX, name);

  return g_strdup_printf (".%.*s-%08x" HOLD_OUTPUT_PART_SUFFIX, (int) room, name, g_str_hash (name));
}

static HoldOutput *
output_alloc (const char  *real_path,
              GError     **error)
{
  g_autoptr (HoldOutput) self = g_new0 (HoldOutput, 1);

  self->fd = -1;
  self->old_fd = -1;
  self->folder = g_path_get_dirname (real_path);
  self->name = g_path_get_basename (real_path);
  self->part_name = _hold_output_part_name (self->name);
  self->folder_fd = TEMP_FAILURE_RETRY (open (self->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (self->folder_fd < 0)
    {
      _hold_output_fail (error, errno, "Opening the folder", self->folder);
      return NULL;
    }

  return g_steal_pointer (&self);
}

/* Is the descriptor still what the name stands for? Between opening and locking it another writer
 * may have tidied up. */
static gboolean
name_is_descriptor (int         folder_fd,
                    const char *name,
                    int         fd)
{
  struct stat by_name;
  struct stat by_fd;

  return fstatat (folder_fd, name, &by_name, AT_SYMLINK_NOFOLLOW) == 0 &&
         fstat (fd, &by_fd) == 0 &&
         by_name.st_dev == by_fd.st_dev && by_name.st_ino == by_fd.st_ino;
}

typedef enum { LOCK_TAKEN, LOCK_BUSY, LOCK_UNKNOWN } LockResult;

static LockResult
try_lock (int fd)
{
  if (TEMP_FAILURE_RETRY (flock (fd, LOCK_EX | LOCK_NB)) == 0)
    return LOCK_TAKEN;
  return errno == EWOULDBLOCK ? LOCK_BUSY : LOCK_UNKNOWN;
}

/* Removes the part file if its writer is gone. FALSE: it is alive, or the file can't be removed. */
gboolean
_hold_output_remove_abandoned (int         folder_fd,
                               const char *part_name)
{
  struct stat st;
  gboolean abandoned = FALSE;
  int fd = hold_open_file (folder_fd, part_name, O_RDWR | O_NONBLOCK);

  if (fd < 0)
    return errno == ENOENT;

  switch (try_lock (fd))
    {
    case LOCK_TAKEN:
      abandoned = name_is_descriptor (folder_fd, part_name, fd);
      break;
    case LOCK_UNKNOWN:
      abandoned = fstat (fd, &st) == 0 &&
                  g_get_real_time () / G_USEC_PER_SEC - st.st_mtime > ABANDONED_SECONDS;
      break;
    case LOCK_BUSY:
    default:
      break;
    }

  /* The lock is held until after the name is gone: a second tidier can't take a new writer's file
   * for the old one. */
  if (abandoned && unlinkat (folder_fd, part_name, 0) != 0 && errno != ENOENT)
    abandoned = FALSE;

  g_close (fd, NULL);
  return abandoned;
}

static gboolean
create_part (HoldOutput  *self,
             GError     **error)
{
  /* Each turn means that another writer came or went in between; many in a row mean that something
   * is wrong. */
  for (guint turn = 0; turn < 16; turn++)
    {
      int fd = TEMP_FAILURE_RETRY (openat (self->folder_fd, self->part_name,
                                           O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));

      if (fd >= 0)
        {
          if (try_lock (fd) != LOCK_BUSY && name_is_descriptor (self->folder_fd, self->part_name, fd))
            {
              self->fd = fd;
              return TRUE;
            }
          g_close (fd, NULL);
          continue;
        }

      if (errno == EACCES || errno == EPERM || errno == EROFS)
        {
          g_set_error (error, HOLD_ERROR, HOLD_ERROR_READ_ONLY,
                       "The folder “%s” can't be written to: %s", self->folder, g_strerror (errno));
          return FALSE;
        }
      if (errno != EEXIST)
        return _hold_output_fail (error, errno, "Making a new file in", self->folder);
      if (!_hold_output_remove_abandoned (self->folder_fd, self->part_name))
        break;
    }

  g_set_error (error, G_IO_ERROR, G_IO_ERROR_BUSY,
               "“%s/%s” is being changed by another program", self->folder, self->name);
  return FALSE;
}

/* Which attributes a rewrite carries over: the user's own ones and the ACL, which is stored as an
 * attribute. */
static gboolean
attribute_is_kept (const char *name)
{
  return g_str_has_prefix (name, "user.") || g_str_equal (name, "system.posix_acl_access");
}

/* Attributes are worth keeping, but no reason to refuse an edit: one that the file system does not
 * take is reported. */
static void
copy_attributes (int from_fd,
                 int to_fd)
{
  g_autofree char *names = g_malloc (ATTRIBUTE_LIST_MAX_BYTES);
  g_autofree char *value = g_malloc (ATTRIBUTE_MAX_BYTES);
  ssize_t length = flistxattr (from_fd, names, ATTRIBUTE_LIST_MAX_BYTES);

  for (ssize_t at = 0; at < length; at += (ssize_t) strlen (names + at) + 1)
    {
      const char *name = names + at;
      ssize_t size;

      if (!attribute_is_kept (name))
        continue;
      size = fgetxattr (from_fd, name, value, ATTRIBUTE_MAX_BYTES);
      if (size >= 0 && fsetxattr (to_fd, name, value, (size_t) size, 0) != 0)
        g_debug ("Attribute %s was not carried over: %s", name, g_strerror (errno));
    }
}

/* Owner and group one by one: an ordinary user may set a group of their own, but not the owner. Where
 * one is not to be had, what it was allowed is not given to the one in its place. */
static void
copy_owner (HoldOutput        *self,
            const struct stat *old,
            const struct stat *part)
{
  self->mode = old->st_mode & 07777;
  if (old->st_uid != part->st_uid && fchown (self->fd, old->st_uid, (gid_t) -1) != 0)
    {
      g_debug ("The owner was not carried over: %s", g_strerror (errno));
      self->mode &= ~(mode_t) S_ISUID;
    }
  if (old->st_gid != part->st_gid && fchown (self->fd, (uid_t) -1, old->st_gid) != 0)
    {
      g_debug ("The group was not carried over: %s", g_strerror (errno));
      self->mode &= ~(mode_t) S_ISGID & (~(mode_t) S_IRWXG | (self->mode & S_IRWXO) << 3);
    }
}

HoldOutput *
hold_output_new_replace (const char              *path,
                         const HoldFileIdentity  *expected,
                         GError                 **error)
{
  g_autoptr (HoldOutput) self = NULL;
  g_autofree char *real_path = NULL;
  HoldFileIdentity now;
  struct stat st;
  struct stat part;
  int old_fd;
  gboolean ok;

  real_path = realpath (path, NULL);
  if (real_path == NULL)
    {
      _hold_output_fail (error, errno, "Finding", path);
      return NULL;
    }

  self = output_alloc (real_path, error);
  if (self == NULL)
    return NULL;
  self->replaces = TRUE;
  self->expected = *expected;

  if (!create_part (self, error))
    return NULL;

  old_fd = hold_open_file (self->folder_fd, self->name, O_RDONLY);
  if (old_fd < 0)
    {
      _hold_output_fail (error, errno, "Opening", path);
      return NULL;
    }

  ok = hold_file_identity_from_fd (old_fd, &now, error);
  if (ok && !hold_file_identity_equal (&now, expected))
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK,
                   "“%s” was changed by another program since it was opened", path);
      ok = FALSE;
    }
  if (ok && (fstat (old_fd, &st) != 0 || fstat (self->fd, &part) != 0))
    ok = _hold_output_fail (error, errno, "Looking at", path);
  if (ok)
    {
      self->n_links = st.st_nlink;
      copy_owner (self, &st, &part);
      copy_attributes (old_fd, self->fd);
    }

  self->old_fd = old_fd;
  return ok ? g_steal_pointer (&self) : NULL;
}

/* The permission bits that a plain open(2) would have given; the umask is read without changing it,
 * which would show in every other thread. */
static mode_t
default_mode (void)
{
  g_autofree char *status = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &status, NULL, NULL))
    return 0600;
  line = strstr (status, "\nUmask:");
  if (line == NULL)
    return 0600;

  return 0666 & ~(mode_t) strtoul (line + strlen ("\nUmask:"), NULL, 8);
}

HoldOutput *
hold_output_new_create (const char  *path,
                        gboolean     overwrite,
                        GError     **error)
{
  g_autoptr (HoldOutput) self = NULL;
  g_autofree char *real_path = realpath (path, NULL);
  struct stat st;

  if (real_path != NULL && !overwrite)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS, "“%s” exists already", path);
      return NULL;
    }
  /* The new file takes the place of the old one: that must not be a device that others need. */
  if (real_path != NULL && stat (real_path, &st) == 0 && !S_ISREG (st.st_mode))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE, "“%s” is not a file", path);
      return NULL;
    }

  self = output_alloc (real_path != NULL ? real_path : path, error);
  if (self == NULL || !create_part (self, error))
    return NULL;

  self->overwrites = overwrite;
  self->mode = default_mode ();
  if (real_path != NULL && stat (real_path, &st) == 0)
    self->mode = st.st_mode & 07777;

  return g_steal_pointer (&self);
}

int
hold_output_get_fd (HoldOutput *self)
{
  return self->fd;
}

int
hold_output_steal_old_fd (HoldOutput *self)
{
  int fd = self->old_fd;

  self->old_fd = -1;
  return fd;
}

char *
hold_output_dup_path (HoldOutput *self)
{
  return g_build_filename (self->folder, self->name, NULL);
}

guint
hold_output_get_n_links (HoldOutput *self)
{
  return self->n_links;
}

static gboolean
check_target (HoldOutput  *self,
              GError     **error)
{
  HoldFileIdentity now;
  gboolean same;
  int fd;

  if (!self->replaces)
    return TRUE;

  fd = hold_open_file (self->folder_fd, self->name, O_RDONLY);
  if (fd >= 0)
    {
      same = hold_file_identity_from_fd (fd, &now, error);
      g_close (fd, NULL);
      if (!same)
        return FALSE;
      if (hold_file_identity_equal (&now, &self->expected))
        return TRUE;
    }
  else if (errno != ENOENT && errno != ELOOP)
    {
      return _hold_output_fail (error, errno, "Opening", self->name);
    }

  g_set_error (error, HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK,
               "“%s/%s” was changed by another program meanwhile; it was left as it is",
               self->folder, self->name);
  return FALSE;
}

/* A new file must not take the place of one that came meanwhile: link(2) refuses where rename(2)
 * would replace. */
gboolean
_hold_output_give_name (HoldOutput  *self,
                        const char  *part_name,
                        const char  *name,
                        GError     **error)
{
  int result;

  if (self->replaces || self->overwrites)
    {
      result = TEMP_FAILURE_RETRY (renameat (self->folder_fd, part_name, self->folder_fd, name));
    }
  else
    {
      result = TEMP_FAILURE_RETRY (renameat2 (self->folder_fd, part_name, self->folder_fd, name,
                                              RENAME_NOREPLACE));
      /* File systems without that flag: the check at the start has to do. */
      if (result != 0 && errno == EINVAL &&
          faccessat (self->folder_fd, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
        result = TEMP_FAILURE_RETRY (renameat (self->folder_fd, part_name, self->folder_fd, name));
    }

  if (result != 0)
    return _hold_output_fail (error, errno, "Putting in place", name);
  return TRUE;
}

gboolean
hold_output_commit (HoldOutput  *self,
                    HoldReport  *report,
                    GError     **error)
{
  g_autoptr (GError) warning = NULL;

  g_return_val_if_fail (!self->committed, FALSE);

  if (TEMP_FAILURE_RETRY (fchmod (self->fd, self->mode)) != 0)
    return _hold_output_fail (error, errno, "Setting the permissions of", self->part_name);
  if (self->volumes != NULL && !_hold_output_volumes_split (self, error))
    return FALSE;
  if (TEMP_FAILURE_RETRY (fsync (self->fd)) != 0)
    return _hold_output_fail (error, errno, "Writing to disk", self->name);
  if (!check_target (self, error) ||
      (self->volumes != NULL && !_hold_output_volumes_give_names (self, error)) ||
      !_hold_output_give_name (self, self->part_name, self->name, error))
    return FALSE;

  self->committed = TRUE;

  /* The new archive is in place and whole; what can still fail is the promise that it survives a
   * power cut this second. */
  if (TEMP_FAILURE_RETRY (fsync (self->folder_fd)) != 0 && errno != EINVAL)
    {
      _hold_output_fail (&warning, errno, "Writing to disk the folder", self->folder);
      hold_report_add (report, HOLD_OUTCOME_WARNING, "", warning);
    }

  return TRUE;
}

void
hold_output_free (HoldOutput *self)
{
  if (self == NULL)
    return;

  if (self->volumes != NULL)
    _hold_output_volumes_free (self);
  if (self->fd >= 0)
    {
      if (!self->committed && unlinkat (self->folder_fd, self->part_name, 0) != 0)
        g_debug ("%s was left behind: %s", self->part_name, g_strerror (errno));
      g_close (self->fd, NULL);
    }
  if (self->old_fd >= 0)
    g_close (self->old_fd, NULL);
  if (self->folder_fd >= 0)
    g_close (self->folder_fd, NULL);
  g_free (self->folder);
  g_free (self->name);
  g_free (self->part_name);
  g_free (self);
}

void
hold_output_sweep (const char *path)
{
  g_autofree char *real_path = realpath (path, NULL);
  g_autofree char *folder = NULL;
  g_autofree char *name = NULL;
  g_autofree char *part_name = NULL;
  int folder_fd;

  if (real_path == NULL)
    return;

  folder = g_path_get_dirname (real_path);
  name = g_path_get_basename (real_path);
  part_name = _hold_output_part_name (name);
  folder_fd = TEMP_FAILURE_RETRY (open (folder, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (folder_fd < 0)
    return;
  if (!_hold_output_remove_abandoned (folder_fd, part_name))
    g_debug ("%s is in use", part_name);
  g_close (folder_fd, NULL);
}

gboolean
hold_output_write_all (int            fd,
                       const guint8  *data,
                       gsize          length_bytes,
                       const char    *what,
                       GError       **error)
{
  while (length_bytes > 0)
    {
      ssize_t n = TEMP_FAILURE_RETRY (write (fd, data, MIN (length_bytes, SSIZE_MAX)));

      if (n < 0)
        return _hold_output_fail (error, errno, "Writing", what);
      if (n == 0)
        return _hold_output_fail (error, ENOSPC, "Writing", what);
      data += n;
      length_bytes -= (gsize) n;
    }

  return TRUE;
}
