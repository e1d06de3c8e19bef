/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The two ways of reading many entries, and what both have in common: a count of bytes that only
 * grows, sizes that are not exceeded, and a list of what must be read again. */

#include "hold-entry-reader.h"

#include "hold-ask-password.h"
#include "hold-indices.h"

#include <string.h>

/* Entries from this size on are started first, the largest ahead, so that no core is left alone
 * with one at the end. */
#define LARGE_BYTES (1024 * 1024)

struct _HoldEntryReader
{
  HoldJob *job;
  HoldArchive *archive;
  const HoldBackend *backend;
  HoldKeyring *keyring;
  const HoldEntryReaderFuncs *funcs;
  gpointer user_data;
  GCancellable *cancellable;
  gboolean is_packed;

  /* Locked: what must be read again, and how many of its bytes progress has counted already. */
  GMutex lock;
  GArray *again; /* guint */
  GArray *locked; /* guint: no password fitted */
  GError *locked_error; /* the first one's */
  GHashTable *counted; /* index → guint64 */
  int n_counted; /* atomic: spares the lock */
};

/* One entry on its way. */
typedef struct
{
  HoldEntryReader *reader;
  const HoldEntry *entry;
  guint index;
  gpointer handle;
  gboolean has_size;
  guint64 size; /* declared */
  guint64 end; /* behind the last byte that came */
  guint64 counted; /* in the job's progress */
} Reading;

HoldEntryReader *
hold_entry_reader_new (HoldJob *job, HoldArchive *archive, HoldKeyring *keyring,
                       const HoldEntryReaderFuncs *funcs, gpointer user_data)
{
  HoldEntryReader *self = g_new0 (HoldEntryReader, 1);

  self->job = job;
  self->archive = archive;
  self->backend = _hold_archive_get_backend (archive);
  self->keyring = keyring;
  self->funcs = funcs;
  self->user_data = user_data;
  self->cancellable = _hold_job_get_cancellable (job);
  self->again = g_array_new (FALSE, FALSE, sizeof (guint));
  self->locked = g_array_new (FALSE, FALSE, sizeof (guint));
  self->counted = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_mutex_init (&self->lock);
  return self;
}

void
hold_entry_reader_free (HoldEntryReader *self)
{
  g_array_unref (self->again);
  g_array_unref (self->locked);
  g_hash_table_unref (self->counted);
  g_clear_error (&self->locked_error);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
hold_entry_reader_set_packed (HoldEntryReader *self, gboolean is_packed)
{
  self->is_packed = is_packed;
}

gboolean
hold_entry_reader_is_direct (HoldEntryReader *self)
{
  return self->backend->read_entry != NULL;
}

static gboolean
is_cancelled_error (const GError *error)
{
  return g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* One entry, whichever way it is read */

static void
read_again (HoldEntryReader *self, Reading *reading, GArray *list, const GError *error)
{
  g_mutex_lock (&self->lock);
  g_array_append_val (list, reading->index);
  if (reading->counted > 0)
    {
      g_hash_table_insert (self->counted, GUINT_TO_POINTER (reading->index),
                           g_memdup2 (&reading->counted, sizeof reading->counted));
      g_atomic_int_inc (&self->n_counted);
    }
  if (list == self->locked && self->locked_error == NULL)
    self->locked_error = g_error_copy (error);
  g_mutex_unlock (&self->lock);
}

/* Whatever of it was not read counts as read, or the end would not equal the total. */
static void
count_as_settled (Reading *reading)
{
  HoldEntryReader *self = reading->reader;

  if (!self->is_packed && reading->has_size)
    hold_job_add_bytes (self->job, reading->size - MIN (reading->counted, reading->size));
  hold_job_add_entries (self->job, 1);
}

/* FALSE with @stop: the whole run ends. */
static gboolean
reading_hand_over (Reading *reading, gpointer handle, guint64 size, const GError *error,
                   GError **stop)
{
  HoldEntryReader *self = reading->reader;

  switch (self->funcs->end (self->user_data, reading->index, handle, size, error, stop))
    {
    case HOLD_READ_STOP:
      return FALSE;
    case HOLD_READ_AGAIN:
      read_again (self, reading, self->again, NULL);
      return TRUE;
    case HOLD_READ_NEXT:
    default:
      count_as_settled (reading);
      return TRUE;
    }
}

/* TRUE: its bytes are wanted. FALSE without @stop: it is settled. */
static gboolean
reading_begin (Reading *reading, HoldEntryReader *self, guint index, GError **stop)
{
  g_autoptr (GError) error = NULL;

  *reading = (Reading){ .reader = self, .index = index };
  reading->entry = hold_archive_get_entry (self->archive, index);
  reading->has_size = hold_entry_get_size (reading->entry, &reading->size);

  if (g_atomic_int_get (&self->n_counted) > 0)
    {
      g_mutex_lock (&self->lock);
      const guint64 *counted = g_hash_table_lookup (self->counted, GUINT_TO_POINTER (index));
      reading->counted = counted != NULL ? *counted : 0;
      g_mutex_unlock (&self->lock);
    }

  if (!hold_job_checkpoint (self->job, stop))
    return FALSE;
  hold_job_set_current (self->job, hold_entry_get_path (reading->entry));
  if (self->funcs->begin (self->user_data, index, &reading->handle, &error))
    return TRUE;

  if (is_cancelled_error (error))
    {
      g_propagate_error (stop, g_steal_pointer (&error));
      return FALSE;
    }
  if (error != NULL)
    reading_hand_over (reading, NULL, 0, error, stop);
  else
    count_as_settled (reading);
  return FALSE;
}

static gboolean
reading_write (Reading *reading, const guint8 *data, gsize length_bytes, guint64 offset,
               GError **error)
{
  HoldEntryReader *self = reading->reader;

  if (!hold_job_checkpoint (self->job, error))
    return FALSE;
  if (offset > G_MAXINT64 - length_bytes
      || (reading->has_size && (offset > reading->size || length_bytes > reading->size - offset)))
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_CORRUPT,
                   "%s: it holds more data than the archive says",
                   hold_entry_get_path (reading->entry));
      return FALSE;
    }
  if (!self->funcs->write (reading->handle, data, length_bytes, offset, error))
    return FALSE;

  reading->end = MAX (reading->end, offset + length_bytes);
  if (!self->is_packed && reading->end > reading->counted)
    {
      hold_job_add_bytes (self->job, reading->end - reading->counted);
      reading->counted = reading->end;
    }
  return TRUE;
}

