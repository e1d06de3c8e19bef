/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Entries of other archives on their way into a ZIP: those of a ZIP as they are, of others small ones
 * packed in batches on all cores and large ones block by block while they are decoded. */

#include "config.h"

#include "hold-backend-zip-write-private.h"

#include <string.h>

#include "hold-backend-zip-blocks.h"
#include "hold-copy-pass.h"

gboolean
_hold_zip_copy_raw (HoldZipRewrite      *self,
                    const HoldPlanStep  *step,
                    ZipReader           *from,
                    GError             **error)
{
  const HoldPlanSource *source = step->source;
  g_autofree char *name = g_strconcat (step->path, source->type == HOLD_ENTRY_FOLDER ? "/" : "", NULL);
  g_autoptr (GError) why = NULL;

  if (zip_writer_copy_entry (self->writer, from, source->index, name, strlen (name), self->cancellable, &why))
    return _hold_zip_count_saved (self, source->size_bytes,
                                  zip_reader_get_entry (from, source->index)->packed_size, error);

  if (zip_writer_is_broken (self->writer) || g_error_matches (why, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&why));
      return FALSE;
    }
  return _hold_zip_leave_out (self, step, why, error);
}

typedef struct
{
  HoldZipRewrite *self;
  HoldZipBatch batch;
  guint64 batch_bytes;

  HoldBackendZipBlocks *blocks; /* of the large one that is being written */
  ZipNewEntry entry;
} Copy;

static gboolean
flush (Copy    *copy,
       GError **error)
{
  copy->batch_bytes = 0;
  return copy->batch.n_files == 0 || _hold_zip_write_batch (&copy->batch, error);
}

static gboolean
gather (Copy          *copy,
        HoldZipSmall   small,
        guint64        size,
        GError       **error)
{
  copy->batch.files[copy->batch.n_files++] = small;
  copy->batch_bytes += size;
  return (copy->batch.n_files < HOLD_ZIP_BATCH_MAX_FILES && copy->batch_bytes < HOLD_ZIP_BATCH_MAX_BYTES) ||
         flush (copy, error);
}

static gboolean
plain_cb (gpointer             user_data,
          const HoldPlanStep  *step,
          GError             **error)
{
  HoldZipSmall small = { .step = step, .is_packed = TRUE };

  _hold_zip_pack_plain (step, &small.packed);
  return gather (user_data, small, 0, error);
}

static gboolean
whole_cb (gpointer             user_data,
          const HoldPlanStep  *step,
          GBytes              *content,
          GError             **error)
{
  return gather (user_data, (HoldZipSmall) { .step = step, .content = g_bytes_ref (content) },
                 g_bytes_get_size (content), error);
}

static gboolean
begin_cb (gpointer             user_data,
          const HoldPlanStep  *step,
          GError             **error)
{
  Copy *copy = user_data;
  HoldZipRewrite *self = copy->self;
  guint64 size = step->source->size_bytes;

  if (!flush (copy, error))
    return FALSE;
  _hold_zip_note_step (self, step);
  copy->entry = _hold_zip_new_entry (step, step->path);
  copy->blocks = hold_backend_zip_blocks_new (self->writer, self->packers, self->options->compute, &copy->entry,
                                              size > 0 ? size : G_MAXUINT64);
  return TRUE;
}

static gboolean
data_cb (gpointer       user_data,
         const guint8  *data,
         gsize          length,
         GError       **error)
{
  Copy *copy = user_data;

  return !g_cancellable_set_error_if_cancelled (copy->self->cancellable, error) &&
         hold_backend_zip_blocks_push (copy->blocks, data, length, error);
}

static gboolean
end_cb (gpointer             user_data,
        const HoldPlanStep  *step,
        const GError        *why,
        GError             **error)
{
  Copy *copy = user_data;
  g_autoptr (HoldBackendZipBlocks) done = g_steal_pointer (&copy->blocks);
  guint64 size = 0;
  guint64 packed_size = 0;

  if (why == NULL)
    return hold_backend_zip_blocks_finish (done, &size, &packed_size, error) &&
           _hold_zip_count_saved (copy->self, size, packed_size, error);

  /* Freeing takes the entry back. */
  g_clear_pointer (&done, hold_backend_zip_blocks_free);
  return _hold_zip_leave_out (copy->self, step, why, error);
}

static gboolean
lost_cb (gpointer             user_data,
         const HoldPlanStep  *step,
         const GError        *why,
         GError             **error)
{
  return gather (user_data, (HoldZipSmall) { .step = step, .error = g_error_copy (why) }, 0, error);
}

gboolean
_hold_zip_copy_unpacked (HoldZipRewrite      *self,
                         const HoldPlanStep  *steps,
                         guint                n_steps,
                         HoldZipSmall        *files,
                         GError             **error)
{
  const HoldCopyFuncs funcs = {
    .plain = plain_cb,
    .whole = whole_cb,
    .begin = begin_cb,
    .data = data_cb,
    .end = end_cb,
    .lost = lost_cb,
  };
  Copy copy = { .self = self, .batch = { self, files, 0 } };
  gboolean ok = hold_copy_pass_run (steps, n_steps, self->options->keyring, &funcs, &copy, self->cancellable, error) &&
                flush (&copy, error);

  g_clear_pointer (&copy.blocks, hold_backend_zip_blocks_free);
  _hold_zip_batch_clear (&copy.batch);
  return ok;
}
