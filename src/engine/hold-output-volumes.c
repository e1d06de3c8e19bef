/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A new archive in several files, for places that take no larger ones. It is written and verified
 * as one; what is behind the first volume is then copied out from the end, and each piece cut off
 * as soon as it is on the disk. */

#include "config.h"

#include "hold-output-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "hold-volumes.h"

#define PIECE_BYTES (16 * 1024 * 1024)
#define BLOCK_BYTES (256 * 1024)

/* A file of ours that is to be a volume. */
typedef struct
{
  char *name;
  char *part_name; /* NULL: it has its name */
} Volume;

struct _HoldOutputVolumes
{
  guint64 volume_bytes;
  HoldOutputMoved moved;
  gpointer user_data;
  GPtrArray *made; /* Volume, from the last to the second */
};

static void
volume_free (gpointer data)
{
  Volume *volume = data;

  g_free (volume->name);
  g_free (volume->part_name);
  g_free (volume);
}

/* @number: from 1. (transfer full) */
static char *
dup_volume_name (const char *name,
                 guint64     number)
{
  return g_strdup_printf ("%s.%03" G_GUINT64_FORMAT, name, number);
}

static gboolean
check_free (HoldOutput  *self,
            guint64      number,
            GError     **error)
{
  g_autofree char *name = dup_volume_name (self->name, number);

  if (faccessat (self->folder_fd, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS,
               "“%s/%s” exists already; parts of an archive take the place of no file",
               self->folder, name);
  return FALSE;
}

/* What a killed writer of such a set left, however many there were. */
static void
sweep (HoldOutput *self)
{
  g_autoptr (GHashTable) found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GDir) folder = g_dir_open (self->folder, 0, NULL);
  const char *entry;

  while (folder != NULL && (entry = g_dir_read_name (folder)) != NULL)
    if (g_str_has_suffix (entry, HOLD_OUTPUT_PART_SUFFIX))
      g_hash_table_add (found, g_strdup (entry));

  for (guint64 number = 2; number <= HOLD_VOLUMES_MAX && g_hash_table_size (found) > 0; number++)
    {
      g_autofree char *name = dup_volume_name (self->name, number);
      g_autofree char *part_name = _hold_output_part_name (name);

      if (g_hash_table_remove (found, part_name) &&
          !_hold_output_remove_abandoned (self->folder_fd, part_name))
        g_debug ("%s is in use", part_name);
    }
}

gboolean
hold_output_set_volumes (HoldOutput       *self,
                         guint64           volume_bytes,
                         HoldOutputMoved   moved,
                         gpointer          user_data,
                         GError          **error)
{
  g_return_val_if_fail (!self->replaces && self->volumes == NULL, FALSE);

  if (volume_bytes < HOLD_VOLUME_MIN_BYTES)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                   "A part of an archive has at least %u bytes", (guint) HOLD_VOLUME_MIN_BYTES);
      return FALSE;
    }
  if (!check_free (self, 1, error))
    return FALSE;

  self->volumes = g_new0 (HoldOutputVolumes, 1);
  self->volumes->volume_bytes = volume_bytes;
  self->volumes->moved = moved;
  self->volumes->user_data = user_data;
  self->volumes->made = g_ptr_array_new_with_free_func (volume_free);
  sweep (self);
  return TRUE;
}

static gboolean
get_size (HoldOutput  *self,
          guint64     *size_bytes,
          GError     **error)
{
  struct stat st;

  if (fstat (self->fd, &st) != 0)
    return _hold_output_fail (error, errno, "Looking at", self->part_name);
  *size_bytes = (guint64) st.st_size;
  return TRUE;
}

gboolean
hold_output_check_volumes (HoldOutput  *self,
                           guint64     *copy_bytes,
                           GError     **error)
{
  guint64 volume_bytes = self->volumes != NULL ? self->volumes->volume_bytes : G_MAXUINT64;
  guint64 size_bytes = 0;

  if (!get_size (self, &size_bytes, error))
    return FALSE;
  *copy_bytes = size_bytes > volume_bytes ? size_bytes - volume_bytes : 0;
  if (*copy_bytes == 0 || (*copy_bytes - 1) / volume_bytes < HOLD_VOLUMES_MAX - 1)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
               "The archive comes to more than %u parts; choose larger ones", HOLD_VOLUMES_MAX);
  return FALSE;
}

/* Part files of volumes have no lock: that of the whole archive, which has the name without a
 * number, keeps other writers of the set away. */
static int
create_volume (HoldOutput  *self,
               const char  *part_name,
               GError     **error)
{
  int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int fd = TEMP_FAILURE_RETRY (openat (self->folder_fd, part_name, flags, 0600));

  if (fd < 0 && errno == EEXIST && _hold_output_remove_abandoned (self->folder_fd, part_name))
    fd = TEMP_FAILURE_RETRY (openat (self->folder_fd, part_name, flags, 0600));
  if (fd < 0)
    _hold_output_fail (error, errno, "Making", part_name);
  return fd;
}

