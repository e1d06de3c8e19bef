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

typedef struct {
  GWeakRef parent;
  GtkApplication *application;  /* borrowed */
  GtkWindow *dialog;            /* (nullable), weak pointer */
} Presenter;

static void
presenter_free (gpointer  data,
                GClosure *closure)
{
  Presenter *self = data;

  if (self->dialog != NULL)
    {
      GtkWindow *dialog = self->dialog;

      g_clear_weak_pointer (&self->dialog);
      gtk_window_destroy (dialog);
    }
  g_weak_ref_clear (&self->parent);
  g_free (self);
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
      return holdall_conflict_dialog_new (question, HOLD_IS_UPDATE_JOB (job));
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

  if (self->dialog != NULL)
    {
      GtkWindow *dialog = self->dialog;

      g_clear_weak_pointer (&self->dialog);
      gtk_window_destroy (dialog);
    }
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
  g_signal_connect_data (job, "notify::question", G_CALLBACK (question_changed_cb), self,
                         presenter_free, G_CONNECT_DEFAULT);
}
