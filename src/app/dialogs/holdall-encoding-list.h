/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The encodings that names of old archives come in, how an archive's names would read in each, and
 * which one was chosen for an archive before. */

#pragma once

#include <gio/gio.h>
#include <hold.h>

G_BEGIN_DECLS

/**
 * HoldallEncoding:
 * @charset: for iconv and for "win.encoding"; "" lets the engine guess
 * @title: untranslated; use _()
 */
typedef struct {
  const char *charset;
  const char *title;
} HoldallEncoding;

/* All: Thread: main. Blocks: no. */

/* The guess comes first. Static. */
const HoldallEncoding *holdall_encoding_table (guint *n_encodings);

/* (transfer full): up to @max_names names of @archive that depend on the encoding, as GBytes as they
 * are stored, each once. */
GPtrArray *holdall_encoding_dup_samples (HoldArchive *archive, guint max_names);
/* (nullable) (transfer full): how @name reads in @charset, escaped for display; NULL if it can't be
 * read so. */
char      *holdall_encoding_read (GBytes *name, const char *charset);

/* What was chosen for the names of @file. (nullable) (transfer full) */
char *holdall_encoding_recall   (GSettings *settings, GFile *file);
/* @charset: "" forgets. The oldest of many are forgotten too. */
void  holdall_encoding_remember (GSettings *settings, GFile *file, const char *charset);

G_END_DECLS
