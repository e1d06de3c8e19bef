/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Writes the formats that libarchive writes: one pass from the old archive to the new one. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-backend.h"

G_BEGIN_DECLS

/* Can new archives of @format be written? */
gboolean hold_libarchive_can_write (const HoldFormat *format);

/**
 * hold_libarchive_rewrite:
 *
 * HoldBackend.rewrite. What is kept goes from header to header with everything that libarchive
 * knows of an entry (links,
 * attributes, ACLs, sparse areas); the data is decoded and packed anew. A hard link whose first
 * name is dropped gets the data
 * of its own (F18). A kept entry that can't be read stops the rewrite, because to go on would lose
 * it.
 *
 * Blocks: yes. Errors: of reading, of writing, READ_ONLY for formats that libarchive does not
 * write.
 */
gboolean hold_libarchive_rewrite (HoldPlan *plan, int fd, const HoldWriteOptions *options,
                                  const HoldRewriteWatch *watch, GCancellable *cancellable, GError **error);

G_END_DECLS
