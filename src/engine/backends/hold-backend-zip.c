/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Opens ZIP archives by their central directory and reads entries from any number of threads. */

#include "hold-backend-zip-private.h"
#include "hold-backend-zip-write.h"

#include <string.h>

#include "zip-split.h"

/* The target of a symlink is its data. Longer ones than the kernel takes are no links. */
#define MAX_LINK 4095u

/* How many local headers are looked at for better names, as long as there are none. */
#define MAX_LOCAL_READS 64u

static void
data_free (gpointer pointer)
{
  HoldZipData *data = pointer;

  g_clear_pointer (&data->reader, zip_reader_unref);
  g_clear_pointer (&data->volumes, hold_volumes_unref);
  g_clear_pointer (&data->proven, hold_secret_unref);
  g_mutex_clear (&data->lock);
  g_free (data);
}

static gboolean
has_file (gpointer backend_data, guint64 device, guint64 inode)
{
  HoldZipData *data = backend_data;

  return hold_volumes_has_file (data->volumes, device, inode);
}

static HoldZipData *
data_new (ZipReader *reader, HoldVolumes *volumes)
{
  HoldZipData *data = g_new0 (HoldZipData, 1);

  data->reader = reader;
  data->volumes = hold_volumes_ref (volumes);
  g_mutex_init (&data->lock);
  return data;
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldZipData, data_free)

void
_hold_zip_propagate_error (GError **error, GError *cause)
{
  static const struct {
    ZipError from;
    HoldError to;
  } codes[] = {
    { ZIP_ERROR_NOT_ZIP, HOLD_ERROR_NOT_ARCHIVE },
    { ZIP_ERROR_TRUNCATED, HOLD_ERROR_TRUNCATED },
    { ZIP_ERROR_CORRUPT, HOLD_ERROR_CORRUPT },
    { ZIP_ERROR_CHECKSUM, HOLD_ERROR_CHECKSUM },
    { ZIP_ERROR_UNSUPPORTED, HOLD_ERROR_UNSUPPORTED },
    { ZIP_ERROR_ENCRYPTED, HOLD_ERROR_PASSWORD_NEEDED },
    { ZIP_ERROR_SPLIT, HOLD_ERROR_TRUNCATED },
    { ZIP_ERROR_TOO_LARGE, HOLD_ERROR_TOO_LARGE },
  };

  if (cause->domain == ZIP_ERROR)
    for (gsize i = 0; i < G_N_ELEMENTS (codes); i++)
      if ((int) codes[i].from == cause->code)
        {
          g_set_error_literal (error, HOLD_ERROR, (int) codes[i].to, cause->message);
          g_error_free (cause);
          return;
        }
  g_propagate_error (error, cause);
}

static gboolean
collect_link (gpointer user_data, const guint8 *bytes, gsize length_bytes, GError **error)
{
  g_byte_array_append (user_data, bytes, (guint) length_bytes);
  return TRUE;
}

static gboolean
read_entry_data (HoldZipData *data, guint index, ZipWorkspace *workspace, HoldKeyring *keyring,
                 HoldWriteFunc write, gpointer user_data, GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) problem = NULL;

  if (!zip_entry_can_decode (zip_reader_get_entry (data->reader, index)))
    return _hold_zip_read_foreign (data, index, keyring, write, user_data, NULL, cancellable, error);
  if (zip_reader_read_entry (data->reader, index, workspace, write, user_data, cancellable, &problem))
    return TRUE;
  _hold_zip_propagate_error (error, g_steal_pointer (&problem));
  return FALSE;
}

static gboolean
backend_read_secret (HoldArchive *archive, guint index, HoldKeyring *keyring, HoldWriteFunc write, gpointer user_data,
                     HoldSecret **secret, GCancellable *cancellable, GError **error)
{
  return _hold_zip_read_foreign (_hold_archive_get_backend_data (archive), index, keyring, write, user_data, secret,
                                 cancellable, error);
}

/* What the opening needs from entry to entry. */
typedef struct {
  const HoldBackendOpen *open;
  HoldArchiveBuilder *builder;
  HoldZipData *data;
  ZipWorkspace *workspace;
  GByteArray *link;
  guint n_local_reads;
  guint n_better_names;
  GCancellable *cancellable;
} Opening;

static void
read_link (Opening *self, guint index, HoldEntry *entry, HoldNameSource *link)
{
  g_autoptr (GError) problem = NULL;

  g_byte_array_set_size (self->link, 0);
  if (entry->size == 0 || entry->size > MAX_LINK
      || !read_entry_data (self->data, index, self->workspace, self->open->keyring, collect_link, self->link,
                           self->cancellable, &problem)
      || memchr (self->link->data, '\0', self->link->len) != NULL)
    {
      /* It stays in the list as a link without target; extraction says why it can't be made. */
      return;
    }
  *link = (HoldNameSource) {
    .bytes = self->link->data,
    .length = self->link->len,
    .is_utf8 = g_utf8_validate_len ((const char *) self->link->data, self->link->len, NULL),
  };
}

