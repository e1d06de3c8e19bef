/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* One stored entry of an archive: immutable once its archive is built, owned by it. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-path.h"

G_BEGIN_DECLS

typedef enum {
  HOLD_ENTRY_FILE,
  HOLD_ENTRY_FOLDER,
  HOLD_ENTRY_SYMLINK,
  HOLD_ENTRY_HARDLINK,
  HOLD_ENTRY_OTHER,
} HoldEntryType;

/* "file", "folder", "symlink", "hardlink", "other" */
const char *hold_entry_type_to_string (HoldEntryType type);

/* All getters borrow; the strings and the entry live as long as the HoldArchive. Thread: any. Those
 * that answer gboolean return FALSE, and leave the place alone, when the archive does not record
 * the value. */
guint         hold_entry_get_index       (const HoldEntry *self);  /* position in the archive, from 0 */
const char   *hold_entry_get_path        (const HoldEntry *self);  /* normalised UTF-8; undecodable bytes as %XX; "." if nothing is left: a folder is the root itself then, anything else is flagged EMPTY */
const char   *hold_entry_get_name        (const HoldEntry *self);  /* last part of the path */
HoldEntryType hold_entry_get_type        (const HoldEntry *self);
/* The stored name where it could not be decoded (so that %XX can be told from a literal '%'); NULL
 * otherwise. */
const guint8 *hold_entry_get_raw_name    (const HoldEntry *self, gsize *length_bytes);
/* The path to use on disk: like the path, but undecodable bytes are the bytes themselves. */
const char   *hold_entry_get_disk_path   (const HoldEntry *self);
gboolean      hold_entry_get_size        (const HoldEntry *self, guint64 *size_bytes);
gboolean      hold_entry_get_packed_size (const HoldEntry *self, guint64 *size_bytes);
gboolean      hold_entry_get_mtime       (const HoldEntry *self, gint64 *seconds, guint *nanoseconds); /* Unix, UTC */
gboolean      hold_entry_get_mode        (const HoldEntry *self, guint *mode);  /* permission bits 07777 */
gboolean      hold_entry_get_crc32       (const HoldEntry *self, guint32 *crc);
const char   *hold_entry_get_method      (const HoldEntry *self);  /* (nullable) "store", "deflate", "lzma" … */
const char   *hold_entry_get_link_target (const HoldEntry *self);  /* (nullable) symlinks, hardlinks; UTF-8 */
const char   *hold_entry_get_disk_link_target (const HoldEntry *self); /* (nullable) the bytes for symlink(2) */
const char   *hold_entry_get_comment     (const HoldEntry *self);  /* (nullable) UTF-8 */
gboolean      hold_entry_is_encrypted    (const HoldEntry *self);
gboolean      hold_entry_is_streamed     (const HoldEntry *self);  /* ZIP: general purpose bit 3 */
gboolean      hold_entry_is_readable     (const HoldEntry *self);  /* FALSE: method or cipher not supported here (Z19) */
HoldUnsafe    hold_entry_get_unsafe      (const HoldEntry *self);

G_END_DECLS
