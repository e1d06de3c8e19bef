/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Watches the jobs for those that must not be cut off, and for those that would keep the program
 * alive for ever. */

#include "config.h"

#include <adwaita.h>
#include <glib-unix.h>
#include <glib/gi18n.h>
#include <signal.h>

#include "holdall-ending.h"
#include "holdall-job-text.h"
#include "holdall-notify.h"
#include "holdall-question-presenter.h"

struct _HoldallEnding {
  GtkApplication *application;
  HoldallJobList *jobs;
  GtkWindow *question;     /* (nullable): weak pointer */
  guint inhibit_cookie;    /* 0: the session may end, or does not listen */
  gboolean is_inhibited;
  guint signal_sources[3];
};

/* Looking costs nothing when it is cut off. */
static gboolean
is_writing (HoldJob *job)
{
  return !HOLD_IS_OPEN_JOB (job) && !HOLD_IS_TEST_JOB (job);
}

static HoldJob *
find_job (HoldallEnding *self,
          gboolean     (*is_meant) (HoldJob *job))
{
  GListModel *model = G_LIST_MODEL (self->jobs);
  guint n_jobs = g_list_model_get_n_items (model);

  for (guint i = 0; i < n_jobs; i++)
    {
      g_autoptr (HoldJob) job = g_list_model_get_item (model, i);

      /* Borrowed: the list has it as well. */
      if (is_meant (job))
        return job;
    }
  return NULL;
}

static void
jobs_changed_cb (HoldallEnding *self)
{
  HoldJob *job = find_job (self, is_writing);

  if ((job != NULL) == self->is_inhibited)
    return;
  self->is_inhibited = job != NULL;
  if (job != NULL)
    {
      g_autofree char *title = holdall_job_text_title (job);
      GtkWindow *window = gtk_application_get_active_window (self->application);

      self->inhibit_cookie =
        gtk_application_inhibit (self->application, window,
                                 GTK_APPLICATION_INHIBIT_LOGOUT | GTK_APPLICATION_INHIBIT_SUSPEND,
                                 title);
    }
  else if (self->inhibit_cookie != 0)
    {
      gtk_application_uninhibit (self->application, self->inhibit_cookie);
      self->inhibit_cookie = 0;
    }
}

static gboolean
signal_cb (gpointer user_data)
{
  HoldallEnding *self = user_data;

  g_application_quit (G_APPLICATION (self->application));
  return G_SOURCE_CONTINUE;
}

static gboolean
is_asking (HoldJob *job)
{
  return hold_job_get_question (job) != NULL;
}

/* The first one last, so that it is in front. (nullable), borrowed: that one */
static GtkWindow *
present_questions (HoldallEnding *self)
{
  GListModel *model = G_LIST_MODEL (self->jobs);
  GtkWindow *front = NULL;

  for (guint i = g_list_model_get_n_items (model); i-- > 0;)
    {
      g_autoptr (HoldJob) job = g_list_model_get_item (model, i);
      GtkWindow *dialog = holdall_question_presenter_get_dialog (job);

      if (dialog == NULL)
        continue;
      gtk_window_present (dialog);
      front = dialog;
    }
  return front;
}

static void
cancel_asking (HoldallEnding *self)
{
  g_autoptr (GPtrArray) asking = g_ptr_array_new_with_free_func (g_object_unref);
  GListModel *model = G_LIST_MODEL (self->jobs);

  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr (HoldJob) job = g_list_model_get_item (model, i);

      if (is_asking (job))
        g_ptr_array_add (asking, g_steal_pointer (&job));
    }
  for (guint i = 0; i < asking->len; i++)
    hold_job_cancel (g_ptr_array_index (asking, i));
}

/* One may take others with it. */
static void
close_windows (HoldallEnding *self)
{
  GList *windows = g_list_copy_deep (gtk_application_get_windows (self->application),
                                     (GCopyFunc) g_object_ref, NULL);

  for (GList *l = windows; l != NULL; l = l->next)
    gtk_window_close (l->data);
  g_list_free_full (windows, g_object_unref);
  holdall_notify_leave (G_APPLICATION (self->application));
}

static void
response_cb (HoldallEnding *self,
             const char    *response)
{
  if (g_str_equal (response, "quit"))
    {
      cancel_asking (self);
      close_windows (self);
    }
  else
    {
      present_questions (self);
    }
}

static void
ask (HoldallEnding *self,
     HoldJob       *job,
     GtkWindow     *above)
{
  g_autofree char *title = holdall_job_text_title (job);
  GtkWidget *dialog = adw_message_dialog_new (above, _("Cancel and Quit?"), NULL);

  /* Translators: %s is what a job does, like: Extracting “Holiday.zip” */
  adw_message_dialog_format_body (ADW_MESSAGE_DIALOG (dialog),
                                  _("This waits for an answer: %s. Quitting cancels it: archives stay "
                                    "as they are, and no half-written file is left behind."), title);
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "answer", _("_Answer First"),
                                    "quit", _("_Cancel and Quit"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "quit",
                                              ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "answer");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "answer");
  gtk_window_set_application (GTK_WINDOW (dialog), self->application);
  g_signal_connect_swapped (dialog, "response", G_CALLBACK (response_cb), self);
  g_set_weak_pointer (&self->question, GTK_WINDOW (dialog));
  gtk_window_present (GTK_WINDOW (dialog));
}

void
holdall_ending_quit (HoldallEnding *self)
{
  HoldJob *job = find_job (self, is_asking);

  if (self->question != NULL)
    {
      gtk_window_present (self->question);
    }
  else if (job != NULL)
    {
      ask (self, job, present_questions (self));
    }
  else
    {
      close_windows (self);
    }
}

HoldallEnding *
holdall_ending_new (GtkApplication *application,
                    HoldallJobList *jobs)
{
  static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
  HoldallEnding *self = g_new0 (HoldallEnding, 1);

  self->application = application;
  self->jobs = jobs;
  g_signal_connect_swapped (jobs, "items-changed", G_CALLBACK (jobs_changed_cb), self);
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    {
      struct sigaction action;

      /* Who was started by nohup(1), or in the background, was told not to listen. */
      if (sigaction (signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
        self->signal_sources[i] = g_unix_signal_add (signals[i], signal_cb, self);
    }
  return self;
}

void
holdall_ending_free (HoldallEnding *self)
{
  GtkWindow *question = self->question;

  for (guint i = 0; i < G_N_ELEMENTS (self->signal_sources); i++)
    g_clear_handle_id (&self->signal_sources[i], g_source_remove);
  g_signal_handlers_disconnect_by_data (self->jobs, self);
  if (question != NULL)
    {
      g_signal_handlers_disconnect_by_data (question, self);
      g_clear_weak_pointer (&self->question);
      gtk_window_destroy (question);
    }
  if (self->inhibit_cookie != 0)
    gtk_application_uninhibit (self->application, self->inhibit_cookie);
  g_free (self);
}
