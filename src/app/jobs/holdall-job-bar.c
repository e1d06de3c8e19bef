/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A row for each job of a list: at the bottom of a window those that were begun there, behind the
 * button in the header bar those of the whole program. */

#include "config.h"

#include "holdall-job-bar.h"

#include "holdall-job-row.h"

struct _HoldallJobBar {
  GtkWidget parent_instance;

  GListModel *jobs;     /* (nullable) owned */
  GPtrArray *rows;      /* borrowed HoldallJobRow, in the order of the model */
  gboolean all_titles;

  GtkWidget *revealer;
  GtkBox *rows_box;
  GtkWidget *separator;
};

enum {
  PROP_0,
  PROP_JOBS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (HoldallJobBar, holdall_job_bar, GTK_TYPE_WIDGET)

static void
update (HoldallJobBar *self)
{
  guint n_visible = 0;

  for (guint i = 0; i < self->rows->len; i++)
    if (gtk_widget_get_visible (g_ptr_array_index (self->rows, i)))
      n_visible++;

  for (guint i = 0; i < self->rows->len; i++)
    holdall_job_row_set_show_title (g_ptr_array_index (self->rows, i),
                                    self->all_titles || n_visible > 1);
  gtk_revealer_set_reveal_child (GTK_REVEALER (self->revealer), n_visible > 0);
}

static void
add_row (HoldallJobBar *self,
         guint          position)
{
  g_autoptr (HoldJob) job = g_list_model_get_item (self->jobs, position);
  GtkWidget *row = holdall_job_row_new (job);
  GtkWidget *before = position > 0 ? g_ptr_array_index (self->rows, position - 1) : NULL;

  gtk_box_insert_child_after (self->rows_box, row, before);
  g_ptr_array_insert (self->rows, (int) position, row);
  g_signal_connect_object (row, "notify::visible", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
}

static void
items_changed_cb (HoldallJobBar *self,
                  guint          position,
                  guint          n_removed,
                  guint          n_added,
                  GListModel    *model)
{
  for (guint i = 0; i < n_removed; i++)
    {
      GtkWidget *row = g_ptr_array_index (self->rows, position);

      g_ptr_array_remove_index (self->rows, position);
      gtk_box_remove (self->rows_box, row);
    }
  for (guint i = 0; i < n_added; i++)
    add_row (self, position + i);
  update (self);
}

void
holdall_job_bar_set_jobs (HoldallJobBar *self,
                          GListModel    *jobs)
{
  g_return_if_fail (HOLDALL_IS_JOB_BAR (self));
  g_return_if_fail (jobs == NULL || G_IS_LIST_MODEL (jobs));

  if (self->jobs == jobs)
    return;

  if (self->jobs != NULL)
    {
      g_signal_handlers_disconnect_by_func (self->jobs, items_changed_cb, self);
      items_changed_cb (self, 0, self->rows->len, 0, self->jobs);
    }
  g_set_object (&self->jobs, jobs);
  if (jobs != NULL)
    {
      g_signal_connect_swapped (jobs, "items-changed", G_CALLBACK (items_changed_cb), self);
      items_changed_cb (self, 0, 0, g_list_model_get_n_items (jobs), jobs);
    }
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_JOBS]);
}

void
holdall_job_bar_set_all_titles (HoldallJobBar *self)
{
  g_return_if_fail (HOLDALL_IS_JOB_BAR (self));

  self->all_titles = TRUE;
  gtk_widget_set_visible (self->separator, FALSE);
  gtk_revealer_set_transition_type (GTK_REVEALER (self->revealer), GTK_REVEALER_TRANSITION_TYPE_NONE);
  update (self);
}

static void
holdall_job_bar_get_property (GObject    *object,
                              guint       prop_id,
                              GValue     *value,
                              GParamSpec *pspec)
{
  if (prop_id == PROP_JOBS)
    g_value_set_object (value, HOLDALL_JOB_BAR (object)->jobs);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
holdall_job_bar_set_property (GObject      *object,
                              guint         prop_id,
                              const GValue *value,
                              GParamSpec   *pspec)
{
  if (prop_id == PROP_JOBS)
    holdall_job_bar_set_jobs (HOLDALL_JOB_BAR (object), g_value_get_object (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
holdall_job_bar_dispose (GObject *object)
{
  HoldallJobBar *self = HOLDALL_JOB_BAR (object);

  if (self->jobs != NULL)
    g_signal_handlers_disconnect_by_func (self->jobs, items_changed_cb, self);
  g_clear_object (&self->jobs);
  g_clear_pointer (&self->rows, g_ptr_array_unref);
  g_clear_pointer (&self->revealer, gtk_widget_unparent);

  G_OBJECT_CLASS (holdall_job_bar_parent_class)->dispose (object);
}

static void
holdall_job_bar_class_init (HoldallJobBarClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = holdall_job_bar_dispose;
  object_class->get_property = holdall_job_bar_get_property;
  object_class->set_property = holdall_job_bar_set_property;

  properties[PROP_JOBS] =
    g_param_spec_object ("jobs", NULL, NULL, G_TYPE_LIST_MODEL,
                         G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  gtk_widget_class_set_template_from_resource (widget_class,
                                               HOLDALL_APP_PATH "/holdall-job-bar.ui");
  gtk_widget_class_set_css_name (widget_class, "jobbar");
  gtk_widget_class_bind_template_child (widget_class, HoldallJobBar, revealer);
  gtk_widget_class_bind_template_child (widget_class, HoldallJobBar, rows_box);
  gtk_widget_class_bind_template_child (widget_class, HoldallJobBar, separator);
}

static void
holdall_job_bar_init (HoldallJobBar *self)
{
  self->rows = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
}
