/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The snapshot itself: hands out what the builder put together, and never changes. */

#include "hold-archive-data.h"
#include "hold-backend.h"

#include <errno.h>
#include <sys/stat.h>

struct _HoldArchive {
  GObject parent_instance;
  HoldArchiveData *data;
};

G_DEFINE_FINAL_TYPE (HoldArchive, hold_archive, G_TYPE_OBJECT)

static void
hold_archive_finalize (GObject *object)
{
  HoldArchive *self = HOLD_ARCHIVE (object);

  g_clear_pointer (&self->data, _hold_archive_data_free);
  G_OBJECT_CLASS (hold_archive_parent_class)->finalize (object);
}

static void
hold_archive_class_init (HoldArchiveClass *class)
{
  G_OBJECT_CLASS (class)->finalize = hold_archive_finalize;
}

static void
hold_archive_init (HoldArchive *self)
{
}

HoldArchive *
_hold_archive_new (HoldArchiveData *data)
{
  HoldArchive *self = g_object_new (HOLD_TYPE_ARCHIVE, NULL);

  self->data = data;
  return self;
}

const char *
hold_archive_get_path (HoldArchive *self)
{
  g_return_val_if_fail (HOLD_IS_ARCHIVE (self), NULL);

  return self->data->path;
}

gboolean
hold_archive_is_of_same_file (HoldArchive *self,
                              HoldArchive *other)
{
  g_return_val_if_fail (HOLD_IS_ARCHIVE (self), FALSE);
  g_return_val_if_fail (HOLD_IS_ARCHIVE (other), FALSE);

  return g_strcmp0 (self->data->path, other->data->path) == 0;
}

const HoldFormat *
hold_archive_get_format (HoldArchive *self)
{
  g_return_val_if_fail (HOLD_IS_ARCHIVE (self), NULL);

  return self->data->format;
}

const char * const *
hold_archive_get_filters (HoldArchive *self)
{
  g_return_val_if_fail (HOLD_IS_ARCHIVE (self), NULL);

  return (const char * const *) self->data->filters->pdata;
}

guint64
hold_archive_get_size (HoldArchive *self)
{
  g_return_val_if_fail (HOLD_IS_ARCHIVE (self), 0);

  return self->data->size_bytes;
}

guint
hold_archive_get_n_entries (HoldArchive *self)
{
  g_return_val_if_fail (HOLD_IS_ARCHIVE (self), 0);

  return self->data->n_entries;
}

const HoldEntry *
hold_archive_get_entry (HoldArchive *self, guint index)
{
  g_return_val_if_fail (HOLD_IS_ARCHIVE (self), NULL);
  g_return_val_if_fail (index < self->data->n_entries, NULL);

  return _hold_archive_data_get_entry (self->data, index);
}

HoldTree *
hold_archive_get_tree (HoldArchive *self)
{
  g_return_val_if_fail (HOLD_IS_ARCHIVE (self), NULL);

  return self->data->tree;
}

const char *
hold_archive_get_comment (HoldArchive *self)
{
  g_return_val_if_fail (HOLD_IS_ARCHIVE (self), NULL);

  return self->data->comment;
}

const char *
hold_archive_get_encoding (HoldArchive *self)
{
  g_return_val_if_fail (HOLD_IS_ARCHIVE (self), NULL);

  return self->data->encoding;
}

/**
 * hold_archive_get_unpacked_size:
 * @is_complete: (out) (nullable): FALSE if a file's size is not recorded, or the list ended early
 *
 * Hard links count nothing. Thread: any. Blocks: no. Returns: bytes.
 */
guint64
hold_archive_get_unpacked_size (HoldArchive *self, gboolean *is_complete)
{
  g_return_val_if_fail (HOLD_IS_ARCHIVE (self), 0);

  if (is_complete != NULL)
    *is_complete = self->data->is_size_complete;
  return self->data->unpacked_bytes;
}

HoldReport *
hold_archive_get_report (HoldArchive *self)
{
  g_return_val_if_fail (HOLD_IS_ARCHIVE (self), NULL);

  return self->data->report;
}

/** hold_archive_get_generation: grows with every snapshot made in this process; unique. */
guint
hold_archive_get_generation (HoldArchive *self)
{
  g_return_val_if_fail (HOLD_IS_ARCHIVE (self), 0);

  return self->data->generation;
}

