/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Feeds libarchive and keeps it within bounds; see the header. */

#include "hold-libarchive-stream.h"

#include <errno.h>
#include <string.h>

#include "hold-libarchive-error.h"
#include "hold-libarchive-guard.h"

#define BLOCK (256 * 1024)

/* Some damaged archives make libarchive read the same places for ever. No honest one is read more
 * than a few times over, and small ones may be read often. */
#define READ_TIMES 64
#define READ_EXTRA (G_GUINT64_CONSTANT (64) << 20)

#define MAX_RETRIES 8
/* In bytes, the smallest that zisofs has. */
#define ZISOFS_BLOCK 32768u
/* Blocks without data that libarchive may give in a row. */
#define MAX_IDLE 10000

static const struct {
  int code;
  int (*enable) (struct archive *archive);
} filters[] = {
  { ARCHIVE_FILTER_GZIP, archive_read_support_filter_gzip },
  { ARCHIVE_FILTER_BZIP2, archive_read_support_filter_bzip2 },
  { ARCHIVE_FILTER_COMPRESS, archive_read_support_filter_compress },
  { ARCHIVE_FILTER_LZMA, archive_read_support_filter_lzma },
  { ARCHIVE_FILTER_XZ, archive_read_support_filter_xz },
  { ARCHIVE_FILTER_LZIP, archive_read_support_filter_lzip },
  { ARCHIVE_FILTER_LZOP, archive_read_support_filter_lzop },
  { ARCHIVE_FILTER_LZ4, archive_read_support_filter_lz4 },
  { ARCHIVE_FILTER_ZSTD, archive_read_support_filter_zstd },
  { ARCHIVE_FILTER_RPM, archive_read_support_filter_rpm },
};

static int (* const formats[]) (struct archive *archive) = {
  archive_read_support_format_tar,
  archive_read_support_format_7zip,
  archive_read_support_format_rar,
  archive_read_support_format_rar5,
  archive_read_support_format_cpio,
  archive_read_support_format_iso9660,
  archive_read_support_format_cab,
  archive_read_support_format_lha,
  archive_read_support_format_xar,
  archive_read_support_format_ar,
  archive_read_support_format_warc,
};

/* libarchive answers ARCHIVE_WARN for a filter that it would run a program for, and has then
 * switched it on already; so it is tried on an archive that reads nothing. */
static guint
built_in_filters (void)
{
  static gsize once;

  if (g_once_init_enter (&once))
    {
      guint found = 1u << 31;

      for (gsize i = 0; i < G_N_ELEMENTS (filters); i++)
        {
          struct archive *probe = archive_read_new ();

          if (probe != NULL && filters[i].enable (probe) == ARCHIVE_OK)
            found |= 1u << i;
          if (probe != NULL && archive_read_free (probe) != ARCHIVE_OK)
            g_debug ("freeing a reader that read nothing failed");
        }
      g_once_init_leave (&once, found);
    }
  return (guint) once;
}

gboolean
hold_libarchive_has_filter (int filter)
{
  for (gsize i = 0; i < G_N_ELEMENTS (filters); i++)
    if (filters[i].code == filter)
      return (built_in_filters () & 1u << i) != 0;
  return FALSE;
}

locale_t
hold_libarchive_locale_enter (void)
{
  static gsize once;

  if (g_once_init_enter (&once))
    {
      static const char * const names[] = { "C.UTF-8", "C.utf8", "en_US.UTF-8" };
      locale_t utf8 = (locale_t) 0;

      for (gsize i = 0; i < G_N_ELEMENTS (names) && utf8 == (locale_t) 0; i++)
        utf8 = newlocale (LC_CTYPE_MASK, names[i], (locale_t) 0);
      /* Without any of them the user's own locale has to do. */
      g_once_init_leave (&once, utf8 != (locale_t) 0 ? (gsize) utf8 : (gsize) LC_GLOBAL_LOCALE);
    }
  return uselocale ((locale_t) once);
}

void
hold_libarchive_locale_leave (locale_t previous)
{
  uselocale (previous);
}

