/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Whether files are there and what they are, without the window waiting for the answer: a disk of
 * another machine may never give one. */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * holdall_file_ask_async:
 * @files: of GFile; must not be changed until the answer
 *
 * Looks at each of @files, through symlinks. Thread: main. Blocks: no. Errors: G_IO_ERROR: CANCELLED
 * if the answer takes longer than a person would wait.
 */
void     holdall_file_ask_async  (GPtrArray *files, GAsyncReadyCallback callback, gpointer user_data);
/* @n_found, @n_folders: (out) (optional): how many are there, and how many of these are folders; only
 * set if it returns TRUE. */
gboolean holdall_file_ask_finish (GAsyncResult *result, guint *n_found, guint *n_folders,
                                  GError **error);

G_END_DECLS
