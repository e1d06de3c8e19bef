/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The same content in another format: a new archive beside the one that was opened. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-archive.h"
#include "hold-job.h"
#include "hold-keyring.h"

G_BEGIN_DECLS

/**
 * HoldConvertRequest:
 * @archive: the snapshot to convert; its file stays as it is
 * @path: of the new archive, file-system encoding
 * @format: one with HOLD_CAP_WRITE
 * @level: -1 for the format's default
 * @keyring: (nullable): passwords of @archive
 * @overwrite: an existing file is replaced once the new one is whole
 */
typedef struct {
  HoldArchive *archive;
  char *path;
  const HoldFormat *format;
  int level;
  HoldKeyring *keyring;
  gboolean overwrite;
} HoldConvertRequest;

HoldConvertRequest *hold_convert_request_new  (HoldArchive *archive, const char *path, const HoldFormat *format);
void                hold_convert_request_free (HoldConvertRequest *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldConvertRequest, hold_convert_request_free)

#define HOLD_TYPE_CONVERT_JOB (hold_convert_job_get_type ())
G_DECLARE_FINAL_TYPE (HoldConvertJob, hold_convert_job, HOLD, CONVERT_JOB, HoldJob)

/**
 * hold_convert_job_new:
 * @request: (transfer full)
 *
 * Verb "convert". Between two ZIP archives, and between two of the tar family, entries keep all that
 * is recorded of them, and those of a ZIP their compressed bytes; else names, kinds, content, times
 * and permissions go over. What the new format can't hold is CHANGED or a WARNING of the report. A
 * damaged entry is left out, a FAILED of the report; if there is no good one, the job fails.
 *
 * Errors: PASSWORD_NEEDED, PASSWORD_WRONG, READ_ONLY (the format can't be written); G_IO_ERROR, with
 * EXISTS for the file at @path.
 */
HoldConvertJob *hold_convert_job_new         (HoldConvertRequest *request);
HoldArchive    *hold_convert_job_get_archive (HoldConvertJob *self);  /* the new one; borrowed; NULL until DONE */

G_END_DECLS
