/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* One archive, shown as a folder. A window holds what it shows (archive, folder, selection),
 * never what is being done (jobs belong to the application) or how to say it. */

#pragma once

#include <adwaita.h>
#include <hold.h>

#include "holdall-application.h"

G_BEGIN_DECLS

#define HOLDALL_TYPE_WINDOW (holdall_window_get_type ())
G_DECLARE_FINAL_TYPE (HoldallWindow, holdall_window, HOLDALL, WINDOW, AdwApplicationWindow)

/* All: Thread: main. Blocks: no. */
HoldallWindow *holdall_window_new          (HoldallApplication *application);

/* Starts to open @file; what was shown stays until the new list is read. Errors end as a page in
 * the window. */
void           holdall_window_open         (HoldallWindow *self, GFile *file);
/* TRUE if nothing is shown or being opened, so that a file may be opened here. */
gboolean       holdall_window_is_vacant    (HoldallWindow *self);
/* Shows @archive instead of the present one and keeps folder, selection and scroll position by
 * path. */
void           holdall_window_set_archive  (HoldallWindow *self, HoldArchive *archive);

HoldArchive   *holdall_window_get_archive  (HoldallWindow *self);  /* (nullable), borrowed */
/* (nullable), borrowed: what is shown, is being opened, or could not be opened */
GFile         *holdall_window_get_file     (HoldallWindow *self);
HoldKeyring   *holdall_window_get_keyring  (HoldallWindow *self);  /* borrowed, never NULL */
/* The folder that is shown, "" for the top and while results of a search (which come from
 * everywhere) are shown. Borrowed. */
const char    *holdall_window_get_folder   (HoldallWindow *self);
/* (nullable) (transfer full): indices of the selected entries and of all below selected folders,
 * sorted and unique; NULL if nothing is selected. */
GArray        *holdall_window_dup_selection (HoldallWindow *self);
/* (transfer full): NULL-terminated paths of the selected rows, maybe none. */
char         **holdall_window_dup_selected_paths (HoldallWindow *self);

/* Says @markup, as it is shown elsewhere, to whoever listens with a screen reader. */
void           holdall_window_announce     (HoldallWindow *self, const char *markup);
/* Takes @toast. */
void           holdall_window_show_toast   (HoldallWindow *self, AdwToast *toast);

/* For an answer that may come when the window is closed: a weak reference to it, and what has become
 * of it by then, (transfer full) (nullable); the second frees the first. */
gpointer       holdall_window_new_weak     (HoldallWindow *self);
HoldallWindow *holdall_window_take_weak    (gpointer weak);

G_END_DECLS
