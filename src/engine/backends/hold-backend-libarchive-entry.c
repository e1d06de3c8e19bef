/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What libarchive says about an entry or an archive, in the engine's terms: only what the archive
 * records, names as bytes. */

#include "hold-backend-libarchive-private.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

static void
set_name (HoldNameSource *source, const char *bytes, const char *utf8, gboolean declared)
{
  *source = (HoldNameSource) { 0 };
  if (bytes == NULL)
    {
      bytes = utf8;
      declared = TRUE;
    }
  if (bytes == NULL)
    return;
  source->bytes = (const guint8 *) bytes;
  source->length = strlen (bytes);
  source->is_utf8 = declared && g_utf8_validate (bytes, (gssize) source->length, NULL);
}

/* Formats whose names are always Unicode, so that they take no part in guessing a charset. Of a pax
 * archive these are the entries that have a pax header. */
static gboolean
has_unicode_names (struct archive *archive)
{
  /* A charset that a person names is for what says nothing; pax records say UTF-8. */
  if (archive_format (archive) == ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE)
    return TRUE;

  switch (archive_format (archive) & ARCHIVE_FORMAT_BASE_MASK)
    {
    case ARCHIVE_FORMAT_7ZIP:
    case ARCHIVE_FORMAT_RAR_V5:
    case ARCHIVE_FORMAT_XAR:
      return TRUE;
    default:
      return FALSE;
    }
}

static HoldEntryType
type_of (struct archive_entry *from)
{
  if (archive_entry_hardlink (from) != NULL || archive_entry_hardlink_utf8 (from) != NULL)
    return HOLD_ENTRY_HARDLINK;

  switch (archive_entry_filetype (from))
    {
    case 0:
    case AE_IFREG:
      return HOLD_ENTRY_FILE;
    case AE_IFDIR:
      return HOLD_ENTRY_FOLDER;
    case AE_IFLNK:
      return HOLD_ENTRY_SYMLINK;
    default:
      return HOLD_ENTRY_OTHER;
    }
}

/* These record no permissions; libarchive makes some up. */
static gboolean
records_mode (struct archive *archive)
{
  switch (archive_format (archive) & ARCHIVE_FORMAT_BASE_MASK)
    {
    case ARCHIVE_FORMAT_CAB:
    case ARCHIVE_FORMAT_WARC:
    case ARCHIVE_FORMAT_RAW:
      return FALSE;
    case ARCHIVE_FORMAT_ISO9660:
      return archive_format (archive) == ARCHIVE_FORMAT_ISO9660_ROCKRIDGE;
    default:
      return TRUE;
    }
}

/* A DOS date of 0, "day 0 of month 0 of 1980", says that there is none. libarchive makes the last of
 * November 1979 of it, in local time as all DOS dates; these formats know no time that early. */
static gboolean
is_no_dos_date (struct archive *archive, time_t mtime)
{
  struct tm none = { .tm_year = 80, .tm_mon = -1, .tm_isdst = -1 };
  struct tm first = { .tm_year = 80, .tm_mday = 1, .tm_isdst = -1 };

  switch (archive_format (archive) & ARCHIVE_FORMAT_BASE_MASK)
    {
    case ARCHIVE_FORMAT_RAR:
    case ARCHIVE_FORMAT_CAB:
    case ARCHIVE_FORMAT_LHA:
      return mtime >= mktime (&none) && mtime < mktime (&first);
    default:
      return FALSE;
    }
}

