/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Reads the beginning of one entry, or a picture on the disk, off the main thread, and makes of it
 * what can be looked at. */

#pragma once

#include <gdk/gdk.h>
#include <hold.h>

G_BEGIN_DECLS

typedef struct {
  GdkTexture *texture;  /* (nullable): a picture, scaled down */
  char *text;           /* (nullable): the beginning of a text, UTF-8 */
  gboolean is_cut;      /* the text goes on */
} HoldallPreviewContent;

void holdall_preview_content_free (HoldallPreviewContent *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldallPreviewContent, holdall_preview_content_free)

/* FALSE where a look would cost too much (an entry deep in a big solid archive) or can show
 * nothing. */
gboolean               holdall_preview_can_load    (HoldArchive *archive, HoldNode *node, HoldKeyring *keyring);
void                   holdall_preview_load_async  (HoldArchive        *archive,
                                                    HoldNode           *node,
                                                    HoldKeyring        *keyring,
                                                    GCancellable       *cancellable,
                                                    GAsyncReadyCallback callback,
                                                    gpointer            user_data);
/* @path: of a file on the disk, a picture by its name. What is not one, or too large, is an empty content. */
void                   holdall_preview_load_file_async (const char         *path,
                                                        GCancellable       *cancellable,
                                                        GAsyncReadyCallback callback,
                                                        gpointer            user_data);
/* Of both. (nullable): NULL with @error when it could not be read; an empty content when it is neither text
 * nor picture. */
HoldallPreviewContent *holdall_preview_load_finish (GAsyncResult *result, GError **error);

G_END_DECLS
