/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Measures how long the main loop was kept from turning, for tests: a stall is what a person
 * feels as a frozen window. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Thread: main. Starting twice does nothing. */
void  holdall_heartbeat_start (void);
/* The longest time between two beats since the start or the last reset, less the beat's own
 * interval; in ms. 0 if never started. */
guint holdall_heartbeat_get_worst_stall_ms (void);
/* Of the main thread, the most processor time between two beats; in ms. Unlike the stall it does
 * not grow because other programs keep the machine busy, and unlike it it does not see waiting. */
guint holdall_heartbeat_get_worst_busy_ms (void);
void  holdall_heartbeat_reset (void);

G_END_DECLS
