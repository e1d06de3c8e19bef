/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* The records of APPNOTE 4.3 as plain structs, with one parser each. A parser looks only at the
 * bytes it is given and is as tolerant as other readers are (versions are not judged, surplus
 * bytes are ignored); what a record means for the archive is decided above.
 */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-record.h belongs to the ZIP layer"
#endif

#include <glib.h>

G_BEGIN_DECLS

#define ZIP_SIGNATURE_LOCAL 0x04034b50u
#define ZIP_SIGNATURE_CENTRAL 0x02014b50u
#define ZIP_SIGNATURE_END 0x06054b50u
#define ZIP_SIGNATURE_END64 0x06064b50u
#define ZIP_SIGNATURE_LOCATOR64 0x07064b50u
#define ZIP_SIGNATURE_DESCRIPTOR 0x08074b50u /* also starts part 1 of a split set */
#define ZIP_SIGNATURE_SPAN_DONE 0x30304b50u  /* "PK00": was to be split, and is not */
#define ZIP_SIGNATURE_EXTRA_DATA 0x08064b50u /* archive extra data record */

#define ZIP_LOCAL_SIZE 30u
#define ZIP_CENTRAL_SIZE 46u
#define ZIP_END_SIZE 22u
#define ZIP_END64_SIZE 56u
#define ZIP_LOCATOR64_SIZE 20u

/* General purpose bits, APPNOTE 4.4.4. */
#define ZIP_FLAG_ENCRYPTED 0x0001u
#define ZIP_FLAG_DESCRIPTOR 0x0008u
#define ZIP_FLAG_PATCH 0x0020u
#define ZIP_FLAG_STRONG 0x0040u
#define ZIP_FLAG_UTF8 0x0800u
#define ZIP_FLAG_MASKED 0x2000u

#define ZIP_METHOD_STORED 0u
#define ZIP_METHOD_DEFLATE 8u
#define ZIP_METHOD_AES 99u

#define ZIP_HOST_FAT 0u
#define ZIP_HOST_UNIX 3u
#define ZIP_HOST_HPFS 6u
#define ZIP_HOST_NTFS 10u
#define ZIP_HOST_VFAT 14u
#define ZIP_HOST_OSX 19u

#define ZIP_EXTRA_ZIP64 0x0001u
#define ZIP_EXTRA_NTFS 0x000au
#define ZIP_EXTRA_UT 0x5455u
#define ZIP_EXTRA_UNIX1 0x5855u /* Info-ZIP, old: atime and mtime */
#define ZIP_EXTRA_UNIX3 0x7875u /* Info-ZIP, new: uid and gid */
#define ZIP_EXTRA_UNICODE_NAME 0x7075u
#define ZIP_EXTRA_UNICODE_COMMENT 0x6375u
#define ZIP_EXTRA_AES 0x9901u

/* End of central directory record, APPNOTE 4.3.16. Counts and sizes are those of the ZIP64 record
 * where there is one and the short field holds its marker. */
typedef struct {
  guint32 disk;
  guint32 directory_disk;
  guint64 n_entries;
  guint64 directory_size;
  guint64 directory_offset;
  guint16 comment_length;
  guint8 marked; /* ZIP_END_MARKED_*: fields that only point to the ZIP64 record */
} ZipEnd;

#define ZIP_END_MARKED_DISK 0x01u
#define ZIP_END_MARKED_DIRECTORY_DISK 0x02u
#define ZIP_END_MARKED_COUNT 0x04u
#define ZIP_END_MARKED_SIZE 0x08u
#define ZIP_END_MARKED_OFFSET 0x10u

/* Local and central header, APPNOTE 4.3.7 and 4.3.12. The last five fields are zero in a local
 * header. */
typedef struct {
  guint16 made_by;
  guint16 version_needed;
  guint16 flags;
  guint16 method;
  guint16 dos_time;
  guint16 dos_date;
  guint32 crc;
  guint64 packed_size; /* bytes */
  guint64 size;        /* bytes */
  guint16 name_length;
  guint16 extra_length;
  guint16 comment_length;
  guint16 internal_attributes;
  guint32 disk;
  guint32 external_attributes;
  guint64 header_offset; /* bytes, as recorded */
  const guint8 *name;    /* borrowed, like extra and comment; not NUL-terminated */
  const guint8 *extra;
  const guint8 *comment;
  gboolean zip64; /* some value came from extra field 0x0001 */
} ZipHeader;

typedef enum {
  ZIP_PARSE_OK,
  ZIP_PARSE_SHORT,     /* the bytes end inside the record */
  ZIP_PARSE_SIGNATURE, /* another record, or none */
} ZipParse;

