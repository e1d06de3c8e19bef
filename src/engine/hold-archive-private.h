/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* How a backend builds a snapshot, and how jobs reach the backend behind one. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-archive.h"
#include "hold-entry-private.h"
#include "hold-limits.h"

G_BEGIN_DECLS

typedef struct _HoldBackend HoldBackend;
typedef struct _HoldArchiveBuilder HoldArchiveBuilder;

/* What tells one file from another. */
typedef struct {
  guint64 device;
  guint64 inode;
  guint64 size_bytes;
  gint64  mtime_ns;
} HoldFileIdentity;

gboolean hold_file_identity_from_fd (int fd, HoldFileIdentity *identity, GError **error);
gboolean hold_file_identity_equal   (const HoldFileIdentity *a, const HoldFileIdentity *b);

/**
 * HoldNameSource:
 * A stored name before it is decoded. The builder collects all of them and decides the charset for
 * the whole archive at
 * hold_archive_builder_finish(), so that one guess serves every name (E01, E02): @is_utf8 wins,
 * then the charset that was asked
 * for, then valid UTF-8, then a guess over all undeclared names (CP437 for DOS-made ZIPs as the
 * last resort). Names
 * that do not decode, and those that are declared UTF-8 and are not, keep their bytes as %XX.
 */
typedef struct {
  const guint8 *bytes;
  gsize length;
  gboolean is_utf8;            /* declared to be UTF-8 (bit 11, 0x7075, pax) */
  gboolean backslash_separates; /* FAT-made: "\" is "/" (Z15); applied after decoding */
} HoldNameSource;

/* Thread: the one worker that opens. @path absolute. */
HoldArchiveBuilder *hold_archive_builder_new  (const char *path, const char *encoding, const HoldLimits *limits);
void                hold_archive_builder_free (HoldArchiveBuilder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldArchiveBuilder, hold_archive_builder_free)

void hold_archive_builder_set_identity (HoldArchiveBuilder *self, const HoldFileIdentity *identity);
void hold_archive_builder_set_format   (HoldArchiveBuilder *self, const HoldFormat *format);
void hold_archive_builder_add_filter   (HoldArchiveBuilder *self, const char *name);     /* "gzip" …; outermost first */
void hold_archive_builder_set_comment  (HoldArchiveBuilder *self, const HoldNameSource *comment);
void hold_archive_builder_set_size     (HoldArchiveBuilder *self, guint64 size_bytes);   /* all volumes */
void hold_archive_builder_remove_caps  (HoldArchiveBuilder *self, HoldCaps caps, const char *why);
void hold_archive_builder_add_caps     (HoldArchiveBuilder *self, HoldCaps caps);
void hold_archive_builder_set_list_encrypted (HoldArchiveBuilder *self);
void hold_archive_builder_set_failed   (HoldArchiveBuilder *self, const GError *error);  /* the list ended early: what was read stays usable; extraction ends with a failure in its report */
HoldReport *hold_archive_builder_get_report (HoldArchiveBuilder *self);
guint hold_archive_builder_get_n_entries (HoldArchiveBuilder *self);

/* Copies @entry and everything it points to. @name: stored name; @link, @comment: (nullable). Entry
 * fields path, disk_path, raw_name, link_target, disk_link_target, comment are ignored: made at
 * finish. A trailing separator on @name makes a FILE without type of its own a FOLDER only if the
 * backend says so. Errors: TOO_LARGE (limits). */
gboolean hold_archive_builder_add (HoldArchiveBuilder *self, const HoldEntry *entry, const HoldNameSource *name,
                                   const HoldNameSource *link, const HoldNameSource *comment, GError **error);

/* Decodes all names, builds the tree, freezes. Takes @backend_data (freed by backend->free_data
 * with the archive). Consumes the builder's content. */
HoldArchive *hold_archive_builder_finish (HoldArchiveBuilder *self, const HoldBackend *backend, gpointer backend_data, GError **error);

/* Takes away what the format and the file allow. Before anybody else has @self. */
void               _hold_archive_forbid           (HoldArchive *self, HoldCaps caps, const char *why);
const HoldBackend *_hold_archive_get_backend      (HoldArchive *self);
gpointer           _hold_archive_get_backend_data (HoldArchive *self);
const HoldFileIdentity *_hold_archive_get_identity (HoldArchive *self);
/* Is @device, @inode a file that @self is read from: the one that was opened, or another part of its set?
 * What is read must not be written over. Thread: any. Blocks: no. */
gboolean           _hold_archive_has_file         (HoldArchive *self, guint64 device, guint64 inode);
/* (nullable): why the list is incomplete */
const GError      *_hold_archive_get_list_error   (HoldArchive *self);

/* After a rewrite of ours: what @self became. @map: (transfer full): for each entry of @self its
 * index in @successor, or G_MAXUINT if it was dropped. Thread: any. */
void         _hold_archive_set_successor (HoldArchive *self, HoldArchive *successor, guint *map);
/* A descriptor of the file that @self was read from, kept though the file has lost its name: what
 * undo brings back. Takes @fd. */
void         _hold_archive_take_backup   (HoldArchive *self, int fd);
/* A duplicate that the caller closes; -1 if there is none. */
int          _hold_archive_dup_backup    (HoldArchive *self);
/* (transfer full): the newest snapshot that @self became; @self itself if nothing changed. */
HoldArchive *_hold_archive_dup_latest    (HoldArchive *self);
/* The index of an entry of @self in the newest snapshot; G_MAXUINT: it is no longer there. */
guint        _hold_archive_map_index     (HoldArchive *self, guint index);

G_END_DECLS
