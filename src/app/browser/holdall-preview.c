/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Waits a moment before it reads, so that running through a list with the arrow keys reads nothing
 * in vain. */

#include "config.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "holdall-column.h"
#include "holdall-entry-item.h"
#include "holdall-format-text.h"
#include "holdall-preview-load.h"
#include "holdall-preview.h"

#define LOAD_DELAY_MS 120
#define MAX_BARS 8

struct _HoldallPreview {
  GtkWidget parent_instance;

  HoldArchive *archive;        /* (nullable) */
  HoldNode *node;
  HoldKeyring *keyring;        /* (nullable) */
  GCancellable *cancellable;   /* (nullable): while something is read */
  guint delay;                 /* source id */

  GtkStack *content_stack;
  GtkGrid *grid;
  GtkImage *icon;
  GtkLabel *name_label;
  GtkPicture *picture;
  GtkScrolledWindow *scroller;
  GtkWidget *space_box;
  GtkBox *space_list;
  GtkTextView *text_view;
  GtkLabel *type_label;
};

G_DEFINE_FINAL_TYPE (HoldallPreview, holdall_preview, GTK_TYPE_WIDGET)

static void
stop_loading (HoldallPreview *self)
{
  g_clear_handle_id (&self->delay, g_source_remove);
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
}

static void
loaded_cb (GObject      *source,
           GAsyncResult *result,
           gpointer      user_data)
{
  g_autoptr (HoldallPreview) self = user_data;
  g_autoptr (HoldallPreviewContent) content = holdall_preview_load_finish (result, NULL);

  if (g_task_get_cancellable (G_TASK (result)) != self->cancellable)
    return;
  g_clear_object (&self->cancellable);
  if (content == NULL)
    return;
  if (content->texture != NULL)
    {
      gtk_picture_set_paintable (self->picture, GDK_PAINTABLE (content->texture));
      gtk_stack_set_visible_child_name (self->content_stack, "picture");
    }
  else if (content->text != NULL)
    {
      gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->text_view), content->text, -1);
      gtk_stack_set_visible_child_name (self->content_stack, "text");
    }
}

static gboolean
load_now_cb (gpointer user_data)
{
  HoldallPreview *self = user_data;

  self->delay = 0;
  self->cancellable = g_cancellable_new ();
  holdall_preview_load_async (self->archive, self->node, self->keyring, self->cancellable,
                              loaded_cb, g_object_ref (self));
  return G_SOURCE_REMOVE;
}

static void
start_loading (HoldallPreview *self)
{
  stop_loading (self);
  if (self->archive != NULL && self->node != NULL && gtk_widget_get_mapped (GTK_WIDGET (self)) &&
      holdall_preview_can_load (self->archive, self->node, self->keyring))
    self->delay = g_timeout_add (LOAD_DELAY_MS, load_now_cb, self);
}

static void
add_line (HoldallPreview *self,
          int             line,
          const char     *label,
          const char     *value)
{
  GtkWidget *label_widget = gtk_label_new (label);
  GtkWidget *value_widget = gtk_label_new (value);

  gtk_label_set_xalign (GTK_LABEL (label_widget), 1);
  gtk_widget_set_valign (label_widget, GTK_ALIGN_START);
  gtk_widget_add_css_class (label_widget, "dim-label");
  gtk_label_set_xalign (GTK_LABEL (value_widget), 0);
  gtk_label_set_wrap (GTK_LABEL (value_widget), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (value_widget), PANGO_WRAP_WORD_CHAR);
  gtk_widget_set_hexpand (value_widget, TRUE);
  gtk_widget_add_css_class (value_widget, "numeric");
  gtk_accessible_update_relation (GTK_ACCESSIBLE (value_widget),
                                  GTK_ACCESSIBLE_RELATION_LABELLED_BY, label_widget, NULL, -1);
  gtk_grid_attach (self->grid, label_widget, 0, line, 1, 1);
  gtk_grid_attach (self->grid, value_widget, 1, line, 1, 1);
}

static void
clear_lines (HoldallPreview *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->grid))) != NULL)
    gtk_grid_remove (self->grid, child);
}

