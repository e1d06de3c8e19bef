/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Taking things out, as actions of the window: win.extract, win.extract-here, win.extract-to,
 * win.extract-new-folder, win.test, win.properties and, for tests, win.extract-into. */

#pragma once

#include "holdall-window.h"

G_BEGIN_DECLS

/* Adds the actions to the window's GActionMap (those are reachable over D-Bus;
 * gtk_widget_class_install_action() ones are not). Call it once from the window's init. */
void _holdall_window_extract_init   (HoldallWindow *self);
/* Greys the actions according to archive and selection; call it when either changes. */
void _holdall_window_extract_update (HoldallWindow *self);
/* Why the action cannot be used now, a translated sentence for its tooltip; NULL if it can. @action
 * without "win.". (transfer full) */
char *_holdall_window_extract_why_not (HoldallWindow *self, const char *action);

G_END_DECLS
