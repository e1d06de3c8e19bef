/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* The writer's insides, shared by its files: new entries, kept entries, the check at the end. */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-writer-private.h belongs to the ZIP layer"
#endif

#include "zip-out.h"
#include "zip-record.h"
#include "zip-writer.h"

G_BEGIN_DECLS

/* Aligns an entry's data, as tools for Android packages do: u16 alignment, then zeros. */
#define ZIP_EXTRA_ALIGNMENT 0xd935u

/* Entries that follow each other in the old file and will do so in the new one, not yet copied.
 * */
typedef struct {
  ZipReader *reader; /* NULL: none */
  GArray *entries;   /* of guint, indices */
  guint64 start;     /* in the old file */
  guint64 end_least; /* where the last one ends at the least; its descriptor comes after */
  guint64 packed_size;
} ZipRun;

/* Where an entry came from, as it is; reader NULL: its header was made here. @shared: the header is
 * that of another entry, as it was in the old archive. */
typedef struct {
  ZipReader *reader;
  guint index;
  gboolean shared;
} ZipOrigin;

struct _ZipWriter {
  ZipOut out;
  ZipMovedFunc moved;
  gpointer user;
  GByteArray *central;
  GArray *origins; /* of ZipOrigin, one per entry */
  GBytes *comment;
  GPtrArray *readers; /* that entries were copied from */
  GHashTable *shared; /* header offset in the old file → in the new one, where shared */
  ZipReader *shared_reader;
  ZipRun run;

  /* The entry that was begun. */
  gboolean in_entry;
  ZipHeader header;
  guint64 data_start;
  gboolean reserved_zip64;
  GByteArray *entry_extra;
  char *entry_name;
  char *entry_comment;

  guint64 directory_offset;
  gboolean finished;
};

/** _zip_writer_flush_run: copies what was put off. */
gboolean _zip_writer_flush_run (ZipWriter *writer, GCancellable *cancellable, GError **error);

/**
 * _zip_writer_put_central: takes the entry into the new directory.
 * @origin: (nullable): where its local header was copied from, as it is
 */
gboolean _zip_writer_put_central (ZipWriter *writer, const ZipHeader *header,
                                  const ZipOrigin *origin, GError **error);

/** _zip_writer_told: passes on that packed bytes were written. */
gboolean _zip_writer_told (ZipWriter *writer, guint64 n_bytes, GError **error);

G_END_DECLS
