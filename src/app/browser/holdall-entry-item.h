/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* One row: a node of an archive's tree and the archive that keeps it alive. Made when a row
 * comes into view, gone when nobody looks any more. */

#pragma once

#include <hold.h>

#include "holdall-type-info.h"

G_BEGIN_DECLS

#define HOLDALL_TYPE_ENTRY_ITEM (holdall_entry_item_get_type ())
G_DECLARE_FINAL_TYPE (HoldallEntryItem, holdall_entry_item, HOLDALL, ENTRY_ITEM, GObject)

/* Tells that an item goes; @item must not be used any more. */
typedef void (*HoldallEntryItemGone) (gpointer data, HoldNode *node);

/* All: Thread: main. @node belongs to the tree of @archive, which is referenced. */
HoldallEntryItem      *holdall_entry_item_new         (HoldArchive *archive, HoldNode *node);
/* @gone: (nullable): called once when the item goes, unless it was replaced by NULL before. */
void                   holdall_entry_item_set_gone    (HoldallEntryItem *self,
                                                       HoldallEntryItemGone gone,
                                                       gpointer data);
HoldArchive           *holdall_entry_item_get_archive (HoldallEntryItem *self);
HoldNode              *holdall_entry_item_get_node    (HoldallEntryItem *self);
const HoldEntry       *holdall_entry_item_get_entry   (HoldallEntryItem *self);  /* (nullable) */
const HoldallTypeInfo *holdall_entry_item_get_type_info (HoldallEntryItem *self);
gboolean               holdall_entry_item_is_folder   (HoldallEntryItem *self);
/* (transfer full) */
char                  *holdall_entry_item_dup_path    (HoldallEntryItem *self);
/* (transfer full): the name with control characters made visible. */
char                  *holdall_entry_item_dup_display_name (HoldallEntryItem *self);
/* (nullable) (transfer full): a translated sentence on what is wrong with the entry. */
char                  *holdall_entry_item_dup_warning (HoldallEntryItem *self);

G_END_DECLS