void
hold_libarchive_stream_init (HoldLibarchiveStream *self, HoldVolumes *volumes,
                             const HoldLibarchiveParts *parts, GCancellable *cancellable)
{
  *self = (HoldLibarchiveStream) { 0 };
  self->volumes = hold_volumes_ref (volumes);
  self->parts = parts;
  self->cancellable = cancellable;
  self->size = hold_volumes_get_size (volumes);
  if (parts != NULL)
    self->size = g_bytes_get_size (parts->head) + parts->data_length;
  self->buffer = g_malloc (BLOCK);
}

static void
free_archive (HoldLibarchiveStream *self)
{
  if (self->archive != NULL && archive_read_free (self->archive) != ARCHIVE_OK)
    g_debug ("freeing a reader failed");
  self->archive = NULL;
}

void
hold_libarchive_stream_clear (HoldLibarchiveStream *self)
{
  free_archive (self);
  g_clear_pointer (&self->gunzip, hold_gunzip_free);
  g_clear_pointer (&self->volumes, hold_volumes_unref);
  g_clear_error (&self->error);
  g_clear_pointer (&self->buffer, g_free);
}

/* In order: libarchive gets no callback to seek with. */
static gboolean
read_parts (HoldLibarchiveStream *self, const guint8 **block, gsize *n_read, GError **error)
{
  gsize head_length;
  const guint8 *head = g_bytes_get_data (self->parts->head, &head_length);
  guint64 position = self->position;

  if (position < head_length)
    {
      *block = head + position;
      *n_read = (gsize) (head_length - position);
      return TRUE;
    }
  if (self->parts->pull != NULL)
    return self->parts->pull (self->parts->pull_data, block, n_read, error);

  position -= head_length;
  return position >= self->parts->data_length
         || hold_volumes_read (self->volumes, self->parts->data_offset + position, self->buffer,
                               (gsize) MIN (self->parts->data_length - position, (guint64) BLOCK),
                               n_read, error);
}

static gboolean
read_block (HoldLibarchiveStream *self, const guint8 **block, gsize *n_read, GError **error)
{
  guint64 file_bytes;

  if (g_cancellable_set_error_if_cancelled (self->cancellable, error))
    return FALSE;
  if (self->gunzip != NULL)
    {
      if (!hold_gunzip_read (self->gunzip, self->buffer, BLOCK, n_read, error))
        return FALSE;
      file_bytes = hold_gunzip_get_consumed (self->gunzip);
    }
  else if (self->parts != NULL)
    {
      if (!read_parts (self, block, n_read, error))
        return FALSE;
      file_bytes = self->position;
    }
  else
    {
      if (self->n_read / READ_TIMES > self->size + READ_EXTRA / READ_TIMES)
        {
          g_set_error (error, HOLD_ERROR, HOLD_ERROR_CORRUPT,
                       "the archive is damaged: it leads back to the same place again and again");
          return FALSE;
        }
      if (!hold_volumes_read (self->volumes, self->position, self->buffer, BLOCK, n_read, error))
        return FALSE;
      file_bytes = MIN (self->n_read + *n_read, self->size);
    }
  self->position += *n_read;
  self->n_read += *n_read;
  if (self->consumed != NULL)
    self->consumed (self->user_data, file_bytes);
  return TRUE;
}

static la_ssize_t
read_cb (struct archive *archive, void *user_data, const void **buffer)
{
  HoldLibarchiveStream *self = user_data;
  const guint8 *block = self->buffer;
  gsize n_read = 0;

  if (self->error != NULL || !read_block (self, &block, &n_read, &self->error))
    {
      archive_set_error (archive, EIO, "reading failed");
      return ARCHIVE_FATAL;
    }
  *buffer = block;
  return (la_ssize_t) n_read;
}

static la_int64_t
skip_cb (struct archive *archive, void *user_data, la_int64_t request)
{
  HoldLibarchiveStream *self = user_data;
  guint64 n;

  if (request <= 0 || self->position >= self->size)
    return 0;
  n = MIN ((guint64) request, self->size - self->position);
  self->position += n;
  return (la_int64_t) n;
}

