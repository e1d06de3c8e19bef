/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The error dialog: the sentence in front, the engine's message behind "Details". */

#include "config.h"

#include "holdall-error-dialog.h"

#include "holdall-error-text.h"

struct _HoldallErrorDialog {
  AdwMessageDialog parent_instance;

  GtkLabel *details_label;
};

G_DEFINE_FINAL_TYPE (HoldallErrorDialog, holdall_error_dialog, ADW_TYPE_MESSAGE_DIALOG)

static void
copy_clicked_cb (HoldallErrorDialog *self)
{
  g_autofree char *text = g_strdup_printf ("%s\n%s\n",
                                           adw_message_dialog_get_heading (ADW_MESSAGE_DIALOG (self)),
                                           gtk_label_get_text (self->details_label));

  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
}

static void
holdall_error_dialog_class_init (HoldallErrorDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_template_from_resource (widget_class,
                                               HOLDALL_APP_PATH "/holdall-error-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, HoldallErrorDialog, details_label);
  gtk_widget_class_bind_template_callback (widget_class, copy_clicked_cb);
}

static void
holdall_error_dialog_init (HoldallErrorDialog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
holdall_error_dialog_present (GtkWindow    *parent,
                              const char   *heading,
                              const GError *error)
{
  HoldallErrorDialog *self;
  g_autofree char *title = NULL;
  g_autofree char *body = NULL;
  g_autofree char *details = NULL;

  if (holdall_error_text_is_silent (error))
    return;

  title = holdall_error_text_title (error);
  body = holdall_error_text_body (error);
  details = holdall_error_text_details (error);

  self = g_object_new (HOLDALL_TYPE_ERROR_DIALOG, "transient-for", parent, NULL);
  /* Without a window behind it this alone keeps the program. */
  if (parent == NULL)
    gtk_window_set_application (GTK_WINDOW (self), GTK_APPLICATION (g_application_get_default ()));
  adw_message_dialog_set_heading (ADW_MESSAGE_DIALOG (self), heading != NULL ? heading : title);
  adw_message_dialog_set_body (ADW_MESSAGE_DIALOG (self), body);
  gtk_label_set_text (self->details_label, details);
  gtk_window_present (GTK_WINDOW (self));
}
