/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* One pass, or each entry directly, with nothing kept but a count. */

#include "config.h"

#include "hold-convert-survey.h"

typedef struct
{
  HoldJob *job;
  HoldArchive *archive;
  GHashTable *sizes;
  GHashTable *bad;
  guint64 position; /* in the entry that is being read, in bytes */
} Survey;

static gboolean
count_cb (gpointer       user_data,
          const guint8  *data,
          gsize          length_bytes,
          GError       **error)
{
  Survey *self = user_data;

  self->position += length_bytes;
  return hold_job_checkpoint (self->job, error);
}

static void
note (Survey       *self,
      guint         index,
      const GError *error)
{
  if (error != NULL)
    g_hash_table_insert (self->bad, GUINT_TO_POINTER (index), g_error_copy (error));
  else if (self->sizes != NULL)
    g_hash_table_insert (self->sizes, GUINT_TO_POINTER (index),
                         g_memdup2 (&self->position, sizeof self->position));
}

static HoldVisit
begin_cb (gpointer   user_data,
          guint      index,
          GError   **error)
{
  Survey *self = user_data;

  self->position = 0;
  return HOLD_VISIT_TAKE;
}

static gboolean
data_cb (gpointer       user_data,
         const guint8  *data,
         gsize          length_bytes,
         guint64        offset,
         GError       **error)
{
  Survey *self = user_data;

  self->position = MAX (self->position, offset);
  return count_cb (self, data, length_bytes, error);
}

static gboolean
end_cb (gpointer       user_data,
        guint          index,
        const GError  *failure,
        GError       **stop)
{
  note (user_data, index, failure);
  return TRUE;
}

/* What the pass did not come to is as bad as what it found damaged. */
static void
note_rest (Survey       *self,
           GArray       *indices,
           GHashTable   *good,
           const GError *failure)
{
  for (guint i = 0; i < indices->len; i++)
    {
      guint index = g_array_index (indices, guint, i);

      if (!g_hash_table_contains (good, GUINT_TO_POINTER (index)) &&
          !g_hash_table_contains (self->bad, GUINT_TO_POINTER (index)))
        note (self, index, failure);
    }
}

static void
read_by_pass (Survey      *self,
              GArray      *indices,
              HoldKeyring *keyring)
{
  const HoldVisitor visitor = { .begin = begin_cb, .data = data_cb, .end = end_cb, .user_data = self };
  const HoldBackend *backend = _hold_archive_get_backend (self->archive);
  g_autoptr (GHashTable) sizes = self->sizes != NULL ? g_hash_table_ref (self->sizes)
                                                     : hold_convert_survey_new_sizes ();
  g_autoptr (GError) failure = NULL;

  self->sizes = sizes;
  backend->read_pass (self->archive, (const guint *) (gpointer) indices->data, indices->len, keyring, &visitor,
                      _hold_job_get_cancellable (self->job), &failure);
  if (failure == NULL)
    failure = g_error_new_literal (HOLD_ERROR, HOLD_ERROR_TRUNCATED, "The archive ends before it");
  note_rest (self, indices, sizes, failure);
}

gboolean
hold_convert_survey (HoldJob      *job,
                     HoldArchive  *archive,
                     GArray       *indices,
                     HoldKeyring  *keyring,
                     GHashTable   *sizes,
                     GHashTable   *bad,
                     GError      **error)
{
  Survey self = { job, archive, sizes, bad, 0 };

  if (_hold_archive_get_backend (archive)->read_entry == NULL && indices->len > 0)
    read_by_pass (&self, indices, keyring);
  else
    for (guint i = 0; i < indices->len && hold_job_checkpoint (job, NULL); i++)
      {
        guint index = g_array_index (indices, guint, i);
        g_autoptr (GError) failure = NULL;

        self.position = 0;
        hold_archive_read_entry (archive, index, keyring, count_cb, &self, _hold_job_get_cancellable (job), &failure);
        note (&self, index, failure);
      }

  return hold_job_checkpoint (job, error);
}

GHashTable *
hold_convert_survey_new_sizes (void)
{
  return g_hash_table_new_full (NULL, NULL, NULL, g_free);
}

GHashTable *
hold_convert_survey_new_bad (void)
{
  return g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_error_free);
}
