/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Rebuilds a directory from the local headers, for archives whose own is missing or damaged. */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-recovery.h belongs to the ZIP layer"
#endif

#include "zip-directory.h"

G_BEGIN_DECLS

/**
 * zip_recovery_scan: reads the file once from the front, from local header to local header.
 * @start: where the first local header stands, bytes
 *
 * Thread: any.  Blocks: yes, for as long as reading the file takes.
 * Errors: ZIP_ERROR_TRUNCATED if there is not one whole header; G_IO_ERROR, also CANCELLED.
 */
ZipDirectory *zip_recovery_scan (ZipSource *source, guint64 start, GCancellable *cancellable,
                                 GError **error);

G_END_DECLS
