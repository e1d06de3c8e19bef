/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Capabilities and the reasons for missing ones, as info and formats both show them. */

#pragma once

#include <hold.h>

G_BEGIN_DECLS

/* NULL if the capability is there. */
typedef const char *(*CliWhyNot) (gconstpointer data, HoldCaps cap);

/* "capabilities":[…],"missing":{…} */
void cli_caps_append_json  (GString *text, HoldCaps caps, CliWhyNot why_not, gconstpointer data);
/* A line for what can be done, one for each thing that can't. */
void cli_caps_append_lines (GString *text, HoldCaps caps, CliWhyNot why_not, gconstpointer data);

G_END_DECLS
