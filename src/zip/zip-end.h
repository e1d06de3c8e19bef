/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Finds the end record, and with it where the central directory lies. It is the one part of the
 * format that has to be searched for, and where archives are odd: comments that hold signatures,
 * bytes behind the end, programs in front, offsets modulo 2^32.
 */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-end.h belongs to the ZIP layer"
#endif

#include "zip-record.h"
#include "zip-source.h"

G_BEGIN_DECLS

typedef struct {
  ZipEnd end;
  gboolean zip64;
  guint64 end_position;    /* of the end record in the file, bytes */
  guint64 directory_start; /* of the first central header in the file, bytes */
  guint64 directory_limit; /* where it ends at the latest: at the (ZIP64) end record */
  gint64 shift;            /* to add to recorded offsets; bytes in front of the archive */
  GBytes *comment;
  guint64 trailing_size; /* bytes behind the comment */
  GBytes *tail;          /* the last bytes of the file, as far as they were read */
  guint64 tail_offset;
} ZipEndPlace;

void zip_end_place_clear (ZipEndPlace *place);

/**
 * zip_end_find: looks for the end record that has a directory before it.
 * @place: (out caller-allocates): cleared by the caller with zip_end_place_clear(), also on
 *   failure
 *
 * Thread: any.  Blocks: yes; reads 64 KiB, and up to 1 MiB more when there is junk at the end.
 * Errors: ZIP_ERROR_NOT_ZIP if there is none, ZIP_ERROR_SPLIT, ZIP_ERROR_CORRUPT if there is an
 * end record but no directory where it says; G_IO_ERROR.
 */
gboolean zip_end_find (ZipSource *source, ZipEndPlace *place, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ZipEndPlace, zip_end_place_clear)

G_END_DECLS
