/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Files on other machines and in places without a path (X14): mounted if need be, and brought here
 * where the system gives them no path. */

#pragma once

#include <gtk/gtk.h>
#include <hold.h>

#include "holdall-job-list.h"

G_BEGIN_DECLS

/**
 * holdall_remote_reach_async:
 * @file: what has no path, as g_file_peek_path() says
 * @jobs: where the copy is made, so that it shows how far it is and can be cancelled
 * @parent: (nullable): where the system asks for a password
 * @cancellable: ends the asking, the mounting and the copying
 *
 * Finds a file with a path that is @file: what the place itself says (an item of the trash or of the
 * recent files), the path that the system gives to a mounted place, or else a private copy. Thread:
 * main. Blocks: no. Errors: G_IO_ERROR: NOT_MOUNTED if nothing here can reach it.
 */
void   holdall_remote_reach_async  (GFile *file, HoldallJobList *jobs, GtkWindow *parent,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer user_data);
/* (transfer full) (nullable): has a path. A private copy goes with the last reference to it. */
GFile *holdall_remote_reach_finish (GAsyncResult *result, GError **error);

/* (nullable), borrowed: what @file was fetched from; NULL if it is no copy of that kind. */
GFile *holdall_remote_peek_origin  (GFile *file);
/* The copy stays as long as @user, which reads it by its path. No effect on other files. */
void   holdall_remote_keep_for     (GFile *file, GObject *user);

/* NOT_MOUNTED: @file, which may be a folder, has no path that could be used. (transfer full) */
GError *holdall_remote_create_error (GFile *file);

G_END_DECLS
