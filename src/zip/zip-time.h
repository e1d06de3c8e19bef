/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Times in ZIP: the DOS pair of every header is local time in steps of two seconds from 1980 on,
 * extra fields are UTC. Here they become Unix time, and back.
 */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-time.h belongs to the ZIP layer"
#endif

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
  ZIP_TIME_NONE, /* not recorded */
  ZIP_TIME_DOS,  /* local time of an unknown zone, taken as the zone of this machine */
  ZIP_TIME_UNIX, /* 0x5455 or 0x5855, UTC */
  ZIP_TIME_NTFS, /* 0x000a, UTC, 100 ns */
} ZipTimeSource;

typedef struct {
  gint64 seconds;      /* since 1970-01-01 UTC */
  guint32 nanoseconds; /* 0 … 999,999,999 */
  ZipTimeSource source;
} ZipTime;

typedef struct {
  ZipTime modified;
  ZipTime accessed;
  ZipTime created;
} ZipTimes;

/**
 * zip_time_from_dos: the Unix time of a DOS pair, read as local time.
 * @seconds: (out): Unix time
 *
 * Returns: FALSE if nothing is recorded (date 0) or the fields are no date.
 * Thread: any; reads TZ as libc does.  Source: APPNOTE 4.4.6.
 */
gboolean zip_time_from_dos (guint16 dos_date, guint16 dos_time, gint64 *seconds);

/**
 * zip_time_to_dos: the DOS pair for @seconds in local time, held between 1980-01-01 and
 * 2107-12-31 and rounded down to two seconds. A time that is changed by this needs extra field
 * 0x5455 beside it.
 *
 * Thread: any.
 */
void zip_time_to_dos (gint64 seconds, guint16 *dos_date, guint16 *dos_time);

/**
 * zip_time_read: all times that a header records; NTFS before Unix fields before the DOS pair.
 * @extra: (array length=extra_length): extra fields of the central or local header
 *
 * Thread: any.
 */
void zip_time_read (guint16 dos_date, guint16 dos_time, const guint8 *extra, gsize extra_length,
                    ZipTimes *times);

/**
 * zip_time_emit_ntfs: appends extra field 0x000a with @seconds as all three times.
 *
 * Thread: any.  Source: APPNOTE 4.5.5.
 */
void zip_time_emit_ntfs (GByteArray *out, gint64 seconds);

G_END_DECLS
