/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A timer of high priority that looks at the clock: whenever it comes late, something kept the
 * main loop. */

#include "config.h"

#include "holdall-heartbeat.h"

#include <time.h>

/* Short enough to catch a single slow frame, long enough not to be a load itself. */
#define BEAT_MS 10

static guint beat_source;
static gint64 last_beat_us;
static gint64 worst_us;
static gint64 last_cpu_us;
static gint64 worst_cpu_us;

static gint64
get_thread_cpu_us (void)
{
  struct timespec spent = { 0 };

  if (clock_gettime (CLOCK_THREAD_CPUTIME_ID, &spent) != 0)
    return 0;
  return (gint64) spent.tv_sec * G_USEC_PER_SEC + spent.tv_nsec / 1000;
}

static gboolean
beat_cb (gpointer user_data)
{
  gint64 now_us = g_get_monotonic_time ();
  gint64 cpu_us = get_thread_cpu_us ();

  if (last_beat_us != 0)
    {
      worst_us = MAX (worst_us, now_us - last_beat_us - BEAT_MS * 1000);
      worst_cpu_us = MAX (worst_cpu_us, cpu_us - last_cpu_us);
    }
  last_beat_us = now_us;
  last_cpu_us = cpu_us;
  return G_SOURCE_CONTINUE;
}

void
holdall_heartbeat_start (void)
{
  if (beat_source == 0)
    beat_source = g_timeout_add_full (G_PRIORITY_HIGH, BEAT_MS, beat_cb, NULL, NULL);
}

guint
holdall_heartbeat_get_worst_stall_ms (void)
{
  /* The stall that goes on right now counts too: the caller itself may be what ends it. */
  gint64 present_us = last_beat_us != 0
                    ? g_get_monotonic_time () - last_beat_us - BEAT_MS * 1000 : 0;

  return (guint) (MAX (MAX (worst_us, present_us), 0) / 1000);
}

guint
holdall_heartbeat_get_worst_busy_ms (void)
{
  return (guint) (worst_cpu_us / 1000);
}

void
holdall_heartbeat_reset (void)
{
  worst_us = 0;
  worst_cpu_us = 0;
  last_beat_us = 0;
}
