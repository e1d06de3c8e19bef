/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Steps wait for the pass to come to their entry; what lies between them and has no content is done
 * on the way. Several steps may want one entry (hard links that become files). */

#include "config.h"

#include "hold-copy-pass.h"

typedef struct
{
  const HoldPlanStep *steps;
  guint n_steps;
  guint at;            /* the next step */
  HoldKeyring *keyring;
  const HoldCopyFuncs *funcs;
  gpointer user_data;
  GCancellable *cancellable;

  /* The file that is being read, for steps[at]. */
  gboolean is_reading;
  GByteArray *content; /* as long as it is held back */
  gboolean begun;
  guint64 position;

  GError *stop;        /* nothing more can be done */
} Copy;

static HoldArchive *
archive_of (const HoldPlanStep *step)
{
  return step->source != NULL ? step->source->archive : NULL;
}

static gboolean
is_file (const HoldPlanStep *step)
{
  return step->source->type == HOLD_ENTRY_FILE;
}

guint
hold_copy_pass_length (const HoldPlanStep *steps,
                       guint               n_steps)
{
  guint last = 0;
  guint n;

  for (n = 0; n < n_steps && archive_of (&steps[n]) != NULL; n++)
    {
      if (archive_of (&steps[n]) != archive_of (&steps[0]))
        break;
      if (!is_file (&steps[n]))
        continue;
      if (steps[n].source->index < last)
        break;
      last = steps[n].source->index;
    }
  return n;
}

/* FALSE with *error in self->stop if @ok is FALSE. */
static gboolean
stop_unless (Copy      *self,
             gboolean   ok,
             GError   **error)
{
  if (!ok)
    self->stop = g_steal_pointer (error);
  return ok;
}