/* Through memory, where the kernel does not copy between these two files. -1: @error is set. */
static gssize
copy_block (HoldOutput  *self,
            int          to,
            guint64      offset,
            gsize        length_bytes,
            GError     **error)
{
  g_autofree guint8 *block = g_malloc (BLOCK_BYTES);
  gssize n = TEMP_FAILURE_RETRY (pread (self->fd, block, MIN (length_bytes, BLOCK_BYTES),
                                        (off_t) offset));

  if (n < 0)
    _hold_output_fail (error, errno, "Reading", self->part_name);
  else if (!hold_output_write_all (to, block, (gsize) n, self->name, error))
    n = -1;
  return n;
}

static gboolean
copy_range (HoldOutput  *self,
            int          to,
            guint64      offset,
            guint64      length_bytes,
            GError     **error)
{
  HoldOutputVolumes *volumes = self->volumes;
  gboolean in_kernel = TRUE;

  while (length_bytes > 0)
    {
      loff_t from = (loff_t) offset;
      gssize n = -1;

      if (in_kernel)
        n = TEMP_FAILURE_RETRY (copy_file_range (self->fd, &from, to, NULL,
                                                 MIN (length_bytes, PIECE_BYTES), 0));
      if (n < 0 && in_kernel && (errno == ENOSPC || errno == EDQUOT || errno == EIO))
        return _hold_output_fail (error, errno, "Writing", self->name);
      if (n <= 0)
        {
          in_kernel = FALSE;
          n = copy_block (self, to, offset, length_bytes, error);
        }
      if (n < 0)
        return FALSE;
      if (n == 0)
        return _hold_output_fail (error, EIO, "Reading", self->part_name);
      offset += (guint64) n;
      length_bytes -= (guint64) n;
      if (!volumes->moved (volumes->user_data, (guint64) n, error))
        return FALSE;
    }
  return TRUE;
}

/* What is from @offset on becomes a file of its own, and goes here once it is safe there. */
static gboolean
cut_off (HoldOutput  *self,
         guint64      number,
         guint64      offset,
         guint64      length_bytes,
         GError     **error)
{
  Volume *volume = g_new0 (Volume, 1);
  gboolean is_copied;
  int fd;

  volume->name = dup_volume_name (self->name, number);
  volume->part_name = _hold_output_part_name (volume->name);
  fd = create_volume (self, volume->part_name, error);
  if (fd < 0)
    {
      volume_free (volume);
      return FALSE;
    }
  g_ptr_array_add (self->volumes->made, volume);

  is_copied = copy_range (self, fd, offset, length_bytes, error);
  if (is_copied && (TEMP_FAILURE_RETRY (fchmod (fd, self->mode)) != 0 ||
                    TEMP_FAILURE_RETRY (fsync (fd)) != 0))
    is_copied = _hold_output_fail (error, errno, "Writing to disk", volume->name);
  if (!g_close (fd, is_copied ? error : NULL))
    is_copied = FALSE;
  if (is_copied && TEMP_FAILURE_RETRY (ftruncate (self->fd, (off_t) offset)) != 0)
    is_copied = _hold_output_fail (error, errno, "Shortening", self->part_name);
  return is_copied;
}

gboolean
_hold_output_volumes_split (HoldOutput  *self,
                            GError     **error)
{
  guint64 volume_bytes = self->volumes->volume_bytes;
  g_autofree char *first = dup_volume_name (self->name, 1);
  guint64 size_bytes;
  guint64 copy_bytes;
  guint64 n_volumes;

  if (!hold_output_check_volumes (self, &copy_bytes, error))
    return FALSE;
  if (copy_bytes == 0)
    return TRUE;

  size_bytes = volume_bytes + copy_bytes;
  n_volumes = (size_bytes - 1) / volume_bytes + 1;
  /* One that stood behind the last would be read as the set's own. */
  for (guint64 number = 1; number <= n_volumes + 1; number++)
    if (!check_free (self, number, error))
      return FALSE;
  for (guint64 number = n_volumes; number > 1; number--)
    {
      guint64 offset = (number - 1) * volume_bytes;

      if (!cut_off (self, number, offset, MIN (volume_bytes, size_bytes - offset), error))
        return FALSE;
    }

  g_free (self->name);
  self->name = g_steal_pointer (&first);
  self->overwrites = FALSE;
  return TRUE;
}

gboolean
_hold_output_volumes_give_names (HoldOutput  *self,
                                 GError     **error)
{
  for (guint i = 0; i < self->volumes->made->len; i++)
    {
      Volume *volume = g_ptr_array_index (self->volumes->made, i);

      if (!_hold_output_give_name (self, volume->part_name, volume->name, error))
        return FALSE;
      g_clear_pointer (&volume->part_name, g_free);
    }
  return TRUE;
}

void
_hold_output_volumes_free (HoldOutput *self)
{
  HoldOutputVolumes *volumes = g_steal_pointer (&self->volumes);

  for (guint i = 0; i < volumes->made->len && !self->committed; i++)
    {
      Volume *volume = g_ptr_array_index (volumes->made, i);
      const char *name = volume->part_name != NULL ? volume->part_name : volume->name;

      if (unlinkat (self->folder_fd, name, 0) != 0)
        g_debug ("%s was left behind: %s", name, g_strerror (errno));
    }
  g_ptr_array_unref (volumes->made);
  g_free (volumes);
}
