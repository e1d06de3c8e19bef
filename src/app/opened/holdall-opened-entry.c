/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Watches one copy, knows what of it is in the archive, and lets go of it. */

#include "config.h"

#include "holdall-opened-entry.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "holdall-copy.h"
#include "holdall-format-text.h"

/* Programs save in many writes, some with a pause between them. */
#define REST_MS 1000

/* Which content the copy has, as far as the file system tells. */
typedef struct {
  guint64 inode;
  gint64 size_bytes;
  gint64 mtime_s;
  gint64 mtime_ns;
} Mark;

/* What the archive records of the entry. */
typedef struct {
  guint64 size_bytes;
  guint32 crc;
  gint64 mtime;
} Stamp;

struct _HoldallOpenedEntry {
  GObject parent_instance;

  HoldArchive *archive;
  guint index;             /* G_MAXUINT: gone from it */
  char *entry_path;        /* as it was last there */
  char *name;
  HoldKeyring *keyring;
  HoldallJobList *jobs;    /* borrowed */
  Stamp stamp;

  GCancellable *cancellable; /* (nullable): while the copy is being made */
  HoldallCopy *copy;         /* (nullable): once it is there */

  GFileMonitor *monitor;   /* (nullable) */
  guint rest_timeout;
  Mark seen;               /* the content that was last looked at */
  guint version;           /* how many contents that were */
  gboolean is_unsaved;
  gboolean is_asking;

  HoldUpdateJob *update_job; /* weak: until it is finished */
  Mark sent;                 /* what it reads */
};

enum { CHANGED, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (HoldallOpenedEntry, holdall_opened_entry, G_TYPE_OBJECT)

static void
tell_changed (HoldallOpenedEntry *self)
{
  g_signal_emit (self, signals[CHANGED], 0);
}

static gboolean
take_mark (const char *path,
           Mark       *mark)
{
  GStatBuf st;

  if (g_lstat (path, &st) != 0 || !S_ISREG (st.st_mode))
    return FALSE;
  mark->inode = st.st_ino;
  mark->size_bytes = st.st_size;
  mark->mtime_s = st.st_mtim.tv_sec;
  mark->mtime_ns = st.st_mtim.tv_nsec;
  return TRUE;
}

static gboolean
same_mark (const Mark *a,
           const Mark *b)
{
  return a->inode == b->inode && a->size_bytes == b->size_bytes && a->mtime_s == b->mtime_s &&
         a->mtime_ns == b->mtime_ns;
}

static const HoldEntry *
get_entry (HoldallOpenedEntry *self)
{
  return self->index != G_MAXUINT ? hold_archive_get_entry (self->archive, self->index) : NULL;
}

static void
take_stamp (HoldallOpenedEntry *self,
            Stamp              *stamp)
{
  const HoldEntry *entry = get_entry (self);
  guint nanoseconds;

  memset (stamp, 0, sizeof *stamp);
  if (entry == NULL)
    return;
  hold_entry_get_size (entry, &stamp->size_bytes);
  hold_entry_get_crc32 (entry, &stamp->crc);
  hold_entry_get_mtime (entry, &stamp->mtime, &nanoseconds);
}

/* Watching. */

void
holdall_opened_entry_check (HoldallOpenedEntry *self)
{
  Mark now;

  g_clear_handle_id (&self->rest_timeout, g_source_remove);
  /* Not there: it is just being replaced, or somebody has moved it away. */
  if (self->copy == NULL || !take_mark (self->copy->path, &now) || same_mark (&now, &self->seen))
    return;
  self->seen = now;
  self->version++;
  self->is_unsaved = TRUE;
  self->is_asking = TRUE;
  tell_changed (self);
}

static gboolean
rested_cb (gpointer user_data)
{
  HoldallOpenedEntry *self = user_data;

  self->rest_timeout = 0;
  holdall_opened_entry_check (self);
  return G_SOURCE_REMOVE;
}

static void
touched_cb (HoldallOpenedEntry *self)
{
  g_clear_handle_id (&self->rest_timeout, g_source_remove);
  self->rest_timeout = g_timeout_add (REST_MS, rested_cb, self);
}

static void
watch (HoldallOpenedEntry *self)
{
  g_autoptr (GFile) folder = g_file_new_for_path (hold_staging_get_payload (self->copy->staging));
  g_autoptr (GError) error = NULL;

  self->monitor = g_file_monitor_directory (folder, G_FILE_MONITOR_WATCH_MOVES, NULL, &error);
  /* Then it is only looked at when its window gets the focus, and when that closes. */
  if (self->monitor == NULL)
    g_warning ("An opened file can’t be watched: %s", error->message);
  else
    g_signal_connect_object (self->monitor, "changed", G_CALLBACK (touched_cb), self,
                             G_CONNECT_SWAPPED);
}

/* Making the copy. */

static void
copied_cb (GObject      *object,
           GAsyncResult *result,
           gpointer      user_data)
{
  g_autoptr (GTask) task = user_data;
  HoldallOpenedEntry *self = g_task_get_source_object (task);
  GError *error = NULL;

  self->copy = holdall_copy_finish (result, &error);
  g_clear_object (&self->cancellable);
  if (self->copy == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  if (!take_mark (self->copy->path, &self->seen))
    g_debug ("%s is gone already", self->copy->path);
  watch (self);
  g_task_return_boolean (task, TRUE);
}

void
holdall_opened_entry_prepare_async (HoldallOpenedEntry *self,
                                    GtkWindow          *parent,
                                    GAsyncReadyCallback callback,
                                    gpointer            user_data)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, callback, user_data);

