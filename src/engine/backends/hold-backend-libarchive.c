/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Lists what libarchive reads: every format but ZIP, and single compressed files. */

#include "hold-backend-libarchive-private.h"
#include "hold-libarchive-write.h"

#include <string.h>

#include "hold-backend-signature.h"
#include "hold-libarchive-error.h"
#include "hold-libarchive-doubt.h"
#include "hold-libarchive-guard.h"
#include "hold-rar-volume.h"
#include "hold-sfx.h"

static void
data_free (gpointer pointer)
{
  HoldLibarchiveData *data = pointer;

  hold_volumes_unref (data->volumes);
  g_free (data->raw_name);
  g_free (data);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldLibarchiveData, data_free)

/* A tar is padded to 10 KiB, or to what the writer's tape wanted. */
#define EMPTY_TAR_MAX (256u * 1024)

/* What the listing collects besides the entries. */
typedef struct {
  const HoldBackendOpen *open;
  HoldArchiveBuilder *builder;
  HoldLibarchiveStream *stream;
  HoldLibarchiveData *data;
  char *first_name;
  HoldLibarchiveStream lha_shadow;
  GArray *encrypted;   /* of gboolean, by entry; RAR 5 only */
  GArray *delayed;     /* in order; cpio only */
  guint n_entries;
} Listing;

static gboolean
has_file (gpointer backend_data, guint64 device, guint64 inode)
{
  HoldLibarchiveData *data = backend_data;

  return hold_volumes_has_file (data->volumes, device, inode);
}

static void
warn (HoldArchiveBuilder *builder, const char *path, const GError *error)
{
  hold_report_add (hold_archive_builder_get_report (builder), HOLD_OUTCOME_WARNING, path, error);
}

