/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Passwords: compared, kept newest first, and gone when they are gone. */

#include "hold-keyring.h"
#include "hold-secret.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static void
test_equal (void)
{
  g_autoptr (HoldSecret) a = hold_secret_new ("geheim");
  g_autoptr (HoldSecret) b = hold_secret_new ("geheim");
  g_autoptr (HoldSecret) c = hold_secret_new ("geheiM");
  g_autoptr (HoldSecret) d = hold_secret_new ("geheim ");
  g_autoptr (HoldSecret) empty = hold_secret_new ("");

  g_assert_true (hold_secret_equal (a, b));
  g_assert_false (hold_secret_equal (a, c));
  g_assert_false (hold_secret_equal (a, d));
  g_assert_false (hold_secret_equal (a, empty));
  g_assert_true (hold_secret_equal (empty, empty));
  g_assert_cmpstr (hold_secret_peek (a), ==, "geheim");
}

static void
test_long (void)
{
  g_autofree char *text = g_strnfill (100000, 'p');
  g_autoptr (HoldSecret) secret = hold_secret_new (text);
  g_autofree char *page = g_strnfill (4096, 'q');
  g_autoptr (HoldSecret) exact = hold_secret_new (page);

  g_assert_cmpstr (hold_secret_peek (secret), ==, text);
  g_assert_cmpstr (hold_secret_peek (exact), ==, page);
}

/* The text stays as long as anybody holds it, and its pages are gone with the last reference. */
static void
test_wiped (void)
{
  HoldSecret *secret = hold_secret_new ("three.can.keep.it");
  HoldSecret *other = hold_secret_ref (secret);
  const char *place = hold_secret_peek (secret);
  gsize page = (gsize) sysconf (_SC_PAGESIZE);
  unsigned char residency;

  g_assert_cmpuint ((gsize) place % page, ==, 0);
  hold_secret_unref (secret);
  g_assert_cmpstr (place, ==, "three.can.keep.it");
  hold_secret_unref (other);

  g_assert_cmpint (mincore ((void *) place, page, &residency), ==, -1);
  g_assert_cmpint (errno, ==, ENOMEM);
}

static void
test_keyring (void)
{
  g_autoptr (HoldKeyring) keyring = hold_keyring_new ();
  g_autoptr (HoldSecret) a = hold_secret_new ("a");
  g_autoptr (HoldSecret) b = hold_secret_new ("b");
  g_autoptr (HoldSecret) a_again = hold_secret_new ("a");

  g_assert_true (hold_keyring_is_empty (keyring));
  hold_keyring_add (keyring, a);
  hold_keyring_add (keyring, b);
  g_autoptr (GPtrArray) before = hold_keyring_dup_secrets (keyring);
  hold_keyring_add (keyring, a_again);
  g_autoptr (GPtrArray) after = hold_keyring_dup_secrets (keyring);

  g_assert_false (hold_keyring_is_empty (keyring));
  g_assert_cmpuint (before->len, ==, 2);
  g_assert_true (before->pdata[0] == b);
  g_assert_cmpuint (after->len, ==, 2);
  g_assert_true (hold_secret_equal (after->pdata[0], a));
  g_assert_true (after->pdata[1] == b);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/secret/equal", test_equal);
  g_test_add_func ("/secret/long", test_long);
  g_test_add_func ("/secret/wiped", test_wiped);
  g_test_add_func ("/secret/keyring", test_keyring);
  return g_test_run ();
}
