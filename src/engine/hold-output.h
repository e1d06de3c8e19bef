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

/* Told of each stretch of @n_bytes that was copied; FALSE with @error stops. */
typedef gboolean (*HoldOutputMoved) (gpointer user_data, guint64 n_bytes, GError **error);

/**
 * hold_output_set_volumes:
 * @self: from hold_output_new_create()
 * @volume_bytes: at least %HOLD_VOLUME_MIN_BYTES
 * @moved: told while hold_output_commit() copies, by its thread
 *
 * If the archive comes to more than @volume_bytes, hold_output_commit() makes a set of it: NAME.001
 * and so on, each of that size and the last one of what is left, as 7-Zip does with -v; they are
 * the archive's bytes in their order. They are never put in the place of other files.
 *
 * The room of one volume is needed beside the archive, since what was copied is cut off. The first
 * volume gets its name last: a set without it is no set, whenever the program is killed.
 *
 * Blocks: a few system calls. Errors: G_IO_ERROR_INVALID_ARGUMENT, G_IO_ERROR_EXISTS.
 */
gboolean    hold_output_set_volumes (HoldOutput       *self,
                                     guint64           volume_bytes,
                                     HoldOutputMoved   moved,
                                     gpointer          user_data,
                                     GError          **error);

/* How many bytes commit will copy into volumes, as the file is now; FALSE if it has come to more
 * volumes than can be read again. */
gboolean    hold_output_check_volumes (HoldOutput  *self,
                                       guint64     *copy_bytes,
                                       GError     **error);

/* What was committed: the target, or the first of its volumes. (transfer full) */
char       *hold_output_dup_path    (HoldOutput *self);

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
