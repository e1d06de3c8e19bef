/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What tests of the backends share: a folder to put archives into, and one pass over an archive
 * that remembers everything. */

#pragma once

#include "hold-backend.h"

typedef struct {
  char *dir;
} Box;

void  box_init  (Box *box);
void  box_clear (Box *box);
/* Writes a file into the folder; (transfer full) its path. */
char *box_put   (Box *box, const char *name, const void *bytes, gsize length);
char *box_path  (Box *box, const char *name);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Box, box_clear)

/* One entry as a pass saw it. Holes are filled. */
typedef struct {
  gboolean seen;
  GByteArray *content;
  GError *error;       /* (nullable) */
} Seen;

typedef struct {
  GPtrArray *entries;  /* of Seen, one per entry of the archive */
  GError *error;       /* (nullable): the pass itself failed */
  guint64 consumed;    /* the highest that was told */
} Pass;

/* @indices NULL: all. @passwords: (nullable): blank-separated. */
Pass *pass_run  (HoldArchive *archive, const guint *indices, guint n_indices, const char *passwords,
                 GCancellable *cancellable);
void  pass_free (Pass *pass);
const Seen *pass_get (const Pass *pass, guint index);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Pass, pass_free)

HoldArchive *open_archive (const char *path, GError **error);

/* The entry's content must be exactly this text. */
#define assert_content(pass, index, text) \
  G_STMT_START { \
    const Seen *seen_ = pass_get (pass, index); \
    g_assert_no_error (seen_->error); \
    g_assert_true (seen_->seen); \
    g_assert_cmpmem (seen_->content->data, seen_->content->len, text, strlen (text)); \
  } G_STMT_END
