/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* One row of the job bar. It samples the job when the job says that something moved, and makes
 * the rate from those samples; while the job asks or rests the figures stand still. */

#include "config.h"

#include "holdall-job-row.h"

#include "holdall-job-text.h"

#include <glib/gi18n.h>

/* Shorter work is over before a row could be read; it would only flash. */
#define SHOW_AFTER_MS 100

struct _HoldallJobRow {
  GtkWidget parent_instance;

  HoldJob *job;        /* owned */
  HoldRate rate;
  guint show_source;

  GtkWidget *box;
  GtkButton *cancel_button;
  GtkButton *pause_button;
  GtkProgressBar *progress_bar;
  GtkLabel *text_label;
  GtkLabel *title_label;
};

G_DEFINE_FINAL_TYPE (HoldallJobRow, holdall_job_row, GTK_TYPE_WIDGET)

static void
update_rate (HoldallJobRow      *self,
             const HoldProgress *progress)
{
  gboolean moving = hold_job_get_state (self->job) == HOLD_JOB_RUNNING
                 && !hold_job_get_paused (self->job);

  if (moving)
    hold_rate_add_sample (&self->rate, g_get_monotonic_time (), progress->bytes_done);
  else
    hold_rate_pause (&self->rate);
}

static void
update (HoldallJobRow *self)
{
  HoldProgress progress = { 0 };
  g_autofree char *text = NULL;
  double fraction;

  hold_job_get_progress (self->job, &progress);
  update_rate (self, &progress);
  text = holdall_job_text_progress (self->job, &progress, &self->rate);
  fraction = holdall_job_text_fraction (&progress);

  gtk_label_set_text (self->text_label, text);
  /* A bar that wanders says "I work": not while the job waits for somebody. */
  if (fraction < 0 && hold_job_get_state (self->job) == HOLD_JOB_RUNNING)
    gtk_progress_bar_pulse (self->progress_bar);
  else
    gtk_progress_bar_set_fraction (self->progress_bar, MAX (fraction, 0));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->progress_bar),
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
  hold_progress_clear (&progress);
}

static void
update_buttons (HoldallJobRow *self)
{
  gboolean paused = hold_job_get_paused (self->job);
  const char *words = paused ? _("Continue") : _("Pause");

  gtk_button_set_icon_name (self->pause_button, paused ? "media-playback-start-symbolic"
                                                       : "media-playback-pause-symbolic");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->pause_button), words);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->pause_button),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, words, -1);
  update (self);
}

static void
pause_clicked_cb (HoldallJobRow *self)
{
  hold_job_set_paused (self->job, !hold_job_get_paused (self->job));
}

static void
cancel_clicked_cb (HoldallJobRow *self)
{
  gtk_widget_set_sensitive (GTK_WIDGET (self->cancel_button), FALSE);
  hold_job_cancel (self->job);
}

static gboolean
show_cb (gpointer user_data)
{
  HoldallJobRow *self = user_data;

  self->show_source = 0;
  update (self);
  gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
  return G_SOURCE_REMOVE;
}

static void
holdall_job_row_dispose (GObject *object)
{
  HoldallJobRow *self = HOLDALL_JOB_ROW (object);

  g_clear_handle_id (&self->show_source, g_source_remove);
  if (self->job != NULL)
    g_signal_handlers_disconnect_by_data (self->job, self);
  g_clear_object (&self->job);
  g_clear_pointer (&self->box, gtk_widget_unparent);

  G_OBJECT_CLASS (holdall_job_row_parent_class)->dispose (object);
}

static void
holdall_job_row_class_init (HoldallJobRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = holdall_job_row_dispose;

  gtk_widget_class_set_template_from_resource (widget_class,
                                               HOLDALL_APP_PATH "/holdall-job-row.ui");
  gtk_widget_class_set_css_name (widget_class, "jobrow");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_bind_template_child (widget_class, HoldallJobRow, box);
  gtk_widget_class_bind_template_child (widget_class, HoldallJobRow, cancel_button);
  gtk_widget_class_bind_template_child (widget_class, HoldallJobRow, pause_button);
  gtk_widget_class_bind_template_child (widget_class, HoldallJobRow, progress_bar);
  gtk_widget_class_bind_template_child (widget_class, HoldallJobRow, text_label);
  gtk_widget_class_bind_template_child (widget_class, HoldallJobRow, title_label);
  gtk_widget_class_bind_template_callback (widget_class, cancel_clicked_cb);
  gtk_widget_class_bind_template_callback (widget_class, pause_clicked_cb);
}

static void
holdall_job_row_init (HoldallJobRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
holdall_job_row_new (HoldJob *job)
{
  HoldallJobRow *self = g_object_new (HOLDALL_TYPE_JOB_ROW, NULL);
  g_autofree char *title = holdall_job_text_title (job);

  self->job = g_object_ref (job);
  gtk_label_set_text (self->title_label, title);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->text_label), title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->progress_bar),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  g_signal_connect_swapped (job, "progress", G_CALLBACK (update), self);
  g_signal_connect_swapped (job, "notify::state", G_CALLBACK (update), self);
  g_signal_connect_swapped (job, "notify::paused", G_CALLBACK (update_buttons), self);
  update_buttons (self);
  self->show_source = g_timeout_add (SHOW_AFTER_MS, show_cb, self);
  return GTK_WIDGET (self);
}

HoldJob *
holdall_job_row_get_job (HoldallJobRow *self)
{
  g_return_val_if_fail (HOLDALL_IS_JOB_ROW (self), NULL);

  return self->job;
}

void
holdall_job_row_set_show_title (HoldallJobRow *self,
                                gboolean       show_title)
{
  g_return_if_fail (HOLDALL_IS_JOB_ROW (self));

  gtk_widget_set_visible (GTK_WIDGET (self->title_label), show_title);
}
