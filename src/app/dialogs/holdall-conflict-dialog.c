/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The conflict dialog: both files side by side, and one answer for this one or for all (X02, X03).
 * The safe answer, to keep both, is the default. */

#include "config.h"

#include "holdall-conflict-dialog.h"

#include "holdall-format-text.h"
#include "holdall-preview-load.h"
#include "holdall-type-info.h"

#include <glib/gi18n.h>

/* Of a picture, which tells more than an icon. */
#define PICTURE_SIZE 128

struct _HoldallConflictDialog {
  AdwMessageDialog parent_instance;

  HoldQuestion *question;     /* owned */
  gboolean into_archive;      /* the archive is on the existing side */
  GCancellable *cancellable;  /* owned: reading the pictures */

  GtkImage *existing_image;
  GtkLabel *existing_newer_label;
  GtkLabel *existing_size_label;
  GtkLabel *existing_time_label;
  GtkLabel *existing_title_label;
  GtkCheckButton *for_all_check;
  GtkImage *incoming_image;
  GtkLabel *incoming_newer_label;
  GtkLabel *incoming_size_label;
  GtkLabel *incoming_time_label;
  GtkLabel *incoming_title_label;
  GtkCheckButton *newer_check;
};

G_DEFINE_FINAL_TYPE (HoldallConflictDialog, holdall_conflict_dialog, ADW_TYPE_MESSAGE_DIALOG)

static void
holdall_conflict_dialog_response (AdwMessageDialog *dialog,
                                  const char       *response)
{
  HoldallConflictDialog *self = HOLDALL_CONFLICT_DIALOG (dialog);
  gboolean for_all = gtk_check_button_get_active (self->for_all_check);
  gboolean newer = gtk_check_button_get_active (self->newer_check);

  if (g_str_equal (response, "skip"))
    hold_question_answer_conflict (self->question, HOLD_CONFLICT_SKIP, for_all);
  else if (g_str_equal (response, "rename"))
    hold_question_answer_conflict (self->question, HOLD_CONFLICT_RENAME, for_all);
  else if (g_str_equal (response, "replace"))
    hold_question_answer_conflict (self->question,
                                   newer ? HOLD_CONFLICT_NEWER : HOLD_CONFLICT_OVERWRITE, for_all);
  else
    hold_question_cancel (self->question);
}

static void
holdall_conflict_dialog_dispose (GObject *object)
{
  HoldallConflictDialog *self = HOLDALL_CONFLICT_DIALOG (object);

  if (self->question != NULL)
    hold_question_cancel (self->question);
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->question);

  G_OBJECT_CLASS (holdall_conflict_dialog_parent_class)->dispose (object);
}

/* The first thing that can have the focus is a check button, and Return would tick that instead of
 * answering. */
static void
holdall_conflict_dialog_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (holdall_conflict_dialog_parent_class)->map (widget);

  gtk_window_set_focus (GTK_WINDOW (widget), gtk_window_get_default_widget (GTK_WINDOW (widget)));
}

