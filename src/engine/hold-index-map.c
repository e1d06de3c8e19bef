/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Matches two snapshots of one archive, so that selections and queued jobs survive an edit. */

#include "config.h"

#include "hold-index-map.h"

guint *
hold_index_map_new (HoldPlan    *plan,
                    HoldArchive *now)
{
  g_autoptr (GHashTable) heads = g_hash_table_new (g_str_hash, g_str_equal);
  guint n_old = hold_archive_get_n_entries (hold_plan_get_archive (plan));
  guint n_now = hold_archive_get_n_entries (now);
  g_autofree guint *next = g_new (guint, n_now + 1);
  guint *map = g_new (guint, n_old + 1);
  guint n_steps;
  const HoldPlanStep *steps = hold_plan_get_steps (plan, &n_steps);

  /* Positions are kept from 1, so that nothing is 0. */
  for (guint i = n_now; i > 0; i--)
    {
      const char *path = hold_entry_get_path (hold_archive_get_entry (now, i - 1));

      next[i] = GPOINTER_TO_UINT (g_hash_table_lookup (heads, path));
      g_hash_table_insert (heads, (char *) path, GUINT_TO_POINTER (i));
    }

  for (guint i = 0; i < n_old; i++)
    map[i] = G_MAXUINT;
  for (guint i = 0; i < n_steps; i++)
    {
      guint position = GPOINTER_TO_UINT (g_hash_table_lookup (heads, steps[i].path));

      if (position == 0)
        continue;
      g_hash_table_insert (heads, (char *) steps[i].path, GUINT_TO_POINTER (next[position]));
      if (steps[i].kind != HOLD_STEP_ADD)
        map[steps[i].index] = position - 1;
    }

  return map;
}
