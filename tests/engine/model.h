/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Snapshots from a list of names, for tests of the builder, the tree and the charsets. */

#pragma once

#include "hold-archive-private.h"

G_BEGIN_DECLS

typedef enum {
  MODEL_UTF8 = 1 << 0,  /* declared UTF-8 */
  MODEL_DOS = 1 << 1,   /* made where "\" separates */
} ModelFlags;

/* @name: bytes up to the NUL. A trailing "/" makes a folder, @link a symlink. @size < 0: not
 *   recorded. */
typedef struct {
  const char *name;
  ModelFlags flags;
  gint64 size;
  const char *link;
} ModelItem;

HoldArchiveBuilder *model_builder_new (const char *encoding, const HoldLimits *limits);
void                model_add         (HoldArchiveBuilder *builder, const ModelItem *item);
void                model_add_bytes   (HoldArchiveBuilder *builder, const char *bytes, gsize length, ModelFlags flags);
HoldArchive        *model_finish      (HoldArchiveBuilder *builder);

/* @items end with a NULL name. (transfer full) */
HoldArchive        *model_archive     (const char *encoding, const ModelItem *items);

const char         *model_path        (HoldArchive *archive, guint index);

G_END_DECLS
