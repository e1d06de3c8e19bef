/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The plain-data side of progress: clearing a sample, and smoothing samples into a rate. Apart from
 * the job, so that whoever shows numbers can do its sums without one. */

#include "hold-progress.h"

/* Over this time an old rate fades: long enough to calm a row of small files, short enough to
 * follow a slow disk. */
#define FADE_SECONDS 3.0

/**
 * hold_progress_clear:
 * @self: a sample from hold_job_get_progress()
 *
 * Frees what the sample owns and zeroes it. Thread: any. Blocks: no.
 */
void
hold_progress_clear (HoldProgress *self)
{
  g_free (self->current);
  *self = (HoldProgress){ 0 };
}

/**
 * hold_rate_add_sample:
 * @self: the rate
 * @monotonic_us: when, as g_get_monotonic_time() gives it
 * @bytes_done: how far, in bytes
 *
 * The first sample after zero-initialising or a pause only marks the place. Thread: one. Blocks:
 * no.
 */
void
hold_rate_add_sample (HoldRate *self, gint64 monotonic_us, guint64 bytes_done)
{
  if (self->last_us != 0 && monotonic_us > self->last_us && bytes_done >= self->last_bytes)
    {
      double seconds = (double) (monotonic_us - self->last_us) / G_USEC_PER_SEC;
      double now = (double) (bytes_done - self->last_bytes) / seconds;

      if (self->bytes_per_second <= 0.0)
        {
          self->bytes_per_second = now;
        }
      else
        {
          double weight = seconds / (seconds + FADE_SECONDS);

          self->bytes_per_second += weight * (now - self->bytes_per_second);
        }
    }

  self->last_us = monotonic_us;
  self->last_bytes = bytes_done;
}

/**
 * hold_rate_pause:
 * @self: the rate
 *
 * Call it when the job stands still on purpose, so that the standing time does not slow the rate.
 * Thread: one. Blocks: no.
 */
void
hold_rate_pause (HoldRate *self)
{
  self->last_us = 0;
}

/**
 * hold_rate_get_seconds_left:
 * @self: the rate
 * @progress: the newest sample
 * @seconds: (out): time left, rounded up
 *
 * Thread: one. Blocks: no.
 * Returns: FALSE, leaving @seconds alone, while the total or the rate is unknown
 */
gboolean
hold_rate_get_seconds_left (const HoldRate *self, const HoldProgress *progress, guint *seconds)
{
  if (!progress->has_total || self->bytes_per_second < 1.0)
    return FALSE;

  guint64 left = progress->bytes_total > progress->bytes_done
                   ? progress->bytes_total - progress->bytes_done
                   : 0;
  double time = (double) left / self->bytes_per_second + 0.999;

  *seconds = time >= (double) G_MAXUINT ? G_MAXUINT : (guint) time;
  return TRUE;
}
