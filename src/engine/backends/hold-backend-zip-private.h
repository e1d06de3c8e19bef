/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What the files of the ZIP backend share. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-backend.h"
#include "hold-secret.h"
#include "hold-volumes.h"
#include "zip-reader.h"

G_BEGIN_DECLS

/* Kept with the snapshot. Immutable but for the secret. Thread: any. */
typedef struct {
  ZipReader *reader;
  HoldVolumes *volumes;
  GMutex lock;
  HoldSecret *proven;   /* (nullable): has decrypted an entry of this archive; under @lock */
} HoldZipData;

/* Can libarchive decode @method here, once it is decrypted? */
gboolean _hold_zip_is_foreign_method (guint16 method);

/* Entries that the ZIP layer does not decode: other methods, and ciphers.
 * @secret: (out) (optional) (nullable): the password that opened it; see read_secret of the vtable
 * Errors: as read_entry of the vtable. Thread: any. */
gboolean _hold_zip_read_foreign (HoldZipData *data, guint index, HoldKeyring *keyring, HoldWriteFunc write,
                                 gpointer user_data, HoldSecret **secret, GCancellable *cancellable,
                                 GError **error);

/* Turns a ZIP_ERROR into one of the engine; others stay. Takes @cause. */
void _hold_zip_propagate_error (GError **error, GError *cause);

/* Fills what the directory records of entry @index; bytes are borrowed from the reader, except
 * @local_name, which the caller frees. @n_local_reads: how many local headers may still be read for
 *   better names. */
void _hold_zip_fill_entry (ZipReader *reader, guint index, guint *n_local_reads, HoldEntry *entry,
                           HoldNameSource *name, HoldNameSource *comment, GBytes **local_name);

char **_hold_zip_dup_details (HoldArchive *archive, guint index);

G_END_DECLS
