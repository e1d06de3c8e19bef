/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The progress line. On a terminal it is drawn over itself; anywhere else a line is added every
 * second, so that a log stays readable. */

#include "config.h"

#include "cli-progress.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LOG_INTERVAL_US G_USEC_PER_SEC

struct _CliProgress {
  HoldJob *job;
  gulong handler;
  gboolean on_terminal;
  HoldRate rate;
  gint64 last_line_us;
};

/* There is one terminal only. */
static gboolean line_is_shown;

static void
put (const char *text, gsize length)
{
  /* Progress that can't be shown is no reason to stop. */
  if (write (STDERR_FILENO, text, length) < 0)
    line_is_shown = FALSE;
}

void
cli_progress_hide (void)
{
  if (!line_is_shown)
    return;
  line_is_shown = FALSE;
  put ("\r\033[K", 4);
}

static guint
get_columns (void)
{
  struct winsize size = { 0, };

  if (ioctl (STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20)
    return size.ws_col;
  return 80;
}

/* Cuts @line where the terminal ends; wide characters take two columns. */
static void
fit (GString *line, guint columns)
{
  guint used = 0;

  for (const char *at = line->str; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);

      used += g_unichar_iszerowidth (c) ? 0 : g_unichar_iswide (c) ? 2 : 1;
      if (used >= columns)
        {
          g_string_truncate (line, (gsize) (at - line->str));
          return;
        }
    }
}

static const char *
get_phase_name (HoldPhase phase)
{
  switch (phase)
    {
    case HOLD_PHASE_WAITING:
      return "waiting";
    case HOLD_PHASE_SCANNING:
      return "reading the list";
    case HOLD_PHASE_READING:
      return "unpacking";
    case HOLD_PHASE_WRITING:
      return "writing";
    case HOLD_PHASE_SYNCING:
      return "making durable";
    case HOLD_PHASE_VERIFYING:
      return "verifying";
    default:
      return "working";
    }
}

static void
describe (CliProgress *self, const HoldProgress *progress, GString *line)
{
  g_autofree char *done = g_format_size (progress->bytes_done);
  guint seconds;

  g_string_append (line, get_phase_name (progress->phase));
  if (progress->has_total)
    {
      g_autofree char *total = g_format_size (progress->bytes_total);
      double part = progress->bytes_total > 0 ? (double) progress->bytes_done / (double) progress->bytes_total : 0.0;

      g_string_append_printf (line, "  %3u %%  %s of %s", (guint) (100.0 * part), done, total);
    }
  else
    g_string_append_printf (line, "  %s", done);
  if (progress->is_packed)
    g_string_append (line, " read");
  if (progress->entries_total > 0)
    g_string_append_printf (line, "  %u/%u", progress->entries_done, progress->entries_total);
  if (self->rate.bytes_per_second > 0)
    {
      g_autofree char *rate = g_format_size ((guint64) self->rate.bytes_per_second);

      g_string_append_printf (line, "  %s/s", rate);
    }
  if (hold_rate_get_seconds_left (&self->rate, progress, &seconds))
    g_string_append_printf (line, "  %u:%02u left", seconds / 60, seconds % 60);
  if (progress->current != NULL)
    {
      g_autofree char *shown = hold_path_escape_for_display (progress->current);

      g_string_append_printf (line, "  %s", shown);
    }
}

static void
draw (CliProgress *self, const HoldProgress *progress)
{
  g_autoptr (GString) line = g_string_new (NULL);
  const char *charset;

  describe (self, progress, line);
  /* g_format_size() puts a no-break space before the unit. */
  if (!g_get_charset (&charset))
    g_string_replace (line, "\302\240", " ", 0);
  if (self->on_terminal)
    {
      fit (line, get_columns ());
      g_string_prepend (line, "\r");
      g_string_append (line, "\033[K");
      line_is_shown = TRUE;
    }
  else
    g_string_append_c (line, '\n');
  put (line->str, line->len);
}

static void
progress_cb (HoldJob *job, CliProgress *self)
{
  const gint64 now_us = g_get_monotonic_time ();
  HoldProgress progress = { 0, };

  /* The line of a question must not be drawn over. */
  if (hold_job_get_state (job) == HOLD_JOB_ASKING)
    {
      hold_rate_pause (&self->rate);
      return;
    }
  hold_job_get_progress (job, &progress);
  hold_rate_add_sample (&self->rate, now_us, progress.bytes_done);
  if (progress.phase != HOLD_PHASE_WAITING
      && (self->on_terminal || now_us - self->last_line_us >= LOG_INTERVAL_US))
    {
      self->last_line_us = now_us;
      draw (self, &progress);
    }
  hold_progress_clear (&progress);
}

CliProgress *
cli_progress_new (HoldJob *job)
{
  CliProgress *self = g_new0 (CliProgress, 1);

  self->job = g_object_ref (job);
  self->on_terminal = isatty (STDERR_FILENO) == 1;
  /* A job that ends within the first second needs no line but its last. */
  self->last_line_us = g_get_monotonic_time ();
  self->handler = g_signal_connect (job, "progress", G_CALLBACK (progress_cb), self);
  return self;
}

void
cli_progress_free (CliProgress *self)
{
  HoldProgress progress = { 0, };

  g_signal_handler_disconnect (self->job, self->handler);
  cli_progress_hide ();
  if (!self->on_terminal && hold_job_get_state (self->job) == HOLD_JOB_DONE)
    {
      hold_job_get_progress (self->job, &progress);
      draw (self, &progress);
      hold_progress_clear (&progress);
    }
  g_object_unref (self->job);
  g_free (self);
}
