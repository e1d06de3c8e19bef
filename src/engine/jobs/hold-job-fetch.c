/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The job that brings a file here. Not g_file_copy(): that could neither be paused nor told how much
 * room there is before it has filled the disk. And not in the job's own thread: a machine that has
 * fallen silent can keep a read from coming back even when it is cancelled, and neither the person nor
 * the end of the program is to wait for that. */

#include "hold-job-fetch.h"

#include "hold-job-private.h"
#include "hold-output.h"
#include "hold-staging.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>

#define BLOCK_BYTES (256 * 1024)
/* So far may the reading be ahead of what the job has seen; a paused job sees nothing. */
#define AHEAD_BYTES (8 * 1024 * 1024)
/* In which a read that was cancelled should have come back. */
#define GRACE_US (G_USEC_PER_SEC / 2)
#define WAKE_US (G_USEC_PER_SEC / 10)
#define ASKED G_FILE_ATTRIBUTE_STANDARD_TYPE "," G_FILE_ATTRIBUTE_STANDARD_SIZE

/* Shared by the job and the thread that reads; whoever is last frees it. */
typedef struct {
  gatomicrefcount ref_count;
  GFile *source;
  char *source_name; /* for messages */
  char *path;
  GCancellable *cancellable;

  /* Under the lock. */
  GMutex lock;
  GCond cond;
  gboolean is_abandoned; /* the job no longer waits, and the copy is not wanted */
  gboolean is_finished;
  gboolean has_file;
  guint64 size_bytes;    /* 0: the place does not tell */
  guint64 n_copied;
  guint64 n_seen;
  GError *error;
} Transfer;

struct _HoldFetchJob
{
  HoldJob parent_instance;

  GFile *source;
  char *path;
};

G_DEFINE_FINAL_TYPE (HoldFetchJob, hold_fetch_job, HOLD_TYPE_JOB)

static Transfer *
transfer_new (HoldFetchJob *job)
{
  Transfer *self = g_new0 (Transfer, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->source = g_object_ref (job->source);
  self->source_name = g_file_get_parse_name (job->source);
  self->path = g_strdup (job->path);
  self->cancellable = g_cancellable_new ();
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  return self;
}

static void
transfer_unref (Transfer *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_object_unref (self->source);
  g_free (self->source_name);
  g_free (self->path);
  g_object_unref (self->cancellable);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  g_clear_error (&self->error);
  g_free (self);
}

/* The thread that reads. */

/* What the place says of the file, and whether there is room for it. */
static gboolean
look_at (Transfer *self, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (self->path);
  g_autofree char *needed = NULL;
  g_autofree char *available = NULL;
  g_autoptr (GFileInfo) info = NULL;
  guint64 size_bytes = 0;
  guint64 free_bytes;

  info = g_file_query_info (self->source, ASKED, G_FILE_QUERY_INFO_NONE, self->cancellable, error);
  if (info == NULL)
    return FALSE;
  if (g_file_info_get_attribute_uint32 (info, G_FILE_ATTRIBUTE_STANDARD_TYPE) ==
      G_FILE_TYPE_DIRECTORY)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY, "%s is a folder", self->source_name);
      return FALSE;
    }
  size_bytes = g_file_info_get_attribute_uint64 (info, G_FILE_ATTRIBUTE_STANDARD_SIZE);
  g_mutex_lock (&self->lock);
  self->size_bytes = size_bytes;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  if (!hold_staging_get_free_space (folder, &free_bytes) || free_bytes >= size_bytes)
    return TRUE;
  needed = g_format_size (size_bytes);
  available = g_format_size (free_bytes);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE, "%s takes %s, and only %s are free in %s",
               self->source_name, needed, available, folder);
  return FALSE;
}

/* -1 with @error. */
static int
make_copy (Transfer *self, GError **error)
{
  int fd = -1;
  int code = ECANCELED;

  g_mutex_lock (&self->lock);
  if (!self->is_abandoned)
    {
      fd = g_open (self->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      code = errno;
      self->has_file = fd >= 0;
    }
  g_mutex_unlock (&self->lock);
  if (fd < 0)
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code), "%s can't be made: %s", self->path,
                 g_strerror (code));
  return fd;
}

/* FALSE: nobody waits any more. Waits itself while nobody looks. */
static gboolean
tell (Transfer *self, gsize n_bytes)
{
  gboolean goes_on;

  g_mutex_lock (&self->lock);
  self->n_copied += n_bytes;
  g_cond_broadcast (&self->cond);
  while (!self->is_abandoned && self->n_copied - self->n_seen > AHEAD_BYTES)
    g_cond_wait (&self->cond, &self->lock);
  goes_on = !self->is_abandoned;
  g_mutex_unlock (&self->lock);
  return goes_on;
}

static gboolean
copy_all (Transfer *self, GInputStream *stream, int fd, GError **error)
{
  g_autofree guint8 *block = g_malloc (BLOCK_BYTES);
  gssize length;

  while ((length = g_input_stream_read (stream, block, BLOCK_BYTES, self->cancellable, error)) > 0)
    {
      if (!hold_output_write_all (fd, block, (gsize) length, self->path, error))
        return FALSE;
      if (!tell (self, (gsize) length))
        return !g_cancellable_set_error_if_cancelled (self->cancellable, error);
    }
  if (length == 0 && self->n_copied < self->size_bytes)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT,
                   "%s ended after %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " bytes",
                   self->source_name, self->n_copied, self->size_bytes);
      return FALSE;
    }
  return length == 0;
}

