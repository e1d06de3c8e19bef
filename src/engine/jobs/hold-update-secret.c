/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* An archive that was made with a password stays one: what is new in it gets the password of what is
 * there, and that is tried on an entry first, so that no archive ends up with two by a slip of the
 * finger. */

#include "config.h"

#include "hold-update-secret.h"

#include "hold-ask-password.h"
#include "hold-backend.h"

/* Copied as it is, under its own password. */
static gboolean
stays_encrypted (HoldPlan             *plan,
                 const HoldPlanSource *source)
{
  return source->archive != NULL &&
         _hold_archive_get_backend (source->archive) == _hold_archive_get_backend (hold_plan_get_archive (plan)) &&
         hold_entry_is_encrypted (hold_archive_get_entry (source->archive, source->index));
}

/* Also files that look empty count: they may not be any more when they are read. */
static gboolean
adds_content (HoldPlan *plan)
{
  guint n_steps;
  const HoldPlanStep *steps = hold_plan_get_steps (plan, &n_steps);

  for (guint i = 0; i < n_steps; i++)
    if (steps[i].source != NULL && steps[i].source->type == HOLD_ENTRY_FILE &&
        !stays_encrypted (plan, steps[i].source))
      return TRUE;
  return FALSE;
}

/* What of the request's own snapshot is replaced; it can be read, whatever has come of it since. */
static GArray *
dup_replaced (HoldUpdateRequest *request)
{
  GArray *indices = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < request->edits->len; i++)
    {
      const HoldEdit *edit = g_ptr_array_index (request->edits, i);

      if (edit->kind == HOLD_EDIT_REPLACE)
        g_array_append_val (indices, edit->index);
    }
  return indices;
}

static GArray *
dup_all (HoldArchive *archive)
{
  guint n = hold_archive_get_n_entries (archive);
  GArray *indices = g_array_sized_new (FALSE, FALSE, sizeof (guint), n);

  for (guint i = 0; i < n; i++)
    g_array_append_val (indices, i);
  return indices;
}

gboolean
hold_update_secret_find (HoldUpdateRequest  *request,
                         HoldJob            *job,
                         HoldPlan           *plan,
                         HoldSecret        **secret,
                         GError            **error)
{
  HoldArchive *latest = hold_plan_get_archive (plan);
  HoldArchive *archive = request->encrypt ? request->archive : latest;
  g_autoptr (HoldKeyring) keyring = NULL;
  g_autoptr (GArray) indices = NULL;

  *secret = NULL;
  if (!request->encrypt && (request->in_the_clear || !hold_archive_is_all_encrypted (latest)))
    return TRUE;
  if (_hold_archive_get_backend (archive)->read_secret == NULL || !adds_content (plan))
    return TRUE;

  keyring = request->keyring != NULL ? hold_keyring_ref (request->keyring) : hold_keyring_new ();
  indices = request->encrypt ? dup_replaced (request) : dup_all (archive);
  return hold_find_password (job, archive, keyring, indices, !request->encrypt, secret, error);
}

static gboolean
adds (const HoldUpdateRequest *request)
{
  for (guint i = 0; i < request->edits->len; i++)
    {
      const HoldEdit *edit = g_ptr_array_index (request->edits, i);

      if (edit->kind == HOLD_EDIT_ADD || edit->kind == HOLD_EDIT_COPY)
        return TRUE;
    }
  return FALSE;
}

gboolean
hold_update_secret_can_share (HoldUpdateRequest *request,
                              HoldUpdateRequest *other)
{
  if (request->encrypt || other->encrypt || request->in_the_clear != other->in_the_clear)
    return FALSE;
  if (request->keyring != NULL && request->keyring == other->keyring && !hold_keyring_is_empty (request->keyring))
    return TRUE;
  if (!adds (request) && !adds (other))
    return TRUE;

  g_autoptr (HoldArchive) latest = _hold_archive_dup_latest (request->archive);

  return request->in_the_clear || !hold_archive_is_all_encrypted (latest);
}