static void
holdall_conflict_dialog_class_init (HoldallConflictDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = holdall_conflict_dialog_dispose;
  widget_class->map = holdall_conflict_dialog_map;
  ADW_MESSAGE_DIALOG_CLASS (klass)->response = holdall_conflict_dialog_response;

  gtk_widget_class_set_template_from_resource (widget_class,
                                               HOLDALL_APP_PATH "/holdall-conflict-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, HoldallConflictDialog, existing_image);
  gtk_widget_class_bind_template_child (widget_class, HoldallConflictDialog, existing_newer_label);
  gtk_widget_class_bind_template_child (widget_class, HoldallConflictDialog, existing_size_label);
  gtk_widget_class_bind_template_child (widget_class, HoldallConflictDialog, existing_time_label);
  gtk_widget_class_bind_template_child (widget_class, HoldallConflictDialog, existing_title_label);
  gtk_widget_class_bind_template_child (widget_class, HoldallConflictDialog, for_all_check);
  gtk_widget_class_bind_template_child (widget_class, HoldallConflictDialog, incoming_image);
  gtk_widget_class_bind_template_child (widget_class, HoldallConflictDialog, incoming_newer_label);
  gtk_widget_class_bind_template_child (widget_class, HoldallConflictDialog, incoming_size_label);
  gtk_widget_class_bind_template_child (widget_class, HoldallConflictDialog, incoming_time_label);
  gtk_widget_class_bind_template_child (widget_class, HoldallConflictDialog, incoming_title_label);
  gtk_widget_class_bind_template_child (widget_class, HoldallConflictDialog, newer_check);
}

static void
holdall_conflict_dialog_init (HoldallConflictDialog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->cancellable = g_cancellable_new ();
}

static void
show_side (const HoldConflictSide *side,
           GtkImage               *image,
           GtkLabel               *size_label,
           GtkLabel               *time_label)
{
  g_autofree char *name = g_path_get_basename (side->path);
  g_autofree char *size = side->has_size ? holdall_format_size (side->size_bytes) : NULL;
  g_autofree char *time = side->has_mtime ? holdall_format_time_long (side->mtime) : NULL;

  if (side->is_folder)
    {
      gtk_image_set_from_icon_name (image, "folder");
      gtk_label_set_text (size_label, _("Folder"));
    }
  else
    {
      gtk_image_set_from_gicon (image, holdall_type_info_for_name (name)->icon);
      gtk_label_set_text (size_label, size != NULL ? size : _("Unknown size"));
    }
  gtk_label_set_text (time_label, time != NULL ? time : _("Unknown time"));
  /* Nobody asks how old a folder is before it is merged. */
  gtk_widget_set_visible (GTK_WIDGET (time_label), time != NULL || !side->is_folder);
}

/* Where a picture that is being read is to go. */
typedef struct {
  HoldallConflictDialog *self;
  GtkImage *image;
} Look;

/* A picture is a help and no more: without one the icon stays. */
static void
picture_cb (GObject      *source,
            GAsyncResult *result,
            gpointer      user_data)
{
  g_autofree Look *look = user_data;
  g_autoptr (HoldallConflictDialog) self = look->self;
  g_autoptr (HoldallPreviewContent) content = holdall_preview_load_finish (result, NULL);

  if (content == NULL || content->texture == NULL || self->question == NULL)
    return;
  gtk_image_set_from_paintable (look->image, GDK_PAINTABLE (content->texture));
  gtk_image_set_pixel_size (look->image, PICTURE_SIZE);
}

static Look *
look_new (HoldallConflictDialog *self,
          GtkImage              *image)
{
  Look *look = g_new (Look, 1);

  look->self = g_object_ref (self);
  look->image = image;
  return look;
}

/* The desktop's small picture of a film or a document, or the picture that the file itself is. */
static void
thumbnail_cb (GObject      *source,
              GAsyncResult *result,
              gpointer      user_data)
{
  Look *look = user_data;
  g_autoptr (GFileInfo) info = g_file_query_info_finish (G_FILE (source), result, NULL);
  const char *path = g_file_peek_path (G_FILE (source));

  if (info != NULL && g_file_info_get_attribute_boolean (info, G_FILE_ATTRIBUTE_THUMBNAIL_IS_VALID))
    path = g_file_info_get_attribute_byte_string (info, G_FILE_ATTRIBUTE_THUMBNAIL_PATH);
  holdall_preview_load_file_async (path, look->self->cancellable, picture_cb, look);
}

/* Of the file on the disk; the other side need not be one (from one archive to another). */
static void
show_file (HoldallConflictDialog  *self,
           const HoldConflictSide *side,
           GtkImage               *image)
{
  g_autoptr (GFile) file = g_file_new_for_path (side->path);

  if (!side->is_folder && g_path_is_absolute (side->path))
    g_file_query_info_async (file, "thumbnail::*", G_FILE_QUERY_INFO_NOFOLLOW_SYMLINKS,
                             G_PRIORITY_LOW, self->cancellable, thumbnail_cb,
                             look_new (self, image));
}

/* No password is asked for a picture: of what is encrypted the icon has to do. */
static void
show_entry (HoldallConflictDialog  *self,
            HoldArchive            *archive,
            const HoldConflictSide *side,
            GtkImage               *image)
{
  HoldNode *node = archive != NULL ? hold_tree_lookup (hold_archive_get_tree (archive), side->path)
                                   : NULL;
  g_autoptr (HoldKeyring) keyring = hold_keyring_new ();

  if (node != NULL && holdall_preview_can_load (archive, node, keyring))
    holdall_preview_load_async (archive, node, keyring, self->cancellable, picture_cb,
                                look_new (self, image));
}

/* Who has something of this name already, a sentence's beginning. (transfer full) */
static char *
describe_holder (const HoldConflictSide *existing)
{
  g_autofree char *parent_path = g_path_get_dirname (existing->path);
  g_autofree char *parent = holdall_format_basename (parent_path);

  if (g_str_equal (parent_path, "."))
    /* Translators: the subject of "… already holds a file of this name." */
    return g_strdup (_("The archive"));
  /* Translators: a folder, the subject of "… already holds a file of this name." */
  return g_strdup_printf (_("“%s”"), parent);
}

static char *
describe_kinds (HoldallConflictDialog  *self,
                const HoldConflictSide *existing,
                const char             *holder)
{
  if (self->into_archive)
    return existing->is_folder
         ? g_strdup_printf (_("%s already holds a folder where a file is to be added."), holder)
         : g_strdup_printf (_("%s already holds a file where a folder is to be added."), holder);
  return existing->is_folder
       ? g_strdup_printf (_("%s already holds a folder where the archive has a file."), holder)
       : g_strdup_printf (_("%s already holds a file where the archive has a folder."), holder);
}

static void
show_words (HoldallConflictDialog  *self,
            const HoldConflictSide *existing,
            const HoldConflictSide *incoming)
{
  g_autofree char *name = holdall_format_basename (incoming->path);
  g_autofree char *holder = describe_holder (existing);
  g_autofree char *heading = NULL;
  g_autofree char *body = NULL;

  if (existing->is_folder && incoming->is_folder)
    {
      heading = g_strdup_printf (_("Merge Folder “%s”?"), name);
      body = g_strdup_printf (_("%s already holds a folder of this name. Merging asks again "
                                "before it replaces any file."), holder);
      adw_message_dialog_set_response_label (ADW_MESSAGE_DIALOG (self), "replace", _("_Merge"));
      adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (self), "replace",
                                                  ADW_RESPONSE_DEFAULT);
      /* Merging two folders says nothing about others, nor about the files in them. */
      gtk_widget_set_visible (GTK_WIDGET (self->for_all_check), FALSE);
    }
  else if (existing->is_folder != incoming->is_folder)
    {
      heading = g_strdup_printf (_("“%s” Is in the Way"), name);
      body = describe_kinds (self, existing, holder);
      /* Neither is thrown away for the other: a folder may hold anything, and one file may be all
       * that somebody has. */
      adw_message_dialog_set_response_enabled (ADW_MESSAGE_DIALOG (self), "replace", FALSE);
    }
  else
    {
      heading = g_strdup_printf (_("Replace “%s”?"), name);
      body = g_strdup_printf (_("%s already holds a file of this name."), holder);
    }
  adw_message_dialog_set_heading (ADW_MESSAGE_DIALOG (self), heading);
  adw_message_dialog_set_body (ADW_MESSAGE_DIALOG (self), body);
}

