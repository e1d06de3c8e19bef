/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A file that is open while it is read, and closed while nobody does: an open one would keep its disk
 * from being ejected, for as long as a window shows what is in it. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-archive-private.h"

G_BEGIN_DECLS

typedef struct _HoldLentFile HoldLentFile;

/**
 * hold_lent_file_new:
 * @path: absolute: where it is found again
 * @fd: open for reading; taken, also if this fails
 *
 * Thread: any. Blocks: one fstat. Errors: G_IO_ERROR.
 */
HoldLentFile *hold_lent_file_new   (const char *path, int fd, GError **error);
HoldLentFile *hold_lent_file_ref   (HoldLentFile *self);
void          hold_lent_file_unref (HoldLentFile *self);

/* What it was when it was opened; borrowed. */
const HoldFileIdentity *hold_lent_file_get_identity (HoldLentFile *self);

/**
 * hold_lent_file_lend:
 *
 * A descriptor that stays open until hold_lent_file_give_back(); its offset means nothing. Any number of
 * threads may have it at once. Thread: any. Blocks: where it must be opened again. Returns: -1 with
 * @error: HOLD_ERROR_CHANGED_ON_DISK: another file lies there now, or it was changed; G_IO_ERROR.
 */
int           hold_lent_file_lend      (HoldLentFile *self, GError **error);
void          hold_lent_file_give_back (HoldLentFile *self);

/**
 * hold_lent_files_rest:
 * @also_lost: also those that could not be opened again, since another file has taken their name or
 * nobody has; not while a job runs, which may be reading one. None begins with what is no longer there.
 *
 * Closes all that nobody has borrowed at the moment, but for what is no plain file. Who reads notices
 * nothing. Thread: any but the main one. Blocks: one open for each.
 */
void          hold_lent_files_rest (gboolean also_lost);

/* Around each job, in its thread. Blocks: no. */
void          hold_lent_files_begin_job (void);
void          hold_lent_files_end_job   (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldLentFile, hold_lent_file_unref)

G_END_DECLS
