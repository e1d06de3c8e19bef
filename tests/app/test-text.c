/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The words of the window: numbers at their edges, and a sentence for every error code. */

#include "config.h"

#include <gtk/gtk.h>
#include <hold.h>

#include "holdall-engine-text.h"
#include "holdall-error-text.h"
#include "holdall-format-text.h"
#include "holdall-job-list.h"

static void
assert_take (char       *text,
             const char *expected)
{
  g_assert_cmpstr (text, ==, expected);
  g_free (text);
}

static void
test_sizes (void)
{
  assert_take (holdall_format_size_pair (14200000, 26100000), "14.2 of 26.1\u00a0MB");
  assert_take (holdall_format_size_pair (900, 26100000), "900 bytes of 26.1\u00a0MB");
  assert_take (holdall_format_ratio (0, 0), "");
  assert_take (holdall_format_ratio (1, 2), "50 %");
  /* A bomb: the share is not 0 % by division, and nothing overflows. */
  assert_take (holdall_format_ratio (G_MAXUINT64, G_MAXUINT64), "100 %");
  assert_take (holdall_format_mode (0755), "rwxr-xr-x (0755)");
  assert_take (holdall_format_mode (04711), "rws--x--x (4711)");
  assert_take (holdall_format_mode (01644), "rw-r--r-T (1644)");
}

/* Numbers with Latin words keep their order between Arabic ones, and nothing is added elsewhere. */
static void
test_isolates (void)
{
  GtkTextDirection direction = gtk_widget_get_default_direction ();

  gtk_widget_set_default_direction (GTK_TEXT_DIR_RTL);
  assert_take (holdall_format_size (512), "\u2068512 bytes\u2069");
  assert_take (holdall_format_size_long (1300),
               "\u200f\u20681.3\u00a0kB\u2069 (\u20681300 bytes\u2069)");
  assert_take (holdall_format_size_long (512), "\u2068512 bytes\u2069");
  assert_take (holdall_format_mode (0755), "\u2068rwxr-xr-x (0755)\u2069");
  assert_take (holdall_format_isolate (""), "");
  gtk_widget_set_default_direction (GTK_TEXT_DIR_LTR);
  assert_take (holdall_format_isolate ("a (b)"), "a (b)");
  gtk_widget_set_default_direction (direction);
}

static void
test_rates (void)
{
  assert_take (holdall_format_rate (310456789), "310 MB/s");
  assert_take (holdall_format_rate (2345678), "2.3 MB/s");
  assert_take (holdall_format_rate (999), "999 bytes/s");
  assert_take (holdall_format_rate (0), "0 bytes/s");
  /* Neither a negative rate nor one that no disk has may reach a conversion that is undefined. */
  assert_take (holdall_format_rate (-1), "0 bytes/s");
  assert_take (holdall_format_rate (1e300), "0 bytes/s");
}

static void
test_times (void)
{
  g_autofree char *early = holdall_format_time (G_MININT64);
  g_autofree char *late = holdall_format_time_long (G_MAXINT64);
  g_autofree char *dos = holdall_format_time (315532800);

  g_assert_cmpstr (early, !=, "");
  g_assert_cmpstr (late, !=, "");
  g_assert_nonnull (strstr (dos, "1980"));

  assert_take (holdall_format_duration (0), "0 s");
  assert_take (holdall_format_duration (59), "59 s");
  assert_take (holdall_format_duration (60), "1 min");
  assert_take (holdall_format_duration (125), "2 min 5 s");
  assert_take (holdall_format_duration (3600), "1 h");
  assert_take (holdall_format_duration (4800), "1 h 20 min");
}

static void
test_counts (void)
{
  assert_take (holdall_format_items (0), "0 items");
  assert_take (holdall_format_items (1), "1 item");
  assert_take (holdall_format_basename ("/a/b.zip"), "b.zip");
  assert_take (holdall_format_basename (NULL), "");
}

static void
test_errors (void)
{
  for (int code = HOLD_ERROR_NOT_ARCHIVE; code <= HOLD_ERROR_READ_ONLY; code++)
    {
      g_autoptr (GError) error = g_error_new (HOLD_ERROR, code, "central header 12 at 0x4f3a: \033[31m");
      g_autofree char *title = holdall_error_text_title (error);
      g_autofree char *body = holdall_error_text_body (error);
      g_autofree char *reason = holdall_error_text_reason (error);
      g_autofree char *details = holdall_error_text_details (error);

      /* Every code has words of its own, and none of them is the engine's. */
      g_assert_cmpstr (title, !=, "Something Went Wrong");
      g_assert_null (strstr (body, "0x4f3a"));
      g_assert_null (strstr (reason, "0x4f3a"));
      g_assert_true (g_str_has_suffix (body, "."));
      /* Details keep the place but can't speak to a terminal. */
      g_assert_nonnull (strstr (details, "0x4f3a"));
      g_assert_null (strchr (details, '\033'));
      g_assert_false (holdall_error_text_is_silent (error));
    }
}

