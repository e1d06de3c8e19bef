/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* How every job asks for a password, so that they all say "wrong" at the same moments. */

#include "hold-ask-password.h"

#include "hold-question-private.h"

gboolean
hold_is_password_error (const GError *error)
{
  return g_error_matches (error, HOLD_ERROR, HOLD_ERROR_PASSWORD_NEEDED)
         || g_error_matches (error, HOLD_ERROR, HOLD_ERROR_PASSWORD_WRONG);
}

/**
 * hold_ask_password:
 * @job: the job that asks
 * @archive_path: file-system encoding
 * @entry_path: (nullable): UTF-8; NULL: the list itself is encrypted
 * @was_wrong: this job asked before and the answer did not fit
 * @keyring: gets the answer
 *
 * Thread: a worker of @job. Blocks: until answered.
 * Errors: G_IO_ERROR_CANCELLED.
 * Returns: TRUE: there is a new password to try. FALSE without @error: nobody listens
 */
gboolean
hold_ask_password (HoldJob *job, const char *archive_path, const char *entry_path, gboolean was_wrong,
                   HoldKeyring *keyring, GError **error)
{
  g_autoptr (HoldQuestion) question = hold_question_new_password (archive_path, entry_path, was_wrong);

  if (!hold_job_ask (job, question, error))
    return FALSE;

  g_autoptr (HoldSecret) secret = hold_question_dup_secret (question);

  hold_keyring_add (keyring, secret);
  return TRUE;
}