static gboolean
add_entry (Listing *self, struct archive_entry *from, GError **error)
{
  HoldEntry entry;
  HoldNameSource name, link;

  _hold_libarchive_fill_entry (self->stream->archive, from, &entry, &name, &link);

  char *owned[2] = { NULL, NULL };

  if ((archive_format (self->stream->archive) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_LHA)
    _hold_libarchive_fix_lha_names (self->stream, &self->lha_shadow, &name, &link, owned);

  g_autofree char *lha_name = owned[0];
  g_autofree char *lha_link = owned[1];

  if (self->data->mode == HOLD_LIBARCHIVE_RAW)
    {
      self->data->raw_name = _hold_libarchive_dup_raw_name (hold_volumes_get_first_path (self->data->volumes),
                                                            self->stream->archive,
                                                            self->stream->gunzip != NULL);
      name = (HoldNameSource) {
        .bytes = (const guint8 *) self->data->raw_name,
        .length = strlen (self->data->raw_name),
        .is_utf8 = g_utf8_validate (self->data->raw_name, -1, NULL),
      };
      entry.flags &= (guint16) ~HOLD_ENTRY_HAS_SIZE;
      entry.packed = hold_volumes_get_size (self->data->volumes);
      entry.flags |= HOLD_ENTRY_HAS_PACKED;
      if (self->stream->gunzip != NULL && hold_gunzip_get_mtime (self->stream->gunzip, &entry.mtime))
        entry.flags |= HOLD_ENTRY_HAS_MTIME;
    }
  if (self->n_entries < self->encrypted->len && g_array_index (self->encrypted, gboolean, self->n_entries))
    entry.flags |= HOLD_ENTRY_ENCRYPTED | HOLD_ENTRY_UNREADABLE;
  if (self->n_entries == 0 && name.bytes != NULL)
    self->first_name = g_strndup ((const char *) name.bytes, name.length);
  entry.place = self->n_entries++;
  if (archive_format (self->stream->archive) == ARCHIVE_FORMAT_RAW)
    entry.method = archive_filter_count (self->stream->archive) > 1
                   ? g_intern_string (archive_filter_name (self->stream->archive, 0))
                   : self->stream->gunzip != NULL ? "gzip" : NULL;

  if ((archive_format (self->stream->archive) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_CPIO)
    {
      _hold_libarchive_delay (self->delayed, &entry, &name, &link);
      return TRUE;
    }
  return hold_archive_builder_add (self->builder, &entry, &name, link.bytes != NULL ? &link : NULL, NULL, error);
}

static void
add_filters (Listing *self)
{
  struct archive *archive = self->stream->archive;

  if (self->stream->gunzip != NULL)
    hold_archive_builder_add_filter (self->builder, "gzip");
  for (int i = archive_filter_count (archive) - 2; i >= 0; i--)
    hold_archive_builder_add_filter (self->builder, g_intern_string (archive_filter_name (archive, i)));
}

static gboolean
check_filters (Listing *self, GError **error)
{
  guint n = (guint) archive_filter_count (self->stream->archive) - 1 + (self->stream->gunzip != NULL);

  if (n <= self->open->limits.max_filters)
    return TRUE;
  g_set_error (error, HOLD_ERROR, HOLD_ERROR_TOO_LARGE,
               "%u compressions lie around each other, more than the %u that are allowed", n,
               self->open->limits.max_filters);
  return FALSE;
}

/* Nothing but zeros has to stand behind the last member of a tar; a file that was cut between two
 * members lacks even those. */
static gboolean
tar_lacks_end (Listing *self, gint64 end_of_last)
{
  return (archive_format (self->stream->archive) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_TAR
         && self->n_entries > 0 && archive_filter_bytes (self->stream->archive, 0) <= end_of_last;
}

/* The list ends here: what was read stays usable, unless that is nothing, or somebody cancelled. */
static gboolean
end_early (Listing *self, const GError *problem, GError **error)
{
  if (self->n_entries == 0 || g_error_matches (problem, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_error_copy (problem));
      return FALSE;
    }
  hold_archive_builder_set_failed (self->builder, problem);
  return TRUE;
}

/* Moves to the end of a member's data, so that truncation shows there and not in the next header. */
static gboolean
skip_data_of_tar (Listing *self, gint64 *end_of_data, GError **error)
{
  if ((archive_format (self->stream->archive) & ARCHIVE_FORMAT_BASE_MASK) != ARCHIVE_FORMAT_TAR)
    return TRUE;
  if (archive_read_data_skip (self->stream->archive) < ARCHIVE_WARN || self->stream->error != NULL)
    {
      hold_libarchive_stream_set_error (self->stream, error);
      return FALSE;
    }
  *end_of_data = archive_filter_bytes (self->stream->archive, 0);
  return TRUE;
}

/* Reads all headers. An early end is told to the builder if there was something before it. */
static gboolean
list (Listing *self, GError **error)
{
  gint64 end_of_last = 0;
  guint n_failed = 0;

  for (;;)
    {
      g_autoptr (GError) problem = NULL;
      struct archive_entry *from = NULL;
      HoldNext next = hold_libarchive_stream_next (self->stream, &from, &problem);

      if (next == HOLD_NEXT_END)
        break;
      if (next == HOLD_NEXT_FATAL || (next == HOLD_NEXT_FAILED && ++n_failed > 1000))
        return end_early (self, problem, error);
      if (next == HOLD_NEXT_FAILED)
        {
          hold_report_add (hold_archive_builder_get_report (self->builder), HOLD_OUTCOME_FAILED, "", problem);
          continue;
        }
      if (self->n_entries == 0 && !check_filters (self, error))
        return FALSE;
      if (next == HOLD_NEXT_WARNED)
        warn (self->builder, "", problem);
      else if (next == HOLD_NEXT_DAMAGED)
        hold_archive_builder_set_failed (self->builder, problem);
      g_clear_error (&problem);
      if (!add_entry (self, from, error))
        return FALSE;
      if (!skip_data_of_tar (self, &end_of_last, &problem))
        return end_early (self, problem, error);
    }

  if (tar_lacks_end (self, end_of_last))
    {
      g_autoptr (GError) problem = g_error_new (HOLD_ERROR, HOLD_ERROR_TRUNCATED,
                                                "the end mark is missing: the archive may have been cut short");

      warn (self->builder, "", problem);
    }
  return TRUE;
}

static gboolean
is_compressed (HoldLibarchiveStream *stream)
{
  return stream->archive != NULL
         && (stream->gunzip != NULL || archive_filter_count (stream->archive) > 1);
}

static gboolean
set_missing (HoldVolumes *volumes, GError **error)
{
  g_set_error (error, HOLD_ERROR, HOLD_ERROR_TRUNCATED,
               "“%s” is missing: put all parts of the archive into one folder",
               hold_volumes_get_missing (volumes));
  return FALSE;
}

static gboolean
list_as (Listing *self, HoldLibarchiveMode mode, GError **error)
{
  self->data->mode = mode;
  return hold_libarchive_stream_open (self->stream, mode, NULL, error) && list (self, error);
}

/* Formats that are read by jumping around do not work behind a compression. */
static gboolean
needs_seeking (HoldLibarchiveStream *stream)
{
  int format = archive_format (stream->archive) & ARCHIVE_FORMAT_BASE_MASK;

  return format == ARCHIVE_FORMAT_7ZIP || format == ARCHIVE_FORMAT_RAR || format == ARCHIVE_FORMAT_RAR_V5
         || format == ARCHIVE_FORMAT_ISO9660 || format == ARCHIVE_FORMAT_CAB || format == ARCHIVE_FORMAT_XAR;
}

static gboolean
is_zeros (const guint8 *data, gsize length)
{
  return length == 0 || (data[0] == 0 && memcmp (data, data + 1, length - 1) == 0);
}

static gboolean
is_named_tar (HoldLibarchiveStream *stream)
{
  const HoldFormat *format = hold_format_by_suffix (hold_volumes_get_first_path (stream->volumes));

  return format != NULL && g_str_has_prefix (format->id, "tar");
}

/* libarchive takes any block of zeros for an empty tar. A real one is nothing but zeros, and has
 * few, or starts with a label. */
static gboolean
is_empty_tar (HoldLibarchiveStream *stream)
{
  g_autofree guint8 *data = g_malloc (EMPTY_TAR_MAX);
  gsize n;

  if (is_compressed (stream))
    return is_named_tar (stream);
  if (!hold_volumes_read (stream->volumes, 0, data, EMPTY_TAR_MAX, &n, NULL))
    return FALSE;
  return (stream->size <= EMPTY_TAR_MAX && is_zeros (data, n)) || !is_zeros (data, MIN (n, 512));
}

/* No honest archive of these formats is without entries: a 7z is 32 bytes long then, and a disc
 * image has a root folder. libarchive finds none where it does not understand what it reads. */
static gboolean
check_not_empty (Listing *self, GError **error)
{
  int format = archive_format (self->stream->archive) & ARCHIVE_FORMAT_BASE_MASK;

  if (self->n_entries > 0)
    return TRUE;
  if (format == ARCHIVE_FORMAT_TAR && !is_empty_tar (self->stream))
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_NOT_ARCHIVE, "this starts with zeros, and is no tar");
      return FALSE;
    }
  if ((format == ARCHIVE_FORMAT_7ZIP && self->stream->size > 32) || format == ARCHIVE_FORMAT_ISO9660)
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_CORRUPT,
                   "the archive is damaged or not finished: its list of entries can't be found");
      return FALSE;
    }
  return TRUE;
}

