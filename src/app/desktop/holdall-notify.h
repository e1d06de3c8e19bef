/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A notification for which the program lives as long as it has to. */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * holdall_notify:
 * @application: registered
 * @notification: what to show
 * @has_action: whether a person can press something on it
 *
 * Shows @notification beside whatever was shown before, and holds @application until the desktop has
 * it and, where a press would come to nobody else, for the time in which one is likely.
 * Thread: main. Blocks: no. Errors: none; without a session bus nothing is shown.
 */
void holdall_notify       (GApplication *application, GNotification *notification, gboolean has_action);

/* Does not stay for a press any longer: a person wants it to end. */
void holdall_notify_leave (GApplication *application);

G_END_DECLS
