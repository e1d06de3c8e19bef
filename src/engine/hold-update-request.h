/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The edits of a HoldUpdateRequest, and how they are applied to a plan. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-job-update.h"
#include "hold-job-private.h"
#include "hold-plan.h"

G_BEGIN_DECLS

typedef enum {
  HOLD_EDIT_DELETE,
  HOLD_EDIT_DELETE_INDEX,
  HOLD_EDIT_RENAME,
  HOLD_EDIT_RENAME_INDEX,
  HOLD_EDIT_MAKE_FOLDER,
  HOLD_EDIT_ADD,
  HOLD_EDIT_REPLACE,
  HOLD_EDIT_COPY,
} HoldEditKind;

/* @path: what is edited; the disk path of ADD and REPLACE; the base of COPY. @other: new path of RENAME and RENAME_INDEX; the
 *   folder into which ADD and COPY put. */
typedef struct {
  HoldEditKind kind;
  char *path;
  char *other;
  guint index;
  HoldArchive *from;
  GArray *indices;
} HoldEdit;

struct _HoldUpdateRequest {
  HoldArchive *archive;
  GPtrArray *edits;  /* HoldEdit */
  HoldConflict conflict;
  int level;
  gboolean move;
  gboolean encrypt;  /* what is added takes the place of something encrypted */
  gboolean in_the_clear; /* may be added in the clear to what is encrypted throughout */
  HoldKeyring *keyring;
  GPtrArray *merged; /* HoldPlanSource: folders that were there already; filled by apply */
};

/**
 * hold_update_request_apply:
 * @job: whose report takes what could not be done, and who is asked about names that are taken
 *
 * Applies all edits to @plan. Thread: the job's worker. Blocks: yes (reads folders, asks).
 * Returns: FALSE only when cancelled.
 */
gboolean hold_update_request_apply (HoldUpdateRequest *self, HoldJob *job, HoldPlan *plan,
                                    GCancellable *cancellable, GError **error);

G_END_DECLS
