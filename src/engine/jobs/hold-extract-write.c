/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Third step of an extraction: folders are made and the data of files is written, each file whole
 * or not at all. */

#include "hold-extract-run.h"

#include "hold-entry-reader.h"
#include "hold-indices.h"
#include "hold-question-private.h"

#include <glib/gstdio.h>

/* How often a name may be lost to somebody else before the file counts as failed. */
#define MAX_TRIES 8

/* A file being written; the handle of the entry reader. */
typedef struct
{
  HoldExtractRun *run;
  HoldExtractItem *item;
  HoldDiskFile *file;
  gboolean has_size;
  guint64 end;
} Output;

/* Folders */

gboolean
hold_extract_make_folders (HoldExtractRun *run, GError **error)
{
  for (guint i = 0; i < run->items->len; i++)
    {
      HoldExtractItem *item = hold_extract_item (run, i);
      g_autoptr (GError) failure = NULL;
      HoldDiskMeta meta;

      if (item->state != HOLD_ITEM_PENDING || item->type != HOLD_ENTRY_FOLDER)
        continue;
      if (!hold_job_checkpoint (run->job, error))
        return FALSE;

      hold_extract_get_meta (item->entry, &meta);
      if (*item->place == '\0'
          || hold_disk_sink_make_folder (run->sink, item->place, &meta, &failure))
        {
          hold_extract_settle_done (run, item, 0);
        }
      else if (g_error_matches (failure, G_IO_ERROR, G_IO_ERROR_NO_SPACE))
        {
          g_propagate_error (error, g_steal_pointer (&failure));
          return FALSE;
        }
      else
        {
          hold_extract_settle_bad (run, item, HOLD_OUTCOME_FAILED, failure);
        }
      hold_job_add_entries (run->job, 1);
    }
  return TRUE;
}

/* Files */

/* On a disk that ignores case, has another entry of this run just been written where @item would
 * go? */
static gboolean
has_met_twin (HoldExtractRun *run, const HoldExtractItem *item)
{
  HoldDiskKind kind = HOLD_DISK_NOTHING;

  if (!hold_disk_sink_look_up (run->sink, item->place, &kind, NULL, NULL, NULL, NULL)
      || kind == HOLD_DISK_NOTHING)
    return FALSE;
  if (!item->was_there)
    return TRUE;
  if (item->twin == G_MAXUINT)
    return FALSE;

  const HoldExtractItem *twin = hold_extract_item (run, item->twin - 1);
  g_autofree char *one = g_build_filename (hold_disk_sink_get_path (run->sink), item->place, NULL);
  g_autofree char *two = g_build_filename (hold_disk_sink_get_path (run->sink), twin->place, NULL);
  GStatBuf stat_one, stat_two;

  return twin->state == HOLD_ITEM_DONE && g_lstat (one, &stat_one) == 0
         && g_lstat (two, &stat_two) == 0 && stat_one.st_dev == stat_two.st_dev
         && stat_one.st_ino == stat_two.st_ino;
}

static gboolean
write_begin (gpointer user_data, guint index, gpointer *handle, GError **error)
{
  HoldExtractRun *run = user_data;
  guint position = GPOINTER_TO_UINT (g_hash_table_lookup (run->by_source, GUINT_TO_POINTER (index)))
                   - 1;
  HoldExtractItem *item = hold_extract_item (run, position);
  guint64 size = 0;

  if (item->twin != 0 && has_met_twin (run, item))
    {
      item->is_second = TRUE;
      item->twin = 0;
      hold_extract_number_item (run, item);
    }

  item->space_round = g_atomic_int_get (&run->space_round);

  gboolean has_size = hold_entry_get_size (hold_archive_get_entry (run->archive, index), &size);
  HoldDiskFile *file = hold_disk_sink_open_file (run->sink, item->place, has_size ? size : 0,
                                                 error);

  if (file == NULL)
    return FALSE;

  Output *output = g_new0 (Output, 1);

  output->run = run;
  output->item = item;
  output->file = file;
  output->has_size = has_size;
  *handle = output;
  return TRUE;
}

/* Entries that declare no size are watched while they grow, since nothing could be summed up
 * before. */
