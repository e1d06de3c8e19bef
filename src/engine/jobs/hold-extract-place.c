/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Second step of an extraction: the names meet the disk. What is there already is found by as few
 * look-ups as possible (nothing can be in the way inside a folder that is new) and the policy, or a
 * person, decides. */

#include "hold-extract-run.h"

#include "hold-question-private.h"

#include <string.h>
#include <sys/stat.h>

typedef enum
{
  FOLDER_IS_NEW,
  FOLDER_WAS_THERE,
  FOLDER_IS_OUT, /* nothing goes into it */
} FolderState;

typedef struct
{
  FolderState state;
  char *place; /* below the sink's folder; "" for that itself */
  HoldOutcome outcome;
  GError *error; /* OUT: why */
} HoldExtractFolder;

static void
folder_free (gpointer data)
{
  HoldExtractFolder *folder = data;

  g_clear_error (&folder->error);
  g_free (folder->place);
  g_free (folder);
}

static char *
join (const char *folder, const char *name)
{
  return *folder == '\0' ? g_strdup (name) : g_strconcat (folder, "/", name, NULL);
}

/* What is known of both sides of a conflict. */
typedef struct
{
  const HoldEntry *entry; /* (nullable): an implied folder */
  const char *path; /* of the entry, UTF-8 */
  gboolean is_folder;
  const char *place;
  HoldDiskKind kind;
  guint64 size_bytes;
  gint64 mtime;
} Conflict;

static gboolean
is_newer (const Conflict *conflict)
{
  gint64 mtime;
  guint nanoseconds;

  return conflict->entry != NULL && conflict->kind == HOLD_DISK_FILE
         && hold_entry_get_mtime (conflict->entry, &mtime, &nanoseconds) && mtime > conflict->mtime;
}

static HoldQuestion *
new_question (HoldExtractRun *run, const Conflict *conflict)
{
  g_autofree char *file_name = g_build_filename (hold_disk_sink_get_path (run->sink),
                                                 conflict->place, NULL);
  g_autofree char *there = g_filename_display_name (file_name);
  HoldConflictSide existing = {
    .path = there,
    .is_folder = conflict->kind == HOLD_DISK_FOLDER,
    .has_size = conflict->kind == HOLD_DISK_FILE,
    .size_bytes = conflict->size_bytes,
    .has_mtime = conflict->kind == HOLD_DISK_FILE,
    .mtime = conflict->mtime,
  };
  HoldConflictSide incoming = { .path = conflict->path, .is_folder = conflict->is_folder };
  guint nanoseconds;

  if (conflict->entry != NULL)
    {
      incoming.has_size = !conflict->is_folder
                          && hold_entry_get_size (conflict->entry, &incoming.size_bytes);
      incoming.has_mtime = hold_entry_get_mtime (conflict->entry, &incoming.mtime, &nanoseconds);
    }
  return hold_question_new_conflict (&existing, &incoming);
}

/* SKIP, OVERWRITE or RENAME. Several threads may come here; one asks at a time, and hears what was
 * said before. */
static gboolean
decide (HoldExtractRun *run, const Conflict *conflict, HoldConflict *decision, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&run->ask_lock);
  g_autoptr (GError) ask_error = NULL;

  *decision = run->conflict;
  if (*decision == HOLD_CONFLICT_ASK)
    {
      g_autoptr (HoldQuestion) question = new_question (run, conflict);
      gboolean for_all = FALSE;

      *decision = HOLD_CONFLICT_SKIP;
      if (hold_job_ask (run->job, question, &ask_error))
        {
          *decision = hold_question_get_conflict (question, &for_all);
          /* Merging two folders says nothing about the files in them. */
          if (for_all && !(conflict->is_folder && conflict->kind == HOLD_DISK_FOLDER))
            run->conflict = *decision;
        }
      else if (ask_error != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&ask_error));
          return FALSE;
        }
    }

  if (*decision == HOLD_CONFLICT_NEWER)
    *decision = is_newer (conflict) ? HOLD_CONFLICT_OVERWRITE : HOLD_CONFLICT_SKIP;
  return TRUE;
}

static const char *
describe_kind (HoldDiskKind kind)
{
  switch (kind)
    {
    case HOLD_DISK_FOLDER:
      return "a folder";
    case HOLD_DISK_FILE:
      return "a file";
    case HOLD_DISK_SYMLINK:
      return "a link";
    case HOLD_DISK_OTHER:
    case HOLD_DISK_NOTHING:
    default:
      return "something";
    }
}

/* Folders */

/* A folder is wanted where something else is, or where a folder is that the person should be asked
 * about. */
