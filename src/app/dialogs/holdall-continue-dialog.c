/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* "Go on?": the job met an error, a limit or a lack of room and lets the person decide. */

#include "config.h"

#include "holdall-continue-dialog.h"

#include "holdall-error-text.h"

#include <glib/gi18n.h>

struct _HoldallContinueDialog {
  AdwMessageDialog parent_instance;

  HoldQuestion *question;  /* owned */

  GtkLabel *details_label;
  GtkCheckButton *for_all_check;
};

G_DEFINE_FINAL_TYPE (HoldallContinueDialog, holdall_continue_dialog, ADW_TYPE_MESSAGE_DIALOG)

static void
holdall_continue_dialog_response (AdwMessageDialog *dialog,
                                  const char       *response)
{
  HoldallContinueDialog *self = HOLDALL_CONTINUE_DIALOG (dialog);

  if (g_str_equal (response, "continue"))
    hold_question_answer_continue (self->question, TRUE,
                                   gtk_check_button_get_active (self->for_all_check));
  else
    hold_question_cancel (self->question);
}

static void
holdall_continue_dialog_dispose (GObject *object)
{
  HoldallContinueDialog *self = HOLDALL_CONTINUE_DIALOG (object);

  if (self->question != NULL)
    hold_question_cancel (self->question);
  g_clear_object (&self->question);

  G_OBJECT_CLASS (holdall_continue_dialog_parent_class)->dispose (object);
}

static void
holdall_continue_dialog_class_init (HoldallContinueDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = holdall_continue_dialog_dispose;
  ADW_MESSAGE_DIALOG_CLASS (klass)->response = holdall_continue_dialog_response;

  gtk_widget_class_set_template_from_resource (widget_class,
                                               HOLDALL_APP_PATH "/holdall-continue-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, HoldallContinueDialog, details_label);
  gtk_widget_class_bind_template_child (widget_class, HoldallContinueDialog, for_all_check);
}

static void
holdall_continue_dialog_init (HoldallContinueDialog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWindow *
holdall_continue_dialog_new (HoldQuestion *question)
{
  HoldallContinueDialog *self = g_object_new (HOLDALL_TYPE_CONTINUE_DIALOG, NULL);
  const GError *error = hold_question_get_error (question);
  g_autofree char *title = holdall_error_text_title (error);
  g_autofree char *details = holdall_error_text_details (error);

  self->question = g_object_ref (question);
  adw_message_dialog_set_heading (ADW_MESSAGE_DIALOG (self), title);
  adw_message_dialog_set_body (ADW_MESSAGE_DIALOG (self),
                               _("Do you want to go on all the same? If you stop, what is "
                                 "complete stays and nothing half-written is left."));
  gtk_label_set_text (self->details_label, details);
  return GTK_WINDOW (self);
}
