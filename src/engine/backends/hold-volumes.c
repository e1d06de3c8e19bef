/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Finds the parts of a split set by name and content, and reads them as one file. */

#include "hold-volumes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hold-lent-file.h"
#include "hold-rar-volume.h"
#include "hold-volume-name.h"

typedef struct {
  HoldLentFile *file;
  guint64 start;
  guint64 length;
  guint64 base;   /* where in the file it begins */
} Part;

struct _HoldVolumes {
  gatomicrefcount ref_count;
  GArray *parts;
  guint64 size;
  char *first_path;
  char *missing;
};

static void
part_clear (gpointer data)
{
  Part *part = data;

  hold_lent_file_unref (part->file);
}

static HoldVolumes *
volumes_new (const char *first_path)
{
  HoldVolumes *self = g_new0 (HoldVolumes, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->parts = g_array_new (FALSE, TRUE, sizeof (Part));
  g_array_set_clear_func (self->parts, part_clear);
  self->first_path = g_strdup (first_path);
  return self;
}

HoldVolumes *
hold_volumes_ref (HoldVolumes *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
hold_volumes_unref (HoldVolumes *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_array_unref (self->parts);
  g_free (self->first_path);
  g_free (self->missing);
  g_free (self);
}

static const Part *
get_part (HoldVolumes *self, guint i)
{
  return &g_array_index (self->parts, Part, i);
}

guint64
hold_volumes_get_size (HoldVolumes *self)
{
  return self->size;
}

guint
hold_volumes_get_n_parts (HoldVolumes *self)
{
  return self->parts->len;
}

guint64
hold_volumes_get_start (HoldVolumes *self, guint i)
{
  g_return_val_if_fail (i < self->parts->len, 0);
  return get_part (self, i)->start;
}

int
hold_volumes_lend_fd (HoldVolumes *self, guint i, GError **error)
{
  g_return_val_if_fail (i < self->parts->len, -1);
  return hold_lent_file_lend (get_part (self, i)->file, error);
}

void
hold_volumes_give_back_fd (HoldVolumes *self, guint i)
{
  g_return_if_fail (i < self->parts->len);
  hold_lent_file_give_back (get_part (self, i)->file);
}

const char *
hold_volumes_get_first_path (HoldVolumes *self)
{
  return self->first_path;
}

const char *
hold_volumes_get_missing (HoldVolumes *self)
{
  return self->missing;
}

/* Takes @file. */
static void
append (HoldVolumes *self, HoldLentFile *file)
{
  Part part = { .file = file, .start = self->size };

  part.length = hold_lent_file_get_identity (file)->size_bytes;
  self->size += part.length;
  g_array_append_val (self->parts, part);
}

/* Takes @fd. */
static gboolean
append_fd (HoldVolumes *self, const char *path, int fd, GError **error)
{
  HoldLentFile *file = hold_lent_file_new (path, fd, error);

  if (file == NULL)
    return FALSE;
  append (self, file);
  return TRUE;
}

static char *
display_basename (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);

  return g_filename_display_name (name);
}

/* What the content says about parts that follow the last one that was found. */
static gboolean
content_wants_more (HoldVolumes *self)
{
  guint8 head[32];
  gsize n;

  if (self->parts->len == 0)
    return FALSE;

  if (hold_volumes_read (self, 0, head, sizeof head, &n, NULL) && n == sizeof head
      && memcmp (head, "7z\xbc\xaf\x27\x1c", 6) == 0)
    {
      guint64 offset, length;

      memcpy (&offset, head + 12, 8);
      memcpy (&length, head + 20, 8);
      offset = GUINT64_FROM_LE (offset);
      length = GUINT64_FROM_LE (length);
      return offset > self->size || length > self->size || 32 + offset + length > self->size;
    }

  HoldRarVolume rar;
  int fd = hold_volumes_lend_fd (self, self->parts->len - 1, NULL);

  if (fd < 0)
    return FALSE;
  hold_rar_volume_examine (fd, &rar);
  hold_volumes_give_back_fd (self, self->parts->len - 1);
  return rar.is_rar && rar.is_volume && rar.has_end && rar.more_follow;
}

static gboolean
collect (HoldVolumes *self, const HoldVolumeName *naming, guint n_before_zip, GError **error)
{
  for (guint i = 0;; i++)
    {
      g_autofree char *path = NULL;
      int fd;

      if (naming->kind == HOLD_VOLUME_ZIP && i > n_before_zip)
        return TRUE;
      if (naming->kind == HOLD_VOLUME_RAR_OLD && i > 800)
        return TRUE;
      if (i >= HOLD_VOLUMES_MAX)
        {
          g_set_error (error, HOLD_ERROR, HOLD_ERROR_TOO_LARGE,
                       "the set has more than %d parts", HOLD_VOLUMES_MAX);
          return FALSE;
        }

      path = hold_volume_name_dup_path (naming, i, n_before_zip);
      fd = hold_volume_name_open (path);
      if (fd < 0 && errno == ENOENT)
        {
          gboolean gap = naming->kind == HOLD_VOLUME_ZIP || naming->number > i || i == 0;

          for (guint k = i + 1; !gap && k < i + 4; k++)
            {
              g_autofree char *later = hold_volume_name_dup_path (naming, k, n_before_zip);

              gap = access (later, F_OK) == 0;
            }
          if (gap || content_wants_more (self))
            self->missing = display_basename (path);
          if (i == 0)
            {
              g_set_error (error, HOLD_ERROR, HOLD_ERROR_TRUNCATED,
                           "this is one part of a split archive and the first part, “%s”, is missing: "
                           "put all parts into one folder", self->missing);
              return FALSE;
            }
          return TRUE;
        }
      if (fd < 0)
        {
          int saved = errno;
          g_autofree char *shown = g_filename_display_name (path);

          g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved), "can't open “%s”: %s",
                       shown, g_strerror (saved));
          return FALSE;
        }
      if (i == 0)
        {
          g_free (self->first_path);
          self->first_path = g_strdup (path);
        }
      if (!append_fd (self, path, fd, error))
        return FALSE;
    }
}

