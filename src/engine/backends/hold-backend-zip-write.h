/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Turns a plan into a ZIP: what is kept is copied as it lies, what is new is packed on all
 * cores. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-backend.h"
#include "zip-reader.h"

G_BEGIN_DECLS

/**
 * hold_backend_zip_rewrite:
 *
 * HoldBackend.rewrite. Entries that are kept or renamed, also encrypted ones, need no password. A
 * prefix (self-extractor) and
 * the archive's comment stay. The first entry of EPUB and ODF, "mimetype", is stored.
 *
 * Blocks: yes. Errors: those of reading, of writing; CORRUPT if what was written does not read
 * back as planned.
 */
gboolean hold_backend_zip_rewrite (HoldPlan *plan, int fd, const HoldWriteOptions *options,
                                   const HoldRewriteWatch *watch, GCancellable *cancellable, GError **error);

/* The reader behind a snapshot of the ZIP backend; NULL if it is of another, or libarchive reads
 * it. Borrowed. */
ZipReader *hold_backend_zip_get_reader (HoldArchive *archive);

G_END_DECLS
