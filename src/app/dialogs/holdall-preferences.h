/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What a person decides once. */

#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define HOLDALL_TYPE_PREFERENCES (holdall_preferences_get_type ())
G_DECLARE_FINAL_TYPE (HoldallPreferences, holdall_preferences, HOLDALL, PREFERENCES, AdwPreferencesWindow)

/* @parent: (nullable). Changes take effect at once. Thread: main. */
void holdall_preferences_present (GtkWindow *parent, GSettings *settings);

G_END_DECLS
