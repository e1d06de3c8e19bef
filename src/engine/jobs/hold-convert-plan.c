/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Between archives of one family all is kept; else each entry becomes a new one of the kinds that
 * every format has: files, folders and symbolic links. */

#include "config.h"

#include "hold-convert-plan.h"

#include "hold-convert-survey.h"
#include "hold-indices.h"
#include "hold-stream-private.h"

static gboolean
is_tar (const HoldFormat *format)
{
  return g_str_has_prefix (format->id, "tar");
}

/* The backend must be the same as well: a ZIP that only libarchive reads has nothing to copy raw. */
static gboolean
is_one_family (HoldArchive      *archive,
               const HoldFormat *to)
{
  const HoldFormat *from = hold_archive_get_format (archive);

  return _hold_archive_get_backend (archive) == hold_backend_for_format (to) &&
         (from == to || (is_tar (from) && is_tar (to)));
}

static void
tell (HoldConvertPlan *self,
      HoldOutcome      outcome,
      const char      *path,
      const char      *what)
{
  g_autoptr (GError) error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, what);

  hold_report_add (self->report, outcome, path, error);
}

static void
tell_of_entry (HoldConvertPlan *self,
               const HoldEntry *entry)
{
  const char *path = hold_entry_get_path (entry);
  gsize length;

  if (hold_entry_get_type (entry) == HOLD_ENTRY_HARDLINK)
    tell (self, HOLD_OUTCOME_CHANGED, path, "was another name of a file, and becomes a file of its own");
  if (hold_entry_is_encrypted (entry) && hold_entry_is_readable (entry))
    tell (self, HOLD_OUTCOME_CHANGED, path, "was encrypted, and is not any more");
  if (hold_entry_get_raw_name (entry, &length) != NULL)
    tell (self, HOLD_OUTCOME_CHANGED, path, "has a name that can't be decoded; its odd bytes are written as %XX");
  if (hold_entry_get_comment (entry) != NULL)
    tell (self, HOLD_OUTCOME_WARNING, path, "its comment is not kept");
}

static gboolean
records_owners (const HoldFormat *format)
{
  return is_tar (format) || g_str_equal (format->id, "cpio");
}

static void
tell_of_losses (HoldConvertPlan *self)
{
  if (hold_archive_get_comment (self->archive) != NULL)
    tell (self, HOLD_OUTCOME_WARNING, "", "The comment of the archive is not kept");
  if (records_owners (hold_archive_get_format (self->archive)))
    tell (self, HOLD_OUTCOME_WARNING, "", "Owners, groups and extended attributes are not kept");
  for (guint i = 0; i < hold_archive_get_n_entries (self->archive); i++)
    tell_of_entry (self, hold_archive_get_entry (self->archive, i));
}

/* FALSE: the archive does not hold its content, or nobody here can read it. */
static gboolean
find_content (HoldConvertPlan  *self,
              guint             index,
              guint            *content,
              GError          **error)
{
  const HoldEntry *entry = hold_archive_get_entry (self->archive, index);

  *content = index;
  switch (hold_entry_get_type (entry))
    {
    case HOLD_ENTRY_HARDLINK:
      if (_hold_archive_resolve_link (self->archive, index, content))
        break;
      g_set_error_literal (error, HOLD_ERROR, HOLD_ERROR_CORRUPT,
                           "the file it is a hard link to is not in the archive");
      return FALSE;
    case HOLD_ENTRY_OTHER:
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_UNSUPPORTED, "devices and pipes are not kept");
      return FALSE;
    case HOLD_ENTRY_SYMLINK:
      if (hold_entry_get_link_target (entry) != NULL)
        break;
      g_set_error_literal (error, HOLD_ERROR, HOLD_ERROR_CORRUPT, "the target of the link can't be read");
      return FALSE;
    case HOLD_ENTRY_FILE:
    case HOLD_ENTRY_FOLDER:
    default:
      break;
    }
  if (hold_entry_get_type (entry) == HOLD_ENTRY_FOLDER ||
      hold_entry_is_readable (hold_archive_get_entry (self->archive, *content)))
    return TRUE;

  g_set_error_literal (error, HOLD_ERROR, HOLD_ERROR_UNSUPPORTED,
                       "its compression or encryption can't be read here");
  return FALSE;
}

static gboolean
has_content (const HoldEntry *entry)
{
  return hold_entry_get_type (entry) == HOLD_ENTRY_FILE || hold_entry_get_type (entry) == HOLD_ENTRY_HARDLINK;
}

