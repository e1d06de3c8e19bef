/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Files of the disk on their way into a ZIP: small ones in one piece, which is packed later, large
 * ones block by block. Files change while they are read; what does is told. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hold-backend-zip-blocks.h"
#include "hold-backend-zip-write-private.h"
#include "hold-open-file.h"

#define READ_BYTES (256 * 1024)

static int
open_source (const HoldPlanStep  *step,
             GError             **error)
{
  const char *path = step->source->disk_path;
  struct stat st;
  int saved_errno;
  int fd = hold_open_file (AT_FDCWD, path, O_RDONLY | O_NONBLOCK);

  if (fd >= 0 && fstat (fd, &st) == 0 && S_ISREG (st.st_mode))
    return fd;

  saved_errno = fd < 0 ? errno : EINVAL;
  if (fd >= 0)
    g_close (fd, NULL);
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved_errno), "Opening “%s”: %s", path,
               saved_errno == EINVAL ? "It is no longer a file" : g_strerror (saved_errno));
  return -1;
}

static gboolean
read_some (const HoldPlanStep  *step,
           int                  fd,
           guint8              *buffer,
           gsize                length,
           gsize               *n_read,
           GError             **error)
{
  ssize_t n = TEMP_FAILURE_RETRY (read (fd, buffer, length));

  if (n < 0)
    {
      int saved_errno = errno;

      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved_errno), "Reading “%s”: %s",
                   step->source->disk_path, g_strerror (saved_errno));
      return FALSE;
    }
  *n_read = (gsize) n;
  return TRUE;
}

void
_hold_zip_read_small (HoldZipSmall *small)
{
  g_autoptr (GByteArray) content = NULL;
  gsize n = 1;
  gsize used = 0;
  int fd = open_source (small->step, &small->error);

  if (fd < 0)
    return;

  /* One byte more than expected, so that the end shows in one more read at most. */
  content = g_byte_array_sized_new ((guint) small->step->source->size_bytes + 1);
  while (n > 0 && small->error == NULL)
    {
      gsize room = MAX (small->step->source->size_bytes + 1, used + READ_BYTES / 4) - used;

      g_byte_array_set_size (content, (guint) (used + room));
      if (!read_some (small->step, fd, content->data + used, room, &n, &small->error))
        break;
      used += n;
      if (used > 2 * ZIP_PACKER_WHOLE_MAX)
        g_set_error (&small->error, G_IO_ERROR, G_IO_ERROR_FAILED,
                     "“%s” grew while it was read", small->step->source->disk_path);
    }
  g_close (fd, NULL);
  if (small->error != NULL)
    return;

  g_byte_array_set_size (content, (guint) used);
  small->content = g_byte_array_free_to_bytes (g_steal_pointer (&content));
}

static gboolean
finish_sink (HoldZipRewrite        *self,
             HoldBackendZipBlocks  *sink,
             GError               **error)
{
  guint64 size = 0;
  guint64 packed_size = 0;

  return hold_backend_zip_blocks_finish (sink, &size, &packed_size, error) &&
         _hold_zip_count_saved (self, size, packed_size, error);
}

static void
note_growth (HoldZipRewrite      *self,
             const HoldPlanStep  *step)
{
  g_autoptr (GError) grown = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                                                  "The file grew while it was read; what came later is "
                                                  "not in the archive");

  self->watch->changed (self->watch->user_data, step->path, grown);
}

/* As much as there was at the beginning: who runs after a file that grows may never come to its end. One byte
 * more is asked for, which should not be there. */
static gboolean
pour_file (HoldZipRewrite        *self,
           const HoldPlanStep    *step,
           HoldBackendZipBlocks  *sink,
           int                    fd,
           GError               **error)
{
  g_autofree guint8 *buffer = g_malloc (READ_BYTES);
  guint64 left = step->source->size_bytes;
  struct stat st;
  gsize n = 0;

  if (fstat (fd, &st) == 0)
    left = (guint64) st.st_size;
  do
    {
      gsize wanted = (gsize) CLAMP (left, 1, READ_BYTES);

      if (g_cancellable_set_error_if_cancelled (self->cancellable, error) ||
          !read_some (step, fd, buffer, wanted, &n, error))
        return FALSE;
      if (n > 0 && left == 0)
        {
          note_growth (self, step);
          n = 0;
        }
      if (!hold_backend_zip_blocks_push (sink, buffer, n, error))
        return FALSE;
      left -= n;
    }
  while (n > 0);

  return finish_sink (self, sink, error);
}

gboolean
_hold_zip_add_large (HoldZipRewrite      *self,
                     const HoldPlanStep  *step,
                     GError             **error)
{
  const HoldPlanSource *source = step->source;
  ZipNewEntry entry = _hold_zip_new_entry (step, step->path);
  g_autoptr (HoldBackendZipBlocks) sink = NULL;
  g_autoptr (GError) why = NULL;
  gboolean ok;
  int fd;

  sink = hold_backend_zip_blocks_new (self->writer, self->packers, self->options->compute, &entry,
                                      source->size_bytes);
  fd = open_source (step, &why);
  ok = fd >= 0 && pour_file (self, step, sink, fd, &why);
  if (fd >= 0)
    g_close (fd, NULL);
  if (ok)
    return TRUE;

  if (zip_writer_is_broken (self->writer) || g_error_matches (why, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&why));
      return FALSE;
    }
  g_clear_pointer (&sink, hold_backend_zip_blocks_free);
  return _hold_zip_leave_out (self, step, why, error);
}
