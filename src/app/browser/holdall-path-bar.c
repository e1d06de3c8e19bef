/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The last button is where one is; when the path is wider than the bar, its end is what is seen. All of a
 * path that is hundreds of folders deep would take a moment to make, at each step, and nobody would find
 * anything in it. */

#include "config.h"

#include <hold.h>

#include "holdall-path-bar.h"

/* So many folders have their buttons; one more leads to the folder above them. */
#define MAX_FOLDERS 16

struct _HoldallPathBar {
  GtkWidget parent_instance;

  guint tick;   /* 0: it stands where it should */

  GtkScrolledWindow *scroller;
  GtkBox *box;
};

G_DEFINE_FINAL_TYPE (HoldallPathBar, holdall_path_bar, GTK_TYPE_WIDGET)

/* Where one reads from right to left, the end is on the left. */
static gboolean
scroll_to_end_cb (GtkWidget     *widget,
                  GdkFrameClock *clock,
                  gpointer       user_data)
{
  HoldallPathBar *self = HOLDALL_PATH_BAR (widget);
  GtkAdjustment *adjustment = gtk_scrolled_window_get_hadjustment (self->scroller);
  gboolean is_rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;

  self->tick = 0;
  gtk_adjustment_set_value (adjustment, is_rtl ? gtk_adjustment_get_lower (adjustment)
                                               : gtk_adjustment_get_upper (adjustment));
  return G_SOURCE_REMOVE;
}

/* This comes while the buttons are given their places, which is too late to move them. */
static void
changed_cb (HoldallPathBar *self)
{
  if (self->tick == 0)
    self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), scroll_to_end_cb, NULL, NULL);
}

static void
holdall_path_bar_dispose (GObject *object)
{
  HoldallPathBar *self = HOLDALL_PATH_BAR (object);
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);

  G_OBJECT_CLASS (holdall_path_bar_parent_class)->dispose (object);
}

static void
holdall_path_bar_class_init (HoldallPathBarClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = holdall_path_bar_dispose;

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_NAVIGATION);
  gtk_widget_class_set_css_name (widget_class, "path-bar");
  gtk_widget_class_set_template_from_resource (widget_class, HOLDALL_APP_PATH
                                               "/holdall-path-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, HoldallPathBar, box);
  gtk_widget_class_bind_template_child (widget_class, HoldallPathBar, scroller);
}

static void
holdall_path_bar_init (HoldallPathBar *self)
{
  GtkAdjustment *adjustment;

  gtk_widget_init_template (GTK_WIDGET (self));
  adjustment = gtk_scrolled_window_get_hadjustment (self->scroller);
  g_signal_connect_object (adjustment, "changed", G_CALLBACK (changed_cb), self,
                           G_CONNECT_SWAPPED);
}

static void
add_separator (HoldallPathBar *self)
{
  GtkWidget *label = gtk_label_new ("/");

  gtk_widget_add_css_class (label, "dim-label");
  gtk_box_append (self->box, label);
}

/* @short_name: (nullable): stands in the button instead of @name */
static void
add_button (HoldallPathBar *self,
            const char     *name,
            const char     *short_name,
            GIcon          *icon,
            const char     *path,
            gboolean        is_last)
{
  g_autofree char *display_name = hold_path_escape_for_display (name);
  GtkWidget *button = gtk_button_new ();
  GtkWidget *content = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label = gtk_label_new (short_name != NULL ? short_name : display_name);
  int n_chars = (int) g_utf8_strlen (gtk_label_get_label (GTK_LABEL (label)), -1);

  if (icon != NULL)
    gtk_box_append (GTK_BOX (content), gtk_image_new_from_gicon (icon));
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  /* With its icon the first one must fit into the narrowest bar as well. */
  gtk_label_set_width_chars (GTK_LABEL (label), MIN (n_chars, icon != NULL ? 4 : 8));
  gtk_label_set_max_width_chars (GTK_LABEL (label), 28);
  gtk_box_append (GTK_BOX (content), label);

  gtk_button_set_child (GTK_BUTTON (button), content);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, is_last ? "current" : "ancestor");
  gtk_widget_set_tooltip_text (button, short_name != NULL || n_chars > 8 ? display_name : NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, display_name, -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.go-to");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", path);
  gtk_box_append (self->box, button);
}

void
holdall_path_bar_set (HoldallPathBar *self,
                      const char     *title,
                      GIcon          *icon,
                      const char     *folder)
{
  g_auto (GStrv) parts = NULL;
  g_autoptr (GString) path = g_string_new (NULL);
  GtkWidget *child;
  guint n_parts;
  guint n_left_out;

  g_return_if_fail (HOLDALL_IS_PATH_BAR (self));

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->box))) != NULL)
    gtk_box_remove (self->box, child);

  parts = g_strsplit (folder, "/", -1);
  n_parts = g_strv_length (parts);
  n_left_out = n_parts > MAX_FOLDERS ? n_parts - MAX_FOLDERS : 0;
  add_button (self, title, NULL, icon, "", n_parts == 0);
  for (guint i = 0; i < n_parts; i++)
    {
      if (path->len > 0)
        g_string_append_c (path, '/');
      g_string_append (path, parts[i]);
      if (i + 1 < n_left_out)
        continue;
      add_separator (self);
      add_button (self, parts[i], i < n_left_out ? "…" : NULL, NULL, path->str, i + 1 == n_parts);
    }
}
