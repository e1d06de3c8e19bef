/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* How far a job is: numbers behind a lock, written by workers, sampled by whoever shows them.
 * Text, rates and the time that is left are made where they are shown. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-types.h"

G_BEGIN_DECLS

typedef enum {
  HOLD_PHASE_WAITING,   /* queued */
  HOLD_PHASE_SCANNING,  /* reading the list, checking conflicts and space */
  HOLD_PHASE_READING,   /* decoding; extracting, testing */
  HOLD_PHASE_WRITING,   /* writing the new archive */
  HOLD_PHASE_SYNCING,   /* making durable */
  HOLD_PHASE_VERIFYING,
} HoldPhase;

/**
 * HoldProgress:
 * @has_total: @bytes_total is known; else only @bytes_done tells anything
 * @is_packed: the bytes are bytes of the archive read, not bytes unpacked (formats that record no
 * sizes)
 * @current: (nullable): path of an entry being worked on; owned by the struct
 *
 * @bytes_done and @entries_done only ever grow, and equal the totals when the job is DONE.
 */
typedef struct {
  HoldPhase phase;
  gboolean  has_total;
  gboolean  is_packed;
  guint64   bytes_done;
  guint64   bytes_total;
  guint     entries_done;
  guint     entries_total;
  char     *current;
} HoldProgress;

void hold_progress_clear (HoldProgress *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HoldProgress, hold_progress_clear)

/**
 * HoldRate:
 * Smooths samples of a progress into bytes per second and a time left. Plain data of one thread;
 * stands still while
 * no sample is added. Zero-initialise.
 */
typedef struct {
  gint64  last_us;
  guint64 last_bytes;
  double  bytes_per_second;  /* 0 until known */
} HoldRate;

void     hold_rate_add_sample   (HoldRate *self, gint64 monotonic_us, guint64 bytes_done);
void     hold_rate_pause        (HoldRate *self);  /* forget the last sample, keep the rate */
gboolean hold_rate_get_seconds_left (const HoldRate *self, const HoldProgress *progress, guint *seconds);

G_END_DECLS
