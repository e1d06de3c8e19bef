/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What a window shows that has no archive: how to open one, and those opened lately. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Signal "open" (GFile). Thread: main. */
#define HOLDALL_TYPE_WELCOME (holdall_welcome_get_type ())
G_DECLARE_FINAL_TYPE (HoldallWelcome, holdall_welcome, HOLDALL, WELCOME, GtkWidget)

G_END_DECLS
