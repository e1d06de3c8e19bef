/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What happened to the entries that did not simply succeed. One entry's failure is data:
 * 998 of 1,000 extracted is a success with a report. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-error.h"

G_BEGIN_DECLS

typedef enum {
  HOLD_OUTCOME_FAILED,   /* error says why; nothing of it is left behind */
  HOLD_OUTCOME_SKIPPED,  /* by conflict policy or answer */
  HOLD_OUTCOME_REFUSED,  /* unsafe */
  HOLD_OUTCOME_CHANGED,  /* done, but not exactly as stored (renamed, kept although damaged) */
  HOLD_OUTCOME_WARNING,  /* about the archive as a whole, or an entry that is all right otherwise */
} HoldOutcome;

typedef struct {
  HoldOutcome outcome;
  char *path;      /* UTF-8, "" for the archive itself */
  GError *error;   /* never NULL */
} HoldReportItem;

/* Thread: any (locked inside). Items are bounded: after 10,000 only the counts grow. */
HoldReport *hold_report_new      (void);
HoldReport *hold_report_ref      (HoldReport *self);
void        hold_report_unref    (HoldReport *self);
void        hold_report_add      (HoldReport *self, HoldOutcome outcome, const char *path, const GError *error);
void        hold_report_add_done (HoldReport *self, guint n_entries, guint64 n_bytes);
guint       hold_report_get_n_done   (HoldReport *self);
guint64     hold_report_get_bytes_done (HoldReport *self);
guint       hold_report_count    (HoldReport *self, HoldOutcome outcome);
guint       hold_report_get_n_items  (HoldReport *self);
/* Borrowed; items are only ever added, so the pointer lives as long as the report. */
const HoldReportItem *hold_report_get_item (HoldReport *self, guint position);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldReport, hold_report_unref)

G_END_DECLS
