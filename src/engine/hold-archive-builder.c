/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Collects what a backend reads of an archive's list and turns it into a snapshot. Stored names
 * are kept as bytes until all are there, since one charset is decided for all of them. */

#include "hold-archive-data.h"
#include "hold-name-decode.h"

#include <string.h>

/* The stored strings of one entry, packed into scratch memory that goes when the names are
 * decoded; the entry's raw_name points to it meanwhile. The bytes follow. */
typedef struct {
  guint32 length[3];  /* name, link, comment */
  guint8 flags[3];
} Stored;

enum { STORED_NAME, STORED_LINK, STORED_COMMENT, N_STORED };

enum {
  IS_PRESENT = 1 << 0,
  IS_UTF8 = 1 << 1,
  HAS_BACKSLASHES = 1 << 2,
};

/* A name of over 16 MiB is an attack; formats that can't even express it never come near. */
#define MAX_STORED_BYTES (16u << 20)

struct _HoldArchiveBuilder {
  HoldArchiveData *data;
  char *encoding;
  HoldLimits limits;
  GStringChunk *scratch;
  GByteArray *comment;     /* (nullable) */
  HoldNameSource comment_source;
};

/**
 * hold_archive_builder_new:
 * @path: absolute, file-system encoding
 * @encoding: (nullable): charset that was asked for
 * @limits: (nullable): NULL for the defaults
 *
 * Thread: the one worker that opens. Blocks: no. Returns: (transfer full).
 */
HoldArchiveBuilder *
hold_archive_builder_new (const char *path, const char *encoding, const HoldLimits *limits)
{
  g_return_val_if_fail (path != NULL, NULL);

  HoldArchiveBuilder *self = g_new0 (HoldArchiveBuilder, 1);

  self->data = _hold_archive_data_new (path);
  self->encoding = g_strdup (encoding);
  self->limits = limits != NULL ? *limits : hold_limits_default;
  self->scratch = g_string_chunk_new (64 * 1024);
  return self;
}

void
hold_archive_builder_free (HoldArchiveBuilder *self)
{
  if (self == NULL)
    return;

  g_clear_pointer (&self->data, _hold_archive_data_free);
  g_clear_pointer (&self->scratch, g_string_chunk_free);
  g_clear_pointer (&self->comment, g_byte_array_unref);
  g_free (self->encoding);
  g_free (self);
}

void
hold_archive_builder_set_identity (HoldArchiveBuilder *self, const HoldFileIdentity *identity)
{
  self->data->identity = *identity;
  self->data->has_identity = TRUE;
  if (self->data->size_bytes == 0)
    self->data->size_bytes = identity->size_bytes;
}

void
hold_archive_builder_set_format (HoldArchiveBuilder *self, const HoldFormat *format)
{
  self->data->format = format;
}

void
hold_archive_builder_add_filter (HoldArchiveBuilder *self, const char *name)
{
  g_ptr_array_insert (self->data->filters, (int) self->data->filters->len - 1, g_strdup (name));
}

void
hold_archive_builder_set_comment (HoldArchiveBuilder *self, const HoldNameSource *comment)
{
  g_clear_pointer (&self->comment, g_byte_array_unref);
  if (comment == NULL || comment->length == 0 || comment->length > MAX_STORED_BYTES)
    return;

  self->comment = g_byte_array_new ();
  g_byte_array_append (self->comment, comment->bytes, (guint) comment->length);
  self->comment_source = *comment;
  self->comment_source.bytes = self->comment->data;
  self->comment_source.backslash_separates = FALSE;
}

void
hold_archive_builder_set_size (HoldArchiveBuilder *self, guint64 size_bytes)
{
  self->data->size_bytes = size_bytes;
}

/* Each capability keeps the first reason that was given. */
void
hold_archive_builder_remove_caps (HoldArchiveBuilder *self, HoldCaps caps, const char *why)
{
  _hold_archive_data_remove_caps (self->data, caps, why);
}

void
hold_archive_builder_add_caps (HoldArchiveBuilder *self, HoldCaps caps)
{
  self->data->added_caps |= caps;
}

void
hold_archive_builder_set_list_encrypted (HoldArchiveBuilder *self)
{
  self->data->is_encrypted = TRUE;
}

