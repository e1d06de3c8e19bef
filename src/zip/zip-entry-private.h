/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* What reader and writer share about entries. */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-entry-private.h belongs to the ZIP layer"
#endif

#include "zip-entry.h"

G_BEGIN_DECLS

/** _zip_entry_get_header: @entry as a header that can be emitted; borrows its bytes. */
ZipHeader _zip_entry_get_header (const ZipEntry *entry);

/**
 * _zip_entry_needs_descriptor_bit: bit 3 decides whether ZipCrypto checks the password against
 * the time or the CRC, so that it cannot be cleared without the password. Source: APPNOTE 6.1.6.
 */
gboolean _zip_entry_needs_descriptor_bit (const ZipEntry *entry);

G_END_DECLS
