/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Last step of an extraction: links, when no data will be written any more that they could lead
 * elsewhere. A hard link whose file is not extracted becomes a file with that file's data (F18). */

#include "hold-extract-run.h"

#include "hold-stream-private.h"

#include <string.h>

/* Longer targets cannot be made. */
#define MAX_TARGET_BYTES 4095

/* Sources first */

/**
 * hold_extract_find_link_sources:
 * @run: placed
 *
 * Decides for each hard link which item it is another name of. Before anything is read, so that
 * data that has to be read for its sake comes in the same pass as the rest.
 *
 * Thread: the job's worker. Blocks: no.
 */
void
hold_extract_find_link_sources (HoldExtractRun *run)
{
  g_autoptr (GHashTable)
    owners = g_hash_table_new (NULL, NULL); /* index of data → position + 1 of its item */

  for (guint i = 0; i < run->items->len; i++)
    {
      const HoldExtractItem *item = hold_extract_item (run, i);

      if (item->state == HOLD_ITEM_PENDING && item->type == HOLD_ENTRY_FILE)
        g_hash_table_insert (owners, GUINT_TO_POINTER (item->index), GUINT_TO_POINTER (i + 1));
    }

  for (guint i = 0; i < run->items->len; i++)
    {
      HoldExtractItem *item = hold_extract_item (run, i);
      guint source;

      if (item->state != HOLD_ITEM_PENDING || item->type != HOLD_ENTRY_HARDLINK)
        continue;
      if (!_hold_archive_resolve_link (run->archive, item->index, &source))
        {
          g_autoptr (GError) error = g_error_new (
            HOLD_ERROR, HOLD_ERROR_CORRUPT, "the file it is a hard link to is not in the archive");

          hold_extract_settle_bad (run, item, HOLD_OUTCOME_FAILED, error);
          hold_job_add_entries (run->job, 1);
          continue;
        }

      guint owner = GPOINTER_TO_UINT (g_hash_table_lookup (owners, GUINT_TO_POINTER (source)));

      if (owner != 0)
        {
          item->link_to = owner - 1;
        }
      else
        {
          item->type = HOLD_ENTRY_FILE;
          item->source = source;
          g_hash_table_insert (owners, GUINT_TO_POINTER (source), GUINT_TO_POINTER (i + 1));
        }
    }
}

/* Symlinks */

static gboolean
append_target (gpointer user_data, const guint8 *data, gsize length_bytes, GError **error)
{
  GString *target = user_data;

  if (length_bytes > MAX_TARGET_BYTES - target->len)
    {
      g_set_error_literal (error, HOLD_ERROR, HOLD_ERROR_CORRUPT,
                           "the target of the link is too long");
      return FALSE;
    }
  g_string_append_len (target, (const char *) data, (gssize) length_bytes);
  return TRUE;
}

/* Some formats store the target as data, which may be encrypted: then it was not known when the
 * list was read. */
static char *
read_target (HoldExtractRun *run, const HoldExtractItem *item, GError **error)
{
  g_autoptr (GString) target = g_string_new (NULL);

  if (!hold_archive_read_entry (run->archive, item->index, run->keyring, append_target, target,
                                run->cancellable, error))
    return NULL;
  if (target->len == 0 || memchr (target->str, '\0', target->len) != NULL)
    {
      g_set_error_literal (error, HOLD_ERROR, HOLD_ERROR_CORRUPT,
                           "the target of the link is not recorded");
      return NULL;
    }
  if (!hold_path_link_stays_inside (item->name, target->str))
    {
      g_set_error_literal (error, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME,
                           "the link leads out of the destination");
      return NULL;
    }
  return g_string_free (g_steal_pointer (&target), FALSE);
}

static gboolean
add_symlink (HoldExtractRun *run, HoldExtractItem *item, GError **error)
{
  const char *target = hold_entry_get_disk_link_target (item->entry);
  g_autofree char *read = NULL;
  HoldDiskMeta meta;

  if (target == NULL)
    target = read = read_target (run, item, error);
  if (target == NULL)
    return FALSE;
  hold_extract_get_meta (item->entry, &meta);
  return hold_disk_sink_add_symlink (run->sink, item->place, target, &meta, item->replace, error);
}

static gboolean
add_hardlink (HoldExtractRun *run, HoldExtractItem *item, GError **error)
{
  const HoldExtractItem *other = hold_extract_item (run, item->link_to);

  if (other->state != HOLD_ITEM_DONE)
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_CORRUPT,
                   "it is another name of “%s”, which could not be extracted",
                   hold_entry_get_path (other->entry));
      return FALSE;
    }
  return hold_disk_sink_add_hardlink (run->sink, item->place, other->place, item->replace, error);
}

static void
failed_cb (gpointer user_data, const char *name, const GError *error)
{
  HoldExtractRun *run = user_data;
  guint position = GPOINTER_TO_UINT (g_hash_table_lookup (run->by_source, name));

  if (position != 0)
    {
      hold_extract_settle_bad (run, hold_extract_item (run, position - 1), HOLD_OUTCOME_FAILED,
                               error);
      return;
    }

  /* A folder that is there, but whose mode or time could not be set. */
  g_autofree char *path = g_filename_display_name (name);

  hold_report_add (run->report, HOLD_OUTCOME_WARNING, path, error);
}

/**
 * hold_extract_make_links:
 * @run: with all files written
 *
 * Thread: the job's worker. Blocks: yes. Errors: G_IO_ERROR_CANCELLED, or the sink could not be
 * finished.
 */
gboolean
hold_extract_make_links (HoldExtractRun *run, GError **error)
{
  g_clear_pointer (&run->by_source, g_hash_table_unref);
  run->by_source = g_hash_table_new (g_str_hash,
                                     g_str_equal); /* from here on: place → position + 1 */

  for (guint i = 0; i < run->items->len; i++)
    {
      HoldExtractItem *item = hold_extract_item (run, i);
      g_autoptr (GError) failure = NULL;

      if (item->state != HOLD_ITEM_PENDING)
        continue;
      if (!hold_job_checkpoint (run->job, error))
        return FALSE;
      if (item->type == HOLD_ENTRY_SYMLINK ? add_symlink (run, item, &failure)
                                           : add_hardlink (run, item, &failure))
        {
          g_hash_table_insert (run->by_source, (gpointer) item->place, GUINT_TO_POINTER (i + 1));
          continue;
        }
      if (g_error_matches (failure, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        {
          g_propagate_error (error, g_steal_pointer (&failure));
          return FALSE;
        }
      hold_extract_settle_bad (run, item,
                               g_error_matches (failure, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME)
                                 ? HOLD_OUTCOME_REFUSED
                                 : HOLD_OUTCOME_FAILED,
                               failure);
      hold_job_add_entries (run->job, 1);
    }

  if (!hold_disk_sink_finish (run->sink, failed_cb, run, error))
    return FALSE;

  for (guint i = 0; i < run->items->len; i++)
    {
      HoldExtractItem *item = hold_extract_item (run, i);

      if (!g_hash_table_contains (run->by_source, item->place != NULL ? item->place : "")
          || (item->type != HOLD_ENTRY_SYMLINK && item->type != HOLD_ENTRY_HARDLINK))
        continue;
      if (item->state == HOLD_ITEM_PENDING)
        hold_extract_settle_done (run, item, 0);
      hold_job_add_entries (run->job, 1);
    }
  return TRUE;
}