gboolean
hold_archive_is_encrypted (HoldArchive *self)
{
  g_return_val_if_fail (HOLD_IS_ARCHIVE (self), FALSE);

  return self->data->is_encrypted;
}

gboolean
hold_archive_is_all_encrypted (HoldArchive *self)
{
  gboolean any = FALSE;

  g_return_val_if_fail (HOLD_IS_ARCHIVE (self), FALSE);

  if (!self->data->is_encrypted)
    return FALSE;
  for (guint i = 0; i < self->data->n_entries; i++)
    {
      const HoldEntry *entry = _hold_archive_data_get_entry (self->data, i);
      guint64 size = 1;

      hold_entry_get_size (entry, &size);
      if (hold_entry_get_type (entry) != HOLD_ENTRY_FILE || size == 0)
        continue;
      if (!hold_entry_is_encrypted (entry))
        return FALSE;
      any = any || hold_entry_is_readable (entry);
    }
  return any;
}

HoldCaps
hold_archive_get_caps (HoldArchive *self)
{
  g_return_val_if_fail (HOLD_IS_ARCHIVE (self), 0);

  return self->data->caps;
}

/**
 * hold_archive_why_not:
 * @cap: one capability
 *
 * The format's reason comes first: what the format can't do, no permission helps.
 * Thread: any. Blocks: no. Returns: (nullable), borrowed: NULL if it can.
 */
const char *
hold_archive_why_not (HoldArchive *self, HoldCaps cap)
{
  g_return_val_if_fail (HOLD_IS_ARCHIVE (self), NULL);

  if ((self->data->caps & cap) == cap)
    return NULL;

  if ((self->data->added_caps & cap) == 0)
    {
      const char *why = hold_format_why_not (self->data->format, cap);
      if (why != NULL)
        return why;
    }
  for (guint i = 0; i < HOLD_N_CAPS; i++)
    {
      if ((cap & (1u << i)) != 0 && self->data->reasons[i] != NULL)
        return self->data->reasons[i];
    }
  return "This archive does not allow it";
}

void
_hold_archive_forbid (HoldArchive *self, HoldCaps caps, const char *why)
{
  _hold_archive_data_remove_caps (self->data, caps, why);
  self->data->caps &= ~caps;
}

static void
take_identity (HoldFileIdentity *identity, const struct stat *st)
{
  identity->device = st->st_dev;
  identity->inode = st->st_ino;
  identity->size_bytes = (guint64) st->st_size;
  identity->mtime_ns = (gint64) st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

/**
 * hold_file_identity_from_fd:
 * @fd: any open file
 * @identity: (out)
 *
 * Thread: any. Blocks: one fstat. Errors: G_IO_ERROR.
 */
gboolean
hold_file_identity_from_fd (int fd, HoldFileIdentity *identity, GError **error)
{
  struct stat st;

  if (fstat (fd, &st) != 0)
    {
      int code = errno;
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code),
                   "The file can't be examined: %s", g_strerror (code));
      return FALSE;
    }
  take_identity (identity, &st);
  return TRUE;
}

gboolean
hold_file_identity_equal (const HoldFileIdentity *a, const HoldFileIdentity *b)
{
  return a->device == b->device && a->inode == b->inode && a->size_bytes == b->size_bytes &&
         a->mtime_ns == b->mtime_ns;
}

/**
 * hold_archive_check_unchanged: see the header. By path and not by a kept descriptor: the question
 * is what a rewrite would replace.
 */
gboolean
hold_archive_check_unchanged (HoldArchive *self, GError **error)
{
  g_return_val_if_fail (HOLD_IS_ARCHIVE (self), FALSE);

  HoldFileIdentity now;
  struct stat st;

  if (!self->data->has_identity)
    return TRUE;

  g_autofree char *shown = g_filename_display_name (self->data->path);
  if (stat (self->data->path, &st) != 0)
    {
      int code = errno;
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code), "%s: %s", shown,
                   g_strerror (code));
      return FALSE;
    }
  take_identity (&now, &st);
  if (!hold_file_identity_equal (&now, &self->data->identity))
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK,
                   "%s was changed by another program since it was opened", shown);
      return FALSE;
    }
  return TRUE;
}

const HoldBackend *
_hold_archive_get_backend (HoldArchive *self)
{
  return self->data->backend;
}

gpointer
_hold_archive_get_backend_data (HoldArchive *self)
{
  return self->data->backend_data;
}

const HoldFileIdentity *
_hold_archive_get_identity (HoldArchive *self)
{
  return &self->data->identity;
}

