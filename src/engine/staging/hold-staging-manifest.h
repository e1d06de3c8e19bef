/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What was put into a staging, told so exactly that another file in its place is not taken for
 * it. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-types.h"

G_BEGIN_DECLS

/* @path: below the payload, bytes. @is_folder, @is_file: neither is a symlink. */
typedef struct {
  char *path;
  gboolean is_folder;
  gboolean is_file;
  guint64 device;
  guint64 inode;
  guint64 size_bytes;
  gint64 mtime_ns;
} HoldStagedItem;

/* Parents before what is in them. (element-type HoldStagedItem) */
typedef GArray HoldStagingManifest;

/* Reads what lies below @payload_fd, following no links, and gives its owner the right to move it.
 * Errors: G_IO_ERROR. */
HoldStagingManifest *hold_staging_manifest_scan (int payload_fd, GError **error);
/* One save of @name at a time in a folder; what a broken off one leaves has the name of the PART. */
#define HOLD_STAGING_MANIFEST_PART "manifest.part"
gboolean hold_staging_manifest_save (HoldStagingManifest *self, int folder_fd, const char *name, GError **error);
/* Errors: G_IO_ERROR; INVALID_DATA for what is no manifest. */
HoldStagingManifest *hold_staging_manifest_load (int folder_fd, const char *name, GError **error);

/* Is it there no longer as it was recorded, but something else in its place? */
gboolean hold_staging_manifest_is_changed (const HoldStagedItem *item, int payload_fd);
/* Unlinks what is still the same, from the deepest up; folders only when empty, or nothing but those. */
void hold_staging_manifest_remove (HoldStagingManifest *self, int payload_fd, gboolean only_folders);
/* Drops all at and below the paths that @gone holds, whose depth is @depth. */
void hold_staging_manifest_drop   (HoldStagingManifest *self, GHashTable *gone, guint depth);

G_END_DECLS
