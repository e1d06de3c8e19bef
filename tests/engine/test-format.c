/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The table is what dialogs, help, desktop file and README are made of: its rows must be whole, its
 * words unique, and every missing capability must have a reason. */

#include "hold-format.h"

#include <string.h>

static void
test_rows (void)
{
  guint n_formats;
  const HoldFormat *formats = hold_format_table (&n_formats);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  g_assert_cmpuint (n_formats, >=, 30);
  for (guint i = 0; i < n_formats; i++)
    {
      const HoldFormat *format = &formats[i];

      g_test_message ("%s", format->id);
      g_assert_true (g_hash_table_add (seen, (gpointer) format->id));
      g_assert_true (hold_format_by_id (format->id) == format);
      g_assert_nonnull (format->name);
      g_assert_nonnull (format->mime_types[0]);
      g_assert_nonnull (format->suffixes[0]);
      for (guint j = 0; format->mime_types[j] != NULL; j++)
        {
          g_assert_true (g_hash_table_add (seen, (gpointer) format->mime_types[j]));
          g_assert_nonnull (strchr (format->mime_types[j], '/'));
        }
      for (guint j = 0; format->suffixes[j] != NULL; j++)
        {
          g_autofree char *name = g_strconcat ("/x.y/archive", format->suffixes[j], NULL);

          g_assert_true (g_hash_table_add (seen, (gpointer) format->suffixes[j]));
          g_assert_cmpint (format->suffixes[j][0], ==, '.');
          g_assert_true (hold_format_by_suffix (name) == format);
        }
      for (guint bit = 0; bit < 8; bit++)
        {
          HoldCaps cap = (HoldCaps) (1u << bit);

          g_assert_cmpstr (hold_cap_to_string (cap), !=, "unknown");
          if ((format->caps & cap) != 0)
            g_assert_null (hold_format_why_not (format, cap));
          else
            g_assert_nonnull (hold_format_why_not (format, cap));
        }
      if ((format->caps & HOLD_CAP_UPDATE) != 0)
        g_assert_true (format->caps & HOLD_CAP_WRITE);
      g_assert_cmpint (format->level_min, <=, format->level_default);
      g_assert_cmpint (format->level_default, <=, format->level_max);
    }
}

static void
assert_suffix (const char *name, const char *id)
{
  const HoldFormat *format = hold_format_by_suffix (name);

  g_assert_cmpstr (format != NULL ? format->id : NULL, ==, id);
}

static void
test_suffixes (void)
{
  assert_suffix ("a.zip", "zip");
  assert_suffix ("A.ZIP", "zip");
  assert_suffix ("a.tar.gz", "tar.gz");
  assert_suffix ("a.TGZ", "tar.gz");
  assert_suffix ("a.gz", "gz");
  assert_suffix ("a.txt.gz", "gz");
  assert_suffix ("a.tar.Z", "tar.Z");
  assert_suffix ("a.Z", "Z");
  assert_suffix ("a.z", NULL);
  assert_suffix ("/home/x.zip/readme", NULL);
  assert_suffix ("/home/tar.gz", "gz");
  /* A hidden file of that name has no suffix. */
  assert_suffix (".zip", NULL);
  assert_suffix ("zip", NULL);
  assert_suffix ("", NULL);
  assert_suffix ("x.docx", "zip");
  assert_suffix ("x.cbr", "rar");
}

/* Issue: the formats that are read, by the ids that stay. */
static void
test_promised (void)
{
  const char *const ids[] = { "zip",    "tar",      "tar.gz",  "tar.bz2", "tar.xz", "tar.zst",
                              "tar.lz", "tar.lzma", "tar.lz4", "tar.lzo", "tar.Z",  "7z",
                              "rar",    "cpio",     "iso",     "cab",     "lha",    "xar",
                              "ar",     "deb",      "rpm",     "warc",    "gz",     "bz2",
                              "xz",     "zst",      "lz4",     "lz",      "lzma",   "lzo",
                              "Z" };

  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      const HoldFormat *format = hold_format_by_id (ids[i]);

      g_assert_nonnull (format);
      g_assert_true (format->caps & HOLD_CAP_READ);
    }
  g_assert_null (hold_format_by_id ("ZIP"));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/format/rows", test_rows);
  g_test_add_func ("/format/suffixes", test_suffixes);
  g_test_add_func ("/format/promised", test_promised);
  return g_test_run ();
}
