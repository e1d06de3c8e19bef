/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Sorting is one function for all who gather entries. */

#include "config.h"

#include "hold-indices.h"

static int
compare_indices (gconstpointer a,
                 gconstpointer b)
{
  guint x = *(const guint *) a;
  guint y = *(const guint *) b;

  return (x > y) - (x < y);
}

void
hold_indices_tidy (GArray *indices)
{
  guint n_kept = 0;

  g_array_sort (indices, compare_indices);
  for (guint i = 0; i < indices->len; i++)
    {
      guint index = g_array_index (indices, guint, i);

      if (n_kept == 0 || index != g_array_index (indices, guint, n_kept - 1))
        g_array_index (indices, guint, n_kept++) = index;
    }
  g_array_set_size (indices, n_kept);
}
