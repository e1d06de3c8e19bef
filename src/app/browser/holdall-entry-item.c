/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Rows of a GListModel must be objects; this one is as small as they get. */

#include "config.h"

#include "holdall-entry-item.h"

#include "holdall-engine-text.h"

struct _HoldallEntryItem {
  GObject parent_instance;

  HoldArchive *archive;
  HoldNode *node;

  HoldallEntryItemGone gone;  /* (nullable) */
  gpointer gone_data;
};

G_DEFINE_FINAL_TYPE (HoldallEntryItem, holdall_entry_item, G_TYPE_OBJECT)

static void
holdall_entry_item_finalize (GObject *object)
{
  HoldallEntryItem *self = HOLDALL_ENTRY_ITEM (object);

  if (self->gone != NULL)
    self->gone (self->gone_data, self->node);
  g_clear_object (&self->archive);

  G_OBJECT_CLASS (holdall_entry_item_parent_class)->finalize (object);
}

static void
holdall_entry_item_class_init (HoldallEntryItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = holdall_entry_item_finalize;
}

static void
holdall_entry_item_init (HoldallEntryItem *self)
{
}

HoldallEntryItem *
holdall_entry_item_new (HoldArchive *archive,
                        HoldNode    *node)
{
  HoldallEntryItem *self = g_object_new (HOLDALL_TYPE_ENTRY_ITEM, NULL);

  self->archive = g_object_ref (archive);
  self->node = node;
  return self;
}

void
holdall_entry_item_set_gone (HoldallEntryItem     *self,
                             HoldallEntryItemGone  gone,
                             gpointer              data)
{
  g_return_if_fail (HOLDALL_IS_ENTRY_ITEM (self));

  self->gone = gone;
  self->gone_data = data;
}

HoldArchive *
holdall_entry_item_get_archive (HoldallEntryItem *self)
{
  g_return_val_if_fail (HOLDALL_IS_ENTRY_ITEM (self), NULL);

  return self->archive;
}

HoldNode *
holdall_entry_item_get_node (HoldallEntryItem *self)
{
  g_return_val_if_fail (HOLDALL_IS_ENTRY_ITEM (self), NULL);

  return self->node;
}

const HoldEntry *
holdall_entry_item_get_entry (HoldallEntryItem *self)
{
  g_return_val_if_fail (HOLDALL_IS_ENTRY_ITEM (self), NULL);

  return hold_node_get_entry (self->node);
}

const HoldallTypeInfo *
holdall_entry_item_get_type_info (HoldallEntryItem *self)
{
  g_return_val_if_fail (HOLDALL_IS_ENTRY_ITEM (self), NULL);

  if (hold_node_get_parent (self->node) == NULL)
    return holdall_type_info_for_name (hold_path_peek_basename (hold_archive_get_path (self->archive)));
  return holdall_type_info_for_node (self->node);
}

gboolean
holdall_entry_item_is_folder (HoldallEntryItem *self)
{
  g_return_val_if_fail (HOLDALL_IS_ENTRY_ITEM (self), FALSE);

  return hold_node_is_folder (self->node);
}

char *
holdall_entry_item_dup_path (HoldallEntryItem *self)
{
  g_return_val_if_fail (HOLDALL_IS_ENTRY_ITEM (self), NULL);

  return hold_node_dup_path (self->node);
}

char *
holdall_entry_item_dup_display_name (HoldallEntryItem *self)
{
  g_return_val_if_fail (HOLDALL_IS_ENTRY_ITEM (self), NULL);

  /* The top has no name of its own: it is the archive. */
  if (hold_node_get_parent (self->node) == NULL)
    {
      g_autofree char *name = g_filename_display_basename (hold_archive_get_path (self->archive));

      return hold_path_escape_for_display (name);
    }
  return hold_path_escape_for_display (hold_node_get_name (self->node));
}

char *
holdall_entry_item_dup_warning (HoldallEntryItem *self)
{
  const HoldEntry *entry;

  g_return_val_if_fail (HOLDALL_IS_ENTRY_ITEM (self), NULL);

  entry = hold_node_get_entry (self->node);
  return entry != NULL ? holdall_engine_text_warning (entry) : NULL;
}
