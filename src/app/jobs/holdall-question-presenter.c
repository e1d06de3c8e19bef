/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A job waits on a condition while it asks; this is the other side of it. Whatever happens to the
 * dialog (answered, closed, its window gone), the question gets an answer, so that no job hangs. */

#include "config.h"

#include "holdall-question-presenter.h"

#include "holdall-conflict-dialog.h"
#include "holdall-continue-dialog.h"
#include "holdall-password-dialog.h"

#define PRESENTER_KEY "holdall-question-presenter"

typedef struct {
  GWeakRef parent;
  GtkApplication *application;  /* borrowed */
  GtkWindow *dialog;            /* (nullable), weak pointer */
} Presenter;

static void
close_dialog (Presenter *self)
{
  GtkWindow *dialog = self->dialog;

  if (dialog == NULL)
    return;
  g_clear_weak_pointer (&self->dialog);
  gtk_window_destroy (dialog);
}

static void
presenter_free (gpointer  data,
                GClosure *closure)
{
  Presenter *self = data;

  close_dialog (self);
  g_weak_ref_clear (&self->parent);
  g_free (self);
}

/* (nullable), borrowed: the one that a conflict of @job is about */
static HoldArchive *
get_archive (HoldJob *job)
{
  if (HOLD_IS_EXTRACT_JOB (job))
    return hold_extract_job_get_archive (HOLD_EXTRACT_JOB (job));
  if (HOLD_IS_UPDATE_JOB (job))
    return hold_update_job_get_source (HOLD_UPDATE_JOB (job));
  return NULL;
}

static GtkWindow *
make_dialog (HoldJob      *job,
             HoldQuestion *question)
{
  switch (hold_question_get_kind (question))
    {
    case HOLD_QUESTION_PASSWORD:
      return holdall_password_dialog_new (question);
    case HOLD_QUESTION_CONFLICT:
      return holdall_conflict_dialog_new (question, get_archive (job), HOLD_IS_UPDATE_JOB (job));
    case HOLD_QUESTION_CONTINUE:
      return holdall_continue_dialog_new (question);
    default:
      g_return_val_if_reached (NULL);
    }
}

static void
question_changed_cb (HoldJob    *job,
                     GParamSpec *pspec,
                     Presenter  *self)
{
  HoldQuestion *question = hold_job_get_question (job);
  g_autoptr (GtkWindow) parent = g_weak_ref_get (&self->parent);
  GtkWindow *above = parent;

  close_dialog (self);
  if (question == NULL || hold_question_is_answered (question))
    return;

  /* Work that has not come to show a window asks in one of its own, not before somebody else's. */
  if (above != NULL && !gtk_widget_get_visible (GTK_WIDGET (above)))
    above = NULL;
  else if (above == NULL && self->application != NULL)
    above = gtk_application_get_active_window (self->application);
  g_set_weak_pointer (&self->dialog, make_dialog (job, question));
  gtk_window_set_transient_for (self->dialog, above);
  gtk_window_set_modal (self->dialog, above != NULL);
  /* The job outlives its window, and so must the question. */
  gtk_window_set_destroy_with_parent (self->dialog, FALSE);
  if (above == NULL && self->application != NULL)
    gtk_window_set_application (self->dialog, self->application);
  gtk_window_present (self->dialog);
}

GtkWindow *
holdall_question_presenter_get_dialog (HoldJob *job)
{
  Presenter *self = g_object_get_data (G_OBJECT (job), PRESENTER_KEY);

  g_return_val_if_fail (HOLD_IS_JOB (job), NULL);

  return self != NULL ? self->dialog : NULL;
}

void
holdall_question_presenter_watch (HoldJob        *job,
                                  GtkWindow      *parent,
                                  GtkApplication *application)
{
  Presenter *self;

  g_return_if_fail (HOLD_IS_JOB (job));

  self = g_new0 (Presenter, 1);
  g_weak_ref_init (&self->parent, parent);
  self->application = application;
  g_object_set_data (G_OBJECT (job), PRESENTER_KEY, self);
  g_signal_connect_data (job, "notify::question", G_CALLBACK (question_changed_cb), self,
                         presenter_free, G_CONNECT_DEFAULT);
}
