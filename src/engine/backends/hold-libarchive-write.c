/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The one pass from an old archive, if there is one, to a new one through libarchive. */

#include "config.h"

#include "hold-libarchive-write.h"

#include <string.h>

#include "hold-backend-libarchive-private.h"
#include "hold-copy-pass.h"
#include "hold-libarchive-error.h"
#include "hold-libarchive-verify.h"
#include "hold-libarchive-write-private.h"

/* The data of one entry on its way: holes are filled, bytes counted. */
typedef struct
{
  HoldLibarchiveRewrite *self;
  guint64 position;
} Pour;

static gboolean
pour (gpointer       user_data,
      const guint8  *data,
      gsize          length,
      guint64        offset,
      GError       **error)
{
  Pour *to = user_data;

  if (!hold_libarchive_writer_fill (to->self->writer, offset - to->position, error) ||
      !hold_libarchive_writer_data (to->self->writer, data, length, error))
    return FALSE;

  to->position = offset + length;
  return to->self->watch->moved (to->self->watch->user_data, length, error);
}

static gboolean
pour_next (gpointer       user_data,
           const guint8  *data,
           gsize          length,
           GError       **error)
{
  Pour *to = user_data;

  return pour (to, data, length, to->position, error);
}

static gboolean
fail_kept (const HoldPlanStep  *step,
           GError             **error)
{
  g_prefix_error (error, "“%s” can't be read, so the archive can't be rewritten without losing it: ", step->path);
  return FALSE;
}

/* Another name that @entry, a hard link, may have to point to now. */
static void
retarget_hardlink (HoldLibarchiveRewrite *self,
                   struct archive_entry  *entry)
{
  const char *target = archive_entry_hardlink (entry);
  g_autofree char *normal = NULL;
  HoldUnsafe unsafe;
  const char *now;

  if (target == NULL)
    return;
  normal = hold_path_normalise (target, &unsafe);
  now = g_hash_table_lookup (self->renamed, normal);
  if (now != NULL)
    archive_entry_set_hardlink (entry, now);
}

/* Is @entry a hard link to a file that is dropped? Then its index, else G_MAXUINT. */
static guint
dropped_target (HoldLibarchiveRewrite *self,
                struct archive_entry  *entry)
{
  const char *target = archive_entry_hardlink (entry);
  g_autofree char *normal = NULL;
  HoldUnsafe unsafe;

  if (target == NULL)
    return G_MAXUINT;
  normal = hold_path_normalise (target, &unsafe);
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->dropped, normal)) - 1;
}

/* Writes @entry with the data of the dropped file; from now on that file is known under this
 * name. */
static gboolean
promote_hardlink (HoldLibarchiveRewrite  *self,
                  const HoldPlanStep     *step,
                  struct archive_entry   *entry,
                  guint                   target,
                  GError                **error)
{
  const HoldEntry *first = hold_archive_get_entry (self->archive, target);
  Pour to = { self, 0 };
  guint64 size = 0;

  if (!hold_entry_get_size (first, &size))
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_CORRUPT, "“%s” has no size", hold_entry_get_path (first));
      return FALSE;
    }

  archive_entry_set_hardlink (entry, NULL);
  archive_entry_set_filetype (entry, AE_IFREG);
  archive_entry_set_size (entry, (la_int64_t) size);
  if (!hold_libarchive_writer_header (self->writer, entry, error) ||
      !hold_archive_read_entry (self->archive, target, self->options->keyring, pour_next, &to,
                                self->cancellable, error) ||
      !hold_libarchive_writer_fill (self->writer, size - MIN (size, to.position), error))
    return fail_kept (step, error);

  g_hash_table_insert (self->renamed, g_strdup (hold_entry_get_path (first)), g_strdup (step->path));
  g_hash_table_remove (self->dropped, hold_entry_get_path (first));
  return TRUE;
}

static gboolean
keep_entry (HoldLibarchiveRewrite  *self,
            const HoldPlanStep     *step,
            HoldLibarchiveStream   *old,
            struct archive_entry   *entry,
            GError                **error)
{
  /* Symlinks may state the length of their target; cpio keeps a file's data with its last hard
   * link. */
  gboolean has_size = archive_entry_size_is_set (entry) && archive_entry_filetype (entry) != AE_IFLNK;
  guint64 size = has_size ? (guint64) archive_entry_size (entry) : 0;
  guint target = dropped_target (self, entry);
  Pour to = { self, 0 };
  gboolean fatal = FALSE;

  if (step->kind != HOLD_STEP_KEEP)
    archive_entry_set_pathname (entry, step->path);
  if (target != G_MAXUINT)
    return promote_hardlink (self, step, entry, target, error);

  retarget_hardlink (self, entry);
  if (!hold_libarchive_writer_header (self->writer, entry, error))
    return fail_kept (step, error);
  if (!has_size && archive_entry_filetype (entry) == AE_IFREG && archive_entry_hardlink (entry) == NULL)
    {
      g_set_error_literal (error, HOLD_ERROR, HOLD_ERROR_CORRUPT, "its size is not recorded");
      return fail_kept (step, error);
    }
  if (size == 0)
    return TRUE;
  if (!hold_libarchive_stream_read_data (old, TRUE, size, pour, &to, &fatal, error) ||
      !hold_libarchive_writer_fill (self->writer, size - MIN (size, to.position), error))
    return fail_kept (step, error);
  return TRUE;
}

