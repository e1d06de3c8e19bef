/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The job that turns a file into a snapshot. If the list itself is encrypted it asks, and asks
 * again, until a password fits or the person gives up (P05, P07). */

#include "hold-job-open-private.h"

#include "hold-ask-password.h"
#include "hold-output.h"

#include <glib/gstdio.h>

struct _HoldOpenJob
{
  HoldJob parent_instance;

  char *path;
  char *encoding;
  gboolean is_fetched;
  HoldKeyring *keyring;
  HoldOpener opener;
  HoldArchive *archive;
};

G_DEFINE_FINAL_TYPE (HoldOpenJob, hold_open_job, HOLD_TYPE_JOB)

/* Bytes of the file read so far. A paused job stands still here; cancelling is noticed by the
 * backend itself. */
static void
consumed_cb (gpointer user_data, guint64 file_bytes)
{
  HoldJob *job = user_data;

  hold_job_set_bytes (job, file_bytes);
  hold_job_checkpoint (job, NULL);
}

static gboolean
hold_open_job_run (HoldJob *job, GCancellable *cancellable, GError **error)
{
  HoldOpenJob *self = HOLD_OPEN_JOB (job);
  gboolean asked = FALSE;
  GStatBuf info;

  hold_job_set_phase (job, HOLD_PHASE_SCANNING);
  hold_job_set_current (job, NULL);
  if (g_stat (self->path, &info) == 0 && S_ISREG (info.st_mode))
    hold_job_set_totals (job, TRUE, TRUE, (guint64) info.st_size, 0);

  for (;;)
    {
      g_autoptr (GError) open_error = NULL;
      g_autoptr (HoldArchive)
        archive = self->opener (self->path, self->encoding, self->keyring, &hold_limits_default,
                                consumed_cb, job, cancellable, &open_error);

      if (archive != NULL)
        {
          /* A writer that was killed has left its half of a new archive beside the old one. */
          hold_output_sweep (self->path);
          if (self->is_fetched)
            _hold_archive_forbid (archive, HOLD_CAP_UPDATE | HOLD_CAP_RAW_COPY,
                                  "It lies on another machine: only a copy of it is shown");
          self->archive = g_steal_pointer (&archive);
          return hold_job_checkpoint (job, error);
        }

      g_autoptr (GError) ask_error = NULL;

      if (hold_is_password_error (open_error)
          && hold_ask_password (job, self->path, NULL, asked, self->keyring, &ask_error))
        {
          asked = TRUE;
          continue;
        }
      g_propagate_error (error, ask_error != NULL ? g_steal_pointer (&ask_error)
                                                  : g_steal_pointer (&open_error));
      return FALSE;
    }
}

static HoldAccess
hold_open_job_get_access (HoldJob *job, const char **path)
{
  *path = HOLD_OPEN_JOB (job)->path;
  return HOLD_ACCESS_READ;
}

static void
hold_open_job_finalize (GObject *object)
{
  HoldOpenJob *self = HOLD_OPEN_JOB (object);

  g_free (self->path);
  g_free (self->encoding);
  g_clear_pointer (&self->keyring, hold_keyring_unref);
  g_clear_object (&self->archive);

  G_OBJECT_CLASS (hold_open_job_parent_class)->finalize (object);
}

static void
hold_open_job_class_init (HoldOpenJobClass *klass)
{
  HoldJobClass *job_class = HOLD_JOB_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = hold_open_job_finalize;
  job_class->run = hold_open_job_run;
  job_class->get_access = hold_open_job_get_access;
  job_class->verb = "open";
}

static void
hold_open_job_init (HoldOpenJob *self)
{
  self->opener = hold_backend_open_archive;
}

/**
 * hold_open_job_new:
 * @path: file-system encoding; made absolute
 * @encoding: (nullable): charset for names without a Unicode mark; NULL: guess
 * @keyring: (nullable): passwords to try if the list is encrypted; gets the answers
 *
 * Thread: main. Blocks: no.
 * Returns: (transfer full)
 */
HoldOpenJob *
hold_open_job_new (const char *path, const char *encoding, HoldKeyring *keyring)
{
  HoldOpenJob *self = g_object_new (HOLD_TYPE_OPEN_JOB, NULL);

  self->path = g_canonicalize_filename (path, NULL);
  self->encoding = g_strdup (encoding);
  self->keyring = keyring != NULL ? hold_keyring_ref (keyring) : hold_keyring_new ();
  return self;
}

void
hold_open_job_set_fetched (HoldOpenJob *self)
{
  self->is_fetched = TRUE;
}

/* (nullable), borrowed. Thread: main, once the job is finished. */
HoldArchive *
hold_open_job_get_archive (HoldOpenJob *self)
{
  return self->archive;
}

void
_hold_open_job_set_opener (HoldOpenJob *self, HoldOpener opener)
{
  self->opener = opener != NULL ? opener : hold_backend_open_archive;
}
