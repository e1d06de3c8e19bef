/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Holds one immutable HoldallEntryRows and swaps it as a whole. */

#include "config.h"

#include "holdall-entry-model.h"

/* Up to this many nodes to look at, a thread would cost more than it saves. */
#define FEW_NODES 1500

struct _HoldallEntryModel {
  GObject parent_instance;

  HoldallEntryRows *rows;      /* (nullable): what is shown */
  GHashTable *items;           /* HoldNode -> borrowed HoldallEntryItem that somebody holds */

  /* What is wanted; differs from rows while busy. */
  HoldArchive *archive;
  HoldNode *folder;
  HoldallQuery *query;
  HoldallOrder order;
  GCancellable *cancellable;   /* (nullable): of the worker that makes it */
};

typedef struct {
  HoldArchive *archive;
  HoldNode *folder;
  HoldallQuery *query;
  HoldallOrder order;
  HoldallEntryRows *old;
} RowsRequest;

static void holdall_entry_model_list_model_init (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (HoldallEntryModel, holdall_entry_model, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL,
                                                      holdall_entry_model_list_model_init))

enum { CHANGING, SETTLED, N_SIGNALS };

static guint signals[N_SIGNALS];

static void
rows_request_free (gpointer data)
{
  RowsRequest *request = data;

  g_clear_object (&request->archive);
  g_clear_pointer (&request->query, holdall_query_free);
  g_clear_pointer (&request->old, holdall_entry_rows_unref);
  g_free (request);
}

static GType
holdall_entry_model_get_item_type (GListModel *list)
{
  return HOLDALL_TYPE_ENTRY_ITEM;
}

static guint
holdall_entry_model_get_n_items (GListModel *list)
{
  HoldallEntryModel *self = HOLDALL_ENTRY_MODEL (list);

  return self->rows != NULL ? holdall_entry_rows_get_n_rows (self->rows) : 0;
}

static void
item_gone_cb (gpointer  data,
              HoldNode *node)
{
  g_hash_table_remove (data, node);
}

static void
forget_items (HoldallEntryModel *self)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->items);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    holdall_entry_item_set_gone (value, NULL, NULL);
  g_hash_table_remove_all (self->items);
}

static gpointer
holdall_entry_model_get_item (GListModel *list,
                              guint       position)
{
  HoldallEntryModel *self = HOLDALL_ENTRY_MODEL (list);
  HoldallEntryItem *item;
  HoldNode *node;

  if (self->rows == NULL)
    return NULL;
  node = holdall_entry_rows_get_node (self->rows, position);
  if (node == NULL)
    return NULL;
  item = g_hash_table_lookup (self->items, node);
  if (item != NULL)
    return g_object_ref (item);
  item = holdall_entry_item_new (holdall_entry_rows_get_archive (self->rows), node);
  g_hash_table_insert (self->items, node, item);
  holdall_entry_item_set_gone (item, item_gone_cb, self->items);
  return item;
}

static void
holdall_entry_model_list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = holdall_entry_model_get_item_type;
  iface->get_n_items = holdall_entry_model_get_n_items;
  iface->get_item = holdall_entry_model_get_item;
}

static void
cancel (HoldallEntryModel *self)
{
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
}

static void
holdall_entry_model_dispose (GObject *object)
{
  HoldallEntryModel *self = HOLDALL_ENTRY_MODEL (object);

  cancel (self);
  forget_items (self);
  g_clear_pointer (&self->rows, holdall_entry_rows_unref);
  g_clear_pointer (&self->query, holdall_query_free);
  g_clear_object (&self->archive);

  G_OBJECT_CLASS (holdall_entry_model_parent_class)->dispose (object);
}

static void
holdall_entry_model_finalize (GObject *object)
{
  HoldallEntryModel *self = HOLDALL_ENTRY_MODEL (object);

  g_hash_table_unref (self->items);

  G_OBJECT_CLASS (holdall_entry_model_parent_class)->finalize (object);
}

