/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* One entry as a stream of bytes: straight to it where the format allows, by one pass where it
 * does not; holes are filled and hard links followed, so that the caller sees plain bytes. */

#include "hold-stream-private.h"

#include "hold-backend.h"
#include "hold-lent-file.h"

#define BLOCK_BYTES (256 * 1024)
#define MAX_LINK_HOPS 32

typedef struct
{
  HoldArchive *archive;
  guint index;
  HoldWriteFunc write;
  gpointer user_data;
  GCancellable *cancellable;
  guint64 offset; /* bytes handed out so far */
  gboolean visited;
  GError *error;
} Stream;

/* The first file of that name; beside a folder of the same name, or beside the link itself, it has
 * to be looked for. */
static gboolean
find_link_target (HoldArchive *self, const HoldEntry *link, guint *target)
{
  HoldUnsafe unsafe = HOLD_UNSAFE_NONE;
  g_autofree char *path = hold_path_normalise (hold_entry_get_link_target (link), &unsafe);
  HoldNode *node = hold_tree_lookup (hold_archive_get_tree (self), path);

  if (node == NULL)
    return FALSE;

  const HoldEntry *entry = hold_node_get_entry (node);

  if (!hold_node_is_folder (node) && entry != NULL && entry != link)
    {
      *target = hold_entry_get_index (entry);
      return TRUE;
    }

  HoldNode *parent = hold_node_get_parent (node);

  for (guint i = 0; parent != NULL && i < hold_node_get_n_children (parent); i++)
    {
      HoldNode *child = hold_node_get_child (parent, i);

      entry = hold_node_get_entry (child);
      if (entry != NULL && entry != link && !hold_node_is_folder (child)
          && g_str_equal (hold_node_get_name (child), hold_node_get_name (node)))
        {
          *target = hold_entry_get_index (entry);
          return TRUE;
        }
    }
  return FALSE;
}

gboolean
_hold_archive_resolve_link (HoldArchive *self, guint index, guint *target)
{
  for (guint hops = 0; hops < MAX_LINK_HOPS; hops++)
    {
      const HoldEntry *entry = hold_archive_get_entry (self, index);

      if (entry == NULL)
        return FALSE;
      if (hold_entry_get_type (entry) == HOLD_ENTRY_FILE)
        {
          *target = index;
          return TRUE;
        }
      if (hold_entry_get_type (entry) != HOLD_ENTRY_HARDLINK
          || !find_link_target (self, entry, &index))
        return FALSE;
    }
  return FALSE;
}

static gboolean
fill_hole (Stream *stream, guint64 until, GError **error)
{
  static const guint8 zeros[BLOCK_BYTES];

  while (stream->offset < until)
    {
      gsize length = (gsize) MIN (until - stream->offset, BLOCK_BYTES);

      if (g_cancellable_set_error_if_cancelled (stream->cancellable, error)
          || !stream->write (stream->user_data, zeros, length, error))
        return FALSE;
      stream->offset += length;
    }
  return TRUE;
}

static HoldVisit
stream_begin (gpointer user_data, guint index, GError **error)
{
  Stream *stream = user_data;

  return index == stream->index ? HOLD_VISIT_TAKE : HOLD_VISIT_SKIP;
}

static gboolean
stream_data (gpointer user_data, const guint8 *data, gsize length_bytes, guint64 offset,
             GError **error)
{
  Stream *stream = user_data;
  const HoldEntry *entry = hold_archive_get_entry (stream->archive, stream->index);
  guint64 size;

  if (offset < stream->offset)
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_CORRUPT, "%s: its data overlaps itself",
                   hold_entry_get_path (entry));
      return FALSE;
    }
  if (hold_entry_get_size (entry, &size) && (offset > size || length_bytes > size - offset))
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_CORRUPT,
                   "%s: it holds more data than the archive says", hold_entry_get_path (entry));
      return FALSE;
    }
  if (!fill_hole (stream, offset, error)
      || !stream->write (stream->user_data, data, length_bytes, error))
    return FALSE;
  stream->offset += length_bytes;
  return TRUE;
}

static gboolean
stream_end (gpointer user_data, guint index, const GError *error, GError **stop)
{
  Stream *stream = user_data;
  const HoldEntry *entry = hold_archive_get_entry (stream->archive, index);
  guint64 size;

  stream->visited = TRUE;
  if (error != NULL)
    stream->error = g_error_copy (error);
  else if (hold_entry_get_size (entry, &size))
    fill_hole (stream, size, &stream->error);
  return TRUE;
}

static gboolean
stream_by_pass (Stream *stream, HoldKeyring *keyring, GError **error)
{
  const HoldBackend *backend = _hold_archive_get_backend (stream->archive);
  const HoldVisitor visitor = {
    .begin = stream_begin,
    .data = stream_data,
    .end = stream_end,
    .user_data = stream,
  };
  g_autoptr (GError) pass_error = NULL;

  gboolean passed = backend->read_pass (stream->archive, &stream->index, 1, keyring, &visitor,
                                        stream->cancellable, &pass_error);

  if (stream->error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&stream->error));
      return FALSE;
    }
  if (!passed)
    {
      g_propagate_error (error, g_steal_pointer (&pass_error));
      return FALSE;
    }
  if (!stream->visited)
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_TRUNCATED, "%s: the archive ends before it",
                   hold_entry_get_path (hold_archive_get_entry (stream->archive, stream->index)));
      return FALSE;
    }
  return TRUE;
}

/**
 * hold_archive_read_entry:
 * @self: a snapshot
 * @index: an entry: a file, a symlink (its target, where the format stores it as data) or a hard
 * link (the data of the file it names)
 * @keyring: (nullable): passwords to try
 * @write: called with the bytes in order
 * @cancellable: (nullable)
 *
 * Thread: a worker. Blocks: yes.
 * Errors: all of HOLD_ERROR but NOT_ARCHIVE and READ_ONLY; G_IO_ERROR; what @write says.
 */
gboolean
hold_archive_read_entry (HoldArchive *self, guint index, HoldKeyring *keyring, HoldWriteFunc write,
                         gpointer user_data, GCancellable *cancellable, GError **error)
{
  const HoldBackend *backend = _hold_archive_get_backend (self);
  const HoldEntry *entry = hold_archive_get_entry (self, index);

  g_return_val_if_fail (entry != NULL, FALSE);

  if (hold_entry_get_type (entry) == HOLD_ENTRY_FOLDER)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY, "%s: it is a folder",
                   hold_entry_get_path (entry));
      return FALSE;
    }
  if (hold_entry_get_type (entry) == HOLD_ENTRY_HARDLINK
      && !_hold_archive_resolve_link (self, index, &index))
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_CORRUPT,
                   "%s: the file it is a hard link to is not in the archive",
                   hold_entry_get_path (entry));
      return FALSE;
    }
  if (!hold_archive_check_unchanged (self, error))
    return FALSE;

  if (backend->read_entry == NULL)
    {
      Stream stream = { self, index, write, user_data, cancellable, 0, FALSE, NULL };
      gboolean passed = stream_by_pass (&stream, keyring, error);

      hold_lent_files_rest (FALSE);
      return passed;
    }

  gpointer workspace = backend->new_workspace != NULL ? backend->new_workspace (self) : NULL;
  gboolean read = backend->read_entry (self, index, workspace, keyring, write, user_data,
                                       cancellable, error);

  if (workspace != NULL)
    backend->free_workspace (workspace);
  hold_lent_files_rest (FALSE);
  return read;
}
