/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Puts changed copies back into their archives, and the words in which that is asked about. */

#pragma once

#include "holdall-opened-list.h"

G_BEGIN_DECLS

/**
 * holdall_opened_update_run:
 * @entries: (element-type HoldallOpenedEntry): not read-only
 * @except: (nullable): a window that is about to close
 *
 * One job for each archive. Where a window shows it, that window submits the edit like any other of
 * its own: it can be undone there, and says what it costs and what came of it. Thread: main.
 */
void holdall_opened_update_run (GtkApplication *application, GPtrArray *entries, GtkWindow *except);

/* "“a.txt” was changed. Update ci.zip?" (transfer full): for people. @entries: of one archive, not
 * empty */
char *holdall_opened_update_dup_question (HoldallOpenedList *list, GPtrArray *entries);

/* Asks in a dialog of its own about a copy of which no window speaks; once at a time. */
void holdall_opened_update_ask (GtkApplication *application, HoldallOpenedEntry *entry);

G_END_DECLS
