/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Turns errors and reports into lines for people and one number for scripts. */

#include "config.h"

#include "cli-report.h"

#include "cli-options.h"
#include "cli-progress.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Not g_printerr(): in the C locale that one replaces every letter outside ASCII, and an entry
 * could not be told from the next. A failing write has nowhere to be reported. */
static void
write_line (const char *text)
{
  g_autofree char *line = g_strconcat (text, "\n", NULL);
  gsize length = strlen (line), written = 0;

  cli_progress_hide ();
  while (written < length)
    {
      gssize n = write (STDERR_FILENO, line + written, length - written);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return;
      written += (gsize) n;
    }
}

/* File names are bytes; what is no UTF-8 is shown as U+FFFD. */
static char *
dup_shown (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  return hold_path_escape_for_display (valid);
}

void
cli_complain (const char *about, const char *format, ...)
{
  g_autofree char *message = NULL, *shown = NULL, *shown_about = NULL, *line = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  shown = dup_shown (message);
  shown_about = about != NULL ? dup_shown (about) : NULL;
  line = g_strconcat ("holdall-cli: ", about != NULL ? shown_about : "", about != NULL ? ": " : "", shown, NULL);
  write_line (line);
}

void
cli_complain_entry (const char *path, const char *format, ...)
{
  g_autofree char *message = NULL, *shown = NULL, *shown_path = dup_shown (path), *line = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  shown = dup_shown (message);
  line = g_strconcat (shown_path, ": ", shown, NULL);
  write_line (line);
}

void
cli_tell (const char *format, ...)
{
  g_autofree char *message = NULL, *shown = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  shown = dup_shown (message);
  write_line (shown);
}

static gboolean
is_password_error (const GError *error)
{
  return g_error_matches (error, HOLD_ERROR, HOLD_ERROR_PASSWORD_NEEDED)
         || g_error_matches (error, HOLD_ERROR, HOLD_ERROR_PASSWORD_WRONG);
}

int
cli_status_of_error (const GError *error)
{
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return CLI_INTERRUPTED;
  return is_password_error (error) ? CLI_PASSWORD : CLI_NOT_DONE;
}

int
cli_worse_status (int a, int b)
{
  /* Wanting a password says what to do next, so it comes before a plain failure. */
  static const int order[] = { CLI_DONE, CLI_PARTLY, CLI_NOT_DONE, CLI_PASSWORD, CLI_USAGE, CLI_INTERRUPTED };
  int worse = CLI_DONE;

  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    if (order[i] == a || order[i] == b)
      worse = order[i];
  return worse;
}

static int
status_of_item (const HoldReportItem *item)
{
  switch (item->outcome)
    {
    case HOLD_OUTCOME_FAILED:
      if (is_password_error (item->error))
        return CLI_PASSWORD;
      /* Also for the archive as a whole, which may end too early: if nothing could be done, the job
       * itself fails. */
      return CLI_PARTLY;
    case HOLD_OUTCOME_SKIPPED:
    case HOLD_OUTCOME_REFUSED:
      return CLI_PARTLY;
    case HOLD_OUTCOME_CHANGED:
      /* Kept although damaged is no success, nor is a file that is not in the archive as it is on the disk;
       * another name was asked for. */
      return item->error->domain == HOLD_ERROR || g_error_matches (item->error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA)
               ? CLI_PARTLY : CLI_DONE;
    case HOLD_OUTCOME_WARNING:
    default:
      return CLI_DONE;
    }
}

static const char *
get_prefix (HoldOutcome outcome)
{
  switch (outcome)
    {
    case HOLD_OUTCOME_SKIPPED:
      return "skipped: ";
    case HOLD_OUTCOME_REFUSED:
      return "refused: ";
    case HOLD_OUTCOME_WARNING:
      return "warning: ";
    case HOLD_OUTCOME_FAILED:
    case HOLD_OUTCOME_CHANGED:
    default:
      return "";
    }
}

int
cli_print_report (HoldReport *report, const char *archive_name, gboolean quiet)
{
  const guint n_items = hold_report_get_n_items (report);
  guint n_counted = 0;
  int status = CLI_DONE;

  for (HoldOutcome outcome = HOLD_OUTCOME_FAILED; outcome <= HOLD_OUTCOME_WARNING; outcome++)
    n_counted += hold_report_count (report, outcome);
  /* Items are bounded, counts are not. */
  if (hold_report_count (report, HOLD_OUTCOME_FAILED) + hold_report_count (report, HOLD_OUTCOME_SKIPPED)
      + hold_report_count (report, HOLD_OUTCOME_REFUSED) > 0)
    status = CLI_PARTLY;

  for (guint i = 0; i < n_items; i++)
    {
      const HoldReportItem *item = hold_report_get_item (report, i);
      const int item_status = status_of_item (item);
      const char *prefix = get_prefix (item->outcome);

      status = cli_worse_status (status, item_status);
      if (quiet && item_status == CLI_DONE)
        continue;
      if (item->path[0] == '\0')
        cli_complain (archive_name, "%s%s", prefix, item->error->message);
      else
        cli_complain_entry (item->path, "%s%s", prefix, item->error->message);
    }
  if (n_counted > n_items)
    cli_complain (archive_name, "… and %u entries more", n_counted - n_items);
  return status;
}
