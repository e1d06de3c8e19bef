/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A new archive from files and folders. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-archive.h"
#include "hold-job.h"

G_BEGIN_DECLS

/**
 * HoldCreateRequest:
 * @path: of the new archive, file-system encoding
 * @format: one with HOLD_CAP_WRITE
 * @files: NULL-terminated paths of files and folders; may be empty
 * @level: -1 for the format's default
 * @method: (nullable)
 * @secret: (nullable): encrypts the content
 * @overwrite: an existing file is replaced once the new one is whole
 * @volume_bytes: 0, or at least %HOLD_VOLUME_MIN_BYTES: an archive that is larger becomes a set of
 *   files of that size, @path with .001 and so on behind it; they never replace a file
 */
typedef struct {
  char *path;
  const HoldFormat *format;
  char **files;
  int level;
  char *method;
  HoldSecret *secret;
  gboolean overwrite;
  guint64 volume_bytes;
} HoldCreateRequest;

HoldCreateRequest *hold_create_request_new  (const char *path, const HoldFormat *format, const char * const *files);
void               hold_create_request_free (HoldCreateRequest *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldCreateRequest, hold_create_request_free)

#define HOLD_TYPE_CREATE_JOB (hold_create_job_get_type ())
G_DECLARE_FINAL_TYPE (HoldCreateJob, hold_create_job, HOLD, CREATE_JOB, HoldJob)

/* Takes @request. Verb "create". What could not be read is left out and listed in the report. */
HoldCreateJob *hold_create_job_new         (HoldCreateRequest *request);
HoldArchive   *hold_create_job_get_archive (HoldCreateJob *self);  /* borrowed; NULL until DONE */

G_END_DECLS