static void
fill_lines (HoldallPreview   *self,
            HoldallEntryItem *item)
{
  static const HoldallColumnId shown[] = {
    HOLDALL_COLUMN_SIZE, HOLDALL_COLUMN_PACKED, HOLDALL_COLUMN_RATIO, HOLDALL_COLUMN_MODIFIED,
    HOLDALL_COLUMN_METHOD, HOLDALL_COLUMN_MODE, HOLDALL_COLUMN_COMMENT,
  };
  const HoldEntry *entry = hold_node_get_entry (self->node);
  const char *target = entry != NULL ? hold_entry_get_link_target (entry) : NULL;
  int line = 0;

  clear_lines (self);
  if (hold_node_is_folder (self->node))
    {
      g_autofree char *items = holdall_format_items (hold_node_get_n_below (self->node));

      add_line (self, line++, _("Contains"), items);
    }
  for (guint i = 0; i < G_N_ELEMENTS (shown); i++)
    {
      const HoldallColumn *column = holdall_column_get (shown[i]);
      g_autofree char *text = column->dup_text (item);

      /* A folder is not compressed, whatever its record says. */
      if (shown[i] == HOLDALL_COLUMN_METHOD && hold_node_is_folder (self->node))
        continue;
      if (*text != '\0')
        add_line (self, line++, _(column->title), text);
    }
  if (target != NULL)
    {
      g_autofree char *text = hold_path_escape_for_display (target);

      add_line (self, line++, _("Target"), text);
    }
}

static void
add_bar (HoldallPreview *self,
         const char     *name,
         guint64         size_bytes,
         guint64         total_bytes)
{
  g_autofree char *size = holdall_format_size (size_bytes);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *name_label = gtk_label_new (name);
  GtkWidget *size_label = gtk_label_new (size);
  GtkWidget *bar = gtk_progress_bar_new ();

  gtk_label_set_xalign (GTK_LABEL (name_label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (name_label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_hexpand (name_label, TRUE);
  gtk_widget_add_css_class (size_label, "dim-label");
  gtk_widget_add_css_class (size_label, "numeric");
  gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (bar), (double) size_bytes / (double) total_bytes);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (bar), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                  name_label, size_label, NULL, -1);
  gtk_box_append (GTK_BOX (line), name_label);
  gtk_box_append (GTK_BOX (line), size_label);
  gtk_box_append (GTK_BOX (box), line);
  gtk_box_append (GTK_BOX (box), bar);
  gtk_box_append (self->space_list, box);
}

static int
compare_sizes (gconstpointer a,
               gconstpointer b)
{
  guint64 size_a = hold_node_get_size (*(HoldNode * const *) a);
  guint64 size_b = hold_node_get_size (*(HoldNode * const *) b);

  return size_a < size_b ? 1 : size_a > size_b ? -1 : 0;
}

/* Keeps the largest few while it looks at each child once: a folder may have any number of them. */
static void
fill_space (HoldallPreview *self)
{
  g_autoptr (GPtrArray) largest = g_ptr_array_new ();
  guint64 total_bytes = hold_node_get_size (self->node);
  guint64 shown_bytes = 0;
  guint n_children = hold_node_get_n_children (self->node);
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->space_list))) != NULL)
    gtk_box_remove (self->space_list, child);
  gtk_widget_set_visible (self->space_box, total_bytes > 0 && n_children > 1);
  if (total_bytes == 0 || n_children <= 1)
    return;

  for (guint i = 0; i < n_children; i++)
    {
      g_ptr_array_add (largest, hold_node_get_child (self->node, i));
      if (largest->len >= 4 * MAX_BARS)
        {
          g_ptr_array_sort (largest, compare_sizes);
          g_ptr_array_set_size (largest, MAX_BARS);
        }
    }
  g_ptr_array_sort (largest, compare_sizes);
  for (guint i = 0; i < MIN (largest->len, MAX_BARS); i++)
    {
      HoldNode *node = g_ptr_array_index (largest, i);
      g_autofree char *name = hold_path_escape_for_display (hold_node_get_name (node));

      if (hold_node_get_size (node) == 0)
        break;
      add_bar (self, name, hold_node_get_size (node), total_bytes);
      shown_bytes += hold_node_get_size (node);
    }
  if (n_children > MAX_BARS && shown_bytes < total_bytes)
    add_bar (self, _("Everything else"), total_bytes - shown_bytes, total_bytes);
}

