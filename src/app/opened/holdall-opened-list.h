/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* All entries that are open in other programs or, if they are archives, in windows of ours. */

#pragma once

#include "holdall-opened-entry.h"

G_BEGIN_DECLS

/**
 * HoldallOpenedList:
 *
 * The rule of how long a copy stays (O01, O03):
 *
 *   - as long as a window shows its archive, or shows the copy itself;
 *   - then as long as some process has it open: the program waits for that, without a window;
 *   - then it is removed, unless it is unsaved. With an unsaved one no window closes without an
 *     answer. What is changed after the last window is gone is asked about in a dialog.
 *
 * So the copy of a changed file goes only when its content is in the archive or the person has said
 * that it is not wanted. If the program dies, changed copies stay until their archive is opened
 * again, and ask then; the others are swept up later (HoldStaging).
 *
 * Signal "changed" (no arguments): something about an entry is different. Thread: main.
 */
#define HOLDALL_TYPE_OPENED_LIST (holdall_opened_list_get_type ())
G_DECLARE_FINAL_TYPE (HoldallOpenedList, holdall_opened_list, HOLDALL, OPENED_LIST, GObject)

/* @application: held while a copy is in use and no window shows its archive; borrowed */
HoldallOpenedList  *holdall_opened_list_new (GtkApplication *application, HoldallJobList *jobs);

/* The copy of that entry that is there already, changes included, or a new one. Borrowed. */
HoldallOpenedEntry *holdall_opened_list_add (HoldallOpenedList *self, HoldArchive *archive,
                                             guint index, HoldKeyring *keyring);
/* It could not be opened after all. */
void                holdall_opened_list_drop (HoldallOpenedList *self, HoldallOpenedEntry *entry);

/* A window shows @archive now. The first time that an archive is shown, changed copies that a crash
 * has left of its entries are found again, and ask. */
void                holdall_opened_list_follow (HoldallOpenedList *self, HoldArchive *archive,
                                                HoldKeyring *keyring);

/* The entry whose copy lies at @path. (nullable), borrowed */
HoldallOpenedEntry *holdall_opened_list_find_copy (HoldallOpenedList *self, const char *path);
/* "inner.zip in outer.zip" for the copy of an archive, else the name. (transfer full): for people */
char               *holdall_opened_list_dup_title (HoldallOpenedList *self, const char *path);
/* The archive on the person's disk that @path comes from; @path itself if it is no copy. (transfer
 * full) */
char               *holdall_opened_list_dup_outermost (HoldallOpenedList *self, const char *path);

/* Entries of the archive at @path, or if there are none the entry whose copy that is, which ask: as
 * many as one question can be about, which is one alone if it was changed in its archive, too.
 * (transfer full) (element-type HoldallOpenedEntry) */
GPtrArray          *holdall_opened_list_dup_asking (HoldallOpenedList *self, const char *path);
/* Looks at all copies now. */
void                holdall_opened_list_check (HoldallOpenedList *self);
/* What would lose its last window when @window closes, and is unsaved: as many as one question can be
 * about. (transfer full) */
GPtrArray          *holdall_opened_list_dup_unsaved (HoldallOpenedList *self, GtkWindow *window);

/* The program ends: removes what may be removed. */
void                holdall_opened_list_close (HoldallOpenedList *self);

G_END_DECLS
