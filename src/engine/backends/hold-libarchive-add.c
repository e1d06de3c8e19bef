/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What is new in an archive that libarchive writes: files of the disk, and entries of other archives.
 * The size goes first there, and nothing can be taken back. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hold-copy-pass.h"
#include "hold-libarchive-write-private.h"
#include "hold-open-file.h"

/* A whole file is read ahead up to this size, so that its header tells the size that it really has
 * (W15). */
#define WHOLE_MAX_BYTES (8 * 1024 * 1024)

static struct archive_entry *
entry_from_source (const char           *path,
                   const HoldPlanSource *source,
                   guint64               size)
{
  struct archive_entry *entry = archive_entry_new ();

  archive_entry_set_pathname (entry, path);
  archive_entry_set_mtime (entry, source->mtime, source->mtime_ns);
  archive_entry_set_perm (entry, source->mode & 07777);
  switch (source->type)
    {
    case HOLD_ENTRY_FOLDER:
      archive_entry_set_filetype (entry, AE_IFDIR);
      break;
    case HOLD_ENTRY_SYMLINK:
      archive_entry_set_filetype (entry, AE_IFLNK);
      archive_entry_set_symlink (entry, source->link_target);
      break;
    default:
      archive_entry_set_filetype (entry, AE_IFREG);
      break;
    }
  archive_entry_set_size (entry, source->type == HOLD_ENTRY_FILE ? (la_int64_t) size : 0);
  return entry;
}

static gboolean
write_header_of (HoldLibarchiveRewrite  *self,
                 const HoldPlanStep     *step,
                 guint64                 size,
                 GError                **error)
{
  struct archive_entry *entry = entry_from_source (step->path, step->source, size);
  gboolean ok = hold_libarchive_writer_header (self->writer, entry, error);

  archive_entry_free (entry);
  return ok;
}

void
_hold_libarchive_note_step (HoldLibarchiveRewrite *self,
                            const HoldPlanStep    *step)
{
  if (self->watch->step != NULL)
    self->watch->step (self->watch->user_data, step->path);
}

/* What could not be read before its header was written is simply left out. */
static gboolean
leave_out (HoldLibarchiveRewrite *self,
           const HoldPlanStep    *step,
           const GError          *why)
{
  self->watch->failed (self->watch->user_data, step->path, why);
  return FALSE;
}

static void
note_change (HoldLibarchiveRewrite *self,
             const HoldPlanStep    *step,
             const char            *what)
{
  g_autoptr (GError) error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_INVALID_DATA, what);

  self->watch->changed (self->watch->user_data, step->path, error);
}

static GError *
error_from_errno (const char *verb,
                  const char *path)
{
  int saved_errno = errno;

  return g_error_new (G_IO_ERROR, g_io_error_from_errno (saved_errno), "%s “%s”: %s", verb, path,
                      g_strerror (saved_errno));
}

/* Copies a large file whose size is promised in the header; what it lacks in the end is filled with
 * zeros and told. */
static gboolean
pour_large_file (HoldLibarchiveRewrite  *self,
                 const HoldPlanStep     *step,
                 int                     fd,
                 guint64                 size,
                 GError                **error)
{
  guint64 left = size;

  if (!write_header_of (self, step, size, error))
    return FALSE;

  while (left > 0)
    {
      ssize_t n = TEMP_FAILURE_RETRY (read (fd, self->block, MIN (left, HOLD_LIBARCHIVE_BLOCK_BYTES)));

      if (n <= 0)
        {
          note_change (self, step, n == 0 ? "The file shrank while it was read; its end is filled with zeros"
                                          : "The file could not be read to its end; the rest is filled with zeros");
          return hold_libarchive_writer_fill (self->writer, left, error);
        }
      if (!hold_libarchive_writer_data (self->writer, self->block, (gsize) n, error) ||
          !self->watch->moved (self->watch->user_data, (guint64) n, error))
        return FALSE;
      left -= (guint64) n;
    }

  if (TEMP_FAILURE_RETRY (read (fd, self->block, 1)) > 0)
    note_change (self, step, "The file grew while it was read; what came later is not in the archive");
  return TRUE;
}

/* A small file is read whole before its header is written. *taken FALSE without @error: left
 * out. */
static gboolean
pour_small_file (HoldLibarchiveRewrite  *self,
                 const HoldPlanStep     *step,
                 int                     fd,
                 gboolean               *taken,
                 GError                **error)
{
  g_autoptr (GByteArray) content = g_byte_array_new ();
  g_autoptr (GError) why = NULL;
  ssize_t n;

  while (content->len < WHOLE_MAX_BYTES &&
         (n = TEMP_FAILURE_RETRY (read (fd, self->block, HOLD_LIBARCHIVE_BLOCK_BYTES))) != 0)
    {
      if (n < 0)
        {
          why = error_from_errno ("Reading", step->source->disk_path);
          *taken = leave_out (self, step, why);
          return TRUE;
        }
      g_byte_array_append (content, self->block, (guint) n);
    }
  if (content->len >= WHOLE_MAX_BYTES && TEMP_FAILURE_RETRY (read (fd, self->block, 1)) > 0)
    note_change (self, step, "The file grew while it was read; what came later is not in the archive");

  return write_header_of (self, step, content->len, error) &&
         hold_libarchive_writer_data (self->writer, content->data, content->len, error) &&
         self->watch->moved (self->watch->user_data, content->len, error);
}

