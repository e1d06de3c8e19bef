/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* ZIP through the engine's eyes: passwords, entries that can't be read, names, links, sets,
 * damage. */

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

#include "backend-helpers.h"
#include "hold-error.h"
#include "zip-builder.h"

/* Opens what @text describes (see zip-builder.h). */
static HoldArchive *
open_text (Box *box, const char *text)
{
  g_autoptr (GBytes) bytes = zip_builder_from_text (text);
  g_autofree char *path = zip_builder_save (bytes, box->dir, "a.zip");
  g_autoptr (GError) error = NULL;
  HoldArchive *archive = open_archive (path, &error);

  g_assert_no_error (error);
  return archive;
}

static void
test_passwords (void)
{
  g_auto (Box) box = { 0 };
  g_autoptr (HoldArchive) archive = NULL;

  box_init (&box);
  archive = open_text (&box, "plain.txt|open|\nsecret.txt|the secret content|password=right\n"
                             "streamed.txt|the streamed content|deflate streamed password=right\n");
  g_assert_true (hold_archive_is_encrypted (archive));

  g_autoptr (Pass) none = pass_run (archive, NULL, 0, NULL, NULL);
  assert_content (none, 0, "open");
  g_assert_error (pass_get (none, 1)->error, HOLD_ERROR, HOLD_ERROR_PASSWORD_NEEDED);
  g_assert_error (pass_get (none, 2)->error, HOLD_ERROR, HOLD_ERROR_PASSWORD_NEEDED);

  /* One wrong password in 256 passes ZipCrypto's own test: not one byte may come of any. */
  for (guint i = 0; i < 600; i++)
    {
      g_autofree char *wrong = g_strdup_printf ("wrong%u", i);
      g_autoptr (Pass) pass = pass_run (archive, NULL, 0, wrong, NULL);

      g_assert_error (pass_get (pass, 1)->error, HOLD_ERROR, HOLD_ERROR_PASSWORD_WRONG);
      g_assert_cmpuint (pass_get (pass, 1)->content->len, ==, 0);
      g_assert_error (pass_get (pass, 2)->error, HOLD_ERROR, HOLD_ERROR_PASSWORD_WRONG);
      g_assert_cmpuint (pass_get (pass, 2)->content->len, ==, 0);
    }

  g_autoptr (Pass) right = pass_run (archive, NULL, 0, "wrong right other", NULL);
  assert_content (right, 1, "the secret content");
  assert_content (right, 2, "the streamed content");
}

static la_ssize_t
write_cb (struct archive *archive, void *user_data, const void *bytes, size_t length)
{
  g_byte_array_append (user_data, bytes, (guint) length);
  return (la_ssize_t) length;
}

static GByteArray *
make_aes (const char *content)
{
  struct archive *writer = archive_write_new ();
  struct archive_entry *entry = archive_entry_new ();
  GByteArray *bytes = g_byte_array_new ();

  g_assert_cmpint (archive_write_set_format_zip (writer), ==, ARCHIVE_OK);
  g_assert_cmpint (archive_write_set_options (writer, "zip:encryption=aes256"), ==, ARCHIVE_OK);
  g_assert_cmpint (archive_write_set_passphrase (writer, "right"), ==, ARCHIVE_OK);
  g_assert_cmpint (archive_write_open (writer, bytes, NULL, write_cb, NULL), ==, ARCHIVE_OK);
  archive_entry_set_pathname (entry, "s.txt");
  archive_entry_set_filetype (entry, AE_IFREG);
  archive_entry_set_perm (entry, 0644);
  archive_entry_set_size (entry, (la_int64_t) strlen (content));
  g_assert_cmpint (archive_write_header (writer, entry), ==, ARCHIVE_OK);
  g_assert_cmpint (archive_write_data (writer, content, strlen (content)), ==, (int) strlen (content));
  archive_entry_free (entry);
  g_assert_cmpint (archive_write_free (writer), ==, ARCHIVE_OK);
  return bytes;
}

