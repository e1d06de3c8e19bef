/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A button with an icon is called by its tooltip, so that nobody has to write the same words twice
 * and nobody can forget to. Widgets within widgets of the libraries (the halves of a split button)
 * are reached the same way: whatever is mapped is looked at once. */

#include "config.h"

#include <adwaita.h>

#include "holdall-accessible.h"

static void
set_label (GtkWidget  *widget,
           const char *label)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

/* (nullable) */
static const char *
get_tooltip (GtkWidget *button)
{
  const char *tooltip = gtk_widget_get_tooltip_text (button);
  GtkWidget *parent = gtk_widget_get_parent (button);

  /* The first half of a split button: the tooltip is that of the whole. */
  if (tooltip == NULL && parent != NULL && !GTK_IS_MENU_BUTTON (parent))
    tooltip = gtk_widget_get_tooltip_text (parent);
  return tooltip;
}

/* (nullable): the first label below @widget that says something */
static GtkLabel *
find_label (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget) && *gtk_label_get_text (GTK_LABEL (widget)) != '\0')
    return GTK_LABEL (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkLabel *found = find_label (child);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* The tab of a view switcher of libadwaita 1.2 refers to a label that says nothing yet, an item of a
 * menu of GTK 4.24 to one that nobody is told of. */
static void
mend_reference (GtkWidget *widget)
{
  GtkLabel *label = find_label (widget);

  if (label == NULL)
    return;
  gtk_accessible_reset_relation (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY);
  set_label (widget, gtk_label_get_text (label));
}

static void
mend_button (GtkButton *button)
{
  const char *label = gtk_button_get_label (button);
  const char *tooltip = get_tooltip (GTK_WIDGET (button));

  if (gtk_accessible_get_accessible_role (GTK_ACCESSIBLE (button)) == GTK_ACCESSIBLE_ROLE_TAB)
    mend_reference (GTK_WIDGET (button));
  /* GTK 4.8 reads out the mark of the mnemonic, and then the label: "_Open Open". */
  else if (label != NULL && gtk_button_get_use_underline (button))
    gtk_accessible_reset_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL);
  else if (label == NULL && gtk_button_get_icon_name (button) != NULL && tooltip != NULL)
    set_label (GTK_WIDGET (button), tooltip);
  else if (GTK_IS_IMAGE (gtk_button_get_child (button)) && tooltip != NULL)
    set_label (GTK_WIDGET (button), tooltip);
}

/* Its label is read out with the mark of the mnemonic. */
static void
mend_check_button (GtkCheckButton *button)
{
  const char *label = gtk_check_button_get_label (button);
  g_autofree char *plain = NULL;

  if (label == NULL || !gtk_check_button_get_use_underline (button))
    return;
  plain = holdall_accessible_strip_mnemonic (label);
  set_label (GTK_WIDGET (button), plain);
}

static void
mend_list_box (GtkListBox *box)
{
  GtkWidget *group = gtk_widget_get_ancestor (GTK_WIDGET (box), ADW_TYPE_PREFERENCES_GROUP);
  const char *title = group != NULL
                    ? adw_preferences_group_get_title (ADW_PREFERENCES_GROUP (group)) : NULL;

  if (title != NULL && *title != '\0')
    set_label (GTK_WIDGET (box), title);
}

static void
mend_menu_button (GtkMenuButton *button)
{
  const char *tooltip = gtk_widget_get_tooltip_text (GTK_WIDGET (button));

  if (gtk_menu_button_get_label (button) == NULL && tooltip != NULL)
    set_label (GTK_WIDGET (button), tooltip);
}

/* A row of a drop-down list: it is called by the first of its labels. */
static void
mend_choice (GtkWidget *row)
{
  GtkLabel *label = find_label (row);

  if (label != NULL)
    set_label (row, gtk_label_get_text (label));
}

static void
tooltip_changed_cb (GtkWidget *widget)
{
  if (GTK_IS_BUTTON (widget))
    mend_button (GTK_BUTTON (widget));
  else if (GTK_IS_MENU_BUTTON (widget))
    mend_menu_button (GTK_MENU_BUTTON (widget));
  else if (GTK_IS_BUTTON (gtk_widget_get_first_child (widget)))
    mend_button (GTK_BUTTON (gtk_widget_get_first_child (widget)));
}

/* The words may change with what the button does. */
static void
follow_tooltip (GtkWidget *widget)
{
  g_signal_handlers_disconnect_by_func (widget, tooltip_changed_cb, NULL);
  g_signal_connect (widget, "notify::tooltip-text", G_CALLBACK (tooltip_changed_cb), NULL);
}

static gboolean
mapped_cb (GSignalInvocationHint *hint,
           guint                  n_values,
           const GValue          *values,
           gpointer               user_data)
{
  GtkWidget *widget = g_value_get_object (&values[0]);

  if (GTK_IS_BUTTON (widget))
    {
      mend_button (GTK_BUTTON (widget));
      follow_tooltip (widget);
    }
  else if (GTK_IS_MENU_BUTTON (widget))
    {
      mend_menu_button (GTK_MENU_BUTTON (widget));
      follow_tooltip (widget);
    }
  else if (ADW_IS_SPLIT_BUTTON (widget))
    {
      follow_tooltip (widget);
    }
  else if (GTK_IS_CHECK_BUTTON (widget))
    {
      mend_check_button (GTK_CHECK_BUTTON (widget));
    }
  else if (g_strcmp0 (G_OBJECT_TYPE_NAME (widget), "GtkModelButton") == 0)
    {
      mend_reference (widget);
    }
  else if (GTK_IS_LIST_BOX (widget))
    {
      mend_list_box (GTK_LIST_BOX (widget));
    }
  else if (GTK_IS_LIST_VIEW (gtk_widget_get_parent (widget)) &&
           gtk_widget_get_ancestor (widget, GTK_TYPE_POPOVER) != NULL)
    {
      mend_choice (widget);
    }
  return TRUE;
}

void
holdall_accessible_init (void)
{
  static gboolean is_hooked = FALSE;

  if (is_hooked)
    return;
  is_hooked = TRUE;
  /* The signal exists once its class does. */
  g_type_class_unref (g_type_class_ref (GTK_TYPE_BUTTON));
  g_signal_add_emission_hook (g_signal_lookup ("map", GTK_TYPE_WIDGET), 0, mapped_cb, NULL, NULL);
}

char *
holdall_accessible_strip_mnemonic (const char *label)
{
  g_autoptr (GString) plain = g_string_new (NULL);

  for (const char *p = label; *p != '\0'; p++)
    {
      if (*p == '_' && p[1] != '\0')
        p++;
      g_string_append_c (plain, *p);
    }
  return g_string_free (g_steal_pointer (&plain), FALSE);
}

void
holdall_accessible_label_row (GtkWidget  *cell,
                              const char *label)
{
  GtkWidget *row = cell;
  GtkWidget *parent;

  g_return_if_fail (GTK_IS_WIDGET (cell));

  /* A row that is just being made is in no list yet: it is whatever is on top. */
  while ((parent = gtk_widget_get_parent (row)) != NULL && !GTK_IS_LIST_VIEW (parent) &&
         !GTK_IS_GRID_VIEW (parent))
    row = parent;
  if (row != cell)
    set_label (row, label);
}

void
holdall_accessible_label_column_view (GtkColumnView *view,
                                      const char    *label,
                                      const char    *header_label)
{
  g_return_if_fail (GTK_IS_COLUMN_VIEW (view));

  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (view)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    set_label (child, GTK_IS_LIST_VIEW (child) ? label : header_label);
}
