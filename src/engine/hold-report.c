/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Counts and a bounded list of what did not simply succeed, behind a lock. */

#include "hold-report.h"

/* A hostile archive can fail ten million times; nobody reads more than this. */
#define MAX_ITEMS 10000

#define N_OUTCOMES (HOLD_OUTCOME_WARNING + 1)

struct _HoldReport {
  gatomicrefcount ref_count;
  GMutex mutex;
  GPtrArray *items;  /* of HoldReportItem, each allocated alone: pointers stay good as it grows */
  guint counts[N_OUTCOMES];
  guint n_done;
  guint64 bytes_done;
};

static void
item_free (HoldReportItem *item)
{
  g_free (item->path);
  g_error_free (item->error);
  g_free (item);
}

/** hold_report_new: an empty one. Thread: any. Returns: (transfer full). */
HoldReport *
hold_report_new (void)
{
  HoldReport *self = g_new0 (HoldReport, 1);

  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->mutex);
  self->items = g_ptr_array_new_with_free_func ((GDestroyNotify) item_free);
  return self;
}

/** hold_report_ref: Thread: any. Returns: (transfer full): @self. */
HoldReport *
hold_report_ref (HoldReport *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

/** hold_report_unref: Thread: any. */
void
hold_report_unref (HoldReport *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_ptr_array_unref (self->items);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

/**
 * hold_report_add:
 * @path: (nullable): UTF-8, copied; NULL or "" for the archive as a whole
 * @error: why, copied
 *
 * Counts, and keeps the item unless there are 10,000 already. Thread: any. Blocks: no.
 */
void
hold_report_add (HoldReport *self, HoldOutcome outcome, const char *path, const GError *error)
{
  g_return_if_fail (self != NULL && error != NULL);
  g_return_if_fail (outcome <= HOLD_OUTCOME_WARNING);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  self->counts[outcome]++;
  if (self->items->len >= MAX_ITEMS)
    return;

  HoldReportItem *item = g_new0 (HoldReportItem, 1);
  item->outcome = outcome;
  item->path = g_strdup (path != NULL ? path : "");
  item->error = g_error_copy (error);
  g_ptr_array_add (self->items, item);
}

/** hold_report_add_done: @n_entries more, with @n_bytes of data, simply succeeded. Thread: any. */
void
hold_report_add_done (HoldReport *self, guint n_entries, guint64 n_bytes)
{
  g_return_if_fail (self != NULL);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->n_done += n_entries;
  self->bytes_done += n_bytes;
}

/** hold_report_get_n_done: entries that succeeded. Thread: any. */
guint
hold_report_get_n_done (HoldReport *self)
{
  g_return_val_if_fail (self != NULL, 0);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->n_done;
}

/** hold_report_get_bytes_done: their data, in bytes. Thread: any. */
guint64
hold_report_get_bytes_done (HoldReport *self)
{
  g_return_val_if_fail (self != NULL, 0);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->bytes_done;
}

/** hold_report_count: how often @outcome was added, also beyond the items kept. Thread: any. */
guint
hold_report_count (HoldReport *self, HoldOutcome outcome)
{
  g_return_val_if_fail (self != NULL, 0);
  g_return_val_if_fail (outcome <= HOLD_OUTCOME_WARNING, 0);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->counts[outcome];
}

/** hold_report_get_n_items: items kept, at most 10,000. Thread: any. */
guint
hold_report_get_n_items (HoldReport *self)
{
  g_return_val_if_fail (self != NULL, 0);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->items->len;
}

/**
 * hold_report_get_item:
 * @position: from 0, less than hold_report_get_n_items()
 *
 * Thread: any. Returns: borrowed; lives as long as @self.
 */
const HoldReportItem *
hold_report_get_item (HoldReport *self, guint position)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  g_return_val_if_fail (position < self->items->len, NULL);
  return g_ptr_array_index (self->items, position);
}
