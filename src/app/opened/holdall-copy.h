/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A single file taken out of an archive into a private place, fit to be handed to another program. */

#pragma once

#include <gtk/gtk.h>
#include <hold.h>

#include "holdall-job-list.h"
#include "holdall-open-kind.h"

G_BEGIN_DECLS

/* The folder for private copies can't be made or written to (O04). */
#define HOLDALL_COPY_ERROR (holdall_copy_error_quark ())
#define HOLDALL_COPY_ERROR_NO_PLACE 1
GQuark holdall_copy_error_quark (void);

/* @path: absolute, of a regular file: mode 0600, or 0400 if the archive can't take changes; never
 *   executable. */
typedef struct {
  HoldStaging *staging;
  char *path;
  char *content_type;
  HoldallOpenKind kind;
} HoldallCopy;

/* Leaves the files to whoever cleans the staging. */
void         holdall_copy_free (HoldallCopy *self);

/**
 * holdall_copy_make_async:
 * @index: of a file in @archive
 * @parent: (nullable): where a password is asked for
 * @cancellable: stops the extraction
 *
 * By a job of @jobs, so that it shows how far it is and can be cancelled (G02). Thread: main.
 * Blocks: no. Errors: G_IO_ERROR, HOLDALL_COPY_ERROR, those of the job and of the entry; then nothing
 * is left on disk.
 */
void         holdall_copy_make_async (HoldArchive *archive, guint index, HoldKeyring *keyring,
                                      HoldallJobList *jobs, GtkWindow *parent,
                                      GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer user_data);
/* What an earlier run of the program has left behind; takes both. Thread: any. Blocks: shortly. */
HoldallCopy *holdall_copy_new_left   (HoldStaging *staging, char *path);
HoldallCopy *holdall_copy_finish     (GAsyncResult *result, GError **error);

G_END_DECLS
