/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* How backends fill an entry. Zero-initialise, fill, hand to hold_archive_builder_add(). */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-entry.h"

G_BEGIN_DECLS

/* Flags of what is recorded, kept in one word: 100,000 of these must stay small. */
typedef enum {
  HOLD_ENTRY_HAS_SIZE    = 1 << 0,
  HOLD_ENTRY_HAS_PACKED  = 1 << 1,
  HOLD_ENTRY_HAS_MTIME   = 1 << 2,
  HOLD_ENTRY_HAS_MODE    = 1 << 3,
  HOLD_ENTRY_HAS_CRC32   = 1 << 4,
  HOLD_ENTRY_ENCRYPTED   = 1 << 5,
  HOLD_ENTRY_STREAMED    = 1 << 6,
  HOLD_ENTRY_UNREADABLE  = 1 << 7,
} HoldEntryFlags;

struct _HoldEntry {
  guint index;               /* set by the builder */
  guint8 type;               /* HoldEntryType */
  guint8 unsafe;             /* HoldUnsafe, from the name; the builder adds LINK_ESCAPE, TOO_LONG, EMPTY, SPECIAL */
  guint16 flags;             /* HoldEntryFlags */
  guint16 mode;
  guint32 crc32;
  guint32 mtime_ns;
  gint64 mtime;
  guint64 size;
  guint64 packed;
  guint64 place;             /* the backend's own: an index or offset */
  const char *method;        /* static or interned */
  /* The rest are allocated in the builder's string chunk by hold_archive_builder_add(). */
  const char *path;          /* normalised UTF-8 */
  const char *disk_path;     /* == path unless bytes could not be decoded */
  const guint8 *raw_name;    /* NULL unless bytes could not be decoded */
  gsize raw_length;
  const char *link_target;
  const char *disk_link_target;
  const char *comment;
};

G_END_DECLS