static la_int64_t
seek_cb (struct archive *archive, void *user_data, la_int64_t offset, int whence)
{
  HoldLibarchiveStream *self = user_data;
  gint64 base = whence == SEEK_SET ? 0
                : whence == SEEK_CUR ? (gint64) self->position : (gint64) self->size;

  if ((offset > 0 && base > G_MAXINT64 - offset) || base + offset < 0)
    return ARCHIVE_FATAL;
  /* A jump is a small read at least, so that a loop of jumps ends as well. */
  self->n_read += 512;
  self->position = MIN ((guint64) (base + offset), self->size);
  return (la_int64_t) self->position;
}

void
hold_libarchive_stream_set_error (HoldLibarchiveStream *self, GError **error)
{
  if (self->error != NULL)
    g_propagate_error (error, g_error_copy (self->error));
  else
    hold_libarchive_error_set (error, self->archive);
}

/* LZ4 and Zstandard share their skippable frames, and libarchive takes all of them for Zstandard.
 * Where LZ4 begins behind such frames; 0 if there are none. */
static guint64
find_lz4_behind_skippable_frames (HoldLibarchiveStream *self)
{
  guint64 offset = 0;

  for (guint i = 0; i < 1000 && self->gunzip == NULL && self->parts == NULL; i++)
    {
      guint32 head[2];
      gsize n;

      if (!hold_volumes_read (self->volumes, offset, head, sizeof head, &n, NULL) || n < sizeof head)
        return 0;
      head[0] = GUINT32_FROM_LE (head[0]);
      if ((head[0] & 0xfffffff0u) == 0x184d2a50u)
        offset += 8u + GUINT32_FROM_LE (head[1]);
      else
        return head[0] == 0x184d2204u ? offset : 0;
    }
  return 0;
}

/* libarchive gives up at the first LHA name that it can't convert, without a word (E09). Latin-1
 * maps every byte, and back. */
static void
set_lha_charset (HoldLibarchiveStream *self)
{
  if (self->lha_charset != NULL
      && archive_read_set_format_option (self->archive, "lha", "hdrcharset", self->lha_charset) == ARCHIVE_OK)
    return;
  self->lha_charset = NULL;
  if (archive_read_set_format_option (self->archive, "lha", "hdrcharset", "ISO-8859-1") != ARCHIVE_OK)
    g_debug ("no conversion from ISO-8859-1: %s", archive_error_string (self->archive));
}

static gboolean
enable (HoldLibarchiveStream *self, HoldLibarchiveMode mode)
{
  guint wanted = built_in_filters ();

  if (mode == HOLD_LIBARCHIVE_ZIP)
    return archive_read_support_format_zip_streamable (self->archive) == ARCHIVE_OK
           && (!self->ignore_crc
               || archive_read_set_format_option (self->archive, "zip", "ignorecrc32", "1") == ARCHIVE_OK);

  for (gsize i = 0; i < G_N_ELEMENTS (filters); i++)
    if ((wanted & 1u << i) != 0 && filters[i].enable (self->archive) != ARCHIVE_OK)
      return FALSE;

  /* Forced and not bid for: an empty or damaged stream is then told apart from a whole one. */
  if (mode == HOLD_LIBARCHIVE_RAW)
    return archive_read_set_format (self->archive, ARCHIVE_FORMAT_RAW) == ARCHIVE_OK;

  /* Only where hold_libarchive_guard_check() has seen it: not behind a compression. */
  gboolean iso = self->gunzip == NULL && hold_libarchive_guard_is_iso (self->volumes);

  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if ((iso || formats[i] != archive_read_support_format_iso9660)
        && formats[i] (self->archive) < ARCHIVE_WARN)
      return FALSE;
  set_lha_charset (self);
  return TRUE;
}