void
_hold_libarchive_fill_entry (struct archive *archive, struct archive_entry *from, HoldEntry *entry,
                             HoldNameSource *name, HoldNameSource *link)
{
  gboolean unicode = has_unicode_names (archive);

  *entry = (HoldEntry) { 0 };
  entry->type = type_of (from);
  set_name (name, archive_entry_pathname (from), archive_entry_pathname_utf8 (from), unicode);
  *link = (HoldNameSource) { 0 };
  if (entry->type == HOLD_ENTRY_HARDLINK)
    set_name (link, archive_entry_hardlink (from), archive_entry_hardlink_utf8 (from), unicode);
  else if (entry->type == HOLD_ENTRY_SYMLINK)
    set_name (link, archive_entry_symlink (from), archive_entry_symlink_utf8 (from), unicode);

  if (archive_entry_size_is_set (from) && archive_entry_size (from) >= 0
      && (entry->type != HOLD_ENTRY_HARDLINK || archive_entry_size (from) > 0))
    {
      entry->size = (guint64) archive_entry_size (from);
      entry->flags |= HOLD_ENTRY_HAS_SIZE;
    }
  if (archive_entry_mtime_is_set (from) && !is_no_dos_date (archive, archive_entry_mtime (from)))
    {
      entry->mtime = archive_entry_mtime (from);
      entry->mtime_ns = (guint32) CLAMP (archive_entry_mtime_nsec (from), 0, 999999999);
      entry->flags |= HOLD_ENTRY_HAS_MTIME;
    }
  if (records_mode (archive))
    {
      entry->mode = (guint16) (archive_entry_perm (from) & 07777);
      entry->flags |= HOLD_ENTRY_HAS_MODE;
    }
  /* libarchive decrypts ZIP only, and ZIP is not read here. */
  if (archive_entry_is_encrypted (from))
    entry->flags |= HOLD_ENTRY_ENCRYPTED | HOLD_ENTRY_UNREADABLE;
}

/* The suffixes of each filter, the first one being the one of format ids ("tar.gz"). Those with a
 * second part stand for two. */
static const struct {
  int filter;
  const char *id;
  const char *suffixes[8][2];
} filter_names[] = {
  { ARCHIVE_FILTER_GZIP, "gz", { { ".gz", "" }, { ".tgz", ".tar" }, { ".svgz", ".svg" }, { ".gzip", "" },
                                 { ".cpgz", ".cpio" }, { ".taz", ".tar" }, { ".z", "" } } },
  { ARCHIVE_FILTER_BZIP2, "bz2", { { ".bz2", "" }, { ".tbz2", ".tar" }, { ".tbz", ".tar" }, { ".tb2", ".tar" },
                                   { ".bz", "" } } },
  { ARCHIVE_FILTER_COMPRESS, "Z", { { ".z", "" }, { ".taz", ".tar" }, { ".tz", ".tar" } } },
  { ARCHIVE_FILTER_LZMA, "lzma", { { ".lzma", "" }, { ".tlz", ".tar" } } },
  { ARCHIVE_FILTER_XZ, "xz", { { ".xz", "" }, { ".txz", ".tar" } } },
  { ARCHIVE_FILTER_LZIP, "lz", { { ".lz", "" }, { ".tlz", ".tar" } } },
  { ARCHIVE_FILTER_LZOP, "lzo", { { ".lzo", "" }, { ".tzo", ".tar" } } },
  { ARCHIVE_FILTER_LZ4, "lz4", { { ".lz4", "" }, { ".tlz4", ".tar" } } },
  { ARCHIVE_FILTER_ZSTD, "zst", { { ".zst", "" }, { ".zstd", "" }, { ".tzst", ".tar" } } },
};

static const char *
filter_id (int filter)
{
  for (gsize i = 0; i < G_N_ELEMENTS (filter_names); i++)
    if (filter_names[i].filter == filter)
      return filter_names[i].id;
  return NULL;
}

static void
strip_suffix (GString *name, int filter)
{
  for (gsize i = 0; i < G_N_ELEMENTS (filter_names); i++)
    for (gsize k = 0; filter_names[i].filter == filter && k < 8 && filter_names[i].suffixes[k][0] != NULL; k++)
      {
        const char *suffix = filter_names[i].suffixes[k][0];
        gsize length = strlen (suffix);

        if (name->len > length
            && g_ascii_strcasecmp (name->str + name->len - length, suffix) == 0)
          {
            g_string_truncate (name, name->len - length);
            g_string_append (name, filter_names[i].suffixes[k][1]);
            return;
          }
      }
}

