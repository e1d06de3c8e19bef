/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Collects edits on one thread and applies them to a plan on another. */

#include "config.h"

#include "hold-update-request.h"

#include <string.h>
#include <sys/stat.h>

#include "hold-disk-source.h"
#include "hold-question-private.h"

static void
edit_free (gpointer data)
{
  HoldEdit *edit = data;

  g_free (edit->path);
  g_free (edit->other);
  g_clear_object (&edit->from);
  g_clear_pointer (&edit->indices, g_array_unref);
  g_free (edit);
}

HoldUpdateRequest *
hold_update_request_new (HoldArchive *archive)
{
  HoldUpdateRequest *self = g_new0 (HoldUpdateRequest, 1);

  self->archive = g_object_ref (archive);
  self->edits = g_ptr_array_new_with_free_func (edit_free);
  self->merged = g_ptr_array_new_with_free_func ((GDestroyNotify) hold_plan_source_free);
  self->conflict = HOLD_CONFLICT_SKIP;
  self->level = -1;
  return self;
}

void
hold_update_request_free (HoldUpdateRequest *self)
{
  if (self == NULL)
    return;

  g_object_unref (self->archive);
  g_ptr_array_unref (self->edits);
  g_ptr_array_unref (self->merged);
  g_clear_pointer (&self->keyring, hold_keyring_unref);
  g_free (self);
}

/* People and shells put a "/" behind folders; paths of the engine have none. */
static char *
without_trailing_slash (const char *path)
{
  gsize length = strlen (path);

  while (length > 0 && path[length - 1] == '/')
    length--;
  return g_strndup (path, length);
}

static HoldEdit *
add_edit (HoldUpdateRequest *self,
          HoldEditKind       kind,
          const char        *path,
          const char        *other)
{
  HoldEdit *edit = g_new0 (HoldEdit, 1);

  edit->kind = kind;
  edit->path = path != NULL ? without_trailing_slash (path) : NULL;
  edit->other = other != NULL ? without_trailing_slash (other) : NULL;
  g_ptr_array_add (self->edits, edit);
  return edit;
}

void
hold_update_request_delete (HoldUpdateRequest *self,
                            const char        *path)
{
  add_edit (self, HOLD_EDIT_DELETE, path, NULL);
}

void
hold_update_request_delete_index (HoldUpdateRequest *self,
                                  guint              index)
{
  add_edit (self, HOLD_EDIT_DELETE_INDEX, NULL, NULL)->index = index;
}

void
hold_update_request_rename (HoldUpdateRequest *self,
                            const char        *old_path,
                            const char        *new_path)
{
  add_edit (self, HOLD_EDIT_RENAME, old_path, new_path);
}

void
hold_update_request_rename_index (HoldUpdateRequest *self,
                                  guint              index,
                                  const char        *new_path)
{
  add_edit (self, HOLD_EDIT_RENAME_INDEX, NULL, new_path)->index = index;
}

void
hold_update_request_make_folder (HoldUpdateRequest *self,
                                 const char        *path)
{
  add_edit (self, HOLD_EDIT_MAKE_FOLDER, path, NULL);
}

void
hold_update_request_add (HoldUpdateRequest *self,
                         const char        *disk_path,
                         const char        *into)
{
  add_edit (self, HOLD_EDIT_ADD, disk_path, into);
}

void
hold_update_request_replace (HoldUpdateRequest *self,
                             guint              index,
                             const char        *disk_path)
{
  g_return_if_fail (index < hold_archive_get_n_entries (self->archive));

  add_edit (self, HOLD_EDIT_REPLACE, disk_path, NULL)->index = index;
  if (hold_entry_is_encrypted (hold_archive_get_entry (self->archive, index)))
    self->encrypt = TRUE;
}

void
hold_update_request_copy (HoldUpdateRequest *self,
                          HoldArchive       *from,
                          GArray            *indices,
                          const char        *base,
                          const char        *into)
{
  HoldEdit *edit = add_edit (self, HOLD_EDIT_COPY, base, into);

  edit->from = g_object_ref (from);
  edit->indices = g_array_copy (indices);
}

void
hold_update_request_set_conflict (HoldUpdateRequest *self,
                                  HoldConflict       conflict)
{
  self->conflict = conflict;
}

void
hold_update_request_set_level (HoldUpdateRequest *self,
                               int                level)
{
  self->level = level;
}

