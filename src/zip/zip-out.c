/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Buffered appending by pwrite(), and three ways to copy: shared blocks, in the kernel, by hand.
 * */

#include "zip-out.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "zip-error.h"

#define BUFFER_SIZE (256u * 1024u)

/* Below this a system call of its own costs more than copying, in bytes. */
#define COPY_MIN (64u * 1024u)

/* After so much the disk is given something to do, so that the caller's fsync() has little left to
 * wait for, in bytes. */
#define WRITEBACK_MIN (8u * 1024u * 1024u)

/* How much the kernel copies between two looks at the cancellable, in bytes. */
#define COPY_PIECE (1024u * 1024u)

void
zip_out_init (ZipOut *out, int fd)
{
  *out = (ZipOut) { .fd = fd, .buffer = g_malloc (BUFFER_SIZE) };
}

void
zip_out_clear (ZipOut *out)
{
  g_clear_pointer (&out->buffer, g_free);
}

guint64
zip_out_position (const ZipOut *out)
{
  return out->flushed + out->used;
}

static gboolean
fail (ZipOut *out, int code, const char *doing, guint64 offset, GError **error)
{
  out->broken = TRUE;
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code),
               "new archive, %s at 0x%" G_GINT64_MODIFIER "x: %s", doing, offset,
               g_strerror (code));
  return FALSE;
}

static gboolean
write_at (ZipOut *out, guint64 offset, const guint8 *data, gsize length, GError **error)
{
  while (length > 0)
    {
      ssize_t n = pwrite (out->fd, data, length, (off_t) offset);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return fail (out, errno, "write", offset, error);
      if (n == 0)
        return fail (out, EIO, "write", offset, error);
      data += n;
      offset += (guint64) n;
      length -= (gsize) n;
    }

  return TRUE;
}

/* Only a hint: that everything has reached the disk is for fsync() to say. */
static void
start_writeback (ZipOut *out, guint64 at_least)
{
  if (out->flushed < out->started + at_least)
    return;
  if (sync_file_range (out->fd, (off_t) out->started, (off_t) (out->flushed - out->started),
                       SYNC_FILE_RANGE_WRITE) != 0)
    g_debug ("writing to disk ahead: %s", g_strerror (errno));
  out->started = out->flushed;
}

gboolean
zip_out_flush (ZipOut *out, GError **error)
{
  if (!write_at (out, out->flushed, out->buffer, out->used, error))
    return FALSE;

  out->flushed += out->used;
  out->used = 0;
  start_writeback (out, WRITEBACK_MIN);
  return TRUE;
}

gboolean
zip_out_write (ZipOut *out, const guint8 *data, gsize length, GError **error)
{
  if (out->used + length > BUFFER_SIZE && !zip_out_flush (out, error))
    return FALSE;

  if (length >= BUFFER_SIZE)
    {
      if (!write_at (out, out->flushed, data, length, error))
        return FALSE;
      out->flushed += length;
      start_writeback (out, WRITEBACK_MIN);
      return TRUE;
    }

  if (length > 0)
    memcpy (out->buffer + out->used, data, length);
  out->used += length;
  return TRUE;
}

gboolean
zip_out_patch (ZipOut *out, guint64 offset, const guint8 *data, gsize length, GError **error)
{
  g_return_val_if_fail (offset + length <= zip_out_position (out), FALSE);

  if (offset >= out->flushed)
    {
      memcpy (out->buffer + (offset - out->flushed), data, length);
      return TRUE;
    }

  return zip_out_flush (out, error) && write_at (out, offset, data, length, error);
}

void
zip_out_rewind (ZipOut *out, guint64 position)
{
  if (position >= out->flushed)
    out->used = (gsize) (position - out->flushed);
  else
    {
      out->flushed = position;
      out->started = MIN (out->started, position);
      out->used = 0;
    }
}

gboolean
zip_out_finish (ZipOut *out, GError **error)
{
  if (!zip_out_flush (out, error))
    return FALSE;

  while (ftruncate (out->fd, (off_t) out->flushed) != 0)
    if (errno != EINTR)
      return fail (out, errno, "cut", out->flushed, error);
  /* While the disk takes the rest, the caller verifies. */
  start_writeback (out, 1);
  return TRUE;
}

static gboolean
share_blocks (ZipOut *out, ZipSource *source, guint64 from, guint64 length, guint64 to)
{
  struct file_clone_range range = {
    .src_fd = zip_source_lend_fd (source, NULL),
    .src_offset = from,
    .src_length = length,
    .dest_offset = to,
  };
  int result;

  if (range.src_fd < 0)
    return FALSE;
  do
    result = ioctl (out->fd, FICLONERANGE, &range);
  while (result != 0 && errno == EINTR);

  zip_source_give_back_fd (source);
  return result == 0;
}

/* The kernel copies from a descriptor, and the parts of a split archive have several. */
static gboolean
is_one_file (const ZipSource *source)
{
  return zip_source_get_n_parts (source) == 1;
}

