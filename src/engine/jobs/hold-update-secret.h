/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Whether what an update adds is encrypted, and with which password. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-plan.h"
#include "hold-update-request.h"

G_BEGIN_DECLS

/**
 * hold_update_secret_find:
 * @request: of the job, not applied by others
 * @job: who asks
 * @plan: with all edits applied
 * @secret: (out) (nullable) (transfer full): NULL: in the clear
 *
 * Encrypted is what takes the place of something encrypted, and what is added to an archive that is
 * encrypted throughout. Nobody is asked if @plan adds nothing that would have to be encrypted:
 * folders, links, and encrypted entries of other archives, which are copied as they are.
 *
 * Thread: the job's worker. Blocks: yes, until answered.
 * Errors: as hold_find_password(). Never does something go in the clear because a password is missing.
 */
gboolean hold_update_secret_find (HoldUpdateRequest *request, HoldJob *job, HoldPlan *plan, HoldSecret **secret,
                                  GError **error);

/* May the edits of both share one rewrite? Not if one would have to ask for a password, which may be
 * refused, or if each knows others. Thread: the scheduler's. Blocks: no. */
gboolean hold_update_secret_can_share (HoldUpdateRequest *request, HoldUpdateRequest *other);

G_END_DECLS
