/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Archives that are written into memory, and what must be true of them. */

#pragma once

#include "zip-test.h"
#include "zip-writer.h"

G_BEGIN_DECLS

/* Entries of every kind, for zip_test_build(). */
#define ZIP_WRITE_TEST_KEPT \
  "a.txt|the first|deflate ut=1000000000 comment=one mode=0100755\n" \
  "d/||mode=040755 extra=75780b000104e803000004d0070000\n" \
  "s1.txt|streamed streamed streamed streamed|deflate streamed ntfs=133338980971234567 host=0\n" \
  "s2.txt|streamed and stored|streamed descriptor=64 extra=fe7f0300414243\n" \
  "caf\x82.txt|old name|host=0 unicode-name=caf%C3%A9.txt\n" \
  "c.bin|secret content|deflate streamed password=secret\n" \
  "m.bin|who knows|method=97\n" \
  "z.txt|the last one|deflate zip64\n"

/* An empty file in memory; the caller closes it. */
int        zip_write_test_new_file (void);
/* Copies entry @i; must succeed. */
void       zip_write_test_keep (ZipWriter *writer, ZipReader *reader, guint i);
/* Finishes and verifies; must succeed. */
void       zip_write_test_finish (ZipWriter *writer);
/* Opens what was written; nothing about it may be odd. */
ZipReader *zip_write_test_reopen (int fd);
/* Runs every other program that is there over the archive. */
void       zip_write_test_let_others (int fd);
/* The compressed bytes of an entry. */
GBytes    *zip_write_test_get_raw (ZipReader *reader, guint i);
/* Entry @k of @after is entry @i of @before, in all but its place. */
void       zip_write_test_assert_kept (ZipReader *before, guint i, ZipReader *after, guint k);

G_END_DECLS