static void
holdall_preview_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (holdall_preview_parent_class)->map (widget);
  start_loading (HOLDALL_PREVIEW (widget));
}

static void
holdall_preview_unmap (GtkWidget *widget)
{
  stop_loading (HOLDALL_PREVIEW (widget));
  GTK_WIDGET_CLASS (holdall_preview_parent_class)->unmap (widget);
}

static void
holdall_preview_dispose (GObject *object)
{
  HoldallPreview *self = HOLDALL_PREVIEW (object);
  GtkWidget *child;

  stop_loading (self);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);
  g_clear_pointer (&self->keyring, hold_keyring_unref);
  g_clear_object (&self->archive);

  G_OBJECT_CLASS (holdall_preview_parent_class)->dispose (object);
}

static void
holdall_preview_class_init (HoldallPreviewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = holdall_preview_dispose;
  widget_class->map = holdall_preview_map;
  widget_class->unmap = holdall_preview_unmap;

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "preview");
  gtk_widget_class_set_template_from_resource (widget_class, HOLDALL_APP_PATH
                                               "/holdall-preview.ui");
  gtk_widget_class_bind_template_child (widget_class, HoldallPreview, content_stack);
  gtk_widget_class_bind_template_child (widget_class, HoldallPreview, grid);
  gtk_widget_class_bind_template_child (widget_class, HoldallPreview, icon);
  gtk_widget_class_bind_template_child (widget_class, HoldallPreview, name_label);
  gtk_widget_class_bind_template_child (widget_class, HoldallPreview, picture);
  gtk_widget_class_bind_template_child (widget_class, HoldallPreview, scroller);
  gtk_widget_class_bind_template_child (widget_class, HoldallPreview, space_box);
  gtk_widget_class_bind_template_child (widget_class, HoldallPreview, space_list);
  gtk_widget_class_bind_template_child (widget_class, HoldallPreview, text_view);
  gtk_widget_class_bind_template_child (widget_class, HoldallPreview, type_label);
}

static void
holdall_preview_init (HoldallPreview *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
holdall_preview_show (HoldallPreview *self,
                      HoldArchive    *archive,
                      HoldNode       *node,
                      HoldKeyring    *keyring)
{
  g_autoptr (HoldallEntryItem) item = NULL;
  g_autofree char *name = NULL;

  g_return_if_fail (HOLDALL_IS_PREVIEW (self));

  if (self->archive == archive && self->node == node)
    return;
  stop_loading (self);
  g_set_object (&self->archive, archive);
  g_clear_pointer (&self->keyring, hold_keyring_unref);
  self->keyring = keyring != NULL ? hold_keyring_ref (keyring) : NULL;
  self->node = node;
  if (archive == NULL)
    return;

  item = holdall_entry_item_new (archive, node);
  name = holdall_entry_item_dup_display_name (item);
  gtk_label_set_label (self->name_label, name);
  gtk_label_set_label (self->type_label, holdall_entry_item_get_type_info (item)->description);
  gtk_image_set_from_gicon (self->icon, holdall_entry_item_get_type_info (item)->icon);
  gtk_stack_set_visible_child_name (self->content_stack, "icon");
  fill_lines (self, item);
  fill_space (self);
  start_loading (self);
}

void
holdall_preview_show_many (HoldallPreview *self,
                           HoldArchive    *archive,
                           GPtrArray      *nodes)
{
  g_autofree char *items = holdall_format_items (nodes->len);
  g_autofree char *size = NULL;
  g_autoptr (GIcon) icon = g_themed_icon_new ("edit-select-all-symbolic");
  guint64 size_bytes = 0;

  g_return_if_fail (HOLDALL_IS_PREVIEW (self));

  stop_loading (self);
  g_set_object (&self->archive, archive);
  self->node = NULL;
  for (guint i = 0; i < nodes->len; i++)
    size_bytes += hold_node_get_size (g_ptr_array_index (nodes, i));
  size = holdall_format_size (size_bytes);
  clear_lines (self);
  gtk_widget_set_visible (self->space_box, FALSE);
  gtk_stack_set_visible_child_name (self->content_stack, "icon");
  gtk_image_set_from_gicon (self->icon, icon);
  gtk_label_set_label (self->name_label, items);
  gtk_label_set_label (self->type_label, size);
}
