/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The rows of the browser as a list model: a folder or a search, in an order. Big ones are
 * collected and sorted by a worker while the old rows stay; items exist only while somebody looks.
 */

#pragma once

#include "holdall-entry-rows.h"

G_BEGIN_DECLS

/* A GListModel of HoldallEntryItem. Thread: main.
 *
 * Signals: "changing" right before the rows are replaced, "settled" right after; both without
 * arguments. A change that is overtaken by a later one gives neither. */
#define HOLDALL_TYPE_ENTRY_MODEL (holdall_entry_model_get_type ())
G_DECLARE_FINAL_TYPE (HoldallEntryModel, holdall_entry_model, HOLDALL, ENTRY_MODEL, GObject)

HoldallEntryModel *holdall_entry_model_new        (void);
/* @archive: (nullable): none shows nothing. @folder: (nullable): of @archive. @query: (nullable):
 * searched instead of @folder. */
void               holdall_entry_model_show       (HoldallEntryModel *self, HoldArchive *archive, HoldNode *folder,
                                                   const HoldallQuery *query);
void               holdall_entry_model_set_order  (HoldallEntryModel *self, const HoldallOrder *order);
const HoldallOrder *holdall_entry_model_get_order (HoldallEntryModel *self);
/* A change is on its way. */
gboolean           holdall_entry_model_is_busy    (HoldallEntryModel *self);
/* (nullable) borrowed: what the rows are now */
HoldArchive       *holdall_entry_model_get_archive (HoldallEntryModel *self);
HoldNode          *holdall_entry_model_get_node   (HoldallEntryModel *self, guint position);
/* G_MAXUINT if it is not among the rows. Blocks: 100,000 rows take about 0.2 ms. */
guint              holdall_entry_model_find_node  (HoldallEntryModel *self, HoldNode *node);
guint64            holdall_entry_model_get_size   (HoldallEntryModel *self);

G_END_DECLS