static gboolean
copy_single (HoldVolumes *self, const char *path, int fd, GError **error)
{
  int copy = fcntl (fd, F_DUPFD_CLOEXEC, 3);

  if (copy < 0)
    {
      int saved = errno;

      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved),
                   "can't duplicate a file descriptor: %s", g_strerror (saved));
      return FALSE;
    }
  return append_fd (self, path, copy, error);
}

HoldVolumes *
hold_volumes_open (const char *path, int fd, GError **error)
{
  g_autoptr (HoldVolumes) self = volumes_new (path);
  g_auto (HoldVolumeName) naming = { 0 };
  guint n_before_zip = 0;

  hold_volume_name_init (path, &naming);
  if (!hold_volume_name_is_of_set (&naming, fd))
    return copy_single (self, path, fd, error) ? g_steal_pointer (&self) : NULL;

  if (naming.kind == HOLD_VOLUME_ZIP)
    {
      g_autofree char *last = hold_volume_name_dup_path (&naming, 0, 0);
      int last_fd = hold_volume_name_open (last);

      if (last_fd < 0)
        {
          g_autofree char *shown = display_basename (last);

          g_set_error (error, HOLD_ERROR, HOLD_ERROR_TRUNCATED,
                       "this is part %u of a split ZIP and the last part, “%s”, is missing: "
                       "put all parts into one folder", naming.number + 1, shown);
          return NULL;
        }
      n_before_zip = hold_volume_name_last_disk (last_fd);
      if (close (last_fd) != 0)
        g_debug ("closing a part: %s", g_strerror (errno));
      if (n_before_zip == 0)
        return copy_single (self, path, fd, error) ? g_steal_pointer (&self) : NULL;
    }

  if (!collect (self, &naming, n_before_zip, error))
    return NULL;
  return g_steal_pointer (&self);
}

HoldVolumes *
hold_volumes_new_behind (HoldVolumes *self, guint64 offset)
{
  HoldVolumes *behind;
  Part *part;

  g_return_val_if_fail (self->parts->len == 1 && offset < self->size, NULL);

  behind = volumes_new (self->first_path);
  append (behind, hold_lent_file_ref (get_part (self, 0)->file));
  part = &g_array_index (behind->parts, Part, 0);
  part->base = offset;
  part->length = self->size - offset;
  behind->size = part->length;
  return behind;
}

/* One read within one part. Returns: how many bytes; 0: the part has become shorter; -1 with @error. */
static gssize
read_part (const Part *part, guint64 offset, void *buffer, gsize length, GError **error)
{
  int fd = hold_lent_file_lend (part->file, error);
  gssize n;
  int saved;

  if (fd < 0)
    return -1;
  n = TEMP_FAILURE_RETRY (pread (fd, buffer, length, (off_t) (offset - part->start + part->base)));
  saved = errno;
  hold_lent_file_give_back (part->file);
  if (n < 0)
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved),
                 "can't read the archive at %" G_GUINT64_FORMAT ": %s", offset, g_strerror (saved));
  return n;
}

gboolean
hold_volumes_read (HoldVolumes *self, guint64 offset, void *buffer, gsize length, gsize *n_read,
                   GError **error)
{
  guint8 *to = buffer;
  guint i = 0;

  *n_read = 0;
  while (i + 1 < self->parts->len && offset >= get_part (self, i + 1)->start)
    i++;

  while (length > 0 && i < self->parts->len)
    {
      const Part *part = get_part (self, i);
      gsize want;
      gssize n;

      if (offset >= part->start + part->length)
        {
          i++;
          continue;
        }
      want = (gsize) MIN ((guint64) length, part->start + part->length - offset);
      n = read_part (part, offset, to, want, error);
      if (n < 0)
        return FALSE;
      if (n == 0)
        {
          g_set_error (error, HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK,
                       "the archive became shorter while it was read");
          return FALSE;
        }
      to += n;
      length -= (gsize) n;
      offset += (guint64) n;
      *n_read += (gsize) n;
    }
  return TRUE;
}

gboolean
hold_volumes_check_unchanged (HoldVolumes *self, GError **error)
{
  for (guint i = 0; i < self->parts->len; i++)
    {
      const Part *part = get_part (self, i);
      HoldFileIdentity now;
      int fd = hold_lent_file_lend (part->file, error);
      gboolean ok = fd >= 0 && hold_file_identity_from_fd (fd, &now, error);

      if (fd >= 0)
        hold_lent_file_give_back (part->file);
      if (!ok)
        return FALSE;
      if (!hold_file_identity_equal (&now, hold_lent_file_get_identity (part->file)))
        {
          g_set_error (error, HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK,
                       "the archive was changed by another program since it was opened");
          return FALSE;
        }
    }
  return TRUE;
}

gboolean
hold_volumes_has_file (HoldVolumes *self, guint64 device, guint64 inode)
{
  for (guint i = 0; i < self->parts->len; i++)
    {
      const HoldFileIdentity *identity = hold_lent_file_get_identity (get_part (self, i)->file);

      if (identity->device == device && identity->inode == inode)
        return TRUE;
    }
  return FALSE;
}
