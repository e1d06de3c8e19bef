/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Subfolders are looked up when a row is unfolded, so that a deep archive costs nothing at first.
 */

#include "config.h"

#include "holdall-entry-item.h"
#include "holdall-name-cell.h"
#include "holdall-tree-pane.h"

/* Looking through more of them after every edit would take its time. */
#define MAX_REMEMBERED_ROWS 10000
/* Deeper folders would stand far outside of the pane, and each row has a widget for each of its levels. */
#define MAX_DEPTH 32

struct _HoldallTreePane {
  GtkWidget parent_instance;

  HoldArchive *archive;            /* (nullable) */
  GtkTreeListModel *tree;          /* (nullable) borrowed from selection */
  GtkSingleSelection *selection;   /* (nullable) */
  gboolean following;              /* the window moves the mark, not a person */
  /* frames to wait before the marked row is scrolled to; 0: no need */
  guint aim_frames;

  GtkScrolledWindow *scroller;
  GtkListView *list;
};

typedef struct {
  HoldNode *node;
  char *key;
} Folder;

G_DEFINE_FINAL_TYPE (HoldallTreePane, holdall_tree_pane, GTK_TYPE_WIDGET)

static void
folder_clear (gpointer data)
{
  Folder *folder = data;

  g_clear_pointer (&folder->key, g_free);
}

static int
compare_folders (gconstpointer a,
                 gconstpointer b)
{
  return strcmp (((const Folder *) a)->key, ((const Folder *) b)->key);
}

/* How many folders @node lies in, up to as many as count. */
static guint
get_depth (HoldNode *node)
{
  guint depth = 0;

  while (depth < MAX_DEPTH && (node = hold_node_get_parent (node)) != NULL)
    depth++;
  return depth;
}

static GListModel *
create_children_cb (gpointer data,
                    gpointer user_data)
{
  HoldallEntryItem *item = data;
  HoldNode *node = holdall_entry_item_get_node (item);
  g_autoptr (GArray) folders = g_array_new (FALSE, FALSE, sizeof (Folder));
  g_autoptr (GPtrArray) items = NULL;
  GListStore *store;
  guint n_children = hold_node_get_n_children (node);

  if (get_depth (node) >= MAX_DEPTH)
    return NULL;
  g_array_set_clear_func (folders, folder_clear);
  for (guint i = 0; i < n_children; i++)
    {
      HoldNode *child = hold_node_get_child (node, i);

      if (hold_node_is_folder (child))
        {
          Folder folder = { child, hold_path_collation_key (hold_node_get_name (child)) };

          g_array_append_val (folders, folder);
        }
    }
  if (folders->len == 0)
    return NULL;

  g_array_sort (folders, compare_folders);
  items = g_ptr_array_new_full (folders->len, g_object_unref);
  for (guint i = 0; i < folders->len; i++)
    g_ptr_array_add (items, holdall_entry_item_new (holdall_entry_item_get_archive (item),
                                                    g_array_index (folders, Folder, i).node));
  store = g_list_store_new (HOLDALL_TYPE_ENTRY_ITEM);
  g_list_store_splice (store, 0, 0, items->pdata, items->len);
  return G_LIST_MODEL (store);
}

static void
setup_cb (GtkSignalListItemFactory *factory,
          GtkListItem              *list_item,
          gpointer                  user_data)
{
  GtkWidget *expander = gtk_tree_expander_new ();

  gtk_tree_expander_set_child (GTK_TREE_EXPANDER (expander), holdall_name_cell_new (FALSE));
  gtk_list_item_set_child (list_item, expander);
}

static void
bind_cb (GtkSignalListItemFactory *factory,
         GtkListItem              *list_item,
         gpointer                  user_data)
{
  GtkTreeExpander *expander = GTK_TREE_EXPANDER (gtk_list_item_get_child (list_item));
  GtkTreeListRow *row = gtk_list_item_get_item (list_item);
  g_autoptr (HoldallEntryItem) item = gtk_tree_list_row_get_item (row);

  gtk_tree_expander_set_list_row (expander, row);
  holdall_name_cell_set_item (HOLDALL_NAME_CELL (gtk_tree_expander_get_child (expander)), item);
}

