/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Bits, window and prefix codes of the old methods, and the choice between them. */

#include "zip-unpack-private.h"

#include <string.h>

#include "zip-error.h"

gboolean
_zip_unpack_corrupt (ZipUnpack *self, const char *what)
{
  if (self->error == NULL)
    g_set_error (&self->error, ZIP_ERROR, ZIP_ERROR_CORRUPT, "compressed data: %s", what);
  return FALSE;
}

/* Makes at least one more byte of input be there; at the end FALSE without an error. */
static gboolean
refill (ZipUnpack *self)
{
  if (self->error != NULL || self->at_end)
    return FALSE;
  if (!self->pull (self->pull_user, &self->data, &self->left, &self->error))
    return FALSE;
  self->at_end = self->left == 0;
  return !self->at_end;
}

/* Up to @n bits in the register; fewer only at the end. */
static void
need (ZipUnpack *self, guint n)
{
  while (self->n_bits < n)
    {
      if (self->left == 0 && !refill (self))
        return;
      self->bits |= (guint64) *self->data++ << self->n_bits;
      self->left--;
      self->n_bits += 8;
    }
}

static gboolean
take (ZipUnpack *self, guint n)
{
  if (n > self->n_bits)
    {
      if (self->error == NULL)
        g_set_error (&self->error, ZIP_ERROR, ZIP_ERROR_TRUNCATED,
                     "compressed data: it ends too early");
      return FALSE;
    }
  self->bits >>= n;
  self->n_bits -= n;
  return TRUE;
}

gboolean
_zip_unpack_bits (ZipUnpack *self, guint n, guint *value)
{
  need (self, n);
  *value = (guint) self->bits & ((1u << n) - 1);
  return take (self, n);
}

void
_zip_unpack_align (ZipUnpack *self)
{
  guint odd = self->n_bits % 8;

  self->bits >>= odd;
  self->n_bits -= odd;
}

gboolean
_zip_unpack_is_full (const ZipUnpack *self)
{
  return self->n_written >= self->size;
}

/* Hands out what the window holds of the last round. */
static gboolean
flush (ZipUnpack *self)
{
  gsize length = (gsize) (self->n_written % ZIP_UNPACK_WINDOW);

  if (length == 0 && self->n_written > 0)
    length = ZIP_UNPACK_WINDOW;
  return length == 0
         || (!g_cancellable_set_error_if_cancelled (self->cancellable, &self->error)
             && (self->write == NULL
                 || self->write (self->write_user, self->window, length, &self->error)));
}

gboolean
_zip_unpack_put (ZipUnpack *self, guint8 byte)
{
  if (self->n_written >= self->size)
    return _zip_unpack_corrupt (self, "there is more of it than the recorded size");

  self->window[self->n_written % ZIP_UNPACK_WINDOW] = byte;
  self->n_written++;
  return self->n_written % ZIP_UNPACK_WINDOW != 0 || self->n_written == self->size || flush (self);
}

gboolean
_zip_unpack_copy (ZipUnpack *self, guint distance, guint length, gboolean zeros)
{
  if (distance > self->n_written && !zeros)
    return _zip_unpack_corrupt (self, "it refers to what is before its start");

  for (; length > 0; length--)
    {
      guint8 byte = distance > self->n_written
                      ? 0
                      : self->window[(self->n_written - distance) % ZIP_UNPACK_WINDOW];

      if (!_zip_unpack_put (self, byte))
        return FALSE;
    }
  return TRUE;
}

static guint
reverse (guint code, guint length)
{
  guint result = 0;

  for (guint i = 0; i < length; i++)
    result |= ((code >> i) & 1u) << (length - 1 - i);
  return result;
}

gboolean
_zip_code_init (ZipCode *code, const guint8 *lengths, guint n)
{
  guint16 place[ZIP_CODE_MAX_LENGTH + 2] = { 0 };
  guint next[ZIP_CODE_MAX_LENGTH + 2] = { 0 };
  int left = 1;

  memset (code, 0, sizeof *code);
  for (guint i = 0; i < n; i++)
    code->count[lengths[i]]++;
  code->count[0] = 0;

  for (guint length = 1; length <= ZIP_CODE_MAX_LENGTH; length++)
    {
      left = left * 2 - code->count[length];
      if (left < 0)
        return FALSE;
      place[length + 1] = (guint16) (place[length] + code->count[length]);
      next[length + 1] = (next[length] + code->count[length]) << 1;
    }

  for (guint i = 0; i < n; i++)
    {
      guint length = lengths[i];

      if (length == 0)
        continue;
      code->symbol[place[length]++] = (guint16) i;

      guint bits = reverse (next[length]++, length);
      for (; length <= ZIP_CODE_FAST && bits < 1u << ZIP_CODE_FAST; bits += 1u << length)
        code->fast[bits] = (guint16) (i << 4 | length);
    }
  return TRUE;
}

gboolean
_zip_code_read (ZipUnpack *self, const ZipCode *code, gboolean invert, guint *symbol)
{
  guint first = 0;
  guint index = 0;
  guint value = 0;

  need (self, ZIP_CODE_MAX_LENGTH);

  guint64 bits = invert ? ~self->bits : self->bits;
  guint fast = code->fast[bits & ((1u << ZIP_CODE_FAST) - 1)];

  if (fast != 0 && (fast & 15u) <= self->n_bits)
    {
      *symbol = fast >> 4;
      return take (self, fast & 15u);
    }
  for (guint length = 1; length <= ZIP_CODE_MAX_LENGTH; length++)
    {
      value = value << 1 | (guint) (bits >> (length - 1) & 1u);
      if (value - first < code->count[length] && value >= first)
        {
          *symbol = code->symbol[index + value - first];
          return take (self, length);
        }
      index += code->count[length];
      first = (first + code->count[length]) << 1;
    }
  return _zip_unpack_corrupt (self, "a code that is not in its table");
}

gboolean
zip_unpack_knows (guint16 method)
{
  return method == 1 || method == 6 || method == 9;
}

gboolean
zip_unpack (guint16 method, guint16 flags, guint64 size, ZipPullFunc pull, gpointer pull_user,
            ZipWriteFunc write, gpointer write_user, GCancellable *cancellable, GError **error)
{
  g_autofree guint8 *window = g_malloc0 (ZIP_UNPACK_WINDOW);
  ZipUnpack self = {
    .pull = pull,
    .pull_user = pull_user,
    .write = write,
    .write_user = write_user,
    .cancellable = cancellable,
    .size = size,
    .window = window,
  };
  gboolean ok = FALSE;

  if (size == 0)
    return TRUE;
  if (method == 9)
    ok = _zip_inflate64 (&self);
  else if (method == 6)
    ok = _zip_explode (&self, flags);
  else if (method == 1)
    ok = _zip_unshrink (&self);
  else
    g_set_error (&self.error, ZIP_ERROR, ZIP_ERROR_UNSUPPORTED, "compression method %u", method);

  if (ok && self.n_written < size)
    ok = _zip_unpack_corrupt (&self, "there is less of it than the recorded size");
  if (ok)
    ok = flush (&self);
  if (self.error != NULL)
    {
      g_propagate_error (error, self.error);
      return FALSE;
    }
  return ok;
}
