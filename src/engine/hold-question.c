/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What a job asks: set once by the worker, answered once from any thread, waited for on a condition
 * in a loop, so that neither a lost wake-up nor an early answer can hang a job. */

#include "hold-question-private.h"

struct _HoldQuestion
{
  GObject parent_instance;

  /* Set by the constructors, then never changed. */
  HoldQuestionKind kind;
  char *archive_path;
  char *entry_path;
  gboolean was_wrong;
  gboolean for_adding;
  HoldConflictSide existing;
  HoldConflictSide incoming;
  GError *error;

  /* Under the lock. */
  GMutex lock;
  GCond answered;
  HoldAnswer answer;
  HoldSecret *secret;
  HoldConflict conflict;
  gboolean go_on;
  gboolean for_all;
};

G_DEFINE_FINAL_TYPE (HoldQuestion, hold_question, G_TYPE_OBJECT)

static void
hold_question_finalize (GObject *object)
{
  HoldQuestion *self = HOLD_QUESTION (object);

  g_free (self->archive_path);
  g_free (self->entry_path);
  g_free ((char *) self->existing.path);
  g_free ((char *) self->incoming.path);
  g_clear_error (&self->error);
  g_clear_pointer (&self->secret, hold_secret_unref);
  g_cond_clear (&self->answered);
  g_mutex_clear (&self->lock);

  G_OBJECT_CLASS (hold_question_parent_class)->finalize (object);
}

static void
hold_question_class_init (HoldQuestionClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = hold_question_finalize;
}

static void
hold_question_init (HoldQuestion *self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->answered);
}

/**
 * hold_question_new_password:
 * @archive_path: the archive, file-system encoding; copied
 * @entry_path: (nullable): the entry, UTF-8; NULL: the list itself is encrypted
 * @was_wrong: the last answer did not fit
 *
 * Thread: any. Blocks: no.
 * Returns: (transfer full)
 */
HoldQuestion *
hold_question_new_password (const char *archive_path, const char *entry_path, gboolean was_wrong)
{
  HoldQuestion *self = g_object_new (HOLD_TYPE_QUESTION, NULL);

  self->kind = HOLD_QUESTION_PASSWORD;
  self->archive_path = g_strdup (archive_path);
  self->entry_path = g_strdup (entry_path);
  self->was_wrong = was_wrong;
  return self;
}

/**
 * hold_question_new_password_for_adding:
 * @entry_path: an entry that the answer is tried on
 *
 * As hold_question_new_password(), where nothing is to be read: what is added gets the password of what
 * is there.
 */
HoldQuestion *
hold_question_new_password_for_adding (const char *archive_path, const char *entry_path, gboolean was_wrong)
{
  HoldQuestion *self = hold_question_new_password (archive_path, entry_path, was_wrong);

  self->for_adding = TRUE;
  return self;
}

/**
 * hold_question_new_conflict:
 * @existing: what is there; copied with its path
 * @incoming: what would take its place; copied with its path
 *
 * Thread: any. Blocks: no.
 * Returns: (transfer full)
 */
HoldQuestion *
hold_question_new_conflict (const HoldConflictSide *existing, const HoldConflictSide *incoming)
{
  HoldQuestion *self = g_object_new (HOLD_TYPE_QUESTION, NULL);

  self->kind = HOLD_QUESTION_CONFLICT;
  self->existing = *existing;
  self->existing.path = g_strdup (existing->path);
  self->incoming = *incoming;
  self->incoming.path = g_strdup (incoming->path);
  self->conflict = HOLD_CONFLICT_SKIP;
  return self;
}

/**
 * hold_question_new_continue:
 * @error: why it asks; copied
 *
 * Thread: any. Blocks: no.
 * Returns: (transfer full)
 */
HoldQuestion *
hold_question_new_continue (const GError *error)
{
  HoldQuestion *self = g_object_new (HOLD_TYPE_QUESTION, NULL);

  self->kind = HOLD_QUESTION_CONTINUE;
  self->error = g_error_copy (error);
  return self;
}

/* Getters. Thread: any: they read what never changes. Blocks: no. All borrow. */

HoldQuestionKind
hold_question_get_kind (HoldQuestion *self)
{
  return self->kind;
}

const char *
hold_question_get_archive_path (HoldQuestion *self)
{
  return self->archive_path;
}

const char *
hold_question_get_entry_path (HoldQuestion *self)
{
  return self->entry_path;
}

gboolean
hold_question_was_wrong (HoldQuestion *self)
{
  return self->was_wrong;
}

gboolean
hold_question_is_for_adding (HoldQuestion *self)
{
  return self->for_adding;
}

const HoldConflictSide *
hold_question_get_existing (HoldQuestion *self)
{
  return &self->existing;
}

const HoldConflictSide *
hold_question_get_incoming (HoldQuestion *self)
{
  return &self->incoming;
}

const GError *
hold_question_get_error (HoldQuestion *self)
{
  return self->error;
}

