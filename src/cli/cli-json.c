/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A JSON writer of a hundred lines; a library for six value types would weigh more. RFC 8259. */

#include "config.h"

#include "cli-json.h"

#include <string.h>

static void
append_quoted (GString *text, const char *value)
{
  g_autofree char *made_valid = NULL;
  const char *rest = value;

  if (!g_utf8_validate (value, -1, NULL))
    rest = made_valid = g_utf8_make_valid (value, -1);

  g_string_append_c (text, '"');
  for (;;)
    {
      const char *plain = rest;

      while ((guchar) *rest >= 0x20 && *rest != '"' && *rest != '\\' && *rest != 0x7f)
        rest++;
      g_string_append_len (text, plain, rest - plain);
      if (*rest == '\0')
        break;
      switch (*rest)
        {
        case '"':
        case '\\':
          g_string_append_c (text, '\\');
          g_string_append_c (text, *rest);
          break;
        case '\n':
          g_string_append (text, "\\n");
          break;
        case '\t':
          g_string_append (text, "\\t");
          break;
        default:
          g_string_append_printf (text, "\\u%04x", (guchar) *rest);
        }
      rest++;
    }
  g_string_append_c (text, '"');
}

/* Comma and key. What stands before tells whether a comma is due, so no state needs to be kept. */
static void
begin_value (GString *text, const char *key)
{
  if (text->len > 0 && strchr ("{[:,\n", text->str[text->len - 1]) == NULL)
    g_string_append_c (text, ',');
  if (key != NULL)
    {
      g_string_append_c (text, '"');
      g_string_append (text, key);
      g_string_append (text, "\":");
    }
}

void
cli_json_begin (GString *text, const char *key, char bracket)
{
  begin_value (text, key);
  g_string_append_c (text, bracket);
}

void
cli_json_end (GString *text, char bracket)
{
  g_string_append_c (text, bracket);
}

void
cli_json_string (GString *text, const char *key, const char *value)
{
  begin_value (text, key);
  if (value != NULL)
    append_quoted (text, value);
  else
    g_string_append (text, "null");
}

static void
append_decimal (GString *text, guint64 value)
{
  char digits[24];
  guint at = sizeof digits;

  do
    digits[--at] = (char) ('0' + value % 10);
  while ((value /= 10) != 0);
  g_string_append_len (text, digits + at, sizeof digits - at);
}

void
cli_json_number (GString *text, const char *key, guint64 value)
{
  begin_value (text, key);
  append_decimal (text, value);
}

void
cli_json_signed (GString *text, const char *key, gint64 value)
{
  begin_value (text, key);
  if (value < 0)
    g_string_append_c (text, '-');
  append_decimal (text, value < 0 ? - (guint64) value : (guint64) value);
}

void
cli_json_bool (GString *text, const char *key, gboolean value)
{
  begin_value (text, key);
  g_string_append (text, value ? "true" : "false");
}

void
cli_json_null (GString *text, const char *key)
{
  begin_value (text, key);
  g_string_append (text, "null");
}

void
cli_json_hex (GString *text, const char *key, const guint8 *bytes, gsize length_bytes)
{
  static const char digits[] = "0123456789abcdef";

  begin_value (text, key);
  g_string_append_c (text, '"');
  for (gsize i = 0; i < length_bytes; i++)
    {
      g_string_append_c (text, digits[bytes[i] >> 4]);
      g_string_append_c (text, digits[bytes[i] & 15]);
    }
  g_string_append_c (text, '"');
}