static void
holdall_entry_model_class_init (HoldallEntryModelClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = holdall_entry_model_dispose;
  object_class->finalize = holdall_entry_model_finalize;

  signals[CHANGING] = g_signal_new ("changing", HOLDALL_TYPE_ENTRY_MODEL, G_SIGNAL_RUN_LAST, 0,
                                    NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SETTLED] = g_signal_new ("settled", HOLDALL_TYPE_ENTRY_MODEL, G_SIGNAL_RUN_LAST, 0,
                                   NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
holdall_entry_model_init (HoldallEntryModel *self)
{
  self->items = g_hash_table_new (NULL, NULL);
  self->order.column = HOLDALL_COLUMN_NAME;
  self->order.folders_first = TRUE;
}

HoldallEntryModel *
holdall_entry_model_new (void)
{
  return g_object_new (HOLDALL_TYPE_ENTRY_MODEL, NULL);
}

/* Takes @rows. */
static void
swap_rows (HoldallEntryModel *self,
           HoldallEntryRows  *rows)
{
  guint n_removed = g_list_model_get_n_items (G_LIST_MODEL (self));
  guint n_added = rows != NULL ? holdall_entry_rows_get_n_rows (rows) : 0;

  g_signal_emit (self, signals[CHANGING], 0);
  /* Nodes of the old archive may die with the old rows. */
  if (self->rows == NULL || rows == NULL ||
      holdall_entry_rows_get_archive (self->rows) != holdall_entry_rows_get_archive (rows))
    forget_items (self);
  g_clear_pointer (&self->rows, holdall_entry_rows_unref);
  self->rows = rows;
  g_list_model_items_changed (G_LIST_MODEL (self), 0, n_removed, n_added);
  g_signal_emit (self, signals[SETTLED], 0);
}

static void
make_rows_worker (GTask        *task,
                  gpointer      source_object,
                  gpointer      task_data,
                  GCancellable *cancellable)
{
  RowsRequest *request = task_data;
  HoldallEntryRows *rows = holdall_entry_rows_new (request->archive, request->folder,
                                                   request->query, &request->order, request->old,
                                                   cancellable);

  g_task_return_pointer (task, rows, rows != NULL ? (GDestroyNotify) holdall_entry_rows_unref : NULL);
}

static void
make_rows_cb (GObject      *object,
              GAsyncResult *result,
              gpointer      user_data)
{
  HoldallEntryModel *self = HOLDALL_ENTRY_MODEL (object);
  GCancellable *cancellable = g_task_get_cancellable (G_TASK (result));
  HoldallEntryRows *rows = g_task_propagate_pointer (G_TASK (result), NULL);

  if (cancellable != self->cancellable || rows == NULL)
    {
      g_clear_pointer (&rows, holdall_entry_rows_unref);
      return;
    }
  g_clear_object (&self->cancellable);
  swap_rows (self, rows);
}

static void
rebuild (HoldallEntryModel *self)
{
  guint n_nodes;

  cancel (self);
  if (self->archive == NULL)
    {
      swap_rows (self, NULL);
      return;
    }

  n_nodes = self->query != NULL ? hold_archive_get_n_entries (self->archive)
                                : self->folder != NULL ? hold_node_get_n_children (self->folder) : 0;
  if (n_nodes <= FEW_NODES)
    {
      swap_rows (self, holdall_entry_rows_new (self->archive, self->folder, self->query,
                                               &self->order, self->rows, NULL));
    }
  else
    {
      g_autoptr (GTask) task = NULL;
      RowsRequest *request = g_new0 (RowsRequest, 1);

      request->archive = g_object_ref (self->archive);
      request->folder = self->folder;
      request->query = holdall_query_copy (self->query);
      request->order = self->order;
      request->old = self->rows != NULL ? holdall_entry_rows_ref (self->rows) : NULL;
      self->cancellable = g_cancellable_new ();
      task = g_task_new (self, self->cancellable, make_rows_cb, NULL);
      g_task_set_source_tag (task, rebuild);
      g_task_set_task_data (task, request, rows_request_free);
      g_task_run_in_thread (task, make_rows_worker);
    }
}

void
holdall_entry_model_show (HoldallEntryModel  *self,
                          HoldArchive        *archive,
                          HoldNode           *folder,
                          const HoldallQuery *query)
{
  g_return_if_fail (HOLDALL_IS_ENTRY_MODEL (self));

  g_set_object (&self->archive, archive);
  self->folder = folder;
  g_clear_pointer (&self->query, holdall_query_free);
  self->query = holdall_query_copy (query);
  rebuild (self);
}

void
holdall_entry_model_set_order (HoldallEntryModel  *self,
                               const HoldallOrder *order)
{
  g_return_if_fail (HOLDALL_IS_ENTRY_MODEL (self));
  g_return_if_fail (order != NULL);

  if (self->order.column == order->column && self->order.descending == order->descending &&
      self->order.folders_first == order->folders_first)
    return;
  self->order = *order;
  rebuild (self);
}

const HoldallOrder *
holdall_entry_model_get_order (HoldallEntryModel *self)
{
  g_return_val_if_fail (HOLDALL_IS_ENTRY_MODEL (self), NULL);

  return &self->order;
}

gboolean
holdall_entry_model_is_busy (HoldallEntryModel *self)
{
  g_return_val_if_fail (HOLDALL_IS_ENTRY_MODEL (self), FALSE);

  return self->cancellable != NULL;
}

HoldArchive *
holdall_entry_model_get_archive (HoldallEntryModel *self)
{
  g_return_val_if_fail (HOLDALL_IS_ENTRY_MODEL (self), NULL);

  return self->rows != NULL ? holdall_entry_rows_get_archive (self->rows) : NULL;
}

HoldNode *
holdall_entry_model_get_node (HoldallEntryModel *self,
                              guint              position)
{
  g_return_val_if_fail (HOLDALL_IS_ENTRY_MODEL (self), NULL);

  return self->rows != NULL ? holdall_entry_rows_get_node (self->rows, position) : NULL;
}

guint
holdall_entry_model_find_node (HoldallEntryModel *self,
                               HoldNode          *node)
{
  guint n_rows;

  g_return_val_if_fail (HOLDALL_IS_ENTRY_MODEL (self), G_MAXUINT);

  n_rows = g_list_model_get_n_items (G_LIST_MODEL (self));
  for (guint i = 0; i < n_rows; i++)
    {
      if (holdall_entry_rows_get_node (self->rows, i) == node)
        return i;
    }
  return G_MAXUINT;
}

guint64
holdall_entry_model_get_size (HoldallEntryModel *self)
{
  g_return_val_if_fail (HOLDALL_IS_ENTRY_MODEL (self), 0);

  return self->rows != NULL ? holdall_entry_rows_get_size (self->rows) : 0;
}
