/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Reads the archive's file by pread(), and counts. */

#include "zip-source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "zip-error.h"

typedef struct {
  int fd;        /* -1: the lender has it */
  guint64 start; /* in the whole */
} ZipPart;

struct _ZipSource {
  gatomicrefcount references;
  ZipPart *parts; /* one, unless the archive is split */
  guint n_parts;
  guint64 size;
  const ZipSourceLender *lender; /* (nullable) */
  gpointer lender_user;
  GBytes *overlay; /* (nullable) */
  guint64 overlay_offset;
  atomic_uint_fast64_t n_reads;
  atomic_uint_fast64_t n_bytes;
};

static void
set_errno_error (GError **error, int code, const char *doing)
{
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code), "%s: %s", doing, g_strerror (code));
}

/* Takes @fd over, also when it fails. */
static ZipSource *
source_new_take (int fd, GError **error)
{
  struct stat info;

  if (fstat (fd, &info) != 0)
    {
      set_errno_error (error, errno, "archive");
      (void) close (fd);
      return NULL;
    }

  /* Block devices are as good as files; their size is found by seeking. */
  off_t size = S_ISREG (info.st_mode) ? info.st_size : -1;
  if (S_ISBLK (info.st_mode))
    size = lseek (fd, 0, SEEK_END);

  if (size < 0)
    {
      if (S_ISDIR (info.st_mode))
        set_errno_error (error, EISDIR, "archive");
      else
        g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE,
                     "archive: not a file that can be read at any place");
      (void) close (fd);
      return NULL;
    }

  ZipSource *source = g_new0 (ZipSource, 1);
  g_atomic_ref_count_init (&source->references);
  source->parts = g_new0 (ZipPart, 1);
  source->parts[0].fd = fd;
  source->n_parts = 1;
  source->size = (guint64) size;
  return source;
}

ZipSource *
zip_source_new_for_fd (int fd, GError **error)
{
  int copy = fcntl (fd, F_DUPFD_CLOEXEC, 3);

  if (copy < 0)
    {
      set_errno_error (error, errno, "archive");
      return NULL;
    }

  return source_new_take (copy, error);
}

ZipSource *
zip_source_new_for_parts (const int *fds, guint n_parts, GError **error)
{
  g_return_val_if_fail (n_parts > 0, NULL);

  g_autoptr (ZipSource) whole = zip_source_new_for_fd (fds[0], error);
  if (whole == NULL)
    return NULL;

  for (guint i = 1; i < n_parts; i++)
    {
      g_autoptr (ZipSource) part = zip_source_new_for_fd (fds[i], error);
      if (part == NULL)
        return NULL;

      whole->parts = g_renew (ZipPart, whole->parts, whole->n_parts + 1);
      whole->parts[whole->n_parts] = (ZipPart) { part->parts[0].fd, whole->size };
      part->parts[0].fd = -1;
      whole->n_parts++;
      whole->size += part->size;
    }

  return g_steal_pointer (&whole);
}

guint
zip_source_get_n_parts (const ZipSource *source)
{
  return source->n_parts;
}

guint64
zip_source_get_part_start (const ZipSource *source, guint i)
{
  g_return_val_if_fail (i < source->n_parts, 0);

  return source->parts[i].start;
}

void
zip_source_set_overlay (ZipSource *source, guint64 offset, GBytes *bytes)
{
  g_clear_pointer (&source->overlay, g_bytes_unref);
  source->overlay = g_bytes_ref (bytes);
  source->overlay_offset = offset;
}

ZipSource *
zip_source_new_for_path (const char *path, GError **error)
{
  /* A named pipe must not make us wait for a writer. */
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

  if (fd < 0)
    {
      set_errno_error (error, errno, path);
      return NULL;
    }

  ZipSource *source = source_new_take (fd, error);
  if (source == NULL)
    g_prefix_error (error, "%s: ", path);
  return source;
}

ZipSource *
zip_source_ref (ZipSource *source)
{
  g_atomic_ref_count_inc (&source->references);
  return source;
}

guint64
zip_source_get_size (const ZipSource *source)
{
  return source->size;
}

static void
close_own (ZipSource *source)
{
  /* Nothing was written through them, so that close() has nothing to say. */
  for (guint i = 0; i < source->n_parts; i++)
    if (source->parts[i].fd >= 0)
      {
        (void) close (source->parts[i].fd);
        source->parts[i].fd = -1;
      }
}