static gboolean
place_folder_beside (HoldExtractRun *run, HoldExtractFolder *folder, const Conflict *conflict,
                     GError **error)
{
  HoldConflict decision;

  if (!decide (run, conflict, &decision, error))
    return FALSE;

  if (decision == HOLD_CONFLICT_RENAME)
    {
      char *numbered = hold_disk_sink_free_name (run->sink, folder->place);

      g_free (folder->place);
      folder->place = numbered;
      folder->state = FOLDER_IS_NEW;
      return TRUE;
    }
  if (decision == HOLD_CONFLICT_OVERWRITE && conflict->kind == HOLD_DISK_FOLDER)
    {
      folder->state = FOLDER_WAS_THERE;
      return TRUE;
    }

  /* A file is not thrown away for a whole folder, whatever was said about files. */
  folder->state = FOLDER_IS_OUT;
  folder->outcome = decision == HOLD_CONFLICT_SKIP ? HOLD_OUTCOME_SKIPPED : HOLD_OUTCOME_FAILED;
  folder->error = g_error_new (G_IO_ERROR, G_IO_ERROR_EXISTS,
                               "%s is there where the folder “%s” would go",
                               describe_kind (conflict->kind), conflict->place);
  return TRUE;
}

/* May two folders of one name become one? Silently below, but the one top folder that "extract
 * here" makes is the archive's own, and that it goes into another archive's is worth a question
 * (X02). */
static gboolean
must_ask_to_merge (HoldExtractRun *run, const char *name)
{
  return run->request->layout == HOLD_LAYOUT_SMART && run->top_folder != NULL
         && g_str_equal (name, run->top_folder)
         && (run->conflict == HOLD_CONFLICT_RENAME
             || (run->conflict == HOLD_CONFLICT_ASK && hold_job_is_interactive (run->job)));
}

static HoldExtractFolder *get_folder (HoldExtractRun *run, const char *name, GError **error);

static HoldExtractFolder *
new_folder (HoldExtractRun *run, const char *name, GError **error)
{
  g_autofree char *parent_name = g_path_get_dirname (name);
  HoldExtractFolder *parent = get_folder (run, strchr (name, '/') != NULL ? parent_name : "",
                                          error);

  if (parent == NULL)
    return NULL;

  HoldExtractFolder *folder = g_new0 (HoldExtractFolder, 1);

  folder->state = parent->state;
  folder->place = join (parent->place, hold_path_peek_basename (name));
  if (parent->state == FOLDER_IS_OUT)
    {
      folder->outcome = parent->outcome;
      folder->error = g_error_copy (parent->error);
    }
  g_hash_table_insert (run->folders, g_strdup (name), folder);
  if (parent->state != FOLDER_WAS_THERE)
    return folder;

  HoldNode *node = hold_tree_lookup (hold_archive_get_tree (run->archive), name);
  Conflict conflict = {
    .entry = node != NULL && run->request->base[0] == '\0' && run->request->roots == NULL
               ? hold_node_get_entry (node)
               : NULL,
    .is_folder = TRUE,
    .place = folder->place,
  };
  g_autofree char *path = g_filename_display_name (name);
  g_autoptr (GError) look_error = NULL;

  conflict.path = path;
  if (!hold_disk_sink_look_up (run->sink, folder->place, &conflict.kind, &conflict.size_bytes,
                               &conflict.mtime, NULL, &look_error))
    {
      folder->state = FOLDER_IS_OUT;
      folder->outcome = HOLD_OUTCOME_FAILED;
      folder->error = g_steal_pointer (&look_error);
    }
  else if (conflict.kind == HOLD_DISK_NOTHING)
    {
      folder->state = FOLDER_IS_NEW;
    }
  else if (conflict.kind == HOLD_DISK_FOLDER && !must_ask_to_merge (run, name))
    {
      folder->state = FOLDER_WAS_THERE;
    }
  else if (!place_folder_beside (run, folder, &conflict, error))
    {
      return NULL;
    }
  return folder;
}

/* NULL: cancelled. Depth is bounded by the archive's limit on parts of a path. */
static HoldExtractFolder *
get_folder (HoldExtractRun *run, const char *name, GError **error)
{
  HoldExtractFolder *folder = g_hash_table_lookup (run->folders, name);

  return folder != NULL ? folder : new_folder (run, name, error);
}

static HoldExtractFolder *
get_parent (HoldExtractRun *run, const char *name, GError **error)
{
  const char *slash = strrchr (name, '/');
  g_autofree char *parent = slash != NULL ? g_strndup (name, (gsize) (slash - name))
                                          : g_strdup ("");

  return get_folder (run, parent, error);
}

