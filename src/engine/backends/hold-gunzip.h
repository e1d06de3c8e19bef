/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Unpacks gzip as a stream. libarchive's own gzip filter checks neither the CRC nor the length that
 * stand behind the data, so that damage inside a .tar.gz would pass for content. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-volumes.h"

G_BEGIN_DECLS

typedef struct _HoldGunzip HoldGunzip;

/* Does the file start with a gzip header?  Blocks: one small read. */
gboolean hold_gunzip_is_gzip (HoldVolumes *volumes);

HoldGunzip *hold_gunzip_new  (HoldVolumes *volumes);
void        hold_gunzip_free (HoldGunzip *self);

/**
 * hold_gunzip_read:
 * @n_read: (out): 0 at the end
 *
 * Members follow each other without a seam, as RFC 1952 has it; zeros or other bytes behind the
 * last one are ignored, as gzip does.
 *
 * Thread: one.  Blocks: yes.  Errors: TRUNCATED, CORRUPT, CHECKSUM; G_IO_ERROR.
 */
gboolean hold_gunzip_read (HoldGunzip *self, void *buffer, gsize length, gsize *n_read,
                           GError **error);

/* Bytes of the file read so far. */
guint64  hold_gunzip_get_consumed (HoldGunzip *self);
/* Bytes that follow the last member and are not zero were met. Known at the end. */
gboolean hold_gunzip_has_trailing (HoldGunzip *self);
/* The time in the first header; FALSE if none is recorded. Known after the first read. */
gboolean hold_gunzip_get_mtime (HoldGunzip *self, gint64 *seconds);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldGunzip, hold_gunzip_free)

G_END_DECLS
