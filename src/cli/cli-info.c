/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* holdall-cli info: what an archive is, and what can and can't be done with it. */

#include "config.h"

#include "cli-verbs.h"

#include "cli-caps.h"
#include "cli-json.h"

typedef struct {
  guint n_by_type[HOLD_ENTRY_OTHER + 1];
  guint n_encrypted;
} Counts;

static void
count (HoldArchive *archive, Counts *counts)
{
  const guint n_entries = hold_archive_get_n_entries (archive);

  for (guint i = 0; i < n_entries; i++)
    {
      const HoldEntry *entry = hold_archive_get_entry (archive, i);

      counts->n_by_type[MIN (hold_entry_get_type (entry), HOLD_ENTRY_OTHER)]++;
      counts->n_encrypted += hold_entry_is_encrypted (entry);
    }
}

static const char *
why_not_cb (gconstpointer data, HoldCaps cap)
{
  return hold_archive_why_not ((HoldArchive *) data, cap);
}

static void
append_json (GString *text, HoldArchive *archive, const char *path, const Counts *counts)
{
  const HoldFormat *format = hold_archive_get_format (archive);
  const char * const *filters = hold_archive_get_filters (archive);
  gboolean is_complete;
  const guint64 unpacked_bytes = hold_archive_get_unpacked_size (archive, &is_complete);

  cli_json_begin (text, NULL, '{');
  cli_json_string (text, "path", path);
  cli_json_string (text, "format", format->id);
  cli_json_string (text, "name", format->name);
  cli_json_begin (text, "filters", '[');
  for (guint i = 0; filters != NULL && filters[i] != NULL; i++)
    cli_json_string (text, NULL, filters[i]);
  cli_json_end (text, ']');
  cli_json_number (text, "size", hold_archive_get_size (archive));
  cli_json_number (text, "unpacked", unpacked_bytes);
  cli_json_bool (text, "unpacked_complete", is_complete);
  cli_json_number (text, "entries", hold_archive_get_n_entries (archive));
  cli_json_number (text, "files", counts->n_by_type[HOLD_ENTRY_FILE]);
  cli_json_number (text, "folders", counts->n_by_type[HOLD_ENTRY_FOLDER]);
  cli_json_number (text, "symlinks", counts->n_by_type[HOLD_ENTRY_SYMLINK]);
  cli_json_number (text, "hardlinks", counts->n_by_type[HOLD_ENTRY_HARDLINK]);
  cli_json_number (text, "others", counts->n_by_type[HOLD_ENTRY_OTHER]);
  cli_json_bool (text, "encrypted", hold_archive_is_encrypted (archive));
  cli_json_string (text, "encoding", hold_archive_get_encoding (archive));
  cli_json_string (text, "comment", hold_archive_get_comment (archive));
  cli_caps_append_json (text, hold_archive_get_caps (archive), why_not_cb, archive);
  cli_json_end (text, '}');
  g_string_append_c (text, '\n');
}

/* The comment is the archive's own text: it may have lines, but nothing that steers a terminal. */
static void
append_comment (GString *text, const char *comment)
{
  g_auto (GStrv) lines = g_strsplit (comment, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_autofree char *shown = NULL;

      g_strchomp (lines[i]);
      shown = hold_path_escape_for_display (lines[i]);
      g_string_append_printf (text, "%-12s%s\n", i == 0 ? "Comment:" : "", shown);
    }
}

static void
append_entries (GString *text, HoldArchive *archive, const Counts *counts)
{
  static const char *plural[] = { "files", "folders", "symbolic links", "hard links", "others" };

  g_string_append_printf (text, "Entries:    %u", hold_archive_get_n_entries (archive));
  for (guint i = 0, n = 0; i < G_N_ELEMENTS (plural); i++)
    if (counts->n_by_type[i] > 0)
      g_string_append_printf (text, "%s%u %s", n++ == 0 ? ": " : ", ", counts->n_by_type[i], plural[i]);
  g_string_append_c (text, '\n');
}

static void
append_lines (GString *text, HoldArchive *archive, const char *path, const Counts *counts)
{
  const HoldFormat *format = hold_archive_get_format (archive);
  const char * const *filters = hold_archive_get_filters (archive);
  const char *encoding = hold_archive_get_encoding (archive);
  const char *comment = hold_archive_get_comment (archive);
  g_autofree char *shown_path = hold_path_escape_for_display (path);
  gboolean is_complete;
  const guint64 unpacked_bytes = hold_archive_get_unpacked_size (archive, &is_complete);

  g_string_append_printf (text, "Archive:    %s\n", shown_path);
  g_string_append_printf (text, "Format:     %s (%s)\n", format->name, format->id);
  if (filters != NULL && filters[0] != NULL)
    {
      g_autofree char *joined = g_strjoinv (", ", (char **) filters);

      g_string_append_printf (text, "Filters:    %s\n", joined);
    }
  g_string_append_printf (text, "Size:       %" G_GUINT64_FORMAT " bytes\n", hold_archive_get_size (archive));
  g_string_append_printf (text, "Unpacked:   %s%" G_GUINT64_FORMAT " bytes%s\n", is_complete ? "" : "at least ",
                          unpacked_bytes, is_complete ? "" : " (not every size is recorded)");
  append_entries (text, archive, counts);
  if (!hold_archive_is_encrypted (archive))
    g_string_append (text, "Encrypted:  no\n");
  else
    g_string_append_printf (text, "Encrypted:  yes, %u entries\n", counts->n_encrypted);
  if (encoding != NULL)
    g_string_append_printf (text, "Encoding:   %s\n", encoding);
  cli_caps_append_lines (text, hold_archive_get_caps (archive), why_not_cb, archive);
  if (comment != NULL)
    append_comment (text, comment);
}

int
cli_verb_info (CliContext *context)
{
  g_autoptr (HoldArchive) archive = NULL;
  g_autofree char *path = NULL;
  GString *text = cli_output_get_buffer (&context->output);
  Counts counts = { { 0, }, 0 };
  int status;

  archive = cli_context_open (context, &status);
  if (archive == NULL)
    return status;

  count (archive, &counts);
  path = g_utf8_make_valid (hold_archive_get_path (archive), -1);
  if (context->options->given & CLI_OPTION_JSON)
    append_json (text, archive, path, &counts);
  else
    append_lines (text, archive, path, &counts);
  if (!cli_output_finish (&context->output))
    return CLI_NOT_DONE;
  return cli_context_tell_oddities (context, archive);
}
