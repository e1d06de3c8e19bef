/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Writes all new files of a plan into one encrypted scratch ZIP. One for all, because each would
 * hold a descriptor open until the new archive is finished. */

#include "config.h"

#include "hold-backend-zip-libarchive-encrypt.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hold-backend-zip-write.h"
#include "hold-copy-pass.h"
#include "hold-libarchive-stream.h"
#include "hold-libarchive-target.h"
#include "hold-open-file.h"
#include "hold-secret.h"

#define READ_BYTES (256 * 1024)

typedef struct
{
  HoldZipEncryption encryption;
  guint index;
  GError *why;
} Result;

struct _HoldZipEncrypted
{
  int fd;
  ZipReader *reader;
  Result *results;
  guint n_results;

  /* While it is written. */
  const HoldPlanStep *steps;
  const HoldWriteOptions *options;
  HoldLibarchiveTarget target;
  guint n_written;
  guint8 *buffer;
  const HoldRewriteWatch *watch;
  GCancellable *cancellable;
};

/* Beside the new archive, where there must be room anyway; in memory only where files without a
 * name are not to be had. */
static int
open_scratch (int fd)
{
  g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d", fd);
  g_autofree char *path = g_file_read_link (link, NULL);
  g_autofree char *folder = path != NULL ? g_path_get_dirname (path) : NULL;
  int scratch = -1;

  if (folder != NULL)
    scratch = TEMP_FAILURE_RETRY (open (folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (scratch < 0)
    scratch = memfd_create ("holdall", MFD_CLOEXEC);
  return scratch;
}

static gboolean
check (HoldZipEncrypted  *self,
       int                result,
       GError           **error)
{
  return hold_libarchive_target_check (&self->target, result, error);
}

static gboolean
begin (HoldZipEncrypted  *self,
       GError           **error)
{
  const HoldWriteOptions *options = self->options;
  g_autofree char *level = g_strdup_printf ("%d", options->level < 0 ? 6 : MIN (options->level, 9));

  hold_libarchive_target_init (&self->target, self->fd);
  return check (self, archive_write_set_format_zip (self->target.archive), error) &&
         check (self, archive_write_set_format_option (self->target.archive, "zip", "encryption", "aes256"), error) &&
         check (self, archive_write_set_format_option (self->target.archive, "zip", "compression-level", level),
                error) &&
         check (self, archive_write_set_passphrase (self->target.archive, hold_secret_peek (options->secret)), error) &&
         hold_libarchive_target_open (&self->target, error);
}

static gboolean
write_header (HoldZipEncrypted    *self,
              const HoldPlanStep  *step,
              GError             **error)
{
  struct archive_entry *entry = archive_entry_new ();
  gboolean ok;

  /* No size is promised, so that a file that changes meanwhile does no harm. */
  archive_entry_set_pathname (entry, step->path);
  archive_entry_set_filetype (entry, AE_IFREG);
  archive_entry_set_perm (entry, step->source->mode & 07777);
  archive_entry_set_mtime (entry, step->source->mtime, step->source->mtime_ns);
  ok = check (self, archive_write_header (self->target.archive, entry), error);
  archive_entry_free (entry);
  return ok;
}

static gboolean
begin_entry (HoldZipEncrypted    *self,
             const HoldPlanStep  *step,
             Result              *result,
             GError             **error)
{
  if (!write_header (self, step, error))
    return FALSE;
  result->encryption = HOLD_ZIP_ENCRYPTED;
  result->index = self->n_written++;
  return TRUE;
}

static GError *
error_of (const HoldPlanStep *step,
          const char         *verb,
          int                 saved_errno)
{
  return g_error_new (G_IO_ERROR, g_io_error_from_errno (saved_errno), "%s “%s”: %s", verb, step->source->disk_path,
                      g_strerror (saved_errno));
}

/* FALSE: nothing more can be written. */
static gboolean
write_block (HoldZipEncrypted  *self,
             const guint8      *at,
             gsize              length,
             GError           **error)
{
  while (length > 0)
    {
      la_ssize_t taken = archive_write_data (self->target.archive, at, length);

      if (taken <= 0)
        return check (self, taken < 0 ? (int) taken : ARCHIVE_FATAL, error);
      if (!self->watch->moved (self->watch->user_data, (guint64) taken, error))
        return FALSE;
      at += taken;
      length -= (gsize) taken;
    }
  return TRUE;
}

static gboolean
finish_entry (HoldZipEncrypted  *self,
              GError           **error)
{
  return check (self, archive_write_finish_entry (self->target.archive), error);
}

/* The first block comes before the header, because of nothing libarchive makes an entry that others
 * call damaged. A source that fails later leaves an entry behind that nobody will ask for. */
static gboolean
pour (HoldZipEncrypted    *self,
      const HoldPlanStep  *step,
      int                  fd,
      Result              *result,
      GError             **error)
{
  ssize_t n = TEMP_FAILURE_RETRY (read (fd, self->buffer, READ_BYTES));

  if (n == 0)
    {
      result->encryption = HOLD_ZIP_EMPTY;
      return TRUE;
    }
  if (n > 0 && !begin_entry (self, step, result, error))
    return FALSE;

  for (; n > 0; n = TEMP_FAILURE_RETRY (read (fd, self->buffer, READ_BYTES)))
    if (!write_block (self, self->buffer, (gsize) n, error))
      return FALSE;

  if (n < 0)
    result->why = error_of (step, "Reading", errno);
  return result->encryption != HOLD_ZIP_ENCRYPTED || finish_entry (self, error);
}

static gboolean
add (HoldZipEncrypted    *self,
     const HoldPlanStep  *step,
     Result              *result,
     GError             **error)
{
  struct stat st;
  gboolean ok = TRUE;
  int fd = hold_open_file (AT_FDCWD, step->source->disk_path, O_RDONLY | O_NONBLOCK);

  if (fd < 0 || fstat (fd, &st) != 0)
    result->why = error_of (step, "Opening", errno);
  else if (!S_ISREG (st.st_mode))
    result->why = error_of (step, "Opening", EINVAL);
  else
    ok = pour (self, step, fd, result, error);

  if (result->why != NULL)
    result->encryption = HOLD_ZIP_LEFT_OUT;
  if (fd >= 0)
    g_close (fd, NULL);
  return ok;
}

/* What comes out of other archives: HoldCopyFuncs. */

static Result *
result_of (HoldZipEncrypted   *self,
           const HoldPlanStep *step)
{
  return &self->results[step - self->steps];
}

/* Folders and links have nothing to hide. */
static gboolean
plain_cb (gpointer             user_data,
          const HoldPlanStep  *step,
          GError             **error)
{
  return TRUE;
}

static gboolean
begin_cb (gpointer             user_data,
          const HoldPlanStep  *step,
          GError             **error)
{
  return begin_entry (user_data, step, result_of (user_data, step), error);
}

static gboolean
data_cb (gpointer       user_data,
         const guint8  *data,
         gsize          length,
         GError       **error)
{
  HoldZipEncrypted *self = user_data;

  return !g_cancellable_set_error_if_cancelled (self->cancellable, error) && write_block (self, data, length, error);
}

static gboolean
lost_cb (gpointer             user_data,
         const HoldPlanStep  *step,
         const GError        *why,
         GError             **error)
{
  Result *result = result_of (user_data, step);

  result->encryption = HOLD_ZIP_LEFT_OUT;
  result->why = g_error_copy (why);
  return TRUE;
}

static gboolean
end_cb (gpointer             user_data,
        const HoldPlanStep  *step,
        const GError        *why,
        GError             **error)
{
  if (why != NULL)
    lost_cb (user_data, step, why, error);
  return finish_entry (user_data, error);
}

static gboolean
whole_cb (gpointer             user_data,
          const HoldPlanStep  *step,
          GBytes              *content,
          GError             **error)
{
  gsize length = 0;
  const guint8 *data = g_bytes_get_data (content, &length);

  if (length == 0)
    {
      result_of (user_data, step)->encryption = HOLD_ZIP_EMPTY;
      return TRUE;
    }
  return begin_cb (user_data, step, error) && data_cb (user_data, data, length, error) &&
         finish_entry (user_data, error);
}

/* Out of a ZIP, what is encrypted stays as it is. */
static gboolean
is_copied_raw (const HoldPlanStep *step)
{
  return hold_backend_zip_get_reader (step->source->archive) != NULL &&
         (step->source->type != HOLD_ENTRY_FILE ||
          hold_entry_is_encrypted (hold_archive_get_entry (step->source->archive, step->source->index)));
}

/* How many of the steps from here come out of one archive together. */
static guint
count_copied (const HoldPlanStep *steps,
              guint               n_steps)
{
  guint n = hold_copy_pass_length (steps, n_steps);

  for (guint i = 0; i < n; i++)
    if (is_copied_raw (&steps[i]))
      return i;
  return n;
}

static gboolean
add_all (HoldZipEncrypted  *self,
         GError           **error)
{
  static const HoldCopyFuncs funcs = {
    .plain = plain_cb,
    .whole = whole_cb,
    .begin = begin_cb,
    .data = data_cb,
    .end = end_cb,
    .lost = lost_cb,
  };

  for (guint i = 0; i < self->n_results; i++)
    {
      const HoldPlanStep *step = &self->steps[i];
      guint n_copied = step->source != NULL ? count_copied (step, self->n_results - i) : 0;

      if (g_cancellable_set_error_if_cancelled (self->cancellable, error))
        return FALSE;
      if (n_copied > 0)
        {
          if (!hold_copy_pass_run (step, n_copied, self->options->keyring, &funcs, self, self->cancellable, error))
            return FALSE;
          i += n_copied - 1;
        }
      else if (step->source != NULL && step->source->type == HOLD_ENTRY_FILE && step->source->archive == NULL &&
               !add (self, step, &self->results[i], error))
        {
          return FALSE;
        }
    }

  return check (self, archive_write_close (self->target.archive), error);
}

HoldZipEncrypted *
hold_zip_encrypted_new (const HoldPlanStep      *steps,
                        guint                    n_steps,
                        int                      fd,
                        const HoldWriteOptions  *options,
                        const HoldRewriteWatch  *watch,
                        GCancellable            *cancellable,
                        GError                 **error)
{
  g_autoptr (HoldZipEncrypted) self = g_new0 (HoldZipEncrypted, 1);
  locale_t locale;
  gboolean ok;

  self->results = g_new0 (Result, MAX (n_steps, 1));
  self->n_results = n_steps;
  self->buffer = g_malloc (READ_BYTES);
  self->steps = steps;
  self->options = options;
  self->watch = watch;
  self->cancellable = cancellable;
  self->fd = open_scratch (fd);
  if (self->fd < 0)
    {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "Making a scratch file: %s", g_strerror (errno));
      return NULL;
    }

  locale = hold_libarchive_locale_enter ();
  ok = begin (self, error) && add_all (self, error);
  hold_libarchive_locale_leave (locale);
  if (!ok)
    return NULL;

  self->reader = zip_reader_open_fd (self->fd, cancellable, error);
  if (self->reader == NULL)
    return NULL;
  if (zip_reader_get_n_entries (self->reader) != self->n_written)
    {
      g_set_error_literal (error, HOLD_ERROR, HOLD_ERROR_CORRUPT, "What was encrypted can't be read back");
      return NULL;
    }
  return g_steal_pointer (&self);
}

void
hold_zip_encrypted_free (HoldZipEncrypted *self)
{
  if (self == NULL)
    return;

  hold_libarchive_target_clear (&self->target);
  g_clear_pointer (&self->reader, zip_reader_unref);
  for (guint i = 0; i < self->n_results; i++)
    g_clear_error (&self->results[i].why);
  if (self->fd >= 0)
    g_close (self->fd, NULL);
  g_free (self->results);
  g_free (self->buffer);
  g_free (self);
}

ZipReader *
hold_zip_encrypted_get_reader (HoldZipEncrypted *self)
{
  return self->reader;
}

HoldZipEncryption
hold_zip_encrypted_find (HoldZipEncrypted  *self,
                         guint              position,
                         guint             *index,
                         const GError     **why)
{
  const Result *result = &self->results[position];

  *index = result->index;
  *why = result->why;
  return result->encryption;
}
