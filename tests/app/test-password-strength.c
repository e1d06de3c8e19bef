/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The strength of a new password: at its bounds, and for what only looks long or colourful. */

#include "config.h"

#include <glib.h>

#include "holdall-password-strength.h"

static void
test_estimate (void)
{
  static const struct { const char *password; HoldallPasswordStrength strength; } cases[] = {
    { "", HOLDALL_PASSWORD_NONE },
    { " ", HOLDALL_PASSWORD_WEAK },
    { "1", HOLDALL_PASSWORD_WEAK },
    { "password", HOLDALL_PASSWORD_WEAK },
    { "Passw0rd!", HOLDALL_PASSWORD_WEAK },
    { "24.12.1969", HOLDALL_PASSWORD_WEAK },
    { "qwertyuiop", HOLDALL_PASSWORD_WEAK },
    { "k7!Rw2#qLp", HOLDALL_PASSWORD_FAIR },
    { "zebrahutmofaxyl", HOLDALL_PASSWORD_FAIR },
    { "k7!Rw2#qLp9$Tz", HOLDALL_PASSWORD_STRONG },
    { "yellow kitchen sings at noon", HOLDALL_PASSWORD_STRONG },
    /* Long, and nothing but one character, a few, or a sequence. */
    { "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", HOLDALL_PASSWORD_WEAK },
    { "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1", HOLDALL_PASSWORD_WEAK },
    { "abcdefghijklmnopqrstuvwxyz0123456789", HOLDALL_PASSWORD_WEAK },
    { "zyxwvutsrqponmlkjihgfedcba", HOLDALL_PASSWORD_WEAK },
    /* Characters count, not bytes. */
    { "пароль", HOLDALL_PASSWORD_WEAK },
    { "жёлтая кухня поёт", HOLDALL_PASSWORD_STRONG },
    { "密码", HOLDALL_PASSWORD_WEAK },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("“%s”", cases[i].password);
      g_assert_cmpint (holdall_password_strength_estimate (cases[i].password), ==,
                       cases[i].strength);
    }
}

/* More of anything never makes it weaker: the hint must not go down while a person types. */
static void
test_grows (void)
{
  static const char password[] = "ab1 Zz!aab:9éQQ-xyz??k7wM";
  HoldallPasswordStrength before = HOLDALL_PASSWORD_NONE;

  for (const char *end = password; *end != '\0'; end = g_utf8_next_char (end))
    {
      g_autofree char *start = g_strndup (password, (gsize) (end - password));
      HoldallPasswordStrength now = holdall_password_strength_estimate (start);

      g_assert_cmpint (now, >=, before);
      before = now;
    }
  g_assert_cmpint (before, ==, HOLDALL_PASSWORD_STRONG);
}

static void
test_words (void)
{
  /* A hint that is the same for two of them would be none. */
  for (int a = HOLDALL_PASSWORD_NONE; a <= HOLDALL_PASSWORD_STRONG; a++)
    for (int b = HOLDALL_PASSWORD_NONE; b < a; b++)
      g_assert_cmpstr (holdall_password_strength_describe (a), !=,
                       holdall_password_strength_describe (b));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/password-strength/estimate", test_estimate);
  g_test_add_func ("/app/password-strength/grows", test_grows);
  g_test_add_func ("/app/password-strength/words", test_words);
  return g_test_run ();
}
