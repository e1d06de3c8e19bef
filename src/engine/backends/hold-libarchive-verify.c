/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The check between writing and the rename: what is there now is what was meant to be there. */

#include "config.h"

#include "hold-libarchive-verify.h"

#include <string.h>

#include "hold-error.h"
#include "hold-libarchive-stream.h"

/* Writers put a "/" behind folders, readers may take it off. */
static gboolean
same_name (const char *a,
           const char *b)
{
  gsize a_length = strlen (a);
  gsize b_length = strlen (b);

  while (a_length > 0 && a[a_length - 1] == '/')
    a_length--;
  while (b_length > 0 && b[b_length - 1] == '/')
    b_length--;
  return a_length == b_length && memcmp (a, b, a_length) == 0;
}

gboolean
hold_libarchive_verify (int            fd,
                        GPtrArray     *names,
                        GCancellable  *cancellable,
                        GError       **error)
{
  g_autoptr (HoldVolumes) volumes = NULL;
  g_auto (HoldLibarchiveStream) stream = { 0 };
  struct archive_entry *entry;

  /* An archive without entries is too short for some readers to know it again. */
  if (names->len == 0)
    return TRUE;

  volumes = hold_volumes_open ("/new", fd, error);
  if (volumes == NULL)
    return FALSE;
  hold_libarchive_stream_init (&stream, volumes, NULL, cancellable);
  if (!hold_libarchive_stream_open (&stream, HOLD_LIBARCHIVE_FORMATS, NULL, error))
    return FALSE;

  for (guint i = 0; i <= names->len; i++)
    {
      g_autoptr (GError) odd = NULL;
      HoldNext next = hold_libarchive_stream_next (&stream, &entry, &odd);

      if (next == HOLD_NEXT_END && i == names->len)
        return TRUE;
      if (next != HOLD_NEXT_ENTRY && next != HOLD_NEXT_WARNED && odd != NULL)
        {
          g_propagate_prefixed_error (error, g_steal_pointer (&odd), "The new archive can't be read back: ");
          return FALSE;
        }
      if (next == HOLD_NEXT_END || i == names->len ||
          archive_entry_pathname (entry) == NULL ||
          !same_name (archive_entry_pathname (entry), g_ptr_array_index (names, i)))
        break;
    }

  g_set_error_literal (error, HOLD_ERROR, HOLD_ERROR_CORRUPT,
                       "The new archive does not hold what was put into it; the old one was left as it is");
  return FALSE;
}
