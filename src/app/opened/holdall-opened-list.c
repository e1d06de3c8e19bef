/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Decides when copies go. A window is asked only which file it shows. */

#include "config.h"

#include "holdall-opened-list.h"

#include <glib/gi18n.h>

#include "holdall-format-text.h"
#include "holdall-opened-update.h"
#include "holdall-window.h"

/* How soon a copy goes after the last program has closed it. */
#define POLL_SECONDS 3

struct _HoldallOpenedList {
  GObject parent_instance;

  GtkApplication *application;  /* borrowed */
  HoldallJobList *jobs;         /* borrowed */
  GPtrArray *entries;           /* HoldallOpenedEntry, oldest first */
  GHashTable *looked_for;       /* paths of archives */
  guint poll_timeout;
  gboolean is_holding;          /* the application */
};

enum { CHANGED, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (HoldallOpenedList, holdall_opened_list, G_TYPE_OBJECT)

static void sweep (HoldallOpenedList *self);

static const char *
get_archive_path (HoldallOpenedEntry *entry)
{
  return hold_archive_get_path (holdall_opened_entry_get_archive (entry));
}

/* @but: (nullable): a window that does not count */
static gboolean
is_shown (HoldallOpenedList *self,
          const char        *path,
          GtkWindow         *but)
{
  for (GList *l = gtk_application_get_windows (self->application); l != NULL; l = l->next)
    {
      GFile *file = l->data != but && HOLDALL_IS_WINDOW (l->data)
                      ? holdall_window_get_file (l->data) : NULL;
      const char *shown = file != NULL ? g_file_peek_path (file) : NULL;

      if (path != NULL && g_strcmp0 (shown, path) == 0)
        return TRUE;
    }
  return FALSE;
}

static gboolean
has_home (HoldallOpenedList  *self,
          HoldallOpenedEntry *entry,
          GtkWindow          *but)
{
  return is_shown (self, get_archive_path (entry), but) ||
         is_shown (self, holdall_opened_entry_get_copy (entry), but);
}

static gboolean
poll_cb (gpointer user_data)
{
  HoldallOpenedList *self = user_data;

  self->poll_timeout = 0;
  holdall_opened_list_check (self);
  sweep (self);
  return G_SOURCE_REMOVE;
}

static void
set_holding (HoldallOpenedList *self,
             gboolean           is_holding)
{
  if (self->is_holding == is_holding)
    return;
  self->is_holding = is_holding;
  if (is_holding)
    g_application_hold (G_APPLICATION (self->application));
  else
    g_application_release (G_APPLICATION (self->application));
}

/* Lets go of what nobody needs, and asks about what nobody would be asked about otherwise. */
static void
sweep (HoldallOpenedList *self)
{
  gboolean must_wait = FALSE;

  for (guint i = self->entries->len; i-- > 0;)
    {
      HoldallOpenedEntry *entry = g_ptr_array_index (self->entries, i);

      if (has_home (self, entry, NULL))
        continue;
      holdall_opened_entry_cancel (entry);
      if (holdall_opened_entry_is_unsaved (entry) && !holdall_opened_entry_is_busy (entry))
        holdall_opened_update_ask (self->application, entry);
      if (holdall_opened_entry_is_unsaved (entry) || holdall_opened_entry_is_busy (entry) ||
          holdall_opened_entry_is_in_use (entry))
        {
          must_wait = TRUE;
          continue;
        }
      holdall_opened_list_drop (self, entry);
      /* It may have been the home of others. */
      i = self->entries->len;
    }

  set_holding (self, must_wait);
  if (must_wait && self->poll_timeout == 0)
    self->poll_timeout = g_timeout_add_seconds (POLL_SECONDS, poll_cb, self);
}

static void
entry_changed_cb (HoldallOpenedList *self)
{
  g_signal_emit (self, signals[CHANGED], 0);
  if (self->is_holding)
    sweep (self);
}

static void
take_entry (HoldallOpenedList  *self,
            HoldallOpenedEntry *entry)
{
  g_signal_connect_object (entry, "changed", G_CALLBACK (entry_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_ptr_array_add (self->entries, entry);
}

HoldallOpenedEntry *
holdall_opened_list_add (HoldallOpenedList *self,
                         HoldArchive       *archive,
                         guint              index,
                         HoldKeyring       *keyring)
{
  HoldallOpenedEntry *entry;

  g_return_val_if_fail (HOLDALL_IS_OPENED_LIST (self), NULL);

  /* Another window may show the same file by a snapshot of its own. */
  holdall_opened_list_follow (self, archive, keyring);
  for (guint i = 0; i < self->entries->len; i++)
    {
      entry = g_ptr_array_index (self->entries, i);
      if (holdall_opened_entry_get_archive (entry) != archive ||
          holdall_opened_entry_get_index (entry) != index)
        continue;
      holdall_opened_entry_check (entry);
      if (!holdall_opened_entry_is_lost (entry) &&
          (!holdall_opened_entry_has_rival (entry) || holdall_opened_entry_is_unsaved (entry) ||
           holdall_opened_entry_is_busy (entry)))
        return entry;
      /* There is no copy any more; or somebody else has changed the entry in the archive, and nobody
       * the copy. */
      holdall_opened_list_drop (self, entry);
      break;
    }

  entry = holdall_opened_entry_new (archive, index, keyring, self->jobs);
  take_entry (self, entry);
  return entry;
}

void
holdall_opened_list_drop (HoldallOpenedList  *self,
                          HoldallOpenedEntry *entry)
{
  g_autoptr (HoldallOpenedEntry) owned = g_object_ref (entry);

  g_signal_handlers_disconnect_by_data (entry, self);
  if (g_ptr_array_remove (self->entries, entry))
    holdall_opened_entry_remove (owned);
}

typedef struct {
  HoldArchive *archive;
  HoldKeyring *keyring;
} Search;

static void
search_free (gpointer data)
{
  Search *search = data;

  g_object_unref (search->archive);
  hold_keyring_unref (search->keyring);
  g_free (search);
}

static void
reclaim_func (GTask        *task,
              gpointer      source_object,
              gpointer      task_data,
              GCancellable *cancellable)
{
  const Search *search = task_data;

  g_task_return_pointer (task,
                         hold_staging_reclaim (g_get_user_cache_dir (),
                                               hold_archive_get_path (search->archive)),
                         (GDestroyNotify) g_ptr_array_unref);
}

static void
reclaimed_cb (GObject      *object,
              GAsyncResult *result,
              gpointer      user_data)
{
  HoldallOpenedList *self = HOLDALL_OPENED_LIST (object);
  const Search *search = g_task_get_task_data (G_TASK (result));
  g_autoptr (GPtrArray) found = g_task_propagate_pointer (G_TASK (result), NULL);
  const char *path = hold_archive_get_path (search->archive);

  if (found == NULL || found->len == 0)
    return;
  /* Without a window the next one asks. */
  if (!is_shown (self, path, NULL))
    {
      g_hash_table_remove (self->looked_for, path);
      return;
    }
  for (guint i = 0; i < found->len; i++)
    take_entry (self, holdall_opened_entry_new_left (search->archive, g_ptr_array_index (found, i),
                                                     search->keyring, self->jobs));
  /* The archive may have been changed meanwhile. */
  for (GList *l = gtk_application_get_windows (self->application); l != NULL; l = l->next)
    {
      HoldArchive *shown = HOLDALL_IS_WINDOW (l->data) ? holdall_window_get_archive (l->data) : NULL;

      if (shown != NULL && g_strcmp0 (hold_archive_get_path (shown), path) == 0)
        holdall_opened_list_follow (self, shown, search->keyring);
    }
}

static void
reclaim (HoldallOpenedList *self,
         HoldArchive       *archive,
         HoldKeyring       *keyring)
{
  g_autoptr (GTask) task = NULL;
  Search *search;

  /* Later ones are our own. */
  if (!g_hash_table_add (self->looked_for, g_strdup (hold_archive_get_path (archive))))
    return;
  search = g_new0 (Search, 1);
  search->archive = g_object_ref (archive);
  search->keyring = hold_keyring_ref (keyring);
  task = g_task_new (self, NULL, reclaimed_cb, NULL);
  g_task_set_task_data (task, search, search_free);
  g_task_run_in_thread (task, reclaim_func);
}

void
holdall_opened_list_follow (HoldallOpenedList *self,
                            HoldArchive       *archive,
                            HoldKeyring       *keyring)
{
  const char *path = hold_archive_get_path (archive);
  gboolean has_any = FALSE;

  reclaim (self, archive, keyring);

  for (guint i = 0; i < self->entries->len; i++)
    {
      HoldallOpenedEntry *entry = g_ptr_array_index (self->entries, i);

      if (g_strcmp0 (get_archive_path (entry), path) != 0)
        continue;
      holdall_opened_entry_follow (entry, archive);
      has_any = TRUE;
    }
  if (has_any)
    g_signal_emit (self, signals[CHANGED], 0);
}

HoldallOpenedEntry *
holdall_opened_list_find_copy (HoldallOpenedList *self,
                               const char        *path)
{
  for (guint i = 0; i < self->entries->len; i++)
    {
      HoldallOpenedEntry *entry = g_ptr_array_index (self->entries, i);
      const char *copy = holdall_opened_entry_get_copy (entry);

      if (copy != NULL && g_strcmp0 (copy, path) == 0)
        return entry;
    }
  return NULL;
}

char *
holdall_opened_list_dup_title (HoldallOpenedList *self,
                               const char        *path)
{
  HoldallOpenedEntry *entry = holdall_opened_list_find_copy (self, path);
  g_autofree char *outer = NULL;

  if (entry == NULL)
    return holdall_format_basename (path);
  outer = holdall_opened_list_dup_title (self, get_archive_path (entry));
  /* Translators: an archive in an archive: "photos.zip in backup.tar" */
  return g_strdup_printf (_("%s in %s"), holdall_opened_entry_get_name (entry), outer);
}

char *
holdall_opened_list_dup_outermost (HoldallOpenedList *self,
                                   const char        *path)
{
  HoldallOpenedEntry *entry;

  while ((entry = holdall_opened_list_find_copy (self, path)) != NULL)
    path = get_archive_path (entry);
  return g_strdup (path);
}

/* Nothing happened to it in its archive that has to be said before it is replaced there. */
static gboolean
is_plain (HoldallOpenedEntry *entry)
{
  return holdall_opened_entry_get_index (entry) != G_MAXUINT && !holdall_opened_entry_has_rival (entry);
}

/* @entries: those that one question is about */
static void
add_to_question (GPtrArray          *entries,
                 HoldallOpenedEntry *entry)
{
  HoldallOpenedEntry *first = entries->len > 0 ? g_ptr_array_index (entries, 0) : NULL;

  if (first == NULL || (g_strcmp0 (get_archive_path (first), get_archive_path (entry)) == 0 &&
                        is_plain (first) && is_plain (entry)))
    g_ptr_array_add (entries, g_object_ref (entry));
}

GPtrArray *
holdall_opened_list_dup_asking (HoldallOpenedList *self,
                                const char        *path)
{
  GPtrArray *asking = g_ptr_array_new_with_free_func (g_object_unref);
  HoldallOpenedEntry *own = holdall_opened_list_find_copy (self, path);

  for (guint i = 0; i < self->entries->len; i++)
    {
      HoldallOpenedEntry *entry = g_ptr_array_index (self->entries, i);

      if (holdall_opened_entry_is_asking (entry) && g_strcmp0 (get_archive_path (entry), path) == 0)
        add_to_question (asking, entry);
    }
  if (asking->len == 0 && own != NULL && holdall_opened_entry_is_asking (own))
    g_ptr_array_add (asking, g_object_ref (own));
  return asking;
}

void
holdall_opened_list_check (HoldallOpenedList *self)
{
  for (guint i = 0; i < self->entries->len; i++)
    holdall_opened_entry_check (g_ptr_array_index (self->entries, i));
}

GPtrArray *
holdall_opened_list_dup_unsaved (HoldallOpenedList *self,
                                 GtkWindow         *window)
{
  GPtrArray *unsaved = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < self->entries->len; i++)
    {
      HoldallOpenedEntry *entry = g_ptr_array_index (self->entries, i);

      if (holdall_opened_entry_is_unsaved (entry) && !holdall_opened_entry_is_busy (entry) &&
          has_home (self, entry, NULL) && !has_home (self, entry, window))
        add_to_question (unsaved, entry);
    }
  return unsaved;
}

static void
window_removed_cb (HoldallOpenedList *self)
{
  /* Saved a moment ago, and not noticed yet. */
  holdall_opened_list_check (self);
  sweep (self);
}

void
holdall_opened_list_close (HoldallOpenedList *self)
{
  g_clear_handle_id (&self->poll_timeout, g_source_remove);
  while (self->entries->len > 0)
    holdall_opened_list_drop (self, g_ptr_array_index (self->entries, self->entries->len - 1));
}

static void
holdall_opened_list_dispose (GObject *object)
{
  holdall_opened_list_close (HOLDALL_OPENED_LIST (object));

  G_OBJECT_CLASS (holdall_opened_list_parent_class)->dispose (object);
}

static void
holdall_opened_list_finalize (GObject *object)
{
  g_ptr_array_unref (HOLDALL_OPENED_LIST (object)->entries);
  g_hash_table_unref (HOLDALL_OPENED_LIST (object)->looked_for);

  G_OBJECT_CLASS (holdall_opened_list_parent_class)->finalize (object);
}

static void
holdall_opened_list_class_init (HoldallOpenedListClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = holdall_opened_list_dispose;
  object_class->finalize = holdall_opened_list_finalize;

  signals[CHANGED] = g_signal_new ("changed", HOLDALL_TYPE_OPENED_LIST, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
holdall_opened_list_init (HoldallOpenedList *self)
{
  self->entries = g_ptr_array_new_with_free_func (g_object_unref);
  self->looked_for = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

HoldallOpenedList *
holdall_opened_list_new (GtkApplication *application,
                         HoldallJobList *jobs)
{
  HoldallOpenedList *self = g_object_new (HOLDALL_TYPE_OPENED_LIST, NULL);

  self->application = application;
  self->jobs = jobs;
  g_signal_connect_object (application, "window-removed", G_CALLBACK (window_removed_cb), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  return self;
}