static gboolean
check_growth (HoldExtractRun *run, guint64 n_bytes, GError **error)
{
  const HoldLimits *limits = &run->request->limits;
  guint64 packed = MAX (hold_archive_get_size (run->archive), 1);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&run->ask_lock);
  g_autoptr (GError) too_large = NULL;
  g_autoptr (GError) ask_error = NULL;

  run->unsized_bytes += n_bytes;
  if (run->may_be_large || run->unsized_bytes <= HOLD_RATIO_FROM_BYTES || limits->max_ratio == 0
      || run->unsized_bytes / packed < limits->max_ratio)
    return TRUE;

  g_autofree char *size = g_format_size (run->unsized_bytes);

  g_set_error (&too_large, HOLD_ERROR, HOLD_ERROR_TOO_LARGE,
               "it has grown to more than %s, over %" G_GUINT64_FORMAT
               " times the size of the archive",
               size, limits->max_ratio);

  g_autoptr (HoldQuestion) question = hold_question_new_continue (too_large);

  if (hold_job_ask (run->job, question, &ask_error))
    {
      run->may_be_large = hold_question_get_continue (question, NULL);
    }
  else if (ask_error == NULL)
    {
      run->may_be_large = TRUE; /* nobody to ask: the disk is the limit */
    }
  else
    {
      g_propagate_error (error, g_steal_pointer (&ask_error));
      return FALSE;
    }
  if (!run->may_be_large)
    g_propagate_error (error, g_steal_pointer (&too_large));
  return run->may_be_large;
}

static gboolean
write_data (gpointer handle, const guint8 *data, gsize length_bytes, guint64 offset, GError **error)
{
  Output *output = handle;

  guint64 end = MAX (output->end, offset + length_bytes);

  /* Holes count: they take no space here, but they will wherever the file goes next. */
  if (!output->has_size && !check_growth (output->run, end - output->end, error))
    return FALSE;
  if (!hold_disk_file_write_at (output->file, data, length_bytes, offset, error))
    return FALSE;
  output->end = end;
  return TRUE;
}

static gboolean
is_damage (const GError *error)
{
  return g_error_matches (error, HOLD_ERROR, HOLD_ERROR_CHECKSUM)
         || g_error_matches (error, HOLD_ERROR, HOLD_ERROR_CORRUPT)
         || g_error_matches (error, HOLD_ERROR, HOLD_ERROR_TRUNCATED);
}

/* FAT takes no larger file, however much space it has: that concerns this one entry only. */
static gboolean
is_larger_than_disk_takes (HoldExtractRun *run, const HoldExtractItem *item)
{
  guint64 size = 0, free_bytes = 0;

  return hold_entry_get_size (hold_archive_get_entry (run->archive, item->source), &size)
         && size >= G_MAXUINT32 && hold_disk_sink_get_free_space (run->sink, &free_bytes, NULL)
         && free_bytes >= size;
}

/* The disk is full. A person may make room; those who failed at the same time then go on unasked.
 */
static HoldReadVerdict
end_full (HoldExtractRun *run, HoldExtractItem *item, const GError *error, GError **stop)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&run->ask_lock);
  g_autoptr (HoldQuestion) question = NULL;
  g_autoptr (GError) ask_error = NULL;

  if (item->space_round != g_atomic_int_get (&run->space_round))
    return HOLD_READ_AGAIN;

  question = hold_question_new_continue (error);
  if (hold_job_ask (run->job, question, &ask_error) && hold_question_get_continue (question, NULL))
    {
      g_atomic_int_inc (&run->space_round);
      return HOLD_READ_AGAIN;
    }
  if (ask_error != NULL)
    {
      g_propagate_error (stop, g_steal_pointer (&ask_error));
      return HOLD_READ_STOP;
    }
  hold_extract_settle_bad (run, item, HOLD_OUTCOME_FAILED, error);
  g_propagate_error (stop, g_error_copy (error));
  return HOLD_READ_STOP;
}

static HoldReadVerdict
end_badly (HoldExtractRun *run, HoldExtractItem *item, const GError *error, GError **stop)
{
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE)
      && !is_larger_than_disk_takes (run, item))
    return end_full (run, item, error, stop);

  hold_extract_settle_bad (run, item, HOLD_OUTCOME_FAILED, error);
  if (!g_error_matches (error, HOLD_ERROR, HOLD_ERROR_TOO_LARGE))
    return HOLD_READ_NEXT;
  g_propagate_error (stop, g_error_copy (error));
  return HOLD_READ_STOP;
}