/* Where nothing could be opened nothing is left to take out, and no sentence says so. */
static void
test_unopened (void)
{
  g_autoptr (GError) corrupt = g_error_new (HOLD_ERROR, HOLD_ERROR_CORRUPT, "x");
  g_autoptr (GError) other = g_error_new (HOLD_ERROR, HOLD_ERROR_NOT_ARCHIVE, "x");
  g_autofree char *body = holdall_error_text_open_body (corrupt);
  g_autofree char *other_body = holdall_error_text_body (other);

  g_assert_null (strstr (body, "extracted"));
  g_assert_nonnull (strstr (body, "fresh copy"));
  assert_take (holdall_error_text_open_body (other), other_body);
}

static void
test_other_errors (void)
{
  g_autoptr (GError) cancelled = g_error_new (G_IO_ERROR, G_IO_ERROR_CANCELLED, "x");
  g_autoptr (GError) odd = g_error_new (G_FILE_ERROR, G_FILE_ERROR_FAILED, "a/b: odd \xff thing");
  g_autofree char *reason = holdall_error_text_reason (odd);

  g_assert_true (holdall_error_text_is_silent (cancelled));
  g_assert_true (holdall_error_text_is_silent (NULL));
  /* An unknown error is told in its own words, as valid UTF-8. */
  g_assert_nonnull (strstr (reason, "a/b: odd"));
  g_assert_true (g_utf8_validate (reason, -1, NULL));
}

static void
test_json (void)
{
  g_autoptr (GString) json = g_string_new (NULL);

  holdall_json_append_string (json, "a\"b\\c\n\x7f" "é");
  g_assert_cmpstr (json->str, ==, "\"a\\\"b\\\\c\\u000a\\u007fé\"");
  g_string_truncate (json, 0);
  holdall_json_append_string (json, NULL);
  g_assert_cmpstr (json->str, ==, "null");
}

/* What the engine says is repeated letter by letter, or gettext would not find it. */
static void
test_engine_words (void)
{
  static const HoldCaps caps[] = { HOLD_CAP_READ, HOLD_CAP_WRITE, HOLD_CAP_UPDATE };
  guint n_formats;
  const HoldFormat *formats = hold_format_table (&n_formats);
  g_autofree char *unknown = holdall_engine_text_why_not ("It is Sunday");
  g_autofree char *system = holdall_engine_text_why_not ("The file can't be written: no, 100 %s");

  for (guint i = 0; i < n_formats; i++)
    {
      for (guint c = 0; c < G_N_ELEMENTS (caps); c++)
        {
          const char *why = hold_format_why_not (&formats[i], caps[c]);
          g_autofree char *words = holdall_engine_text_why_not (why);

          g_assert_cmpstr (words, ==, why);
        }
    }
  g_assert_cmpstr (unknown, ==, "It is Sunday");
  g_assert_cmpstr (system, ==, "The file can't be written: no, 100 %s");
  g_assert_null (holdall_engine_text_why_not (NULL));
  g_assert_null (holdall_engine_text_label ("CRC-32"));
  g_assert_cmpstr (holdall_engine_text_label ("Flags"), ==, "Flags");
  g_assert_cmpstr (holdall_engine_text_label ("New here"), ==, "New here");
}

int
main (int   argc,
      char *argv[])
{
  g_setenv ("LC_ALL", "C.UTF-8", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/text/sizes", test_sizes);
  g_test_add_func ("/app/text/isolates", test_isolates);
  g_test_add_func ("/app/text/rates", test_rates);
  g_test_add_func ("/app/text/times", test_times);
  g_test_add_func ("/app/text/counts", test_counts);
  g_test_add_func ("/app/text/errors", test_errors);
  g_test_add_func ("/app/text/unopened", test_unopened);
  g_test_add_func ("/app/text/other-errors", test_other_errors);
  g_test_add_func ("/app/text/json", test_json);
  g_test_add_func ("/app/text/engine-words", test_engine_words);
  return g_test_run ();
}