void
hold_archive_builder_set_failed (HoldArchiveBuilder *self, const GError *error)
{
  g_clear_error (&self->data->list_error);
  self->data->list_error = g_error_copy (error);
}

HoldReport *
hold_archive_builder_get_report (HoldArchiveBuilder *self)
{
  return self->data->report;
}

guint
hold_archive_builder_get_n_entries (HoldArchiveBuilder *self)
{
  return self->data->n_entries;
}

/* Packs the three strings of an entry. They are rarely long, and mostly one. */
static const guint8 *
store (HoldArchiveBuilder *self, const HoldNameSource * const sources[N_STORED])
{
  Stored stored = { { 0 }, { 0 } };
  gsize room = sizeof stored;
  guint8 small[512];
  g_autofree guint8 *large = NULL;
  guint8 *bytes = small;

  for (guint i = 0; i < N_STORED; i++)
    {
      if (sources[i] == NULL)
        continue;
      stored.length[i] = (guint32) sources[i]->length;
      stored.flags[i] = IS_PRESENT | (sources[i]->is_utf8 ? IS_UTF8 : 0) |
                        (sources[i]->backslash_separates ? HAS_BACKSLASHES : 0);
      room += sources[i]->length;
    }
  if (room > sizeof small)
    bytes = large = g_malloc (room);

  memcpy (bytes, &stored, sizeof stored);
  guint8 *end = bytes + sizeof stored;
  for (guint i = 0; i < N_STORED; i++)
    {
      if (stored.length[i] == 0)
        continue;
      memcpy (end, sources[i]->bytes, stored.length[i]);
      end += stored.length[i];
    }
  return (const guint8 *) g_string_chunk_insert_len (self->scratch, (const char *) bytes,
                                                     (gssize) room);
}

/* The reverse. Returns: FALSE if there was no such string. */
static gboolean
load (const guint8 *bytes, guint which, HoldNameSource *source)
{
  Stored stored;
  const guint8 *from = bytes + sizeof stored;

  memcpy (&stored, bytes, sizeof stored);
  for (guint i = 0; i < which; i++)
    from += stored.length[i];
  source->bytes = from;
  source->length = stored.length[which];
  source->is_utf8 = (stored.flags[which] & IS_UTF8) != 0;
  source->backslash_separates = (stored.flags[which] & HAS_BACKSLASHES) != 0;
  return (stored.flags[which] & IS_PRESENT) != 0;
}

/**
 * hold_archive_builder_add: see the header.
 *
 * Thread: the builder's. Blocks: no. Errors: TOO_LARGE beyond max_entries, or for a name that is
 * longer than any format has a use for; the entries before stay.
 */
gboolean
hold_archive_builder_add (HoldArchiveBuilder *self, const HoldEntry *entry,
                          const HoldNameSource *name, const HoldNameSource *link,
                          const HoldNameSource *comment, GError **error)
{
  const HoldNameSource *sources[N_STORED] = { name, link, comment };

  if (self->data->n_entries >= self->limits.max_entries)
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_TOO_LARGE,
                   "The archive has more than %u entries", self->limits.max_entries);
      return FALSE;
    }
  for (guint i = 0; i < N_STORED; i++)
    {
      if (sources[i] != NULL && sources[i]->length > MAX_STORED_BYTES)
        {
          g_set_error (error, HOLD_ERROR, HOLD_ERROR_TOO_LARGE,
                       "Entry %u has a name, link or comment of %" G_GSIZE_FORMAT " bytes",
                       self->data->n_entries, sources[i]->length);
          return FALSE;
        }
    }

  HoldEntry *added = _hold_archive_data_add_entry (self->data);
  guint index = added->index;

  *added = *entry;
  added->index = index;
  added->unsafe = HOLD_UNSAFE_NONE;
  added->path = added->disk_path = NULL;
  added->link_target = added->disk_link_target = added->comment = NULL;
  added->raw_name = store (self, sources);
  added->raw_length = 0;
  return TRUE;
}

static const char *
keep (HoldArchiveBuilder *self, const char *text)
{
  return g_string_chunk_insert (self->data->strings, text);
}

/* Nothing left of a folder's name means the root itself ("./" in many tars); of a file's it is
 * a fault. Either way the path can be shown and typed. */
