/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What jobs share with the reading of single entries: where the data of a hard link lies. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-stream.h"

G_BEGIN_DECLS

/**
 * _hold_archive_resolve_link:
 * @index: of a hard link
 * @target: (out): of the file that it names, through further hard links if need be
 *
 * Thread: any. Blocks: no.
 * Returns: FALSE if the archive holds no such file, or the links go round in a circle
 */
gboolean _hold_archive_resolve_link (HoldArchive *self, guint index, guint *target);

G_END_DECLS
