/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* A split ZIP archive names its places as "part 3, byte 1000". Laid end to end its parts are an
 * ordinary archive, once the directory counts from the start of the first one.
 */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-split.h belongs to the ZIP layer; only the engine's ZIP backend may include it"
#endif

#include "zip-source.h"

G_BEGIN_DECLS

/**
 * zip_split_join: covers end record and directory of @source with ones that know no parts.
 * @source: made for the parts, in order
 *
 * Files that were merely cut into pieces have one part as far as their end record knows, and stay
 * as they are.
 *
 * Thread: the one that made @source.  Blocks: yes, reads the directory.
 * Errors: ZIP_ERROR CORRUPT, TRUNCATED, TOO_LARGE (4 GiB and more); G_IO_ERROR.
 */
gboolean zip_split_join (ZipSource *source, GError **error);

G_END_DECLS
