/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What the two halves of a rewrite through libarchive share: hold-libarchive-write (what stays) and
 * hold-libarchive-add (what is new). */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-libarchive-writer.h"

G_BEGIN_DECLS

#define HOLD_LIBARCHIVE_BLOCK_BYTES (256 * 1024)

typedef struct {
  HoldPlan *plan;
  HoldArchive *archive;
  HoldLibarchiveWriter *writer;
  const HoldWriteOptions *options;
  const HoldRewriteWatch *watch;
  GCancellable *cancellable;
  GHashTable *renamed;   /* old path → new path, of entries that hard links may name */
  GHashTable *dropped;   /* path → index + 1, of files that are dropped */
  guint8 *block;
} HoldLibarchiveRewrite;

void     _hold_libarchive_note_step  (HoldLibarchiveRewrite *self, const HoldPlanStep *step);

/* *taken: whether the source is in the new archive; what could not be read was told. FALSE only
 * where the whole rewrite has to stop. */
gboolean _hold_libarchive_add_source (HoldLibarchiveRewrite *self, const HoldPlanStep *step, gboolean *taken,
                                      GError **error);
/* The same for steps that hold_copy_pass_length() counted; *taken is of a single one. */
gboolean _hold_libarchive_add_copies (HoldLibarchiveRewrite *self, const HoldPlanStep *steps, guint n_steps,
                                      gboolean *taken, GError **error);

G_END_DECLS
