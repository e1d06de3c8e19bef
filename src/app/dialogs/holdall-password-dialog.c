/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The password dialog. It says when the last try was wrong (P07), takes no empty password (P08),
 * and cancelling it stops the job without an error (P09). */

#include "config.h"

#include "holdall-password-dialog.h"

#include "holdall-format-text.h"

#include <glib/gi18n.h>

struct _HoldallPasswordDialog {
  AdwMessageDialog parent_instance;

  HoldQuestion *question;  /* owned */

  AdwPasswordEntryRow *password_row;
  GtkLabel *wrong_label;
};

G_DEFINE_FINAL_TYPE (HoldallPasswordDialog, holdall_password_dialog, ADW_TYPE_MESSAGE_DIALOG)

static void
password_changed_cb (HoldallPasswordDialog *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->password_row));

  adw_message_dialog_set_response_enabled (ADW_MESSAGE_DIALOG (self), "unlock", *text != '\0');
  gtk_widget_remove_css_class (GTK_WIDGET (self->password_row), "error");
}

static void
holdall_password_dialog_response (AdwMessageDialog *dialog,
                                  const char       *response)
{
  HoldallPasswordDialog *self = HOLDALL_PASSWORD_DIALOG (dialog);
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->password_row));

  if (g_str_equal (response, "unlock") && *text != '\0')
    {
      g_autoptr (HoldSecret) secret = hold_secret_new (text);

      hold_question_answer_password (self->question, secret);
    }
  else
    {
      hold_question_cancel (self->question);
    }
  gtk_editable_set_text (GTK_EDITABLE (self->password_row), "");
}

static void
holdall_password_dialog_dispose (GObject *object)
{
  HoldallPasswordDialog *self = HOLDALL_PASSWORD_DIALOG (object);

  /* Answering twice does nothing; not answering at all would leave a job waiting. */
  if (self->question != NULL)
    hold_question_cancel (self->question);
  g_clear_object (&self->question);

  G_OBJECT_CLASS (holdall_password_dialog_parent_class)->dispose (object);
}

static void
holdall_password_dialog_class_init (HoldallPasswordDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = holdall_password_dialog_dispose;
  ADW_MESSAGE_DIALOG_CLASS (klass)->response = holdall_password_dialog_response;

  gtk_widget_class_set_template_from_resource (widget_class,
                                               HOLDALL_APP_PATH "/holdall-password-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, HoldallPasswordDialog, password_row);
  gtk_widget_class_bind_template_child (widget_class, HoldallPasswordDialog, wrong_label);
  gtk_widget_class_bind_template_callback (widget_class, password_changed_cb);
}

static void
holdall_password_dialog_init (HoldallPasswordDialog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

static void
show_question (HoldallPasswordDialog *self)
{
  g_autofree char *archive = holdall_format_basename (hold_question_get_archive_path (self->question));
  const char *entry_path = hold_question_get_entry_path (self->question);
  g_autofree char *body = NULL;

  if (hold_question_is_for_adding (self->question))
    {
      body = g_strdup_printf (_("“%s” is encrypted, and what is added to it will be, too."), archive);
    }
  else if (entry_path != NULL)
    {
      g_autofree char *entry = holdall_format_path (entry_path);

      /* Translators: first an entry of an archive, then the archive */
      body = g_strdup_printf (_("“%s” in “%s” is encrypted."), entry, archive);
    }
  else
    {
      body = g_strdup_printf (_("The list of “%s” is encrypted."), archive);
    }
  adw_message_dialog_set_body (ADW_MESSAGE_DIALOG (self), body);

  if (hold_question_was_wrong (self->question))
    {
      adw_message_dialog_set_heading (ADW_MESSAGE_DIALOG (self), _("Wrong Password"));
      gtk_widget_set_visible (GTK_WIDGET (self->wrong_label), TRUE);
      gtk_widget_add_css_class (GTK_WIDGET (self->password_row), "error");
    }
}

GtkWindow *
holdall_password_dialog_new (HoldQuestion *question)
{
  HoldallPasswordDialog *self = g_object_new (HOLDALL_TYPE_PASSWORD_DIALOG, NULL);

  self->question = g_object_ref (question);
  show_question (self);
  gtk_window_set_focus (GTK_WINDOW (self), GTK_WIDGET (self->password_row));
  return GTK_WINDOW (self);
}
