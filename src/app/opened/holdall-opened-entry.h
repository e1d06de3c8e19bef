/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* One entry of an archive that another program has open: its private copy, and whether what was done
 * to that is in the archive yet. */

#pragma once

#include <gtk/gtk.h>
#include <hold.h>

#include "holdall-job-list.h"
#include "holdall-open-kind.h"

G_BEGIN_DECLS

/**
 * HoldallOpenedEntry:
 *
 * The copy lies alone in a folder that only its owner can look into (HoldStaging). Not the program
 * that has it is watched but the file, since a program may hand it to one that runs already, or save
 * by putting a new file in its place (O07). When it has not been touched for a second, the signal
 * "changed" (no arguments) tells that something about it is different now; however often a program
 * writes while it saves, that is one question (O02).
 *
 * A copy is "unsaved" from the first change until the archive has that very content. It is removed by
 * holdall_opened_entry_remove() only, and an unsaved one not even by that.
 *
 * Thread: main.
 */
#define HOLDALL_TYPE_OPENED_ENTRY (holdall_opened_entry_get_type ())
G_DECLARE_FINAL_TYPE (HoldallOpenedEntry, holdall_opened_entry, HOLDALL, OPENED_ENTRY, GObject)

/**
 * holdall_opened_entry_new:
 * @index: of a file in @archive
 * @keyring: passwords
 * @jobs: where it is extracted; must outlive the entry
 */
HoldallOpenedEntry *holdall_opened_entry_new (HoldArchive *archive, guint index,
                                              HoldKeyring *keyring, HoldallJobList *jobs);

/* A copy that an earlier run of the program has left, with changes that may not be in @archive: it is
 * unsaved, and asks. Takes the content of @left. */
HoldallOpenedEntry *holdall_opened_entry_new_left (HoldArchive *archive, HoldStagingLeft *left,
                                                   HoldKeyring *keyring, HoldallJobList *jobs);

/* Makes the copy, if it is not there yet. @parent: (nullable): where a password is asked for. Errors:
 * those of the extraction; cancelled; PENDING: it is being made already. */
void     holdall_opened_entry_prepare_async  (HoldallOpenedEntry *self, GtkWindow *parent,
                                              GAsyncReadyCallback callback, gpointer user_data);
gboolean holdall_opened_entry_prepare_finish (HoldallOpenedEntry *self, GAsyncResult *result,
                                              GError **error);
/* Stops what still makes the copy. */
void     holdall_opened_entry_cancel         (HoldallOpenedEntry *self);

HoldArchive     *holdall_opened_entry_get_archive (HoldallOpenedEntry *self);  /* borrowed */
/* G_MAXUINT if it was deleted from the archive. */
guint            holdall_opened_entry_get_index   (HoldallOpenedEntry *self);
HoldKeyring     *holdall_opened_entry_get_keyring (HoldallOpenedEntry *self);  /* borrowed */
/* In the archive, where it is or was last. Borrowed. */
const char      *holdall_opened_entry_get_path    (HoldallOpenedEntry *self);
const char      *holdall_opened_entry_get_name    (HoldallOpenedEntry *self);  /* for people; borrowed */
/* These three: once prepared. Borrowed; the path is absolute. */
const char      *holdall_opened_entry_get_copy    (HoldallOpenedEntry *self);  /* (nullable) before */
const char      *holdall_opened_entry_get_content_type (HoldallOpenedEntry *self);
HoldallOpenKind  holdall_opened_entry_get_kind    (HoldallOpenedEntry *self);
/* (nullable): why the archive can't take changes, in the engine's words. */
const char      *holdall_opened_entry_get_why_read_only (HoldallOpenedEntry *self);

/* The archive as it is now, after an edit of ours or because it was read again. */
void     holdall_opened_entry_follow          (HoldallOpenedEntry *self, HoldArchive *archive);
/* Somebody else has changed this entry in the archive since it was opened. */
gboolean holdall_opened_entry_has_rival       (HoldallOpenedEntry *self);

/* Looks at the copy now, instead of when it has rested. */
void     holdall_opened_entry_check           (HoldallOpenedEntry *self);
gboolean holdall_opened_entry_is_busy         (HoldallOpenedEntry *self);  /* extracted or put back */
/* Somebody has moved the copy away or deleted it; what it was is to be had from the archive only. */
gboolean holdall_opened_entry_is_lost         (HoldallOpenedEntry *self);
gboolean holdall_opened_entry_is_unsaved      (HoldallOpenedEntry *self);
/* Unsaved, and nobody has answered for this change yet. */
gboolean holdall_opened_entry_is_asking       (HoldallOpenedEntry *self);
/* "Not now": the next change asks again. */
void     holdall_opened_entry_put_off         (HoldallOpenedEntry *self);
/* @job, which puts the copy into the archive, is about to start. What comes of it shows in the
 * state; what can't be done, or never starts, leaves the copy unsaved. */
void     holdall_opened_entry_begin_update    (HoldallOpenedEntry *self, HoldUpdateJob *job);
/* Another number for every content of the copy that was looked at. */
guint    holdall_opened_entry_get_version     (HoldallOpenedEntry *self);
/* The content that was last looked at is safe elsewhere, or not wanted. A newer one is a change of its
 * own. */
void     holdall_opened_entry_settle          (HoldallOpenedEntry *self);

/* Some process has it open. Blocks: shortly. */
gboolean holdall_opened_entry_is_in_use       (HoldallOpenedEntry *self);
/* Removes the copy as far as it is ours and not unsaved. Blocks: shortly. */
void     holdall_opened_entry_remove          (HoldallOpenedEntry *self);

G_END_DECLS
