/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Lists of entry indices, as requests take them: sorted, each once. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-types.h"

G_BEGIN_DECLS

/* Sorts @indices, an array of guint, and leaves each of them once. Thread: any, one at a time. */
void hold_indices_tidy (GArray *indices);

G_END_DECLS
