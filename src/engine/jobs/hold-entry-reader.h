/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Reads many entries for a job by the best way the format has: each one directly, on all cores,
 * or all in one pass. Checkpoints, progress, declared sizes and passwords are seen to here, so
 * that extracting and testing only say what becomes of the bytes. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-backend.h"
#include "hold-job-private.h"

G_BEGIN_DECLS

typedef enum {
  HOLD_READ_NEXT,  /* the entry is settled, well or badly */
  HOLD_READ_AGAIN, /* it must be read once more */
  HOLD_READ_STOP,  /* nothing more can be done; the error says why */
} HoldReadVerdict;

/**
 * HoldEntryReaderFuncs:
 * @begin: an entry comes. FALSE with @error: it has failed, @end follows. FALSE without: it is
 * settled already.
 * @write: the next bytes, within the declared size, at @offset (a gap before it is a hole)
 * @end: it is over; @error NULL: whole and verified. @size_bytes: with the hole at its end.
 * @handle: NULL if @begin failed.
 * @drop: forget it, it will be read again, or the job is over. @handle is not NULL.
 *
 * Thread: of entries read directly several at once, each entry in one thread; else the job's
 * worker.
 */
typedef struct {
  gboolean (*begin) (gpointer user_data, guint index, gpointer *handle, GError **error);
  gboolean (*write) (gpointer handle, const guint8 *data, gsize length_bytes, guint64 offset,
                     GError **error);
  HoldReadVerdict (*end) (gpointer user_data, guint index, gpointer handle, guint64 size_bytes,
                          const GError *error, GError **stop);
  void (*drop) (gpointer handle);
} HoldEntryReaderFuncs;

typedef struct _HoldEntryReader HoldEntryReader;

/* @archive, @keyring and @funcs are borrowed. */
HoldEntryReader *hold_entry_reader_new (HoldJob *job, HoldArchive *archive, HoldKeyring *keyring,
                                        const HoldEntryReaderFuncs *funcs, gpointer user_data);
void hold_entry_reader_free (HoldEntryReader *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldEntryReader, hold_entry_reader_free)

/* Count bytes of the archive's file, not of its entries: for formats that record no sizes. */
void hold_entry_reader_set_packed (HoldEntryReader *self, gboolean is_packed);

/* Can entries be read directly, several at once? Else they come in archive order. */
gboolean hold_entry_reader_is_direct (HoldEntryReader *self);

/**
 * hold_entry_reader_run:
 * @indices: of files, sorted, each once
 *
 * Every entry is settled by @begin or @end, unless this fails. Thread: the job's worker. Blocks:
 * yes. Errors: G_IO_ERROR_CANCELLED; what @end gave with STOP.
 */
gboolean hold_entry_reader_run (HoldEntryReader *self, const guint *indices, guint n_indices,
                                GError **error);

G_END_DECLS
