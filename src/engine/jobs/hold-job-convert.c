/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Makes a plan that holds all of one archive and has it written as another. What a format can't take
 * back once it is written (a large file that turns out to be damaged) costs a second try without it. */

#include "config.h"

#include "hold-job-convert.h"

#include <sys/stat.h>

#include "hold-ask-password.h"
#include "hold-convert-plan.h"
#include "hold-convert-survey.h"
#include "hold-rewrite.h"

struct _HoldConvertJob
{
  HoldJob parent_instance;

  HoldConvertRequest *request;
  HoldArchive *archive;
};

G_DEFINE_FINAL_TYPE (HoldConvertJob, hold_convert_job, HOLD_TYPE_JOB)

HoldConvertRequest *
hold_convert_request_new (HoldArchive      *archive,
                          const char       *path,
                          const HoldFormat *format)
{
  HoldConvertRequest *self = g_new0 (HoldConvertRequest, 1);

  self->archive = g_object_ref (archive);
  self->path = g_canonicalize_filename (path, NULL);
  self->format = format;
  self->level = -1;
  return self;
}

void
hold_convert_request_free (HoldConvertRequest *self)
{
  if (self == NULL)
    return;

  g_object_unref (self->archive);
  g_free (self->path);
  g_clear_pointer (&self->keyring, hold_keyring_unref);
  g_free (self);
}

/* The archive stays as it is, so no file of it, by whatever name, can be the new one as well. */
static gboolean
check_target (HoldConvertRequest  *request,
              GError             **error)
{
  const char *why = hold_format_why_not (request->format, HOLD_CAP_WRITE);
  struct stat st;

  if (why != NULL)
    {
      g_set_error_literal (error, HOLD_ERROR, HOLD_ERROR_READ_ONLY, why);
      return FALSE;
    }
  if (stat (request->path, &st) == 0 && _hold_archive_has_file (request->archive, st.st_dev, st.st_ino))
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                           "An archive can't be converted into itself; give the new one another name");
      return FALSE;
    }
  return hold_archive_check_unchanged (request->archive, error);
}

/* Without a password nothing of the encrypted content could go over. */
static gboolean
check_password (HoldConvertJob  *self,
                GArray          *files,
                HoldKeyring     *keyring,
                GError         **error)
{
  g_autoptr (GError) missing = NULL;

  if (!hold_check_password (HOLD_JOB (self), self->request->archive, keyring, files, &missing, error))
    return FALSE;
  if (missing == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&missing));
  return FALSE;
}

/* Formats that put sizes first must know them. Sets sizes of sources; what can't be read is bad. */
static gboolean
measure (HoldConvertJob   *self,
         HoldConvertPlan  *plan,
         HoldKeyring      *keyring,
         GError          **error)
{
  g_autoptr (GArray) unknown = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < plan->files->len; i++)
    {
      guint index = g_array_index (plan->files, guint, i);
      guint64 size;

      if (!hold_entry_get_size (hold_archive_get_entry (plan->archive, index), &size))
        g_array_append_val (unknown, index);
    }
  return hold_convert_survey (HOLD_JOB (self), plan->archive, unknown, keyring, plan->sizes, plan->bad, error);
}

/* After a failure: is it for entries that can be left out? Then they are in plan->bad. */
static gboolean
find_bad (HoldConvertJob   *self,
          HoldConvertPlan  *plan,
          HoldKeyring      *keyring,
          const GError     *failure,
          gboolean         *found,
          GError          **error)
{
  guint before = g_hash_table_size (plan->bad);

  *found = FALSE;
  if (failure->domain != HOLD_ERROR)
    return TRUE;
  hold_job_set_phase (HOLD_JOB (self), HOLD_PHASE_SCANNING);
  if (!hold_convert_survey (HOLD_JOB (self), plan->archive, plan->files, keyring, NULL, plan->bad, error))
    return FALSE;
  *found = g_hash_table_size (plan->bad) > before;
  return TRUE;
}

static gboolean
write_new (HoldConvertJob   *self,
           HoldConvertPlan  *plan,
           HoldKeyring      *keyring,
           GCancellable     *cancellable,
           GError          **error)
{
  g_autoptr (HoldPlan) steps = hold_convert_plan_make (plan, error);
  HoldRewriteRequest rewrite = {
    .plan = steps,
    .path = self->request->path,
    .overwrite = self->request->overwrite,
    .options = { .level = self->request->level, .keyring = keyring },
  };

  return steps != NULL && hold_rewrite_run (HOLD_JOB (self), &rewrite, &self->archive, cancellable, error);
}

static gboolean
hold_convert_job_run (HoldJob       *job,
                      GCancellable  *cancellable,
                      GError       **error)
{
  HoldConvertJob *self = HOLD_CONVERT_JOB (job);
  HoldConvertRequest *request = self->request;
  g_autoptr (HoldKeyring) keyring = request->keyring != NULL ? hold_keyring_ref (request->keyring)
                                                             : hold_keyring_new ();
  g_autoptr (HoldConvertPlan) plan = NULL;
  g_autoptr (GError) failure = NULL;
  gboolean found;

  hold_job_set_phase (job, HOLD_PHASE_SCANNING);
  if (!check_target (request, error))
    return FALSE;

  plan = hold_convert_plan_new (request->archive, request->format, hold_job_get_report (job));
  if (!plan->keeps_all &&
      (!check_password (self, plan->files, keyring, error) ||
       (plan->needs_sizes && !measure (self, plan, keyring, error))))
    return FALSE;
  if (write_new (self, plan, keyring, cancellable, &failure))
    return TRUE;

  if (!find_bad (self, plan, keyring, failure, &found, error))
    return FALSE;
  if (found)
    return write_new (self, plan, keyring, cancellable, error);
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

static HoldAccess
hold_convert_job_get_access (HoldJob     *job,
                             const char **path)
{
  *path = HOLD_CONVERT_JOB (job)->request->path;
  return HOLD_ACCESS_WRITE;
}

static void
hold_convert_job_finalize (GObject *object)
{
  HoldConvertJob *self = HOLD_CONVERT_JOB (object);

  g_clear_pointer (&self->request, hold_convert_request_free);
  g_clear_object (&self->archive);

  G_OBJECT_CLASS (hold_convert_job_parent_class)->finalize (object);
}

static void
hold_convert_job_class_init (HoldConvertJobClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  HoldJobClass *job_class = HOLD_JOB_CLASS (klass);

  object_class->finalize = hold_convert_job_finalize;
  job_class->run = hold_convert_job_run;
  job_class->get_access = hold_convert_job_get_access;
  job_class->verb = "convert";
}

static void
hold_convert_job_init (HoldConvertJob *self)
{
}

HoldConvertJob *
hold_convert_job_new (HoldConvertRequest *request)
{
  HoldConvertJob *self = g_object_new (HOLD_TYPE_CONVERT_JOB, NULL);

  self->request = request;
  return self;
}

HoldArchive *
hold_convert_job_get_archive (HoldConvertJob *self)
{
  return self->archive;
}
