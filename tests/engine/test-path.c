/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Names as hostile as archives make them: S01, X11, L-rules of paths, bidi tricks. */

#include "hold-path.h"

#include <string.h>

static void
check_normal (const char *text, const char *expected, HoldUnsafe expected_unsafe)
{
  HoldUnsafe unsafe = HOLD_UNSAFE_SPECIAL;
  g_autofree char *path = hold_path_normalise (text, &unsafe);

  g_assert_cmpstr (path, ==, expected);
  g_assert_cmphex (unsafe, ==, expected_unsafe);

  /* What is normal stays as it is. */
  g_autofree char *again = hold_path_normalise (path, NULL);
  g_assert_cmpstr (again, ==, expected);
}

static void
test_normalise (void)
{
  check_normal ("a/b/c.txt", "a/b/c.txt", 0);
  check_normal ("./a//b/./c/", "a/b/c", 0);
  check_normal ("a/", "a", 0);
  check_normal ("...", "...", 0);
  check_normal (".a/..b/c..", ".a/..b/c..", 0);
  check_normal ("a\nb", "a\nb", 0);
  check_normal ("C:", "C:", 0);
  check_normal ("a:b", "a:b", 0);
  check_normal ("dir\\sub", "dir\\sub", 0);
  check_normal (" a ", " a ", 0);
}

static void
test_unsafe (void)
{
  check_normal ("../evil.txt", "../evil.txt", HOLD_UNSAFE_DOTDOT);
  check_normal ("a/../b", "a/../b", HOLD_UNSAFE_DOTDOT);
  check_normal ("a/..", "a/..", HOLD_UNSAFE_DOTDOT);
  check_normal ("/abs.txt", "abs.txt", HOLD_UNSAFE_ABSOLUTE);
  check_normal ("//host/x", "host/x", HOLD_UNSAFE_ABSOLUTE);
  check_normal ("/../x", "../x", HOLD_UNSAFE_ABSOLUTE | HOLD_UNSAFE_DOTDOT);
  check_normal ("C:/x", "C:/x", HOLD_UNSAFE_ABSOLUTE);
  check_normal ("C:\\x", "C:\\x", HOLD_UNSAFE_ABSOLUTE);
  check_normal ("\\\\host\\x", "\\\\host\\x", HOLD_UNSAFE_ABSOLUTE);
  check_normal ("", "", HOLD_UNSAFE_EMPTY);
  check_normal (NULL, "", HOLD_UNSAFE_EMPTY);
  check_normal (".", "", HOLD_UNSAFE_EMPTY);
  check_normal ("././/", "", HOLD_UNSAFE_EMPTY);
  check_normal ("/", "", HOLD_UNSAFE_EMPTY | HOLD_UNSAFE_ABSOLUTE);
}

static void
test_lengths (void)
{
  g_autofree char *part255 = g_strnfill (255, 'x');
  g_autofree char *part256 = g_strnfill (256, 'x');
  g_autoptr (GString) path = g_string_new (NULL);

  check_normal (part255, part255, 0);
  check_normal (part256, part256, HOLD_UNSAFE_TOO_LONG);

  while (path->len < 4093)
    g_string_append (path, "a/");
  g_string_append_c (path, 'a');
  g_assert_cmpuint (path->len, ==, 4095);
  check_normal (path->str, path->str, 0);
  g_string_append_c (path, 'a');
  check_normal (path->str, path->str, HOLD_UNSAFE_TOO_LONG);
}

