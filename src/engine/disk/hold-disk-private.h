/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What the files of the sink share: the cache of open folders, the ledger of what was made
 * (so that only that is ever taken away again), and errors that name the place. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-disk-sink.h"

#include <sys/stat.h>
#include <sys/types.h>

G_BEGIN_DECLS

/* An open folder below the destination. The descriptor is O_PATH: a folder that may be entered and
 * written but not listed is a fine place to extract into. */
typedef struct {
  gatomicrefcount ref_count;
  int fd;
  dev_t device;
  char *name;      /* "" for the destination itself */
  GList link;      /* place in the LRU queue; link.data is this */
} HoldDiskFolder;

/* A folder that this sink made. Mode and times are applied in finish(). */
typedef struct {
  char *name;
  dev_t device;
  ino_t inode;
  HoldDiskMeta meta;
} HoldDiskMadeFolder;

typedef enum { HOLD_DISK_LINK_SYMBOLIC, HOLD_DISK_LINK_HARD } HoldDiskLinkKind;

typedef struct {
  HoldDiskLinkKind kind;
  char *name;
  char *target;    /* symbolic: text of the link; hard: another name of this sink */
  HoldDiskMeta meta;
  gboolean replace;
} HoldDiskLink;

struct _HoldDiskSink {
  char *path;
  int fd;                     /* the destination; O_PATH if it may not be read */
  dev_t device;
  mode_t umask;
  guint max_open_folders;
  gint tmpfile_works;         /* atomic; cleared by the first file system that refuses O_TMPFILE */
  GPtrArray *made_parents;    /* absolute paths, outermost first, that new() made */

  GMutex lock;                /* all below */
  GHashTable *folders;        /* name → HoldDiskFolder, owned by the table */
  GQueue lru;                 /* of HoldDiskFolder, the latest first; without the destination */
  HoldDiskFolder *root;
  GHashTable *made_folders;   /* name → HoldDiskMadeFolder */
  GHashTable *made_files;     /* name → HoldDiskMadeFile */
  GPtrArray *links;           /* HoldDiskLink in the order of the archive */
  GHashTable *link_names;     /* name → HoldDiskLink, borrowed */
  GHashTable *handed_out;     /* names that free_name() gave */
  GHashTable *next_number;    /* name → the number to try next */
  GArray *devices;            /* HoldDiskDevice: the destination's own, and those of mounts below it */
};

typedef struct {
  dev_t device;
  ino_t inode;
  gboolean replaced;          /* took the place of something: discard() leaves it */
} HoldDiskMadeFile;

/* @fd: for syncfs, opened before anything was written to @device; -1 if that could not be */
typedef struct {
  dev_t device;
  int fd;
} HoldDiskDevice;

/* hold-disk-folder.c */

typedef enum { HOLD_DISK_MUST_EXIST, HOLD_DISK_MAKE } HoldDiskWant;

HoldDiskFolder *_hold_disk_folder_ref   (HoldDiskFolder *self);
void            _hold_disk_folder_unref (HoldDiskFolder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldDiskFolder, _hold_disk_folder_unref)

HoldDiskFolder *_hold_disk_folder_new_root (int fd, dev_t device);
/* @blocked_by: (out) (optional) (transfer full): the part that is a file or a link. A missing
 *   folder that is not to be made: NULL without error. */
HoldDiskFolder *_hold_disk_sink_get_folder (HoldDiskSink *self, const char *name, HoldDiskWant want,
                                            char **blocked_by, GError **error);
/* The folder that holds @name; @base points into @name. */
HoldDiskFolder *_hold_disk_sink_get_parent (HoldDiskSink *self, const char *name, HoldDiskWant want, const char **base,
                                            char **blocked_by, GError **error);
/* For finish() and discard(): applies what is recorded; removes what is empty. */
void            _hold_disk_sink_settle_folders (HoldDiskSink *self,
                                                void (*failed) (gpointer, const char *, const GError *),
                                                gpointer user_data);
void            _hold_disk_sink_unlock_folders (HoldDiskSink *self);
void            _hold_disk_sink_remove_folders (HoldDiskSink *self);

/* hold-disk-sync.c; lock held once several threads write */
void _hold_disk_sink_remember_device (HoldDiskSink *self, HoldDiskFolder *folder);

/* hold-disk-file.c */

/* Puts what is open as @fd, or lies at @temp_name, under @base of @folder. Not @replace: EEXIST if
 * something is there.
 * Returns 0 or an errno; *replaced tells whether something was there. */
int  _hold_disk_place_tmpfile (HoldDiskFolder *folder, int fd, const char *base, gboolean replace, gboolean *replaced);
int  _hold_disk_place_named   (HoldDiskFolder *folder, const char *temp_name, const char *base, gboolean replace,
                               gboolean *replaced);
void _hold_disk_make_temp_name (char name[32]);
void _hold_disk_sink_note_file (HoldDiskSink *self, const char *name, const struct stat *st, gboolean replaced);
mode_t _hold_disk_sink_file_mode (HoldDiskSink *self, const HoldDiskMeta *meta);
void _hold_disk_meta_get_times (const HoldDiskMeta *meta, struct timespec times[2]);
/* TRUE for the answers of file systems that keep no modes or times (FAT, some network and FUSE
 * mounts). */
gboolean _hold_disk_is_unkept (int errsv);

/* hold-disk-sink.c */

gboolean _hold_disk_check_name (const char *name, GError **error);
/* "Could not @what “@name”: reason", with the disk named when it is full. Always returns FALSE. */
gboolean _hold_disk_sink_set_error (HoldDiskSink *self, GError **error, const char *what, const char *name, int errsv);

G_END_DECLS
