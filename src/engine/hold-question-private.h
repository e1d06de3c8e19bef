/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* How jobs make questions and read the answers. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-question.h"

G_BEGIN_DECLS

HoldQuestion *hold_question_new_password (const char *archive_path, const char *entry_path, gboolean was_wrong);
HoldQuestion *hold_question_new_password_for_adding (const char *archive_path, const char *entry_path,
                                                     gboolean was_wrong);
HoldQuestion *hold_question_new_conflict (const HoldConflictSide *existing, const HoldConflictSide *incoming);
HoldQuestion *hold_question_new_continue (const GError *error);

typedef enum { HOLD_ANSWER_PENDING, HOLD_ANSWER_GIVEN, HOLD_ANSWER_CANCELLED } HoldAnswer;

/* Waits for an answer, cancel of @cancellable or hold_question_cancel(). Blocks: yes. */
HoldAnswer    hold_question_wait (HoldQuestion *self, GCancellable *cancellable);
HoldSecret   *hold_question_dup_secret (HoldQuestion *self);
HoldConflict  hold_question_get_conflict (HoldQuestion *self, gboolean *for_all);
gboolean      hold_question_get_continue (HoldQuestion *self, gboolean *for_all);

G_END_DECLS