void
hold_update_request_set_move (HoldUpdateRequest *self,
                              gboolean           move)
{
  self->move = move;
}

void
hold_update_request_set_in_the_clear (HoldUpdateRequest *self,
                                      gboolean           in_the_clear)
{
  self->in_the_clear = in_the_clear;
}

void
hold_update_request_set_keyring (HoldUpdateRequest *self,
                                 HoldKeyring       *keyring)
{
  g_clear_pointer (&self->keyring, hold_keyring_unref);
  self->keyring = keyring != NULL ? hold_keyring_ref (keyring) : NULL;
}

/* The applying of one request: what a callback of the scan needs. */
typedef struct
{
  HoldJob *job;
  HoldPlan *plan;
  HoldConflict conflict;
  GPtrArray *merged;
} Apply;

static void
report_failed (Apply        *self,
               const char   *path,
               const GError *error)
{
  hold_report_add (hold_job_get_report (self->job), HOLD_OUTCOME_FAILED, path, error);
}

static gboolean
existing_mtime (Apply      *self,
                const char *path,
                gint64     *mtime,
                guint64    *size,
                gboolean   *has_size)
{
  HoldArchive *archive = hold_plan_get_archive (self->plan);
  HoldNode *node = archive != NULL ? hold_tree_lookup (hold_archive_get_tree (archive), path) : NULL;
  const HoldEntry *entry = node != NULL ? hold_node_get_entry (node) : NULL;
  guint nanoseconds;

  if (entry == NULL)
    return FALSE;
  *has_size = hold_entry_get_size (entry, size);
  return hold_entry_get_mtime (entry, mtime, &nanoseconds);
}

/* FALSE with @error: cancelled; else @what is one of SKIP, OVERWRITE, NEWER, RENAME. */
static gboolean
decide_conflict (Apply                 *self,
                 const char            *path,
                 const HoldPlanSource  *source,
                 HoldConflict          *what,
                 GError               **error)
{
  HoldConflictSide existing = { .path = path };
  HoldConflictSide incoming = { .path = source->disk_path != NULL ? source->disk_path : path };
  g_autoptr (HoldQuestion) question = NULL;
  g_autoptr (GError) cancelled = NULL;
  gboolean for_all = FALSE;

  *what = self->conflict;
  if (*what != HOLD_CONFLICT_ASK)
    return TRUE;

  existing.has_mtime = existing_mtime (self, path, &existing.mtime, &existing.size_bytes, &existing.has_size);
  incoming.has_mtime = incoming.has_size = TRUE;
  incoming.mtime = source->mtime;
  incoming.size_bytes = source->size_bytes;

  question = hold_question_new_conflict (&existing, &incoming);
  *what = HOLD_CONFLICT_SKIP;
  if (!hold_job_ask (self->job, question, &cancelled))
    {
      if (cancelled == NULL)
        return TRUE;
      g_propagate_error (error, g_steal_pointer (&cancelled));
      return FALSE;
    }
  *what = hold_question_get_conflict (question, &for_all);
  if (for_all)
    self->conflict = *what;
  return TRUE;
}

/* Takes @source. One thing to add, under the policy for names that are taken. */
static gboolean
apply_one (gpointer         user_data,
           const char      *path,
           HoldPlanSource  *taken,
           GError         **error)
{
  Apply *self = user_data;
  g_autoptr (HoldPlanSource) source = taken;
  g_autoptr (GError) refused = NULL;
  g_autofree char *free_path = NULL;
  HoldConflict what = HOLD_CONFLICT_OVERWRITE;
  gboolean is_folder = FALSE;
  gint64 mtime;
  guint64 size;
  gboolean has_size;

  source->owner = self->job;
  if (hold_plan_has (self->plan, path, &is_folder))
    {
      if (source->type == HOLD_ENTRY_FOLDER && is_folder)
        {
          g_ptr_array_add (self->merged, g_steal_pointer (&source));
          return TRUE;
        }
      if (source->type != HOLD_ENTRY_FOLDER && !is_folder &&
          !decide_conflict (self, path, source, &what, error))
        return FALSE;
    }

  if (what == HOLD_CONFLICT_NEWER)
    what = existing_mtime (self, path, &mtime, &size, &has_size) && source->mtime <= mtime
             ? HOLD_CONFLICT_SKIP : HOLD_CONFLICT_OVERWRITE;
  if (what == HOLD_CONFLICT_SKIP)
    {
      refused = g_error_new (G_IO_ERROR, G_IO_ERROR_EXISTS, "The archive holds “%s” already", path);
      hold_report_add (hold_job_get_report (self->job), HOLD_OUTCOME_SKIPPED, path, refused);
      return TRUE;
    }
  if (what == HOLD_CONFLICT_RENAME)
    path = free_path = hold_plan_free_path (self->plan, path);

  if (!hold_plan_add (self->plan, path, g_steal_pointer (&source), TRUE, &refused))
    report_failed (self, path, refused);
  return TRUE;
}

