/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* One pass over an archive that libarchive reads: from the start to the last entry that is
 * wanted. */

#include "hold-backend-libarchive-private.h"

#include "hold-backend-signature.h"
#include "hold-libarchive-error.h"

/* What an entry's data goes through: the visitor's error is told apart from the archive's. */
typedef struct {
  const HoldVisitor *visitor;
  gboolean refused;
} Sink;

static gboolean
sink_write (gpointer user_data, const guint8 *data, gsize length_bytes, guint64 offset, GError **error)
{
  Sink *sink = user_data;

  if (sink->visitor->data (sink->visitor->user_data, data, length_bytes, offset, error))
    return TRUE;
  sink->refused = TRUE;
  return FALSE;
}

static gboolean
may_have_data (const HoldEntry *entry)
{
  guint64 size;

  switch (hold_entry_get_type (entry))
    {
    case HOLD_ENTRY_FILE:
      return TRUE;
    case HOLD_ENTRY_HARDLINK:
      /* Some cpio and pax archives store the data with the last link. */
      return hold_entry_get_size (entry, &size) && size > 0;
    default:
      return FALSE;
    }
}

/* Returns FALSE with @error if the pass can't go on. */
static gboolean
read_one (HoldLibarchiveStream *stream, HoldArchive *archive, guint index, const HoldVisitor *visitor,
          gboolean *stopped, GError **error)
{
  const HoldEntry *entry = hold_archive_get_entry (archive, index);
  g_autoptr (GError) problem = NULL;
  g_autoptr (GError) stop = NULL;
  Sink sink = { .visitor = visitor };
  gboolean fatal = FALSE;
  HoldVisit visit = visitor->begin (visitor->user_data, index, &stop);

  if (visit == HOLD_VISIT_STOP || stop != NULL)
    {
      *stopped = TRUE;
      if (stop != NULL)
        g_propagate_error (error, g_steal_pointer (&stop));
      return error == NULL || *error == NULL;
    }
  if (visit == HOLD_VISIT_SKIP)
    return TRUE;

  if (may_have_data (entry))
    {
      guint64 size = 0;
      gboolean has_size = hold_entry_get_size (entry, &size);

      if (!hold_entry_is_readable (entry))
        g_set_error (&problem, HOLD_ERROR, HOLD_ERROR_UNSUPPORTED,
                     "this is encrypted, and Holdall can't decrypt this format, whatever the password");
      else
        hold_libarchive_stream_read_data (stream, has_size, size, sink_write, &sink, &fatal, &problem);
    }
  if (g_error_matches (problem, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    fatal = TRUE;
  else if (g_error_matches (problem, HOLD_ERROR, HOLD_ERROR_TOO_LARGE))
    hold_signature_explain_window (stream->volumes, &problem);

  if (!visitor->end (visitor->user_data, index, problem, &stop))
    {
      *stopped = TRUE;
      if (stop == NULL)
        return TRUE;
      g_propagate_error (error, g_steal_pointer (&stop));
      return FALSE;
    }
  if (fatal)
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  return TRUE;
}

static gboolean
walk (HoldLibarchiveStream *stream, HoldArchive *archive, const guint *indices, guint n_indices,
      const HoldVisitor *visitor, GError **error)
{
  guint n_entries = hold_archive_get_n_entries (archive);
  guint n_wanted = indices != NULL ? n_indices : n_entries;
  guint done = 0;

  for (guint index = 0; done < n_wanted; index++)
    {
      g_autoptr (GError) problem = NULL;
      struct archive_entry *from = NULL;
      HoldNext next;
      gboolean stopped = FALSE;

      do
        {
          g_clear_error (&problem);
          next = hold_libarchive_stream_next (stream, &from, &problem);
        }
      while (next == HOLD_NEXT_FAILED && !g_cancellable_is_cancelled (stream->cancellable));

      if (next == HOLD_NEXT_FATAL)
        {
          g_propagate_error (error, g_steal_pointer (&problem));
          return FALSE;
        }
      if (next == HOLD_NEXT_END || index >= n_entries)
        {
          g_set_error (error, HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK,
                       "the archive has fewer entries than when it was opened");
          return FALSE;
        }
      if (g_cancellable_set_error_if_cancelled (stream->cancellable, error))
        return FALSE;
      if (indices != NULL && indices[done] != index)
        continue;
      if (!read_one (stream, archive, index, visitor, &stopped, error))
        return FALSE;
      if (stopped)
        return TRUE;
      done++;
    }
  return TRUE;
}

gboolean
_hold_libarchive_read_pass (HoldArchive *archive, const guint *indices, guint n_indices, HoldKeyring *keyring,
                            const HoldVisitor *visitor, GCancellable *cancellable, GError **error)
{
  HoldLibarchiveData *data = _hold_archive_get_backend_data (archive);
  g_auto (HoldLibarchiveStream) stream = { 0 };
  locale_t previous;
  gboolean ok;

  if (!hold_volumes_check_unchanged (data->volumes, error))
    return FALSE;

  hold_libarchive_stream_init (&stream, data->volumes, NULL, cancellable);
  stream.consumed = visitor->consumed;
  stream.user_data = visitor->user_data;
  previous = hold_libarchive_locale_enter ();
  ok = hold_libarchive_stream_open (&stream, data->mode, NULL, error)
       && walk (&stream, archive, indices, n_indices, visitor, error);
  hold_libarchive_stream_clear (&stream);
  hold_libarchive_locale_leave (previous);
  return ok;
}
