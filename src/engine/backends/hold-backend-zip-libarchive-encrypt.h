/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* New entries that are to be encrypted: libarchive does the AES-256 of WinZip's format, into a file
 * without a name, and from there the entries are copied as they are. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-backend.h"
#include "zip-reader.h"

G_BEGIN_DECLS

typedef struct _HoldZipEncrypted HoldZipEncrypted;

/**
 * hold_zip_encrypted_new:
 * @steps: of the plan; those that add or replace a file are encrypted, in their order, except for encrypted
 *   entries of other ZIPs
 * @fd: the new archive; the scratch file lies in its folder, unnamed, and takes about as much room
 *
 * Blocks: yes, for all the work. A source that can't be read is left out; ask
 * hold_zip_encrypted_find(). Errors: of writing, cancelled.
 */
HoldZipEncrypted *hold_zip_encrypted_new  (const HoldPlanStep *steps, guint n_steps, int fd, const HoldWriteOptions *options,
                                           const HoldRewriteWatch *watch, GCancellable *cancellable, GError **error);
void              hold_zip_encrypted_free (HoldZipEncrypted *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldZipEncrypted, hold_zip_encrypted_free)

/* Borrowed. */
ZipReader        *hold_zip_encrypted_get_reader (HoldZipEncrypted *self);
typedef enum {
  HOLD_ZIP_NOT_ENCRYPTED,    /* no new file, or encrypted already: to be written as ever */
  HOLD_ZIP_ENCRYPTED,        /* *index is its entry */
  HOLD_ZIP_EMPTY,            /* it holds nothing, and nothing can't be encrypted */
  HOLD_ZIP_LEFT_OUT,         /* *why (borrowed) says why it could not be read */
} HoldZipEncryption;

HoldZipEncryption hold_zip_encrypted_find (HoldZipEncrypted *self, guint position, guint *index, const GError **why);

G_END_DECLS