/* An archive format first. A compressed file with something else in it becomes its only entry, but
 * one that is not compressed at all is no archive. */
static gboolean
list_any (Listing *self, GError **error)
{
  g_autoptr (GError) first = NULL;
  gboolean ok = list_as (self, HOLD_LIBARCHIVE_FORMATS, &first) && check_not_empty (self, &first);

  if (ok)
    return TRUE;
  if (self->stream->error == NULL && self->n_entries == 0 && is_compressed (self->stream)
      && (g_error_matches (first, HOLD_ERROR, HOLD_ERROR_NOT_ARCHIVE) || needs_seeking (self->stream)))
    return list_as (self, HOLD_LIBARCHIVE_RAW, error);
  if (g_error_matches (first, HOLD_ERROR, HOLD_ERROR_TOO_LARGE))
    hold_signature_explain_window (self->data->volumes, &first);
  g_propagate_error (error, g_steal_pointer (&first));
  return FALSE;
}

/* Cabinets name the one before and the one after them; they are not joined here. */
static gboolean
is_cabinet_of_set (HoldVolumes *volumes)
{
  guint8 head[32];
  gsize n;

  return hold_volumes_read (volumes, 0, head, sizeof head, &n, NULL) && n == sizeof head
         && memcmp (head, "MSCF\0\0\0", 8) == 0 && (head[30] & 0x03) != 0;
}

static gboolean
say_cabinet_set (HoldArchiveBuilder *builder, gboolean listed, GError **error)
{
  g_autoptr (GError) problem = g_error_new (HOLD_ERROR, HOLD_ERROR_UNSUPPORTED,
                                            "this cabinet is one of a set, and sets of cabinets can't be joined here");

  if (listed)
    {
      hold_archive_builder_set_failed (builder, problem);
      return TRUE;
    }
  g_clear_error (error);
  g_propagate_error (error, g_steal_pointer (&problem));
  return FALSE;
}

/* What libarchive will read: of a program with a 7z archive in it that archive alone. */
static HoldVolumes *
find_volumes (const HoldBackendOpen *open, gboolean *is_program, GError **error)
{
  g_autoptr (HoldVolumes) volumes = open->volumes != NULL ? hold_volumes_ref (open->volumes)
                                                          : hold_volumes_open (open->path, open->fd, error);
  g_autoptr (GError) failure = NULL;
  guint64 offset;

  if (volumes == NULL)
    return NULL;
  *is_program = hold_volumes_get_n_parts (volumes) == 1 && hold_sfx_is_program (volumes);
  if (*is_program && hold_sfx_find_seven_zip (volumes, &offset, &failure))
    return hold_volumes_new_behind (volumes, offset);
  if (failure == NULL)
    return g_steal_pointer (&volumes);
  g_propagate_error (error, g_steal_pointer (&failure));
  return NULL;
}