/* Grey without a word would be a riddle. */
static void
forbid_newer (HoldallConflictDialog *self)
{
  const char *why = _("The time of one of the two is not known");

  gtk_widget_set_sensitive (GTK_WIDGET (self->newer_check), FALSE);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->newer_check), why);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->newer_check),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, why, -1);
}

GtkWindow *
holdall_conflict_dialog_new (HoldQuestion *question,
                             HoldArchive  *archive,
                             gboolean      into_archive)
{
  HoldallConflictDialog *self = g_object_new (HOLDALL_TYPE_CONFLICT_DIALOG, NULL);
  const HoldConflictSide *existing = hold_question_get_existing (question);
  const HoldConflictSide *incoming = hold_question_get_incoming (question);
  gboolean comparable = existing->has_mtime && incoming->has_mtime;

  self->question = g_object_ref (question);
  self->into_archive = into_archive;
  if (into_archive)
    {
      gtk_label_set_label (self->existing_title_label, _("In the archive"));
      gtk_label_set_label (self->incoming_title_label, _("To be added"));
      gtk_check_button_set_label (self->newer_check, _("Replace only what is _older"));
    }
  show_words (self, existing, incoming);
  show_side (existing, self->existing_image, self->existing_size_label, self->existing_time_label);
  show_side (incoming, self->incoming_image, self->incoming_size_label, self->incoming_time_label);
  show_file (self, into_archive ? incoming : existing,
             into_archive ? self->incoming_image : self->existing_image);
  show_entry (self, archive, into_archive ? existing : incoming,
              into_archive ? self->existing_image : self->incoming_image);

  gtk_widget_set_visible (GTK_WIDGET (self->newer_check),
                          !existing->is_folder && !incoming->is_folder);
  if (!comparable)
    forbid_newer (self);
  if (comparable && existing->mtime != incoming->mtime)
    gtk_widget_set_opacity (GTK_WIDGET (existing->mtime > incoming->mtime
                                        ? self->existing_newer_label
                                        : self->incoming_newer_label), 1);
  return GTK_WINDOW (self);
}
