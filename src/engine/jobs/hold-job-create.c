/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Makes a new archive: scans what goes in, then writes it in one transaction, so that no half
 * archive is ever seen. */

#include "config.h"

#include "hold-job-create.h"

#include <sys/stat.h>

#include "hold-disk-source.h"
#include "hold-rewrite.h"

struct _HoldCreateJob
{
  HoldJob parent_instance;

  HoldCreateRequest *request;
  HoldArchive *archive;
};

G_DEFINE_FINAL_TYPE (HoldCreateJob, hold_create_job, HOLD_TYPE_JOB)

HoldCreateRequest *
hold_create_request_new (const char         *path,
                         const HoldFormat   *format,
                         const char * const *files)
{
  HoldCreateRequest *self = g_new0 (HoldCreateRequest, 1);

  self->path = g_canonicalize_filename (path, NULL);
  self->format = format;
  self->files = g_strdupv ((char **) files);
  self->level = -1;
  return self;
}

void
hold_create_request_free (HoldCreateRequest *self)
{
  if (self == NULL)
    return;

  g_free (self->path);
  g_strfreev (self->files);
  g_free (self->method);
  g_clear_pointer (&self->secret, hold_secret_unref);
  g_free (self);
}

typedef struct
{
  HoldJob *job;
  HoldPlan *plan;
} Scan;

static gboolean
found_cb (gpointer         user_data,
          const char      *path,
          HoldPlanSource  *source,
          GError         **error)
{
  Scan *scan = user_data;
  g_autoptr (GError) refused = NULL;

  /* Two files of one name from different folders: the first one has the name, the other is told
   * of. */
  if (!hold_plan_add (scan->plan, path, source, FALSE, &refused))
    hold_report_add (hold_job_get_report (scan->job), HOLD_OUTCOME_FAILED, path, refused);
  return TRUE;
}

static void
failed_cb (gpointer      user_data,
           const char   *disk_path,
           const GError *error)
{
  Scan *scan = user_data;
  g_autofree char *display = g_filename_display_name (disk_path);

  hold_report_add (hold_job_get_report (scan->job), HOLD_OUTCOME_FAILED, display, error);
}

/* Whoever names the new archive among its files would lose that file. */
static gboolean
check_not_in_itself (const char         *disk_path,
                     const HoldDiskScan *scan,
                     GError            **error)
{
  g_autofree char *shown = g_filename_display_name (disk_path);
  struct stat st;

  if (scan->exclude_inode == 0 || lstat (disk_path, &st) != 0 ||
      st.st_dev != scan->exclude_device || st.st_ino != scan->exclude_inode)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_WOULD_RECURSE,
               "“%s” can't be put into itself; give the archive another name", shown);
  return FALSE;
}

static gboolean
scan_files (HoldCreateJob  *self,
            HoldPlan       *plan,
            GCancellable   *cancellable,
            GError        **error)
{
  Scan state = { HOLD_JOB (self), plan };
  HoldDiskScan scan = { .found = found_cb, .failed = failed_cb, .user_data = &state };
  struct stat st;

  if (stat (self->request->path, &st) == 0)
    {
      scan.exclude_device = st.st_dev;
      scan.exclude_inode = st.st_ino;
    }

  for (guint i = 0; self->request->files[i] != NULL; i++)
    if (!check_not_in_itself (self->request->files[i], &scan, error) ||
        !hold_disk_source_scan (self->request->files[i], "", &scan, cancellable, error))
      return FALSE;

  return TRUE;
}

static gboolean
hold_create_job_run (HoldJob       *job,
                     GCancellable  *cancellable,
                     GError       **error)
{
  HoldCreateJob *self = HOLD_CREATE_JOB (job);
  HoldCreateRequest *request = self->request;
  g_autoptr (HoldPlan) plan = hold_plan_new_create (request->format);
  g_autoptr (HoldKeyring) keyring = hold_keyring_new ();
  HoldReport *report = hold_job_get_report (job);
  HoldRewriteRequest rewrite = {
    .plan = plan,
    .path = request->path,
    .overwrite = request->overwrite,
    .volume_bytes = request->volume_bytes,
    .options = {
      .level = request->level,
      .method = request->method,
      .keyring = keyring,
      .secret = request->secret,
    },
  };
  guint n_steps;

  hold_job_set_phase (job, HOLD_PHASE_SCANNING);
  if (!scan_files (self, plan, cancellable, error))
    return FALSE;

  /* An empty archive instead of the files that were asked for would be a lie. */
  hold_plan_get_steps (plan, &n_steps);
  if (n_steps == 0 && hold_report_get_n_items (report) > 0)
    {
      g_propagate_error (error, g_error_copy (hold_report_get_item (report, 0)->error));
      return FALSE;
    }

  if (request->secret != NULL)
    hold_keyring_add (keyring, request->secret);
  return hold_rewrite_run (job, &rewrite, &self->archive, cancellable, error);
}

static HoldAccess
hold_create_job_get_access (HoldJob     *job,
                            const char **path)
{
  *path = HOLD_CREATE_JOB (job)->request->path;
  return HOLD_ACCESS_WRITE;
}

static void
hold_create_job_finalize (GObject *object)
{
  HoldCreateJob *self = HOLD_CREATE_JOB (object);

  g_clear_pointer (&self->request, hold_create_request_free);
  g_clear_object (&self->archive);

  G_OBJECT_CLASS (hold_create_job_parent_class)->finalize (object);
}

static void
hold_create_job_class_init (HoldCreateJobClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  HoldJobClass *job_class = HOLD_JOB_CLASS (klass);

  object_class->finalize = hold_create_job_finalize;
  job_class->run = hold_create_job_run;
  job_class->get_access = hold_create_job_get_access;
  job_class->verb = "create";
}

static void
hold_create_job_init (HoldCreateJob *self)
{
}

HoldCreateJob *
hold_create_job_new (HoldCreateRequest *request)
{
  HoldCreateJob *self = g_object_new (HOLD_TYPE_CREATE_JOB, NULL);

  self->request = request;
  return self;
}

HoldArchive *
hold_create_job_get_archive (HoldCreateJob *self)
{
  return self->archive;
}
