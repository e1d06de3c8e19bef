/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What the watch over a staging needs to know of it. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-staging.h"
#include "hold-staging-manifest.h"

G_BEGIN_DECLS

/* Borrowed. */
HoldStagingManifest *_hold_staging_get_manifest   (HoldStaging *self);
int                  _hold_staging_get_payload_fd (HoldStaging *self);
int                  _hold_staging_get_folder_fd  (HoldStaging *self);
/* Takes over the staging of an owner that is gone; NULL if it lives, is younger than that, or if this
 * is no staging of ours. */
HoldStaging         *_hold_staging_adopt          (const char *folder, guint min_age_seconds);
/* Name of a file beside the manifest: where the payload comes from. */
#define HOLD_STAGING_ORIGIN "origin"
/* Writes the manifest as it is now. Errors: G_IO_ERROR. */
gboolean             _hold_staging_save_manifest  (HoldStaging *self, GError **error);
/* Is @path, below the payload, that of an item? */
gboolean             _hold_staging_is_item        (HoldStaging *self, const char *path);

G_END_DECLS
