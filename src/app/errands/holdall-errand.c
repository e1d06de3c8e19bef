/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The common part of all errands: their jobs go through the application's list like any other, the
 * progress window comes only after a second of work, and what went wrong is told once, at the end. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-errand-private.h"
#include "holdall-error-dialog.h"
#include "holdall-error-text.h"
#include "holdall-job-text.h"
#include "holdall-notify.h"
#include "holdall-progress-window.h"
#include "holdall-remote.h"
#include "holdall-report-dialog.h"

/* Most errands are over by then, and a window would only flash. */
#define SHOW_AFTER_MS 1000

typedef struct {
  HoldallApplication *application;  /* owned */
  HoldKeyring *keyring;
  HoldReport *report;
  GError *error;                    /* (nullable): the first that concerns a whole archive */
  guint n_errors;
  char *outcome;                    /* (nullable): of the last job, in words */
  char *title;                      /* (nullable): of the last job */
  HoldJob *job;                     /* (nullable): runs now */
  guint part;
  guint n_parts;

  gboolean visible;
  gboolean finished;
  HoldallProgressWindow *window;    /* (nullable): a GtkWindow, which the toolkit owns */
  guint show_source;
} HoldallErrandPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (HoldallErrand, holdall_errand, G_TYPE_OBJECT)

enum { PROGRESS, FINISHED, N_SIGNALS };

static guint signals[N_SIGNALS];

static HoldallErrandPrivate *
get_private (HoldallErrand *self)
{
  return holdall_errand_get_instance_private (self);
}

static void
holdall_errand_finalize (GObject *object)
{
  HoldallErrandPrivate *priv = get_private (HOLDALL_ERRAND (object));

  g_clear_handle_id (&priv->show_source, g_source_remove);
  g_clear_object (&priv->application);
  g_clear_object (&priv->job);
  g_clear_pointer (&priv->keyring, hold_keyring_unref);
  g_clear_pointer (&priv->report, hold_report_unref);
  g_clear_error (&priv->error);
  g_free (priv->outcome);
  g_free (priv->title);

  G_OBJECT_CLASS (holdall_errand_parent_class)->finalize (object);
}

static void
holdall_errand_set_property (GObject      *object,
                             guint         property,
                             const GValue *value,
                             GParamSpec   *pspec)
{
  get_private (HOLDALL_ERRAND (object))->application = g_value_dup_object (value);
}

static void
holdall_errand_class_init (HoldallErrandClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = holdall_errand_finalize;
  object_class->set_property = holdall_errand_set_property;

  g_object_class_install_property (object_class, 1,
                                   g_param_spec_object ("application", NULL, NULL,
                                                        HOLDALL_TYPE_APPLICATION,
                                                        G_PARAM_WRITABLE | G_PARAM_CONSTRUCT_ONLY |
                                                        G_PARAM_STATIC_STRINGS));
  signals[PROGRESS] = g_signal_new ("progress", HOLDALL_TYPE_ERRAND, G_SIGNAL_RUN_LAST, 0, NULL,
                                    NULL, NULL, G_TYPE_NONE, 2, G_TYPE_DOUBLE, G_TYPE_STRING);
  signals[FINISHED] = g_signal_new ("finished", HOLDALL_TYPE_ERRAND, G_SIGNAL_RUN_LAST, 0, NULL,
                                    NULL, NULL, G_TYPE_NONE, 0);
}

static void
holdall_errand_init (HoldallErrand *self)
{
  HoldallErrandPrivate *priv = get_private (self);

  priv->keyring = hold_keyring_new ();
  priv->report = hold_report_new ();
  priv->visible = TRUE;
  priv->n_parts = 1;
}

static gboolean
show_cb (gpointer user_data)
{
  HoldallErrandPrivate *priv = get_private (HOLDALL_ERRAND (user_data));

  /* It would take the keyboard from the question; and it is the person who takes that long. */
  if (priv->job != NULL && hold_job_get_state (priv->job) == HOLD_JOB_ASKING)
    return G_SOURCE_CONTINUE;
  priv->show_source = 0;
  gtk_window_present (GTK_WINDOW (priv->window));
  return G_SOURCE_REMOVE;
}

