/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Looks for archives of which libarchive unpacks something without an error although nothing vouches for it. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-volumes.h"

G_BEGIN_DECLS

/**
 * hold_libarchive_doubt_check:
 *
 * Cabinet: LZX data without a checksum, of which a decoder that meets a reference to before the start makes
 * anything. RAR 4: packed data that is far larger than what it unpacks to, which no packer writes.
 *
 * Thread: any. Blocks: yes; one small read for each block of the archive.
 * Errors: CORRUPT with what is doubtful; the entries can be taken all the same. Trouble with reading is no doubt.
 */
gboolean hold_libarchive_doubt_check (HoldVolumes *volumes, GError **error);

G_END_DECLS
