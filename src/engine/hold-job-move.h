/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Cut-paste: takes entries out of an archive into a folder, makes them durable there, and then
 * takes out of the archive, in one rewrite, exactly what has arrived. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-job-extract.h"

G_BEGIN_DECLS

#define HOLD_TYPE_MOVE_JOB (hold_move_job_get_type ())
G_DECLARE_FINAL_TYPE (HoldMoveJob, hold_move_job, HOLD, MOVE_JOB, HoldJob)

/* Takes @request. Verb "move". What failed, was skipped or refused stays in the archive and is in
 * the report. */
HoldMoveJob *hold_move_job_new         (HoldExtractRequest *request);
/* The snapshot after the move; borrowed; NULL until DONE. */
HoldArchive *hold_move_job_get_archive (HoldMoveJob *self);
const char  *hold_move_job_get_result_folder (HoldMoveJob *self);

G_END_DECLS
