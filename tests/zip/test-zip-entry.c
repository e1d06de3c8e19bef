/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Names and times: what is recorded is told as it is, what is stale or nonsense is not. */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "zip-test.h"

/* E05, E07, Z15 */
static void
test_names (void)
{
  g_autoptr (ZipReader) reader = zip_test_build ("caf\x82.txt|a|host=0 unicode-name=caf%C3%A9.txt\n"
                                                 "caf\x82.txt|b|host=0 stale "
                                                 "unicode-name=caf%C3%A9.txt\n"
                                                 "caf\x82.txt|c|host=0 unicode-name=caf%FF.txt\n"
                                                 "caf\xc3\xa9.txt|d|utf8 host=3\n"
                                                 "dir\\sub\\f.txt|e|host=0\n"
                                                 "dir\\sub\\f.txt|f|host=3\n"
                                                 "dir\\sub\\f.txt|g|host=11\n"
                                                 "g|h|host=0 unicode-name=\n");
  gsize length = 0;
  const char *name = zip_name_get_unicode (zip_reader_get_entry (reader, 0), &length);

  g_assert_cmpmem (name, length, "caf\xc3\xa9.txt", 9);
  for (guint i = 1; i < 8; i++)
    g_assert_null (zip_name_get_unicode (zip_reader_get_entry (reader, i), &length));

  g_assert_false (zip_name_is_marked_utf8 (zip_reader_get_entry (reader, 0)));
  g_assert_true (zip_name_is_marked_utf8 (zip_reader_get_entry (reader, 3)));
  g_assert_true (zip_name_backslash_separates (zip_reader_get_entry (reader, 4)));
  g_assert_false (zip_name_backslash_separates (zip_reader_get_entry (reader, 5)));

  /* The stored bytes are as they were, with the strangest ones too. */
  name = zip_entry_get_name (zip_reader_get_entry (reader, 4), &length);
  g_assert_cmpmem (name, length, "dir\\sub\\f.txt", 13);
}

/* Z24: DOS times are local, the others are not, in every zone and on both sides of summer time.
 * */
static void
test_times (void)
{
  static const char *zones[] = { "UTC", "America/Chicago", "Asia/Kolkata", "Europe/Berlin" };
  const char *before = g_getenv ("TZ");
  g_autofree char *old = g_strdup (before);

  for (guint i = 0; i < G_N_ELEMENTS (zones); i++)
    {
      /* 2023-01-15 12:34:56 and 2023-07-15 12:34:56 */
      g_autoptr (ZipReader) reader = zip_test_build ("a||date=0x562f time=0x645c\n"
                                                     "b||date=0x56ef time=0x645c\n"
                                                     "c||date=0x56ef time=0x645c ut=1689424497\n"
                                                     "d||date=0x56ef time=0x645c ut=1 "
                                                     "ntfs=133338980971234567\n"
                                                     "e||date=0 time=0\n"
                                                     "f||date=0x57ff time=0\n"
                                                     "g||date=0x562f time=0xffff\n");
      ZipTimes times;

      g_setenv ("TZ", zones[i], TRUE);
      tzset ();

      for (guint k = 0; k < 2; k++)
        {
          zip_entry_get_times (zip_reader_get_entry (reader, k), &times);
          g_assert_cmpint (times.modified.source, ==, ZIP_TIME_DOS);
          g_autoptr (GDateTime) local = g_date_time_new_from_unix_local (times.modified.seconds);
          g_autofree char *text = g_date_time_format (local, "%Y-%m-%d %H:%M:%S");
          g_assert_cmpstr (text, ==, k == 0 ? "2023-01-15 12:34:56" : "2023-07-15 12:34:56");
        }

      zip_entry_get_times (zip_reader_get_entry (reader, 2), &times);
      g_assert_cmpint (times.modified.source, ==, ZIP_TIME_UNIX);
      g_assert_cmpint (times.modified.seconds, ==, 1689424497);
      g_assert_cmpint (times.accessed.source, ==, ZIP_TIME_NONE);

      zip_entry_get_times (zip_reader_get_entry (reader, 3), &times);
      g_assert_cmpint (times.modified.source, ==, ZIP_TIME_NTFS);
      g_assert_cmpint (times.modified.seconds, ==, 1689424497);
      g_assert_cmpuint (times.modified.nanoseconds, ==, 123456700);
      g_assert_cmpint (times.created.source, ==, ZIP_TIME_NTFS);

      zip_entry_get_times (zip_reader_get_entry (reader, 4), &times);
      g_assert_cmpint (times.modified.source, ==, ZIP_TIME_NONE);
      zip_entry_get_times (zip_reader_get_entry (reader, 5), &times);
      g_assert_cmpint (times.modified.source, ==, ZIP_TIME_NONE);
      zip_entry_get_times (zip_reader_get_entry (reader, 6), &times);
      g_assert_cmpint (times.modified.source, ==, ZIP_TIME_NONE);
    }

  if (old != NULL)
    g_setenv ("TZ", old, TRUE);
  else
    g_unsetenv ("TZ");
  tzset ();
}