/* Locks; TRUE: still open, answer it and call finish_answer(). */
static gboolean
begin_answer (HoldQuestion *self)
{
  g_mutex_lock (&self->lock);
  if (self->answer == HOLD_ANSWER_PENDING)
    return TRUE;
  g_mutex_unlock (&self->lock);
  return FALSE;
}

static void
finish_answer (HoldQuestion *self, HoldAnswer answer)
{
  self->answer = answer;
  g_cond_broadcast (&self->answered);
  g_mutex_unlock (&self->lock);
}

/**
 * hold_question_answer_password:
 * @self: a PASSWORD question
 * @secret: a reference is taken. An empty password can't be one, it cancels (P08).
 *
 * Thread: any; only the first answer counts. Blocks: no.
 */
void
hold_question_answer_password (HoldQuestion *self, HoldSecret *secret)
{
  g_return_if_fail (self->kind == HOLD_QUESTION_PASSWORD);

  if (secret == NULL || hold_secret_peek (secret)[0] == '\0')
    {
      hold_question_cancel (self);
      return;
    }
  if (!begin_answer (self))
    return;
  self->secret = hold_secret_ref (secret);
  finish_answer (self, HOLD_ANSWER_GIVEN);
}

/**
 * hold_question_answer_conflict:
 * @self: a CONFLICT question
 * @what: anything but ASK
 * @for_all: the answer serves all further conflicts of the job
 *
 * Thread: any; only the first answer counts. Blocks: no.
 */
void
hold_question_answer_conflict (HoldQuestion *self, HoldConflict what, gboolean for_all)
{
  g_return_if_fail (self->kind == HOLD_QUESTION_CONFLICT);
  g_return_if_fail (what != HOLD_CONFLICT_ASK);

  if (!begin_answer (self))
    return;
  self->conflict = what;
  self->for_all = for_all;
  finish_answer (self, HOLD_ANSWER_GIVEN);
}

/**
 * hold_question_answer_continue:
 * @self: a CONTINUE question
 * @go_on: FALSE: the job fails with the error that was shown
 * @for_all: the answer serves all further questions of this kind in the job
 *
 * Thread: any; only the first answer counts. Blocks: no.
 */
void
hold_question_answer_continue (HoldQuestion *self, gboolean go_on, gboolean for_all)
{
  g_return_if_fail (self->kind == HOLD_QUESTION_CONTINUE);

  if (!begin_answer (self))
    return;
  self->go_on = go_on;
  self->for_all = for_all;
  finish_answer (self, HOLD_ANSWER_GIVEN);
}

void
hold_question_cancel (HoldQuestion *self)
{
  if (begin_answer (self))
    finish_answer (self, HOLD_ANSWER_CANCELLED);
}

gboolean
hold_question_is_answered (HoldQuestion *self)
{
  g_mutex_lock (&self->lock);
  gboolean answered = self->answer != HOLD_ANSWER_PENDING;
  g_mutex_unlock (&self->lock);
  return answered;
}

static void
cancelled_cb (GCancellable *cancellable, gpointer user_data)
{
  hold_question_cancel (user_data);
}

/**
 * hold_question_wait:
 * @self: the question, already shown
 * @cancellable: (nullable): cancelling it cancels the question
 *
 * Thread: the worker that asks. Blocks: until answered or cancelled.
 * Returns: GIVEN or CANCELLED
 */
HoldAnswer
hold_question_wait (HoldQuestion *self, GCancellable *cancellable)
{
  /* Connected before the lock is taken and disconnected after it is dropped: the callback takes it.
   */
  gulong handler = cancellable == NULL
                     ? 0
                     : g_cancellable_connect (cancellable, G_CALLBACK (cancelled_cb),
                                              g_object_ref (self), g_object_unref);

  g_mutex_lock (&self->lock);
  while (self->answer == HOLD_ANSWER_PENDING)
    g_cond_wait (&self->answered, &self->lock);
  HoldAnswer answer = self->answer;
  g_mutex_unlock (&self->lock);

  if (handler != 0)
    g_cancellable_disconnect (cancellable, handler);
  return answer;
}

HoldSecret *
hold_question_dup_secret (HoldQuestion *self)
{
  g_mutex_lock (&self->lock);
  HoldSecret *secret = self->secret != NULL ? hold_secret_ref (self->secret) : NULL;
  g_mutex_unlock (&self->lock);
  return secret;
}

HoldConflict
hold_question_get_conflict (HoldQuestion *self, gboolean *for_all)
{
  g_mutex_lock (&self->lock);
  HoldConflict conflict = self->conflict;
  if (for_all != NULL)
    *for_all = self->for_all;
  g_mutex_unlock (&self->lock);
  return conflict;
}

gboolean
hold_question_get_continue (HoldQuestion *self, gboolean *for_all)
{
  g_mutex_lock (&self->lock);
  gboolean go_on = self->go_on;
  if (for_all != NULL)
    *for_all = self->for_all;
  g_mutex_unlock (&self->lock);
  return go_on;
}
