/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The ring is the sum of all jobs by bytes. It looks at them by the clock and not at every sign of
 * progress: with many jobs there are many of those. */

#include "config.h"

#include <glib/gi18n.h>
#include <hold.h>

#include "holdall-job-bar.h"
#include "holdall-job-button.h"
#include "holdall-job-ring.h"

/* Shorter work is over before anybody could look; also the interval of looking. */
#define INTERVAL_MS 250

struct _HoldallJobButton {
  GtkWidget parent_instance;

  GListModel *jobs;    /* (nullable) owned */
  guint source;        /* while there are jobs */

  HoldallJobBar *bar;
  GtkMenuButton *button;
  HoldallJobRing *ring;
};

G_DEFINE_FINAL_TYPE (HoldallJobButton, holdall_job_button, GTK_TYPE_WIDGET)

/* A negative number if not one of the jobs knows how much there is to do. */
static double
get_fraction (HoldallJobButton *self)
{
  double done = 0;
  double total = 0;

  for (guint i = 0; i < g_list_model_get_n_items (self->jobs); i++)
    {
      g_autoptr (HoldJob) job = g_list_model_get_item (self->jobs, i);
      HoldProgress progress = { 0 };

      hold_job_get_progress (job, &progress);
      if (progress.has_total && progress.bytes_total > 0)
        {
          done += (double) progress.bytes_done;
          total += (double) progress.bytes_total;
        }
      hold_progress_clear (&progress);
    }
  return total > 0 ? CLAMP (done / total, 0, 1) : -1;
}

static void
update (HoldallJobButton *self)
{
  guint n_jobs = g_list_model_get_n_items (self->jobs);
  double fraction = get_fraction (self);
  g_autofree char *count = g_strdup_printf (ngettext ("%'u job is at work", "%'u jobs are at work",
                                                      n_jobs), n_jobs);
  g_autofree char *words = NULL;

  if (fraction < 0)
    words = g_steal_pointer (&count);
  else
    /* Translators: how many jobs are at work, and how far they are together. */
    words = g_strdup_printf (_("%s, %d %% done"), count, (int) (fraction * 100));
  holdall_job_ring_set_fraction (self->ring, fraction);
  if (g_strcmp0 (gtk_widget_get_tooltip_text (GTK_WIDGET (self->button)), words) != 0)
    gtk_widget_set_tooltip_text (GTK_WIDGET (self->button), words);
}

static gboolean
look_cb (gpointer user_data)
{
  HoldallJobButton *self = user_data;

  update (self);
  gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
  return G_SOURCE_CONTINUE;
}

static void
items_changed_cb (HoldallJobButton *self)
{
  if (g_list_model_get_n_items (self->jobs) == 0)
    {
      g_clear_handle_id (&self->source, g_source_remove);
      gtk_menu_button_popdown (self->button);
      gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
    }
  else if (self->source == 0)
    {
      self->source = g_timeout_add (INTERVAL_MS, look_cb, self);
    }
}

static void
holdall_job_button_dispose (GObject *object)
{
  HoldallJobButton *self = HOLDALL_JOB_BUTTON (object);

  g_clear_handle_id (&self->source, g_source_remove);
  if (self->jobs != NULL)
    g_signal_handlers_disconnect_by_data (self->jobs, self);
  g_clear_object (&self->jobs);
  if (self->button != NULL)
    gtk_widget_unparent (GTK_WIDGET (g_steal_pointer (&self->button)));

  G_OBJECT_CLASS (holdall_job_button_parent_class)->dispose (object);
}

static void
holdall_job_button_class_init (HoldallJobButtonClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = holdall_job_button_dispose;

  g_type_ensure (HOLDALL_TYPE_JOB_BAR);
  g_type_ensure (HOLDALL_TYPE_JOB_RING);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, HOLDALL_APP_PATH
                                               "/holdall-job-button.ui");
  gtk_widget_class_bind_template_child (widget_class, HoldallJobButton, bar);
  gtk_widget_class_bind_template_child (widget_class, HoldallJobButton, button);
  gtk_widget_class_bind_template_child (widget_class, HoldallJobButton, ring);
}

static void
holdall_job_button_init (HoldallJobButton *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  holdall_job_bar_set_all_titles (self->bar);
}

void
holdall_job_button_set_jobs (HoldallJobButton *self,
                             GListModel       *jobs)
{
  g_return_if_fail (HOLDALL_IS_JOB_BUTTON (self));
  g_return_if_fail (self->jobs == NULL);

  self->jobs = g_object_ref (jobs);
  holdall_job_bar_set_jobs (self->bar, jobs);
  g_signal_connect_swapped (jobs, "items-changed", G_CALLBACK (items_changed_cb), self);
  items_changed_cb (self);
}