  g_return_if_fail (HOLDALL_IS_OPENED_ENTRY (self));

  g_task_set_source_tag (task, holdall_opened_entry_prepare_async);
  if (self->copy != NULL)
    {
      g_task_return_boolean (task, TRUE);
      return;
    }
  if (self->cancellable != NULL || self->index == G_MAXUINT)
    {
      g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_PENDING, "It is on its way, or gone");
      return;
    }
  self->cancellable = g_cancellable_new ();
  holdall_copy_make_async (self->archive, self->index, self->keyring, self->jobs, parent,
                           self->cancellable, copied_cb, g_steal_pointer (&task));
}

gboolean
holdall_opened_entry_prepare_finish (HoldallOpenedEntry  *self,
                                     GAsyncResult        *result,
                                     GError             **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

void
holdall_opened_entry_cancel (HoldallOpenedEntry *self)
{
  g_cancellable_cancel (self->cancellable);
}

/* Putting it back. */

static void
disown_update_job (HoldallOpenedEntry *self)
{
  if (self->update_job != NULL)
    g_signal_handlers_disconnect_by_data (self->update_job, self);
  g_clear_weak_pointer (&self->update_job);
}

static gboolean
has_arrived (HoldallOpenedEntry *self)
{
  HoldJob *job = HOLD_JOB (self->update_job);
  HoldReport *report = hold_job_get_report (job);

  if (hold_job_get_state (job) != HOLD_JOB_DONE)
    return FALSE;
  /* "Changed": it was written to while it was read. */
  for (guint i = 0; i < hold_report_get_n_items (report); i++)
    {
      const HoldReportItem *item = hold_report_get_item (report, i);

      if (g_strcmp0 (item->path, self->entry_path) == 0 || g_strcmp0 (item->path, self->copy->path) == 0)
        return FALSE;
    }
  return TRUE;
}

static void
updated_cb (HoldallOpenedEntry *self)
{
  gboolean arrived = has_arrived (self);
  HoldArchive *archive = hold_update_job_get_archive (self->update_job);

  /* Saved once more while the job ran, and not noticed yet. */
  holdall_opened_entry_check (self);
  if (arrived && archive != NULL)
    {
      holdall_opened_entry_follow (self, archive);
      take_stamp (self, &self->stamp);
    }
  disown_update_job (self);
  if (arrived && same_mark (&self->seen, &self->sent))
    holdall_opened_entry_settle (self);
  else if (!arrived)
    self->is_asking = TRUE;
  tell_changed (self);
}

void
holdall_opened_entry_begin_update (HoldallOpenedEntry *self,
                                   HoldUpdateJob      *job)
{
  g_return_if_fail (self->copy != NULL);

  holdall_opened_entry_check (self);
  disown_update_job (self);
  g_set_weak_pointer (&self->update_job, job);
  self->sent = self->seen;
  self->is_asking = FALSE;
  g_signal_connect_object (job, "finished", G_CALLBACK (updated_cb), self, G_CONNECT_SWAPPED);
  tell_changed (self);
}

void
holdall_opened_entry_settle (HoldallOpenedEntry *self)
{
  g_autofree char *name = NULL;
  g_autoptr (GError) error = NULL;
  Mark now;

  if (self->copy == NULL)
    return;
  self->is_unsaved = FALSE;
  self->is_asking = FALSE;
  /* Saved again since, and not noticed yet: nobody has answered for that. */
  holdall_opened_entry_check (self);
  if (self->is_unsaved || !take_mark (self->copy->path, &now))
    return;
  name = g_path_get_basename (self->copy->path);
  if (!hold_staging_renew (self->copy->staging, name, &error))
    g_warning ("%s", error->message);
}

void
holdall_opened_entry_put_off (HoldallOpenedEntry *self)
{
  self->is_asking = FALSE;
  tell_changed (self);
}

/* G_MAXUINT: there is no file of that path. */
static guint
find_index (HoldArchive *archive,
            const char  *path)
{
  HoldNode *node = hold_tree_lookup (hold_archive_get_tree (archive), path);
  const HoldEntry *entry = node != NULL ? hold_node_get_entry (node) : NULL;

  return entry != NULL && hold_entry_get_type (entry) == HOLD_ENTRY_FILE
           ? hold_entry_get_index (entry) : G_MAXUINT;
}

void
holdall_opened_entry_follow (HoldallOpenedEntry *self,
                             HoldArchive        *archive)
{
  guint index = self->index;
  g_autoptr (HoldArchive) latest = hold_archive_follow (self->archive, &index);

  if (self->archive == archive)
    return;
  if (latest != archive || index == G_MAXUINT)
    /* It was read again, or the entry has come back: only names tell which is which. */
    index = find_index (archive, self->entry_path);
  g_set_object (&self->archive, archive);
  self->index = index;
  if (index != G_MAXUINT)
    {
      g_free (self->entry_path);
      self->entry_path = g_strdup (hold_entry_get_path (get_entry (self)));
    }
}

gboolean
holdall_opened_entry_has_rival (HoldallOpenedEntry *self)
{
  Stamp now;

  take_stamp (self, &now);
  return now.size_bytes != self->stamp.size_bytes || now.crc != self->stamp.crc ||
         now.mtime != self->stamp.mtime;
}

/* The end. */

gboolean
holdall_opened_entry_is_in_use (HoldallOpenedEntry *self)
{
  gboolean is_in_use;

  if (self->copy == NULL)
    return FALSE;
  is_in_use = hold_staging_is_in_use (self->copy->staging);
  /* Looking makes everything in the staging writable. */
  if (holdall_opened_entry_get_why_read_only (self) != NULL && g_chmod (self->copy->path, 0400) != 0)
    g_debug ("%s: %s", self->copy->path, g_strerror (errno));
  return is_in_use;
}

/* Editors leave their backup beside the file; here it is a copy of what we have put there. */
static void
remove_backup (HoldallOpenedEntry *self)
{
  g_autofree char *backup = g_strconcat (self->copy->path, "~", NULL);
  Mark mark;

  if (take_mark (backup, &mark) && g_unlink (backup) != 0)
    g_debug ("%s: %s", backup, g_strerror (errno));
}

void
holdall_opened_entry_remove (HoldallOpenedEntry *self)
{
  g_clear_handle_id (&self->rest_timeout, g_source_remove);
  if (self->monitor != NULL)
    g_file_monitor_cancel (self->monitor);
  g_clear_object (&self->monitor);
  g_cancellable_cancel (self->cancellable);
  disown_update_job (self);
  if (self->copy == NULL)
    return;
  if (!self->is_unsaved)
    remove_backup (self);
  if (!hold_staging_clean (self->copy->staging))
    g_debug ("Something is left in %s", hold_staging_get_payload (self->copy->staging));
  g_clear_pointer (&self->copy, holdall_copy_free);
}

static void
holdall_opened_entry_dispose (GObject *object)
{
  HoldallOpenedEntry *self = HOLDALL_OPENED_ENTRY (object);

  holdall_opened_entry_remove (self);

  G_OBJECT_CLASS (holdall_opened_entry_parent_class)->dispose (object);
}

static void
holdall_opened_entry_finalize (GObject *object)
{
  HoldallOpenedEntry *self = HOLDALL_OPENED_ENTRY (object);

  g_clear_object (&self->archive);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->keyring, hold_keyring_unref);
  g_free (self->entry_path);
  g_free (self->name);

  G_OBJECT_CLASS (holdall_opened_entry_parent_class)->finalize (object);
}

