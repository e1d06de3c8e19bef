/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Takes the content of one large entry in pieces and packs it block by block on all cores into a
 * ZIP. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-compute.h"
#include "zip-writer.h"

G_BEGIN_DECLS

typedef struct _HoldBackendZipBlocks HoldBackendZipBlocks;

/**
 * hold_backend_zip_blocks_new:
 * @packers: one for each worker of @compute (one if that is NULL); borrowed
 * @entry: borrowed until the sink is freed
 * @size_hint: bytes, at most
 *
 * Nothing is written before the first block is full or the content ends. Thread: one.
 */
HoldBackendZipBlocks *hold_backend_zip_blocks_new (ZipWriter *writer, ZipPacker **packers, HoldCompute *compute,
                                           const ZipNewEntry *entry, guint64 size_hint);
/* Takes back the entry unless finish() succeeded. */
void     hold_backend_zip_blocks_free   (HoldBackendZipBlocks *self);
/* Blocks: yes. Errors: of writing. */
gboolean hold_backend_zip_blocks_push   (HoldBackendZipBlocks *self, const guint8 *data, gsize length_bytes, GError **error);
/* @size, @packed_size: (out): bytes. */
gboolean hold_backend_zip_blocks_finish (HoldBackendZipBlocks *self, guint64 *size, guint64 *packed_size, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldBackendZipBlocks, hold_backend_zip_blocks_free)

G_END_DECLS
