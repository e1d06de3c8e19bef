/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The rows of one view in their order: the children of a folder, or what a search found. Made
 * by a worker when there are many, immutable afterwards. */

#pragma once

#include "holdall-column.h"

G_BEGIN_DECLS

typedef struct _HoldallEntryRows HoldallEntryRows;

typedef struct {
  HoldallColumnId column;
  gboolean descending;
  gboolean folders_first;
} HoldallOrder;

typedef struct {
  char *text;               /* UTF-8 */
  gboolean is_glob;         /* "*" and "?" stand for any letters */
  gboolean case_sensitive;
} HoldallQuery;

HoldallQuery *holdall_query_copy (const HoldallQuery *self);
void          holdall_query_free (HoldallQuery *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldallQuery, holdall_query_free)

/**
 * holdall_entry_rows_new:
 * @archive: referenced as long as the rows live
 * @folder: (nullable): rows are its children; NULL for none
 * @query: (nullable): rows are instead all nodes of the archive whose names match; a text with
 *   "/" in it is sought in the whole path
 * @order: how they stand; a folder's or file's name and then its position in the archive decide between equals
 * @old: (nullable): rows of the same archive, whose sort keys are used again
 *
 * Thread: any. Blocks: about 1 µs per row and more for the first time. Returns: NULL if @cancellable was cancelled.
 */
HoldallEntryRows *holdall_entry_rows_new (HoldArchive        *archive,
                                          HoldNode           *folder,
                                          const HoldallQuery *query,
                                          const HoldallOrder *order,
                                          HoldallEntryRows   *old,
                                          GCancellable       *cancellable);
HoldallEntryRows *holdall_entry_rows_ref   (HoldallEntryRows *self);
void              holdall_entry_rows_unref (HoldallEntryRows *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldallEntryRows, holdall_entry_rows_unref)

/* Thread: any. */
guint             holdall_entry_rows_get_n_rows  (HoldallEntryRows *self);
HoldNode         *holdall_entry_rows_get_node    (HoldallEntryRows *self, guint position);
HoldArchive      *holdall_entry_rows_get_archive (HoldallEntryRows *self);
/* Sum of the sizes of all rows, in bytes. */
guint64           holdall_entry_rows_get_size    (HoldallEntryRows *self);

G_END_DECLS
