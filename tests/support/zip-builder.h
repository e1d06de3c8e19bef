/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Makes the ZIP archives that tests need and no honest program writes: wrong counts, missing
 * descriptors, stale fields, lies of every kind. It shares no code with what it tests.
 *
 *   g_autoptr (ZipBuilder) builder = zip_builder_new ();
 *   zip_builder_add (builder, "a.txt", "hello", "deflate streamed ut=1000000000");
 *   zip_builder_add (builder, "d/", "", "host=3 mode=040755");
 *   g_autoptr (GBytes) archive = zip_builder_finish (builder, "comment=two%20entries");
 *
 * Options are words with blanks between; a value is percent-decoded. Of an entry:
 *
 *   deflate              compress; otherwise stored
 *   streamed             bit 3, zeros in the local header, a descriptor behind the data
 *   descriptor=none|nosig|64|nosig64   another kind of descriptor
 *   local-sizes          with streamed: true sizes and CRC in the local header all the same
 *   local-size           with streamed: the true uncompressed size alone
 *   utf8                 bit 11
 *   flags=N method=N     bits to add; method to claim, whatever the data is
 *   host=N mode=OCTAL    made by; Unix mode (host 3 unless said), attr=N: DOS attributes
 *   date=N time=N        DOS words; ut=SECONDS, ntfs=TICKS: extra fields
 *   extra=HEX central-extra=HEX local-extra=HEX     raw extra fields, in both or one header
 *   unicode-name=TEXT    field 0x7075; with stale: made for another name
 *   local-name=TEXT      another name in the local header
 *   comment=TEXT         of the entry
 *   crc=N size=N packed=N offset=N disk=N           lies in the central header
 *   same-as=K            the header of entry K again, no local header of its own
 *   zip64                sizes and offset in field 0x0001
 *   password=TEXT        ZipCrypto
 *   no-central           only a local header
 *
 * Of the archive (zip_builder_finish):
 *
 *   comment=TEXT trailing=N                         behind it; N letters
 *   prefix=N absolute    N letters in front; offsets count from the archive, or with absolute
 * from
 *                        the file
 *   zip64                ZIP64 end records
 *   count=N cd-size=N cd-offset=N disk=N cd-disk=N  lies in the end record
 *   gap=N                bytes between directory and end record
 *   no-end               neither directory nor end record
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _ZipBuilder ZipBuilder;

ZipBuilder *zip_builder_new (void);
void zip_builder_free (ZipBuilder *builder);

/**
 * zip_builder_add: adds an entry. @name: any bytes. @options: (nullable): see above; wrong ones
 * abort.
 */
void zip_builder_add (ZipBuilder *builder, const char *name, const char *content,
                      const char *options);
void zip_builder_add_bytes (ZipBuilder *builder, const char *name, const guint8 *content,
                            gsize length, const char *options);

/** zip_builder_finish: (transfer full): the archive. The builder is used up. */
GBytes *zip_builder_finish (ZipBuilder *builder, const char *options);

/**
 * zip_builder_from_text: (transfer full): a whole archive from lines "NAME|CONTENT|OPTIONS"; a
 * line that begins with "|" has the options of the archive.
 */
GBytes *zip_builder_from_text (const char *text);

/**
 * zip_builder_save: (transfer full): writes @archive to @folder/@name; the path. Failure aborts.
 */
char *zip_builder_save (GBytes *archive, const char *folder, const char *name);

/** zip_builder_random: @length bytes that do not compress, always the same for one @seed. */
guint8 *zip_builder_random (guint32 seed, gsize length);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ZipBuilder, zip_builder_free)

G_END_DECLS
