/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What a job is doing, in words: the line in the job bar, the toast and the notification at
 * its end. */

#pragma once

#include <hold.h>

G_BEGIN_DECLS

/* All: Thread: main. Blocks: no. Results are (transfer full) UTF-8. */

/* The archive a job works on, as its display name; "" if it tells none. */
char *holdall_job_text_archive   (HoldJob *job);
/* "Extracting from ci.zip" */
char *holdall_job_text_title     (HoldJob *job);
/* "Extracting 132 of 300 · 14.2 of 26.1 MB · 310 MB/s · 1 s left". @progress: a sample; @rate: may
 * be all zero. */
char *holdall_job_text_progress  (HoldJob *job, const HoldProgress *progress, const HoldRate *rate);
/* 0 … 1, or a negative number when the total is unknown. */
double holdall_job_text_fraction (const HoldProgress *progress);
/* One line about a finished job: "Extracted 300 items", "Extracted 298 of 300 items, 2 failed",
 * "Cancelled after 132 items". */
char *holdall_job_text_outcome   (HoldJob *job);
/* TRUE if the report of a finished job holds something a person should see. */
gboolean holdall_job_text_has_problems (HoldJob *job);

G_END_DECLS