static void
write_drop (gpointer handle)
{
  Output *output = handle;

  hold_disk_file_abort (output->file);
  g_free (output);
}

/* The place was taken while the data was on its way. */
static HoldReadVerdict
end_beside (HoldExtractRun *run, HoldExtractItem *item, GError **stop)
{
  if (!hold_extract_place_again (run, item, stop))
    return HOLD_READ_STOP;
  return item->state == HOLD_ITEM_PENDING ? HOLD_READ_AGAIN : HOLD_READ_NEXT;
}

static HoldReadVerdict
write_end (gpointer user_data, guint index, gpointer handle, guint64 size_bytes,
           const GError *error, GError **stop)
{
  HoldExtractRun *run = user_data;
  guint position = GPOINTER_TO_UINT (g_hash_table_lookup (run->by_source, GUINT_TO_POINTER (index)))
                   - 1;
  HoldExtractItem *item = hold_extract_item (run, position);
  Output *output = handle;
  g_autoptr (GError) failure = NULL;
  HoldDiskMeta meta;

  if (output == NULL)
    return end_badly (run, item, error, stop);
  if (error != NULL && !(run->request->keep_damaged && output->end > 0 && is_damage (error)))
    {
      write_drop (output);
      return end_badly (run, item, error, stop);
    }

  HoldDiskFile *file = output->file;

  g_free (output);
  hold_extract_get_meta (item->entry, &meta);
  if (!hold_disk_file_commit (file, size_bytes, &meta, item->replace, &failure))
    {
      if (g_error_matches (failure, G_IO_ERROR, G_IO_ERROR_EXISTS) && !item->replace
          && ++item->tries < MAX_TRIES)
        return end_beside (run, item, stop);
      return end_badly (run, item, failure, stop);
    }

  hold_extract_settle_done (run, item, size_bytes);
  if (error != NULL)
    {
      g_autoptr (GError) kept = g_error_copy (error);

      g_prefix_error_literal (&kept, "kept although damaged: ");
      hold_report_add (run->report, HOLD_OUTCOME_CHANGED, hold_entry_get_path (item->entry), kept);
    }
  return HOLD_READ_NEXT;
}

static const HoldEntryReaderFuncs write_funcs = {
  .begin = write_begin,
  .write = write_data,
  .end = write_end,
  .drop = write_drop,
};

/**
 * hold_extract_write_files:
 * @run: placed, with its folders made
 *
 * Thread: the job's worker. Blocks: yes. Errors: G_IO_ERROR_CANCELLED, G_IO_ERROR_NO_SPACE,
 * TOO_LARGE.
 */
gboolean
hold_extract_write_files (HoldExtractRun *run, GError **error)
{
  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) twins = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (HoldEntryReader)
    reader = hold_entry_reader_new (run->job, run->archive, run->keyring, &write_funcs, run);
  HoldProgress progress;

  hold_job_get_progress (run->job, &progress);
  hold_entry_reader_set_packed (reader, progress.is_packed);
  hold_progress_clear (&progress);

  for (guint i = 0; i < run->items->len; i++)
    {
      HoldExtractItem *item = hold_extract_item (run, i);

      if (item->state != HOLD_ITEM_PENDING || item->type != HOLD_ENTRY_FILE)
        continue;
      g_hash_table_insert (run->by_source, GUINT_TO_POINTER (item->source),
                           GUINT_TO_POINTER (i + 1));
      /* Where several entries are written at once, those that may meet come afterwards, one by one.
       */
      if (item->twin != 0 && hold_entry_reader_is_direct (reader))
        g_array_append_val (twins, item->source);
      else
        g_array_append_val (indices, item->source);
    }
  hold_indices_tidy (indices);

  if (!hold_entry_reader_run (reader, (const guint *) (gpointer) indices->data, indices->len,
                              error))
    return FALSE;
  for (guint i = 0; i < twins->len; i++)
    if (!hold_entry_reader_run (reader, &g_array_index (twins, guint, i), 1, error))
      return FALSE;
  return TRUE;
}