static void
scan_failed (gpointer      user_data,
             const char   *disk_path,
             const GError *error)
{
  g_autofree char *display = g_filename_display_name (disk_path);

  report_failed (user_data, display, error);
}

static gboolean
apply_add (Apply           *self,
           const HoldEdit  *edit,
           GCancellable    *cancellable,
           GError         **error)
{
  HoldArchive *archive = hold_plan_get_archive (self->plan);
  HoldDiskScan scan = { .found = apply_one, .failed = scan_failed, .user_data = self };

  if (archive != NULL)
    {
      scan.exclude_device = _hold_archive_get_identity (archive)->device;
      scan.exclude_inode = _hold_archive_get_identity (archive)->inode;
    }
  return hold_disk_source_scan (edit->path, edit->other, &scan, cancellable, error);
}

/* What a scan of a single file needs. */
typedef struct
{
  Apply *apply;
  const HoldEntry *entry;
} Replace;

static gboolean
replace_one (gpointer         user_data,
             const char      *disk_name,
             HoldPlanSource  *taken,
             GError         **error)
{
  Replace *self = user_data;
  g_autoptr (HoldPlanSource) source = taken;
  g_autoptr (GError) refused = NULL;
  const char *path = hold_entry_get_path (self->entry);

  if (source->type != HOLD_ENTRY_FILE)
    {
      refused = g_error_new (G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE, "“%s” is not a file any more",
                             source->disk_path);
      report_failed (self->apply, path, refused);
      return TRUE;
    }

  source->owner = self->apply->job;
  source->mode = 0644;
  hold_entry_get_mode (self->entry, &source->mode);
  if (!hold_plan_add (self->apply->plan, path, g_steal_pointer (&source), TRUE, &refused))
    report_failed (self->apply, path, refused);
  return TRUE;
}

static void
replace_failed (gpointer      user_data,
                const char   *disk_path,
                const GError *error)
{
  Replace *self = user_data;

  report_failed (self->apply, hold_entry_get_path (self->entry), error);
}

static gboolean
apply_replace (Apply              *self,
               HoldUpdateRequest  *request,
               const HoldEdit     *edit,
               GCancellable       *cancellable,
               GError            **error)
{
  guint index = edit->index;
  g_autoptr (HoldArchive) latest = hold_archive_follow (request->archive, &index);
  Replace replace = {
    .apply = self,
    .entry = index != G_MAXUINT ? hold_archive_get_entry (latest, index)
                                : hold_archive_get_entry (request->archive, edit->index),
  };
  HoldDiskScan scan = { .found = replace_one, .failed = replace_failed, .user_data = &replace };

  return hold_disk_source_scan (edit->path, "", &scan, cancellable, error);
}

/* The data of a hard link lies with another entry; a copy is complete in itself. */
static guint
follow_hardlink (HoldArchive *from,
                 guint        index)
{
  const HoldEntry *entry = hold_archive_get_entry (from, index);
  HoldNode *node;

  if (hold_entry_get_type (entry) != HOLD_ENTRY_HARDLINK || hold_entry_get_link_target (entry) == NULL)
    return index;
  node = hold_tree_lookup (hold_archive_get_tree (from), hold_entry_get_link_target (entry));
  if (node == NULL || hold_node_get_entry (node) == NULL)
    return index;
  return hold_entry_get_index (hold_node_get_entry (node));
}

