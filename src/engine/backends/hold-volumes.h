/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* An archive's bytes, wherever they lie: one file, or the parts of a split set read as one long
 * file. Parts are found beside the file that was opened, whichever of them it was. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-archive-private.h"

G_BEGIN_DECLS

/* How many parts a set may have: each has a descriptor while it is read, of which a process has 1,024
 * by default. */
#define HOLD_VOLUMES_MAX 512

/* Immutable once opened, though its files may be closed while nobody reads; refcounted. Thread: any,
 * also at once. */
typedef struct _HoldVolumes HoldVolumes;

/**
 * hold_volumes_open:
 * @path: absolute, file-system encoding
 * @fd: open for reading; duplicated
 *
 * Knows NAME.001 …, NAME.part1.rar …, NAME.rar with NAME.r00 …, and NAME.zip with NAME.z01 …. A
 * name alone makes no set: the other parts must exist, or the content must say that it is one.
 * A missing part does not fail here; see hold_volumes_get_missing().
 *
 * Blocks: yes.  Errors: G_IO_ERROR; HOLD_ERROR_TRUNCATED if the first part is missing.
 */
HoldVolumes *hold_volumes_open  (const char *path, int fd, GError **error);
/* A single file as if it began at @offset bytes, which lies inside it. (transfer full)  Blocks: no. */
HoldVolumes *hold_volumes_new_behind (HoldVolumes *self, guint64 offset);
HoldVolumes *hold_volumes_ref   (HoldVolumes *self);
void         hold_volumes_unref (HoldVolumes *self);

guint64      hold_volumes_get_size    (HoldVolumes *self);   /* bytes of all parts */
guint        hold_volumes_get_n_parts (HoldVolumes *self);
/* Where part @i < n_parts begins, in bytes. */
guint64      hold_volumes_get_start   (HoldVolumes *self, guint i);
/* The descriptor of part @i until it is given back; its own offsets, not those of new_behind(). -1 with
 * @error, as hold_lent_file_lend(). */
int          hold_volumes_lend_fd     (HoldVolumes *self, guint i, GError **error);
void         hold_volumes_give_back_fd (HoldVolumes *self, guint i);
/* The first part's path; borrowed. */
const char  *hold_volumes_get_first_path (HoldVolumes *self);
/* (nullable): the file name of a part that must be there and is not. */
const char  *hold_volumes_get_missing (HoldVolumes *self);

/**
 * hold_volumes_read:
 * @offset: bytes from the start of the first part
 * @n_read: (out): fewer than @length only where the last part ends
 *
 * Blocks: yes.  Errors: G_IO_ERROR.
 */
gboolean hold_volumes_read (HoldVolumes *self, guint64 offset, void *buffer, gsize length,
                            gsize *n_read, GError **error);

/* Are all parts still what was opened?  Errors: HOLD_ERROR_CHANGED_ON_DISK. */
gboolean hold_volumes_check_unchanged (HoldVolumes *self, GError **error);

/* Is the file of that number on that device one of the parts, by whatever name?  Blocks: no. */
gboolean hold_volumes_has_file (HoldVolumes *self, guint64 device, guint64 inode);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldVolumes, hold_volumes_unref)

G_END_DECLS