/* FALSE with @stop: the whole run ends. */
static gboolean
reading_end (Reading *reading, const GError *error, GError **stop)
{
  HoldEntryReader *self = reading->reader;
  guint64 size = reading->end;

  /* What a decoder left out at the end is a hole; that the size is right was checked before. */
  if (error == NULL && reading->has_size)
    size = reading->size;

  if (is_cancelled_error (error))
    {
      self->funcs->drop (g_steal_pointer (&reading->handle));
      g_propagate_error (stop, g_error_copy (error));
      return FALSE;
    }
  if (hold_is_password_error (error))
    {
      self->funcs->drop (g_steal_pointer (&reading->handle));
      read_again (self, reading, self->locked, error);
      return TRUE;
    }

  return reading_hand_over (reading, g_steal_pointer (&reading->handle), size, error, stop);
}

/* Directly */

typedef struct
{
  HoldEntryReader *reader;
  const guint *order;
  gpointer *workspaces; /* one per worker, made when it first works */
} DirectRun;

static gboolean
direct_write (gpointer user_data, const guint8 *data, gsize length_bytes, GError **error)
{
  Reading *reading = user_data;

  return reading_write (reading, data, length_bytes, reading->end, error);
}

static gboolean
direct_unit (gpointer user_data, guint unit, guint worker, GError **error)
{
  DirectRun *run = user_data;
  HoldEntryReader *self = run->reader;
  g_autoptr (GError) stop = NULL;
  g_autoptr (GError) failure = NULL;
  Reading reading;

  if (!reading_begin (&reading, self, run->order[unit], &stop))
    {
      if (stop == NULL)
        return TRUE;
      g_propagate_error (error, g_steal_pointer (&stop));
      return FALSE;
    }

  if (run->workspaces[worker] == NULL && self->backend->new_workspace != NULL)
    run->workspaces[worker] = self->backend->new_workspace (self->archive);

  if (self->backend->read_entry (self->archive, reading.index, run->workspaces[worker],
                                 self->keyring, direct_write, &reading, self->cancellable,
                                 &failure))
    {
      if (reading.has_size && reading.end < reading.size)
        g_set_error (&failure, HOLD_ERROR, HOLD_ERROR_TRUNCATED, "%s: its data ends too early",
                     hold_entry_get_path (reading.entry));
    }
  else if (failure == NULL)
    {
      g_set_error (&failure, HOLD_ERROR, HOLD_ERROR_CORRUPT, "%s: it could not be read",
                   hold_entry_get_path (reading.entry));
    }
  return reading_end (&reading, failure, error);
}

