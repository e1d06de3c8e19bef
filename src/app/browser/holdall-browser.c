/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Puts a HoldallEntryModel, its selection and two views together, and keeps what is selected
 * while rows are replaced below it. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-accessible.h"
#include "holdall-browser-input.h"
#include "holdall-browser-private.h"
#include "holdall-name-cell.h"
#include "holdall-selection.h"

G_DEFINE_FINAL_TYPE (HoldallBrowser, holdall_browser, GTK_TYPE_WIDGET)

enum { ACTIVATED, SELECTION_CHANGED, SETTLED, ORDER_CHANGED, N_SIGNALS };

static guint signals[N_SIGNALS];

static gboolean
has_focus (HoldallBrowser *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  return focus != NULL && gtk_widget_is_ancestor (focus, GTK_WIDGET (self));
}

/* Only the view that is seen has the rows: the other one would make widgets for nobody. */
static void
update_views (HoldallBrowser *self)
{
  guint n_rows = g_list_model_get_n_items (G_LIST_MODEL (self->model));
  const char *page = self->is_grid ? "grid" : "list";
  gboolean had_focus = has_focus (self);

  gtk_column_view_set_model (self->list, self->is_grid ? NULL : self->selection);
  gtk_grid_view_set_model (self->grid, self->is_grid ? self->selection : NULL);
  if (n_rows == 0 && self->archive != NULL && !holdall_entry_model_is_busy (self->model))
    page = self->is_search ? "not-found" : "empty";
  gtk_stack_set_visible_child_name (self->stack, page);
  if (had_focus)
    holdall_browser_focus (self);
}

static void
apply_pending_selection (HoldallBrowser *self)
{
  g_autoptr (GPtrArray) nodes = g_steal_pointer (&self->pending);
  g_autoptr (GHashTable) wanted = g_hash_table_new (NULL, NULL);
  g_autoptr (GtkBitset) selected = gtk_bitset_new_empty ();
  g_autoptr (GtkBitset) mask = NULL;
  guint n_rows = g_list_model_get_n_items (G_LIST_MODEL (self->model));

  if (nodes == NULL)
    return;
  for (guint i = 0; i < nodes->len; i++)
    g_hash_table_add (wanted, g_ptr_array_index (nodes, i));
  for (guint i = 0; i < n_rows; i++)
    {
      if (g_hash_table_contains (wanted, holdall_entry_model_get_node (self->model, i)))
        gtk_bitset_add (selected, i);
    }
  mask = gtk_bitset_new_range (0, n_rows);
  gtk_selection_model_set_selection (self->selection, selected, mask);
  if (self->pending_scroll && !gtk_bitset_is_empty (selected))
    holdall_browser_focus_row (self, gtk_bitset_get_minimum (selected));
  self->pending_scroll = FALSE;
}

static void
model_changing_cb (HoldallBrowser *self)
{
  self->had_focus = has_focus (self);
  /* Other rows start at the top. Afterwards would be too late: new rows have no place before they
   * are laid out, and the list complains. */
  if (self->fresh)
    {
      GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (_holdall_browser_get_scroller (self));

      if (gtk_adjustment_get_value (adjustment) > 0)
        gtk_adjustment_set_value (adjustment, 0);
    }
  if (!self->fresh && self->pending == NULL)
    self->pending = holdall_browser_dup_selected_nodes (self);
}

static void
model_settled_cb (HoldallBrowser *self)
{
  update_views (self);
  apply_pending_selection (self);
  self->restore_frames = 0;
  if (self->had_focus)
    holdall_browser_focus (self);
  self->fresh = FALSE;
  g_signal_emit (self, signals[SETTLED], 0);
}

static void
selection_changed_cb (HoldallBrowser *self)
{
  g_signal_emit (self, signals[SELECTION_CHANGED], 0);
}

static void
view_activate_cb (HoldallBrowser *self,
                  guint           position)
{
  g_autoptr (HoldallEntryItem) item = g_list_model_get_item (G_LIST_MODEL (self->model), position);
  g_autoptr (GtkBitset) selected = NULL;

  if (item == NULL)
    return;
  /* What is selected is opened; if nothing is, the row that has the focus. */
  selected = gtk_selection_model_get_selection (self->selection);
  if (gtk_bitset_is_empty (selected))
    gtk_selection_model_select_item (self->selection, position, TRUE);
  g_signal_emit (self, signals[ACTIVATED], 0, item);
}