gboolean
_hold_archive_has_file (HoldArchive *self, guint64 device, guint64 inode)
{
  const HoldArchiveData *data = self->data;

  return (data->identity.device == device && data->identity.inode == inode) ||
         (data->backend != NULL && data->backend->has_file != NULL &&
          data->backend->has_file (data->backend_data, device, inode));
}

const GError *
_hold_archive_get_list_error (HoldArchive *self)
{
  return self->data->list_error;
}

/**
 * hold_archive_get_list_error:
 * @self: a snapshot
 *
 * What was read until then is there and can be taken out. Thread: any. Blocks: no.
 * Returns: (nullable) (transfer none)
 */
const GError *
hold_archive_get_list_error (HoldArchive *self)
{
  return self->data->list_error;
}

static void
add_detail (GPtrArray *details, const char *label, char *value)
{
  g_ptr_array_add (details, g_strdup (label));
  g_ptr_array_add (details, value);
}

static char *
format_hex (const guint8 *bytes, gsize length)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < length; i++)
    g_string_append_printf (text, i == 0 ? "%02x" : " %02x", bytes[i]);
  return g_string_free (text, FALSE);
}

static char *
format_time (gint64 seconds, guint nanoseconds)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_utc (seconds);

  if (time == NULL)
    return g_strdup_printf ("%" G_GINT64_FORMAT " s since 1970", seconds);

  g_autofree char *text = g_date_time_format (time, "%Y-%m-%d %H:%M:%S");
  return nanoseconds == 0 ? g_strdup_printf ("%s UTC", text)
                          : g_strdup_printf ("%s.%09u UTC", text, nanoseconds);
}

static void
add_own_details (GPtrArray *details, const HoldEntry *entry)
{
  guint64 size;
  gint64 seconds;
  guint number;
  guint32 crc;

  add_detail (details, "Number", g_strdup_printf ("%u", entry->index));
  add_detail (details, "Path", hold_path_escape_for_display (entry->path));
  if (entry->raw_name != NULL)
    add_detail (details, "Stored name", format_hex (entry->raw_name, entry->raw_length));
  add_detail (details, "Type", g_strdup (hold_entry_type_to_string (hold_entry_get_type (entry))));
  if (hold_entry_get_size (entry, &size))
    add_detail (details, "Size", g_strdup_printf ("%" G_GUINT64_FORMAT " bytes", size));
  if (hold_entry_get_packed_size (entry, &size))
    add_detail (details, "Packed size", g_strdup_printf ("%" G_GUINT64_FORMAT " bytes", size));
  if (entry->method != NULL)
    add_detail (details, "Method", g_strdup (entry->method));
  if (hold_entry_get_crc32 (entry, &crc))
    add_detail (details, "CRC-32", g_strdup_printf ("%08x", crc));
  if (hold_entry_get_mtime (entry, &seconds, &number))
    add_detail (details, "Modified", format_time (seconds, number));
  if (hold_entry_get_mode (entry, &number))
    add_detail (details, "Permissions", g_strdup_printf ("%04o", number));
  if (entry->link_target != NULL)
    add_detail (details, "Link target", hold_path_escape_for_display (entry->link_target));
  if (entry->comment != NULL)
    add_detail (details, "Comment", g_strdup (entry->comment));
  if (hold_entry_is_encrypted (entry))
    add_detail (details, "Encrypted", g_strdup ("yes"));
  if (entry->unsafe != 0)
    add_detail (details, "Unsafe",
                g_strdup (hold_unsafe_to_string (hold_entry_get_unsafe (entry))));
}

/**
 * hold_archive_dup_details: what every format has first, then the backend's own lines.
 */
char **
hold_archive_dup_details (HoldArchive *self, guint index)
{
  g_return_val_if_fail (HOLD_IS_ARCHIVE (self), NULL);
  g_return_val_if_fail (index < self->data->n_entries, NULL);

  const HoldBackend *backend = self->data->backend;
  GPtrArray *details = g_ptr_array_new ();

  add_own_details (details, _hold_archive_data_get_entry (self->data, index));
  if (backend != NULL && backend->dup_details != NULL)
    {
      g_autofree char **more = backend->dup_details (self, index);
      for (guint i = 0; more != NULL && more[i] != NULL; i++)
        g_ptr_array_add (details, more[i]);
    }
  g_ptr_array_add (details, NULL);
  return (char **) g_ptr_array_free (details, FALSE);
}