static gboolean
do_plain_steps (Copy *self)
{
  for (; self->at < self->n_steps && !is_file (&self->steps[self->at]); self->at++)
    {
      GError *error = NULL;

      if (!stop_unless (self, self->funcs->plain (self->user_data, &self->steps[self->at], &error), &error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
lose_step (Copy         *self,
           const GError *why)
{
  GError *error = NULL;

  return stop_unless (self, self->funcs->lost (self->user_data, &self->steps[self->at], why, &error), &error);
}

static void
start_reading (Copy *self)
{
  g_byte_array_set_size (self->content, 0);
  self->is_reading = TRUE;
  self->begun = FALSE;
  self->position = 0;
}

static gboolean
may_be_begun (Copy    *self,
              GError **error)
{
  const HoldPlanStep *step = &self->steps[self->at];

  if (!self->funcs->needs_size || step->source->size_bytes > 0)
    return TRUE;
  g_set_error (error, HOLD_ERROR, HOLD_ERROR_UNSUPPORTED, "The size of “%s” is not recorded", step->path);
  return FALSE;
}

/* FALSE with @error alone is a fault of the entry; with self->stop of the one who takes it. */
static gboolean
take (Copy          *self,
      const guint8  *data,
      gsize          length,
      GError       **error)
{
  GError *stop = NULL;
  gboolean ok = TRUE;

  self->position += length;
  if (!self->begun && length <= HOLD_COPY_WHOLE_MAX_BYTES - self->content->len)
    {
      g_byte_array_append (self->content, data, (guint) length);
      return TRUE;
    }

  if (!self->begun)
    {
      if (!may_be_begun (self, error))
        return FALSE;
      self->begun = TRUE;
      ok = self->funcs->begin (self->user_data, &self->steps[self->at], &stop) &&
           self->funcs->data (self->user_data, self->content->data, self->content->len, &stop);
      g_byte_array_set_size (self->content, 0);
    }
  ok = ok && self->funcs->data (self->user_data, data, length, &stop);
  if (!ok)
    {
      g_propagate_error (error, g_error_copy (stop));
      self->stop = stop;
    }
  return ok;
}

static gboolean
take_zeros (Copy     *self,
            guint64   end,
            GError  **error)
{
  static const guint8 zeros[64 * 1024];

  while (self->position < end)
    if (!take (self, zeros, MIN (end - self->position, sizeof zeros), error))
      return FALSE;
  return TRUE;
}

static gboolean
take_cb (gpointer       user_data,
         const guint8  *data,
         gsize          length,
         GError       **error)
{
  return take (user_data, data, length, error);
}

static gboolean
hand_over (Copy   *self,
           GBytes *content)
{
  GError *error = NULL;

  return stop_unless (self, self->funcs->whole (self->user_data, &self->steps[self->at], content, &error), &error);
}

/* The entry of steps[at] is over. */
static gboolean
end_step (Copy         *self,
          const GError *why)
{
  GError *error = NULL;

  self->is_reading = FALSE;
  if (self->stop != NULL)
    return FALSE;
  if (g_error_matches (why, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      self->stop = g_error_copy (why);
      return FALSE;
    }
  if (self->begun)
    return stop_unless (self, self->funcs->end (self->user_data, &self->steps[self->at], why, &error), &error);
  if (why != NULL)
    return lose_step (self, why);

  g_autoptr (GBytes) content = g_byte_array_free_to_bytes (g_steal_pointer (&self->content));

  self->content = g_byte_array_new ();
  for (; self->at + 1 < self->n_steps && is_file (&self->steps[self->at + 1]) &&
         self->steps[self->at + 1].source->index == self->steps[self->at].source->index; self->at++)
    if (!hand_over (self, content))
      return FALSE;
  return hand_over (self, content);
}

static gboolean
read_alone (Copy *self)
{
  const HoldPlanSource *source = self->steps[self->at].source;
  g_autoptr (GError) why = NULL;

  start_reading (self);
  hold_archive_read_entry (source->archive, source->index, self->keyring, take_cb, self, self->cancellable, &why);
  if (!end_step (self, why))
    return FALSE;
  self->at++;
  return TRUE;
}

static HoldVisit
begin_cb (gpointer   user_data,
          guint      index,
          GError   **error)
{
  Copy *self = user_data;

  /* A larger file that is wanted once more was not kept. */
  while (do_plain_steps (self) && self->at < self->n_steps && self->steps[self->at].source->index < index)
    if (!read_alone (self))
      break;
  if (self->stop != NULL)
    {
      g_propagate_error (error, g_error_copy (self->stop));
      return HOLD_VISIT_STOP;
    }
  if (self->at == self->n_steps)
    return HOLD_VISIT_STOP;
  if (self->steps[self->at].source->index != index)
    return HOLD_VISIT_SKIP;

  start_reading (self);
  return HOLD_VISIT_TAKE;
}

static gboolean
data_cb (gpointer       user_data,
         const guint8  *data,
         gsize          length,
         guint64        offset,
         GError       **error)
{
  Copy *self = user_data;

  if (offset < self->position)
    {
      g_set_error_literal (error, HOLD_ERROR, HOLD_ERROR_CORRUPT, "Its data overlaps itself");
      return FALSE;
    }
  return take_zeros (self, offset, error) && take (self, data, length, error);
}

static gboolean
end_cb (gpointer       user_data,
        guint          index,
        const GError  *why,
        GError       **stop)
{
  Copy *self = user_data;
  g_autoptr (GError) failure = why != NULL ? g_error_copy (why) : NULL;
  guint64 size;

  /* What a decoder leaves out at the end is a hole. */
  if (failure == NULL && hold_entry_get_size (hold_archive_get_entry (archive_of (self->steps), index), &size))
    take_zeros (self, size, &failure);
  if (!end_step (self, failure))
    {
      g_propagate_error (stop, g_error_copy (self->stop));
      return FALSE;
    }
  self->at++;
  return TRUE;
}

/* What the pass did not come to, or in the middle of which it broke off. */
static gboolean
settle_rest (Copy         *self,
             const GError *failure)
{
  g_autoptr (GError) missing = g_error_new_literal (HOLD_ERROR, HOLD_ERROR_TRUNCATED, "The archive ends before it");
  const GError *why = failure != NULL ? failure : missing;

  if (self->is_reading && end_step (self, why))
    self->at++;
  for (; self->stop == NULL && do_plain_steps (self) && self->at < self->n_steps; self->at++)
    if (!lose_step (self, why))
      break;
  return self->stop == NULL;
}

static gboolean
run_pass (Copy *self)
{
  const HoldVisitor visitor = { .begin = begin_cb, .data = data_cb, .end = end_cb, .user_data = self };
  HoldArchive *archive = archive_of (self->steps);
  const HoldBackend *backend = _hold_archive_get_backend (archive);
  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GError) failure = NULL;

  for (guint i = 0; i < self->n_steps; i++)
    {
      guint index = self->steps[i].source->index;

      if (is_file (&self->steps[i]) &&
          (indices->len == 0 || g_array_index (indices, guint, indices->len - 1) != index))
        g_array_append_val (indices, index);
    }

  if (indices->len > 0)
    backend->read_pass (archive, (const guint *) (gpointer) indices->data, indices->len, self->keyring, &visitor,
                        self->cancellable, &failure);
  if (self->stop != NULL)
    return FALSE;
  if (g_error_matches (failure, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      self->stop = g_steal_pointer (&failure);
      return FALSE;
    }

  /* A larger file wanted once more may be the last of all. */
  while (failure == NULL && !self->is_reading && do_plain_steps (self) && self->at > 0 && self->at < self->n_steps &&
         is_file (&self->steps[self->at - 1]) &&
         self->steps[self->at].source->index == self->steps[self->at - 1].source->index)
    if (!read_alone (self))
      return FALSE;
  return self->stop == NULL && settle_rest (self, failure);
}

static gboolean
run_directly (Copy *self)
{
  while (do_plain_steps (self) && self->at < self->n_steps)
    if (!read_alone (self))
      return FALSE;
  return self->stop == NULL;
}

gboolean
hold_copy_pass_run (const HoldPlanStep   *steps,
                    guint                 n_steps,
                    HoldKeyring          *keyring,
                    const HoldCopyFuncs  *funcs,
                    gpointer              user_data,
                    GCancellable         *cancellable,
                    GError              **error)
{
  Copy self = {
    .steps = steps,
    .n_steps = n_steps,
    .keyring = keyring,
    .funcs = funcs,
    .user_data = user_data,
    .cancellable = cancellable,
    .content = g_byte_array_new (),
  };
  gboolean is_direct = _hold_archive_get_backend (archive_of (steps))->read_entry != NULL;
  gboolean ok = is_direct || n_steps == 1 ? run_directly (&self) : run_pass (&self);

  g_byte_array_unref (self.content);
  if (!ok)
    g_propagate_error (error, self.stop);
  return ok;
}
