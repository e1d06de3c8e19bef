/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A bitset behind the interface that the views speak to. */

#include "config.h"

#include "holdall-selection.h"

struct _HoldallSelection {
  GObject parent_instance;

  GListModel *model;
  GtkBitset *selected;
};

static void holdall_selection_list_model_init (GListModelInterface *iface);
static void holdall_selection_selection_model_init (GtkSelectionModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (HoldallSelection, holdall_selection, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL,
                                                      holdall_selection_list_model_init)
                               G_IMPLEMENT_INTERFACE (GTK_TYPE_SELECTION_MODEL,
                                                      holdall_selection_selection_model_init))

static GType
holdall_selection_get_item_type (GListModel *list)
{
  return g_list_model_get_item_type (HOLDALL_SELECTION (list)->model);
}

static guint
holdall_selection_get_n_items (GListModel *list)
{
  return g_list_model_get_n_items (HOLDALL_SELECTION (list)->model);
}

static gpointer
holdall_selection_get_item (GListModel *list,
                            guint       position)
{
  return g_list_model_get_item (HOLDALL_SELECTION (list)->model, position);
}

static void
holdall_selection_list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = holdall_selection_get_item_type;
  iface->get_n_items = holdall_selection_get_n_items;
  iface->get_item = holdall_selection_get_item;
}

static gboolean
holdall_selection_is_selected (GtkSelectionModel *model,
                               guint              position)
{
  return gtk_bitset_contains (HOLDALL_SELECTION (model)->selected, position);
}

static GtkBitset *
holdall_selection_get_selection_in_range (GtkSelectionModel *model,
                                          guint              position,
                                          guint              n_items)
{
  return gtk_bitset_ref (HOLDALL_SELECTION (model)->selected);
}

/* The one way in which anything changes: positions of @mask become what they are in @selected. */
static gboolean
holdall_selection_set_selection (GtkSelectionModel *model,
                                 GtkBitset         *selected,
                                 GtkBitset         *mask)
{
  HoldallSelection *self = HOLDALL_SELECTION (model);
  g_autoptr (GtkBitset) wanted = gtk_bitset_copy (self->selected);
  g_autoptr (GtkBitset) added = gtk_bitset_copy (selected);
  g_autoptr (GtkBitset) changes = NULL;
  guint n_items = g_list_model_get_n_items (self->model);
  guint first, last;

  gtk_bitset_subtract (wanted, mask);
  gtk_bitset_intersect (added, mask);
  gtk_bitset_union (wanted, added);
  if (n_items < G_MAXUINT)
    gtk_bitset_remove_range_closed (wanted, n_items, G_MAXUINT);

  changes = gtk_bitset_copy (wanted);
  gtk_bitset_difference (changes, self->selected);
  if (gtk_bitset_is_empty (changes))
    return TRUE;
  /* Whoever got the old set keeps it as it was. */
  gtk_bitset_unref (self->selected);
  self->selected = g_steal_pointer (&wanted);
  first = gtk_bitset_get_minimum (changes);
  last = gtk_bitset_get_maximum (changes);
  gtk_selection_model_selection_changed (model, first, last - first + 1);
  return TRUE;
}

static gboolean
change_range (GtkSelectionModel *model,
              guint              position,
              guint              n_items,
              gboolean           select,
              gboolean           unselect_rest)
{
  g_autoptr (GtkBitset) range = gtk_bitset_new_range (position, n_items);
  g_autoptr (GtkBitset) none = gtk_bitset_new_empty ();
  g_autoptr (GtkBitset) mask = NULL;

  if (unselect_rest)
    mask = gtk_bitset_new_range (0, g_list_model_get_n_items (G_LIST_MODEL (model)));
  else
    mask = gtk_bitset_ref (range);
  return holdall_selection_set_selection (model, select ? range : none, mask);
}

static gboolean
holdall_selection_select_item (GtkSelectionModel *model,
                               guint              position,
                               gboolean           unselect_rest)
{
  return change_range (model, position, 1, TRUE, unselect_rest);
}

static gboolean
holdall_selection_unselect_item (GtkSelectionModel *model,
                                 guint              position)
{
  return change_range (model, position, 1, FALSE, FALSE);
}

static gboolean
holdall_selection_select_range (GtkSelectionModel *model,
                                guint              position,
                                guint              n_items,
                                gboolean           unselect_rest)
{
  return change_range (model, position, n_items, TRUE, unselect_rest);
}

static gboolean
holdall_selection_unselect_range (GtkSelectionModel *model,
                                  guint              position,
                                  guint              n_items)
{
  return change_range (model, position, n_items, FALSE, FALSE);
}

static gboolean
holdall_selection_select_all (GtkSelectionModel *model)
{
  return change_range (model, 0, g_list_model_get_n_items (G_LIST_MODEL (model)), TRUE, FALSE);
}

static gboolean
holdall_selection_unselect_all (GtkSelectionModel *model)
{
  return change_range (model, 0, g_list_model_get_n_items (G_LIST_MODEL (model)), FALSE, FALSE);
}

static void
holdall_selection_selection_model_init (GtkSelectionModelInterface *iface)
{
  iface->is_selected = holdall_selection_is_selected;
  iface->get_selection_in_range = holdall_selection_get_selection_in_range;
  iface->select_item = holdall_selection_select_item;
  iface->unselect_item = holdall_selection_unselect_item;
  iface->select_range = holdall_selection_select_range;
  iface->unselect_range = holdall_selection_unselect_range;
  iface->select_all = holdall_selection_select_all;
  iface->unselect_all = holdall_selection_unselect_all;
  iface->set_selection = holdall_selection_set_selection;
}

static void
items_changed_cb (HoldallSelection *self,
                  guint             position,
                  guint             n_removed,
                  guint             n_added)
{
  gboolean had_selection = !gtk_bitset_is_empty (self->selected);

  gtk_bitset_unref (self->selected);
  self->selected = gtk_bitset_new_empty ();
  g_list_model_items_changed (G_LIST_MODEL (self), position, n_removed, n_added);
  if (had_selection && n_added > 0)
    gtk_selection_model_selection_changed (GTK_SELECTION_MODEL (self), position, n_added);
}

static void
holdall_selection_dispose (GObject *object)
{
  HoldallSelection *self = HOLDALL_SELECTION (object);

  if (self->model != NULL)
    g_signal_handlers_disconnect_by_data (self->model, self);

  G_OBJECT_CLASS (holdall_selection_parent_class)->dispose (object);
}

static void
holdall_selection_finalize (GObject *object)
{
  HoldallSelection *self = HOLDALL_SELECTION (object);

  g_clear_object (&self->model);
  g_clear_pointer (&self->selected, gtk_bitset_unref);

  G_OBJECT_CLASS (holdall_selection_parent_class)->finalize (object);
}

static void
holdall_selection_class_init (HoldallSelectionClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = holdall_selection_dispose;
  G_OBJECT_CLASS (klass)->finalize = holdall_selection_finalize;
}

static void
holdall_selection_init (HoldallSelection *self)
{
  self->selected = gtk_bitset_new_empty ();
}

HoldallSelection *
holdall_selection_new (GListModel *model)
{
  HoldallSelection *self = g_object_new (HOLDALL_TYPE_SELECTION, NULL);

  self->model = g_object_ref (model);
  g_signal_connect_swapped (model, "items-changed", G_CALLBACK (items_changed_cb), self);
  return self;
}
