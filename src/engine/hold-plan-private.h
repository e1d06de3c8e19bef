/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What a plan is made of, for those who edit it (hold-plan) and those who read it (hold-plan-steps). */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-plan.h"
#include "hold-plan-places.h"

G_BEGIN_DECLS

/* One entry of the result, or what was one before an edit dropped it. */
typedef struct {
  gboolean dropped;
  gboolean renamed;
  gboolean is_folder;
  guint index;             /* of the snapshot; meaningless with a source */
  char *path;              /* owned once it differs from the snapshot's */
  const char *stored_path; /* borrowed from the snapshot */
  HoldPlanSource *source;
} HoldPlanItem;

struct _HoldPlan {
  HoldArchive *archive;
  const HoldFormat *format;
  GArray *items;           /* HoldPlanItem */
  HoldPlanPlaces *places;  /* (nullable) of what is not dropped; made when a name is first asked for */
  GHashTable *free_numbers; /* (nullable) path → the last number that was free for it */
  GArray *steps;           /* HoldPlanStep; made on demand */
  gboolean changed;
  gboolean is_conversion;
};

static inline const char *
_hold_plan_item_path (const HoldPlanItem *item)
{
  return item->path != NULL ? item->path : item->stored_path;
}

G_END_DECLS
