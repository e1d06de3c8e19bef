/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* holdall-cli formats: the engine's table. */

#include "config.h"

#include "cli-verbs.h"

#include "cli-caps.h"
#include "cli-json.h"

static const char *
why_not_cb (gconstpointer data, HoldCaps cap)
{
  return hold_format_why_not (data, cap);
}

static void
append_list (GString *text, const char *key, const char * const *words)
{
  cli_json_begin (text, key, '[');
  for (guint i = 0; words != NULL && words[i] != NULL; i++)
    cli_json_string (text, NULL, words[i]);
  cli_json_end (text, ']');
}

static void
append_json (GString *text, const HoldFormat *format)
{
  cli_json_begin (text, NULL, '{');
  cli_json_string (text, "id", format->id);
  cli_json_string (text, "name", format->name);
  append_list (text, "mime_types", format->mime_types);
  append_list (text, "suffixes", format->suffixes);
  append_list (text, "methods", format->methods);
  if (format->level_min == 0 && format->level_max == 0)
    cli_json_null (text, "level");
  else
    {
      cli_json_begin (text, "level", '{');
      cli_json_signed (text, "min", format->level_min);
      cli_json_signed (text, "max", format->level_max);
      cli_json_signed (text, "default", format->level_default);
      cli_json_end (text, '}');
    }
  cli_caps_append_json (text, format->caps, why_not_cb, format);
  cli_json_end (text, '}');
  g_string_append_c (text, '\n');
}

static void
append_line (GString *text, const HoldFormat *format)
{
  static const struct { HoldCaps cap; char letter; } letters[] = {
    { HOLD_CAP_READ, 'r' },          { HOLD_CAP_WRITE, 'w' },   { HOLD_CAP_UPDATE, 'u' },
    { HOLD_CAP_RAW_COPY, 'c' },      { HOLD_CAP_ENCRYPT, 'e' }, { HOLD_CAP_MANY_ENTRIES, 'm' },
    { HOLD_CAP_RANDOM_ACCESS, 'a' }, { HOLD_CAP_COMMENT, 'k' },
  };
  g_autofree char *suffixes = g_strjoinv (" ", (char **) format->suffixes);

  g_string_append_printf (text, "%-10s ", format->id);
  for (guint i = 0; i < G_N_ELEMENTS (letters); i++)
    g_string_append_c (text, (format->caps & letters[i].cap) != 0 ? letters[i].letter : '-');
  g_string_append_printf (text, "  %-24s %s\n", format->name, suffixes);
}

int
cli_verb_formats (CliContext *context)
{
  GString *text = cli_output_get_buffer (&context->output);
  guint n_formats;
  const HoldFormat *formats = hold_format_table (&n_formats);

  if ((context->options->given & CLI_OPTION_JSON) == 0)
    g_string_append (text, "r read  w write  u update  c update without recompressing  e encrypt  m many entries\n"
                           "a one entry without the others  k comment\n\n");
  for (guint i = 0; i < n_formats; i++)
    if (context->options->given & CLI_OPTION_JSON)
      append_json (text, &formats[i]);
    else
      append_line (text, &formats[i]);
  return cli_output_finish (&context->output) ? CLI_DONE : CLI_NOT_DONE;
}
