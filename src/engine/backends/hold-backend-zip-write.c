/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The ZIP side of a rewrite. Small new files are read and packed in batches on all cores while
 * their order stays; large ones block by block; everything that is in the archive already is copied
 * without being looked into. */

#include "config.h"

#include "hold-backend-zip-write.h"

#include <string.h>
#include <sys/stat.h>

#include "hold-backend-zip-private.h"
#include "hold-backend-zip-write-private.h"
#include "hold-copy-pass.h"

ZipReader *
hold_backend_zip_get_reader (HoldArchive *archive)
{
  const HoldZipData *data;

  if (_hold_archive_get_backend (archive) != &hold_backend_zip)
    return NULL;
  data = _hold_archive_get_backend_data (archive);
  return data->reader;
}

static gboolean
moved_cb (gpointer   user_data,
          guint64    n_bytes,
          GError   **error)
{
  HoldZipRewrite *self = user_data;

  return self->watch->moved (self->watch->user_data, n_bytes, error);
}

/* The writer counts packed bytes; people think in the sizes of their files. */
gboolean
_hold_zip_count_saved (HoldZipRewrite  *self,
                       guint64          size,
                       guint64          packed_size,
                       GError         **error)
{
  return self->watch->moved (self->watch->user_data, size > packed_size ? size - packed_size : 0, error);
}

static char *
stored_name (const char *path,
             gboolean    is_folder)
{
  return is_folder ? g_strconcat (path, "/", NULL) : g_strdup (path);
}

/* Readers of EPUB and ODF look for this entry at the very front, not compressed. It is short. */
static gboolean
must_be_stored (const HoldPlanStep *step,
                const HoldPlanStep *first)
{
  return step == first && g_str_equal (step->path, "mimetype") && step->source->size_bytes < ZIP_PACKER_WHOLE_MAX;
}

static guint32
unix_mode (const HoldPlanSource *source)
{
  switch (source->type)
    {
    case HOLD_ENTRY_FOLDER:
      return S_IFDIR | (source->mode & 07777);
    case HOLD_ENTRY_SYMLINK:
      return S_IFLNK | 0777;
    default:
      return S_IFREG | (source->mode & 07777);
    }
}

ZipNewEntry
_hold_zip_new_entry (const HoldPlanStep *step,
                     const char         *name)
{
  return (ZipNewEntry) { .name = name, .mode = unix_mode (step->source), .mtime = step->source->mtime };
}

static gboolean
pack_small (gpointer   user_data,
            guint      unit,
            guint      worker,
            GError   **error)
{
  HoldZipBatch *batch = user_data;
  HoldZipSmall *small = &batch->files[unit];

  if (g_cancellable_set_error_if_cancelled (batch->self->cancellable, error))
    return FALSE;
  if (small->is_packed || small->error != NULL)
    return TRUE;
  if (small->content == NULL)
    _hold_zip_read_small (small);
  if (small->content != NULL)
    {
      zip_packer_pack (batch->self->packers[worker], small->content, &small->packed);
      g_clear_pointer (&small->content, g_bytes_unref);
    }
  return TRUE;
}

void
_hold_zip_note_step (HoldZipRewrite     *self,
                     const HoldPlanStep *step)
{
  if (self->watch->step != NULL)
    self->watch->step (self->watch->user_data, step->path);
}

static gboolean
keep (HoldZipRewrite      *self,
      const HoldPlanStep  *step,
      GError             **error)
{
  const HoldEntry *entry = hold_archive_get_entry (hold_plan_get_archive (self->plan), step->index);
  g_autofree char *name = NULL;

  if (step->kind != HOLD_STEP_KEEP)
    name = stored_name (step->path, hold_entry_get_type (entry) == HOLD_ENTRY_FOLDER);
  return zip_writer_copy_entry (self->writer, self->reader, step->index, name,
                                name != NULL ? strlen (name) : 0, self->cancellable, error);
}

/* What can't be read is told, and what it should have replaced stays. */
gboolean
_hold_zip_leave_out (HoldZipRewrite      *self,
                     const HoldPlanStep  *step,
                     const GError        *why,
                     GError             **error)
{
  self->watch->failed (self->watch->user_data, step->path, why);
  return step->kind != HOLD_STEP_REPLACE || keep (self, step, error);
}

static gboolean
write_packed (HoldZipRewrite      *self,
              const HoldPlanStep  *step,
              const ZipPacked     *packed,
              GError             **error)
{
  g_autofree char *name = stored_name (step->path, step->source->type == HOLD_ENTRY_FOLDER);
  ZipNewEntry entry = _hold_zip_new_entry (step, name);

  return zip_writer_add_packed (self->writer, &entry, packed, error) &&
         _hold_zip_count_saved (self, packed->size, packed->data != NULL ? g_bytes_get_size (packed->data) : 0, error);
}

