/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* One entry of the archive as the central directory records it: a small fixed struct, so that
 * 100,000 of them fit in a few megabytes; name, extra fields and comment stay in the directory's
 * raw bytes and are borrowed from there. Nothing here decodes a code page or splits a path; that
 * is the engine's work.
 */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-entry.h belongs to the ZIP layer; only the engine's ZIP backend may include it"
#endif

#include <glib.h>

#include "zip-record.h"
#include "zip-time.h"

G_BEGIN_DECLS

/**
 * ZipEntryFacts:
 * @ZIP_ENTRY_ZIP64: sizes or offset came from extra field 0x0001
 * @ZIP_ENTRY_OVERLAPS: its bytes overlap those of another entry, or the directory; a bomb does
 *   that, and so do some honest files (two names for one header)
 * @ZIP_ENTRY_OUTSIDE: header or data lie (partly) behind the end of the file; reading it fails
 *   with TRUNCATED
 * @ZIP_ENTRY_UNWRAPPED: offset or sizes were recorded modulo 2^32 and have been repaired
 * @ZIP_ENTRY_RECOVERED: found by scanning local headers, since the directory is missing or
 *   damaged; what only the directory records (mode, comment) is not known
 * @ZIP_ENTRY_NO_SIZE: size and CRC are not recorded (a recovered, streamed entry cut short) and
 *   read as 0; the packed size is that of what is there
 * @ZIP_ENTRY_BAD_EXTRA: its extra fields end in bytes that are no field
 */
typedef enum {
  ZIP_ENTRY_ZIP64 = 1 << 0,
  ZIP_ENTRY_OVERLAPS = 1 << 1,
  ZIP_ENTRY_OUTSIDE = 1 << 2,
  ZIP_ENTRY_UNWRAPPED = 1 << 3,
  ZIP_ENTRY_RECOVERED = 1 << 4,
  ZIP_ENTRY_NO_SIZE = 1 << 5,
  ZIP_ENTRY_BAD_EXTRA = 1 << 6,
} ZipEntryFacts;

typedef struct {
  const guint8 *record;  /* the raw central header; see the accessors */
  guint64 header_offset; /* of the local header, from the start of the file, in bytes */
  guint64 packed_size;   /* bytes as stored */
  guint64 size;          /* bytes when decoded */
  guint32 crc;           /* CRC-32 of the decoded bytes; 0 for AE-2 */
  guint32 external_attributes;
  guint16 made_by; /* high byte: host, low byte: version of the writer × 10 */
  guint16 version_needed;
  guint16 flags;  /* general purpose bits, ZIP_FLAG_* */
  guint16 method; /* 99 for AES; see zip_entry_get_method() */
  guint16 dos_time;
  guint16 dos_date;
  guint16 name_length;
  guint16 extra_length;
  guint16 comment_length;
  guint16 internal_attributes; /* bit 0: the writer took it for text */
  guint16 facts;               /* ZipEntryFacts */
} ZipEntry;

/* Raw bytes, borrowed from the reader, not NUL-terminated, may hold anything, also NUL. */
const char *zip_entry_get_name (const ZipEntry *entry, gsize *length);
const guint8 *zip_entry_get_extra (const ZipEntry *entry, gsize *length);
const char *zip_entry_get_comment (const ZipEntry *entry, gsize *length);

/** zip_entry_get_host: which system made it, ZIP_HOST_* (APPNOTE 4.4.2). */
guint8 zip_entry_get_host (const ZipEntry *entry);

/** zip_entry_get_method: the compression method; for AES entries the one under the encryption. */
guint16 zip_entry_get_method (const ZipEntry *entry);

/** zip_method_get_name: technical English such as "Deflate", for properties; never NULL. */
const char *zip_method_get_name (guint16 method);

gboolean zip_entry_is_encrypted (const ZipEntry *entry);

/**
 * zip_entry_get_aes: AES facts of extra field 0x9901. Returns: FALSE if it is not an AES entry.
 */
gboolean zip_entry_get_aes (const ZipEntry *entry, ZipAes *aes);

/** zip_entry_is_streamed: general purpose bit 3, written with a data descriptor. */
gboolean zip_entry_is_streamed (const ZipEntry *entry);

/**
 * zip_entry_can_decode: stored or deflated, and not encrypted: zip_reader_read_entry() can do it.
 */
gboolean zip_entry_can_decode (const ZipEntry *entry);

/**
 * zip_entry_is_folder: a name that ends in a slash, or a type in the attributes, Unix type before
 * DOS attribute. A folder may have data all the same; size says so.
 */
gboolean zip_entry_is_folder (const ZipEntry *entry);

/** zip_entry_is_symlink: by the Unix mode; the data is the link's target. */
gboolean zip_entry_is_symlink (const ZipEntry *entry);

/**
 * zip_entry_get_unix_mode: type and permission bits (st_mode), if the host records them.
 * Returns: FALSE if they are not recorded at all. The type bits alone may be set, with
 * permissions 0.
 */
gboolean zip_entry_get_unix_mode (const ZipEntry *entry, guint32 *mode);

/**
 * zip_entry_get_times: times of the central header; accessed and created only where NTFS or
 * 0x5855 has them.
 */
void zip_entry_get_times (const ZipEntry *entry, ZipTimes *times);

G_END_DECLS
