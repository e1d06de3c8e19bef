/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Bounds against hostile archives, in one place. Exceeding one asks (or fails cleanly); it never
 * crashes. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-types.h"

G_BEGIN_DECLS

typedef struct {
  guint   max_entries;        /* default 10,000,000 */
  guint   max_depth;          /* parts of a path; default 512 */
  guint64 max_ratio;          /* unpacked : archive size, over which extraction asks; default 1,000 and > 1 GiB */
  guint64 max_memory_bytes;   /* a decoder's window; default 2 GiB */
  guint   max_filters;        /* compression around compression; default 8 */
} HoldLimits;

extern const HoldLimits hold_limits_default;

G_END_DECLS
