/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Writes files, folders and links below one folder and nowhere else, whatever names and links
 * an archive holds. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-error.h"
#include "hold-question.h"

G_BEGIN_DECLS

/* Everything goes through openat/mkdirat with O_NOFOLLOW below one directory descriptor; the
 * destination that the user chose is opened following links (S04); a symlink that stands below it
 * as a parent of a name is never followed (S02) and reported as blocking. New files appear under
 * their name complete or not at all: they are written to an anonymous or hidden temporary file in
 * their folder and linked/renamed into place at commit; an empty one is complete when it is made. Symlinks and hard links are made in
 * finish(), folder modes and times last. setuid, setgid and owners are dropped; modes obey the
 * umask that is read once at new().
 *
 * Thread: any, also several at once, except new, finish, sync, discard, free.
 * Errors: G_IO_ERROR with the name in the message: EXISTS, IS_DIRECTORY (a folder stands where a
 * file should go), NOT_DIRECTORY (a file stands where a folder is needed), NO_SPACE (names the
 * disk), FILENAME_TOO_LONG, PERMISSION_DENIED, READ_ONLY …; HOLD_ERROR_UNSAFE_NAME for a name that
 * is not below, or that would go through a link. */
typedef struct _HoldDiskSink HoldDiskSink;
typedef struct _HoldDiskFile HoldDiskFile;

typedef struct {
  gboolean has_mode;  guint  mode;            /* permission bits; 0 means not recorded (Z17) */
  gboolean has_mtime; gint64 mtime; guint mtime_ns;
} HoldDiskMeta;

typedef enum {
  HOLD_DISK_NOTHING,
  HOLD_DISK_FILE,
  HOLD_DISK_FOLDER,
  HOLD_DISK_SYMLINK,
  HOLD_DISK_OTHER,
} HoldDiskKind;

/* Makes @path (and missing parents) if needed; remembers what it made so that discard() removes
 * only that (S06). */
HoldDiskSink *hold_disk_sink_new  (const char *path, GError **error);
void          hold_disk_sink_free (HoldDiskSink *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldDiskSink, hold_disk_sink_free)

/* @name below: bytes, "/"-separated, relative, no "." or ".." parts (checked: UNSAFE_NAME). */

/* What lies at @name: kind, and of files size and mtime (each nullable). Does not follow a last
 * symlink. If a parent part is a file or a symlink: kind NOTHING and @blocked_by (nullable,
 * transfer full) names that parent (X10, S02). */
gboolean hold_disk_sink_look_up (HoldDiskSink *self, const char *name, HoldDiskKind *kind, guint64 *size_bytes,
                                 gint64 *mtime, char **blocked_by, GError **error);
/* "a.txt" → "a (2).txt", the first that is free on disk and was not handed out before. (transfer
 * full) */
char    *hold_disk_sink_free_name (HoldDiskSink *self, const char *name);
/* Free bytes for an ordinary user on that file system. */
gboolean hold_disk_sink_get_free_space (HoldDiskSink *self, guint64 *free_bytes, GError **error);

/* A folder that may exist already; then its mode and times are left alone (X07). */
gboolean hold_disk_sink_make_folder (HoldDiskSink *self, const char *name, const HoldDiskMeta *meta, GError **error);

/* Parents are made. @size_hint_bytes 0: unknown. Nothing is allocated ahead: file systems gather
 * blocks as they are written, and holes must stay holes. One file is written by one thread at a
 * time. */
HoldDiskFile *hold_disk_sink_open_file (HoldDiskSink *self, const char *name, guint64 size_hint_bytes, GError **error);
gboolean hold_disk_file_write_at (HoldDiskFile *file, const guint8 *data, gsize length_bytes,
                                  guint64 offset, GError **error);
/* Sets size (@size_bytes: holes at the end), mode, time; gives the name. @replace: an existing
 * file or symlink there is renamed over, never written through; otherwise G_IO_ERROR_EXISTS;
 * folders and devices never give way. Frees @file in every case. */
gboolean hold_disk_file_commit (HoldDiskFile *file, guint64 size_bytes, const HoldDiskMeta *meta,
                                gboolean replace, GError **error);
void     hold_disk_file_abort  (HoldDiskFile *file);  /* leaves nothing */

/* Deferred until finish(). @target for symlinks: as stored. For hard links: another @name of this
 * sink, written or added before it; where the disk has no hard links the content is copied. From
 * here on nothing can be written below @name. */
gboolean hold_disk_sink_add_symlink  (HoldDiskSink *self, const char *name, const char *target,
                                      const HoldDiskMeta *meta, gboolean replace, GError **error);
gboolean hold_disk_sink_add_hardlink (HoldDiskSink *self, const char *name, const char *existing,
                                      gboolean replace, GError **error);

/* Makes the links, then folder modes and times from the deepest up; @meta of existing folders is
 * not applied. Failures of single links and folders go to @failed with the name and TRUE comes
 * back; with @failed NULL the first one is the error. */
gboolean hold_disk_sink_finish (HoldDiskSink *self,
                                void (*failed) (gpointer user_data, const char *name, const GError *error),
                                gpointer user_data, GError **error);
/* Makes everything that was written durable. syncfs, on a descriptor older than what was written,
 * where the kernel tells by it of everything that was lost; else also fsync of each file and
 * folder. TRUE: the disk has said that it has it all. */
gboolean hold_disk_sink_sync (HoldDiskSink *self, GError **error);
/* The absolute path of the folder. */
const char *hold_disk_sink_get_path (HoldDiskSink *self);
/* Removes what this sink made and nothing else, deepest first, never through a link, folders only
 * if empty. A file that took the place of another stays, since the other can't come back. No
 * HoldDiskFile may be open. */
void hold_disk_sink_discard (HoldDiskSink *self);

G_END_DECLS