char *
_hold_libarchive_dup_raw_name (const char *path, struct archive *archive, gboolean gunzipped)
{
  g_autofree char *base = g_path_get_basename (path);
  GString *name = g_string_new (base);

  /* "x.gz.001": the number is that of the part. */
  if (name->len > 4 && name->str[name->len - 4] == '.' && g_ascii_isdigit (name->str[name->len - 3])
      && g_ascii_isdigit (name->str[name->len - 2]) && g_ascii_isdigit (name->str[name->len - 1]))
    g_string_truncate (name, name->len - 4);

  if (gunzipped)
    strip_suffix (name, ARCHIVE_FILTER_GZIP);
  /* Position 0 is the innermost, the last one no filter at all. */
  for (int i = archive_filter_count (archive) - 2; i >= 0; i--)
    strip_suffix (name, archive_filter_code (archive, i));

  /* What has no suffix can't stand beside its archive under the same name. */
  if (strcmp (name->str, base) == 0)
    g_string_append (name, ".out");
  return g_string_free (name, FALSE);
}

static const char *
base_id (struct archive *archive, const char *first_name)
{
  switch (archive_format (archive) & ARCHIVE_FORMAT_BASE_MASK)
    {
    case ARCHIVE_FORMAT_TAR:
      return "tar";
    case ARCHIVE_FORMAT_7ZIP:
      return "7z";
    case ARCHIVE_FORMAT_RAR:
    case ARCHIVE_FORMAT_RAR_V5:
      return "rar";
    case ARCHIVE_FORMAT_ISO9660:
      return "iso";
    case ARCHIVE_FORMAT_CAB:
      return "cab";
    case ARCHIVE_FORMAT_LHA:
      return "lha";
    case ARCHIVE_FORMAT_XAR:
      return "xar";
    case ARCHIVE_FORMAT_WARC:
      return "warc";
    case ARCHIVE_FORMAT_ZIP:
      return "zip";
    case ARCHIVE_FORMAT_AR:
      return first_name != NULL && strcmp (first_name, "debian-binary") == 0 ? "deb" : "ar";
    case ARCHIVE_FORMAT_CPIO:
      for (int i = archive_filter_count (archive) - 2; i >= 0; i--)
        if (archive_filter_code (archive, i) == ARCHIVE_FILTER_RPM)
          return "rpm";
      return "cpio";
    default:
      return "tar";
    }
}

const HoldFormat *
_hold_libarchive_identify (struct archive *archive, gboolean gunzipped, gboolean raw, const char *first_name)
{
  int count = archive_filter_count (archive);
  int inner = count > 1 ? archive_filter_code (archive, 0) : gunzipped ? ARCHIVE_FILTER_GZIP
                                                                      : ARCHIVE_FILTER_NONE;
  const char *suffix = filter_id (inner);
  const char *base = base_id (archive, first_name);
  const HoldFormat *format = NULL;

  if (raw)
    format = suffix != NULL ? hold_format_by_id (suffix) : NULL;
  else if (suffix != NULL)
    {
      g_autofree char *id = g_strdup_printf ("%s.%s", base, suffix);

      format = hold_format_by_id (id);
    }
  if (format == NULL && !raw)
    format = hold_format_by_id (base);
  if (format == NULL && strcmp (base, "deb") == 0)
    format = hold_format_by_id ("ar");
  if (format == NULL && strcmp (base, "rpm") == 0)
    format = hold_format_by_id ("cpio");
  /* The table always knows tar; a format that it lacks must not stop anybody from reading. */
  return format != NULL ? format : hold_format_by_id (raw ? "gz" : "tar");
}