static void
tell_progress (HoldallErrand *self,
               HoldJob       *job)
{
  HoldallErrandPrivate *priv = get_private (self);
  g_auto (HoldProgress) progress = { 0 };
  g_autofree char *words = NULL;
  HoldRate rate = { 0 };
  double fraction;

  hold_job_get_progress (job, &progress);
  words = holdall_job_text_progress (job, &progress, &rate);
  fraction = holdall_job_text_fraction (&progress);
  /* Reading the list is the first, small part of the way, and says nothing on how long that is. Who
   * listens may not know what a negative number means. */
  if (HOLD_IS_OPEN_JOB (job) || fraction < 0)
    fraction = 0;
  fraction = (priv->part + fraction) / priv->n_parts;
  g_signal_emit (self, signals[PROGRESS], 0, fraction, words);
}

static void
job_progress_cb (HoldallErrand *self,
                 HoldJob       *job)
{
  tell_progress (self, job);
}

static void
job_finished_cb (HoldallErrand *self,
                 HoldJob       *job)
{
  HoldallErrandPrivate *priv = get_private (self);
  g_autoptr (HoldJob) finished = g_steal_pointer (&priv->job);

  g_signal_handlers_disconnect_by_data (finished, self);
  if (hold_job_get_state (finished) == HOLD_JOB_CANCELLED)
    {
      _holdall_errand_cancel (self);
      return;
    }
  if (!HOLD_IS_OPEN_JOB (finished))
    {
      g_free (priv->outcome);
      priv->outcome = holdall_job_text_outcome (finished);
      g_free (priv->title);
      priv->title = holdall_job_text_title (finished);
    }
  HOLDALL_ERRAND_GET_CLASS (self)->job_finished (self, finished);
}

HoldallApplication *
_holdall_errand_get_application (HoldallErrand *self)
{
  return get_private (self)->application;
}

HoldKeyring *
_holdall_errand_get_keyring (HoldallErrand *self)
{
  return get_private (self)->keyring;
}

void
_holdall_errand_submit (HoldallErrand *self,
                        HoldJob       *job)
{
  HoldallErrandPrivate *priv = get_private (self);

  g_return_if_fail (priv->job == NULL);

  priv->job = job;
  if (priv->visible && priv->window == NULL)
    {
      priv->window = holdall_progress_window_new (GTK_APPLICATION (priv->application));
      priv->show_source = g_timeout_add (SHOW_AFTER_MS, show_cb, self);
    }
  if (priv->window != NULL)
    holdall_progress_window_set_job (priv->window, job, priv->part, priv->n_parts);
  g_signal_connect_object (job, "progress", G_CALLBACK (job_progress_cb), self, G_CONNECT_SWAPPED);
  holdall_job_list_submit (holdall_application_get_jobs (priv->application), job,
                           priv->window != NULL ? GTK_WINDOW (priv->window) : NULL);
  /* After the list's own handler: what it knows of the job is not told twice. */
  g_signal_connect_object (job, "finished", G_CALLBACK (job_finished_cb), self, G_CONNECT_SWAPPED);
}

void
_holdall_errand_set_part (HoldallErrand *self,
                          guint          part,
                          guint          n_parts)
{
  HoldallErrandPrivate *priv = get_private (self);

  priv->part = part;
  priv->n_parts = MAX (n_parts, 1);
}

void
_holdall_errand_fail (HoldallErrand *self,
                      GFile         *file,
                      const GError  *error)
{
  HoldallErrandPrivate *priv = get_private (self);
  g_autofree char *name = g_file_get_basename (file);
  g_autofree char *uri = g_file_get_uri (file);
  /* What is no URI has no name. */
  g_autofree char *shown = hold_path_escape_for_display (name != NULL ? name : uri);

  if (priv->error == NULL)
    priv->error = g_error_copy (error);
  priv->n_errors++;
  hold_report_add (priv->report, HOLD_OUTCOME_FAILED, shown, error);
}

void
_holdall_errand_add_report (HoldallErrand *self,
                            GFile         *file,
                            HoldJob       *job)
{
  HoldallErrandPrivate *priv = get_private (self);
  HoldReport *report = hold_job_get_report (job);
  g_autofree char *name = g_file_get_basename (file);
  g_autofree char *shown = hold_path_escape_for_display (name);

  hold_report_add_done (priv->report, hold_report_get_n_done (report),
                        hold_report_get_bytes_done (report));
  for (guint i = 0; i < hold_report_get_n_items (report); i++)
    {
      const HoldReportItem *item = hold_report_get_item (report, i);
      g_autofree char *path = NULL;

      if (priv->n_parts > 1 || *item->path == '\0')
        path = g_build_path ("/", shown, item->path, NULL);
      hold_report_add (priv->report, item->outcome, path != NULL ? path : item->path, item->error);
    }
}

