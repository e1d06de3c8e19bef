/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Reads the central directory with one read, or none when it already came with the end record,
 * and turns to recovery where it is damaged.
 */

#include "zip-directory.h"

#include "zip-end.h"
#include "zip-error.h"
#include "zip-layout.h"
#include "zip-reader.h"
#include "zip-recovery.h"

#define FOUR_GIB (G_GUINT64_CONSTANT (1) << 32)

ZipDirectory *
zip_directory_new (void)
{
  ZipDirectory *directory = g_new0 (ZipDirectory, 1);

  directory->entries = g_array_new (FALSE, FALSE, sizeof (ZipEntry));
  directory->warnings = g_ptr_array_new_with_free_func (g_free);
  return directory;
}

void
zip_directory_free (ZipDirectory *directory)
{
  g_clear_pointer (&directory->entries, g_array_unref);
  g_clear_pointer (&directory->raw, g_bytes_unref);
  g_clear_pointer (&directory->comment, g_bytes_unref);
  g_clear_pointer (&directory->warnings, g_ptr_array_unref);
  g_free (directory);
}

void
zip_directory_warn (ZipDirectory *directory, const char *format, ...)
{
  va_list arguments;

  if (directory->warnings->len >= ZIP_WARNINGS_MAX)
    return;

  va_start (arguments, format);
  g_ptr_array_add (directory->warnings, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

static gboolean
extra_is_well_formed (const ZipHeader *header)
{
  gsize position = 0;
  gsize length = 0;
  guint16 id = 0;
  const guint8 *field = NULL;

  while (zip_extra_next (header->extra, header->extra_length, &position, &id, &field, &length))
    continue;
  return position == header->extra_length;
}

ZipEntry *
zip_directory_add (ZipDirectory *directory, const ZipHeader *header, gsize position)
{
  ZipEntry entry = {
    .record = (const guint8 *) position,
    .header_offset = header->header_offset,
    .packed_size = header->packed_size,
    .size = header->size,
    .crc = header->crc,
    .external_attributes = header->external_attributes,
    .made_by = header->made_by,
    .version_needed = header->version_needed,
    .flags = header->flags,
    .method = header->method,
    .dos_time = header->dos_time,
    .dos_date = header->dos_date,
    .name_length = header->name_length,
    .extra_length = header->extra_length,
    .comment_length = header->comment_length,
    .internal_attributes = header->internal_attributes,
  };

  if (header->zip64)
    entry.facts |= ZIP_ENTRY_ZIP64;
  if (!extra_is_well_formed (header))
    entry.facts |= ZIP_ENTRY_BAD_EXTRA;

  g_array_append_val (directory->entries, entry);
  return &g_array_index (directory->entries, ZipEntry, directory->entries->len - 1);
}

void
zip_directory_set_raw (ZipDirectory *directory, GBytes *raw)
{
  const guint8 *data = g_bytes_get_data (raw, NULL);

  directory->raw = raw;
  for (guint i = 0; i < directory->entries->len; i++)
    {
      ZipEntry *entry = &g_array_index (directory->entries, ZipEntry, i);
      entry->record = data + (gsize) entry->record;
    }
}

ZipParse
zip_directory_walk (ZipDirectory *directory, const guint8 *data, gsize length, gint64 shift,
                    gsize *consumed)
{
  *consumed = 0;

  while (*consumed < length)
    {
      ZipHeader header;
      gsize size = 0;
      ZipParse parse = zip_record_parse_central (data + *consumed, length - *consumed, &header,
                                                 &size);

      if (parse != ZIP_PARSE_OK)
        return parse;

      /* Offsets that leave the file by this are caught when the layout is checked. */
      header.header_offset += (guint64) shift;
      zip_directory_add (directory, &header, *consumed);
      *consumed += size;
    }

  return ZIP_PARSE_OK;
}

static guint32
read_signature (ZipSource *source, guint64 offset)
{
  guint8 bytes[4] = { 0 };
  gsize n_read = 0;

  if (!zip_source_read (source, offset, bytes, sizeof bytes, &n_read, NULL))
    return 0;
  return zip_record_peek_u32 (bytes, n_read);
}

/* The bytes from the directory's start to the end record. */
static GBytes *
read_raw (ZipSource *source, const ZipEndPlace *place, GError **error)
{
  guint64 length = place->directory_limit - place->directory_start;
  gsize tail_length = g_bytes_get_size (place->tail);

  if (place->directory_start >= place->tail_offset
      && place->directory_limit - place->tail_offset <= tail_length)
    return g_bytes_new_from_bytes (place->tail,
                                   (gsize) (place->directory_start - place->tail_offset),
                                   (gsize) length);

  if (length > ZIP_DIRECTORY_MAX)
    {
      g_set_error (error, ZIP_ERROR, ZIP_ERROR_TOO_LARGE,
                   "central directory at 0x%" G_GINT64_MODIFIER "x: %" G_GUINT64_FORMAT
                   " bytes are more than is taken",
                   place->directory_start, length);
      return NULL;
    }

  g_autofree guint8 *bytes = g_try_malloc ((gsize) MAX (length, 1));
  if (bytes == NULL)
    {
      g_set_error (error, ZIP_ERROR, ZIP_ERROR_TOO_LARGE,
                   "central directory at 0x%" G_GINT64_MODIFIER "x: no memory for "
                   "%" G_GUINT64_FORMAT " bytes",
                   place->directory_start, length);
      return NULL;
    }
  if (!zip_source_read_exact (source, place->directory_start, bytes, (gsize) length,
                              "central directory", error))
    return NULL;
  return g_bytes_new_take (g_steal_pointer (&bytes), (gsize) length);
}

/* Offsets count from the start of the archive, before which there may be a program; but some
 * tools that put a program in front leave the directory's place as it was and correct the
 * entries', or the other way round. The first entry's header tells. Returns FALSE if the first
 * header is nowhere. */
static gboolean
settle_shift (ZipSource *source, const ZipHeader *first, const ZipEndPlace *place, gint64 *shift,
              gboolean *wrapped)
{
  *shift = place->shift;
  *wrapped = FALSE;

  if (!place->zip64 && *shift >= (gint64) FOUR_GIB)
    {
      guint64 rest = (guint64) *shift % FOUR_GIB;

      for (guint64 place_try = first->header_offset + rest; place_try < place->directory_start;
           place_try += FOUR_GIB)
        if (read_signature (source, place_try) == ZIP_SIGNATURE_LOCAL)
          {
            *wrapped = TRUE;
            *shift = (gint64) rest;
            return TRUE;
          }
    }

  if (read_signature (source, first->header_offset + (guint64) *shift) == ZIP_SIGNATURE_LOCAL)
    return TRUE;
  if (*shift != 0 && read_signature (source, first->header_offset) == ZIP_SIGNATURE_LOCAL)
    {
      *shift = 0;
      return TRUE;
    }
  return FALSE;
}

static gboolean
count_fits (const ZipEndPlace *place, guint n_entries)
{
  /* The short field wraps in archives of writers that know no ZIP64. */
  guint64 stated = place->end.n_entries;

  return stated == n_entries || (stated <= G_MAXUINT16 && stated == (n_entries & 0xffffu));
}

static ZipDirectory *
read_at (ZipSource *source, const ZipEndPlace *place, gboolean *damaged, GCancellable *cancellable,
         GError **error)
{
  g_autoptr (ZipDirectory) directory = zip_directory_new ();
  gint64 shift = place->shift;
  gboolean wrapped = FALSE;
  gboolean found = TRUE;
  gsize length = 0;
  gsize consumed = 0;
  ZipHeader first = { 0 };

  g_autoptr (GBytes) raw = read_raw (source, place, error);
  if (raw == NULL)
    return NULL;

  const guint8 *data = g_bytes_get_data (raw, &length);
  ZipParse parse = zip_record_parse_central (data, length, &first, &consumed);
  gboolean in_parts = place->end.disk != 0 && !(place->end.marked & ZIP_END_MARKED_DISK);
  if (parse == ZIP_PARSE_OK && (shift != 0 || in_parts))
    found = settle_shift (source, &first, place, &shift, &wrapped);
  if (in_parts && (!found || first.disk != place->end.disk))
    {
      g_set_error (error, ZIP_ERROR, ZIP_ERROR_SPLIT,
                   "end record at 0x%" G_GINT64_MODIFIER "x: this is part %u, the last, of a split "
                   "archive; all parts are needed",
                   place->end_position, place->end.disk + 1);
      return NULL;
    }

  parse = zip_directory_walk (directory, data, length, shift, &consumed);

  /* A digital signature may follow the headers; whatever else ends them early is damage. */
  *damaged = parse == ZIP_PARSE_SHORT
             || (parse == ZIP_PARSE_SIGNATURE && consumed < place->end.directory_size
                 && !count_fits (place, directory->entries->len));
  if (!count_fits (place, directory->entries->len))
    {
      directory->facts |= ZIP_READER_COUNT_WRONG;
      zip_directory_warn (directory,
                          "end record at 0x%" G_GINT64_MODIFIER "x: states %" G_GUINT64_FORMAT
                          " entries, the directory holds %u",
                          place->end_position, place->end.n_entries, directory->entries->len);
    }

  zip_directory_set_raw (directory, g_steal_pointer (&raw));
  directory->offset = place->directory_start;
  directory->prefix_size = shift > 0 ? (guint64) shift : 0;
  if (wrapped && !zip_layout_unwrap (directory, source, cancellable, error))
    return NULL;
  zip_layout_check (directory, zip_source_get_size (source), place->directory_start);
  return g_steal_pointer (&directory);
}

/* What stands in front of the archive: as far as offsets are shifted, or, where a tool has
 * corrected them, up to the first header. */
static void
find_prefix (ZipDirectory *directory, ZipSource *source)
{
  guint64 lowest = G_MAXUINT64;

  if (directory->prefix_size > 0)
    return;
  for (guint i = 0; i < directory->entries->len; i++)
    lowest = MIN (lowest, g_array_index (directory->entries, ZipEntry, i).header_offset);

  /* An archive whose first entries were crossed out has no prefix. */
  lowest = MIN (lowest, directory->offset);
  if (lowest > 0 && read_signature (source, 0) != ZIP_SIGNATURE_LOCAL)
    directory->prefix_size = lowest;
}

static void
take_end (ZipDirectory *directory, const ZipEndPlace *place)
{
  gsize comment_length = g_bytes_get_size (place->comment);

  g_clear_pointer (&directory->comment, g_bytes_unref);
  directory->comment = g_bytes_ref (place->comment);
  directory->trailing_size = place->trailing_size;
  if (place->zip64)
    directory->facts |= ZIP_READER_ZIP64;

  if (comment_length < place->end.comment_length)
    {
      directory->facts |= ZIP_READER_TRUNCATED;
      zip_directory_warn (directory,
                          "end record at 0x%" G_GINT64_MODIFIER "x: the file ends after "
                          "%" G_GSIZE_FORMAT " of %u bytes of its comment",
                          place->end_position, comment_length, place->end.comment_length);
    }
  if (place->trailing_size > 0)
    zip_directory_warn (directory,
                        "%" G_GUINT64_FORMAT " bytes behind the end record at "
                        "0x%" G_GINT64_MODIFIER "x",
                        place->trailing_size, place->end_position);
}

/* Where a scan for local headers may begin: only at an entry, so that no other file is taken for
 * a ZIP archive because there is one somewhere in it. Returns FALSE if there is none. */
static gboolean
find_scan_start (ZipSource *source, guint64 prefix, guint64 *start, gboolean *split)
{
  guint8 head[8] = { 0 };
  gsize n_read = 0;

  *split = FALSE;
  *start = prefix;
  if (!zip_source_read (source, prefix, head, sizeof head, &n_read, NULL))
    return FALSE;

  guint32 signature = zip_record_peek_u32 (head, n_read);
  if (signature == ZIP_SIGNATURE_LOCAL)
    return TRUE;
  if (n_read < sizeof head || zip_record_peek_u32 (head + 4, 4) != ZIP_SIGNATURE_LOCAL)
    return FALSE;

  *start = prefix + 4;
  *split = signature == ZIP_SIGNATURE_DESCRIPTOR;
  return *split || signature == ZIP_SIGNATURE_SPAN_DONE;
}

static ZipDirectory *
recover (ZipSource *source, GError *reason, GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) why = reason;
  guint64 start = 0;
  gboolean split = FALSE;

  /* Not being a ZIP archive and being a damaged one differ in how the file begins. */
  if (why->domain != ZIP_ERROR || (why->code != ZIP_ERROR_NOT_ZIP && why->code != ZIP_ERROR_CORRUPT)
      || !find_scan_start (source, 0, &start, &split))
    {
      g_propagate_error (error, g_steal_pointer (&why));
      return NULL;
    }

  if (split)
    {
      g_set_error (error, ZIP_ERROR, ZIP_ERROR_SPLIT,
                   "start of the file: this is part 1 of a split archive; all parts are needed");
      return NULL;
    }

  ZipDirectory *directory = zip_recovery_scan (source, start, cancellable, error);
  if (directory != NULL)
    zip_directory_warn (directory, "%s; the entries were found by their own headers", why->message);
  return directory;
}

ZipDirectory *
zip_directory_read (ZipSource *source, GCancellable *cancellable, GError **error)
{
  g_auto (ZipEndPlace) place = { 0 };
  g_autoptr (GError) local_error = NULL;
  g_autoptr (ZipDirectory) directory = NULL;
  gboolean damaged = FALSE;
  gboolean split = FALSE;
  guint64 start = 0;

  if (zip_source_get_size (source) == 0)
    {
      g_set_error (error, ZIP_ERROR, ZIP_ERROR_NOT_ZIP, "the file is empty");
      return NULL;
    }

  if (!zip_end_find (source, &place, &local_error))
    return recover (source, g_steal_pointer (&local_error), cancellable, error);

  directory = read_at (source, &place, &damaged, cancellable, error);
  if (directory == NULL)
    return NULL;

  if (damaged)
    {
      guint64 at = directory->offset;
      guint n_read = directory->entries->len;
      g_autoptr (ZipDirectory) recovered = NULL;

      directory->facts |= ZIP_READER_RECOVERED;
      if (find_scan_start (source, directory->prefix_size, &start, &split))
        recovered = zip_recovery_scan (source, start, cancellable, NULL);
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return NULL;
      if (recovered != NULL && recovered->entries->len > n_read)
        {
          recovered->prefix_size = directory->prefix_size;
          g_clear_pointer (&directory, zip_directory_free);
          directory = g_steal_pointer (&recovered);
        }
      zip_directory_warn (directory,
                          "central directory at 0x%" G_GINT64_MODIFIER "x: damaged after header %u",
                          at, n_read);
    }

  find_prefix (directory, source);
  take_end (directory, &place);
  return g_steal_pointer (&directory);
}