/* Z23: years that DOS cannot write stay at its edges. */
static void
test_to_dos (void)
{
  static const struct {
    gint64 seconds;
    guint16 date;
  } cases[] = {
    { 0, 0x0021 },
    { -86400 * G_GINT64_CONSTANT (365), 0x0021 },
    { G_GINT64_CONSTANT (4386268800), 0xff9f },  /* 2108-12-30 */
    { G_MAXINT64, 0xff9f },
    { G_MININT64, 0x0021 },
  };
  guint16 date = 0;
  guint16 time = 0;
  gint64 back = 0;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      zip_time_to_dos (cases[i].seconds, &date, &time);
      g_assert_cmphex (date, ==, cases[i].date);
    }

  for (gint64 t = 400000000; t < 4000000000; t += 123456789)
    {
      zip_time_to_dos (t, &date, &time);
      g_assert_true (zip_time_from_dos (date, time, &back));
      g_assert_cmpint (back, ==, t - t % 2);
    }
}

/* Times after 2038 in a field that has no room for them. */
static void
test_late (void)
{
  g_autoptr (ZipReader) reader = zip_test_build ("a||date=0x7d21 ut=2524608000\n"
                                                 "b||date=0x0021 ut=-86400\n");
  ZipTimes times;

  zip_entry_get_times (zip_reader_get_entry (reader, 0), &times);
  g_assert_cmpint (times.modified.seconds, ==, 2524608000);
  zip_entry_get_times (zip_reader_get_entry (reader, 1), &times);
  g_assert_cmpint (times.modified.seconds, ==, -86400);
}

static void
test_extras (void)
{
  g_autoptr (ZipReader) reader = zip_test_build ("a||extra=7578 \n"
                                                 "b||extra=7578ff00\n"
                                                 "c||extra=75780b000104e803000004d0070000\n"
                                                 "d||extra=5554050001 central-extra=00\n"
                                                 "e||extra=0a000400ffffffff\n"
                                                 "f||extra="
                                                 "0a0020000000000001000800ffffffffffffffff\n");
  guint32 uid = 0;
  guint32 gid = 0;
  gsize length = 0;

  for (guint i = 0; i < 6; i++)
    {
      const ZipEntry *entry = zip_reader_get_entry (reader, i);
      const guint8 *extra = zip_entry_get_extra (entry, &length);
      ZipTimes times;

      g_assert_cmpint (zip_extra_parse_owner (extra, length, &uid, &gid), ==, i == 2);
      zip_entry_get_times (entry, &times);
      g_assert_cmpint (times.modified.source, ==, ZIP_TIME_DOS);
      g_assert_cmpint ((entry->facts & ZIP_ENTRY_BAD_EXTRA) != 0, ==, i != 2 && i != 4);
    }

  (void) zip_extra_parse_owner (zip_entry_get_extra (zip_reader_get_entry (reader, 2), &length), 15,
                                &uid, &gid);
  g_assert_cmpuint (uid, ==, 1000);
  g_assert_cmpuint (gid, ==, 2000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/zip/entry/names", test_names);
  g_test_add_func ("/zip/entry/times", test_times);
  g_test_add_func ("/zip/entry/to-dos", test_to_dos);
  g_test_add_func ("/zip/entry/late", test_late);
  g_test_add_func ("/zip/entry/extras", test_extras);

  return g_test_run ();
}
