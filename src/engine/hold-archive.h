/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A snapshot of an archive: identity of the file, format, entries, tree. Immutable and shared
 * between threads; an update or a reload gives a new snapshot. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-entry.h"
#include "hold-format.h"
#include "hold-report.h"
#include "hold-tree.h"

G_BEGIN_DECLS

#define HOLD_TYPE_ARCHIVE (hold_archive_get_type ())
G_DECLARE_FINAL_TYPE (HoldArchive, hold_archive, HOLD, ARCHIVE, GObject)

/* Made by HoldOpenJob. All getters borrow. Thread: any. Blocks: no. */
const char         *hold_archive_get_path       (HoldArchive *self);   /* absolute, file-system encoding */
gboolean            hold_archive_is_of_same_file (HoldArchive *self, HoldArchive *other);  /* by path */
const HoldFormat   *hold_archive_get_format     (HoldArchive *self);
const char * const *hold_archive_get_filters    (HoldArchive *self);   /* NULL-terminated, outermost first: "gzip" */
guint64             hold_archive_get_size       (HoldArchive *self);   /* bytes of the file (of all volumes) */
guint               hold_archive_get_n_entries  (HoldArchive *self);
const HoldEntry    *hold_archive_get_entry      (HoldArchive *self, guint index);
HoldTree           *hold_archive_get_tree       (HoldArchive *self);
const char         *hold_archive_get_comment    (HoldArchive *self);   /* (nullable) UTF-8 */
const char         *hold_archive_get_encoding   (HoldArchive *self);   /* (nullable) charset guessed or given for names without a Unicode mark; NULL: none was needed */
guint64             hold_archive_get_unpacked_size (HoldArchive *self, gboolean *is_complete); /* sum of known sizes */
HoldReport         *hold_archive_get_report     (HoldArchive *self);   /* what was odd while opening */
/* (nullable): why the list is incomplete: the archive ends early, or its directory is damaged */
const GError       *hold_archive_get_list_error (HoldArchive *self);
guint               hold_archive_get_generation (HoldArchive *self);
gboolean            hold_archive_is_encrypted   (HoldArchive *self);   /* any entry, or the list itself */
/* Every file that has content, and there is one whose cipher can be read here: what a password was
 * given for. Blocks: no, but looks at all entries. */
gboolean            hold_archive_is_all_encrypted (HoldArchive *self);

/* What can be done with this very archive: the format's capabilities less what the file, its folder
 * or its entries forbid. */
HoldCaps            hold_archive_get_caps       (HoldArchive *self);
const char         *hold_archive_why_not        (HoldArchive *self, HoldCaps cap);  /* NULL if it can */

/* Is the file still the one that was opened (dev, inode, size, mtime)? Blocks: one stat. Errors:
 * HOLD_ERROR_CHANGED_ON_DISK, G_IO_ERROR. */
gboolean            hold_archive_check_unchanged (HoldArchive *self, GError **error);

/* After an edit of ours the old content is kept as long as the old snapshot lives, so that
 * HoldRestoreJob can bring it back. It takes disk space (@size_bytes, nullable) unless the file
 * system shares blocks; dropping it gives the space back. Thread: any. */
gboolean            hold_archive_has_backup     (HoldArchive *self, guint64 *size_bytes);
void                hold_archive_drop_backup    (HoldArchive *self);

/* (transfer full): the newest snapshot that our own edits made of @self; @self itself if there were
 * none. @index: (inout): of an entry of @self, becomes its index there, also when it was renamed;
 * G_MAXUINT if it is gone. Thread: any. */
HoldArchive        *hold_archive_follow         (HoldArchive *self, guint *index);

/* All that the archive records of an entry, for the properties window: label, value, label, value
 * …, NULL. Technical English labels ("Local header offset"). (transfer full) Blocks: no. */
char              **hold_archive_dup_details    (HoldArchive *self, guint index);

G_END_DECLS
