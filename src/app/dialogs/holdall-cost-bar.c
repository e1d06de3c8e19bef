/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Not a dialog: one may look around before one decides. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-cost-bar.h"
#include "holdall-format-text.h"

struct _HoldallCostBar {
  GtkWidget parent_instance;

  GtkButton *cancel_button;
  GtkButton *go_on_button;
  GtkLabel *label;
  GtkRevealer *revealer;
};

G_DEFINE_FINAL_TYPE (HoldallCostBar, holdall_cost_bar, GTK_TYPE_WIDGET)

enum { GO_ON, CANCELLED, N_SIGNALS };

static guint signals[N_SIGNALS];

static void
go_on_clicked_cb (HoldallCostBar *self)
{
  holdall_cost_bar_hide (self);
  g_signal_emit (self, signals[GO_ON], 0);
}

static void
cancel_clicked_cb (HoldallCostBar *self)
{
  holdall_cost_bar_hide (self);
  g_signal_emit (self, signals[CANCELLED], 0);
}

static void
holdall_cost_bar_dispose (GObject *object)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);

  G_OBJECT_CLASS (holdall_cost_bar_parent_class)->dispose (object);
}

static void
holdall_cost_bar_class_init (HoldallCostBarClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = holdall_cost_bar_dispose;

  signals[GO_ON] = g_signal_new ("go-on", HOLDALL_TYPE_COST_BAR, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 0);
  signals[CANCELLED] = g_signal_new ("cancelled", HOLDALL_TYPE_COST_BAR, G_SIGNAL_RUN_LAST, 0, NULL,
                                     NULL, NULL, G_TYPE_NONE, 0);

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, HOLDALL_APP_PATH
                                               "/holdall-cost-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, HoldallCostBar, cancel_button);
  gtk_widget_class_bind_template_child (widget_class, HoldallCostBar, go_on_button);
  gtk_widget_class_bind_template_child (widget_class, HoldallCostBar, label);
  gtk_widget_class_bind_template_child (widget_class, HoldallCostBar, revealer);
}

static void
holdall_cost_bar_init (HoldallCostBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_swapped (self->go_on_button, "clicked", G_CALLBACK (go_on_clicked_cb), self);
  g_signal_connect_swapped (self->cancel_button, "clicked", G_CALLBACK (cancel_clicked_cb), self);
}

void
holdall_cost_bar_show (HoldallCostBar *self,
                       guint64         size_bytes,
                       guint64         bytes_per_second)
{
  g_autofree char *size = holdall_format_size (size_bytes);
  g_autofree char *duration = NULL;
  g_autofree char *text = NULL;
  guint64 seconds;

  g_return_if_fail (HOLDALL_IS_COST_BAR (self));
  g_return_if_fail (bytes_per_second > 0);

  seconds = MIN (size_bytes / bytes_per_second, G_MAXUINT32);
  duration = holdall_format_duration (MAX ((guint) seconds, 1));
  /* Translators: a size such as "1.2 GB" and a time such as "40 s". */
  text = g_strdup_printf (_("This format has to be packed anew: the change rewrites %s, which takes "
                            "about %s."), size, duration);
  gtk_label_set_label (self->label, text);
  gtk_revealer_set_reveal_child (self->revealer, TRUE);
}

void
holdall_cost_bar_hide (HoldallCostBar *self)
{
  g_return_if_fail (HOLDALL_IS_COST_BAR (self));

  gtk_revealer_set_reveal_child (self->revealer, FALSE);
}

gboolean
holdall_cost_bar_is_shown (HoldallCostBar *self)
{
  g_return_val_if_fail (HOLDALL_IS_COST_BAR (self), FALSE);

  return gtk_revealer_get_reveal_child (self->revealer);
}