static void
save_order (HoldallBrowser *self)
{
  const HoldallOrder *order = holdall_entry_model_get_order (self->model);

  if (self->settings == NULL)
    return;
  if (order->column != HOLDALL_COLUMN_FOLDER)
    g_settings_set_enum (self->settings, "sort-column", (int) order->column);
  g_settings_set_boolean (self->settings, "sort-descending", order->descending);
  g_settings_set_boolean (self->settings, "folders-first", order->folders_first);
}

static void
header_sort_cb (HoldallBrowser *self)
{
  HoldallOrder order = *holdall_entry_model_get_order (self->model);

  if (self->loading_order)
    return;
  if (!holdall_list_columns_get_sort (self->columns, &order.column, &order.descending))
    {
      order.column = HOLDALL_COLUMN_NAME;
      order.descending = FALSE;
    }
  holdall_entry_model_set_order (self->model, &order);
  save_order (self);
  g_signal_emit (self, signals[ORDER_CHANGED], 0);
}

static void
setup_tile_cb (GtkSignalListItemFactory *factory,
               GtkListItem              *list_item,
               gpointer                  user_data)
{
  GtkWidget *cell = holdall_name_cell_new (TRUE);

  g_object_set_data (G_OBJECT (cell), HOLDALL_LIST_ITEM_KEY, list_item);
  gtk_list_item_set_child (list_item, cell);
}

static void
unbind_tile_cb (GtkSignalListItemFactory *factory,
                GtkListItem              *list_item,
                gpointer                  user_data)
{
  holdall_name_cell_set_item (HOLDALL_NAME_CELL (gtk_list_item_get_child (list_item)), NULL);
}

static void
bind_tile_cb (GtkSignalListItemFactory *factory,
              GtkListItem              *list_item,
              gpointer                  user_data)
{
  holdall_name_cell_set_item (HOLDALL_NAME_CELL (gtk_list_item_get_child (list_item)),
                              gtk_list_item_get_item (list_item));
}

/* GTK's lists let Tab go from row to row, and there may be 100,000: one would never get out. The
 * arrows go through the rows, Tab goes on to what is beside them. */
static gboolean
holdall_browser_focus_vfunc (GtkWidget        *widget,
                             GtkDirectionType  direction)
{
  HoldallBrowser *self = HOLDALL_BROWSER (widget);
  gboolean is_tab = direction == GTK_DIR_TAB_FORWARD || direction == GTK_DIR_TAB_BACKWARD;

  if (!is_tab || _holdall_browser_get_list_base (self) == NULL)
    return GTK_WIDGET_CLASS (holdall_browser_parent_class)->focus (widget, direction);
  if (has_focus (self))
    return FALSE;
  holdall_browser_focus (self);
  return has_focus (self);
}

/* GTK begins at the left, also where the columns begin at the right; names would be out of sight. */
static void
width_changed_cb (HoldallBrowser *self,
                  GtkAdjustment  *adjustment)
{
  if (gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL)
    gtk_adjustment_set_value (adjustment, gtk_adjustment_get_upper (adjustment)
                                            - gtk_adjustment_get_page_size (adjustment));
}

static void
holdall_browser_dispose (GObject *object)
{
  HoldallBrowser *self = HOLDALL_BROWSER (object);
  GtkWidget *child;

  if (self->model != NULL)
    g_signal_handlers_disconnect_by_data (self->model, self);
  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  if (self->list != NULL)
    g_signal_handlers_disconnect_by_data (gtk_column_view_get_sorter (self->list), self);
  g_clear_pointer (&self->columns, holdall_list_columns_free);
  g_clear_pointer (&self->pending, g_ptr_array_unref);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);
  self->list = NULL;
  g_clear_object (&self->selection);
  g_clear_object (&self->model);
  g_clear_object (&self->settings);
  g_clear_object (&self->archive);

  G_OBJECT_CLASS (holdall_browser_parent_class)->dispose (object);
}

static void
holdall_browser_class_init (HoldallBrowserClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = holdall_browser_dispose;
  widget_class->focus = holdall_browser_focus_vfunc;

  signals[ACTIVATED] = g_signal_new ("activated", HOLDALL_TYPE_BROWSER, G_SIGNAL_RUN_LAST, 0, NULL,
                                     NULL, NULL, G_TYPE_NONE, 1, HOLDALL_TYPE_ENTRY_ITEM);
  signals[SELECTION_CHANGED] = g_signal_new ("selection-changed", HOLDALL_TYPE_BROWSER,
                                             G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                             G_TYPE_NONE, 0);
  signals[SETTLED] = g_signal_new ("settled", HOLDALL_TYPE_BROWSER, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  signals[ORDER_CHANGED] = g_signal_new ("order-changed", HOLDALL_TYPE_BROWSER, G_SIGNAL_RUN_LAST,
                                         0, NULL, NULL, NULL, G_TYPE_NONE, 0);

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "browser");
  gtk_widget_class_set_template_from_resource (widget_class, HOLDALL_APP_PATH
                                               "/holdall-browser.ui");
  gtk_widget_class_bind_template_child (widget_class, HoldallBrowser, columns_menu);
  gtk_widget_class_bind_template_child (widget_class, HoldallBrowser, context_popover);
  gtk_widget_class_bind_template_child (widget_class, HoldallBrowser, grid);
  gtk_widget_class_bind_template_child (widget_class, HoldallBrowser, grid_scroller);
  gtk_widget_class_bind_template_child (widget_class, HoldallBrowser, list);
  gtk_widget_class_bind_template_child (widget_class, HoldallBrowser, list_scroller);
  gtk_widget_class_bind_template_child (widget_class, HoldallBrowser, stack);
}