HoldConvertPlan *
hold_convert_plan_new (HoldArchive      *archive,
                       const HoldFormat *format,
                       HoldReport       *report)
{
  HoldConvertPlan *self = g_new0 (HoldConvertPlan, 1);
  const GError *list_error = _hold_archive_get_list_error (archive);

  self->archive = g_object_ref (archive);
  self->format = format;
  self->report = hold_report_ref (report);
  self->keeps_all = is_one_family (archive, format);
  self->needs_sizes = hold_backend_for_format (format) == &hold_backend_libarchive;
  self->files = g_array_new (FALSE, FALSE, sizeof (guint));
  self->sizes = hold_convert_survey_new_sizes ();
  self->bad = hold_convert_survey_new_bad ();
  self->told = g_hash_table_new (NULL, NULL);
  self->reported = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < hold_archive_get_n_entries (archive); i++)
    {
      g_autoptr (GError) error = NULL;
      guint content;

      if (has_content (hold_archive_get_entry (archive, i)) && find_content (self, i, &content, &error))
        g_array_append_val (self->files, content);
    }
  hold_indices_tidy (self->files);

  if (list_error != NULL)
    hold_report_add (report, HOLD_OUTCOME_FAILED, "", list_error);
  if (!self->keeps_all)
    tell_of_losses (self);
  return self;
}

void
hold_convert_plan_free (HoldConvertPlan *self)
{
  if (self == NULL)
    return;

  g_object_unref (self->archive);
  hold_report_unref (self->report);
  g_array_unref (self->files);
  g_hash_table_unref (self->sizes);
  g_hash_table_unref (self->bad);
  g_hash_table_unref (self->told);
  g_hash_table_unref (self->reported);
  g_free (self);
}

/* What the first try left out by itself, and told of. */
static void
note_reported (HoldConvertPlan *self)
{
  guint n_items = hold_report_get_n_items (self->report);

  for (guint i = 0; i < n_items; i++)
    {
      const HoldReportItem *item = hold_report_get_item (self->report, i);

      if (item->outcome == HOLD_OUTCOME_FAILED)
        g_hash_table_add (self->reported, g_strdup (item->path));
    }
}

static void
tell_failed (HoldConvertPlan *self,
             guint            index,
             HoldOutcome      outcome,
             const GError    *error)
{
  const char *path = hold_entry_get_path (hold_archive_get_entry (self->archive, index));

  if (g_hash_table_add (self->told, GUINT_TO_POINTER (index)) && !g_hash_table_contains (self->reported, path))
    hold_report_add (self->report, outcome, path, error);
}

static HoldPlanSource *
make_source (HoldConvertPlan *self,
             guint            index,
             guint            content)
{
  const HoldEntry *entry = hold_archive_get_entry (self->archive, index);
  HoldPlanSource *source = g_new0 (HoldPlanSource, 1);
  const guint64 *measured = g_hash_table_lookup (self->sizes, GUINT_TO_POINTER (content));

  source->archive = g_object_ref (self->archive);
  source->index = content;
  source->type = hold_entry_get_type (entry);
  if (source->type == HOLD_ENTRY_HARDLINK)
    source->type = HOLD_ENTRY_FILE;
  source->mode = source->type == HOLD_ENTRY_FOLDER ? 0755 : 0644;
  hold_entry_get_mode (entry, &source->mode);
  /* What has no time of its own is as old as the archive. */
  source->mtime = _hold_archive_get_identity (self->archive)->mtime_ns / 1000000000;
  hold_entry_get_mtime (entry, &source->mtime, &source->mtime_ns);
  if (source->type == HOLD_ENTRY_FILE &&
      !hold_entry_get_size (hold_archive_get_entry (self->archive, content), &source->size_bytes) && measured != NULL)
    source->size_bytes = *measured;
  source->link_target = g_strdup (hold_entry_get_link_target (entry));
  return source;
}

/* An entry becomes a new one. Of several with one name, all are kept. */
static void
add_entry (HoldConvertPlan *self,
           HoldPlan        *plan,
           guint            index,
           guint            content)
{
  const HoldEntry *entry = hold_archive_get_entry (self->archive, index);
  const char *path = hold_entry_get_path (entry);
  g_autofree char *free_path = NULL;
  g_autofree char *what = NULL;
  g_autoptr (GError) refused = NULL;
  gboolean is_folder;

  if (hold_entry_get_type (entry) == HOLD_ENTRY_FOLDER && g_str_equal (path, "."))
    return;
  if (hold_entry_get_type (entry) != HOLD_ENTRY_FOLDER && hold_plan_has (plan, path, &is_folder) && !is_folder)
    path = free_path = hold_plan_free_path (plan, path);
  if (!hold_plan_add (plan, path, make_source (self, index, content), FALSE, &refused))
    {
      gboolean is_unsafe = g_error_matches (refused, G_IO_ERROR, G_IO_ERROR_INVALID_FILENAME);

      tell_failed (self, index, is_unsafe ? HOLD_OUTCOME_REFUSED : HOLD_OUTCOME_FAILED, refused);
      return;
    }
  if (free_path == NULL || self->is_made)
    return;
  what = g_strdup_printf ("is there more than once; this one is called “%s” now", free_path);
  tell (self, HOLD_OUTCOME_CHANGED, hold_entry_get_path (entry), what);
}

