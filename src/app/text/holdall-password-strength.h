/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* How hard a new password is to guess: a hint for whoever chooses one, never a reason to refuse it. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* All: Thread: any. Blocks: no. */

typedef enum {
  HOLDALL_PASSWORD_NONE,
  HOLDALL_PASSWORD_WEAK,
  HOLDALL_PASSWORD_FAIR,
  HOLDALL_PASSWORD_STRONG,
} HoldallPasswordStrength;

/**
 * holdall_password_strength_estimate:
 * @password: UTF-8
 *
 * By length and kinds of characters only. No dictionary is asked, so a long phrase that everybody
 * knows is taken for a better one than it is.
 */
HoldallPasswordStrength holdall_password_strength_estimate (const char *password);

/* Returns: borrowed: a translated sentence; also for HOLDALL_PASSWORD_NONE. */
const char             *holdall_password_strength_describe (HoldallPasswordStrength strength);

G_END_DECLS
