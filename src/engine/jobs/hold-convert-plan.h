/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What of an archive goes into one of another format, and what of it the other can't hold. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-backend.h"
#include "hold-job-private.h"

G_BEGIN_DECLS

/**
 * HoldConvertPlan:
 * @keeps_all: the formats are of one family, so that entries go over with all that is recorded
 * @needs_sizes: the new format has sizes in front of the content
 * @files: of guint, sorted: entries whose content is read
 * @sizes: index → guint64: sizes that the archive does not record; filled by the job
 * @bad: index → GError: entries that are left out; filled by the job
 */
typedef struct {
  HoldArchive *archive;
  const HoldFormat *format;
  HoldReport *report;
  gboolean keeps_all;
  gboolean needs_sizes;
  GArray *files;
  GHashTable *sizes;
  GHashTable *bad;
  GHashTable *told;     /* indices of those whose loss is in the report */
  GHashTable *reported; /* paths of which the report told before it was made again */
  gboolean is_made;
} HoldConvertPlan;

/* Tells @report what will be lost. */
HoldConvertPlan *hold_convert_plan_new  (HoldArchive *archive, const HoldFormat *format, HoldReport *report);
void             hold_convert_plan_free (HoldConvertPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldConvertPlan, hold_convert_plan_free)

/* (transfer full): the steps, without what is bad, which is told. May be made again after more has
 * turned out to be bad. Errors: that of the first file, if none is left. */
HoldPlan *hold_convert_plan_make (HoldConvertPlan *self, GError **error);

G_END_DECLS
