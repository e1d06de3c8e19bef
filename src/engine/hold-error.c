/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The quark of the engine's error domain. */

#include "hold-error.h"

G_DEFINE_QUARK (hold-error-quark, hold_error)
