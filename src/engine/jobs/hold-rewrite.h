/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The last mile of every job that changes or makes an archive: one plan, one transaction, one new
 * snapshot. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-backend.h"
#include "hold-job-private.h"

G_BEGIN_DECLS

/**
 * HoldRewriteRequest:
 * @plan: of a snapshot, or for a new archive
 * @path: of the new archive, if @plan has no snapshot or is a conversion; else NULL
 * @overwrite: whether a new archive may take the place of a file
 * @volume_bytes: of a new archive: see hold_output_set_volumes(); 0: it is one file
 * @options: compute is filled in
 * @bytes_before: what the job has counted already
 * @troubled: (nullable): takes the paths of the new archive whose source could not be read, or
 *   not as it was; a set that owns its keys
 * @is_durable: set: whether the disk has promised to keep the new archive
 */
typedef struct {
  HoldPlan *plan;
  const char *path;
  gboolean overwrite;
  guint64 volume_bytes;
  HoldWriteOptions options;
  guint64 bytes_before;
  GHashTable *troubled;
  gboolean is_durable;
} HoldRewriteRequest;

/**
 * hold_rewrite_run:
 * @job: whose progress, report, pause and cancel are served
 * @result: (out) (transfer full) (nullable): the new snapshot; the plan's own if nothing is to be
 * done; NULL if the new
 *          archive, written and verified, could not be listed (a warning is in the report)
 *
 * Afterwards the plan's snapshot knows the new one as its successor. On any error or cancel the
 * archive is as it was.
 * Blocks: yes. Errors: HOLD_ERROR_READ_ONLY, CHANGED_ON_DISK, G_IO_ERROR (NO_SPACE with the space
 * that is needed).
 */
gboolean hold_rewrite_run (HoldJob *job, HoldRewriteRequest *request, HoldArchive **result,
                           GCancellable *cancellable, GError **error);

/* FALSE with READ_ONLY and the reason if @plan can't be carried out. */
gboolean hold_rewrite_check (HoldPlan *plan, GError **error);

G_END_DECLS