char *
_holdall_errand_dup_path (HoldallErrand *self,
                          GFile         *file)
{
  char *path = g_file_get_path (file);

  if (path == NULL)
    {
      g_autoptr (GError) error = holdall_remote_create_error (file);

      _holdall_errand_fail (self, file, error);
    }
  return path;
}

void
_holdall_errand_cancel (HoldallErrand *self)
{
  HoldallErrandPrivate *priv = get_private (self);

  if (priv->error == NULL)
    g_set_error_literal (&priv->error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Cancelled");
  _holdall_errand_finish (self);
}

/* Somebody sent the window away and looks elsewhere by now. */
static void
notify (HoldallErrand *self)
{
  HoldallErrandPrivate *priv = get_private (self);
  g_autoptr (GNotification) notification = NULL;

  if (priv->outcome == NULL)
    return;
  notification = g_notification_new (priv->outcome);
  if (priv->title != NULL)
    g_notification_set_body (notification, priv->title);
  holdall_notify (G_APPLICATION (priv->application), notification, FALSE);
}

static void
tell_outcome (HoldallErrand *self,
              gboolean       was_dismissed)
{
  HoldallErrandPrivate *priv = get_private (self);
  g_autofree char *heading = NULL;

  if (g_error_matches (priv->error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (priv->n_errors > 0 && priv->n_parts == 1)
    {
      g_autofree char *title = holdall_error_text_title (priv->error);

      /* Translators: the name of a file, and what is wrong with it: "“a.zip”: Not an Archive". */
      heading = g_strdup_printf (_("“%s”: %s"), hold_report_get_item (priv->report, 0)->path, title);
      holdall_error_dialog_present (NULL, heading, priv->error);
    }
  else if (hold_report_get_n_items (priv->report) > 0)
    {
      if (priv->n_errors > 0)
        /* Translators: numbers of archives. */
        heading = g_strdup_printf (ngettext ("%u of %u archive could not be opened or extracted",
                                             "%u of %u archives could not be opened or extracted",
                                             priv->n_parts),
                                   MIN (priv->n_errors, priv->n_parts), priv->n_parts);
      holdall_report_dialog_present (NULL, heading != NULL ? heading : priv->outcome, priv->report);
    }
  else if (was_dismissed)
    notify (self);
}

void
_holdall_errand_finish (HoldallErrand *self)
{
  HoldallErrandPrivate *priv = get_private (self);
  gboolean was_dismissed = FALSE;

  g_return_if_fail (!priv->finished);

  priv->finished = TRUE;
  g_clear_handle_id (&priv->show_source, g_source_remove);
  if (priv->window != NULL)
    {
      was_dismissed = holdall_progress_window_is_dismissed (priv->window);
      gtk_window_destroy (GTK_WINDOW (g_steal_pointer (&priv->window)));
    }
  if (priv->visible)
    tell_outcome (self, was_dismissed);
  if (priv->error == NULL)
    g_signal_emit (self, signals[PROGRESS], 0, 1.0, priv->outcome != NULL ? priv->outcome : "");
  g_signal_emit (self, signals[FINISHED], 0);
  g_application_release (G_APPLICATION (priv->application));
  g_object_unref (self);
}

void
holdall_errand_set_visible (HoldallErrand *self,
                            gboolean       visible)
{
  g_return_if_fail (HOLDALL_IS_ERRAND (self));

  get_private (self)->visible = visible;
}

void
holdall_errand_start (HoldallErrand *self)
{
  g_return_if_fail (HOLDALL_IS_ERRAND (self));

  g_object_ref (self);
  g_application_hold (G_APPLICATION (get_private (self)->application));
  HOLDALL_ERRAND_GET_CLASS (self)->start (self);
}

HoldReport *
holdall_errand_get_report (HoldallErrand *self)
{
  g_return_val_if_fail (HOLDALL_IS_ERRAND (self), NULL);

  return get_private (self)->report;
}

const GError *
holdall_errand_get_error (HoldallErrand *self)
{
  g_return_val_if_fail (HOLDALL_IS_ERRAND (self), NULL);

  return get_private (self)->error;
}
