/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* An upper bound for the work of guessing, in bits: so many characters, each one of so many that
 * might stand there. What repeats or counts on ("aaaa", "1234") adds nothing. */

#include "config.h"

#include "holdall-password-strength.h"

#include <glib/gi18n.h>

/* People choose words and not letters by lot, so the bounds are higher than those of keys: eight
 * characters of all kinds ("Passw0rd!") must not look good. Sixteen small letters are fair, twenty
 * are strong. */
#define FAIR_BITS 60
#define STRONG_BITS 90

/* Binary logarithms in hundredths; nothing here is worth a floating-point one. */
static guint
get_hundredths_of_bits (guint n_choices)
{
  static const struct { guint n_choices; guint bits; } steps[] = {
    { 10, 332 }, { 26, 470 }, { 36, 517 }, { 52, 570 }, { 62, 595 }, { 85, 641 }, { 95, 657 },
  };
  guint bits = 0;

  for (guint i = 0; i < G_N_ELEMENTS (steps) && n_choices >= steps[i].n_choices; i++)
    bits = steps[i].bits;
  return bits;
}

/* How many characters might stand where those of @password stand. */
static guint
count_choices (const char *password)
{
  gboolean has_small = FALSE, has_large = FALSE, has_digit = FALSE, has_sign = FALSE, has_other = FALSE;

  for (const char *p = password; *p != '\0'; p++)
    {
      has_small = has_small || g_ascii_islower (*p);
      has_large = has_large || g_ascii_isupper (*p);
      has_digit = has_digit || g_ascii_isdigit (*p);
      has_sign = has_sign || g_ascii_ispunct (*p) || *p == ' ';
      has_other = has_other || ((guchar) *p & 0x80) != 0;
    }
  return (has_small ? 26 : 0) + (has_large ? 26 : 0) + (has_digit ? 10 : 0) + (has_sign ? 33 : 0) +
         (has_other ? 95 : 0);
}

/* Characters that are neither the one before nor its neighbour, and none of them more than twice. */
static guint
count_characters (const char *password)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  gunichar previous = 0;
  guint n_characters = 0;

  for (const char *p = password; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar character = g_utf8_get_char (p);
      guint n_seen = GPOINTER_TO_UINT (g_hash_table_lookup (seen, GUINT_TO_POINTER (character)));

      if (ABS ((gint64) character - (gint64) previous) > 1 && n_seen < 2)
        n_characters++;
      g_hash_table_insert (seen, GUINT_TO_POINTER (character), GUINT_TO_POINTER (n_seen + 1));
      previous = character;
    }
  return n_characters;
}

HoldallPasswordStrength
holdall_password_strength_estimate (const char *password)
{
  guint bits;

  g_return_val_if_fail (password != NULL, HOLDALL_PASSWORD_NONE);

  if (*password == '\0')
    return HOLDALL_PASSWORD_NONE;
  bits = count_characters (password) * get_hundredths_of_bits (count_choices (password)) / 100;
  if (bits >= STRONG_BITS)
    return HOLDALL_PASSWORD_STRONG;
  return bits >= FAIR_BITS ? HOLDALL_PASSWORD_FAIR : HOLDALL_PASSWORD_WEAK;
}

const char *
holdall_password_strength_describe (HoldallPasswordStrength strength)
{
  switch (strength)
    {
    case HOLDALL_PASSWORD_WEAK:
      return _("Weak: this password is easy to guess.");
    case HOLDALL_PASSWORD_FAIR:
      return _("Fair: a longer password would be better.");
    case HOLDALL_PASSWORD_STRONG:
      return _("Strong: this password is hard to guess.");
    default:
      return _("Without a password anyone can open the archive.");
    }
}
