/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What a job must ask while it runs. Data with a condition: the worker waits, whoever shows it
 * answers; answering, cancelling and dropping the last listener all wake the worker, so nothing
 * hangs. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-secret.h"

G_BEGIN_DECLS

#define HOLD_TYPE_QUESTION (hold_question_get_type ())
G_DECLARE_FINAL_TYPE (HoldQuestion, hold_question, HOLD, QUESTION, GObject)

typedef enum {
  HOLD_QUESTION_PASSWORD,  /* for the archive or one entry */
  HOLD_QUESTION_CONFLICT,  /* something of that name is there already */
  HOLD_QUESTION_CONTINUE,  /* an error, a limit or a lack of space: go on? */
} HoldQuestionKind;

/* What to do with an entry whose place is taken. ASK is a policy only, never an answer. */
typedef enum {
  HOLD_CONFLICT_ASK,
  HOLD_CONFLICT_SKIP,
  HOLD_CONFLICT_OVERWRITE,
  HOLD_CONFLICT_NEWER,      /* overwrite only if the entry is newer than the file */
  HOLD_CONFLICT_RENAME,     /* keep both: "a (2).txt" */
} HoldConflict;

typedef struct {
  const char *path;         /* borrowed from the question: display path; existing: path on disk */
  gboolean    is_folder;
  gboolean    has_size;
  guint64     size_bytes;
  gboolean    has_mtime;
  gint64      mtime;        /* Unix seconds */
} HoldConflictSide;

HoldQuestionKind hold_question_get_kind (HoldQuestion *self);
/* PASSWORD: the archive's file name and the entry (nullable: the list itself is encrypted). */
const char *hold_question_get_archive_path (HoldQuestion *self);
const char *hold_question_get_entry_path (HoldQuestion *self);
gboolean    hold_question_was_wrong (HoldQuestion *self);           /* PASSWORD: asked again because the last was wrong */
/* PASSWORD: not to read the entry, but to encrypt what is added in the same way. */
gboolean    hold_question_is_for_adding (HoldQuestion *self);
const HoldConflictSide *hold_question_get_existing (HoldQuestion *self);  /* CONFLICT */
const HoldConflictSide *hold_question_get_incoming (HoldQuestion *self);  /* CONFLICT */
const GError *hold_question_get_error (HoldQuestion *self);         /* CONTINUE: why it asks */

/* Answers: Thread: any, once; later answers are ignored. */
void hold_question_answer_password (HoldQuestion *self, HoldSecret *secret);
void hold_question_answer_conflict (HoldQuestion *self, HoldConflict what, gboolean for_all);
void hold_question_answer_continue (HoldQuestion *self, gboolean go_on, gboolean for_all);
void hold_question_cancel          (HoldQuestion *self);            /* stops the job quietly */
gboolean hold_question_is_answered (HoldQuestion *self);

G_END_DECLS