gboolean
hold_libarchive_stream_open (HoldLibarchiveStream *self, HoldLibarchiveMode mode,
                             const char *secret, GError **error)
{
  free_archive (self);
  g_clear_pointer (&self->gunzip, hold_gunzip_free);
  g_clear_error (&self->error);
  self->position = self->n_read = 0;

  self->archive = archive_read_new ();
  if (self->archive == NULL)
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_TOO_LARGE, "there is not enough memory");
      return FALSE;
    }
  if (self->parts == NULL && hold_gunzip_is_gzip (self->volumes))
    self->gunzip = hold_gunzip_new (self->volumes);
  self->position = find_lz4_behind_skippable_frames (self);

  if (!enable (self, mode)
      || (secret != NULL && archive_read_add_passphrase (self->archive, secret) != ARCHIVE_OK)
      || archive_read_set_read_callback (self->archive, read_cb) != ARCHIVE_OK
      || archive_read_set_callback_data (self->archive, self) != ARCHIVE_OK
      || (self->gunzip == NULL && self->parts == NULL
          && (archive_read_set_skip_callback (self->archive, skip_cb) != ARCHIVE_OK
              || archive_read_set_seek_callback (self->archive, seek_cb) != ARCHIVE_OK))
      || archive_read_open1 (self->archive) < ARCHIVE_WARN)
    {
      hold_libarchive_stream_set_error (self, error);
      return FALSE;
    }
  return TRUE;
}

/* The symbol table and the table of long names are how ar stores names, not members of it. */
static gboolean
is_ar_table (struct archive *archive, struct archive_entry *entry)
{
  const char *name;

  if ((archive_format (archive) & ARCHIVE_FORMAT_BASE_MASK) != ARCHIVE_FORMAT_AR)
    return FALSE;
  name = archive_entry_pathname (entry);
  return name != NULL && (strcmp (name, "/") == 0 || strcmp (name, "//") == 0 || strcmp (name, "/SYM64/") == 0);
}

/* libarchive looks for the next header in the rubbish and says so in passing. */
static gboolean
is_damage (struct archive *archive)
{
  const char *text = archive_error_string (archive);

  return text != NULL && (g_str_has_prefix (text, "Skipped ") || strstr (text, "Damaged") != NULL
                          || strstr (text, "damaged") != NULL || strstr (text, "runcated") != NULL);
}

HoldNext
hold_libarchive_stream_next (HoldLibarchiveStream *self, struct archive_entry **entry,
                             GError **error)
{
  int result;

  do
    {
      result = ARCHIVE_RETRY;
      for (guint i = 0; result == ARCHIVE_RETRY && i < MAX_RETRIES; i++)
        result = archive_read_next_header (self->archive, entry);
    }
  while ((result == ARCHIVE_OK || result == ARCHIVE_WARN) && is_ar_table (self->archive, *entry));

  /* libarchive may take a failing read for the end of the archive. */
  if (self->error != NULL && result != ARCHIVE_OK)
    result = ARCHIVE_FATAL;
  if (result == ARCHIVE_OK)
    return HOLD_NEXT_ENTRY;
  if (result == ARCHIVE_EOF)
    return HOLD_NEXT_END;
  hold_libarchive_stream_set_error (self, error);
  if (result == ARCHIVE_WARN)
    return is_damage (self->archive) ? HOLD_NEXT_DAMAGED : HOLD_NEXT_WARNED;
  return result == ARCHIVE_FAILED ? HOLD_NEXT_FAILED : HOLD_NEXT_FATAL;
}

static gboolean
hand_out (HoldLibarchiveStream *self, const guint8 *data, gsize length, guint64 offset,
          HoldLibarchiveWrite write, gpointer user_data, GError **error)
{
  while (length > 0)
    {
      gsize n = MIN (length, (gsize) BLOCK);

      if (g_cancellable_set_error_if_cancelled (self->cancellable, error))
        return FALSE;
      if (write != NULL && !write (user_data, data, n, offset, error))
        return FALSE;
      data += n;
      offset += n;
      length -= n;
    }
  return TRUE;
}

static gboolean
set_corrupt (GError **error, const char *what)
{
  g_set_error (error, HOLD_ERROR, HOLD_ERROR_CORRUPT, "the data is damaged: %s", what);
  return FALSE;
}

