/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What the parts of writing ZIP share: hold-backend-zip-write (the steps of a plan in their order, and what
 * stays), hold-backend-zip-disk (from the disk) and hold-backend-zip-copy (from other archives). */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-backend-zip-libarchive-encrypt.h"
#include "zip-writer.h"

G_BEGIN_DECLS

/* How much of small files is in memory at once. */
#define HOLD_ZIP_BATCH_MAX_FILES 256
#define HOLD_ZIP_BATCH_MAX_BYTES (64 * 1024 * 1024)

typedef struct {
  HoldPlan *plan;
  int fd;
  ZipReader *reader;
  ZipWriter *writer;
  ZipPacker **packers;
  guint n_packers;
  HoldZipEncrypted *encrypted; /* (nullable): what is new, where a password was given */
  const HoldWriteOptions *options;
  const HoldRewriteWatch *watch;
  GCancellable *cancellable;
} HoldZipRewrite;

/* A small new entry between being read and being written.
 * @content: (nullable): what is to be packed, where it doesn't lie on the disk
 * @is_packed: @packed is ready from the start
 * @error: why it can't be read */
typedef struct {
  const HoldPlanStep *step;
  GBytes *content;
  gboolean is_packed;
  ZipPacked packed;
  GError *error;
} HoldZipSmall;

typedef struct {
  HoldZipRewrite *self;
  HoldZipSmall *files;
  guint n_files;
} HoldZipBatch;

/* Packs what is in @batch on all cores, writes it in its order, and empties it. */
gboolean _hold_zip_write_batch (HoldZipBatch *batch, GError **error);
/* Gives up what it holds. */
void     _hold_zip_batch_clear (HoldZipBatch *batch);
void     _hold_zip_note_step   (HoldZipRewrite *self, const HoldPlanStep *step);
/* A new entry as @step describes it; its name is borrowed from @name. */
ZipNewEntry _hold_zip_new_entry (const HoldPlanStep *step, const char *name);
/* Counts what the writer did not, so that progress is in bytes of content. */
gboolean _hold_zip_count_saved (HoldZipRewrite *self, guint64 size, guint64 packed_size, GError **error);
/* What can't be read is told, and what it should have replaced stays. FALSE: nothing more can be
 * done. */
gboolean _hold_zip_leave_out   (HoldZipRewrite *self, const HoldPlanStep *step, const GError *why, GError **error);
/* The content of a link or a folder, ready to be written. */
void     _hold_zip_pack_plain  (const HoldPlanStep *step, ZipPacked *packed);

/* Reads the file whole. One that can't be read is an error of that file alone.  Thread: compute. */
void     _hold_zip_read_small  (HoldZipSmall *small);
/* Reads, packs and writes a file of any length. One that can't be read is told and left out.  Blocks: yes.
 * Errors: of writing; G_IO_ERROR_CANCELLED. */
gboolean _hold_zip_add_large   (HoldZipRewrite *self, const HoldPlanStep *step, GError **error);

/* Out of one ZIP, @from, into another nothing is packed anew.  Blocks: yes.  Errors: of writing. */
gboolean _hold_zip_copy_raw    (HoldZipRewrite *self, const HoldPlanStep *step, ZipReader *from, GError **error);

/**
 * _hold_zip_copy_unpacked:
 * @steps: from the first, all from one archive that is no ZIP; see hold_copy_pass_length()
 * @files: room for HOLD_ZIP_BATCH_MAX_FILES
 *
 * Blocks: yes. Errors: of writing; G_IO_ERROR_CANCELLED.
 */
gboolean _hold_zip_copy_unpacked (HoldZipRewrite *self, const HoldPlanStep *steps, guint n_steps,
                                  HoldZipSmall *files, GError **error);

G_END_DECLS
