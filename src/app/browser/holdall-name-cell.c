/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* One class for both views, so that a sign that one of them shows is never missing in the other. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-accessible.h"
#include "holdall-clipboard.h"
#include "holdall-column.h"
#include "holdall-name-cell.h"
#include "holdall-name-editor.h"

/* A name up to this length is seen whole in a tile and needs no tooltip. */
#define FITS_CHARS 24

struct _HoldallNameCell {
  GtkWidget parent_instance;

  HoldallEntryItem *item;
  gboolean is_tile;
  GtkWidget *editor;   /* (nullable) borrowed: in place of the label while it is renamed */

  GtkImage *icon;
  GtkLabel *label;
  GtkImage *lock_sign;
  GtkImage *warning_sign;
};

G_DEFINE_FINAL_TYPE (HoldallNameCell, holdall_name_cell, GTK_TYPE_WIDGET)

static void
holdall_name_cell_dispose (GObject *object)
{
  HoldallNameCell *self = HOLDALL_NAME_CELL (object);
  GtkWidget *child;

  g_clear_object (&self->item);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);

  G_OBJECT_CLASS (holdall_name_cell_parent_class)->dispose (object);
}

static void
holdall_name_cell_class_init (HoldallNameCellClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = holdall_name_cell_dispose;

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "entry-name");
  gtk_widget_class_set_template_from_resource (widget_class, HOLDALL_APP_PATH
                                               "/holdall-name-cell.ui");
  gtk_widget_class_bind_template_child (widget_class, HoldallNameCell, icon);
  gtk_widget_class_bind_template_child (widget_class, HoldallNameCell, label);
  gtk_widget_class_bind_template_child (widget_class, HoldallNameCell, lock_sign);
  gtk_widget_class_bind_template_child (widget_class, HoldallNameCell, warning_sign);
}

static void
holdall_name_cell_init (HoldallNameCell *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

static void
become_tile (HoldallNameCell *self)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));

  self->is_tile = TRUE;
  gtk_widget_add_css_class (GTK_WIDGET (self), "tile");
  gtk_orientable_set_orientation (GTK_ORIENTABLE (layout), GTK_ORIENTATION_VERTICAL);
  gtk_box_layout_set_spacing (GTK_BOX_LAYOUT (layout), 6);
  gtk_image_set_pixel_size (self->icon, 64);
  gtk_label_set_xalign (self->label, 0.5);
  gtk_label_set_justify (self->label, GTK_JUSTIFY_CENTER);
  gtk_label_set_wrap (self->label, TRUE);
  gtk_label_set_wrap_mode (self->label, PANGO_WRAP_WORD_CHAR);
  gtk_label_set_lines (self->label, 2);
  gtk_label_set_width_chars (self->label, 13);
  gtk_label_set_max_width_chars (self->label, 13);
  gtk_widget_set_hexpand (GTK_WIDGET (self->label), FALSE);
}

GtkWidget *
holdall_name_cell_new (gboolean is_tile)
{
  HoldallNameCell *self = g_object_new (HOLDALL_TYPE_NAME_CELL, NULL);

  if (is_tile)
    {
      become_tile (self);
    }
  else
    {
      GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));

      gtk_box_layout_set_spacing (GTK_BOX_LAYOUT (layout), 8);
      gtk_label_set_width_chars (self->label, 16);
    }
  return GTK_WIDGET (self);
}

/* A screen reader hears the signs in words. The focus is on the row, so the row says in one breath
 * what its cells show. */
static void
update_accessible (HoldallNameCell *self,
                   const char      *name,
                   const char      *warning)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GString) row = g_string_new (name);
  g_autofree char *size = holdall_column_get (HOLDALL_COLUMN_SIZE)->dup_text (self->item);
  const HoldEntry *entry = holdall_entry_item_get_entry (self->item);

  g_string_append (text, holdall_entry_item_get_type_info (self->item)->description);
  if (entry != NULL && hold_entry_is_encrypted (entry))
    g_string_append_printf (text, ", %s", _("Encrypted"));
  if (warning != NULL)
    g_string_append_printf (text, ". %s", warning);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text->str,
                                  -1);
  g_string_append_printf (row, ", %s", text->str);
  if (*size != '\0')
    g_string_append_printf (row, ", %s", size);
  holdall_accessible_label_row (GTK_WIDGET (self), row->str);
}

