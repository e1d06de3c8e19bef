/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Opens an archive: detects it by content, reads the list, gives a snapshot. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-archive.h"
#include "hold-job.h"
#include "hold-keyring.h"
#include "hold-limits.h"

G_BEGIN_DECLS

#define HOLD_TYPE_OPEN_JOB (hold_open_job_get_type ())
G_DECLARE_FINAL_TYPE (HoldOpenJob, hold_open_job, HOLD, OPEN_JOB, HoldJob)

/* @path: file-system encoding, made absolute. @encoding: (nullable) charset for names without a
 *   Unicode mark, NULL: guess.
 * @keyring: (nullable) passwords to try if the list is encrypted; answers are added to it. Verb
 *   "open". */
HoldOpenJob *hold_open_job_new (const char *path, const char *encoding, HoldKeyring *keyring);
/* The file is a copy of one on another machine (HoldFetchJob): what is changed in it would be lost, so it
 * is not to be. Before submitting. */
void         hold_open_job_set_fetched (HoldOpenJob *self);
HoldArchive *hold_open_job_get_archive (HoldOpenJob *self);  /* (nullable), borrowed; set when DONE */

G_END_DECLS