static void
test_aes (void)
{
  static const char content[] = "forty-two bytes, not more and not fewer...";
  g_auto (Box) box = { 0 };
  g_autoptr (GByteArray) bytes = make_aes (content);
  g_autofree char *path = NULL;
  g_autofree char *bad_path = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (HoldArchive) archive = NULL;
  g_autoptr (HoldArchive) bad = NULL;

  box_init (&box);
  path = box_put (&box, "aes.zip", bytes->data, bytes->len);
  archive = open_archive (path, &error);
  g_assert_no_error (error);

  g_autoptr (Pass) wrong = pass_run (archive, NULL, 0, "wrong", NULL);
  g_assert_error (pass_get (wrong, 0)->error, HOLD_ERROR, HOLD_ERROR_PASSWORD_WRONG);
  g_autoptr (Pass) right = pass_run (archive, NULL, 0, "wrong right", NULL);
  assert_content (right, 0, content);

  /* A byte of the encrypted data: behind header, name, extra fields, salt and check. */
  guint8 *local = bytes->data;
  gsize start = 30u + local[26] + 256u * local[27] + local[28] + 256u * local[29] + 16 + 2;

  bytes->data[start + 5] ^= 1;
  bad_path = box_put (&box, "bad.zip", bytes->data, bytes->len);
  bad = open_archive (bad_path, &error);
  g_assert_no_error (error);
  g_autoptr (Pass) damaged = pass_run (bad, NULL, 0, "right", NULL);
  g_assert_nonnull (pass_get (damaged, 0)->error);
  g_assert_cmpuint (pass_get (damaged, 0)->content->len, ==, 0);
}

/* Z18, Z19: known before anything is started, and the others still come out. */
static void
test_unreadable (void)
{
  g_auto (Box) box = { 0 };
  g_autoptr (HoldArchive) archive = NULL;

  box_init (&box);
  archive = open_text (&box, "a.txt|first|deflate\nb.bin|whatever|method=10\nc.txt|third|\n");
  g_assert_true (hold_entry_is_readable (hold_archive_get_entry (archive, 0)));
  g_assert_false (hold_entry_is_readable (hold_archive_get_entry (archive, 1)));

  g_autoptr (Pass) pass = pass_run (archive, NULL, 0, NULL, NULL);
  assert_content (pass, 0, "first");
  g_assert_error (pass_get (pass, 1)->error, HOLD_ERROR, HOLD_ERROR_UNSUPPORTED);
  assert_content (pass, 2, "third");
}

static void
test_facts (void)
{
  g_auto (Box) box = { 0 };
  g_autoptr (HoldArchive) archive = NULL;
  guint mode = 0;
  guint64 size = 0;

  box_init (&box);
  archive = open_text (&box, "link|../there|mode=120777\nnone.txt|x|mode=100000\nrun.sh|#!|mode=100755\n"
                             "pipe|data|mode=010600\ndir\\x.txt|y|host=0\ndir\\y.txt|z|host=3\n");

  const HoldEntry *link = hold_archive_get_entry (archive, 0);

  g_assert_cmpint (hold_entry_get_type (link), ==, HOLD_ENTRY_SYMLINK);
  g_assert_cmpstr (hold_entry_get_link_target (link), ==, "../there");
  g_assert_cmpint (hold_entry_get_unsafe (link) & HOLD_UNSAFE_LINK_ESCAPE, !=, 0);
  g_assert_false (hold_entry_get_mode (hold_archive_get_entry (archive, 1), &mode));
  g_assert_true (hold_entry_get_mode (hold_archive_get_entry (archive, 2), &mode));
  g_assert_cmpuint (mode, ==, 0755);
  g_assert_cmpint (hold_entry_get_type (hold_archive_get_entry (archive, 3)), ==, HOLD_ENTRY_FILE);
  g_assert_true (hold_entry_get_size (hold_archive_get_entry (archive, 3), &size));
  g_assert_cmpstr (hold_entry_get_path (hold_archive_get_entry (archive, 4)), ==, "dir/x.txt");
  g_assert_cmpstr (hold_entry_get_path (hold_archive_get_entry (archive, 5)), ==, "dir\\y.txt");
}