static void
holdall_opened_entry_class_init (HoldallOpenedEntryClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = holdall_opened_entry_dispose;
  object_class->finalize = holdall_opened_entry_finalize;

  signals[CHANGED] = g_signal_new ("changed", HOLDALL_TYPE_OPENED_ENTRY, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
holdall_opened_entry_init (HoldallOpenedEntry *self)
{
}

static HoldallOpenedEntry *
create (HoldArchive    *archive,
        guint           index,
        const char     *entry_path,
        HoldKeyring    *keyring,
        HoldallJobList *jobs)
{
  HoldallOpenedEntry *self = g_object_new (HOLDALL_TYPE_OPENED_ENTRY, NULL);

  self->archive = g_object_ref (archive);
  self->index = index;
  self->entry_path = g_strdup (entry_path);
  self->name = holdall_format_basename (self->entry_path);
  self->keyring = hold_keyring_ref (keyring);
  self->jobs = jobs;
  take_stamp (self, &self->stamp);
  return self;
}

HoldallOpenedEntry *
holdall_opened_entry_new (HoldArchive    *archive,
                          guint           index,
                          HoldKeyring    *keyring,
                          HoldallJobList *jobs)
{
  const HoldEntry *entry = hold_archive_get_entry (archive, index);

  return create (archive, index, hold_entry_get_path (entry), keyring, jobs);
}

HoldallOpenedEntry *
holdall_opened_entry_new_left (HoldArchive     *archive,
                               HoldStagingLeft *left,
                               HoldKeyring     *keyring,
                               HoldallJobList  *jobs)
{
  HoldallOpenedEntry *self = create (archive, find_index (archive, left->entry_path),
                                     left->entry_path, keyring, jobs);

  self->copy = holdall_copy_new_left (g_steal_pointer (&left->staging),
                                      g_steal_pointer (&left->copy));
  if (!take_mark (self->copy->path, &self->seen))
    g_debug ("%s is gone already", self->copy->path);
  self->is_unsaved = TRUE;
  self->is_asking = TRUE;
  watch (self);
  return self;
}

HoldArchive *
holdall_opened_entry_get_archive (HoldallOpenedEntry *self)
{
  return self->archive;
}

guint
holdall_opened_entry_get_index (HoldallOpenedEntry *self)
{
  return self->index;
}

HoldKeyring *
holdall_opened_entry_get_keyring (HoldallOpenedEntry *self)
{
  return self->keyring;
}

const char *
holdall_opened_entry_get_path (HoldallOpenedEntry *self)
{
  return self->entry_path;
}

const char *
holdall_opened_entry_get_name (HoldallOpenedEntry *self)
{
  return self->name;
}

const char *
holdall_opened_entry_get_copy (HoldallOpenedEntry *self)
{
  return self->copy != NULL ? self->copy->path : NULL;
}

const char *
holdall_opened_entry_get_content_type (HoldallOpenedEntry *self)
{
  return self->copy != NULL ? self->copy->content_type : NULL;
}

HoldallOpenKind
holdall_opened_entry_get_kind (HoldallOpenedEntry *self)
{
  return self->copy != NULL ? self->copy->kind : HOLDALL_OPEN_NEVER;
}

const char *
holdall_opened_entry_get_why_read_only (HoldallOpenedEntry *self)
{
  return hold_archive_why_not (self->archive, HOLD_CAP_UPDATE);
}

gboolean
holdall_opened_entry_is_busy (HoldallOpenedEntry *self)
{
  return self->cancellable != NULL || self->update_job != NULL;
}

gboolean
holdall_opened_entry_is_lost (HoldallOpenedEntry *self)
{
  return self->copy != NULL && !holdall_opened_entry_is_busy (self) &&
         !g_file_test (self->copy->path, G_FILE_TEST_EXISTS);
}

gboolean
holdall_opened_entry_is_unsaved (HoldallOpenedEntry *self)
{
  return self->is_unsaved;
}

gboolean
holdall_opened_entry_is_asking (HoldallOpenedEntry *self)
{
  return self->is_asking;
}

guint
holdall_opened_entry_get_version (HoldallOpenedEntry *self)
{
  return self->version;
}