gboolean
zip_out_can_clone (ZipOut *out, ZipSource *source)
{
  if (!is_one_file (source))
    return FALSE;
  if (out->clone_known || out->no_clone)
    return !out->no_clone;
  if (zip_source_get_size (source) < ZIP_OUT_BLOCK)
    return FALSE;

  /* One block, to a place that will be written over. */
  guint64 place = (zip_out_position (out) / ZIP_OUT_BLOCK + 1) * ZIP_OUT_BLOCK;

  out->clone_known = TRUE;
  out->no_clone = !share_blocks (out, source, 0, ZIP_OUT_BLOCK, place);
  return !out->no_clone;
}

static gboolean
copy_by_hand (ZipOut *out, ZipSource *source, guint64 offset, guint64 length, GError **error)
{
  while (length > 0)
    {
      gsize piece = (gsize) MIN (length, (guint64) BUFFER_SIZE);

      /* Read straight into the buffer, behind what is waiting in it. */
      if (out->used + piece > BUFFER_SIZE && !zip_out_flush (out, error))
        return FALSE;
      if (!zip_source_read_exact (source, offset, out->buffer + out->used, piece, "kept entries",
                                  error))
        return FALSE;

      out->used += piece;
      offset += piece;
      length -= piece;
    }

  return TRUE;
}

/* Copies up to @length bytes in the kernel. Returns how many; 0 if that is not possible here. */
static gboolean
copy_in_kernel (ZipOut *out, ZipSource *source, guint64 offset, guint64 length, guint64 *copied,
                GError **error)
{
  off_t from = (off_t) offset;
  off_t to = 0;

  *copied = 0;
  if (out->no_copy || !is_one_file (source) || length < COPY_MIN
      || offset > (guint64) G_MAXINT64 - length)
    return TRUE;
  if (!zip_out_flush (out, error))
    return FALSE;

  to = (off_t) out->flushed;
  int fd = zip_source_lend_fd (source, error);
  if (fd < 0)
    return FALSE;
  ssize_t n = copy_file_range (fd, &from, out->fd, &to, (gsize) length, 0);
  int code = errno;

  zip_source_give_back_fd (source);
  if (n < 0)
    switch (code)
      {
      case EINTR:
        return TRUE; /* by hand, this once */
      case EXDEV:
      case ENOSYS:
      case EINVAL:
      case EOPNOTSUPP:
      case EPERM:
      case EBADF:
      case ETXTBSY:
        out->no_copy = TRUE;
        return TRUE;
      default:
        return fail (out, code, "copy", out->flushed, error);
      }

  /* Some file systems answer 0 where there is something; reading will tell. */
  out->flushed += (guint64) n;
  start_writeback (out, WRITEBACK_MIN);
  *copied = (guint64) n;
  return TRUE;
}

static gboolean
copy_plain (ZipOut *out, ZipSource *source, guint64 offset, guint64 length, ZipOutFunc progress,
            gpointer user, GCancellable *cancellable, GError **error)
{
  while (length > 0)
    {
      guint64 copied = 0;

      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (!copy_in_kernel (out, source, offset, MIN (length, (guint64) COPY_PIECE), &copied, error))
        return FALSE;
      if (copied == 0)
        {
          copied = MIN (length, (guint64) BUFFER_SIZE);
          if (!copy_by_hand (out, source, offset, copied, error))
            return FALSE;
        }

      offset += copied;
      length -= copied;
      if (progress != NULL && !progress (user, copied, error))
        return FALSE;
    }

  return TRUE;
}

gboolean
zip_out_copy (ZipOut *out, ZipSource *source, guint64 offset, guint64 length, ZipOutFunc progress,
              gpointer user, GCancellable *cancellable, GError **error)
{
  guint64 size = zip_source_get_size (source);
  guint64 position = zip_out_position (out);
  guint64 head = (ZIP_OUT_BLOCK - offset % ZIP_OUT_BLOCK) % ZIP_OUT_BLOCK;

  if (length > size || offset > size - length)
    {
      g_set_error (error, ZIP_ERROR, ZIP_ERROR_TRUNCATED,
                   "kept entries at 0x%" G_GINT64_MODIFIER "x: the file ends before their end",
                   offset);
      return FALSE;
    }

  if (position % ZIP_OUT_BLOCK == offset % ZIP_OUT_BLOCK && length >= head + COPY_MIN
      && zip_out_can_clone (out, source))
    {
      guint64 shared = (length - head) / ZIP_OUT_BLOCK * ZIP_OUT_BLOCK;

      if (!copy_plain (out, source, offset, head, progress, user, cancellable, error)
          || !zip_out_flush (out, error))
        return FALSE;
      if (share_blocks (out, source, offset + head, shared, out->flushed))
        {
          out->flushed += shared;
          if (progress != NULL && !progress (user, shared, error))
            return FALSE;
          head += shared;
        }
      offset += head;
      length -= head;
    }

  return copy_plain (out, source, offset, length, progress, user, cancellable, error);
}