static int
compare_sizes (gconstpointer a, gconstpointer b, gpointer user_data)
{
  HoldArchive *archive = user_data;
  guint64 size_a = 0, size_b = 0;

  hold_entry_get_size (hold_archive_get_entry (archive, *(const guint *) a), &size_a);
  hold_entry_get_size (hold_archive_get_entry (archive, *(const guint *) b), &size_b);
  return size_a != size_b ? (size_a > size_b ? -1 : 1)
                          : (*(const guint *) a > *(const guint *) b ? 1 : -1);
}

static gboolean
is_large (HoldArchive *archive, guint index)
{
  guint64 size = 0;

  return hold_entry_get_size (hold_archive_get_entry (archive, index), &size)
         && size >= LARGE_BYTES;
}

/* The large ones first, by size; then all others as they lie in the file, which disks like best. */
static guint *
make_order (HoldArchive *archive, const guint *indices, guint n_indices)
{
  guint *order = g_new (guint, MAX (n_indices, 1));
  guint n_large = 0;

  for (guint i = 0; i < n_indices; i++)
    if (is_large (archive, indices[i]))
      order[n_large++] = indices[i];
  if (n_large > 1)
    g_qsort_with_data (order, (int) n_large, sizeof (guint), compare_sizes, archive);
  for (guint i = 0, n = n_large; i < n_indices; i++)
    if (!is_large (archive, indices[i]))
      order[n++] = indices[i];
  return order;
}

static gboolean
run_direct (HoldEntryReader *self, const guint *indices, guint n_indices, GError **error)
{
  HoldCompute *compute = hold_job_get_compute (self->job);
  guint n_workers = hold_compute_get_n_workers (compute);
  g_autofree guint *order = make_order (self->archive, indices, n_indices);
  g_autofree gpointer *workspaces = g_new0 (gpointer, n_workers);
  DirectRun run = { self, order, workspaces };

  gboolean done = hold_compute_for_each (compute, n_indices, direct_unit, &run, error);

  for (guint i = 0; i < n_workers; i++)
    if (workspaces[i] != NULL)
      self->backend->free_workspace (workspaces[i]);
  return done;
}

/* By one pass */

typedef struct
{
  HoldEntryReader *reader;
  const guint *indices;
  guint n_indices;
  guint position; /* of the entry that comes next */
  guint8 *visited; /* per position */
  gboolean is_reading;
  Reading reading;
  GError *stop;
} PassRun;

static HoldVisit
pass_begin (gpointer user_data, guint index, GError **error)
{
  PassRun *run = user_data;

  while (run->position < run->n_indices && run->indices[run->position] < index)
    run->position++;
  if (run->position == run->n_indices)
    return HOLD_VISIT_STOP;
  if (run->indices[run->position] != index || run->visited[run->position])
    return HOLD_VISIT_SKIP;

  run->visited[run->position] = TRUE;
  run->is_reading = reading_begin (&run->reading, run->reader, index, &run->stop);
  if (run->is_reading)
    return HOLD_VISIT_TAKE;
  if (run->stop == NULL)
    return HOLD_VISIT_SKIP;
  g_propagate_error (error, g_error_copy (run->stop));
  return HOLD_VISIT_STOP;
}

static gboolean
pass_data (gpointer user_data, const guint8 *data, gsize length_bytes, guint64 offset,
           GError **error)
{
  PassRun *run = user_data;

  return reading_write (&run->reading, data, length_bytes, offset, error);
}

static gboolean
pass_end (gpointer user_data, guint index, const GError *error, GError **stop)
{
  PassRun *run = user_data;

  if (!run->is_reading)
    return TRUE;
  run->is_reading = FALSE;
  if (reading_end (&run->reading, error, &run->stop))
    return TRUE;
  g_propagate_error (stop, g_error_copy (run->stop));
  return FALSE;
}

static void
pass_consumed (gpointer user_data, guint64 file_bytes)
{
  PassRun *run = user_data;

  if (run->reader->is_packed)
    hold_job_set_bytes (run->reader->job, file_bytes);
  hold_job_checkpoint (run->reader->job, NULL);
}

/* What the pass never came to: the archive ended, or its decoder gave up. */
static gboolean
settle_rest (PassRun *run, const GError *failure, GError **stop)
{
  HoldEntryReader *self = run->reader;

  for (guint i = 0; i < run->n_indices; i++)
    {
      const HoldEntry *entry = hold_archive_get_entry (self->archive, run->indices[i]);
      g_autoptr (GError) error = NULL;
      guint64 size;

      if (run->visited[i])
        continue;
      if (failure != NULL)
        error = g_error_copy (failure);
      else
        g_set_error (&error, HOLD_ERROR, HOLD_ERROR_TRUNCATED, "%s: the archive ends before it",
                     hold_entry_get_path (entry));
      if (self->funcs->end (self->user_data, run->indices[i], NULL, 0, error, stop)
          == HOLD_READ_STOP)
        return FALSE;
      if (!self->is_packed && hold_entry_get_size (entry, &size))
        hold_job_add_bytes (self->job, size);
      hold_job_add_entries (self->job, 1);
    }
  return TRUE;
}

