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
static char *
plain_name (const char *name)
{
  gsize length = strlen (name);

  while (length > 0 && name[length - 1] == '/')
    length--;
  return g_strndup (name, length);
}

static int
compare_names (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(const char * const *) a, *(const char * const *) b);
}

/* The order is the format's own affair: 7z puts what has no data behind the rest. */
static gboolean
same_names (GPtrArray *written,
            GPtrArray *found)
{
  g_autoptr (GPtrArray) expected = g_ptr_array_new_with_free_func (g_free);

  if (written->len != found->len)
    return FALSE;

  for (guint i = 0; i < written->len; i++)
    g_ptr_array_add (expected, plain_name (g_ptr_array_index (written, i)));
  g_ptr_array_sort (expected, compare_names);
  g_ptr_array_sort (found, compare_names);
  for (guint i = 0; i < found->len; i++)
    if (!g_str_equal (g_ptr_array_index (expected, i), g_ptr_array_index (found, i)))
      return FALSE;
  return TRUE;
}

gboolean
hold_libarchive_verify (int            fd,
                        GPtrArray     *names,
                        GCancellable  *cancellable,
                        GError       **error)
{
  g_autoptr (HoldVolumes) volumes = NULL;
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);
  g_auto (HoldLibarchiveStream) stream = { 0 };
  struct archive_entry *entry;
  HoldNext next;

  /* An archive without entries is too short for some readers to know it again. */
  if (names->len == 0)
    return TRUE;

  volumes = hold_volumes_open ("/new", fd, error);
  if (volumes == NULL)
    return FALSE;
  hold_libarchive_stream_init (&stream, volumes, NULL, cancellable);
  if (!hold_libarchive_stream_open (&stream, HOLD_LIBARCHIVE_FORMATS, NULL, error))
    return FALSE;

  do
    {
      g_autoptr (GError) odd = NULL;

      next = hold_libarchive_stream_next (&stream, &entry, &odd);
      if (next == HOLD_NEXT_FAILED || next == HOLD_NEXT_FATAL)
        {
          g_propagate_prefixed_error (error, g_steal_pointer (&odd), "The new archive can't be read back: ");
          return FALSE;
        }
      if (next != HOLD_NEXT_END && archive_entry_pathname (entry) != NULL)
        g_ptr_array_add (found, plain_name (archive_entry_pathname (entry)));
    }
  while (next != HOLD_NEXT_END);

  if (same_names (names, found))
    return TRUE;
  g_set_error_literal (error, HOLD_ERROR, HOLD_ERROR_CORRUPT,
                       "The new archive does not hold what was put into it; the old one was left as it is");
  return FALSE;
}
