/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What a plan comes to: the entries of the result, and what it costs to make them. */

#include "config.h"

#include "hold-plan-private.h"

#include <string.h>

static HoldStepKind
step_kind (HoldPlan   *self,
           guint       position,
           const HoldPlanItem *item)
{
  gboolean is_stored = self->archive != NULL &&
                       position < hold_archive_get_n_entries (self->archive);

  if (item->source != NULL)
    return is_stored ? HOLD_STEP_REPLACE : HOLD_STEP_ADD;
  return item->renamed ? HOLD_STEP_RENAME : HOLD_STEP_KEEP;
}

const HoldPlanStep *
hold_plan_get_steps (HoldPlan *self,
                     guint    *n_steps)
{
  if (self->steps == NULL)
    {
      self->steps = g_array_sized_new (FALSE, FALSE, sizeof (HoldPlanStep), self->items->len);
      for (guint i = 0; i < self->items->len; i++)
        {
          const HoldPlanItem *item = &g_array_index (self->items, HoldPlanItem, i);
          HoldPlanStep step = { 0 };

          if (item->dropped)
            continue;
          step.kind = step_kind (self, i, item);
          step.index = item->index;
          step.path = _hold_plan_item_path (item);
          step.source = item->source;
          g_array_append_val (self->steps, step);
        }
    }

  *n_steps = self->steps->len;
  return (const HoldPlanStep *) (gconstpointer) self->steps->data;
}

void
hold_plan_get_cost (HoldPlan     *self,
                    HoldPlanCost *cost)
{
  guint n_steps;
  const HoldPlanStep *steps = hold_plan_get_steps (self, &n_steps);
  gboolean raw = self->archive != NULL && (hold_archive_get_caps (self->archive) & HOLD_CAP_RAW_COPY);

  memset (cost, 0, sizeof *cost);
  for (guint i = 0; i < n_steps; i++)
    {
      const HoldEntry *entry;
      guint64 size = 0;

      if (steps[i].source != NULL)
        {
          cost->n_added++;
          cost->read_bytes += steps[i].source->size_bytes;
          cost->write_bytes += steps[i].source->size_bytes;
          continue;
        }

      entry = hold_archive_get_entry (self->archive, steps[i].index);
      if (!raw || !hold_entry_get_packed_size (entry, &size))
        hold_entry_get_size (entry, &size);
      cost->n_kept++;
      cost->n_renamed += steps[i].kind == HOLD_STEP_RENAME;
      cost->read_bytes += size;
      cost->write_bytes += size;
      if (!raw)
        cost->recompressed_bytes += size;
    }

  if (self->archive != NULL)
    cost->n_dropped = hold_archive_get_n_entries (self->archive) - cost->n_kept;
}
