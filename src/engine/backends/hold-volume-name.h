/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* How the parts of split sets are called, and whether a file is really one of a set: numbers at the
 * end of a name may as well be years, or those of rotated files. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include <glib.h>

G_BEGIN_DECLS

/* How the parts of a set are called: everything but the number. */
typedef enum { HOLD_VOLUME_SINGLE, HOLD_VOLUME_NUMBERED, HOLD_VOLUME_RAR_PARTS, HOLD_VOLUME_RAR_OLD, HOLD_VOLUME_ZIP } HoldVolumeKind;

typedef struct {
  HoldVolumeKind kind;
  char *before;      /* path up to the number, or up to the dot of the suffix */
  char *after;       /* what follows the number */
  guint width;
  guint number;      /* of the part that was opened, from 0 */
  gboolean upper;
} HoldVolumeName;

/* @path: file-system bytes; what its name may mean. Thread: any. */
void     hold_volume_name_init  (const char *path, HoldVolumeName *name);
void     hold_volume_name_clear (HoldVolumeName *name);

/* (transfer full) (nullable): the path of part @i, from 0. @n_before_zip: ZIP: parts before the last. */
char    *hold_volume_name_dup_path (const HoldVolumeName *name, guint i, guint n_before_zip);

/* Is the opened file @fd really one of a set of this name?  Blocks: a few small reads. */
gboolean hold_volume_name_is_of_set (const HoldVolumeName *name, int fd);

/* The disk number of a ZIP end record in the last 64 KiB of @fd; 0 if there is none. */
guint    hold_volume_name_last_disk (int fd);

/* A descriptor of the regular file @path; -1 with errno. Never waits for a fifo. */
int      hold_volume_name_open (const char *path);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HoldVolumeName, hold_volume_name_clear)

G_END_DECLS