static gboolean
do_step (HoldLibarchiveRewrite  *self,
         const HoldPlanStep     *step,
         HoldLibarchiveStream   *old,
         struct archive_entry   *entry,
         GError                **error)
{
  gboolean taken = FALSE;

  if (step->source != NULL && !_hold_libarchive_add_source (self, step, &taken, error))
    return FALSE;
  if (taken || step->kind == HOLD_STEP_ADD)
    return TRUE;
  if (step->source == NULL)
    _hold_libarchive_note_step (self, step);
  return keep_entry (self, step, old, entry, error);
}

/* Hard links name other entries, so names that change and files that go must be known before the
 * pass. */
static void
note_names (HoldLibarchiveRewrite *self,
            const HoldPlanStep    *steps,
            guint                  n_steps)
{
  guint n_entries = self->archive != NULL ? hold_archive_get_n_entries (self->archive) : 0;
  g_autofree gboolean *kept = g_new0 (gboolean, n_entries + 1);

  for (guint i = 0; i < n_steps; i++)
    {
      if (steps[i].kind == HOLD_STEP_ADD)
        continue;
      /* A file that is replaced is no longer what links meant: to them it is dropped. */
      kept[steps[i].index] = steps[i].kind != HOLD_STEP_REPLACE;
      if (steps[i].kind == HOLD_STEP_RENAME)
        g_hash_table_insert (self->renamed,
                             g_strdup (hold_entry_get_path (hold_archive_get_entry (self->archive, steps[i].index))),
                             g_strdup (steps[i].path));
    }

  for (guint i = 0; i < n_entries; i++)
    {
      const HoldEntry *entry = hold_archive_get_entry (self->archive, i);

      if (!kept[i] && hold_entry_get_type (entry) == HOLD_ENTRY_FILE)
        g_hash_table_insert (self->dropped, g_strdup (hold_entry_get_path (entry)), GUINT_TO_POINTER (i + 1));
    }
}

/* What comes behind the old archive's own entries, copies from another archive in one go. */
static gboolean
add_rest (HoldLibarchiveRewrite  *self,
          const HoldPlanStep     *steps,
          guint                   n_steps,
          GError                **error)
{
  guint at = 0;

  while (at < n_steps)
    {
      guint n_copies = hold_copy_pass_length (&steps[at], n_steps - at);
      gboolean taken;

      if (!(n_copies > 0 ? _hold_libarchive_add_copies (self, &steps[at], n_copies, &taken, error)
                         : do_step (self, &steps[at], NULL, NULL, error)))
        return FALSE;
      at += MAX (n_copies, 1);
    }
  return TRUE;
}

/* Walks the old archive and the steps side by side: steps for stored entries are in the order of
 * the archive. */
static gboolean
pass (HoldLibarchiveRewrite  *self,
      HoldVolumes            *volumes,
      const HoldPlanStep     *steps,
      guint                   n_steps,
      GError                **error)
{
  g_auto (HoldLibarchiveStream) old = { 0 };
  guint n_entries = self->archive != NULL ? hold_archive_get_n_entries (self->archive) : 0;
  guint at = 0;

  if (volumes != NULL)
    {
      hold_libarchive_stream_init (&old, volumes, NULL, self->cancellable);
      if (!hold_libarchive_stream_open (&old, HOLD_LIBARCHIVE_FORMATS, NULL, error))
        return FALSE;
    }

  for (guint i = 0; i < n_entries; i++)
    {
      g_autoptr (GError) odd = NULL;
      struct archive_entry *entry = NULL;
      HoldNext next = hold_libarchive_stream_next (&old, &entry, &odd);

      if (next != HOLD_NEXT_ENTRY && next != HOLD_NEXT_WARNED)
        {
          if (odd == NULL)
            g_set_error_literal (&odd, HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK,
                                 "The archive has fewer entries than before");
          g_propagate_error (error, g_steal_pointer (&odd));
          return FALSE;
        }
      if (at < n_steps && steps[at].kind != HOLD_STEP_ADD && steps[at].index == i)
        {
          if (!do_step (self, &steps[at], &old, entry, error))
            return FALSE;
          at++;
        }
    }

  return add_rest (self, &steps[at], n_steps - at, error);
}

gboolean
hold_libarchive_can_write (const HoldFormat *format)
{
  return hold_libarchive_writer_knows (format);
}

gboolean
hold_libarchive_rewrite (HoldPlan                *plan,
                         int                      fd,
                         const HoldWriteOptions  *options,
                         const HoldRewriteWatch  *watch,
                         GCancellable            *cancellable,
                         GError                 **error)
{
  locale_t locale = hold_libarchive_locale_enter ();
  HoldLibarchiveRewrite self = {
    .plan = plan,
    .archive = hold_plan_get_archive (plan),
    .options = options,
    .watch = watch,
    .cancellable = cancellable,
  };
  guint n_steps;
  const HoldPlanStep *steps = hold_plan_get_steps (plan, &n_steps);
  const HoldLibarchiveData *data = self.archive != NULL ? _hold_archive_get_backend_data (self.archive) : NULL;
  gboolean ok;

  self.renamed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self.dropped = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self.block = g_malloc (HOLD_LIBARCHIVE_BLOCK_BYTES);
  self.writer = hold_libarchive_writer_new (plan, fd, options, error);
  note_names (&self, steps, n_steps);

  ok = self.writer != NULL &&
       pass (&self, data != NULL ? data->volumes : NULL, steps, n_steps, error) &&
       hold_libarchive_writer_finish (self.writer, error) &&
       hold_libarchive_verify (fd, hold_libarchive_writer_get_names (self.writer), cancellable, error);

  hold_libarchive_writer_free (self.writer);
  g_free (self.block);
  g_hash_table_unref (self.renamed);
  g_hash_table_unref (self.dropped);
  hold_libarchive_locale_leave (locale);
  return ok;
}