typedef struct
{
  guint index;
  guint content;
} Item;

static int
compare_items (gconstpointer a,
               gconstpointer b)
{
  const Item *x = a;
  const Item *y = b;

  if (x->content != y->content)
    return x->content < y->content ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* In the order in which the contents lie in the archive, so that one pass finds them all. */
static GArray *
list_items (HoldConvertPlan *self)
{
  GArray *items = g_array_new (FALSE, FALSE, sizeof (Item));

  for (guint i = 0; i < hold_archive_get_n_entries (self->archive); i++)
    {
      Item item = { .index = i };
      g_autoptr (GError) error = NULL;
      const GError *why;

      if (!find_content (self, i, &item.content, &error))
        {
          tell_failed (self, i, HOLD_OUTCOME_FAILED, error);
          continue;
        }
      why = g_hash_table_lookup (self->bad, GUINT_TO_POINTER (item.content));
      if (why != NULL)
        tell_failed (self, i, HOLD_OUTCOME_FAILED, why);
      else
        g_array_append_val (items, item);
    }
  g_array_sort (items, compare_items);
  return items;
}

static HoldPlan *
make_of_new (HoldConvertPlan *self)
{
  g_autoptr (GArray) items = list_items (self);
  HoldPlan *plan = hold_plan_new_create (self->format);

  for (guint i = 0; i < items->len; i++)
    {
      const Item *item = &g_array_index (items, Item, i);

      add_entry (self, plan, item->index, item->content);
    }
  return plan;
}

/* A bad file takes the other names of it along. */
static HoldPlan *
make_of_kept (HoldConvertPlan *self)
{
  HoldPlan *plan = hold_plan_new_convert (self->archive, self->format);

  for (guint i = 0; i < hold_archive_get_n_entries (self->archive); i++)
    {
      g_autoptr (GError) unresolved = NULL;
      const GError *why = NULL;
      guint content;

      if (find_content (self, i, &content, &unresolved))
        why = g_hash_table_lookup (self->bad, GUINT_TO_POINTER (content));
      if (why == NULL)
        continue;
      tell_failed (self, i, HOLD_OUTCOME_FAILED, why);
      hold_plan_drop_index (plan, i);
    }
  return plan;
}

static guint
count_contents (HoldConvertPlan *self)
{
  guint n = 0;

  for (guint i = 0; i < hold_archive_get_n_entries (self->archive); i++)
    n += has_content (hold_archive_get_entry (self->archive, i));
  return n;
}

static guint
count_left (HoldConvertPlan *self,
            HoldPlan        *plan)
{
  guint n = 0;
  guint n_steps;
  const HoldPlanStep *steps = hold_plan_get_steps (plan, &n_steps);

  for (guint i = 0; i < n_steps; i++)
    n += steps[i].source != NULL ? steps[i].source->type == HOLD_ENTRY_FILE
                                 : has_content (hold_archive_get_entry (self->archive, steps[i].index));
  return n;
}

/* An archive without any of the files would be a lie. */
static gboolean
check_some_left (HoldConvertPlan  *self,
                 HoldPlan         *plan,
                 GError          **error)
{
  if (count_contents (self) == 0 || count_left (self, plan) > 0)
    return TRUE;
  for (guint i = 0; i < hold_report_get_n_items (self->report); i++)
    {
      const HoldReportItem *item = hold_report_get_item (self->report, i);

      if (item->outcome != HOLD_OUTCOME_FAILED && item->outcome != HOLD_OUTCOME_REFUSED)
        continue;
      g_propagate_error (error, g_error_copy (item->error));
      return FALSE;
    }
  return TRUE;
}

HoldPlan *
hold_convert_plan_make (HoldConvertPlan  *self,
                        GError          **error)
{
  g_autoptr (HoldPlan) plan = NULL;

  if (self->is_made)
    note_reported (self);
  plan = self->keeps_all ? make_of_kept (self) : make_of_new (self);
  self->is_made = TRUE;
  return check_some_left (self, plan, error) ? g_steal_pointer (&plan) : NULL;
}