/* How far the data of an entry is. */
typedef struct {
  int format;
  gboolean may_have_holes;
  gboolean has_size;
  guint64 size;
  guint64 end;       /* behind the last byte of data */
  guint64 hole_end;  /* behind the hole that may follow it */
} Data;

static gboolean
check_block (const Data *data, la_int64_t offset, size_t length, GError **error)
{
  if (offset < 0 || (guint64) offset < data->end || length > G_MAXINT64 - (guint64) offset
      || ((guint64) offset > data->end && !data->may_have_holes))
    return set_corrupt (error, "its pieces do not fit together");
  if (data->has_size && (guint64) offset + length > data->size)
    return set_corrupt (error, "there is more of it than the recorded size");
  return TRUE;
}

/* Hands out all blocks up to the last. *fatal as of the function below. */
static gboolean
read_blocks (HoldLibarchiveStream *self, Data *data, HoldLibarchiveWrite write, gpointer user_data, gboolean *fatal,
             GError **error)
{
  guint n_idle = 0;

  for (;;)
    {
      const void *block = NULL;
      size_t length = 0;
      la_int64_t offset = 0;
      int result = archive_read_data_block (self->archive, &block, &length, &offset);
      gboolean is_idle;

      if (self->error != NULL)
        result = ARCHIVE_FATAL;
      is_idle = (result == ARCHIVE_RETRY || (result == ARCHIVE_OK && length == 0)) && n_idle++ < MAX_IDLE
                && !g_cancellable_is_cancelled (self->cancellable);
      if (is_idle || result == ARCHIVE_EOF)
        data->hole_end = MAX (data->hole_end, offset > 0 ? (guint64) offset : 0);
      if (is_idle)
        continue;
      if (result == ARCHIVE_EOF)
        return TRUE;
      /* A warning about data means that the data is not what it should be. */
      if (result != ARCHIVE_OK)
        {
          *fatal = result == ARCHIVE_FATAL || result == ARCHIVE_RETRY;
          hold_libarchive_stream_set_error (self, error);
          return FALSE;
        }
      if (length == 0)
        {
          *fatal = TRUE;
          return !g_cancellable_set_error_if_cancelled (self->cancellable, error)
                 && set_corrupt (error, "it never ends");
        }

      n_idle = 0;
      if (!check_block (data, offset, length, error)
          || !hand_out (self, block, length, (guint64) offset, write, user_data, error))
        return FALSE;
      data->end = (guint64) offset + length;
    }
}

gboolean
hold_libarchive_stream_read_data (HoldLibarchiveStream *self, gboolean has_size, guint64 size,
                                  HoldLibarchiveWrite write, gpointer user_data, gboolean *fatal,
                                  GError **error)
{
  static const guint8 zero = 0;
  Data data = {
    .format = archive_format (self->archive) & ARCHIVE_FORMAT_BASE_MASK, .has_size = has_size, .size = size,
  };

  *fatal = FALSE;
  /* Only tar has holes, and ISO with zisofs. RAR's reader claims that it reached the end where it
   * did not. */
  data.may_have_holes = data.format == ARCHIVE_FORMAT_TAR || data.format == ARCHIVE_FORMAT_ISO9660;
  if (!read_blocks (self, &data, write, user_data, fatal, error))
    return FALSE;

  /* Blocks of zeros have no data in zisofs either, and those at the end are not mentioned at all.
   * An image that was cut short fails above. */
  if (data.format == ARCHIVE_FORMAT_ISO9660 && has_size && data.end > 0 && data.end < size
      && data.end % ZISOFS_BLOCK == 0)
    data.hole_end = size;
  if (data.may_have_holes && data.hole_end > data.end && (!has_size || data.hole_end <= size))
    {
      /* A hole at the end comes without data; one zero makes the file as long as it is. */
      if (!hand_out (self, &zero, 1, data.hole_end - 1, write, user_data, error))
        return FALSE;
      data.end = data.hole_end;
    }
  if (has_size && data.end != size)
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_TRUNCATED,
                   "only %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " bytes are there", data.end, size);
      return FALSE;
    }
  return TRUE;
}
