/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Converts the times of ZIP headers; no writer's time is trusted to be a date. */

#include "zip-time.h"

#include <time.h>

#include "zip-cursor.h"
#include "zip-emit.h"
#include "zip-record.h"

/* Between 1601-01-01, where NTFS counts from, and 1970-01-01, in seconds. */
#define NTFS_EPOCH G_GINT64_CONSTANT (11644473600)

#define DOS_YEAR_MIN 1980
#define DOS_YEAR_MAX 2107

/* How long a zone is taken to be the present one. */
#define ZONE_KEPT_US G_TIME_SPAN_SECOND

typedef struct {
  GTimeZone *zone;
  char *name; /* of the environment; NULL: the system's */
  gint64 until_us;
} LocalZone;

static void
local_zone_free (gpointer data)
{
  LocalZone *self = data;

  g_time_zone_unref (self->zone);
  g_free (self->name);
  g_free (self);
}

/* The zone of this thread, borrowed. mktime() and g_time_zone_new_local() look at the system's zone
 * file at every call, which is two system calls for each of a hundred thousand entries. */
static GTimeZone *
get_local_zone (void)
{
  static GPrivate kept = G_PRIVATE_INIT (local_zone_free);
  LocalZone *self = g_private_get (&kept);
  gint64 now_us = g_get_monotonic_time ();
  const char *name = g_getenv ("TZ");

  if (self == NULL || now_us >= self->until_us || g_strcmp0 (name, self->name) != 0)
    {
      self = g_new0 (LocalZone, 1);
      self->zone = g_time_zone_new_local ();
      self->name = g_strdup (name);
      self->until_us = now_us + ZONE_KEPT_US;
      g_private_replace (&kept, self);
    }
  return self->zone;
}

gboolean
zip_time_from_dos (guint16 dos_date, guint16 dos_time, gint64 *seconds)
{
  struct tm tm = {
    .tm_year = (dos_date >> 9) + DOS_YEAR_MIN - 1900,
    .tm_mon = ((dos_date >> 5) & 0x0f) - 1,
    .tm_mday = dos_date & 0x1f,
    .tm_hour = dos_time >> 11,
    .tm_min = (dos_time >> 5) & 0x3f,
    .tm_sec = (dos_time & 0x1f) * 2,
  };

  *seconds = 0;
  if (tm.tm_mon < 0 || tm.tm_mon > 11 || tm.tm_mday < 1 || tm.tm_hour > 23 || tm.tm_min > 59
      || tm.tm_sec > 59)
    return FALSE;

  /* A day that the month does not have (31 April) comes out as the next one, as elsewhere. */
  GTimeZone *zone = get_local_zone ();
  gint64 local = (gint64) timegm (&tm);
  gint interval = g_time_zone_adjust_time (zone, G_TIME_TYPE_STANDARD, &local);

  *seconds = local - g_time_zone_get_offset (zone, interval);
  return TRUE;
}

void
zip_time_to_dos (gint64 seconds, guint16 *dos_date, guint16 *dos_time)
{
  time_t when = (time_t) seconds;
  struct tm tm = { 0 };
  gboolean known = localtime_r (&when, &tm) != NULL;

  if (!known || tm.tm_year + 1900 < DOS_YEAR_MIN || tm.tm_year + 1900 > DOS_YEAR_MAX)
    {
      gboolean late = seconds > 0;

      *dos_date = late ? (127 << 9) | (12 << 5) | 31 : (1 << 5) | 1;
      *dos_time = late ? (23 << 11) | (59 << 5) | 29 : 0;
      return;
    }

  /* A leap second would not fit into five bits of two seconds each. */
  int second = MIN (tm.tm_sec, 59);

  int date = ((tm.tm_year + 1900 - DOS_YEAR_MIN) << 9) | ((tm.tm_mon + 1) << 5) | tm.tm_mday;
  int time_of_day = (tm.tm_hour << 11) | (tm.tm_min << 5) | (second / 2);

  *dos_date = (guint16) date;
  *dos_time = (guint16) time_of_day;
}

/* A signed 32-bit time ends in 2038; writers that go on counting make it negative. Where the DOS
 * date beside it says so, it is read without sign. */