/* Items */

static void
settle_now (HoldExtractRun *run, HoldExtractItem *item, HoldOutcome outcome, const GError *error)
{
  hold_extract_settle_bad (run, item, outcome, error);
  hold_job_add_entries (run->job, 1);
}

void
hold_extract_number_item (HoldExtractRun *run, HoldExtractItem *item)
{
  gsize prefix = run->prefix != NULL ? strlen (run->prefix) + 1 : 0;

  /* The sink knows the disk and what it handed out; the archive may hold an "a (2).txt" of its own.
   */
  for (;;)
    {
      g_autofree char *numbered = hold_disk_sink_free_name (run->sink, item->place);

      if (strlen (numbered) > prefix && g_hash_table_contains (run->names, numbered + prefix))
        continue;
      g_mutex_lock (&run->lock);
      item->place = g_string_chunk_insert (run->strings, numbered);
      g_mutex_unlock (&run->lock);
      item->replace = FALSE;
      return;
    }
}

void
hold_extract_report_number (HoldExtractRun *run, HoldExtractItem *item)
{
  g_autofree char *name = g_filename_display_basename (item->place);
  g_autoptr (GError)
    error = g_error_new (G_IO_ERROR, G_IO_ERROR_EXISTS,
                         "the archive holds another entry of this name; it is now “%s”", name);

  hold_report_add (run->report, HOLD_OUTCOME_CHANGED, hold_entry_get_path (item->entry), error);
}

/* Nobody who says "replace" means the archive out of which everything else is still to come. */
static gboolean
is_the_archive (HoldExtractRun *run, const HoldExtractItem *item)
{
  g_autofree char *path = g_build_filename (hold_disk_sink_get_path (run->sink), item->place, NULL);
  struct stat st;

  return lstat (path, &st) == 0 && _hold_archive_has_file (run->archive, st.st_dev, st.st_ino);
}

/* Decides what becomes of an item whose place is taken. */
static gboolean
resolve_item (HoldExtractRun *run, HoldExtractItem *item, HoldDiskKind kind, guint64 size_bytes,
              gint64 mtime, gboolean settle, GError **error)
{
  Conflict conflict = {
    .entry = item->entry,
    .path = hold_entry_get_path (item->entry),
    .place = item->place,
    .kind = kind,
    .size_bytes = size_bytes,
    .mtime = mtime,
  };
  HoldConflict decision;

  if (!decide (run, &conflict, &decision, error))
    return FALSE;
  if (decision == HOLD_CONFLICT_RENAME)
    {
      hold_extract_number_item (run, item);
      return TRUE;
    }

  gboolean own = decision == HOLD_CONFLICT_OVERWRITE && is_the_archive (run, item);

  if (decision == HOLD_CONFLICT_OVERWRITE && kind != HOLD_DISK_FOLDER && !own)
    {
      item->replace = TRUE;
      return TRUE;
    }

  g_autoptr (GError) taken =
    own ? g_error_new_literal (G_IO_ERROR, G_IO_ERROR_EXISTS, "it would replace the archive that it comes from")
        : g_error_new (G_IO_ERROR, G_IO_ERROR_EXISTS, "%s of this name is there already", describe_kind (kind));
  HoldOutcome outcome = decision == HOLD_CONFLICT_SKIP ? HOLD_OUTCOME_SKIPPED : HOLD_OUTCOME_FAILED;

  if (settle)
    settle_now (run, item, outcome, taken);
  else
    hold_extract_settle_bad (run, item, outcome, taken);
  return TRUE;
}

static gboolean
place_item (HoldExtractRun *run, HoldExtractItem *item, GError **error)
{
  HoldExtractFolder *folder = item->type == HOLD_ENTRY_FOLDER ? get_folder (run, item->name, error)
                                                              : get_parent (run, item->name, error);

  if (folder == NULL)
    return FALSE;
  if (folder->state == FOLDER_IS_OUT)
    {
      settle_now (run, item, folder->outcome, folder->error);
      return TRUE;
    }
  if (item->type == HOLD_ENTRY_FOLDER)
    {
      item->place = folder->place;
      return TRUE;
    }

  g_autofree char *place = join (folder->place, hold_path_peek_basename (item->name));
  HoldDiskKind kind = HOLD_DISK_NOTHING;
  guint64 size_bytes = 0;
  gint64 mtime = 0;
  g_autoptr (GError) look_error = NULL;

  item->place = g_str_equal (place, item->name) ? item->name
                                                : g_string_chunk_insert (run->strings, place);
  if (item->is_second)
    {
      hold_extract_number_item (run, item);
      return TRUE;
    }
  if (folder->state == FOLDER_IS_NEW)
    return TRUE;
  if (!hold_disk_sink_look_up (run->sink, item->place, &kind, &size_bytes, &mtime, NULL,
                               &look_error))
    {
      settle_now (run, item, HOLD_OUTCOME_FAILED, look_error);
      return TRUE;
    }
  item->was_there = kind != HOLD_DISK_NOTHING;
  return !item->was_there || resolve_item (run, item, kind, size_bytes, mtime, TRUE, error);
}