void
_hold_zip_batch_clear (HoldZipBatch *batch)
{
  for (guint i = 0; i < batch->n_files; i++)
    {
      g_clear_pointer (&batch->files[i].content, g_bytes_unref);
      zip_packed_clear (&batch->files[i].packed);
      g_clear_error (&batch->files[i].error);
    }
  batch->n_files = 0;
}

gboolean
_hold_zip_write_batch (HoldZipBatch  *batch,
                       GError       **error)
{
  HoldZipRewrite *self = batch->self;
  gboolean ok = hold_compute_for_each (self->options->compute, batch->n_files, pack_small, batch, error);

  for (guint i = 0; ok && i < batch->n_files; i++)
    {
      HoldZipSmall *small = &batch->files[i];

      _hold_zip_note_step (self, small->step);
      if (small->error != NULL)
        ok = _hold_zip_leave_out (self, small->step, small->error, error);
      else
        ok = write_packed (self, small->step, &small->packed, error);
    }

  _hold_zip_batch_clear (batch);
  return ok;
}

static gboolean
add_stored (HoldZipRewrite      *self,
            const HoldPlanStep  *step,
            GBytes              *content,
            GError             **error)
{
  g_autoptr (ZipPacker) packer = zip_packer_new (0);
  g_auto (ZipPacked) packed = { 0 };

  zip_packer_pack (packer, content, &packed);
  return write_packed (self, step, &packed, error);
}

static gboolean
add_mimetype (HoldZipRewrite      *self,
              const HoldPlanStep  *step,
              GError             **error)
{
  HoldZipSmall small = { .step = step };
  gboolean ok;

  _hold_zip_read_small (&small);
  ok = small.error != NULL ? _hold_zip_leave_out (self, step, small.error, error)
                           : add_stored (self, step, small.content, error);
  g_clear_pointer (&small.content, g_bytes_unref);
  g_clear_error (&small.error);
  return ok;
}

void
_hold_zip_pack_plain (const HoldPlanStep *step,
                      ZipPacked          *packed)
{
  const char *target = step->source->link_target;
  g_autoptr (ZipPacker) packer = zip_packer_new (0);
  g_autoptr (GBytes) content = NULL;

  *packed = (ZipPacked) { 0 };
  if (step->source->type != HOLD_ENTRY_SYMLINK || target == NULL)
    return;
  content = g_bytes_new (target, strlen (target));
  zip_packer_pack (packer, content, packed);
}

static gboolean
add_link_or_folder (HoldZipRewrite      *self,
                    const HoldPlanStep  *step,
                    GError             **error)
{
  g_auto (ZipPacked) packed = { 0 };

  _hold_zip_pack_plain (step, &packed);
  return write_packed (self, step, &packed, error);
}

/* *done FALSE: it is not among what was encrypted. */
static gboolean
add_encrypted (HoldZipRewrite      *self,
               const HoldPlanStep  *step,
               guint                position,
               gboolean            *done,
               GError             **error)
{
  g_auto (ZipPacked) nothing = { 0 };
  const GError *why;
  guint index;

  *done = TRUE;
  switch (hold_zip_encrypted_find (self->encrypted, position, &index, &why))
    {
    case HOLD_ZIP_ENCRYPTED:
      return zip_writer_copy_entry (self->writer, hold_zip_encrypted_get_reader (self->encrypted), index, NULL, 0,
                                    self->cancellable, error);
    case HOLD_ZIP_EMPTY:
      return write_packed (self, step, &nothing, error);
    case HOLD_ZIP_LEFT_OUT:
      return _hold_zip_leave_out (self, step, why, error);
    case HOLD_ZIP_NOT_ENCRYPTED:
    default:
      *done = FALSE;
      return TRUE;
    }
}

static gboolean
do_step (HoldZipRewrite      *self,
         const HoldPlanStep  *step,
         const HoldPlanStep  *first,
         GError             **error)
{
  gboolean done = FALSE;
  ZipReader *from;

  _hold_zip_note_step (self, step);
  if (self->encrypted != NULL && !add_encrypted (self, step, (guint) (step - first), &done, error))
    return FALSE;
  if (done)
    return TRUE;
  if (step->source == NULL)
    return keep (self, step, error);

  from = step->source->archive != NULL ? hold_backend_zip_get_reader (step->source->archive) : NULL;
  if (from != NULL)
    return _hold_zip_copy_raw (self, step, from, error);
  if (step->source->type != HOLD_ENTRY_FILE)
    return add_link_or_folder (self, step, error);
  if (must_be_stored (step, first))
    return add_mimetype (self, step, error);
  return _hold_zip_add_large (self, step, error);
}

