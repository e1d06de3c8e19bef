/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Copies a file from wherever GIO can read it into a folder of this machine, since archives are read
 * at many places at once, and a connection gives them one after the other. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-job.h"

G_BEGIN_DECLS

#define HOLD_TYPE_FETCH_JOB (hold_fetch_job_get_type ())
G_DECLARE_FINAL_TYPE (HoldFetchJob, hold_fetch_job, HOLD, FETCH_JOB, HoldJob)

/* @source: any file that is mounted, or needs no mounting. @folder: exists; file-system encoding,
 * absolute. @name: what the copy is called there: no "/". Nothing may have that name yet. Verb
 * "fetch". Errors: G_IO_ERROR; then nothing of it is left, nor when it is cancelled. */
HoldFetchJob *hold_fetch_job_new      (GFile *source, const char *folder, const char *name);
const char   *hold_fetch_job_get_path (HoldFetchJob *self);  /* of the copy; borrowed */

G_END_DECLS
