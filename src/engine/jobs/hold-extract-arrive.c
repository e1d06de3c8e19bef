/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The proof that an archive may let go of what was taken out of it: it is on disk, all of it, and
 * stays there. */

#include "hold-extract-run.h"

#include <string.h>

/* What lies at the item's place is what was put there. The content was checked against its CRC on
 * the way to the disk. */
static gboolean
is_there (HoldExtractRun *run, const HoldExtractItem *item)
{
  HoldDiskKind kind = HOLD_DISK_NOTHING;
  guint64 expected;
  guint64 size = 0;
  gint64 mtime;

  if (!hold_disk_sink_look_up (run->sink, item->place, &kind, &size, &mtime, NULL, NULL))
    return FALSE;

  switch (item->type)
    {
    case HOLD_ENTRY_FOLDER:
      return kind == HOLD_DISK_FOLDER;
    case HOLD_ENTRY_SYMLINK:
      return kind == HOLD_DISK_SYMLINK;
    default:
      return kind == HOLD_DISK_FILE
             && (!hold_entry_get_size (hold_archive_get_entry (run->archive, item->source),
                                       &expected)
                 || size == expected);
    }
}

static void
add_parents (GHashTable *parents, const char *path)
{
  g_autofree char *parent = g_strdup (path);
  char *slash;

  while ((slash = strrchr (parent, '/')) != NULL)
    {
      *slash = '\0';
      g_hash_table_add (parents, g_strdup (parent));
    }
}

/**
 * hold_extract_arrive:
 * @run: after its last step
 * @arrived: gets the indices of what lies at the destination, durable
 *
 * A folder in which something stays behind has not arrived: its entry stays with what is in it.
 *
 * Thread: the job's worker. Blocks: yes. Errors: G_IO_ERROR.
 */
gboolean
hold_extract_arrive (HoldExtractRun *run, GArray *arrived, GError **error)
{
  g_autoptr (GHashTable) staying = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  if (run->n_done == 0 && run->items->len == 0)
    return TRUE;
  hold_job_set_phase (run->job, HOLD_PHASE_SYNCING);
  if (!hold_disk_sink_sync (run->sink, error))
    return FALSE;

  hold_job_set_phase (run->job, HOLD_PHASE_VERIFYING);
  for (guint i = 0; i < run->items->len; i++)
    {
      HoldExtractItem *item = hold_extract_item (run, i);

      if (item->state == HOLD_ITEM_DONE && !is_there (run, item))
        {
          g_autoptr (GError) gone = g_error_new_literal (
            G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
            "it is no longer where it was put, so it stays in the archive");

          hold_extract_settle_bad (run, item, HOLD_OUTCOME_FAILED, gone);
        }
      if (item->state != HOLD_ITEM_DONE)
        add_parents (staying, hold_entry_get_path (item->entry));
      if (!hold_job_checkpoint (run->job, error))
        return FALSE;
    }

  for (guint i = 0; i < run->items->len; i++)
    {
      const HoldExtractItem *item = hold_extract_item (run, i);

      if (item->state == HOLD_ITEM_DONE
          && !(item->type == HOLD_ENTRY_FOLDER
               && g_hash_table_contains (staying, hold_entry_get_path (item->entry))))
        g_array_append_val (arrived, item->index);
    }
  return TRUE;
}

/**
 * hold_extract_request_renew:
 * @request: made for a snapshot that an edit of ours may have replaced while the job was queued
 * @report: told of entries that are no longer there
 *
 * Thread: the job's worker. Blocks: no.
 */
void
hold_extract_request_renew (HoldExtractRequest *request, HoldReport *report)
{
  g_autoptr (HoldArchive) latest = _hold_archive_dup_latest (request->archive);
  g_autoptr (GArray) indices = NULL;

  if (latest == request->archive)
    return;

  if (request->indices != NULL)
    {
      indices = g_array_new (FALSE, FALSE, sizeof (guint));
      for (guint i = 0; i < request->indices->len; i++)
        {
          guint old_index = g_array_index (request->indices, guint, i);
          guint index = _hold_archive_map_index (request->archive, old_index);

          if (index != G_MAXUINT)
            {
              g_array_append_val (indices, index);
            }
          else
            {
              g_autoptr (GError) gone = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                                                             "it is no longer in the archive");

              hold_report_add (
                report, HOLD_OUTCOME_FAILED,
                hold_entry_get_path (hold_archive_get_entry (request->archive, old_index)), gone);
            }
        }
      g_array_unref (request->indices);
      request->indices = g_steal_pointer (&indices);
    }
  g_set_object (&request->archive, latest);
}