static HoldPlanSource *
source_from_entry (HoldArchive *from,
                   guint        index)
{
  const HoldEntry *entry = hold_archive_get_entry (from, index);
  HoldPlanSource *source = g_new0 (HoldPlanSource, 1);

  source->archive = g_object_ref (from);
  source->index = follow_hardlink (from, index);
  source->origin = index;
  source->type = hold_entry_get_type (entry);
  if (source->type == HOLD_ENTRY_HARDLINK)
    source->type = HOLD_ENTRY_FILE;
  source->mode = source->type == HOLD_ENTRY_FOLDER ? 0755 : 0644;
  hold_entry_get_mode (entry, &source->mode);
  hold_entry_get_mtime (entry, &source->mtime, &source->mtime_ns);
  hold_entry_get_size (hold_archive_get_entry (from, source->index), &source->size_bytes);
  source->link_target = g_strdup (hold_entry_get_link_target (entry));
  return source;
}

static gboolean
apply_copy (Apply           *self,
            const HoldEdit  *edit,
            GCancellable    *cancellable,
            GError         **error)
{
  gsize base_length = strlen (edit->path);

  for (guint i = 0; i < edit->indices->len; i++)
    {
      guint index = g_array_index (edit->indices, guint, i);
      const HoldEntry *entry = hold_archive_get_entry (edit->from, index);
      const char *below = hold_entry_get_path (entry);
      g_autofree char *path = NULL;

      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (base_length > 0 && g_str_has_prefix (below, edit->path) && below[base_length] == '/')
        below += base_length + 1;
      if (base_length > 0 && g_str_equal (below, edit->path))
        path = g_strdup (edit->other);
      else
        path = g_strconcat (edit->other, *edit->other != '\0' ? "/" : "", below, NULL);
      if (!apply_one (self, path, source_from_entry (edit->from, index), error))
        return FALSE;
    }

  return TRUE;
}

/* DELETE_INDEX and RENAME_INDEX: one entry of the snapshot that the request was made of. */
static void
apply_to_index (Apply             *self,
                HoldUpdateRequest *request,
                const HoldEdit    *edit)
{
  guint index = _hold_archive_map_index (request->archive, edit->index);
  g_autoptr (GError) error = NULL;

  if (index == G_MAXUINT || index >= hold_archive_get_n_entries (hold_plan_get_archive (self->plan)))
    {
      error = g_error_new (G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "Entry %u is no longer there", edit->index);
      report_failed (self, "", error);
    }
  else if (edit->kind == HOLD_EDIT_DELETE_INDEX)
    {
      hold_plan_drop_index (self->plan, index);
    }
  else if (!hold_plan_rename_index (self->plan, index, edit->other, &error))
    {
      report_failed (self, edit->other, error);
    }
}

gboolean
hold_update_request_apply (HoldUpdateRequest  *request,
                           HoldJob            *job,
                           HoldPlan           *plan,
                           GCancellable       *cancellable,
                           GError            **error)
{
  Apply self = {
    .job = job, .plan = plan, .conflict = request->conflict, .merged = request->merged,
  };

  for (guint i = 0; i < request->edits->len; i++)
    {
      const HoldEdit *edit = g_ptr_array_index (request->edits, i);
      g_autoptr (GError) refused = NULL;
      gboolean ok = TRUE;

      switch (edit->kind)
        {
        case HOLD_EDIT_DELETE:
          ok = hold_plan_drop (plan, edit->path, &refused);
          break;
        case HOLD_EDIT_DELETE_INDEX:
        case HOLD_EDIT_RENAME_INDEX:
          apply_to_index (&self, request, edit);
          break;
        case HOLD_EDIT_RENAME:
          ok = hold_plan_rename (plan, edit->path, edit->other, &refused);
          break;
        case HOLD_EDIT_MAKE_FOLDER:
          if (hold_plan_has (plan, edit->path, NULL))
            {
              g_set_error (&refused, G_IO_ERROR, G_IO_ERROR_EXISTS,
                           "The archive holds “%s” already", edit->path);
              ok = FALSE;
            }
          else
            {
              ok = hold_plan_add (plan, edit->path, hold_plan_source_new_folder (), FALSE, &refused);
            }
          break;
        case HOLD_EDIT_ADD:
          if (!apply_add (&self, edit, cancellable, error))
            return FALSE;
          break;
        case HOLD_EDIT_REPLACE:
          if (!apply_replace (&self, request, edit, cancellable, error))
            return FALSE;
          break;
        case HOLD_EDIT_COPY:
        default:
          if (!apply_copy (&self, edit, cancellable, error))
            return FALSE;
          break;
        }

      if (!ok)
        report_failed (&self, edit->path, refused);
    }

  return TRUE;
}
