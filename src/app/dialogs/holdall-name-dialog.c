/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The button is grey as long as the name can't be used, and the line below says why. */

#include "config.h"

#include "holdall-name-check.h"
#include "holdall-name-dialog.h"

struct _HoldallNameDialog {
  AdwMessageDialog parent_instance;

  HoldArchive *archive;
  char *folder;

  GtkEntry *entry;
  GtkLabel *wrong_label;
};

G_DEFINE_FINAL_TYPE (HoldallNameDialog, holdall_name_dialog, ADW_TYPE_MESSAGE_DIALOG)

enum { NAMED, N_SIGNALS };

static guint signals[N_SIGNALS];

static void
changed_cb (HoldallNameDialog *self)
{
  g_autofree char *wrong = holdall_name_check (hold_archive_get_tree (self->archive), self->folder,
                                               gtk_editable_get_text (GTK_EDITABLE (self->entry)),
                                               NULL);

  /* A blank keeps the room, so that the dialog does not jump. */
  gtk_label_set_label (self->wrong_label, wrong != NULL && *wrong != '\0' ? wrong : " ");
  adw_message_dialog_set_response_enabled (ADW_MESSAGE_DIALOG (self), "create", wrong == NULL);
}

static void
holdall_name_dialog_response (AdwMessageDialog *dialog,
                              const char       *response)
{
  HoldallNameDialog *self = HOLDALL_NAME_DIALOG (dialog);

  if (g_str_equal (response, "create"))
    g_signal_emit (self, signals[NAMED], 0, gtk_editable_get_text (GTK_EDITABLE (self->entry)));
}

static void
holdall_name_dialog_finalize (GObject *object)
{
  HoldallNameDialog *self = HOLDALL_NAME_DIALOG (object);

  g_clear_object (&self->archive);
  g_free (self->folder);

  G_OBJECT_CLASS (holdall_name_dialog_parent_class)->finalize (object);
}

static void
holdall_name_dialog_class_init (HoldallNameDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = holdall_name_dialog_finalize;
  ADW_MESSAGE_DIALOG_CLASS (klass)->response = holdall_name_dialog_response;

  signals[NAMED] = g_signal_new ("named", HOLDALL_TYPE_NAME_DIALOG, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 1, G_TYPE_STRING);

  gtk_widget_class_set_template_from_resource (widget_class, HOLDALL_APP_PATH
                                               "/holdall-name-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, HoldallNameDialog, entry);
  gtk_widget_class_bind_template_child (widget_class, HoldallNameDialog, wrong_label);
}

static void
holdall_name_dialog_init (HoldallNameDialog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_swapped (self->entry, "changed", G_CALLBACK (changed_cb), self);
}

HoldallNameDialog *
holdall_name_dialog_new (GtkWindow   *parent,
                         HoldArchive *archive,
                         const char  *folder,
                         const char  *proposal)
{
  HoldallNameDialog *self = g_object_new (HOLDALL_TYPE_NAME_DIALOG, "transient-for", parent, NULL);
  g_autofree char *path = holdall_name_join (folder, proposal);
  g_autofree char *free_path =
    holdall_name_make_free (hold_archive_get_tree (archive), NULL, path, TRUE);

  self->archive = g_object_ref (archive);
  self->folder = g_strdup (folder);
  gtk_editable_set_text (GTK_EDITABLE (self->entry), hold_path_peek_basename (free_path));
  gtk_editable_select_region (GTK_EDITABLE (self->entry), 0, -1);
  gtk_widget_grab_focus (GTK_WIDGET (self->entry));
  changed_cb (self);
  return self;
}