/**
 * hold_extract_place_again:
 * @item: which could not take its place: something has come there since the step before
 *
 * Thread: any worker of the job. Blocks: until a person answered. Errors: G_IO_ERROR_CANCELLED.
 */
gboolean
hold_extract_place_again (HoldExtractRun *run, HoldExtractItem *item, GError **error)
{
  HoldDiskKind kind = HOLD_DISK_OTHER;
  guint64 size_bytes = 0;
  gint64 mtime = 0;
  g_autoptr (GError) look_error = NULL;

  if (!hold_disk_sink_look_up (run->sink, item->place, &kind, &size_bytes, &mtime, NULL,
                               &look_error))
    {
      hold_extract_settle_bad (run, item, HOLD_OUTCOME_FAILED, look_error);
      return TRUE;
    }
  return kind == HOLD_DISK_NOTHING
         || resolve_item (run, item, kind, size_bytes, mtime, FALSE, error);
}

/* The new folder */

static char *
make_folder_name (HoldArchive *archive)
{
  g_autofree char *name = g_path_get_basename (hold_archive_get_path (archive));
  const HoldFormat *format = hold_format_by_suffix (name);
  gsize length = strlen (name), cut = 0;

  for (guint i = 0; format != NULL && format->suffixes[i] != NULL; i++)
    {
      gsize suffix = strlen (format->suffixes[i]);

      if (suffix < length && suffix > cut
          && g_ascii_strcasecmp (name + length - suffix, format->suffixes[i]) == 0)
        cut = suffix;
    }
  if (cut == 0)
    {
      const char *dot = strrchr (name, '.');

      cut = dot != NULL && dot != name ? strlen (dot) : 0;
    }
  name[length - cut] = '\0';
  /* The name of the archive stays free for the archive, which may lie in the destination itself. */
  return cut == 0 ? g_strconcat (name, " (2)", NULL) : g_strdup (name);
}

static gboolean
choose_prefix (HoldExtractRun *run, GError **error)
{
  HoldLayout layout = run->request->layout;

  if (layout == HOLD_LAYOUT_FULL_PATHS || (layout == HOLD_LAYOUT_SMART && run->n_top <= 1))
    return TRUE;

  g_autofree char *name = make_folder_name (run->archive);
  HoldDiskKind kind;

  if (!hold_disk_sink_look_up (run->sink, name, &kind, NULL, NULL, NULL, error))
    return FALSE;
  run->prefix = kind == HOLD_DISK_NOTHING ? g_steal_pointer (&name)
                                          : hold_disk_sink_free_name (run->sink, name);
  return TRUE;
}

/**
 * hold_extract_place:
 * @run: planned, with its sink open; every pending item gets its place, or is settled
 *
 * Thread: the job's worker. Blocks: for the disk, and until a person answered.
 * Errors: G_IO_ERROR_CANCELLED, or the destination can't be looked at.
 */
gboolean
hold_extract_place (HoldExtractRun *run, GError **error)
{
  HoldExtractFolder *root = g_new0 (HoldExtractFolder, 1);

  run->folders = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, folder_free);
  root->place = g_strdup ("");
  g_hash_table_insert (run->folders, g_strdup (""), root);
  if (!choose_prefix (run, error))
    return FALSE;
  if (run->prefix != NULL)
    {
      g_free (root->place);
      root->place = g_strdup (run->prefix);
    }
  root->state = run->prefix != NULL || run->dest_was_empty ? FOLDER_IS_NEW : FOLDER_WAS_THERE;

  for (guint i = 0; i < run->items->len; i++)
    {
      HoldExtractItem *item = hold_extract_item (run, i);

      if (item->state != HOLD_ITEM_PENDING)
        continue;
      if (i % 256 == 0 && !hold_job_checkpoint (run->job, error))
        return FALSE;
      if (*item->name == '\0')
        item->place = "";
      else if (!place_item (run, item, error))
        return FALSE;
    }
  return TRUE;
}