static void
unbind_cb (GtkSignalListItemFactory *factory,
           GtkListItem              *list_item,
           gpointer                  user_data)
{
  GtkTreeExpander *expander = GTK_TREE_EXPANDER (gtk_list_item_get_child (list_item));

  gtk_tree_expander_set_list_row (expander, NULL);
  holdall_name_cell_set_item (HOLDALL_NAME_CELL (gtk_tree_expander_get_child (expander)), NULL);
}

static void
selected_cb (HoldallTreePane *self)
{
  GtkTreeListRow *row = gtk_single_selection_get_selected_item (self->selection);
  g_autoptr (HoldallEntryItem) item = NULL;
  g_autofree char *path = NULL;

  if (row == NULL || self->following)
    return;
  item = gtk_tree_list_row_get_item (row);
  path = holdall_entry_item_dup_path (item);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.go-to", "s", path);
}

static void
activate_cb (HoldallTreePane *self,
             guint            position)
{
  g_autoptr (GtkTreeListRow) row = gtk_tree_list_model_get_row (self->tree, position);

  if (row != NULL)
    gtk_tree_list_row_set_expanded (row, !gtk_tree_list_row_get_expanded (row));
}

static void
holdall_tree_pane_dispose (GObject *object)
{
  HoldallTreePane *self = HOLDALL_TREE_PANE (object);
  GtkWidget *child;

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);
  g_clear_object (&self->selection);
  g_clear_object (&self->archive);

  G_OBJECT_CLASS (holdall_tree_pane_parent_class)->dispose (object);
}

static void
holdall_tree_pane_class_init (HoldallTreePaneClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = holdall_tree_pane_dispose;

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "tree-pane");
  gtk_widget_class_set_template_from_resource (widget_class, HOLDALL_APP_PATH
                                               "/holdall-tree-pane.ui");
  gtk_widget_class_bind_template_child (widget_class, HoldallTreePane, list);
  gtk_widget_class_bind_template_child (widget_class, HoldallTreePane, scroller);
}

static void
holdall_tree_pane_init (HoldallTreePane *self)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect (factory, "setup", G_CALLBACK (setup_cb), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_cb), NULL);
  g_signal_connect (factory, "unbind", G_CALLBACK (unbind_cb), NULL);
  gtk_list_view_set_factory (self->list, factory);
  g_signal_connect_swapped (self->list, "activate", G_CALLBACK (activate_cb), self);
}

/* An archive often holds a single folder: its content is what one wants to see. */
static void
unfold_top (HoldallTreePane *self)
{
  g_autoptr (GtkTreeListRow) top = gtk_tree_list_model_get_row (self->tree, 0);
  GListModel *children;

  if (top == NULL)
    return;
  gtk_tree_list_row_set_expanded (top, TRUE);
  children = gtk_tree_list_row_get_children (top);
  if (children != NULL && g_list_model_get_n_items (children) == 1)
    {
      g_autoptr (GtkTreeListRow) only = gtk_tree_list_row_get_child_row (top, 0);

      gtk_tree_list_row_set_expanded (only, TRUE);
    }
}

/* (transfer full) (nullable): paths of the folders that are unfolded */
static GHashTable *
dup_unfolded (HoldallTreePane *self)
{
  g_autoptr (GHashTable) unfolded = NULL;
  guint n_rows = self->tree != NULL ? g_list_model_get_n_items (G_LIST_MODEL (self->tree)) : 0;

  if (n_rows == 0 || n_rows > MAX_REMEMBERED_ROWS)
    return NULL;
  unfolded = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < n_rows; i++)
    {
      g_autoptr (GtkTreeListRow) row = gtk_tree_list_model_get_row (self->tree, i);
      g_autoptr (HoldallEntryItem) item = gtk_tree_list_row_get_item (row);

      if (gtk_tree_list_row_get_expanded (row))
        g_hash_table_add (unfolded, holdall_entry_item_dup_path (item));
    }
  return g_steal_pointer (&unfolded);
}

/* After an edit the tree looks as before. */
static void
unfold_again (HoldallTreePane *self,
              GHashTable      *unfolded)
{
  /* Unfolding a row brings more rows below it. */
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->tree)); i++)
    {
      g_autoptr (GtkTreeListRow) row = gtk_tree_list_model_get_row (self->tree, i);
      g_autoptr (HoldallEntryItem) item = gtk_tree_list_row_get_item (row);
      g_autofree char *path = holdall_entry_item_dup_path (item);

      gtk_tree_list_row_set_expanded (row, g_hash_table_contains (unfolded, path));
    }
}

