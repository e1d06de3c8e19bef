/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* How every job comes by a password: it is tried before anything is written, and asked for until it
 * fits (P07, P10). */

#include "hold-ask-password.h"

#include "hold-backend.h"
#include "hold-question-private.h"

gboolean
hold_is_password_error (const GError *error)
{
  return g_error_matches (error, HOLD_ERROR, HOLD_ERROR_PASSWORD_NEEDED)
         || g_error_matches (error, HOLD_ERROR, HOLD_ERROR_PASSWORD_WRONG);
}

/* Takes @question; see hold_ask_password(). */
static gboolean
ask (HoldJob *job, HoldQuestion *question, HoldKeyring *keyring, GError **error)
{
  g_autoptr (HoldQuestion) owned = question;

  if (!hold_job_ask (job, question, error))
    return FALSE;

  g_autoptr (HoldSecret) secret = hold_question_dup_secret (question);

  hold_keyring_add (keyring, secret);
  return TRUE;
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
hold_ask_password (HoldJob *job, const char *archive_path, const char *entry_path,
                   gboolean was_wrong, HoldKeyring *keyring, GError **error)
{
  return ask (job, hold_question_new_password (archive_path, entry_path, was_wrong), keyring, error);
}

/* As much of an entry as is decoded to see whether a password fits: small ones whole, with their
 * checksum. */
#define PROBE_BYTES (4 * 1024 * 1024)

typedef struct
{
  HoldJob *job;
  guint index;
  guint64 n_bytes;
  gboolean is_enough;
  GError *error;
} Probe;

static gboolean
probe_write (gpointer user_data, const guint8 *data, gsize length_bytes, GError **error)
{
  Probe *probe = user_data;

  if (!hold_job_checkpoint (probe->job, error))
    return FALSE;
  probe->n_bytes += length_bytes;
  probe->is_enough = probe->n_bytes >= PROBE_BYTES;
  if (probe->is_enough)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, "enough was read to try a password");
  return !probe->is_enough;
}

static HoldVisit
probe_begin (gpointer user_data, guint index, GError **error)
{
  Probe *probe = user_data;

  return index == probe->index ? HOLD_VISIT_TAKE : HOLD_VISIT_SKIP;
}

static gboolean
probe_data (gpointer user_data, const guint8 *data, gsize length_bytes, guint64 offset,
            GError **error)
{
  return probe_write (user_data, data, length_bytes, error);
}

static gboolean
probe_end (gpointer user_data, guint index, const GError *error, GError **stop)
{
  Probe *probe = user_data;

  if (error != NULL && probe->error == NULL)
    probe->error = g_error_copy (error);
  return TRUE;
}

/* Does a known password open @index? TRUE also where something else is wrong with it, which reading
 * it will tell. */
static gboolean
probe_password (HoldJob *job, HoldArchive *archive, HoldKeyring *keyring, guint index,
                GError **error)
{
  const HoldBackend *backend = _hold_archive_get_backend (archive);
  GCancellable *cancellable = _hold_job_get_cancellable (job);
  Probe probe = { .job = job, .index = index };
  g_autoptr (GError) failure = NULL;

  if (backend->read_entry != NULL)
    {
      gpointer workspace = backend->new_workspace != NULL ? backend->new_workspace (archive) : NULL;

      backend->read_entry (archive, index, workspace, keyring, probe_write, &probe, cancellable,
                           &failure);
      if (workspace != NULL)
        backend->free_workspace (workspace);
    }
  else
    {
      const HoldVisitor visitor = {
        .begin = probe_begin,
        .data = probe_data,
        .end = probe_end,
        .user_data = &probe,
      };

      backend->read_pass (archive, &index, 1, keyring, &visitor, cancellable, &failure);
      if (probe.error != NULL)
        {
          g_clear_error (&failure);
          failure = g_steal_pointer (&probe.error);
        }
    }

  if (probe.is_enough
      || (!hold_is_password_error (failure)
          && !g_error_matches (failure, G_IO_ERROR, G_IO_ERROR_CANCELLED)))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

/* The entry to try: the smallest where each is reached directly, else the first. */
static gboolean
find_probe (HoldArchive *archive, const guint *indices, guint n_indices, guint *found)
{
  gboolean is_direct = _hold_archive_get_backend (archive)->read_entry != NULL;
  guint64 best = G_MAXUINT64;
  gboolean any = FALSE;

  for (guint i = 0; i < n_indices; i++)
    {
      const HoldEntry *entry = hold_archive_get_entry (archive, indices[i]);
      guint64 size = G_MAXUINT64;

      if (!hold_entry_is_encrypted (entry) || !hold_entry_is_readable (entry))
        continue;
      hold_entry_get_size (entry, &size);
      if (!any || size < best)
        {
          *found = indices[i];
          best = size;
          any = TRUE;
        }
      if (!is_direct)
        break;
    }
  return any;
}

/**
 * hold_check_password:
 * @job: the job that will read
 * @archive: the snapshot
 * @keyring: passwords to try; gets the answers
 * @indices: what will be read: an array of guint, sorted
 * @missing: (out) (nullable): PASSWORD_NEEDED or PASSWORD_WRONG if nobody could be asked
 *
 * Before anything is written: tries the known passwords on one encrypted entry and asks until one
 * fits.
 *
 * Thread: the job's worker. Blocks: yes. Errors: G_IO_ERROR_CANCELLED.
 */
gboolean
hold_check_password (HoldJob *job, HoldArchive *archive, HoldKeyring *keyring, GArray *indices,
                     GError **missing, GError **error)
{
  gboolean asked = FALSE;
  guint index;

  if (!find_probe (archive, (const guint *) (gpointer) indices->data, indices->len, &index))
    return TRUE;

  for (;;)
    {
      const HoldEntry *entry = hold_archive_get_entry (archive, index);
      g_autoptr (GError) failure = NULL;
      g_autoptr (GError) ask_error = NULL;

      if (probe_password (job, archive, keyring, index, &failure))
        return TRUE;
      if (!hold_is_password_error (failure))
        {
          g_propagate_error (error, g_steal_pointer (&failure));
          return FALSE;
        }
      if (hold_ask_password (job, hold_archive_get_path (archive), hold_entry_get_path (entry),
                             asked, keyring, &ask_error))
        {
          asked = TRUE;
          continue;
        }
      if (ask_error != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&ask_error));
          return FALSE;
        }
      g_propagate_error (missing, g_steal_pointer (&failure));
      return TRUE;
    }
}

