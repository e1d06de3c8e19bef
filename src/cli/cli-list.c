/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* holdall-cli list: the entries in the archive's order, for people or as JSON lines. */

#include "config.h"

#include "cli-verbs.h"

#include "cli-json.h"

#include <time.h>

/* "2021-06-02T10:11:12Z"; FALSE where the calendar of the C library ends. */
static gboolean
format_utc (gint64 seconds, char text[64])
{
  const time_t when = (time_t) seconds;
  struct tm tm;

  return gmtime_r (&when, &tm) != NULL && strftime (text, 64, "%Y-%m-%dT%H:%M:%SZ", &tm) > 0;
}

static void
append_json (GString *text, const HoldEntry *entry)
{
  const char *unsafe = hold_unsafe_to_string (hold_entry_get_unsafe (entry));
  const guint8 *raw_name;
  gsize raw_length;
  guint64 size_bytes;
  gint64 seconds;
  guint nanoseconds, mode;
  guint32 crc;
  char buffer[64];

  cli_json_begin (text, NULL, '{');
  cli_json_string (text, "path", hold_entry_get_path (entry));
  raw_name = hold_entry_get_raw_name (entry, &raw_length);
  if (raw_name != NULL)
    cli_json_hex (text, "raw", raw_name, raw_length);
  cli_json_string (text, "type", hold_entry_type_to_string (hold_entry_get_type (entry)));
  if (hold_entry_get_size (entry, &size_bytes))
    cli_json_number (text, "size", size_bytes);
  else
    cli_json_null (text, "size");
  if (hold_entry_get_packed_size (entry, &size_bytes))
    cli_json_number (text, "packed", size_bytes);
  else
    cli_json_null (text, "packed");
  if (hold_entry_get_mtime (entry, &seconds, &nanoseconds) && format_utc (seconds, buffer))
    cli_json_string (text, "mtime", buffer);
  else
    cli_json_null (text, "mtime");
  if (hold_entry_get_mode (entry, &mode))
    {
      g_snprintf (buffer, sizeof buffer, "%04o", mode & 07777);
      cli_json_string (text, "mode", buffer);
    }
  else
    cli_json_null (text, "mode");
  cli_json_string (text, "method", hold_entry_get_method (entry));
  if (hold_entry_get_crc32 (entry, &crc))
    {
      g_snprintf (buffer, sizeof buffer, "%08x", crc);
      cli_json_string (text, "crc32", buffer);
    }
  else
    cli_json_null (text, "crc32");
  cli_json_bool (text, "encrypted", hold_entry_is_encrypted (entry));
  cli_json_string (text, "link", hold_entry_get_link_target (entry));
  cli_json_string (text, "comment", hold_entry_get_comment (entry));
  cli_json_bool (text, "descriptor", hold_entry_is_streamed (entry));
  cli_json_number (text, "index", hold_entry_get_index (entry));
  if (unsafe != NULL)
    cli_json_string (text, "unsafe", unsafe);
  /* Not in the contract, but it saves a try: no method or cipher for it here. */
  if (!hold_entry_is_readable (entry))
    cli_json_bool (text, "readable", FALSE);
  cli_json_end (text, '}');
  g_string_append_c (text, '\n');
}

static char
get_type_letter (HoldEntryType type)
{
  switch (type)
    {
    case HOLD_ENTRY_FOLDER:
      return 'd';
    case HOLD_ENTRY_SYMLINK:
      return 'l';
    case HOLD_ENTRY_HARDLINK:
      return 'h';
    case HOLD_ENTRY_OTHER:
      return '?';
    case HOLD_ENTRY_FILE:
    default:
      return '-';
    }
}

static void
append_mode (GString *text, const HoldEntry *entry)
{
  static const char letters[] = "rwxrwxrwx";
  guint mode;
  const gboolean has_mode = hold_entry_get_mode (entry, &mode);

  g_string_append_c (text, get_type_letter (hold_entry_get_type (entry)));
  for (guint i = 0; i < 9; i++)
    g_string_append_c (text, !has_mode ? ' ' : (mode & (0400u >> i)) != 0 ? letters[i] : '-');
  /* Encrypted, as `unzip -Z` and others mark it by a letter of its own. */
  g_string_append_c (text, hold_entry_is_encrypted (entry) ? '*' : ' ');
}

static void
append_time (GString *text, const HoldEntry *entry)
{
  gint64 seconds;
  guint nanoseconds;
  time_t when;
  struct tm tm;
  char buffer[64];

  if (hold_entry_get_mtime (entry, &seconds, &nanoseconds))
    {
      when = (time_t) seconds;
      if (localtime_r (&when, &tm) != NULL && strftime (buffer, sizeof buffer, "%Y-%m-%d %H:%M", &tm) > 0)
        {
          g_string_append (text, buffer);
          return;
        }
    }
  g_string_append (text, "               -");
}

static void
append_line (GString *text, const HoldEntry *entry)
{
  const char *target = hold_entry_get_link_target (entry);
  const char *unsafe = hold_unsafe_to_string (hold_entry_get_unsafe (entry));
  g_autofree char *name = hold_path_escape_for_display (hold_entry_get_path (entry));
  guint64 size_bytes;

  append_mode (text, entry);
  if (hold_entry_get_size (entry, &size_bytes))
    g_string_append_printf (text, "%13" G_GUINT64_FORMAT "  ", size_bytes);
  else
    g_string_append (text, "            -  ");
  append_time (text, entry);
  g_string_append (text, "  ");
  g_string_append (text, name);
  if (hold_entry_get_type (entry) == HOLD_ENTRY_FOLDER)
    g_string_append_c (text, '/');
  if (target != NULL)
    {
      g_autofree char *shown = hold_path_escape_for_display (target);

      g_string_append_printf (text, " -> %s", shown);
    }
  if (unsafe != NULL)
    g_string_append_printf (text, "  [unsafe: %s]", unsafe);
  if (!hold_entry_is_readable (entry))
    g_string_append (text, "  [not readable here]");
  g_string_append_c (text, '\n');
}

int
cli_verb_list (CliContext *context)
{
  const gboolean as_json = (context->options->given & CLI_OPTION_JSON) != 0;
  g_autoptr (HoldArchive) archive = NULL;
  guint n_entries;
  int status;

  archive = cli_context_open (context, &status);
  if (archive == NULL)
    return status;

  n_entries = hold_archive_get_n_entries (archive);
  for (guint i = 0; i < n_entries && cli_output_relieve (&context->output); i++)
    {
      GString *text = cli_output_get_buffer (&context->output);
      const HoldEntry *entry = hold_archive_get_entry (archive, i);

      if (as_json)
        append_json (text, entry);
      else
        append_line (text, entry);
    }
  if (!cli_output_finish (&context->output))
    return CLI_NOT_DONE;
  return cli_context_tell_oddities (context, archive);
}
