/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The engine speaks English and knows no gettext. The sentences and labels of it that people see
 * are repeated here, so that they can be translated; tests/house sees to it that none is missing. */

#pragma once

#include <hold.h>

G_BEGIN_DECLS

/**
 * holdall_engine_text_why_not:
 * @why_not: (nullable): what hold_archive_why_not() or hold_format_why_not() says
 *
 * Thread: main. Returns: (nullable) (transfer full): the sentence in the person's language, or in
 * the engine's words if it is a new one.
 */
char *holdall_engine_text_why_not (const char *why_not);

/**
 * holdall_engine_text_label:
 * @label: a label of hold_archive_dup_details()
 *
 * Thread: main. Returns: (nullable): borrowed; NULL for what the properties show by themselves, in a
 * form that is easier to read.
 */
const char *holdall_engine_text_label (const char *label);

/**
 * holdall_engine_text_warning:
 *
 * Why an entry will not be extracted as it is stored. Thread: main.
 * Returns: (nullable) (transfer full): a sentence; NULL if nothing is wrong with it
 */
char *holdall_engine_text_warning (const HoldEntry *entry);

G_END_DECLS