/* All that is in the archive goes to the builder. */
static gboolean
read_list (Listing *self, GError **error)
{
  HoldLibarchiveData *data = self->data;
  HoldLibarchiveStream *stream = self->stream;
  locale_t previous = hold_libarchive_locale_enter ();
  gboolean ok = hold_libarchive_guard_check (data->volumes, stream->cancellable, error) && list_any (self, error)
                && _hold_libarchive_add_delayed (self->delayed, self->builder, error);

  if (ok)
    {
      gboolean raw = data->mode == HOLD_LIBARCHIVE_RAW;

      hold_archive_builder_set_format (self->builder,
                                       _hold_libarchive_identify (stream->archive, stream->gunzip != NULL, raw,
                                                                  self->first_name));
      add_filters (self);
    }
  else if (hold_volumes_get_missing (data->volumes) != NULL
           && !g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_clear_error (error);
      set_missing (data->volumes, error);
    }
  if (is_cabinet_of_set (data->volumes))
    ok = say_cabinet_set (self->builder, ok, error);
  hold_libarchive_stream_clear (&self->lha_shadow);
  hold_libarchive_locale_leave (previous);
  g_clear_pointer (&self->first_name, g_free);
  return ok;
}

/* What the archive as a whole is, and is not. */
static void
describe (const HoldBackendOpen *open, HoldArchiveBuilder *builder, HoldVolumes *volumes, gboolean is_program)
{
  g_autoptr (GError) doubt = NULL;
  g_autoptr (GError) missing = NULL;

  hold_archive_builder_set_size (builder, hold_volumes_get_size (is_program && open->volumes != NULL ? open->volumes
                                                                                                     : volumes));
  if (!hold_libarchive_doubt_check (volumes, &doubt))
    hold_archive_builder_set_failed (builder, doubt);
  if (is_program)
    hold_archive_builder_remove_caps (builder, HOLD_CAP_UPDATE,
                                      "It is a program with an archive inside, which would be lost");
  if (hold_volumes_get_n_parts (volumes) > 1)
    hold_archive_builder_remove_caps (builder, HOLD_CAP_UPDATE, "A split archive can be read, but not changed");
  if (hold_volumes_get_missing (volumes) != NULL)
    {
      set_missing (volumes, &missing);
      hold_archive_builder_set_failed (builder, missing);
    }
}

static gboolean
backend_open (const HoldBackendOpen *open, HoldArchiveBuilder *builder, gpointer *backend_data,
              GCancellable *cancellable, GError **error)
{
  g_autoptr (HoldLibarchiveData) data = NULL;
  gboolean is_program = FALSE;
  g_autoptr (HoldVolumes) volumes = find_volumes (open, &is_program, error);
  g_auto (HoldLibarchiveStream) stream = { 0 };
  g_autoptr (GArray) delayed = _hold_libarchive_delayed_new ();
  g_autoptr (GArray) encrypted = g_array_new (FALSE, FALSE, sizeof (gboolean));
  Listing listing = { .open = open, .builder = builder, .stream = &stream, .delayed = delayed, .encrypted = encrypted };

  if (volumes == NULL)
    return FALSE;
  data = g_new0 (HoldLibarchiveData, 1);
  data->volumes = g_steal_pointer (&volumes);
  listing.data = data;
  hold_libarchive_stream_init (&stream, data->volumes, NULL, cancellable);
  stream.lha_charset = open->encoding;
  stream.consumed = open->consumed;
  stream.user_data = open->user_data;

  for (guint i = 0; i < hold_volumes_get_n_parts (data->volumes); i++)
    {
      int fd = hold_volumes_lend_fd (data->volumes, i, error);

      if (fd < 0)
        return FALSE;
      hold_rar_volume_list_encrypted (fd, encrypted);
      hold_volumes_give_back_fd (data->volumes, i);
    }

  if (!read_list (&listing, error))
    return FALSE;
  describe (open, builder, data->volumes, is_program);
  *backend_data = g_steal_pointer (&data);
  return TRUE;
}

const HoldBackend hold_backend_libarchive = {
  .name = "libarchive",
  .open = backend_open,
  .read_pass = _hold_libarchive_read_pass,
  .rewrite = hold_libarchive_rewrite,
  .has_file = has_file,
  .free_data = data_free,
};
