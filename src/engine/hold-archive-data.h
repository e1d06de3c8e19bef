/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The fields of a snapshot, shared by the builder that fills them and the archive that answers from
 * them. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-archive-private.h"
#include "hold-tree-private.h"

G_BEGIN_DECLS

#define HOLD_N_CAPS 8

/* Entries lie in blocks, so that a growing list is never copied and never doubles its memory. */
#define HOLD_ENTRY_BLOCK 1024

typedef struct {
  char *path;
  const HoldFormat *format;
  GPtrArray *filters;         /* of char *, ended by NULL */
  guint64 size_bytes;
  GPtrArray *blocks;          /* of HoldEntry[HOLD_ENTRY_BLOCK] */
  guint n_entries;
  GStringChunk *strings;
  HoldTree *tree;
  char *comment;              /* (nullable) */
  char *encoding;             /* (nullable) */
  guint64 unpacked_bytes;
  gboolean is_size_complete;
  gboolean is_encrypted;
  HoldReport *report;
  GError *list_error;         /* (nullable) */
  guint generation;

  HoldCaps added_caps;
  HoldCaps removed_caps;
  HoldCaps caps;
  char *reasons[HOLD_N_CAPS]; /* (nullable) why this archive lacks what its format has */

  gboolean has_identity;
  HoldFileIdentity identity;
  const HoldBackend *backend; /* (nullable): only in tests */
  gpointer backend_data;
} HoldArchiveData;

HoldArchiveData *_hold_archive_data_new         (const char *path);
void             _hold_archive_data_free        (HoldArchiveData *data);
HoldEntry       *_hold_archive_data_add_entry   (HoldArchiveData *data);
HoldEntry       *_hold_archive_data_get_entry   (const HoldArchiveData *data, guint index);
void             _hold_archive_data_remove_caps (HoldArchiveData *data, HoldCaps caps, const char *why);
/* From the format, what the backend added and removed, and whether file and folder are writable. */
void             _hold_archive_data_decide_caps (HoldArchiveData *data);

/* Takes @data. */
HoldArchive     *_hold_archive_new              (HoldArchiveData *data);

G_END_DECLS
