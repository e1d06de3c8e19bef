/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What a ZIP directory says about an entry, in the engine's terms. */

#include "hold-backend-zip-private.h"

#include <sys/stat.h>

static const char *
method_word (guint16 method)
{
  static const struct {
    guint16 method;
    const char *word;
  } words[] = {
    { 0, "store" }, { 1, "shrink" }, { 2, "reduce" }, { 3, "reduce" }, { 4, "reduce" }, { 5, "reduce" },
    { 6, "implode" }, { 8, "deflate" }, { 9, "deflate64" }, { 10, "dcl-implode" }, { 12, "bzip2" },
    { 14, "lzma" }, { 20, "zstd" }, { 93, "zstd" }, { 94, "mp3" }, { 95, "xz" }, { 96, "jpeg" },
    { 97, "wavpack" }, { 98, "ppmd" },
  };
  char other[24];

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (words[i].method == method)
      return words[i].word;
  g_snprintf (other, sizeof other, "method-%u", method);
  return g_intern_string (other);
}

static HoldEntryType
type_of (const ZipEntry *from)
{
  guint32 mode;

  if (zip_entry_is_symlink (from))
    return HOLD_ENTRY_SYMLINK;
  if (zip_entry_is_folder (from))
    return HOLD_ENTRY_FOLDER;
  /* What a pipe brought ("zip - -") is stored as one, with the data. */
  if (zip_entry_get_unix_mode (from, &mode) && from->size == 0
      && (S_ISCHR (mode) || S_ISBLK (mode) || S_ISFIFO (mode) || S_ISSOCK (mode)))
    return HOLD_ENTRY_OTHER;
  return HOLD_ENTRY_FILE;
}

/* A directory whose names were damaged by a program in between may stand beside local headers whose
 * names are whole (E06). */
static GBytes *
find_better_name (ZipReader *reader, guint index, const char *bytes, gsize length, guint *n_local_reads)
{
  g_autoptr (GBytes) local = NULL;
  gboolean differs = FALSE;
  gsize local_length = 0;
  const char *local_bytes;

  if (g_utf8_validate_len (bytes, length, NULL) || *n_local_reads == 0)
    return NULL;
  (*n_local_reads)--;
  local = zip_reader_dup_local_name (reader, index, &differs, NULL);
  if (local == NULL || !differs)
    return NULL;
  local_bytes = g_bytes_get_data (local, &local_length);
  /* Plain ASCII is what other programs put there when they replace letters. */
  if (!g_utf8_validate_len (local_bytes, local_length, NULL)
      || (gsize) g_utf8_strlen (local_bytes, (gssize) local_length) == local_length)
    return NULL;
  (*n_local_reads)++;
  return g_steal_pointer (&local);
}

static void
fill_name (ZipReader *reader, guint index, const ZipEntry *from, guint *n_local_reads, HoldNameSource *name,
           GBytes **local_name)
{
  const char *unicode;
  gsize length = 0;

  *local_name = NULL;
  *name = (HoldNameSource) { .backslash_separates = zip_name_backslash_separates (from) };
  unicode = zip_name_get_unicode (from, &length);
  if (unicode != NULL)
    {
      name->bytes = (const guint8 *) unicode;
      name->length = length;
      name->is_utf8 = TRUE;
      return;
    }

  name->bytes = (const guint8 *) zip_entry_get_name (from, &name->length);
  name->is_utf8 = zip_name_is_marked_utf8 (from)
                  && g_utf8_validate_len ((const char *) name->bytes, name->length, NULL);
  *local_name = find_better_name (reader, index, (const char *) name->bytes, name->length, n_local_reads);
  if (*local_name != NULL)
    {
      name->bytes = g_bytes_get_data (*local_name, &name->length);
      name->is_utf8 = TRUE;
    }
}