/* E06 */
static void
test_local_names (void)
{
  g_auto (Box) box = { 0 };
  g_autoptr (ZipBuilder) builder = zip_builder_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (HoldArchive) archive = NULL;

  box_init (&box);
  zip_builder_add (builder, "\377\376\201.txt", "x", "local-name=%c3%a9t%c3%a9.txt");
  zip_builder_add (builder, "\204.txt", "y", "local-name=xx.txt host=0");
  bytes = zip_builder_finish (builder, NULL);
  path = zip_builder_save (bytes, box.dir, "a.zip");
  archive = open_archive (path, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (hold_entry_get_path (hold_archive_get_entry (archive, 0)), ==, "été.txt");
  g_assert_cmpstr (hold_entry_get_path (hold_archive_get_entry (archive, 1)), !=, "xx.txt");
}

static void
test_recovered (void)
{
  g_auto (Box) box = { 0 };
  g_autoptr (HoldArchive) archive = NULL;

  box_init (&box);
  archive = open_text (&box, "a.txt|first|\nb.txt|second|deflate\n|no-end\n");
  g_assert_error (_hold_archive_get_list_error (archive), HOLD_ERROR, HOLD_ERROR_TRUNCATED);
  g_assert_cmpint (hold_archive_get_caps (archive) & HOLD_CAP_UPDATE, ==, 0);

  g_autoptr (Pass) pass = pass_run (archive, NULL, 0, NULL, NULL);
  assert_content (pass, 0, "first");
  assert_content (pass, 1, "second");
}

static void
assert_set (const char *path, const char *first, const char *second)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HoldArchive) archive = open_archive (path, &error);

  g_assert_no_error (error);
  g_assert_cmpint (hold_archive_get_caps (archive) & HOLD_CAP_UPDATE, ==, 0);
  g_autoptr (Pass) pass = pass_run (archive, NULL, 0, NULL, NULL);
  assert_content (pass, 0, first);
  assert_content (pass, 1, second);
}

/* F19, Z21 */
static void
test_split (void)
{
  g_auto (Box) box = { 0 };
  g_autoptr (GBytes) whole = zip_builder_from_text ("a.txt|first|\nb.txt|second|\n");
  gsize length;
  const guint8 *bytes = g_bytes_get_data (whole, &length);
  gsize cut = 30 + 5 + 5;   /* the second local header */
  gsize directory = cut + 30 + 5 + 6;
  g_autoptr (GError) error = NULL;

  g_assert_cmpmem (bytes + cut, 4, "PK\3\4", 4);
  g_assert_cmpmem (bytes + directory, 4, "PK\1\2", 4);

  box_init (&box);
  g_autofree char *one = box_put (&box, "s.zip.001", bytes, 50);
  g_autofree char *two = box_put (&box, "s.zip.002", bytes + 50, length - 50);
  assert_set (one, "first", "second");
  assert_set (two, "first", "second");

  g_autofree char *options =
    g_strdup_printf ("a.txt|first|\nb.txt|second|offset=0 disk=1\n|disk=1 cd-disk=1 cd-offset=%u\n",
                     (guint) (directory - cut));
  g_autoptr (GBytes) set = zip_builder_from_text (options);
  const guint8 *parts = g_bytes_get_data (set, &length);
  g_autofree char *part = box_put (&box, "t.z01", parts, cut);
  g_autofree char *last = box_put (&box, "t.zip", parts + cut, length - cut);

  assert_set (last, "first", "second");
  assert_set (part, "first", "second");

  /* One part alone names the one that is missing. */
  g_autofree char *alone = box_put (&box, "u.zip", parts + cut, length - cut);
  g_autoptr (HoldArchive) archive = open_archive (alone, &error);
  g_assert_null (archive);
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_TRUNCATED);
  g_assert_nonnull (strstr (error->message, "u.z01"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/backend/zip/passwords", test_passwords);
  g_test_add_func ("/backend/zip/aes", test_aes);
  g_test_add_func ("/backend/zip/unreadable", test_unreadable);
  g_test_add_func ("/backend/zip/facts", test_facts);
  g_test_add_func ("/backend/zip/local-names", test_local_names);
  g_test_add_func ("/backend/zip/recovered", test_recovered);
  g_test_add_func ("/backend/zip/split", test_split);
  return g_test_run ();
}