static gboolean
add_entry (Opening *self, guint index, GError **error)
{
  g_autoptr (GBytes) local_name = NULL;
  HoldEntry entry;
  HoldNameSource name, comment;
  HoldNameSource link = { 0 };

  _hold_zip_fill_entry (self->data->reader, index, &self->n_local_reads, &entry, &name, &comment, &local_name);
  if (local_name != NULL)
    self->n_better_names++;
  if (entry.type == HOLD_ENTRY_SYMLINK)
    read_link (self, index, &entry, &link);
  return hold_archive_builder_add (self->builder, &entry, &name, link.bytes != NULL ? &link : NULL,
                                   comment.length > 0 ? &comment : NULL, error);
}

static void G_GNUC_PRINTF (3, 4)
warn (HoldArchiveBuilder *builder, HoldError code, const char *format, ...)
{
  g_autoptr (GError) problem = NULL;
  va_list arguments;

  va_start (arguments, format);
  problem = g_error_new_valist (HOLD_ERROR, (int) code, format, arguments);
  va_end (arguments);
  hold_report_add (hold_archive_builder_get_report (builder), HOLD_OUTCOME_WARNING, "", problem);
}

static void
describe (Opening *self)
{
  ZipReader *reader = self->data->reader;
  ZipReaderFacts facts = zip_reader_get_facts (reader);
  GPtrArray *warnings = zip_reader_get_warnings (reader);
  HoldNameSource comment = { 0 };

  hold_archive_builder_set_format (self->builder, hold_format_by_id ("zip"));
  hold_archive_builder_set_size (self->builder, hold_volumes_get_size (self->data->volumes));
  comment.bytes = (const guint8 *) zip_reader_get_comment (reader, &comment.length);
  if (comment.length > 0)
    hold_archive_builder_set_comment (self->builder, &comment);
  for (guint i = 0; i < warnings->len; i++)
    warn (self->builder, HOLD_ERROR_CORRUPT, "%s", (const char *) g_ptr_array_index (warnings, i));
  if (self->n_better_names > 0)
    warn (self->builder, HOLD_ERROR_CORRUPT,
          "%u names are damaged in the directory; those of the entries themselves are shown", self->n_better_names);

  if ((facts & ZIP_READER_RECOVERED) != 0)
    {
      g_autoptr (GError) problem = g_error_new (HOLD_ERROR, HOLD_ERROR_TRUNCATED,
                                                "the directory of the archive is missing or damaged: these are the "
                                                "entries that were found without it, and others may be lost");

      hold_archive_builder_set_failed (self->builder, problem);
      hold_archive_builder_remove_caps (self->builder, HOLD_CAP_UPDATE, "A damaged archive is not changed");
    }
  if (hold_volumes_get_n_parts (self->data->volumes) > 1)
    hold_archive_builder_remove_caps (self->builder, HOLD_CAP_UPDATE, "A split archive can be read, but not changed");
}

static int
lend_part (gpointer user, guint i, GError **error)
{
  return hold_volumes_lend_fd (user, i, error);
}

static void
give_back_part (gpointer user, guint i)
{
  hold_volumes_give_back_fd (user, i);
}

/* One file, or all parts of a set. Who reads borrows the descriptors of @volumes, which outlives the
 * source. */
static ZipSource *
make_source (HoldVolumes *volumes, GError **error)
{
  static const ZipSourceLender lender = { lend_part, give_back_part };
  guint n_parts = hold_volumes_get_n_parts (volumes);
  g_autofree int *fds = g_new (int, n_parts);
  ZipSource *source = NULL;
  guint n_lent = 0;

  while (n_lent < n_parts && (fds[n_lent] = hold_volumes_lend_fd (volumes, n_lent, error)) >= 0)
    n_lent++;
  if (n_lent == n_parts)
    source = zip_source_new_for_parts (fds, n_parts, error);
  while (n_lent > 0)
    hold_volumes_give_back_fd (volumes, --n_lent);
  if (source != NULL)
    zip_source_set_lender (source, &lender, volumes);
  return source;
}

static ZipReader *
open_reader (HoldVolumes *volumes, GCancellable *cancellable, GError **error)
{
  g_autoptr (ZipSource) source = make_source (volumes, error);

  if (source == NULL ||
      (hold_volumes_get_n_parts (volumes) > 1 && !zip_split_join (source, error)))
    return NULL;
  return zip_reader_open_source (source, cancellable, error);
}

