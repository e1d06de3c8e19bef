/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The bytes that libarchive reads, and the struct archive that reads them: bounded blocks through
 * pread(), cancel checked at each, an end to loops, formats and filters switched on one by one, and
 * never a program started. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

#include "hold-gunzip.h"
#include "hold-volumes.h"

G_BEGIN_DECLS

typedef enum {
  HOLD_LIBARCHIVE_FORMATS,  /* every archive format but ZIP, mtree and raw */
  HOLD_LIBARCHIVE_RAW,      /* the content of the filters as one nameless entry */
  HOLD_LIBARCHIVE_ZIP,      /* one ZIP entry, read in order */
} HoldLibarchiveMode;

/**
 * HoldLibarchiveParts:
 * What libarchive is fed instead of the volumes: made-up bytes, then a piece of the volumes or
 * whatever @pull brings. It can be read in order only.
 * @head: borrowed
 * @data_offset, @data_length: of the piece, in bytes
 * @pull: (nullable): brings the next bytes, 0 at the end; they are valid until the next call
 */
typedef struct {
  GBytes *head;
  guint64 data_offset;
  guint64 data_length;
  gboolean (*pull) (gpointer user_data, const guint8 **data, gsize *length_bytes, GError **error);
  gpointer pull_data;
} HoldLibarchiveParts;

typedef struct {
  struct archive *archive;
  HoldVolumes *volumes;
  const HoldLibarchiveParts *parts;  /* (nullable): borrowed */
  HoldGunzip *gunzip;                /* (nullable): what libarchive is fed through */
  guint64 size;
  guint64 position;
  guint64 n_read;
  GCancellable *cancellable;
  void (*consumed) (gpointer user_data, guint64 file_bytes);
  gpointer user_data;
  gboolean ignore_crc;
  const char *lha_charset;           /* (nullable): borrowed; of names in LHA; ISO-8859-1, byte for byte, if NULL */
  GError *error;                     /* why a callback failed; beats what libarchive says */
  guint8 *buffer;
} HoldLibarchiveStream;

/**
 * hold_libarchive_stream_init:
 * @volumes: referenced
 * @parts: (nullable): borrowed for the life of the stream
 * @consumed: (nullable): told the bytes of the file read so far
 */
void hold_libarchive_stream_init  (HoldLibarchiveStream *self, HoldVolumes *volumes,
                                   const HoldLibarchiveParts *parts, GCancellable *cancellable);
void hold_libarchive_stream_clear (HoldLibarchiveStream *self);

/**
 * hold_libarchive_stream_open:
 * @secret: (nullable): a password
 * ZIP: the CRC is checked, unless the stream's ignore_crc is set before.
 *
 * Blocks: yes.  Errors: NOT_ARCHIVE if no format fits; as hold_libarchive_stream_set_error().
 */
gboolean hold_libarchive_stream_open (HoldLibarchiveStream *self, HoldLibarchiveMode mode,
                                      const char *secret, GError **error);

/* The failure of the last call: what a callback found, else what libarchive says. */
void hold_libarchive_stream_set_error (HoldLibarchiveStream *self, GError **error);

/**
 * HoldNext:
 * @HOLD_NEXT_WARNED: the entry is usable, something about it is odd
 * @HOLD_NEXT_DAMAGED: the entry is usable, but something before it was skipped
 * @HOLD_NEXT_FAILED: the entry is not usable, the next one may be
 * @HOLD_NEXT_FATAL: nothing more can be read
 */
typedef enum {
  HOLD_NEXT_ENTRY,
  HOLD_NEXT_WARNED,
  HOLD_NEXT_DAMAGED,
  HOLD_NEXT_FAILED,
  HOLD_NEXT_END,
  HOLD_NEXT_FATAL,
} HoldNext;

/**
 * hold_libarchive_stream_next:
 * @entry: (out): borrowed, until the next call
 * @error: set for all but ENTRY and END
 */
HoldNext hold_libarchive_stream_next (HoldLibarchiveStream *self, struct archive_entry **entry,
                                      GError **error);

typedef gboolean (*HoldLibarchiveWrite) (gpointer user_data, const guint8 *data, gsize length_bytes,
                                         guint64 offset, GError **error);

/**
 * hold_libarchive_stream_read_data:
 * @has_size, @size: what the entry declares
 * @write: (nullable): gets the data, at most 256 KiB at once
 * @fatal: (out): nothing more can be read from this archive
 *
 * Never hands out a byte beyond the declared size, and is an error if they are fewer (F22).
 * Errors: CORRUPT, TRUNCATED, CHECKSUM, UNSUPPORTED, …; what @write says.
 */
gboolean hold_libarchive_stream_read_data (HoldLibarchiveStream *self, gboolean has_size,
                                           guint64 size, HoldLibarchiveWrite write,
                                           gpointer user_data, gboolean *fatal, GError **error);

/* libarchive converts names by the thread's LC_CTYPE and drops what that can't hold (E04), so calls
 * are made between these two; the process's locale is left alone. Thread: any; nests. */
locale_t hold_libarchive_locale_enter (void);
void     hold_libarchive_locale_leave (locale_t previous);

/* Filters that this libarchive would start a program for are off. Is @filter (ARCHIVE_FILTER_…)
 * on? */
gboolean hold_libarchive_has_filter (int filter);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HoldLibarchiveStream, hold_libarchive_stream_clear)

G_END_DECLS
