/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Shows capability flags as words, in the engine's order, with the reason for each that is
 * missing. */

#include "config.h"

#include "cli-caps.h"

#include "cli-json.h"

#define FIRST_CAP HOLD_CAP_READ
#define LAST_CAP  HOLD_CAP_COMMENT

void
cli_caps_append_json (GString *text, HoldCaps caps, CliWhyNot why_not, gconstpointer data)
{
  cli_json_begin (text, "capabilities", '[');
  for (guint cap = FIRST_CAP; cap <= LAST_CAP; cap <<= 1)
    if (caps & cap)
      cli_json_string (text, NULL, hold_cap_to_string (cap));
  cli_json_end (text, ']');
  cli_json_begin (text, "missing", '{');
  for (guint cap = FIRST_CAP; cap <= LAST_CAP; cap <<= 1)
    if ((caps & cap) == 0)
      cli_json_string (text, hold_cap_to_string (cap), why_not (data, cap));
  cli_json_end (text, '}');
}

void
cli_caps_append_lines (GString *text, HoldCaps caps, CliWhyNot why_not, gconstpointer data)
{
  guint n = 0;

  g_string_append (text, "Can:        ");
  for (guint cap = FIRST_CAP; cap <= LAST_CAP; cap <<= 1)
    if (caps & cap)
      g_string_append_printf (text, "%s%s", n++ > 0 ? ", " : "", hold_cap_to_string (cap));
  g_string_append_c (text, '\n');

  for (guint cap = FIRST_CAP; cap <= LAST_CAP; cap <<= 1)
    if ((caps & cap) == 0)
      {
        const char *reason = why_not (data, cap);

        g_string_append_printf (text, "Cannot:     %s: %s\n", hold_cap_to_string (cap),
                                reason != NULL ? reason : "no reason is known");
      }
}
