/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* A bounded little-endian reader: the only way this layer takes numbers out of archive bytes.
 * Reading past the end gives zero and marks the cursor as failed, so that a parser can read a
 * whole record and ask once.
 */

#pragma once

#ifndef ZIP_COMPILATION
#error "zip-cursor.h belongs to the ZIP layer"
#endif

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

typedef struct {
  const guint8 *data;
  gsize length;
  gsize position;
  gboolean failed;
} ZipCursor;

/** zip_cursor_init: reads @length bytes at @data, which the caller keeps alive. */
static inline void
zip_cursor_init (ZipCursor *cursor, const guint8 *data, gsize length)
{
  *cursor = (ZipCursor) { .data = data, .length = length };
}

/** zip_cursor_left: how many bytes are left to read; 0 once the cursor has failed. */
static inline gsize
zip_cursor_left (const ZipCursor *cursor)
{
  return cursor->failed ? 0 : cursor->length - cursor->position;
}

/** zip_cursor_take: the next @n bytes, borrowed; NULL and failed if there are fewer. */
static inline const guint8 *
zip_cursor_take (ZipCursor *cursor, gsize n)
{
  if (zip_cursor_left (cursor) < n || cursor->failed)
    {
      cursor->failed = TRUE;
      return NULL;
    }

  const guint8 *bytes = cursor->data + cursor->position;
  cursor->position += n;
  return bytes;
}

static inline void
zip_cursor_skip (ZipCursor *cursor, gsize n)
{
  (void) zip_cursor_take (cursor, n);
}

static inline guint8
zip_cursor_u8 (ZipCursor *cursor)
{
  const guint8 *b = zip_cursor_take (cursor, 1);
  return b != NULL ? b[0] : 0;
}

static inline guint16
zip_cursor_u16 (ZipCursor *cursor)
{
  const guint8 *b = zip_cursor_take (cursor, 2);
  guint16 value = 0;

  if (b != NULL)
    memcpy (&value, b, sizeof value);
  return GUINT16_FROM_LE (value);
}

static inline guint32
zip_cursor_u32 (ZipCursor *cursor)
{
  const guint8 *b = zip_cursor_take (cursor, 4);
  guint32 value = 0;

  if (b != NULL)
    memcpy (&value, b, sizeof value);
  return GUINT32_FROM_LE (value);
}

static inline guint64
zip_cursor_u64 (ZipCursor *cursor)
{
  const guint8 *b = zip_cursor_take (cursor, 8);
  guint64 value = 0;

  if (b != NULL)
    memcpy (&value, b, sizeof value);
  return GUINT64_FROM_LE (value);
}

G_END_DECLS