static gboolean
add_file (HoldLibarchiveRewrite  *self,
          const HoldPlanStep     *step,
          gboolean               *taken,
          GError                **error)
{
  const char *path = step->source->disk_path;
  g_autoptr (GError) why = NULL;
  struct stat st;
  gboolean ok;
  int fd = hold_open_file (AT_FDCWD, path, O_RDONLY | O_NONBLOCK);

  if (fd < 0 || fstat (fd, &st) != 0)
    why = error_from_errno ("Opening", path);
  else if (!S_ISREG (st.st_mode))
    why = g_error_new (G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE, "“%s” is no longer a file", path);
  if (why != NULL)
    {
      if (fd >= 0)
        g_close (fd, NULL);
      *taken = leave_out (self, step, why);
      return TRUE;
    }

  if (st.st_size < WHOLE_MAX_BYTES)
    ok = pour_small_file (self, step, fd, taken, error);
  else
    ok = pour_large_file (self, step, fd, (guint64) st.st_size, error);
  g_close (fd, NULL);
  return ok;
}

/* Entries of another archive on their way; a larger one is poured while it is decoded. */
typedef struct
{
  HoldLibarchiveRewrite *self;
  gboolean taken;
  guint64 position;
} Copy;

static gboolean
copy_plain (gpointer             user_data,
            const HoldPlanStep  *step,
            GError             **error)
{
  Copy *copy = user_data;

  _hold_libarchive_note_step (copy->self, step);
  return write_header_of (copy->self, step, 0, error);
}

static gboolean
copy_whole (gpointer             user_data,
            const HoldPlanStep  *step,
            GBytes              *content,
            GError             **error)
{
  HoldLibarchiveRewrite *self = ((Copy *) user_data)->self;
  gsize length;
  const guint8 *data = g_bytes_get_data (content, &length);

  _hold_libarchive_note_step (self, step);
  return write_header_of (self, step, length, error) &&
         hold_libarchive_writer_data (self->writer, data, length, error) &&
         self->watch->moved (self->watch->user_data, length, error);
}

static gboolean
copy_begin (gpointer             user_data,
            const HoldPlanStep  *step,
            GError             **error)
{
  Copy *copy = user_data;

  _hold_libarchive_note_step (copy->self, step);
  copy->position = 0;
  return write_header_of (copy->self, step, step->source->size_bytes, error);
}

static gboolean
copy_data (gpointer       user_data,
           const guint8  *data,
           gsize          length,
           GError       **error)
{
  Copy *copy = user_data;

  copy->position += length;
  return hold_libarchive_writer_data (copy->self->writer, data, length, error) &&
         copy->self->watch->moved (copy->self->watch->user_data, length, error);
}

/* A header can't be taken back: an entry that is damaged only further on stops the rewrite. */
static gboolean
copy_end (gpointer             user_data,
          const HoldPlanStep  *step,
          const GError        *why,
          GError             **error)
{
  Copy *copy = user_data;

  if (why != NULL)
    g_propagate_prefixed_error (error, g_error_copy (why), "“%s”: ", step->path);
  else if (copy->position < step->source->size_bytes)
    g_set_error (error, HOLD_ERROR, HOLD_ERROR_TRUNCATED, "“%s”: its data ends too early", step->path);
  else
    return TRUE;
  return FALSE;
}

static gboolean
copy_lost (gpointer             user_data,
           const HoldPlanStep  *step,
           const GError        *why,
           GError             **error)
{
  Copy *copy = user_data;

  copy->taken = leave_out (copy->self, step, why);
  return TRUE;
}

gboolean
_hold_libarchive_add_copies (HoldLibarchiveRewrite  *self,
                             const HoldPlanStep     *steps,
                             guint                   n_steps,
                             gboolean               *taken,
                             GError                **error)
{
  const HoldCopyFuncs funcs = {
    .plain = copy_plain,
    .whole = copy_whole,
    .begin = copy_begin,
    .data = copy_data,
    .end = copy_end,
    .lost = copy_lost,
    .needs_size = TRUE,
  };
  Copy copy = { self, TRUE, 0 };
  gboolean ok = hold_copy_pass_run (steps, n_steps, self->options->keyring, &funcs, &copy, self->cancellable, error);

  *taken = copy.taken;
  return ok;
}

gboolean
_hold_libarchive_add_source (HoldLibarchiveRewrite  *self,
                             const HoldPlanStep     *step,
                             gboolean               *taken,
                             GError                **error)
{
  gboolean ok;

  *taken = TRUE;
  if (step->source->archive != NULL)
    return _hold_libarchive_add_copies (self, step, 1, taken, error);

  _hold_libarchive_note_step (self, step);
  if (step->source->type != HOLD_ENTRY_FILE)
    ok = write_header_of (self, step, 0, error);
  else
    ok = add_file (self, step, taken, error);

  return ok;
}
