/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Writes the records of APPNOTE 4.3 into a growing buffer; the opposite of zip-record. ZIP64
 * fields appear exactly where a value does not fit the short ones.
 */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-emit.h belongs to the ZIP layer"
#endif

#include "zip-record.h"

G_BEGIN_DECLS

/**
 * zip_emit_local: appends a local header.
 * @header: sizes and CRC as they shall stand there; its extra fields are copied but for 0x0001
 * @reserve_zip64: put 0x0001 in even if the sizes fit, for sizes that are only known later
 *
 * Source: APPNOTE 4.3.7, 4.5.3.
 */
void zip_emit_local (GByteArray *out, const ZipHeader *header, gboolean reserve_zip64);

/** zip_emit_central: appends a central header, likewise. Source: APPNOTE 4.3.12. */
void zip_emit_central (GByteArray *out, const ZipHeader *header);

/**
 * zip_emit_descriptor: appends a data descriptor with its signature.
 * @zip64: with 64-bit sizes, as is due when the local header has 0x0001
 *
 * Source: APPNOTE 4.3.9.
 */
void zip_emit_descriptor (GByteArray *out, const ZipHeader *header, gboolean zip64);

/**
 * zip_emit_end: appends the end record, and the ZIP64 records before it if they are needed.
 * @position: where in the archive the first appended byte will stand, for the locator; bytes
 * @comment_length: up to 65535 bytes
 *
 * Source: APPNOTE 4.3.14 to 4.3.16.
 */
void zip_emit_end (GByteArray *out, guint64 n_entries, guint64 directory_size,
                   guint64 directory_offset, guint64 position, const guint8 *comment,
                   guint16 comment_length);

void zip_emit_u16 (GByteArray *out, guint16 value);
void zip_emit_u32 (GByteArray *out, guint32 value);
void zip_emit_u64 (GByteArray *out, guint64 value);

G_END_DECLS
