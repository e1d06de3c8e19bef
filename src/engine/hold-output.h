/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The one way in which an archive comes to be or is changed: a new file beside the target that
 * becomes the target in a single rename, or goes without a trace. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-archive-private.h"

G_BEGIN_DECLS

/**
 * HoldOutput:
 *
 * A transaction on one file. Calling sequence:
 *
 *   output = hold_output_new_replace (path, identity, &error);   // or hold_output_new_create()
 *   … write through hold_output_get_fd(), verify what was written by reading the same descriptor …
 *   hold_output_commit (output, report, &error);
 *   hold_output_free (output);                                   // rolls back unless committed
 *
 * The new content lies in ".NAME.holdall-part" in the target's own folder (so that the rename
 * stays within one file
 * system), locked with flock while its writer lives. That name is the lock between writers too: of
 * two programs that
 * change one archive the second is told G_IO_ERROR_BUSY. What a killed writer left is recognised
 * by the missing lock and
 * removed by the next one, or by hold_output_sweep().
 *
 * If the target is a symlink, the file it leads to is replaced and the link stays (W04).
 * Permission bits, ACL and
 * user.* attributes are kept, the owner where the system allows it (W03).
 *
 * Failure: at any step before the rename the target is untouched, byte for byte. Thread: one at a
 * time.
 */
typedef struct _HoldOutput HoldOutput;

/* @expected: the file must still be that one (HOLD_ERROR_CHANGED_ON_DISK); checked again at commit.
 *   Blocks: yes.
 * Errors: G_IO_ERROR (BUSY: somebody else is writing), HOLD_ERROR_READ_ONLY (the folder does not
 *   take new files). */
HoldOutput *hold_output_new_replace (const char              *path,
                                     const HoldFileIdentity  *expected,
                                     GError                 **error);

/* A file that does not exist yet; with @overwrite it may. Errors: as above, G_IO_ERROR_EXISTS. */
HoldOutput *hold_output_new_create  (const char  *path,
                                     gboolean     overwrite,
                                     GError     **error);

/* For reading and writing, borrowed, at offset 0 after new. */
int         hold_output_get_fd      (HoldOutput *self);

/* A descriptor of the old file, for reading, which keeps its content when the name goes to the new
 * one. -1 for a new file, or once it was stolen. (transfer full) */
int         hold_output_steal_old_fd (HoldOutput *self);

/* How many names the old file has: over 1 means that the others keep the old content. 0 for a new
 * file. */
guint       hold_output_get_n_links (HoldOutput *self);

/* fsync, check, rename, fsync of the folder. After the rename only warnings are possible; they go
 * to @report. */
gboolean    hold_output_commit      (HoldOutput  *self,
                                     HoldReport  *report,
                                     GError     **error);

/* Rolls back unless committed. */
void        hold_output_free        (HoldOutput *self);

/* Removes what a killed writer of @path left beside it; never an error. Blocks: a few system
 * calls. */
void        hold_output_sweep       (const char *path);

/* write(2) until all is written; retries EINTR and short writes. Errors: G_IO_ERROR, with @what in
 * the message. */
gboolean    hold_output_write_all   (int            fd,
                                     const guint8  *data,
                                     gsize          length_bytes,
                                     const char    *what,
                                     GError       **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldOutput, hold_output_free)

G_END_DECLS