void
holdall_tree_pane_set_archive (HoldallTreePane *self,
                               HoldArchive     *archive)
{
  g_autoptr (HoldallEntryItem) item = NULL;
  g_autoptr (GHashTable) unfolded = NULL;
  GListStore *roots;

  g_return_if_fail (HOLDALL_IS_TREE_PANE (self));

  if (self->archive == archive)
    return;
  unfolded = dup_unfolded (self);
  g_set_object (&self->archive, archive);
  self->following = TRUE;
  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  gtk_list_view_set_model (self->list, NULL);
  g_clear_object (&self->selection);
  self->tree = NULL;
  if (archive != NULL)
    {
      item = holdall_entry_item_new (archive, hold_tree_get_root (hold_archive_get_tree (archive)));
      roots = g_list_store_new (HOLDALL_TYPE_ENTRY_ITEM);
      g_list_store_append (roots, item);
      self->tree = gtk_tree_list_model_new (G_LIST_MODEL (roots), FALSE, FALSE, create_children_cb,
                                            NULL, NULL);
      self->selection = gtk_single_selection_new (G_LIST_MODEL (self->tree));
      gtk_single_selection_set_autoselect (self->selection, FALSE);
      gtk_list_view_set_model (self->list, GTK_SELECTION_MODEL (self->selection));
      if (unfolded != NULL)
        unfold_again (self, unfolded);
      else
        unfold_top (self);
      g_signal_connect_swapped (self->selection, "notify::selected", G_CALLBACK (selected_cb), self);
    }
  self->following = FALSE;
}

/* (transfer full) (nullable) */
static GtkTreeListRow *
find_child_row (GtkTreeListRow *row,
                HoldNode       *node)
{
  GListModel *children;

  gtk_tree_list_row_set_expanded (row, TRUE);
  children = gtk_tree_list_row_get_children (row);
  for (guint i = 0; children != NULL && i < g_list_model_get_n_items (children); i++)
    {
      g_autoptr (HoldallEntryItem) item = g_list_model_get_item (children, i);

      if (holdall_entry_item_get_node (item) == node)
        return gtk_tree_list_row_get_child_row (row, i);
    }
  return NULL;
}

/* Rows that were just unfolded have no place before they are laid out. */
static gboolean
scroll_cb (GtkWidget     *widget,
           GdkFrameClock *clock,
           gpointer       user_data)
{
  HoldallTreePane *self = HOLDALL_TREE_PANE (widget);
  guint position;

  if (--self->aim_frames > 0)
    return G_SOURCE_CONTINUE;
  position = self->selection != NULL ? gtk_single_selection_get_selected (self->selection)
                                     : GTK_INVALID_LIST_POSITION;
  if (position != GTK_INVALID_LIST_POSITION && gtk_widget_get_mapped (GTK_WIDGET (self->list)))
    gtk_widget_activate_action (GTK_WIDGET (self->list), "list.scroll-to-item", "u", position);
  return G_SOURCE_REMOVE;
}

void
holdall_tree_pane_set_folder (HoldallTreePane *self,
                              HoldNode        *folder)
{
  g_autoptr (GPtrArray) way = g_ptr_array_new ();
  g_autoptr (GtkTreeListRow) row = NULL;

  g_return_if_fail (HOLDALL_IS_TREE_PANE (self));

  if (self->tree == NULL || folder == NULL)
    return;
  for (HoldNode *node = folder; hold_node_get_parent (node) != NULL;
       node = hold_node_get_parent (node))
    g_ptr_array_add (way, node);

  self->following = TRUE;
  row = gtk_tree_list_model_get_row (self->tree, 0);
  for (guint i = way->len; i > 0 && row != NULL; i--)
    {
      GtkTreeListRow *child = find_child_row (row, g_ptr_array_index (way, i - 1));

      g_object_unref (row);
      row = child;
    }
  if (row != NULL)
    {
      gtk_single_selection_set_selected (self->selection, gtk_tree_list_row_get_position (row));
      if (self->aim_frames == 0)
        gtk_widget_add_tick_callback (GTK_WIDGET (self), scroll_cb, NULL, NULL);
      self->aim_frames = 3;
    }
  else
    {
      /* It lies deeper than the tree shows. */
      gtk_single_selection_set_selected (self->selection, GTK_INVALID_LIST_POSITION);
    }
  self->following = FALSE;
}