static void
holdall_browser_init (HoldallBrowser *self)
{
  g_autoptr (GtkListItemFactory) tile_factory = gtk_signal_list_item_factory_new ();

  gtk_widget_init_template (GTK_WIDGET (self));
  self->pending_value = -1;
  self->aim = G_MAXUINT;
  self->model = holdall_entry_model_new ();
  self->selection = GTK_SELECTION_MODEL (holdall_selection_new (G_LIST_MODEL (self->model)));
  self->columns = holdall_list_columns_new (self->list);
  holdall_list_columns_set_header_menu (self->columns, self->columns_menu);
  holdall_accessible_label_column_view (self->list, _("Entries"), _("Titles of the columns"));

  g_signal_connect (tile_factory, "setup", G_CALLBACK (setup_tile_cb), NULL);
  g_signal_connect (tile_factory, "bind", G_CALLBACK (bind_tile_cb), NULL);
  g_signal_connect (tile_factory, "unbind", G_CALLBACK (unbind_tile_cb), NULL);
  gtk_grid_view_set_factory (self->grid, tile_factory);

  g_signal_connect_swapped (self->model, "changing", G_CALLBACK (model_changing_cb), self);
  g_signal_connect_swapped (self->model, "settled", G_CALLBACK (model_settled_cb), self);
  g_signal_connect_swapped (self->selection, "selection-changed",
                            G_CALLBACK (selection_changed_cb), self);
  g_signal_connect_swapped (gtk_column_view_get_sorter (self->list), "changed",
                            G_CALLBACK (header_sort_cb), self);
  g_signal_connect_swapped (self->list, "activate", G_CALLBACK (view_activate_cb), self);
  g_signal_connect_swapped (self->grid, "activate", G_CALLBACK (view_activate_cb), self);
  g_signal_connect_object (gtk_scrolled_window_get_hadjustment (self->list_scroller), "changed",
                           G_CALLBACK (width_changed_cb), self, G_CONNECT_SWAPPED);
  _holdall_browser_input_init (self, GTK_WIDGET (self->list), GTK_WIDGET (self->grid),
                               self->context_popover);
  update_views (self);
}

void
holdall_browser_set_settings (HoldallBrowser *self,
                              GSettings      *settings)
{
  HoldallOrder order;

  g_return_if_fail (HOLDALL_IS_BROWSER (self));
  g_return_if_fail (self->settings == NULL);

  self->settings = g_object_ref (settings);
  holdall_list_columns_load (self->columns, settings);
  order.column = (HoldallColumnId) g_settings_get_enum (settings, "sort-column");
  order.descending = g_settings_get_boolean (settings, "sort-descending");
  order.folders_first = g_settings_get_boolean (settings, "folders-first");
  holdall_browser_set_order (self, &order);
}

void
holdall_browser_show (HoldallBrowser     *self,
                      HoldArchive        *archive,
                      HoldNode           *folder,
                      const HoldallQuery *query)
{
  g_return_if_fail (HOLDALL_IS_BROWSER (self));

  self->fresh = TRUE;
  g_clear_pointer (&self->pending, g_ptr_array_unref);
  self->pending_scroll = FALSE;
  if (self->pending_value >= 0)
    self->pending_value = 0;
  if (self->aim != G_MAXUINT)
    self->aim_frames = 1000;
  g_set_object (&self->archive, archive);
  self->folder = folder;
  if (self->is_search != (query != NULL))
    {
      self->is_search = query != NULL;
      holdall_list_columns_set_visible (self->columns, HOLDALL_COLUMN_FOLDER, self->is_search);
    }
  holdall_entry_model_show (self->model, archive, folder, query);
}

HoldallEntryModel *
holdall_browser_get_model (HoldallBrowser *self)
{
  g_return_val_if_fail (HOLDALL_IS_BROWSER (self), NULL);

  return self->model;
}

