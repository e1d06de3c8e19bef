/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Undo and redo: an older content of an archive becomes its content again. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-archive.h"
#include "hold-job.h"

G_BEGIN_DECLS

#define HOLD_TYPE_RESTORE_JOB (hold_restore_job_get_type ())
G_DECLARE_FINAL_TYPE (HoldRestoreJob, hold_restore_job, HOLD, RESTORE_JOB, HoldJob)

/* @older: a snapshot with a backup (hold_archive_has_backup()). What is there now gets a backup in
 *   its turn, so that redo is the same job with the snapshot from before. If another program
 *   changed the archive meanwhile nothing is touched. Verb "restore". */
HoldRestoreJob *hold_restore_job_new         (HoldArchive *older);
HoldArchive    *hold_restore_job_get_archive (HoldRestoreJob *self);  /* borrowed; NULL until DONE */

G_END_DECLS
