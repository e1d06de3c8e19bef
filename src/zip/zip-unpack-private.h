/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* What the decoders of old methods share: bits in, a window out, prefix codes. */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-unpack-private.h belongs to the ZIP layer"
#endif

#include "zip-unpack.h"

G_BEGIN_DECLS

#define ZIP_UNPACK_WINDOW 65536u
#define ZIP_CODE_FAST 10u
#define ZIP_CODE_MAX_LENGTH 16u

typedef struct {
  ZipPullFunc pull;
  gpointer pull_user;
  const guint8 *data;
  gsize left;
  guint64 bits;
  guint n_bits;
  gboolean at_end;

  ZipWriteFunc write;
  gpointer write_user;
  GCancellable *cancellable;
  guint64 size;      /* to be written in all */
  guint64 n_written; /* into the window */
  guint8 *window;

  GError *error;
} ZipUnpack;

/* All of these answer FALSE once there is an error. */

/* The next @n ≤ 16 bits, the first one lowest. */
gboolean _zip_unpack_bits (ZipUnpack *self, guint n, guint *value);
/* Drops bits up to the next whole byte. */
void _zip_unpack_align (ZipUnpack *self);
gboolean _zip_unpack_is_full (const ZipUnpack *self);
gboolean _zip_unpack_put (ZipUnpack *self, guint8 byte);
/* @distance 1 … 65536. Where that lies before the start: an error, or zeros if @zeros. */
gboolean _zip_unpack_copy (ZipUnpack *self, guint distance, guint length, gboolean zeros);
gboolean _zip_unpack_corrupt (ZipUnpack *self, const char *what);

/* A canonical prefix code: symbols sorted by length, then by number. */
typedef struct {
  guint16 count[ZIP_CODE_MAX_LENGTH + 1];
  guint16 symbol[288];
  guint16 fast[1u << ZIP_CODE_FAST]; /* symbol << 4 | length, 0: look further */
} ZipCode;

/* @lengths: 0 (not used) … 16 of each of @n ≤ 288 symbols. FALSE if more codes are asked for than
 *   there are. */
gboolean _zip_code_init (ZipCode *code, const guint8 *lengths, guint n);
/* @invert: the bits are read as their opposites. */
gboolean _zip_code_read (ZipUnpack *self, const ZipCode *code, gboolean invert, guint *symbol);

gboolean _zip_inflate64 (ZipUnpack *self);
gboolean _zip_explode (ZipUnpack *self, guint16 flags);
gboolean _zip_unshrink (ZipUnpack *self);

G_END_DECLS
