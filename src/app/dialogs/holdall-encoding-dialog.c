/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Nobody knows the name of an encoding, but everybody sees whether the names are right. So the names
 * stand beside the list and follow it, and the archive is read anew only once for the answer. */

#include "config.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "holdall-encoding-dialog.h"
#include "holdall-encoding-list.h"

#define MAX_NAMES 8

struct _HoldallEncodingDialog {
  AdwWindow parent_instance;

  GPtrArray *names;      /* of GBytes, as they are stored */
  char *guessed;         /* (nullable): what the engine took */

  GtkListBox *encoding_list;
  GtkBox *names_box;
  GtkWidget *use_button;
};

#define HOLDALL_TYPE_ENCODING_DIALOG (holdall_encoding_dialog_get_type ())
G_DECLARE_FINAL_TYPE (HoldallEncodingDialog, holdall_encoding_dialog, HOLDALL, ENCODING_DIALOG,
                      AdwWindow)
G_DEFINE_FINAL_TYPE (HoldallEncodingDialog, holdall_encoding_dialog, ADW_TYPE_WINDOW)

/* (nullable): the charset that a row stands for; of the guess only where it is what was used */
static const char *
get_charset (HoldallEncodingDialog *self,
             guint                  index)
{
  guint n_encodings;
  const HoldallEncoding *table = holdall_encoding_table (&n_encodings);

  g_return_val_if_fail (index < n_encodings, NULL);
  return *table[index].charset != '\0' ? table[index].charset : self->guessed;
}

static void
add_name (HoldallEncodingDialog *self,
          const char            *name,
          gboolean               is_dim)
{
  GtkWidget *label = gtk_label_new (name);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  if (is_dim)
    gtk_widget_add_css_class (label, "dim-label");
  gtk_box_append (self->names_box, label);
}

static void
show_names (HoldallEncodingDialog *self,
            const char            *charset)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->names_box))) != NULL)
    gtk_box_remove (self->names_box, child);
  for (guint i = 0; i < self->names->len && charset != NULL; i++)
    {
      g_autofree char *name = holdall_encoding_read (g_ptr_array_index (self->names, i), charset);

      /* Translators: in place of a name that has no meaning in the chosen encoding. */
      add_name (self, name != NULL ? name : _("Cannot be read"), name == NULL);
    }
  if (charset == NULL || self->names->len == 0)
    add_name (self, charset == NULL ? _("As the names suggest") : _("The same in all encodings"),
              TRUE);
}

/* Whether each of the names means something. */
static gboolean
reads_all (HoldallEncodingDialog *self,
           const char            *charset)
{
  for (guint i = 0; i < self->names->len && charset != NULL; i++)
    {
      g_autofree char *name = holdall_encoding_read (g_ptr_array_index (self->names, i), charset);

      if (name == NULL)
        return FALSE;
    }
  return TRUE;
}

static void
row_selected_cb (HoldallEncodingDialog *self,
                 GtkListBoxRow         *row)
{
  /* Newer versions of GTK also tell that the selection goes with the list, the button being gone. */
  if (self->use_button == NULL)
    return;
  gtk_widget_set_sensitive (self->use_button, row != NULL);
  if (row != NULL)
    show_names (self, get_charset (self, (guint) gtk_list_box_row_get_index (row)));
}

static void
use_cb (HoldallEncodingDialog *self)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (self->encoding_list);
  GtkWindow *parent = gtk_window_get_transient_for (GTK_WINDOW (self));
  guint n_encodings;
  const HoldallEncoding *table = holdall_encoding_table (&n_encodings);

  if (row != NULL && parent != NULL)
    g_action_group_change_action_state (
      G_ACTION_GROUP (parent), "encoding",
      g_variant_new_string (table[gtk_list_box_row_get_index (row)].charset));
  gtk_window_close (GTK_WINDOW (self));
}

static void
add_row (HoldallEncodingDialog *self,
         guint                  index)
{
  guint n_encodings;
  const HoldallEncoding *encoding = &holdall_encoding_table (&n_encodings)[index];
  const char *charset = get_charset (self, index);
  g_autofree char *title = NULL;
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *label;

  if (*encoding->charset == '\0' && charset != NULL)
    /* Translators: %s is the name of a character set that was guessed, such as CP866. */
    title = g_strdup_printf (_("Guess: %s"), charset);
  else
    title = g_strdup (_(encoding->title));
  label = gtk_label_new (title);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  /* What fails for some of the names is hardly the one. */
  if (!reads_all (self, charset))
    gtk_widget_add_css_class (label, "dim-label");
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  gtk_list_box_append (self->encoding_list, row);
}

static void
holdall_encoding_dialog_finalize (GObject *object)
{
  HoldallEncodingDialog *self = HOLDALL_ENCODING_DIALOG (object);

  g_clear_pointer (&self->names, g_ptr_array_unref);
  g_clear_pointer (&self->guessed, g_free);

  G_OBJECT_CLASS (holdall_encoding_dialog_parent_class)->finalize (object);
}

static void
holdall_encoding_dialog_class_init (HoldallEncodingDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = holdall_encoding_dialog_finalize;

  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
  gtk_widget_class_set_template_from_resource (widget_class, HOLDALL_APP_PATH
                                               "/holdall-encoding-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, HoldallEncodingDialog, encoding_list);
  gtk_widget_class_bind_template_child (widget_class, HoldallEncodingDialog, names_box);
  gtk_widget_class_bind_template_child (widget_class, HoldallEncodingDialog, use_button);
  gtk_widget_class_bind_template_callback (widget_class, row_selected_cb);
  gtk_widget_class_bind_template_callback (widget_class, use_cb);
}

static void
holdall_encoding_dialog_init (HoldallEncodingDialog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
holdall_encoding_dialog_present (GtkWindow   *parent,
                                 HoldArchive *archive,
                                 const char  *chosen)
{
  HoldallEncodingDialog *self = g_object_new (HOLDALL_TYPE_ENCODING_DIALOG,
                                              "transient-for", parent, NULL);
  guint n_encodings;
  const HoldallEncoding *table = holdall_encoding_table (&n_encodings);
  guint selected = 0;
  GtkListBoxRow *row;

  self->names = holdall_encoding_dup_samples (archive, MAX_NAMES);
  if (chosen == NULL)
    self->guessed = g_strdup (hold_archive_get_encoding (archive));
  for (guint i = 0; i < n_encodings; i++)
    {
      add_row (self, i);
      if (g_strcmp0 (table[i].charset, chosen != NULL ? chosen : "") == 0)
        selected = i;
    }
  row = gtk_list_box_get_row_at_index (self->encoding_list, (int) selected);
  gtk_list_box_select_row (self->encoding_list, row);
  gtk_window_set_focus (GTK_WINDOW (self), GTK_WIDGET (row));
  gtk_window_present (GTK_WINDOW (self));
}