static gboolean
run_pass (HoldEntryReader *self, const guint *indices, guint n_indices, GError **error)
{
  g_autofree guint8 *visited = g_new0 (guint8, n_indices);
  PassRun run = { .reader = self, .indices = indices, .n_indices = n_indices, .visited = visited };
  const HoldVisitor visitor = {
    .begin = pass_begin,
    .data = pass_data,
    .end = pass_end,
    .consumed = pass_consumed,
    .user_data = &run,
  };
  g_autoptr (GError) failure = NULL;

  gboolean passed = self->backend->read_pass (self->archive, indices, n_indices, self->keyring,
                                              &visitor, self->cancellable, &failure);

  if (run.stop == NULL && is_cancelled_error (failure))
    run.stop = g_error_copy (failure);

  if (run.is_reading)
    {
      /* The pass broke off in the middle of an entry. */
      if (run.stop != NULL)
        self->funcs->drop (run.reading.handle);
      else if (failure != NULL)
        reading_end (&run.reading, failure, &run.stop);
      else
        g_set_error (&run.stop, HOLD_ERROR, HOLD_ERROR_CORRUPT, "%s: it did not come to its end",
                     hold_entry_get_path (run.reading.entry));
    }
  if (run.stop != NULL)
    {
      g_propagate_error (error, run.stop);
      return FALSE;
    }
  if (!hold_job_checkpoint (self->job, error))
    return FALSE;
  return settle_rest (&run, passed ? NULL : failure, error);
}

/* Both */

/* Nobody can be asked: the entries that no password opened have failed. */
static gboolean
give_up_locked (HoldEntryReader *self, GError **stop)
{
  for (guint i = 0; i < self->locked->len; i++)
    {
      guint index = g_array_index (self->locked, guint, i);
      guint64 size;

      if (self->funcs->end (self->user_data, index, NULL, 0, self->locked_error, stop)
          == HOLD_READ_STOP)
        return FALSE;
      if (!self->is_packed
          && hold_entry_get_size (hold_archive_get_entry (self->archive, index), &size))
        {
          const guint64 *counted = g_hash_table_lookup (self->counted, GUINT_TO_POINTER (index));

          hold_job_add_bytes (self->job, size - (counted != NULL ? MIN (*counted, size) : 0));
        }
      hold_job_add_entries (self->job, 1);
    }
  g_array_set_size (self->locked, 0);
  return TRUE;
}

/* An entry may have a password of its own. */
static gboolean
ask_for_locked (HoldEntryReader *self, gboolean asked, GError **error)
{
  const HoldEntry *entry = hold_archive_get_entry (self->archive,
                                                   g_array_index (self->locked, guint, 0));
  g_autoptr (GError) ask_error = NULL;

  if (hold_ask_password (self->job, hold_archive_get_path (self->archive),
                         hold_entry_get_path (entry), asked, self->keyring, &ask_error))
    {
      g_array_append_vals (self->again, self->locked->data, self->locked->len);
      g_array_set_size (self->locked, 0);
      g_clear_error (&self->locked_error);
      return TRUE;
    }
  if (ask_error == NULL)
    return give_up_locked (self, error);
  g_propagate_error (error, g_steal_pointer (&ask_error));
  return FALSE;
}

gboolean
hold_entry_reader_run (HoldEntryReader *self, const guint *indices, guint n_indices, GError **error)
{
  g_autofree guint *list = g_memdup2 (indices, n_indices * sizeof (guint));
  guint last_locked = G_MAXUINT;

  while (n_indices > 0)
    {
      gboolean done = hold_entry_reader_is_direct (self) ? run_direct (self, list, n_indices, error)
                                                         : run_pass (self, list, n_indices, error);

      if (!done)
        return FALSE;
      if (self->locked->len > 0)
        {
          guint first = g_array_index (self->locked, guint, 0);

          hold_indices_tidy (self->locked);
          if (!ask_for_locked (self, first == last_locked, error))
            return FALSE;
          last_locked = first;
        }

      n_indices = self->again->len;
      hold_indices_tidy (self->again);
      g_free (list);
      list = g_memdup2 (self->again->data, n_indices * sizeof (guint));
      g_array_set_size (self->again, 0);
    }
  return TRUE;
}