void
zip_source_unref (ZipSource *source)
{
  if (!g_atomic_ref_count_dec (&source->references))
    return;

  close_own (source);
  g_free (source->parts);
  g_clear_pointer (&source->overlay, g_bytes_unref);
  g_free (source);
}

void
zip_source_set_lender (ZipSource *source, const ZipSourceLender *lender, gpointer user)
{
  close_own (source);
  source->lender = lender;
  source->lender_user = user;
}

static int
lend (ZipSource *source, guint i, GError **error)
{
  return source->lender != NULL ? source->lender->lend (source->lender_user, i, error)
                                : source->parts[i].fd;
}

static void
give_back (ZipSource *source, guint i)
{
  if (source->lender != NULL)
    source->lender->give_back (source->lender_user, i);
}

int
zip_source_lend_fd (ZipSource *source, GError **error)
{
  return lend (source, 0, error);
}

void
zip_source_give_back_fd (ZipSource *source)
{
  give_back (source, 0);
}

/* One read within one part; -1 with @error. */
static ssize_t
read_part (ZipSource *source, guint64 place, guint8 *bytes, gsize length, GError **error)
{
  guint i = 0;

  while (i + 1 < source->n_parts && source->parts[i + 1].start <= place)
    i++;
  if (i + 1 < source->n_parts)
    length = (gsize) MIN ((guint64) length, source->parts[i + 1].start - place);

  int fd = lend (source, i, error);
  if (fd < 0)
    return -1;

  ssize_t got;
  do
    got = pread (fd, bytes, length, (off_t) (place - source->parts[i].start));
  while (got < 0 && errno == EINTR);
  int code = errno;

  give_back (source, i);
  if (got < 0)
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code),
                 "archive, read at 0x%" G_GINT64_MODIFIER "x: %s", place, g_strerror (code));
  return got;
}

/* Puts the overlay over what was read. */
static void
cover (const ZipSource *source, guint64 offset, guint8 *bytes, gsize length)
{
  gsize size = 0;
  const guint8 *overlay = g_bytes_get_data (source->overlay, &size);
  guint64 start = MAX (offset, source->overlay_offset);
  guint64 end = MIN (offset + length, source->overlay_offset + size);

  if (start < end)
    memcpy (bytes + (start - offset), overlay + (start - source->overlay_offset),
            (gsize) (end - start));
}

gboolean
zip_source_read (ZipSource *source, guint64 offset, void *buffer, gsize length, gsize *n_read,
                 GError **error)
{
  guint8 *bytes = buffer;

  *n_read = 0;
  while (*n_read < length)
    {
      guint64 place = offset + *n_read;

      /* The rest of a hostile offset never reaches the kernel. */
      if (place < offset || place >= (guint64) G_MAXINT64)
        break;

      ssize_t got = read_part (source, place, bytes + *n_read, length - *n_read, error);
      if (got < 0)
        return FALSE;

      atomic_fetch_add_explicit (&source->n_reads, 1, memory_order_relaxed);
      atomic_fetch_add_explicit (&source->n_bytes, (guint64) got, memory_order_relaxed);
      *n_read += (gsize) got;

      /* At the end of the file there is no need to be told so by another call. */
      if (got == 0 || place + (guint64) got >= source->size)
        break;
    }

  if (source->overlay != NULL)
    cover (source, offset, bytes, *n_read);
  return TRUE;
}

gboolean
zip_source_read_exact (ZipSource *source, guint64 offset, void *buffer, gsize length,
                       const char *what, GError **error)
{
  gsize n_read = 0;

  if (!zip_source_read (source, offset, buffer, length, &n_read, error))
    return FALSE;

  if (n_read < length)
    {
      g_set_error (error, ZIP_ERROR, ZIP_ERROR_TRUNCATED,
                   "%s at 0x%" G_GINT64_MODIFIER "x: the file ends after %" G_GSIZE_FORMAT
                   " of %" G_GSIZE_FORMAT " bytes",
                   what, offset, n_read, length);
      return FALSE;
    }

  return TRUE;
}

guint64
zip_source_get_n_reads (const ZipSource *source)
{
  return atomic_load_explicit (&((ZipSource *) source)->n_reads, memory_order_relaxed);
}

guint64
zip_source_get_n_bytes (const ZipSource *source)
{
  return atomic_load_explicit (&((ZipSource *) source)->n_bytes, memory_order_relaxed);
}