void
_hold_zip_fill_entry (ZipReader *reader, guint index, guint *n_local_reads, HoldEntry *entry,
                      HoldNameSource *name, HoldNameSource *comment, GBytes **local_name)
{
  const ZipEntry *from = zip_reader_get_entry (reader, index);
  guint16 method = zip_entry_get_method (from);
  ZipTimes times;
  ZipAes aes;
  guint32 mode;
  const char *unicode;
  gsize length = 0;

  *entry = (HoldEntry) { .type = (guint8) type_of (from), .place = index, .method = method_word (method) };
  fill_name (reader, index, from, n_local_reads, name, local_name);

  *comment = (HoldNameSource) { 0 };
  unicode = zip_name_get_unicode_comment (from, &length);
  if (unicode != NULL)
    *comment = (HoldNameSource) { .bytes = (const guint8 *) unicode, .length = length, .is_utf8 = TRUE };
  else
    {
      comment->bytes = (const guint8 *) zip_entry_get_comment (from, &comment->length);
      comment->is_utf8 = zip_name_is_marked_utf8 (from)
                         && g_utf8_validate_len ((const char *) comment->bytes, comment->length, NULL);
    }

  if ((from->facts & ZIP_ENTRY_NO_SIZE) == 0)
    {
      entry->size = from->size;
      entry->packed = from->packed_size;
      entry->crc32 = from->crc;
      entry->flags |= HOLD_ENTRY_HAS_SIZE | HOLD_ENTRY_HAS_PACKED;
      /* AE-2 records no CRC, and writes a zero. */
      if (!zip_entry_get_aes (from, &aes) || aes.vendor_version != 2)
        entry->flags |= HOLD_ENTRY_HAS_CRC32;
    }
  zip_entry_get_times (from, &times);
  if (times.modified.source != ZIP_TIME_NONE)
    {
      entry->mtime = times.modified.seconds;
      entry->mtime_ns = times.modified.nanoseconds;
      entry->flags |= HOLD_ENTRY_HAS_MTIME;
    }
  /* No permission bits at all means that none were recorded (Z17). */
  if (zip_entry_get_unix_mode (from, &mode) && (mode & 0777) != 0)
    {
      entry->mode = (guint16) (mode & 07777);
      entry->flags |= HOLD_ENTRY_HAS_MODE;
    }
  if (zip_entry_is_streamed (from))
    entry->flags |= HOLD_ENTRY_STREAMED;
  if (zip_entry_is_encrypted (from))
    entry->flags |= HOLD_ENTRY_ENCRYPTED;
  if ((from->flags & (ZIP_FLAG_STRONG | ZIP_FLAG_PATCH)) != 0
      || (method != ZIP_METHOD_STORED && method != ZIP_METHOD_DEFLATE && !_hold_zip_is_foreign_method (method)))
    entry->flags |= HOLD_ENTRY_UNREADABLE;
}

static void
add_line (GPtrArray *lines, const char *label, char *value)
{
  g_ptr_array_add (lines, g_strdup (label));
  g_ptr_array_add (lines, value);
}

static const char *
host_name (guint8 host)
{
  switch (host)
    {
    case ZIP_HOST_FAT:
      return "FAT (DOS, Windows)";
    case ZIP_HOST_UNIX:
      return "Unix";
    case ZIP_HOST_HPFS:
      return "OS/2";
    case ZIP_HOST_NTFS:
      return "NTFS";
    case ZIP_HOST_VFAT:
      return "VFAT";
    case ZIP_HOST_OSX:
      return "macOS";
    default:
      return NULL;
    }
}

static void
add_time (GPtrArray *lines, const char *label, const ZipTime *time)
{
  if (time->source == ZIP_TIME_NONE)
    return;

  g_autoptr (GDateTime) moment = g_date_time_new_from_unix_utc (time->seconds);

  if (moment != NULL)
    add_line (lines, label, g_date_time_format (moment, "%Y-%m-%dT%H:%M:%SZ"));
}

char **
_hold_zip_dup_details (HoldArchive *archive, guint index)
{
  HoldZipData *data = _hold_archive_get_backend_data (archive);
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  const ZipEntry *entry = zip_reader_get_entry (data->reader, index);
  const char *host = host_name (zip_entry_get_host (entry));
  ZipTimes times;
  ZipAes aes;

  add_line (lines, "Local header offset",
            g_strdup_printf ("%" G_GUINT64_FORMAT, entry->header_offset));
  add_line (lines, "Made by",
            host != NULL ? g_strdup (host)
                         : g_strdup_printf ("host %u", zip_entry_get_host (entry)));
  add_line (lines, "Version of the writer",
            g_strdup_printf ("%u.%u", (entry->made_by & 0xff) / 10, (entry->made_by & 0xff) % 10));
  add_line (lines, "Version needed",
            g_strdup_printf ("%u.%u", (entry->version_needed & 0xff) / 10,
                             (entry->version_needed & 0xff) % 10));
  add_line (lines, "Flags", g_strdup_printf ("0x%04x", entry->flags));
  add_line (lines, "Method",
            g_strdup_printf ("%u (%s)", zip_entry_get_method (entry),
                             zip_method_get_name (zip_entry_get_method (entry))));
  if (zip_entry_get_aes (entry, &aes))
    add_line (lines, "Encryption",
              g_strdup_printf ("AES-%u (AE-%u)", 64 + 64 * (guint) aes.strength,
                               aes.vendor_version));
  else if (zip_entry_is_encrypted (entry))
    add_line (lines, "Encryption",
              g_strdup ((entry->flags & ZIP_FLAG_STRONG) != 0 ? "PKWARE strong encryption"
                                                              : "ZipCrypto"));
  add_line (lines, "External attributes", g_strdup_printf ("0x%08x", entry->external_attributes));
  zip_entry_get_times (entry, &times);
  add_time (lines, "Accessed", &times.accessed);
  add_time (lines, "Created", &times.created);
  g_ptr_array_add (lines, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&lines), FALSE);
}
