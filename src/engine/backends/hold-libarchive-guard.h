/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Looks at archives before libarchive does, for the few kinds of damage that make it run for ever
 * or ask for all the memory there is: it can't be interrupted then, and nothing that it calls back
 * notices. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-volumes.h"

G_BEGIN_DECLS

/* Has an ISO 9660 descriptor where one belongs. */
gboolean hold_libarchive_guard_is_iso (HoldVolumes *volumes);

/**
 * hold_libarchive_guard_check:
 *
 * ISO 9660: a Rock Ridge continuation (SUSP 1.12, "CE") that leads back to itself. 7-Zip: more folders than its header has bytes.
 *
 * Thread: any.  Blocks: yes; reads the folders of a disc image, at most 64 MiB.
 * Errors: CORRUPT; G_IO_ERROR.
 */
gboolean hold_libarchive_guard_check (HoldVolumes *volumes, GCancellable *cancellable, GError **error);

G_END_DECLS
