/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Copies a kept old content back through the same transaction as every other change. */

#include "config.h"

#include "hold-job-restore.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hold-backend.h"
#include "hold-index-map.h"
#include "hold-job-private.h"
#include "hold-output.h"

#define PIECE_BYTES (8 * 1024 * 1024)
#define BLOCK_BYTES (256 * 1024)

struct _HoldRestoreJob
{
  HoldJob parent_instance;

  HoldArchive *older;
  HoldArchive *archive;
};

G_DEFINE_FINAL_TYPE (HoldRestoreJob, hold_restore_job, HOLD_TYPE_JOB)

static gboolean
fail_errno (GError    **error,
            const char *verb)
{
  int saved_errno = errno;

  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved_errno), "%s: %s", verb, g_strerror (saved_errno));
  return FALSE;
}

/* Through memory, where the kernel does not copy between these two files. *n_copied 0 at the
 * end. */
static gboolean
copy_block (int       from,
            int       to,
            guint64   offset,
            ssize_t  *n_copied,
            GError  **error)
{
  g_autofree guint8 *block = g_malloc (BLOCK_BYTES);

  *n_copied = TEMP_FAILURE_RETRY (pread (from, block, BLOCK_BYTES, (off_t) offset));
  if (*n_copied < 0)
    return fail_errno (error, "Reading the old content");
  return hold_output_write_all (to, block, (gsize) *n_copied, "the archive", error);
}

static gboolean
copy_content (HoldJob  *job,
              int       from,
              int       to,
              guint64   size,
              GError  **error)
{
  gboolean in_kernel = TRUE;
  guint64 done = 0;

  /* Where blocks can be shared, undo costs nothing. */
  if (ioctl (to, FICLONE, from) == 0)
    {
      hold_job_add_bytes (job, size);
      return hold_job_checkpoint (job, error);
    }

  while (done < size)
    {
      loff_t offset = (loff_t) done;
      ssize_t n = -1;

      if (!hold_job_checkpoint (job, error))
        return FALSE;
      if (in_kernel)
        n = TEMP_FAILURE_RETRY (copy_file_range (from, &offset, to, NULL, MIN (size - done, PIECE_BYTES), 0));
      if (n < 0 && in_kernel && (errno == ENOSPC || errno == EDQUOT || errno == EIO))
        return fail_errno (error, "Writing the archive");
      if (n <= 0)
        {
          in_kernel = FALSE;
          if (!copy_block (from, to, done, &n, error))
            return FALSE;
        }
      if (n == 0)
        {
          g_set_error_literal (error, HOLD_ERROR, HOLD_ERROR_TRUNCATED, "The old content is no longer whole");
          return FALSE;
        }
      done += (guint64) n;
      hold_job_add_bytes (job, (guint64) n);
    }

  return TRUE;
}

static gboolean
write_and_commit (HoldRestoreJob  *self,
                  HoldArchive     *latest,
                  int              backup,
                  GError         **error)
{
  HoldJob *job = HOLD_JOB (self);
  g_autoptr (HoldOutput) output = NULL;
  struct stat st;

  if (fstat (backup, &st) != 0)
    return fail_errno (error, "Looking at the old content");
  hold_job_set_totals (job, TRUE, FALSE, (guint64) st.st_size, 0);

  output = hold_output_new_replace (hold_archive_get_path (latest), _hold_archive_get_identity (latest), error);
  if (output == NULL)
    return FALSE;

  hold_job_set_phase (job, HOLD_PHASE_WRITING);
  if (!copy_content (job, backup, hold_output_get_fd (output), (guint64) st.st_size, error))
    return FALSE;
  hold_job_set_phase (job, HOLD_PHASE_SYNCING);
  if (!hold_output_commit (output, hold_job_get_report (job), error))
    return FALSE;

  _hold_archive_take_backup (latest, hold_output_steal_old_fd (output));
  return TRUE;
}

static gboolean
hold_restore_job_run (HoldJob       *job,
                      GCancellable  *cancellable,
                      GError       **error)
{
  HoldRestoreJob *self = HOLD_RESTORE_JOB (job);
  g_autoptr (HoldArchive) latest = _hold_archive_dup_latest (self->older);
  g_autoptr (HoldPlan) plan = NULL;
  gboolean ok;
  int backup = _hold_archive_dup_backup (self->older);

  if (backup < 0)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "The old content was not kept");
      return FALSE;
    }
  ok = write_and_commit (self, latest, backup, error);
  g_close (backup, NULL);
  if (!ok)
    return FALSE;

  self->archive = hold_backend_open_archive (hold_archive_get_path (latest), hold_archive_get_encoding (latest), NULL,
                                             &hold_limits_default, NULL, NULL, cancellable, error);
  if (self->archive == NULL)
    return FALSE;
  plan = hold_plan_new (latest);
  _hold_archive_set_successor (latest, self->archive, hold_index_map_new (plan, self->archive));
  return TRUE;
}

static HoldAccess
hold_restore_job_get_access (HoldJob     *job,
                             const char **path)
{
  *path = hold_archive_get_path (HOLD_RESTORE_JOB (job)->older);
  return HOLD_ACCESS_WRITE;
}

static void
hold_restore_job_finalize (GObject *object)
{
  HoldRestoreJob *self = HOLD_RESTORE_JOB (object);

  g_clear_object (&self->older);
  g_clear_object (&self->archive);

  G_OBJECT_CLASS (hold_restore_job_parent_class)->finalize (object);
}

static void
hold_restore_job_class_init (HoldRestoreJobClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  HoldJobClass *job_class = HOLD_JOB_CLASS (klass);

  object_class->finalize = hold_restore_job_finalize;
  job_class->run = hold_restore_job_run;
  job_class->get_access = hold_restore_job_get_access;
  job_class->verb = "restore";
}

static void
hold_restore_job_init (HoldRestoreJob *self)
{
}

HoldRestoreJob *
hold_restore_job_new (HoldArchive *older)
{
  HoldRestoreJob *self = g_object_new (HOLD_TYPE_RESTORE_JOB, NULL);

  self->older = g_object_ref (older);
  return self;
}

HoldArchive *
hold_restore_job_get_archive (HoldRestoreJob *self)
{
  return self->archive;
}
