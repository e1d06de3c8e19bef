/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Programs that carry a 7z archive behind them (self-extractors), wherever in them it begins:
 * libarchive looks in a few places only. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-volumes.h"

G_BEGIN_DECLS

/* Is it a program, which may carry an archive?  Blocks: one small read. */
gboolean hold_sfx_is_program (HoldVolumes *volumes);

/**
 * hold_sfx_find_seven_zip:
 * @offset: (out): of the archive's first byte
 *
 * Blocks: reads up to 16 MiB.  Errors: G_IO_ERROR. Returns: FALSE without @error if there is none.
 */
gboolean hold_sfx_find_seven_zip (HoldVolumes *volumes, guint64 *offset, GError **error);

G_END_DECLS
