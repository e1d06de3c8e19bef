/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Says something to whoever listens with a screen reader; takes no room and shows nothing. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HOLDALL_TYPE_ANNOUNCER (holdall_announcer_get_type ())
G_DECLARE_FINAL_TYPE (HoldallAnnouncer, holdall_announcer, HOLDALL, ANNOUNCER, GtkWidget)

/* @text: one sentence, as it is shown elsewhere. Thread: main. Blocks: no. */
void holdall_announcer_say (HoldallAnnouncer *self, const char *text);

G_END_DECLS
