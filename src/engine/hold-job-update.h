/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Every edit of an archive: delete, rename, new folder, add, copy in. Any number of them costs one
 * rewrite. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-archive.h"
#include "hold-job.h"
#include "hold-keyring.h"

G_BEGIN_DECLS

/**
 * HoldUpdateRequest:
 *
 * A list of edits, applied in the order in which they were put in; each sees the result of those
 * before. One that can't
 * be done (nothing of that name, the name is taken) is listed in the job's report and the others
 * are done. Built on one
 * thread, then handed over to the job.
 */
typedef struct _HoldUpdateRequest HoldUpdateRequest;

HoldUpdateRequest *hold_update_request_new  (HoldArchive *archive);
void               hold_update_request_free (HoldUpdateRequest *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldUpdateRequest, hold_update_request_free)

/* Paths as hold_entry_get_path() gives them. A folder is meant with all below it. */
void hold_update_request_delete       (HoldUpdateRequest *self, const char *path);
void hold_update_request_delete_index (HoldUpdateRequest *self, guint index);
void hold_update_request_rename       (HoldUpdateRequest *self, const char *old_path, const char *new_path);
/* One entry, also where several have its name. @index: of the request's archive. */
void hold_update_request_rename_index (HoldUpdateRequest *self, guint index, const char *new_path);
void hold_update_request_make_folder  (HoldUpdateRequest *self, const char *path);
/* A file or folder from disk (file-system encoding), put under its own name into the folder @into
 * ("" for the root). */
void hold_update_request_add          (HoldUpdateRequest *self, const char *disk_path, const char *into);
/**
 * hold_update_request_replace:
 * @index: of a file of the request's archive
 * @disk_path: absolute, file-system encoding: a regular file
 *
 * Gives the entry the content and the time of the file; it keeps its place, its path, also when it
 * was renamed meanwhile, its permissions, and it stays encrypted if it was (with the password that opens
 * it; one that the keyring does not have is asked for). If the entry is gone by then, the file is added
 * under its old path.
 */
void hold_update_request_replace      (HoldUpdateRequest *self, guint index, const char *disk_path);
/* Entries of another archive, relative to its folder @base, as they are where the formats allow.
 * @base itself, if it is among them, becomes @into. @indices: sorted, copied. */
void hold_update_request_copy         (HoldUpdateRequest *self, HoldArchive *from, GArray *indices,
                                       const char *base, const char *into);

/* What to do when a name that is added is taken: SKIP (default), OVERWRITE, NEWER, RENAME, or
 * ASK. */
void hold_update_request_set_conflict (HoldUpdateRequest *self, HoldConflict conflict);
/* TRUE: what was added from disk is taken away there once the new archive is complete, verified and
 * on the disk: a file only if nothing was reported of it and it is still the one that was read, a
 * folder only if nothing is left in it. What stays is a WARNING of the report with its path on
 * disk. Links are never followed. */
void hold_update_request_set_move     (HoldUpdateRequest *self, gboolean move);
/* -1: the format's default. */
void hold_update_request_set_level    (HoldUpdateRequest *self, int level);
/* Files that are added to an archive which is encrypted throughout (hold_archive_is_all_encrypted())
 * are encrypted as well (AES-256), with the password that opens what is in it; one that the keyring
 * does not have is asked for before anything is packed. TRUE: they are not, and nobody is asked. In an
 * archive that holds both, what is added is never encrypted; what hold_update_request_replace() puts in the
 * place of something encrypted always is. Encrypted entries of other archives stay as they are, under their own password. */
void hold_update_request_set_in_the_clear (HoldUpdateRequest *self, gboolean in_the_clear);
/* Passwords to try; gets the answers. */
void hold_update_request_set_keyring  (HoldUpdateRequest *self, HoldKeyring *keyring);

#define HOLD_TYPE_UPDATE_JOB (hold_update_job_get_type ())
G_DECLARE_FINAL_TYPE (HoldUpdateJob, hold_update_job, HOLD, UPDATE_JOB, HoldJob)

/* Takes @request. Verb "update". While it is queued behind another job of the same archive, the
 * edits of further update jobs are joined to it: they share its rewrite and each ends with its own
 * report. */
HoldUpdateJob *hold_update_job_new         (HoldUpdateRequest *request);
/* The snapshot that the edits are of. Borrowed. */
HoldArchive   *hold_update_job_get_source  (HoldUpdateJob *self);
/* The snapshot after the edits; the one before if nothing had to be written. Borrowed; NULL until
 * DONE. */
HoldArchive   *hold_update_job_get_archive (HoldUpdateJob *self);
/* Files and folders that a move has taken away from the disk. */
guint          hold_update_job_get_n_taken (HoldUpdateJob *self);
/* Which entries of @from are in the new archive now, whole and verified; of folders those of which
 * all that was to be copied has arrived. Sorted. (transfer full): of guint; empty until DONE. */
GArray        *hold_update_job_dup_arrived (HoldUpdateJob *self, HoldArchive *from);

G_END_DECLS
