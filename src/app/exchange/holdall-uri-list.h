/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Lists of files as other programs put them on the clipboard or into a drop. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The formats that are understood, the best first; NULL-terminated. Exactly one may be read: some
 * file managers serve a cut only once. */
const char * const *holdall_uri_list_get_formats (void);

/**
 * holdall_uri_list_parse:
 * @text: @length bytes of one of the formats: text/uri-list, or "cut" or "copy" and then a URI a line
 * @is_cut: (out) (optional)
 *
 * Returns: (transfer full): of GFile, maybe none. Thread: any.
 */
GPtrArray *holdall_uri_list_parse (const char *text, gsize length, gboolean *is_cut);

/* Reads @input to its end and parses it. Blocks: no. Errors: G_IO_ERROR. */
void       holdall_uri_list_read_async  (GInputStream *input, GCancellable *cancellable,
                                         GAsyncReadyCallback callback, gpointer user_data);
/* (transfer full) (nullable): of GFile */
GPtrArray *holdall_uri_list_read_finish (GAsyncResult *result, gboolean *is_cut, GError **error);

G_END_DECLS