static void
end_rename (HoldallNameCell *self)
{
  GtkWidget *editor = g_steal_pointer (&self->editor);

  if (editor == NULL)
    return;
  gtk_widget_set_visible (GTK_WIDGET (self->label), TRUE);
  gtk_widget_unparent (editor);
}

static void
renamed_cb (HoldallNameCell *self,
            const char      *name)
{
  g_autofree char *path = holdall_entry_item_dup_path (self->item);
  GtkWidget *row = gtk_widget_get_parent (GTK_WIDGET (self));

  /* Before the editor goes, so that the focus stays in the list. */
  if (gtk_widget_get_parent (row) != NULL && !GTK_IS_LIST_VIEW (gtk_widget_get_parent (row)))
    row = gtk_widget_get_parent (row);
  gtk_widget_grab_focus (row);
  end_rename (self);
  if (name != NULL)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.rename-to", "(ss)", path, name);
}

void
holdall_name_cell_start_rename (HoldallNameCell *self)
{
  g_return_if_fail (HOLDALL_IS_NAME_CELL (self));

  if (self->item == NULL || self->editor != NULL)
    return;
  self->editor = holdall_name_editor_new (holdall_entry_item_get_archive (self->item),
                                          holdall_entry_item_get_node (self->item));
  g_signal_connect_object (self->editor, "done", G_CALLBACK (renamed_cb), self, G_CONNECT_SWAPPED);
  gtk_widget_insert_after (self->editor, GTK_WIDGET (self), GTK_WIDGET (self->label));
  gtk_widget_set_hexpand (self->editor, !self->is_tile);
  if (self->is_tile)
    holdall_name_editor_set_centred (HOLDALL_NAME_EDITOR (self->editor));
  gtk_widget_set_visible (GTK_WIDGET (self->label), FALSE);
  holdall_name_editor_start (HOLDALL_NAME_EDITOR (self->editor));
}

void
holdall_name_cell_update_cut (HoldallNameCell *self)
{
  gboolean is_cut;

  g_return_if_fail (HOLDALL_IS_NAME_CELL (self));

  is_cut = self->item != NULL &&
           holdall_clip_is_cut (holdall_entry_item_get_archive (self->item),
                                holdall_entry_item_get_node (self->item));
  if (is_cut)
    gtk_widget_add_css_class (GTK_WIDGET (self), "cut");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "cut");
}

void
holdall_name_cell_set_item (HoldallNameCell  *self,
                            HoldallEntryItem *item)
{
  g_autofree char *name = NULL;
  g_autofree char *warning = NULL;
  const HoldEntry *entry;

  g_return_if_fail (HOLDALL_IS_NAME_CELL (self));

  if (!g_set_object (&self->item, item))
    return;
  end_rename (self);
  if (item == NULL)
    return;
  holdall_name_cell_update_cut (self);

  name = holdall_entry_item_dup_display_name (item);
  warning = holdall_entry_item_dup_warning (item);
  entry = holdall_entry_item_get_entry (item);
  gtk_label_set_label (self->label, name);
  gtk_image_set_from_gicon (self->icon, holdall_entry_item_get_type_info (item)->icon);
  gtk_widget_set_visible (GTK_WIDGET (self->lock_sign),
                          entry != NULL && hold_entry_is_encrypted (entry));
  gtk_widget_set_visible (GTK_WIDGET (self->warning_sign), warning != NULL);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->warning_sign), warning);
  if (self->is_tile)
    gtk_widget_set_tooltip_text (GTK_WIDGET (self),
                                 g_utf8_strlen (name, -1) > FITS_CHARS ? name : NULL);
  update_accessible (self, name, warning);
}

HoldallEntryItem *
holdall_name_cell_get_item (HoldallNameCell *self)
{
  g_return_val_if_fail (HOLDALL_IS_NAME_CELL (self), NULL);

  return self->item;
}
