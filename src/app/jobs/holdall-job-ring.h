/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A small ring that fills: how far all jobs of a list are, together. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HOLDALL_TYPE_JOB_RING (holdall_job_ring_get_type ())
G_DECLARE_FINAL_TYPE (HoldallJobRing, holdall_job_ring, HOLDALL, JOB_RING, GtkWidget)

/* @fraction: 0 … 1, or a negative number when nobody knows. Thread: main. */
void holdall_job_ring_set_fraction (HoldallJobRing *self, double fraction);

G_END_DECLS
