/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Numbers in words, so that the list, the job bar, the dialogs and the toasts agree. Everything
 * a person must translate or that differs by country is in this file. */

#include "config.h"

#include "holdall-format-text.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>

#define FIRST_STRONG_ISOLATE "\u2068"
#define POP_DIRECTIONAL_ISOLATE "\u2069"
#define RIGHT_TO_LEFT_MARK "\u200f"

static gboolean
is_rtl (void)
{
  return gtk_widget_get_default_direction () == GTK_TEXT_DIR_RTL;
}

char *
holdall_format_isolate (const char *text)
{
  if (!is_rtl () || *text == '\0')
    return g_strdup (text);
  return g_strconcat (FIRST_STRONG_ISOLATE, text, POP_DIRECTIONAL_ISOLATE, NULL);
}

char *
holdall_format_size (guint64 size_bytes)
{
  g_autofree char *text = g_format_size (size_bytes);

  return holdall_format_isolate (text);
}

char *
holdall_format_size_long (guint64 size_bytes)
{
  g_autofree char *text = g_format_size_full (size_bytes, G_FORMAT_SIZE_LONG_FORMAT);
  g_autofree char *size = NULL;
  g_autofree char *exact = NULL;
  g_autofree char *bytes = NULL;
  char *open = strstr (text, " (");

  if (!is_rtl ())
    return g_steal_pointer (&text);
  if (open == NULL || !g_str_has_suffix (open, ")"))
    return holdall_format_isolate (text);

  /* "12 kB" may be in Latin letters and the bytes in Arabic ones: each is read in its own way, and
   * the second comes after the first. */
  size = holdall_format_size (size_bytes);
  exact = g_strndup (open + 2, strlen (open) - 3);
  bytes = holdall_format_isolate (exact);
  return g_strdup_printf (RIGHT_TO_LEFT_MARK "%s (%s)", size, bytes);
}

char *
holdall_format_size_pair (guint64 done_bytes,
                          guint64 total_bytes)
{
  g_autofree char *done = g_format_size (done_bytes);
  g_autofree char *total = g_format_size (total_bytes);
  g_autofree char *done_unit = g_format_size_full (done_bytes, G_FORMAT_SIZE_ONLY_UNIT);
  g_autofree char *total_unit = g_format_size_full (total_bytes, G_FORMAT_SIZE_ONLY_UNIT);
  g_autofree char *value = NULL;

  if (!g_str_equal (done_unit, total_unit))
    /* Translators: bytes done of bytes in all, "900 kB of 26.1 MB" */
    return g_strdup_printf (_("%s of %s"), done, total);

  value = g_format_size_full (done_bytes, G_FORMAT_SIZE_ONLY_VALUE);
  return g_strdup_printf (_("%s of %s"), value, total);
}

char *
holdall_format_rate (double bytes_per_second)
{
  double scaled = bytes_per_second > 0 && bytes_per_second < 1e18 ? bytes_per_second : 0;
  g_autofree char *unit = g_format_size_full ((guint64) scaled, G_FORMAT_SIZE_ONLY_UNIT);
  gboolean is_bytes = scaled < 1000;

  while (scaled >= 1000)
    scaled /= 1000;

  /* Three figures are what an eye can follow; "310.4 MB/s" only flickers. */
  if (is_bytes || scaled >= 100)
    /* Translators: a rate, "310 MB/s" */
    return g_strdup_printf (_("%.0f %s/s"), scaled, unit);
  return g_strdup_printf (_("%.1f %s/s"), scaled, unit);
}

static char *
format_date_time (gint64      unix_seconds,
                  const char *format)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_local (unix_seconds);
  g_autofree char *text = NULL;

  if (time != NULL)
    text = g_date_time_format (time, format);

  /* Archives hold any number here; the calendar ends with the year 9999. */
  return text != NULL ? g_steal_pointer (&text) : g_strdup (_("Unknown"));
}

char *
holdall_format_time (gint64 unix_seconds)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_local (unix_seconds);

  if (time != NULL && now != NULL
      && g_date_time_get_year (time) == g_date_time_get_year (now)
      && g_date_time_get_day_of_year (time) == g_date_time_get_day_of_year (now))
    /* Translators: a time of today; see strftime(3) */
    return g_date_time_format (time, _("%H:%M"));

  /* Translators: a date in a list; see strftime(3). %-d is the day without a zero in front. */
  return format_date_time (unix_seconds, _("%-d %b %Y"));
}

char *
holdall_format_time_long (gint64 unix_seconds)
{
  /* Translators: date and time in full; see strftime(3) */
  return format_date_time (unix_seconds, _("%-d %B %Y, %H:%M:%S"));
}

char *
holdall_format_duration (guint seconds)
{
  /* Translators: short units of time: seconds, minutes, hours */
  if (seconds < 60)
    return g_strdup_printf (_("%u s"), seconds);
  if (seconds < 10 * 60 && seconds % 60 != 0)
    return g_strdup_printf (_("%u min %u s"), seconds / 60, seconds % 60);
  if (seconds < 60 * 60)
    return g_strdup_printf (_("%u min"), seconds / 60);
  if (seconds / 60 % 60 == 0)
    return g_strdup_printf (_("%u h"), seconds / 3600);
  return g_strdup_printf (_("%u h %u min"), seconds / 3600, seconds / 60 % 60);
}

char *
holdall_format_count (guint64 number)
{
  return g_strdup_printf ("%'" G_GUINT64_FORMAT, number);
}

char *
holdall_format_items (guint n_items)
{
  return g_strdup_printf (ngettext ("%'u item", "%'u items", n_items), n_items);
}

char *
holdall_format_ratio (guint64 packed_bytes,
                      guint64 size_bytes)
{
  if (size_bytes == 0)
    return g_strdup ("");

  /* Translators: packed size as a share of the unpacked one */
  return g_strdup_printf (_("%.0f %%"), 100.0 * (double) packed_bytes / (double) size_bytes);
}

char *
holdall_format_mode (guint mode)
{
  char letters[10];
  g_autofree char *text = NULL;

  for (guint i = 0; i < 9; i++)
    letters[i] = (mode & (0400u >> i)) != 0 ? "rwxrwxrwx"[i] : '-';
  if (mode & 04000)
    letters[2] = letters[2] == 'x' ? 's' : 'S';
  if (mode & 02000)
    letters[5] = letters[5] == 'x' ? 's' : 'S';
  if (mode & 01000)
    letters[8] = letters[8] == 'x' ? 't' : 'T';
  letters[9] = '\0';

  text = g_strdup_printf ("%s (%04o)", letters, mode & 07777);
  return holdall_format_isolate (text);
}

char *
holdall_format_path (const char *path)
{
  g_autofree char *valid = NULL;

  if (path == NULL)
    return g_strdup ("");

  valid = g_filename_display_name (path);
  return hold_path_escape_for_display (valid);
}

char *
holdall_format_basename (const char *path)
{
  g_autofree char *name = NULL;

  if (path == NULL)
    return g_strdup ("");

  name = g_path_get_basename (path);
  return holdall_format_path (name);
}