/**
 * zip_record_parse_end: reads the record at @data, which may be followed by its comment and
 * anything else.
 * @data: (array length=length): bytes that begin with the record
 * @end: (out caller-allocates): the record
 *
 * Source: APPNOTE 4.3.16.  Thread: any.
 */
ZipParse zip_record_parse_end (const guint8 *data, gsize length, ZipEnd *end);

/**
 * zip_record_parse_locator64: reads the ZIP64 locator.
 * @offset: (out): where the ZIP64 end record says it begins, in bytes
 *
 * Source: APPNOTE 4.3.15.  Thread: any.
 */
ZipParse zip_record_parse_locator64 (const guint8 *data, gsize length, guint64 *offset);

/**
 * zip_record_parse_end64: reads the ZIP64 end record into the fields of @end that hold their
 * markers.
 * @end: (inout): what zip_record_parse_end() gave
 *
 * Source: APPNOTE 4.3.14.  Thread: any.
 */
ZipParse zip_record_parse_end64 (const guint8 *data, gsize length, ZipEnd *end);

/**
 * zip_record_parse_central: reads one central header with its name, extra fields and comment.
 * @header: (out caller-allocates): the header; sizes, offset and disk already taken from 0x0001
 *   where marked
 * @consumed: (out): the length of the whole record in bytes
 *
 * Source: APPNOTE 4.3.12 and 4.5.3.  Thread: any.
 */
ZipParse zip_record_parse_central (const guint8 *data, gsize length, ZipHeader *header,
                                   gsize *consumed);

/**
 * zip_record_parse_local: reads one local header.
 * @header: (out caller-allocates): the header. Name and extra are NULL if @length holds only the
 *   fixed part
 *
 * Source: APPNOTE 4.3.7.  Thread: any.
 */
ZipParse zip_record_parse_local (const guint8 *data, gsize length, ZipHeader *header);

/**
 * zip_record_peek_u32: the little-endian number at @data, for comparing signatures.
 * Returns: 0 if @length is below 4.  Thread: any.
 */
guint32 zip_record_peek_u32 (const guint8 *data, gsize length);

/**
 * zip_extra_find: finds the first extra field @id that lies wholly inside @extra.
 * @length: length of @extra in bytes
 * @field_length: (out): length of the field's data in bytes
 *
 * Returns: (nullable): the field's data, borrowed.  Source: APPNOTE 4.5.1.  Thread: any.
 */
const guint8 *zip_extra_find (const guint8 *extra, gsize length, guint16 id, gsize *field_length);

/**
 * zip_extra_next: walks over the extra fields.
 * @position: (inout): 0 at first
 * @id: (out): what the field is
 * @field: (out): its data, borrowed
 * @field_length: (out): in bytes
 *
 * Returns: FALSE at the end, and where the rest is no well-formed field.  Thread: any.
 */
gboolean zip_extra_next (const guint8 *extra, gsize length, gsize *position, guint16 *id,
                         const guint8 **field,
                         gsize *field_length);

/* What extra field 0x9901 says of an AES entry. */
typedef struct {
  guint16 vendor_version; /* 1: the CRC is kept; 2: it is not, and recorded as 0 */
  guint8 strength;        /* 1, 2, 3: 128, 192, 256 bits */
  guint16 method;         /* the method under the encryption */
} ZipAes;

/**
 * zip_extra_parse_aes: reads extra field 0x9901.
 * Returns: FALSE if there is none, or it is too short.  Thread: any.
 */
gboolean zip_extra_parse_aes (const guint8 *extra, gsize length, ZipAes *aes);

/**
 * zip_extra_parse_unicode: the UTF-8 text of an Info-ZIP Unicode field, if it belongs to @plain.
 * @id: ZIP_EXTRA_UNICODE_NAME or ZIP_EXTRA_UNICODE_COMMENT
 * @plain: (array length=plain_length): the bytes of the header's name or comment
 * @text_length: (out): in bytes
 *
 * The field holds the CRC-32 of the plain bytes it was made for; when a program renames the entry
 * without knowing the field, the two differ and the field is stale.
 *
 * Returns: (nullable): the text, borrowed, valid UTF-8, not NUL-terminated; NULL if absent, stale
 * or malformed.
 * Source: APPNOTE 4.6.8, 4.6.9.  Thread: any.
 */
const guint8 *zip_extra_parse_unicode (const guint8 *extra, gsize length, guint16 id,
                                       const guint8 *plain,
                                       gsize plain_length, gsize *text_length);

/**
 * zip_extra_parse_owner: the numeric owner of extra field 0x7875.
 * Returns: FALSE if there is none that fits 32 bits.  Thread: any.
 */
gboolean zip_extra_parse_owner (const guint8 *extra, gsize length, guint32 *uid, guint32 *gid);

G_END_DECLS
