/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Shrink, method 1: LZW with codes of 9 to 13 bits, of which the unused ones are given back on
 * demand (APPNOTE 5.1). */

#include "zip-unpack-private.h"

#include <string.h>

#define CONTROL 256u
#define N_CODES 8192u
#define FREE G_MAXUINT16

typedef struct {
  guint16 parent[N_CODES];
  guint8 value[N_CODES];
  guint8 stack[N_CODES];
  gboolean used[N_CODES];
  guint last_added;
} Table;

/* Gives back every code that is no other code's beginning. */
static void
clear_leaves (Table *table)
{
  memset (table->used, 0, sizeof table->used);
  for (guint i = CONTROL + 1; i < N_CODES; i++)
    if (table->parent[i] != FREE)
      table->used[table->parent[i]] = TRUE;
  for (guint i = CONTROL + 1; i < N_CODES; i++)
    if (!table->used[i])
      table->parent[i] = FREE;
  table->last_added = CONTROL;
}

/* Writes the string of @code, which is @previous and its own first byte if there is no such code
 * yet. */
static gboolean
write_string (ZipUnpack *self, Table *table, guint code, guint previous, guint8 *first)
{
  guint n = 0;

  if (code > CONTROL && table->parent[code] == FREE)
    {
      table->stack[n++] = *first;
      code = previous;
    }
  while (code > CONTROL)
    {
      if (table->parent[code] == FREE || n >= N_CODES - 1)
        return _zip_unpack_corrupt (self, "a code without a beginning");
      table->stack[n++] = table->value[code];
      code = table->parent[code];
    }
  if (code == CONTROL)
    return _zip_unpack_corrupt (self, "a code without a beginning");
  *first = (guint8) code;
  table->stack[n++] = (guint8) code;
  while (n > 0)
    if (!_zip_unpack_put (self, table->stack[--n]))
      return FALSE;
  return TRUE;
}

static void
add_string (Table *table, guint previous, guint8 last)
{
  guint code = table->last_added + 1;

  while (code < N_CODES && table->parent[code] != FREE)
    code++;
  table->last_added = MIN (code, N_CODES - 1);
  if (code >= N_CODES)
    return;
  table->parent[code] = (guint16) previous;
  table->value[code] = last;
}

static gboolean
control (ZipUnpack *self, Table *table, guint *width)
{
  guint what;

  if (!_zip_unpack_bits (self, *width, &what))
    return FALSE;
  if (what == 1 && *width < 13)
    (*width)++;
  else if (what == 2)
    clear_leaves (table);
  else
    return _zip_unpack_corrupt (self, "a control code that does not exist");
  return TRUE;
}

gboolean
_zip_unshrink (ZipUnpack *self)
{
  g_autofree Table *table = g_new0 (Table, 1);
  guint width = 9;
  guint previous;
  guint8 first;

  for (guint i = 0; i < N_CODES; i++)
    table->parent[i] = FREE;
  table->last_added = CONTROL;

  if (!_zip_unpack_bits (self, width, &previous))
    return FALSE;
  if (previous >= CONTROL)
    return _zip_unpack_corrupt (self, "it does not begin with a byte");
  first = (guint8) previous;
  if (!_zip_unpack_put (self, first))
    return FALSE;

  while (!_zip_unpack_is_full (self))
    {
      guint code;

      if (!_zip_unpack_bits (self, width, &code))
        return FALSE;
      if (code == CONTROL)
        {
          if (!control (self, table, &width))
            return FALSE;
          continue;
        }
      if (!write_string (self, table, code, previous, &first))
        return FALSE;
      add_string (table, previous, first);
      previous = code;
    }
  return TRUE;
}