static void
test_links (void)
{
  g_assert_true (hold_path_link_stays_inside ("l", "a"));
  g_assert_true (hold_path_link_stays_inside ("l", "a/../b"));
  g_assert_true (hold_path_link_stays_inside ("a/b/l", "../../c"));
  g_assert_true (hold_path_link_stays_inside ("a/l", ".."));
  g_assert_true (hold_path_link_stays_inside ("a/l", "./b/./c"));
  g_assert_true (hold_path_link_stays_inside ("l", ""));

  g_assert_false (hold_path_link_stays_inside ("l", ".."));
  g_assert_false (hold_path_link_stays_inside ("l", "/etc/passwd"));
  g_assert_false (hold_path_link_stays_inside ("a/l", "../../etc"));
  g_assert_false (hold_path_link_stays_inside ("l", "a/../../b"));
  g_assert_false (hold_path_link_stays_inside ("a/b/l", "..//.././../x"));
  /* Out and in again is out: what lies above is not ours to know. */
  g_assert_false (hold_path_link_stays_inside ("a/l", "../../a/b"));
  g_assert_false (hold_path_link_stays_inside ("../l", "a"));
}

static void
check_display (const char *text, const char *expected)
{
  g_autofree char *shown = hold_path_escape_for_display (text);

  g_assert_cmpstr (shown, ==, expected);
  g_assert_true (g_utf8_validate (shown, -1, NULL));
}

static void
test_display (void)
{
  check_display ("Größe/表.txt", "Größe/表.txt");
  check_display ("a\nb\tc\rd", "a\\nb\\tc\\rd");
  check_display ("\033[31mred\033]0;title\007", "\\x1B[31mred\\x1B]0;title\\x07");
  check_display ("a\177b", "a\\x7Fb");
  check_display ("c1 \xc2\x9b" "31m", "c1 \\u009B31m");
  check_display ("photo\xe2\x80\xae" "gpj.exe", "photo\\u202Egpj.exe");
  check_display ("\xe2\x81\xa6x\xe2\x81\xa9", "\\u2066x\\u2069");
  check_display ("\xe2\x80\xa8", "\\u2028");
  check_display ("bad \xff\xe2\x80", "bad \\xFF\\xE2\\x80");
  check_display ("overlong \xc0\xaf", "overlong \\xC0\\xAF");
  /* Joiners belong to names in many scripts. */
  check_display ("می\xe2\x80\x8cخواهم", "می\xe2\x80\x8cخواهم");
}

static void
test_basename (void)
{
  g_assert_cmpstr (hold_path_peek_basename ("a/b"), ==, "b");
  g_assert_cmpstr (hold_path_peek_basename ("a"), ==, "a");
  g_assert_cmpstr (hold_path_peek_basename (""), ==, "");
}

static void
check_order (const char *before, const char *after)
{
  g_autofree char *a = hold_path_collation_key (before);
  g_autofree char *b = hold_path_collation_key (after);

  g_assert_cmpint (strcmp (a, b), <, 0);
}

static void
test_order (void)
{
  check_order ("a2.txt", "a10.txt");
  check_order ("A2.txt", "a10.txt");
  check_order ("Apple", "banana");
  check_order ("apple", "Banana");
  check_order ("img 9", "IMG 10");
  check_order ("1", "02");
  check_order ("A", "a");  /* never equal, so the order is the same everywhere */

  g_autofree char *broken = hold_path_collation_key ("\xff\xfe");
  g_assert_nonnull (broken);
}

static void
test_words (void)
{
  g_assert_null (hold_unsafe_to_string (HOLD_UNSAFE_NONE));
  g_assert_cmpstr (hold_unsafe_to_string (HOLD_UNSAFE_ABSOLUTE | HOLD_UNSAFE_TOO_LONG), ==,
                   "absolute");
  for (guint i = 0; i < 6; i++)
    g_assert_nonnull (hold_unsafe_to_string ((HoldUnsafe) (1u << i)));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/path/normalise", test_normalise);
  g_test_add_func ("/path/unsafe", test_unsafe);
  g_test_add_func ("/path/lengths", test_lengths);
  g_test_add_func ("/path/links", test_links);
  g_test_add_func ("/path/display", test_display);
  g_test_add_func ("/path/basename", test_basename);
  g_test_add_func ("/path/order", test_order);
  g_test_add_func ("/path/words", test_words);
  return g_test_run ();
}