static gboolean
is_small_file (const HoldPlanStep *step,
               const HoldPlanStep *first)
{
  return step->source != NULL && step->source->type == HOLD_ENTRY_FILE && step->source->archive == NULL &&
         step->source->size_bytes < ZIP_PACKER_WHOLE_MAX && !must_be_stored (step, first);
}

/* How many steps from here are copied out of one archive that is no ZIP. */
static guint
count_unpacked (const HoldPlanStep *steps,
                guint               n_steps)
{
  if (steps->source == NULL || steps->source->archive == NULL ||
      hold_backend_zip_get_reader (steps->source->archive) != NULL)
    return 0;
  return hold_copy_pass_length (steps, n_steps);
}

static gboolean
do_steps (HoldZipRewrite      *self,
          const HoldPlanStep  *steps,
          guint                n_steps,
          GError             **error)
{
  g_autofree HoldZipSmall *files = g_new0 (HoldZipSmall, HOLD_ZIP_BATCH_MAX_FILES);
  guint i = 0;

  while (i < n_steps)
    {
      HoldZipBatch batch = { self, files, 0 };
      guint64 bytes = 0;
      guint n_unpacked;

      while (self->encrypted == NULL && i < n_steps && batch.n_files < HOLD_ZIP_BATCH_MAX_FILES &&
             bytes < HOLD_ZIP_BATCH_MAX_BYTES && is_small_file (&steps[i], steps))
        {
          files[batch.n_files++] = (HoldZipSmall) { .step = &steps[i] };
          bytes += steps[i++].source->size_bytes;
        }
      if (batch.n_files > 0)
        {
          if (!_hold_zip_write_batch (&batch, error))
            return FALSE;
          continue;
        }

      /* With a password their files have been unpacked already, and lie there encrypted. */
      n_unpacked = self->encrypted == NULL ? count_unpacked (&steps[i], n_steps - i) : 0;
      if (n_unpacked > 0)
        {
          if (!_hold_zip_copy_unpacked (self, &steps[i], n_unpacked, files, error))
            return FALSE;
          i += n_unpacked;
          continue;
        }

      if (!do_step (self, &steps[i++], steps, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
write_all (HoldZipRewrite  *self,
           GError         **error)
{
  guint n_steps;
  const HoldPlanStep *steps = hold_plan_get_steps (self->plan, &n_steps);

  if (self->options->secret != NULL)
    {
      self->encrypted = hold_zip_encrypted_new (steps, n_steps, self->fd, self->options, self->watch,
                                                self->cancellable, error);
      if (self->encrypted == NULL)
        return FALSE;
    }
  if (self->reader != NULL)
    {
      /* A program in front unpacks the archive that it was made for; what stands behind is of that file, too. */
      if (!hold_plan_is_conversion (self->plan))
        {
          if (!zip_writer_copy_prefix (self->writer, self->reader, self->cancellable, error))
            return FALSE;
          zip_writer_copy_trailing (self->writer, self->reader);
        }
      zip_writer_copy_comment (self->writer, self->reader);
    }

  return do_steps (self, steps, n_steps, error) &&
         zip_writer_finish (self->writer, self->cancellable, error) &&
         zip_writer_verify (self->writer, self->cancellable, error);
}

gboolean
hold_backend_zip_rewrite (HoldPlan                *plan,
                          int                      fd,
                          const HoldWriteOptions  *options,
                          const HoldRewriteWatch  *watch,
                          GCancellable            *cancellable,
                          GError                 **error)
{
  HoldArchive *archive = hold_plan_get_archive (plan);
  g_autoptr (ZipWriter) writer = zip_writer_new (fd);
  g_autoptr (GError) why = NULL;
  HoldZipRewrite self = {
    .plan = plan,
    .fd = fd,
    .reader = archive != NULL ? hold_backend_zip_get_reader (archive) : NULL,
    .writer = writer,
    .options = options,
    .watch = watch,
    .cancellable = cancellable,
  };
  gboolean ok;

  self.n_packers = options->compute != NULL ? hold_compute_get_n_workers (options->compute) : 1;
  self.packers = g_new (ZipPacker *, self.n_packers);
  for (guint i = 0; i < self.n_packers; i++)
    self.packers[i] = zip_packer_new (options->level);
  zip_writer_set_watch (writer, moved_cb, &self);

  ok = write_all (&self, &why);
  if (!ok)
    _hold_zip_propagate_error (error, g_steal_pointer (&why));

  for (guint i = 0; i < self.n_packers; i++)
    zip_packer_free (self.packers[i]);
  g_free (self.packers);
  hold_zip_encrypted_free (self.encrypted);
  return ok;
}
