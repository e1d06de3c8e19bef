/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The bounds that hold unless somebody asks for others. */

#include "hold-limits.h"

const HoldLimits hold_limits_default = {
  .max_entries = 10 * 1000 * 1000,
  .max_depth = 512,
  .max_ratio = 1000,
  .max_memory_bytes = G_GUINT64_CONSTANT (2) << 30,
  .max_filters = 8,
};