static gboolean
transfer (Transfer *self, GError **error)
{
  g_autoptr (GFileInputStream) stream = NULL;
  gboolean ok;
  int fd;

  if (!look_at (self, error))
    return FALSE;
  stream = g_file_read (self->source, self->cancellable, error);
  if (stream == NULL)
    return FALSE;
  fd = make_copy (self, error);
  if (fd < 0)
    return FALSE;
  ok = copy_all (self, G_INPUT_STREAM (stream), fd, error);
  /* It was read to its end: what the stream says while it closes changes nothing. */
  if (!g_input_stream_close (G_INPUT_STREAM (stream), self->cancellable, NULL))
    g_debug ("%s does not close well", self->source_name);
  return g_close (fd, ok ? error : NULL) && ok;
}

static gpointer
transfer_func (gpointer user_data)
{
  Transfer *self = user_data;
  GError *error = NULL;

  if (!transfer (self, &error) && error == NULL)
    error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "Cancelled");
  g_mutex_lock (&self->lock);
  self->error = error;
  self->is_finished = TRUE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  transfer_unref (self);
  return NULL;
}

/* The job. */

/* Until there is something to see: TRUE if it has ended. */
static gboolean
wait_for_more (HoldJob *job, Transfer *self)
{
  gboolean is_finished;
  guint64 size_bytes;
  guint64 n_copied;

  g_mutex_lock (&self->lock);
  /* A cancelled job is not told by the condition. */
  if (!self->is_finished && self->n_copied == self->n_seen)
    g_cond_wait_until (&self->cond, &self->lock, g_get_monotonic_time () + WAKE_US);
  is_finished = self->is_finished;
  size_bytes = self->size_bytes;
  n_copied = self->n_copied;
  g_mutex_unlock (&self->lock);
  hold_job_set_totals (job, size_bytes > 0, FALSE, size_bytes, 1);
  hold_job_set_bytes (job, n_copied);
  return is_finished;
}

static void
see (Transfer *self)
{
  g_mutex_lock (&self->lock);
  self->n_seen = self->n_copied;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}

/* With the copy, as far as there is one. */
static void
abandon (Transfer *self)
{
  gint64 end = g_get_monotonic_time () + GRACE_US;

  g_cancellable_cancel (self->cancellable);
  g_mutex_lock (&self->lock);
  self->is_abandoned = TRUE;
  g_cond_broadcast (&self->cond);
  while (!self->is_finished && g_cond_wait_until (&self->cond, &self->lock, end))
    ;
  if (self->has_file && g_unlink (self->path) != 0)
    g_debug ("%s is left behind: %s", self->path, g_strerror (errno));
  g_mutex_unlock (&self->lock);
}

static gboolean
hold_fetch_job_run (HoldJob *job, GCancellable *cancellable, GError **error)
{
  Transfer *self = transfer_new (HOLD_FETCH_JOB (job));
  gboolean ok = TRUE;
  GThread *thread;

  hold_job_set_phase (job, HOLD_PHASE_READING);
  hold_job_set_current (job, self->source_name);
  g_atomic_ref_count_inc (&self->ref_count);
  thread = g_thread_try_new ("fetch", transfer_func, self, error);
  if (thread == NULL)
    {
      transfer_unref (self);
      transfer_unref (self);
      return FALSE;
    }
  g_thread_unref (thread);

  while (ok && !wait_for_more (job, self))
    {
      ok = hold_job_checkpoint (job, error);
      see (self);
    }
  if (ok && self->error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&self->error));
      ok = FALSE;
    }
  if (ok)
    hold_job_add_entries (job, 1);
  else
    abandon (self);
  transfer_unref (self);
  return ok;
}

static HoldAccess
hold_fetch_job_get_access (HoldJob *job, const char **path)
{
  *path = HOLD_FETCH_JOB (job)->path;
  return HOLD_ACCESS_WRITE;
}

static void
hold_fetch_job_finalize (GObject *object)
{
  HoldFetchJob *self = HOLD_FETCH_JOB (object);

  g_object_unref (self->source);
  g_free (self->path);

  G_OBJECT_CLASS (hold_fetch_job_parent_class)->finalize (object);
}

static void
hold_fetch_job_class_init (HoldFetchJobClass *klass)
{
  HoldJobClass *job_class = HOLD_JOB_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = hold_fetch_job_finalize;
  job_class->run = hold_fetch_job_run;
  job_class->get_access = hold_fetch_job_get_access;
  job_class->verb = "fetch";
}

static void
hold_fetch_job_init (HoldFetchJob *self)
{
}

/**
 * hold_fetch_job_new:
 * @source: what GIO can read
 * @folder: absolute, in file-system encoding; exists
 * @name: of the copy in there; no "/"
 *
 * Thread: main. Blocks: no.
 * Returns: (transfer full)
 */
HoldFetchJob *
hold_fetch_job_new (GFile *source, const char *folder, const char *name)
{
  HoldFetchJob *self;

  g_return_val_if_fail (G_IS_FILE (source), NULL);
  g_return_val_if_fail (strchr (name, '/') == NULL, NULL);

  self = g_object_new (HOLD_TYPE_FETCH_JOB, NULL);
  self->source = g_object_ref (source);
  self->path = g_build_filename (folder, name, NULL);
  return self;
}

const char *
hold_fetch_job_get_path (HoldFetchJob *self)
{
  return self->path;
}