static const char *
keep_path (HoldArchiveBuilder *self, HoldEntry *entry, const char *text, HoldUnsafe *unsafe)
{
  g_autofree char *path = hold_path_normalise (text, unsafe);

  if (*path != '\0')
    return keep (self, path);
  if (entry->type == HOLD_ENTRY_FOLDER)
    *unsafe &= ~(HOLD_UNSAFE_EMPTY | HOLD_UNSAFE_ABSOLUTE);
  return ".";
}

typedef struct {
  HoldNameDecoder *decoder;
  GString *text;
  GString *disk;
  guint n_undecoded;
} Decoding;

static void
decode_name (HoldArchiveBuilder *self, Decoding *decoding, HoldEntry *entry,
             const HoldNameSource *source)
{
  HoldUnsafe unsafe = HOLD_UNSAFE_NONE;
  gboolean is_whole =
    _hold_name_decoder_decode (decoding->decoder, source, decoding->text, decoding->disk);

  entry->path = keep_path (self, entry, decoding->text->str, &unsafe);
  entry->disk_path = entry->path;
  entry->raw_name = NULL;
  entry->raw_length = 0;
  if (!is_whole)
    {
      /* What is too long is so in bytes on disk, where %XX is one. */
      entry->disk_path = keep_path (self, entry, decoding->disk->str, &unsafe);
      entry->raw_name = (const guint8 *) g_string_chunk_insert_len (
        self->data->strings, (const char *) source->bytes, (gssize) source->length);
      entry->raw_length = source->length;
      decoding->n_undecoded++;
    }
  entry->unsafe = (guint8) unsafe;
}

static void
decode_link (HoldArchiveBuilder *self, Decoding *decoding, HoldEntry *entry,
             const HoldNameSource *source)
{
  HoldUnsafe unsafe = HOLD_UNSAFE_NONE;
  gboolean is_whole =
    _hold_name_decoder_decode (decoding->decoder, source, decoding->text, decoding->disk);

  if (entry->type == HOLD_ENTRY_HARDLINK)
    {
      /* The name of another entry, so it is treated as that entry's name was. */
      g_autofree char *path = hold_path_normalise (decoding->text->str, &unsafe);
      entry->link_target = keep (self, path);
      entry->disk_link_target = entry->link_target;
      if (!is_whole)
        {
          g_autofree char *disk = hold_path_normalise (decoding->disk->str, NULL);
          entry->disk_link_target = keep (self, disk);
        }
      if ((unsafe & HOLD_UNSAFE_DOTDOT) != 0)
        entry->unsafe |= HOLD_UNSAFE_LINK_ESCAPE;
      return;
    }

  entry->link_target = keep (self, decoding->text->str);
  entry->disk_link_target = is_whole ? entry->link_target : keep (self, decoding->disk->str);
  if (!hold_path_link_stays_inside (entry->disk_path, entry->disk_link_target))
    entry->unsafe |= HOLD_UNSAFE_LINK_ESCAPE;
}

static void
decode_entry (HoldArchiveBuilder *self, Decoding *decoding, HoldEntry *entry)
{
  const guint8 *stored = entry->raw_name;
  HoldNameSource source;

  load (stored, STORED_NAME, &source);
  decode_name (self, decoding, entry, &source);
  if (load (stored, STORED_LINK, &source))
    decode_link (self, decoding, entry, &source);
  if (load (stored, STORED_COMMENT, &source) && source.length > 0)
    {
      source.backslash_separates = FALSE;
      _hold_name_decoder_decode (decoding->decoder, &source, decoding->text, decoding->disk);
      entry->comment = keep (self, decoding->text->str);
    }
  if (entry->type == HOLD_ENTRY_OTHER)
    entry->unsafe |= HOLD_UNSAFE_SPECIAL;
}

static void
add_samples (HoldArchiveBuilder *self, HoldNameDecoder *decoder)
{
  for (guint i = 0; i < self->data->n_entries; i++)
    {
      const guint8 *stored = _hold_archive_data_get_entry (self->data, i)->raw_name;
      HoldNameSource source;

      load (stored, STORED_NAME, &source);
      _hold_name_decoder_add_sample (decoder, &source);
    }
}

