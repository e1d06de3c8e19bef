/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* What the archive itself says about the encoding of a name; which code page the rest is in, the
 * engine guesses. */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-name.h belongs to the ZIP layer; only the engine's ZIP backend may include it"
#endif

#include "zip-entry.h"

G_BEGIN_DECLS

/** zip_name_is_marked_utf8: general purpose bit 11. It may lie; check the bytes. */
gboolean zip_name_is_marked_utf8 (const ZipEntry *entry);

/**
 * zip_name_get_unicode: the UTF-8 name of extra field 0x7075, if its CRC fits the raw name.
 * Returns: (nullable): borrowed, valid UTF-8, not NUL-terminated.
 */
const char *zip_name_get_unicode (const ZipEntry *entry, gsize *length);

/** zip_name_get_unicode_comment: likewise the comment, extra field 0x6375. */
const char *zip_name_get_unicode_comment (const ZipEntry *entry, gsize *length);

/**
 * zip_name_backslash_separates: the writer's system has "\" between the parts of a path (FAT,
 * NTFS, OS/2), so that one in the DECODED name is a separator. To be asked after decoding: in
 * CP932 and CP950 the byte 0x5C is also the second half of letters.
 */
gboolean zip_name_backslash_separates (const ZipEntry *entry);

G_END_DECLS