gboolean
holdall_browser_is_grid (HoldallBrowser *self)
{
  g_return_val_if_fail (HOLDALL_IS_BROWSER (self), FALSE);

  return self->is_grid;
}

void
holdall_browser_set_grid (HoldallBrowser *self,
                          gboolean        is_grid)
{
  g_return_if_fail (HOLDALL_IS_BROWSER (self));

  if (self->is_grid == is_grid)
    return;
  self->is_grid = is_grid;
  update_views (self);
}

void
holdall_browser_set_order (HoldallBrowser     *self,
                           const HoldallOrder *order)
{
  g_return_if_fail (HOLDALL_IS_BROWSER (self));

  self->loading_order = TRUE;
  holdall_list_columns_set_sort (self->columns, order->column, order->descending);
  self->loading_order = FALSE;
  holdall_entry_model_set_order (self->model, order);
  save_order (self);
  g_signal_emit (self, signals[ORDER_CHANGED], 0);
}

gboolean
holdall_browser_get_column_visible (HoldallBrowser  *self,
                                    HoldallColumnId  id)
{
  g_return_val_if_fail (HOLDALL_IS_BROWSER (self), FALSE);

  return holdall_list_columns_get_visible (self->columns, id);
}

void
holdall_browser_set_column_visible (HoldallBrowser  *self,
                                    HoldallColumnId  id,
                                    gboolean         visible)
{
  g_return_if_fail (HOLDALL_IS_BROWSER (self));

  holdall_list_columns_set_visible (self->columns, id, visible);
  holdall_browser_save (self);
}

GMenuModel *
holdall_browser_get_columns_menu (HoldallBrowser *self)
{
  g_return_val_if_fail (HOLDALL_IS_BROWSER (self), NULL);

  return self->columns_menu;
}

GtkPopoverMenu *
holdall_browser_get_context_menu (HoldallBrowser *self)
{
  g_return_val_if_fail (HOLDALL_IS_BROWSER (self), NULL);

  return GTK_POPOVER_MENU (self->context_popover);
}

void
holdall_browser_save (HoldallBrowser *self)
{
  g_return_if_fail (HOLDALL_IS_BROWSER (self));

  if (self->settings != NULL)
    holdall_list_columns_save (self->columns, self->settings);
}

void
holdall_browser_focus (HoldallBrowser *self)
{
  GtkWidget *base;

  g_return_if_fail (HOLDALL_IS_BROWSER (self));

  base = _holdall_browser_get_list_base (self);
  if (base != NULL)
    gtk_widget_grab_focus (base);
}

GtkSelectionModel *
holdall_browser_get_selection (HoldallBrowser *self)
{
  g_return_val_if_fail (HOLDALL_IS_BROWSER (self), NULL);

  return self->selection;
}

GPtrArray *
holdall_browser_dup_selected_nodes (HoldallBrowser *self)
{
  GPtrArray *nodes = g_ptr_array_new ();
  g_autoptr (GtkBitset) selected = NULL;
  GtkBitsetIter iter;
  guint position;

  g_return_val_if_fail (HOLDALL_IS_BROWSER (self), nodes);

  selected = gtk_selection_model_get_selection (self->selection);
  for (gboolean valid = gtk_bitset_iter_init_first (&iter, selected, &position); valid;
       valid = gtk_bitset_iter_next (&iter, &position))
    {
      HoldNode *node = holdall_entry_model_get_node (self->model, position);

      if (node != NULL)
        g_ptr_array_add (nodes, node);
    }
  return nodes;
}

void
holdall_browser_select (HoldallBrowser *self,
                        GPtrArray      *nodes,
                        gboolean        scroll)
{
  g_return_if_fail (HOLDALL_IS_BROWSER (self));

  g_clear_pointer (&self->pending, g_ptr_array_unref);
  self->pending = g_ptr_array_ref (nodes);
  self->pending_scroll = scroll;
  if (!holdall_entry_model_is_busy (self->model))
    apply_pending_selection (self);
}

void
holdall_browser_invert_selection (HoldallBrowser *self)
{
  g_autoptr (GtkBitset) selected = NULL;
  g_autoptr (GtkBitset) all = NULL;
  g_autoptr (GtkBitset) inverted = NULL;

  g_return_if_fail (HOLDALL_IS_BROWSER (self));

  selected = gtk_selection_model_get_selection (self->selection);
  all = gtk_bitset_new_range (0, g_list_model_get_n_items (G_LIST_MODEL (self->model)));
  inverted = gtk_bitset_copy (all);
  gtk_bitset_subtract (inverted, selected);
  gtk_selection_model_set_selection (self->selection, inverted, all);
}