static void
warn (HoldArchiveBuilder *self, HoldError code, const char *path, const char *message)
{
  g_autoptr (GError) error = g_error_new_literal (HOLD_ERROR, (int) code, message);

  hold_report_add (self->data->report, HOLD_OUTCOME_WARNING, path, error);
}

static gboolean
decode_all (HoldArchiveBuilder *self, GError **error)
{
  HoldArchiveData *data = self->data;
  g_autoptr (HoldNameDecoder) decoder = _hold_name_decoder_new (self->encoding, error);
  g_autoptr (GString) text = g_string_sized_new (256);
  g_autoptr (GString) disk = g_string_sized_new (256);

  if (decoder == NULL)
    return FALSE;

  add_samples (self, decoder);
  data->encoding = g_strdup (_hold_name_decoder_decide (decoder));

  Decoding decoding = { decoder, text, disk, 0 };
  for (guint i = 0; i < data->n_entries; i++)
    decode_entry (self, &decoding, _hold_archive_data_get_entry (data, i));

  if (self->comment != NULL)
    {
      self->comment_source.bytes = self->comment->data;
      _hold_name_decoder_decode (decoder, &self->comment_source, text, disk);
      data->comment = g_strndup (text->str, text->len);
    }
  if (decoding.n_undecoded > 0)
    {
      g_autofree char *message = g_strdup_printf (
        "Names in no known character set: %u; the bytes in question are shown as %%XX",
        decoding.n_undecoded);
      warn (self, HOLD_ERROR_CORRUPT, "", message);
    }
  return TRUE;
}

static void
build_tree (HoldArchiveBuilder *self)
{
  HoldArchiveData *data = self->data;

  data->tree = _hold_tree_new (&self->limits, data->n_entries);
  for (guint i = 0; i < data->n_entries; i++)
    {
      HoldEntry *entry = _hold_archive_data_get_entry (data, i);

      if (!_hold_tree_add (data->tree, entry))
        {
          entry->unsafe |= HOLD_UNSAFE_TOO_LONG;
          warn (self, HOLD_ERROR_TOO_LARGE, entry->path,
                "Nested too deeply; shown at the top instead");
        }
    }
  _hold_tree_freeze (data->tree);
}

static void
sum_up (HoldArchiveData *data)
{
  data->is_size_complete = TRUE;
  for (guint i = 0; i < data->n_entries; i++)
    {
      const HoldEntry *entry = _hold_archive_data_get_entry (data, i);
      guint64 size;

      if ((entry->flags & HOLD_ENTRY_ENCRYPTED) != 0)
        data->is_encrypted = TRUE;
      if (entry->type == HOLD_ENTRY_HARDLINK)
        continue;
      if (!hold_entry_get_size (entry, &size))
        data->is_size_complete &= entry->type != HOLD_ENTRY_FILE;
      else if (data->unpacked_bytes > G_MAXUINT64 - size)
        data->unpacked_bytes = G_MAXUINT64;
      else
        data->unpacked_bytes += size;
    }
  if (data->list_error != NULL)
    data->is_size_complete = FALSE;
}

/**
 * hold_archive_builder_finish:
 * @backend_data: taken, also when this fails
 *
 * Thread: the builder's; the result belongs to any. Blocks: for two access(2) of the file and its
 * folder. Errors: UNSUPPORTED if the charset that was asked for is not known.
 * Returns: (transfer full) (nullable); the builder is empty afterwards, and only to be freed.
 */
HoldArchive *
hold_archive_builder_finish (HoldArchiveBuilder *self, const HoldBackend *backend,
                             gpointer backend_data, GError **error)
{
  g_return_val_if_fail (self->data != NULL, NULL);

  self->data->backend = backend;
  self->data->backend_data = backend_data;
  if (self->data->format == NULL)
    self->data->format = hold_format_table (NULL);

  if (!decode_all (self, error))
    {
      g_clear_pointer (&self->data, _hold_archive_data_free);
      return NULL;
    }
  g_clear_pointer (&self->scratch, g_string_chunk_free);
  build_tree (self);
  sum_up (self->data);
  _hold_archive_data_decide_caps (self->data);
  return _hold_archive_new (g_steal_pointer (&self->data));
}