/* So many entries are tried; the smallest may be damaged, but hardly all. */
#define CANDIDATES_MAX 8

/* (transfer full): encrypted entries out of @indices, the smallest first. */
static GArray *
dup_candidates (HoldArchive *archive, const GArray *indices)
{
  g_autoptr (GArray) left = g_array_copy ((GArray *) indices);
  GArray *candidates = g_array_new (FALSE, FALSE, sizeof (guint));
  guint index;

  while (candidates->len < CANDIDATES_MAX
         && find_probe (archive, (const guint *) (gpointer) left->data, left->len, &index))
    {
      g_array_append_val (candidates, index);
      for (guint i = 0; i < left->len; i++)
        if (g_array_index (left, guint, i) == index)
          {
            g_array_remove_index (left, i);
            break;
          }
    }
  return candidates;
}

/* FALSE with a password error: none fits; with another one: this entry does not tell. */
static gboolean
probe_secret (HoldJob *job, HoldArchive *archive, HoldKeyring *keyring, guint index,
              HoldSecret **secret, GError **error)
{
  Probe probe = { .job = job, .index = index };
  g_autoptr (HoldSecret) fitting = NULL;
  g_autoptr (GError) failure = NULL;

  if (!_hold_archive_get_backend (archive)->read_secret (archive, index, keyring, probe_write, &probe, &fitting,
                                                         _hold_job_get_cancellable (job), &failure)
      && !probe.is_enough)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  *secret = g_steal_pointer (&fitting);
  return TRUE;
}

/**
 * hold_find_password:
 * @job: the job that will write
 * @archive: of a format that can be written encrypted
 * @keyring: passwords to try; gets the answers
 * @indices: entries of which one is to be opened: an array of guint
 * @for_adding: say in the question that the password is for what is added
 * @secret: (out) (transfer full): the password that opens it
 *
 * Before anything is written: which password is the archive's. Asks until one fits.
 *
 * Thread: the job's worker. Blocks: yes. Errors: G_IO_ERROR_CANCELLED; PASSWORD_NEEDED or PASSWORD_WRONG if
 * nobody could be asked; UNSUPPORTED if nothing in @indices is encrypted so that it can be read here; of
 * reading, if that is true of none.
 */
gboolean
hold_find_password (HoldJob *job, HoldArchive *archive, HoldKeyring *keyring, const GArray *indices,
                    gboolean for_adding, HoldSecret **secret, GError **error)
{
  g_autoptr (GArray) candidates = dup_candidates (archive, indices);
  g_autoptr (GError) failure = NULL;
  gboolean asked = FALSE;
  guint i = 0;

  while (i < candidates->len)
    {
      guint index = g_array_index (candidates, guint, i);
      const char *archive_path = hold_archive_get_path (archive);
      const char *path = hold_entry_get_path (hold_archive_get_entry (archive, index));
      g_autoptr (GError) ask_error = NULL;

      g_clear_error (&failure);
      if (probe_secret (job, archive, keyring, index, secret, &failure))
        return TRUE;
      if (g_error_matches (failure, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        break;
      if (!hold_is_password_error (failure))
        {
          i++;
          continue;
        }
      if (!ask (job,
                for_adding ? hold_question_new_password_for_adding (archive_path, path, asked)
                           : hold_question_new_password (archive_path, path, asked),
                keyring, &ask_error))
        {
          if (ask_error != NULL)
            g_propagate_error (error, g_steal_pointer (&ask_error));
          else
            g_propagate_error (error, g_steal_pointer (&failure));
          return FALSE;
        }
      asked = TRUE;
    }

  if (failure == NULL)
    failure = g_error_new_literal (HOLD_ERROR, HOLD_ERROR_UNSUPPORTED,
                                   "The archive's kind of encryption can't be read here");
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}
