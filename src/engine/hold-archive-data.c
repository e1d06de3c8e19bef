/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Life and death of a snapshot's fields, and what can be done with this very file. */

#include "hold-archive-data.h"
#include "hold-backend.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

HoldArchiveData *
_hold_archive_data_new (const char *path)
{
  static guint last_generation = 0;
  HoldArchiveData *data = g_new0 (HoldArchiveData, 1);

  data->path = g_strdup (path);
  data->filters = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (data->filters, NULL);
  data->blocks = g_ptr_array_new_with_free_func (g_free);
  data->strings = g_string_chunk_new (64 * 1024);
  data->report = hold_report_new ();
  data->generation = (guint) g_atomic_int_add (&last_generation, 1) + 1;
  return data;
}

void
_hold_archive_data_free (HoldArchiveData *data)
{
  if (data->backend != NULL && data->backend->free_data != NULL && data->backend_data != NULL)
    data->backend->free_data (data->backend_data);
  g_clear_pointer (&data->tree, _hold_tree_free);
  g_ptr_array_unref (data->filters);
  g_ptr_array_unref (data->blocks);
  g_string_chunk_free (data->strings);
  hold_report_unref (data->report);
  g_clear_error (&data->list_error);
  for (guint i = 0; i < HOLD_N_CAPS; i++)
    g_free (data->reasons[i]);
  g_free (data->path);
  g_free (data->comment);
  g_free (data->encoding);
  g_free (data);
}

HoldEntry *
_hold_archive_data_add_entry (HoldArchiveData *data)
{
  if (data->n_entries % HOLD_ENTRY_BLOCK == 0)
    g_ptr_array_add (data->blocks, g_new (HoldEntry, HOLD_ENTRY_BLOCK));

  HoldEntry *entry = _hold_archive_data_get_entry (data, data->n_entries);
  entry->index = data->n_entries++;
  return entry;
}

HoldEntry *
_hold_archive_data_get_entry (const HoldArchiveData *data, guint index)
{
  HoldEntry *block = g_ptr_array_index (data->blocks, index / HOLD_ENTRY_BLOCK);

  return &block[index % HOLD_ENTRY_BLOCK];
}

void
_hold_archive_data_remove_caps (HoldArchiveData *data, HoldCaps caps, const char *why)
{
  data->removed_caps |= caps;
  for (guint i = 0; i < HOLD_N_CAPS; i++)
    {
      if ((caps & (1u << i)) != 0 && data->reasons[i] == NULL)
        data->reasons[i] = g_strdup (why);
    }
}

/* A new archive is written beside the old one and takes its name, so the folder counts as much
 * as the file (W18). A link is followed: its target is what will be replaced. */
static void
check_writable (HoldArchiveData *data)
{
  HoldCaps edits = HOLD_CAP_UPDATE | HOLD_CAP_RAW_COPY;
  g_autofree char *target = realpath (data->path, NULL);
  g_autofree char *folder = NULL;
  g_autofree char *why = NULL;

  if (target == NULL)
    why = g_strdup_printf ("The file can't be found: %s", g_strerror (errno));
  else
    {
      folder = g_path_get_dirname (target);
      if (faccessat (AT_FDCWD, target, W_OK, AT_EACCESS) != 0)
        why = g_strdup_printf ("The file can't be written: %s", g_strerror (errno));
      else if (faccessat (AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
        why = g_strdup_printf ("Its folder can't be written: %s", g_strerror (errno));
    }
  if (why != NULL)
    _hold_archive_data_remove_caps (data, edits, why);
}

/* The format's writer makes exactly the compression that is part of its name: "tar.gz" one, "tar"
 * none. What lies in another wrapping would come out without it, under the same name. */
static gboolean
is_wrapped_as_written (const HoldArchiveData *data)
{
  guint n_filters = data->filters->len - 1;

  return n_filters == (strchr (data->format->id, '.') != NULL ? 1 : 0);
}

/* A rewrite without raw copies decodes everything, and must not lose what it can't decode. */
static gboolean
is_all_readable (const HoldArchiveData *data)
{
  for (guint i = 0; i < data->n_entries; i++)
    {
      const HoldEntry *entry = _hold_archive_data_get_entry (data, i);

      if ((entry->flags & (HOLD_ENTRY_ENCRYPTED | HOLD_ENTRY_UNREADABLE)) != 0)
        return FALSE;
    }
  return TRUE;
}

static void
check_content (HoldArchiveData *data)
{
  HoldCaps edits = HOLD_CAP_UPDATE | HOLD_CAP_RAW_COPY;

  if (data->list_error != NULL)
    _hold_archive_data_remove_caps (data, edits, "The archive is damaged; it is left as it is");
  else if (!is_wrapped_as_written (data))
    _hold_archive_data_remove_caps (data, edits, "The archive is packed in a way that can't be "
                                                 "written back");
  else if (data->backend != NULL && data->backend != hold_backend_for_format (data->format))
    _hold_archive_data_remove_caps (data, edits, "The archive is of a kind that can be read but "
                                                 "not written");
  else if ((data->caps & HOLD_CAP_RAW_COPY) == 0 && !is_all_readable (data))
    _hold_archive_data_remove_caps (data, edits, "It holds encrypted or unreadable entries, which "
                                                 "could not be written back");
}

void
_hold_archive_data_decide_caps (HoldArchiveData *data)
{
  data->caps = data->format->caps | data->added_caps;
  if ((data->caps & HOLD_CAP_UPDATE) != 0)
    {
      check_content (data);
      check_writable (data);
    }
  data->caps &= ~data->removed_caps;
}
