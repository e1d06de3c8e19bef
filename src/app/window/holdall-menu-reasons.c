/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* An item of a GMenu has no tooltip, and its widget does not tell its action. The two are brought
 * together by their label: within one menu each stands for one action. If GTK builds its menus
 * differently some day, the tooltips are missing and nothing else happens. */

#include "config.h"

#include "holdall-accessible.h"
#include "holdall-menu-reasons.h"

typedef struct {
  GHashTable *actions;    /* label without its mnemonic → action */
  GtkWidget *note;        /* (nullable) borrowed */
  char *note_action;      /* (nullable) */
  HoldallWhyNot why_not;
  gpointer user_data;
} Reasons;

static void
reasons_free (gpointer  data,
              GClosure *closure)
{
  Reasons *self = data;

  g_hash_table_unref (self->actions);
  g_free (self->note_action);
  g_free (self);
}

static void
collect_actions (Reasons    *self,
                 GMenuModel *model)
{
  for (int i = 0; i < g_menu_model_get_n_items (model); i++)
    {
      g_autoptr (GMenuModel) section = g_menu_model_get_item_link (model, i, G_MENU_LINK_SECTION);
      g_autoptr (GMenuModel) submenu = g_menu_model_get_item_link (model, i, G_MENU_LINK_SUBMENU);
      g_autofree char *label = NULL;
      g_autofree char *action = NULL;

      if (section != NULL)
        collect_actions (self, section);
      if (submenu != NULL)
        collect_actions (self, submenu);
      if (g_menu_model_get_item_attribute (model, i, G_MENU_ATTRIBUTE_LABEL, "s", &label) &&
          g_menu_model_get_item_attribute (model, i, G_MENU_ATTRIBUTE_ACTION, "s", &action))
        g_hash_table_insert (self->actions, holdall_accessible_strip_mnemonic (label),
                             g_steal_pointer (&action));
    }
}

/* (nullable): what the item @widget does; NULL if it is no item */
static const char *
find_action (Reasons   *self,
             GtkWidget *widget)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (widget), "text");
  g_autofree char *text = NULL;

  if (pspec == NULL || pspec->value_type != G_TYPE_STRING ||
      g_strcmp0 (G_OBJECT_TYPE_NAME (widget), "GtkModelButton") != 0)
    return NULL;
  g_object_get (widget, "text", &text, NULL);
  return text != NULL ? g_hash_table_lookup (self->actions, text) : NULL;
}

static void
explain (Reasons   *self,
         GtkWidget *widget)
{
  const char *action = find_action (self, widget);
  g_autofree char *reason = NULL;

  if (action != NULL)
    {
      if (!gtk_widget_get_sensitive (widget))
        reason = self->why_not (action, self->user_data);
      gtk_widget_set_tooltip_text (widget, reason);
      return;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    explain (self, child);
}

static void
opened_cb (GtkWidget *popover,
           Reasons   *self)
{
  g_autofree char *note = NULL;

  explain (self, popover);
  if (self->note == NULL)
    return;
  note = self->why_not (self->note_action, self->user_data);
  gtk_widget_set_visible (self->note, note != NULL);
  gtk_label_set_label (GTK_LABEL (self->note), note != NULL ? note : "");
}

void
holdall_menu_reasons_attach (GtkPopoverMenu *popover,
                             GMenuModel     *model,
                             const char     *note_id,
                             const char     *note_action,
                             HoldallWhyNot   why_not,
                             gpointer        user_data)
{
  Reasons *self;

  g_return_if_fail (GTK_IS_POPOVER_MENU (popover));
  g_return_if_fail (G_IS_MENU_MODEL (model));

  self = g_new0 (Reasons, 1);
  self->actions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->note_action = g_strdup (note_action);
  self->why_not = why_not;
  self->user_data = user_data;
  collect_actions (self, model);
  if (note_id != NULL)
    {
      self->note = gtk_label_new (NULL);
      gtk_label_set_wrap (GTK_LABEL (self->note), TRUE);
      gtk_label_set_max_width_chars (GTK_LABEL (self->note), 28);
      gtk_label_set_xalign (GTK_LABEL (self->note), 0);
      gtk_widget_add_css_class (self->note, "menu-note");
      gtk_popover_menu_add_child (popover, self->note, note_id);
    }
  g_signal_connect_data (popover, "map", G_CALLBACK (opened_cb), self, reasons_free,
                         G_CONNECT_DEFAULT);
}
