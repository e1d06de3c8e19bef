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

/* Streamed entries up to this size lose their descriptor in a pass through memory, and others are
 * read whole, header and all; in bytes. */
#define ZIP_WRITER_SMALL_MAX (256u * 1024u)

/* Less than this is not worth a padding, in bytes. */
#define ZIP_WRITER_ALIGN_MIN (256u * 1024u)

/* Entries that follow each other in the old file and will do so in the new one, to be copied. */
typedef struct {
  ZipReader *reader; /* NULL: none */
  gboolean streamed; /* their descriptors go */
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
  ZipReader *trailing; /* (nullable): what stands behind the end of this one comes behind the end */
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

/* The headers of a kept entry, made anew. */
typedef struct {
  ZipHeader central;
  ZipHeader local;
  GByteArray *local_bytes; /* the local header, ready to be written */
  GByteArray *local_extra;
  GByteArray *central_extra;
} ZipNewHeader;

/**
 * _zip_new_header_make: makes the headers of @entry.
 * @local: the old local header, with its extra fields
 * @position: where the new one will stand
 * @name: (nullable): another name, borrowed
 */
void _zip_new_header_make (ZipNewHeader *header, const ZipEntry *entry, const ZipHeader *local,
                           guint64 position, const char *name, gsize name_length);

/** _zip_new_header_align: pads it so that its data stand to the block as @data_offset does. */
void _zip_new_header_align (ZipNewHeader *header, guint64 data_offset);

void _zip_new_header_clear (ZipNewHeader *header);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ZipNewHeader, _zip_new_header_clear)

/** _zip_writer_get_new_flags: those of @entry without bit 3, where nothing depends on it. */
guint16 _zip_writer_get_new_flags (const ZipEntry *entry);

/**
 * _zip_writer_read_local: reads a local header of any length, and the data behind it if asked.
 * @bytes: (inout): what was read; @local borrows from it
 */
gboolean _zip_writer_read_local (ZipReader *reader, guint i, gboolean with_data, GByteArray *bytes,
                                 ZipHeader *local, gsize *header_size, GError **error);

/** _zip_writer_copy_told: copies bytes, @packed_size of which belong to entries, and tells so. */
gboolean _zip_writer_copy_told (ZipWriter *writer, ZipSource *source, guint64 offset,
                                guint64 length, guint64 packed_size, GCancellable *cancellable,
                                GError **error);

/** _zip_writer_join_run: puts off copying entry @i, which needs nothing but a new place. */
gboolean _zip_writer_join_run (ZipWriter *writer, ZipReader *reader, guint i,
                               GCancellable *cancellable, GError **error);

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
