/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* One job row in a window of its own. Closing it lets the work go on, as with a file manager's
 * window of copies: only the button beside the bar stops it. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-job-row.h"
#include "holdall-job-text.h"
#include "holdall-progress-window.h"

struct _HoldallProgressWindow {
  AdwWindow parent_instance;

  gboolean dismissed;

  AdwBin *bin;
  AdwWindowTitle *title;
};

G_DEFINE_FINAL_TYPE (HoldallProgressWindow, holdall_progress_window, ADW_TYPE_WINDOW)

static gboolean
holdall_progress_window_close_request (GtkWindow *window)
{
  HOLDALL_PROGRESS_WINDOW (window)->dismissed = TRUE;
  gtk_widget_set_visible (GTK_WIDGET (window), FALSE);
  return TRUE;
}

static void
holdall_progress_window_class_init (HoldallProgressWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  GTK_WINDOW_CLASS (klass)->close_request = holdall_progress_window_close_request;

  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               HOLDALL_APP_PATH "/holdall-progress-window.ui");
  gtk_widget_class_bind_template_child (widget_class, HoldallProgressWindow, bin);
  gtk_widget_class_bind_template_child (widget_class, HoldallProgressWindow, title);
}

static void
holdall_progress_window_init (HoldallProgressWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

HoldallProgressWindow *
holdall_progress_window_new (GtkApplication *application)
{
  return g_object_new (HOLDALL_TYPE_PROGRESS_WINDOW, "application", application, NULL);
}

void
holdall_progress_window_set_job (HoldallProgressWindow *self,
                                 HoldJob               *job,
                                 guint                  part,
                                 guint                  n_parts)
{
  g_autofree char *title = NULL;
  g_autofree char *subtitle = NULL;

  g_return_if_fail (HOLDALL_IS_PROGRESS_WINDOW (self));
  g_return_if_fail (HOLD_IS_JOB (job));

  title = holdall_job_text_title (job);
  if (n_parts > 1)
    /* Translators: which of several archives is worked on: "Archive 2 of 3". */
    subtitle = g_strdup_printf (_("Archive %u of %u"), part + 1, n_parts);
  adw_window_title_set_title (self->title, title);
  adw_window_title_set_subtitle (self->title, subtitle != NULL ? subtitle : "");
  gtk_window_set_title (GTK_WINDOW (self), title);
  adw_bin_set_child (self->bin, holdall_job_row_new (job));
}

gboolean
holdall_progress_window_is_dismissed (HoldallProgressWindow *self)
{
  g_return_val_if_fail (HOLDALL_IS_PROGRESS_WINDOW (self), FALSE);

  return self->dismissed;
}
