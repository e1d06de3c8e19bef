/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Gathers a few blocks per core, packs them at once, and appends them in order. */

#include "config.h"

#include "hold-backend-zip-blocks.h"

#include <string.h>

#include "zip-record.h"

#define BLOCKS_PER_WORKER 2

struct _HoldBackendZipBlocks
{
  ZipWriter *writer;
  ZipPacker **packers;
  HoldCompute *compute;
  const ZipNewEntry *entry;
  guint64 size_hint;

  gboolean begun;
  gboolean finished;
  gboolean stored;
  guint32 crc;
  guint64 size;
  guint64 packed_size;

  guint8 *memory;      /* a window of what came before, then the blocks */
  gsize window;        /* bytes of it that are filled, at its end */
  gsize filled;        /* bytes of blocks */
  guint n_blocks;      /* room */

  gboolean last;       /* of the group being packed: no block follows */
  guint n_units;
  GBytes **packed;     /* per block of the group */
  guint32 *crcs;
};

HoldBackendZipBlocks *
hold_backend_zip_blocks_new (ZipWriter          *writer,
                         ZipPacker         **packers,
                         HoldCompute        *compute,
                         const ZipNewEntry  *entry,
                         guint64             size_hint)
{
  HoldBackendZipBlocks *self = g_new0 (HoldBackendZipBlocks, 1);
  guint n_workers = compute != NULL ? hold_compute_get_n_workers (compute) : 1;

  self->writer = writer;
  self->packers = packers;
  self->compute = compute;
  self->entry = entry;
  self->size_hint = size_hint;
  self->n_blocks = n_workers * BLOCKS_PER_WORKER;
  self->memory = g_malloc (ZIP_PACKER_WINDOW + (gsize) self->n_blocks * ZIP_PACKER_BLOCK);
  self->packed = g_new0 (GBytes *, self->n_blocks);
  self->crcs = g_new0 (guint32, self->n_blocks);
  return self;
}

static void
drop_packed (HoldBackendZipBlocks *self)
{
  for (guint i = 0; i < self->n_blocks; i++)
    g_clear_pointer (&self->packed[i], g_bytes_unref);
}

void
hold_backend_zip_blocks_free (HoldBackendZipBlocks *self)
{
  if (self == NULL)
    return;

  if (self->begun && !self->finished && !zip_writer_is_broken (self->writer))
    zip_writer_abandon_entry (self->writer);
  drop_packed (self);
  g_free (self->packed);
  g_free (self->crcs);
  g_free (self->memory);
  g_free (self);
}

static guint8 *
blocks (HoldBackendZipBlocks *self)
{
  return self->memory + ZIP_PACKER_WINDOW;
}

static gboolean
pack_unit (gpointer   user_data,
           guint      unit,
           guint      worker,
           GError   **error)
{
  HoldBackendZipBlocks *self = user_data;
  gsize start = (gsize) unit * ZIP_PACKER_BLOCK;
  gsize length = MIN (self->filled - start, ZIP_PACKER_BLOCK);
  gsize before = unit == 0 ? self->window : ZIP_PACKER_WINDOW;
  gboolean last = self->last && unit + 1 == self->n_units;

  self->packed[unit] = zip_packer_pack_block (self->packers[worker],
                                              before > 0 ? blocks (self) + start - before : NULL, before,
                                              blocks (self) + start, length, last, &self->crcs[unit]);
  return TRUE;
}

static gboolean
append (HoldBackendZipBlocks  *self,
        const guint8      *data,
        gsize              length,
        GError           **error)
{
  self->packed_size += length;
  return zip_writer_append (self->writer, data, length, error);
}

static gboolean
flush_packed (HoldBackendZipBlocks  *self,
              GError           **error)
{
  gboolean ok;

  self->n_units = (guint) MAX ((self->filled + ZIP_PACKER_BLOCK - 1) / ZIP_PACKER_BLOCK, 1);
  ok = hold_compute_for_each (self->compute, self->n_units, pack_unit, self, error);

  for (guint i = 0; ok && i < self->n_units; i++)
    {
      gsize length;
      const guint8 *data = g_bytes_get_data (self->packed[i], &length);
      gsize unpacked = MIN (self->filled - (gsize) i * ZIP_PACKER_BLOCK, ZIP_PACKER_BLOCK);

      self->crc = zip_crc_combine (self->crc, self->crcs[i], unpacked);
      ok = append (self, data, length, error);
    }

  drop_packed (self);
  return ok;
}

static gboolean
flush (HoldBackendZipBlocks  *self,
       gboolean           last,
       GError           **error)
{
  gboolean ok;

  if (!self->begun)
    {
      self->stored = !zip_packer_is_worth_it (self->packers[0], blocks (self), self->filled);
      if (!zip_writer_begin_entry (self->writer, self->entry,
                                   self->stored ? ZIP_METHOD_STORED : ZIP_METHOD_DEFLATE,
                                   self->size_hint, error))
        return FALSE;
      self->begun = TRUE;
    }

  self->last = last;
  if (self->stored)
    {
      self->crc = zip_crc_update (self->crc, blocks (self), self->filled);
      ok = append (self, blocks (self), self->filled, error);
    }
  else
    {
      ok = flush_packed (self, error);
    }

  self->size += self->filled;
  self->window = MIN (self->filled, ZIP_PACKER_WINDOW);
  memmove (blocks (self) - self->window, blocks (self) + self->filled - self->window, self->window);
  self->filled = 0;
  return ok;
}

gboolean
hold_backend_zip_blocks_push (HoldBackendZipBlocks  *self,
                          const guint8      *data,
                          gsize              length_bytes,
                          GError           **error)
{
  gsize room = (gsize) self->n_blocks * ZIP_PACKER_BLOCK;

  while (length_bytes > 0)
    {
      gsize n = MIN (length_bytes, room - self->filled);

      memcpy (blocks (self) + self->filled, data, n);
      self->filled += n;
      data += n;
      length_bytes -= n;
      if (self->filled == room && !flush (self, FALSE, error))
        return FALSE;
    }

  return TRUE;
}

gboolean
hold_backend_zip_blocks_finish (HoldBackendZipBlocks  *self,
                            guint64           *size,
                            guint64           *packed_size,
                            GError           **error)
{
  if (!flush (self, TRUE, error))
    return FALSE;

  /* Ended or taken back: either way there is nothing left to abandon. */
  self->finished = TRUE;
  *size = self->size;
  *packed_size = self->packed_size;
  return zip_writer_end_entry (self->writer, self->crc, self->size, error);
}
