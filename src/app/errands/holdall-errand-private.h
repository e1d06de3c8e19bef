/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What the kinds of errands need of their common part. */

#pragma once

#include "holdall-errand.h"

G_BEGIN_DECLS

HoldallApplication *_holdall_errand_get_application (HoldallErrand *self);  /* borrowed */
HoldKeyring        *_holdall_errand_get_keyring     (HoldallErrand *self);  /* borrowed; one for all its archives */
/* Takes @job, starts it, and calls job_finished() when it is over. One at a time. */
void                _holdall_errand_submit          (HoldallErrand *self, HoldJob *job);
/* How many parts there are and which one begins, for the progress; from 0. */
void                _holdall_errand_set_part        (HoldallErrand *self, guint part, guint n_parts);
/* Something as a whole could not be done. @file: what it is about. The errand may go on. */
void                _holdall_errand_fail            (HoldallErrand *self, GFile *file,
                                                     const GError *error);
/* What the job's report holds is told at the end. @file: the archive. */
void                _holdall_errand_add_report      (HoldallErrand *self, GFile *file, HoldJob *job);
void                _holdall_errand_cancel          (HoldallErrand *self);
void                _holdall_errand_finish          (HoldallErrand *self);

/* (nullable) (transfer full): NULL after the errand was told that @file is nowhere on this disk. */
char               *_holdall_errand_dup_path        (HoldallErrand *self, GFile *file);

G_END_DECLS
