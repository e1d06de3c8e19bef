/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Gets the files that another program has put on the clipboard or drops: which format is asked for,
 * in which order, and what is done if the paths in it are of no use here. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Is there something to ask for? */
gboolean   holdall_file_list_is_offered  (GdkContentFormats *formats);

/**
 * holdall_file_list_paste_async:
 *
 * Reads @clipboard. Whatever is there is read once: some file managers serve a cut only once.
 * Thread: main. Blocks: no. Errors: G_IO_ERROR.
 */
void       holdall_file_list_paste_async (GdkClipboard *clipboard, GCancellable *cancellable,
                                          GAsyncReadyCallback callback, gpointer user_data);
/* Likewise, of a drop. @time: of the event by which it was dropped. */
void       holdall_file_list_drop_async  (GdkDrop *drop, guint32 time, GCancellable *cancellable,
                                          GAsyncReadyCallback callback, gpointer user_data);
/* (transfer full) (nullable): of GFile, maybe none. @is_cut: (out) (optional): the other program
 * wants them gone from where they are. */
GPtrArray *holdall_file_list_finish      (GAsyncResult *result, gboolean *is_cut, GError **error);

G_END_DECLS
