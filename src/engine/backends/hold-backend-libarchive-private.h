/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What the files of the libarchive backend share. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-backend.h"
#include "hold-libarchive-stream.h"

G_BEGIN_DECLS

/* Kept with the snapshot: the open files, so that an archive that is moved stays readable (W10),
 * and how they were understood. */
typedef struct {
  HoldVolumes *volumes;
  HoldLibarchiveMode mode;
  char *raw_name;              /* RAW: bytes; what the only entry is called */
  gboolean has_mtime;          /* RAW, gzip */
  gint64 mtime;
} HoldLibarchiveData;

/* Fills @entry, @name and @link from what libarchive read; the bytes are borrowed from @from.
 * @link->bytes is NULL where there is none. */
void _hold_libarchive_fill_entry (struct archive *archive, struct archive_entry *from,
                                  HoldEntry *entry, HoldNameSource *name, HoldNameSource *link);

/* The name for what is inside a compressed file: @path's base name less the suffix of each of its
 * filters ("x.txt.gz" → "x.txt", "x.tgz" → "x.tar"). (transfer full) file-system bytes. */
char *_hold_libarchive_dup_raw_name (const char *path, struct archive *archive, gboolean gunzipped);

/* Names the format of what was read, with its filters. Never NULL. */
const HoldFormat *_hold_libarchive_identify (struct archive *archive, gboolean gunzipped, gboolean raw,
                                             const char *first_name);

/* cpio: entries that are added when all of them are known. */
GArray  *_hold_libarchive_delayed_new (void);
void     _hold_libarchive_delay       (GArray *list, const HoldEntry *entry, const HoldNameSource *name, const HoldNameSource *link);
gboolean _hold_libarchive_add_delayed (GArray *list, HoldArchiveBuilder *builder, GError **error);

/**
 * _hold_libarchive_fix_lha_names:
 * @shadow: zeros at first; keeps step with @stream, so that this must be called once for each entry; to be cleared
 * @name, @link: (inout): as libarchive gave them; then the stored bytes
 * @owned: (out): what they borrow from; to be freed
 */
void _hold_libarchive_fix_lha_names (HoldLibarchiveStream *stream, HoldLibarchiveStream *shadow, HoldNameSource *name,
                                     HoldNameSource *link, char *owned[2]);

gboolean _hold_libarchive_read_pass (HoldArchive *archive, const guint *indices, guint n_indices,
                                     HoldKeyring *keyring, const HoldVisitor *visitor,
                                     GCancellable *cancellable, GError **error);

G_END_DECLS