static gboolean
backend_open (const HoldBackendOpen *open, HoldArchiveBuilder *builder, gpointer *backend_data,
              GCancellable *cancellable, GError **error)
{
  g_autoptr (HoldVolumes) volumes = open->volumes != NULL ? hold_volumes_ref (open->volumes)
                                                          : hold_volumes_open (open->path, open->fd, error);
  g_autoptr (GError) problem = NULL;
  g_autoptr (HoldZipData) data = NULL;
  g_autoptr (ZipWorkspace) workspace = NULL;
  g_autoptr (GByteArray) link = NULL;
  ZipReader *reader;
  guint n_entries;

  if (volumes == NULL)
    return FALSE;
  if (hold_volumes_get_missing (volumes) != NULL)
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_TRUNCATED,
                   "“%s” is missing: put all parts of the archive into one folder",
                   hold_volumes_get_missing (volumes));
      return FALSE;
    }
  reader = open_reader (volumes, cancellable, &problem);
  if (reader == NULL)
    {
      _hold_zip_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  data = data_new (reader, volumes);
  workspace = zip_workspace_new ();
  link = g_byte_array_new ();
  n_entries = zip_reader_get_n_entries (reader);

  Opening opening = {
    .open = open,
    .builder = builder,
    .data = data,
    .workspace = workspace,
    .link = link,
    .n_local_reads = MAX_LOCAL_READS,
    .cancellable = cancellable,
  };

  for (guint i = 0; i < n_entries; i++)
    if (((i & 0xfff) == 0 && g_cancellable_set_error_if_cancelled (cancellable, error))
        || !add_entry (&opening, i, error))
      return FALSE;
  describe (&opening);
  *backend_data = g_steal_pointer (&data);
  return TRUE;
}

static gboolean
backend_read_entry (HoldArchive *archive, guint index, gpointer workspace, HoldKeyring *keyring,
                    HoldWriteFunc write, gpointer user_data, GCancellable *cancellable, GError **error)
{
  HoldZipData *data = _hold_archive_get_backend_data (archive);
  const HoldEntry *entry = hold_archive_get_entry (archive, index);

  return read_entry_data (data, (guint) entry->place, workspace, keyring, write, user_data, cancellable, error);
}

/* HoldWriteFunc for a visitor, which wants to know where the bytes belong. */
typedef struct {
  const HoldVisitor *visitor;
  guint64 offset;
} Sink;

static gboolean
sink_write (gpointer user_data, const guint8 *data, gsize length_bytes, GError **error)
{
  Sink *sink = user_data;
  guint64 offset = sink->offset;

  sink->offset += length_bytes;
  return sink->visitor->data (sink->visitor->user_data, data, length_bytes, offset, error);
}

/* One entry of a pass. @stopped: the visitor wants no more; its error, if any, is in @error. */
static gboolean
visit_one (HoldArchive *archive, guint index, ZipWorkspace *workspace, HoldKeyring *keyring,
           const HoldVisitor *visitor, gboolean *stopped, GCancellable *cancellable, GError **error)
{
  const HoldEntry *entry = hold_archive_get_entry (archive, index);
  g_autoptr (GError) problem = NULL;
  Sink sink = { .visitor = visitor };
  HoldVisit visit = visitor->begin (visitor->user_data, index, &problem);

  if (visit == HOLD_VISIT_STOP || problem != NULL)
    {
      *stopped = TRUE;
      if (problem == NULL)
        return TRUE;
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  if (visit == HOLD_VISIT_SKIP)
    return TRUE;

  if (entry->type == HOLD_ENTRY_FILE)
    backend_read_entry (archive, index, workspace, keyring, sink_write, &sink, cancellable, &problem);
  if (g_error_matches (problem, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    *stopped = TRUE;

  g_autoptr (GError) stop = NULL;

  if (!visitor->end (visitor->user_data, index, problem, &stop))
    {
      *stopped = TRUE;
      if (stop == NULL)
        return TRUE;
      g_propagate_error (error, g_steal_pointer (&stop));
      return FALSE;
    }
  if (*stopped)
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  return TRUE;
}

static gboolean
backend_read_pass (HoldArchive *archive, const guint *indices, guint n_indices, HoldKeyring *keyring,
                   const HoldVisitor *visitor, GCancellable *cancellable, GError **error)
{
  g_autoptr (ZipWorkspace) workspace = zip_workspace_new ();
  guint n_wanted = indices != NULL ? n_indices : hold_archive_get_n_entries (archive);
  guint64 consumed = 0;

  for (guint i = 0; i < n_wanted; i++)
    {
      guint index = indices != NULL ? indices[i] : i;
      gboolean stopped = FALSE;

      if (g_cancellable_set_error_if_cancelled (cancellable, error)
          || !visit_one (archive, index, workspace, keyring, visitor, &stopped, cancellable, error))
        return FALSE;
      if (stopped)
        return TRUE;
      consumed += hold_archive_get_entry (archive, index)->packed;
      if (visitor->consumed != NULL)
        visitor->consumed (visitor->user_data, consumed);
    }
  return TRUE;
}

static gpointer
backend_new_workspace (HoldArchive *archive)
{
  return zip_workspace_new ();
}

static void
backend_free_workspace (gpointer workspace)
{
  zip_workspace_free (workspace);
}

const HoldBackend hold_backend_zip = {
  .name = "zip",
  .open = backend_open,
  .read_pass = backend_read_pass,
  .read_entry = backend_read_entry,
  .read_secret = backend_read_secret,
  .new_workspace = backend_new_workspace,
  .free_workspace = backend_free_workspace,
  .rewrite = hold_backend_zip_rewrite,
  .dup_details = _hold_zip_dup_details,
  .has_file = has_file,
  .free_data = data_free,
};