static ZipTime
unix_time (guint32 raw, guint16 dos_date)
{
  gboolean late = (dos_date >> 9) + DOS_YEAR_MIN >= 2038;
  gint64 seconds = late ? (gint64) raw : (gint64) (gint32) raw;

  return (ZipTime) { .seconds = seconds, .source = ZIP_TIME_UNIX };
}

static ZipTime
ntfs_time (guint64 ticks)
{
  if (ticks == 0)
    return (ZipTime) { 0 };

  return (ZipTime) {
    .seconds = (gint64) (ticks / 10000000) - NTFS_EPOCH,
    .nanoseconds = (guint32) (ticks % 10000000) * 100,
    .source = ZIP_TIME_NTFS,
  };
}

static void
read_ut (const guint8 *field, gsize length, guint16 dos_date, ZipTimes *times)
{
  ZipTime *slots[] = { &times->modified, &times->accessed, &times->created };
  ZipCursor cursor;

  zip_cursor_init (&cursor, field, length);
  guint8 flags = zip_cursor_u8 (&cursor);

  /* The flags tell what the local header holds; a central header has the first time alone. */
  for (guint i = 0; i < G_N_ELEMENTS (slots); i++)
    {
      if (!(flags & (1u << i)))
        continue;

      guint32 raw = zip_cursor_u32 (&cursor);
      if (cursor.failed)
        return;
      *slots[i] = unix_time (raw, dos_date);
    }
}

static void
read_unix1 (const guint8 *field, gsize length, guint16 dos_date, ZipTimes *times)
{
  ZipCursor cursor;

  zip_cursor_init (&cursor, field, length);
  guint32 accessed = zip_cursor_u32 (&cursor);
  guint32 modified = zip_cursor_u32 (&cursor);
  if (cursor.failed)
    return;

  times->accessed = unix_time (accessed, dos_date);
  times->modified = unix_time (modified, dos_date);
}

static void
read_ntfs (const guint8 *field, gsize length, ZipTimes *times)
{
  ZipTime *slots[] = { &times->modified, &times->accessed, &times->created };
  ZipCursor cursor;

  zip_cursor_init (&cursor, field, length);
  zip_cursor_skip (&cursor, 4); /* reserved */

  while (zip_cursor_left (&cursor) >= 4)
    {
      guint16 tag = zip_cursor_u16 (&cursor);
      guint16 size = zip_cursor_u16 (&cursor);

      if (tag != 1 || size < 24)
        {
          zip_cursor_skip (&cursor, size);
          continue;
        }

      for (guint i = 0; i < G_N_ELEMENTS (slots); i++)
        {
          ZipTime time = ntfs_time (zip_cursor_u64 (&cursor));
          if (cursor.failed)
            return;
          if (time.source != ZIP_TIME_NONE)
            *slots[i] = time;
        }
      return;
    }
}

void
zip_time_read (guint16 dos_date, guint16 dos_time, const guint8 *extra, gsize extra_length,
               ZipTimes *times)
{
  gsize length = 0;
  const guint8 *field;
  gint64 seconds = 0;

  *times = (ZipTimes) { 0 };

  /* The weakest first, so that the better one overwrites it. */
  field = zip_extra_find (extra, extra_length, ZIP_EXTRA_UNIX1, &length);
  if (field != NULL)
    read_unix1 (field, length, dos_date, times);

  field = zip_extra_find (extra, extra_length, ZIP_EXTRA_UT, &length);
  if (field != NULL)
    read_ut (field, length, dos_date, times);

  field = zip_extra_find (extra, extra_length, ZIP_EXTRA_NTFS, &length);
  if (field != NULL)
    read_ntfs (field, length, times);

  if (times->modified.source == ZIP_TIME_NONE && zip_time_from_dos (dos_date, dos_time, &seconds))
    times->modified = (ZipTime) { .seconds = seconds, .source = ZIP_TIME_DOS };
}

void
zip_time_emit_ntfs (GByteArray *out, gint64 seconds)
{
  guint64 ticks = (guint64) CLAMP (seconds + NTFS_EPOCH, 0, G_MAXINT64 / 10000000) * 10000000;

  zip_emit_u16 (out, ZIP_EXTRA_NTFS);
  zip_emit_u16 (out, 32);
  zip_emit_u32 (out, 0); /* reserved */
  zip_emit_u16 (out, 1); /* tag: times */
  zip_emit_u16 (out, 24);
  for (guint i = 0; i < 3; i++)
    zip_emit_u64 (out, ticks);
}
