/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* The one error domain of the ZIP layer. A code exists only where a caller does something else
 * because of it; the message always says where in the file and at which record ("central header
 * 12 at 0x4f3a: …").
 */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-error.h belongs to the ZIP layer; only the engine's ZIP backend may include it"
#endif

#include <glib.h>

G_BEGIN_DECLS

/**
 * ZipError:
 * @ZIP_ERROR_NOT_ZIP: no ZIP records where they would have to be
 * @ZIP_ERROR_TRUNCATED: the file ends before the record or the data does
 * @ZIP_ERROR_CORRUPT: a record or the compressed data contradicts itself or its neighbours
 * @ZIP_ERROR_CHECKSUM: all bytes were decoded, and their CRC-32 is not the recorded one
 * @ZIP_ERROR_UNSUPPORTED: a compression method or flag this layer does not decode; the entry may
 *   be fine
 * @ZIP_ERROR_ENCRYPTED: the entry needs a password, which this layer does not handle
 * @ZIP_ERROR_SPLIT: the file is one part of a split set; the message says which part
 * @ZIP_ERROR_TOO_LARGE: a record asks for more than the documented limits
 */
typedef enum {
  ZIP_ERROR_NOT_ZIP,
  ZIP_ERROR_TRUNCATED,
  ZIP_ERROR_CORRUPT,
  ZIP_ERROR_CHECKSUM,
  ZIP_ERROR_UNSUPPORTED,
  ZIP_ERROR_ENCRYPTED,
  ZIP_ERROR_SPLIT,
  ZIP_ERROR_TOO_LARGE,
} ZipError;

#define ZIP_ERROR (zip_error_quark ())

GQuark zip_error_quark (void);

G_END_DECLS
