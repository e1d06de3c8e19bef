/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Who stands where in the result of a plan: the items at a path and all below it are found without a
 * look at the others, so that a thousand edits do not cost a thousand passes over the archive. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include <glib.h>

G_BEGIN_DECLS

/* Items are known by their number only. Thread: one at a time. Blocks: no. */
typedef struct _HoldPlanPlaces HoldPlanPlaces;

HoldPlanPlaces *hold_plan_places_new  (void);
void            hold_plan_places_free (HoldPlanPlaces *self);

/* @path: UTF-8, without "/" at either end. An item stands at one path at a time, and leaves it as
 * what it entered it. */
void     hold_plan_places_enter (HoldPlanPlaces *self, const char *path, guint item, gboolean is_folder);
void     hold_plan_places_leave (HoldPlanPlaces *self, const char *path, guint item, gboolean is_folder);

/* What is at @path: a folder, also one that is only implied by what lies below it; a file; or both.
 * @has_folder, @has_file: (out) (optional). Returns: is there anything? */
gboolean hold_plan_places_look_up (HoldPlanPlaces *self, const char *path, gboolean *has_folder, gboolean *has_file);

/* (transfer full): numbers of the items at exactly @path, ascending. */
GArray  *hold_plan_places_dup_at    (HoldPlanPlaces *self, const char *path);
/* (transfer full): numbers of the items at @path and below it, ascending. */
GArray  *hold_plan_places_dup_below (HoldPlanPlaces *self, const char *path);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldPlanPlaces, hold_plan_places_free)

G_END_DECLS
