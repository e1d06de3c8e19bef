/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Takes entries out of an archive into a folder: safely, on all cores where the format allows. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-archive.h"
#include "hold-extract-roots.h"
#include "hold-job.h"
#include "hold-keyring.h"
#include "hold-limits.h"

G_BEGIN_DECLS

typedef enum {
  HOLD_LAYOUT_FULL_PATHS,  /* below the destination with their full paths */
  HOLD_LAYOUT_NEW_FOLDER,  /* below a new folder of the archive's name (without suffix; " (2)" if taken) */
  HOLD_LAYOUT_SMART,       /* one top item: as it is; more: a new folder ("__MACOSX" does not count) */
} HoldLayout;

/**
 * HoldExtractRequest:
 * @archive: the snapshot
 * @indices: (nullable): sorted entry indices (hold_tree_collect()), NULL for all
 * @destination: folder, file-system encoding; made if missing; if it is a symlink it is followed
 * @base: folder of the archive whose path is cut off in front ("" for none): entries come out
 * relative to it (D12)
 * @roots: (nullable): used instead of @base where the entries were picked from several folders;
 * owned
 * @keep_damaged: keep a file whose data is short or fails its checksum, reported as CHANGED (G06)
 */
typedef struct {
  HoldArchive *archive;
  GArray *indices;
  char *destination;
  char *base;
  HoldExtractRoots *roots;
  HoldLayout layout;
  HoldConflict conflict;
  HoldKeyring *keyring;     /* (nullable) */
  gboolean keep_damaged;
  HoldLimits limits;
} HoldExtractRequest;

HoldExtractRequest *hold_extract_request_new  (HoldArchive *archive, const char *destination); /* defaults: all, "", FULL_PATHS, ASK */
void                hold_extract_request_free (HoldExtractRequest *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldExtractRequest, hold_extract_request_free)

#define HOLD_TYPE_EXTRACT_JOB (hold_extract_job_get_type ())
G_DECLARE_FINAL_TYPE (HoldExtractJob, hold_extract_job, HOLD, EXTRACT_JOB, HoldJob)

/* Takes @request. Verb "extract". */
HoldExtractJob *hold_extract_job_new (HoldExtractRequest *request);
HoldArchive    *hold_extract_job_get_archive (HoldExtractJob *self);
/* Where it went: the folder to show, and the top items made in it. NULL: nowhere. Valid when
 * finished; borrowed. */
const char     *hold_extract_job_get_result_folder (HoldExtractJob *self);
const char * const *hold_extract_job_get_result_items (HoldExtractJob *self);

G_END_DECLS
