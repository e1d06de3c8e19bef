/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Reads an archive that was just written, before it takes the place of the old one. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-types.h"

G_BEGIN_DECLS

/* @fd: the new archive. @names: stored names in the order in which they were written. Decodes
 *   everything on the way, so that a compressor's fault shows here. Blocks: yes. Errors: CORRUPT
 *   with what differs. */
gboolean hold_libarchive_verify (int fd, GPtrArray *names, GCancellable *cancellable, GError **error);

G_END_DECLS
