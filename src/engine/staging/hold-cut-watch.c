/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Raw inotify over a whole staging, and the rule that turns its events into a verdict. GFileMonitor
 * can't tell a file that was copied and then deleted from one that was only deleted; the order of
 * open, close and delete can. */

#include "config.h"

#include "hold-cut-watch.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hold-staging-private.h"

#define WATCH_MASK (IN_OPEN | IN_CLOSE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | \
                    IN_ONLYDIR | IN_DONT_FOLLOW)

/* How far a file has come on the way open → close → delete. A later step never counts without those
 * before. Or it was renamed alone, out of an item that stayed: so file managers merge folders. */
typedef enum { UNTOUCHED, OPENED, READ, READ_AND_DELETED, DELETED_UNREAD, MOVED_AWAY } FileState;

typedef struct
{
  char *name;
  int fd;                /* O_PATH: still leads to the thing when it has been moved */
  gboolean moved_out;
  GPtrArray *files;      /* paths, borrowed from the keys of the table of states, of regular files in it or itself */
  HoldCutFate fate;
} CutItem;

struct _HoldCutWatch
{
  HoldStaging *staging;
  int inotify_fd;
  GHashTable *folders;   /* watch descriptor → path of the folder, "" for the payload */
  GHashTable *states;    /* path of a regular file → FileState */
  GHashTable *known;     /* every path of the manifest */
  GHashTable *open;      /* paths of files whose last event was an open */
  GPtrArray *items;      /* CutItem */
  GHashTable *by_name;   /* name → CutItem, both borrowed */
  gboolean overflow;
  gboolean came_back;
};

static void
cut_item_free (gpointer data)
{
  CutItem *item = data;

  if (item->fd >= 0)
    g_close (item->fd, NULL);
  g_ptr_array_unref (item->files);
  g_free (item->name);
  g_free (item);
}

void
hold_cut_watch_free (HoldCutWatch *self)
{
  if (self == NULL)
    return;

  if (self->inotify_fd >= 0)
    g_close (self->inotify_fd, NULL);
  g_ptr_array_unref (self->items);
  g_hash_table_unref (self->folders);
  g_hash_table_unref (self->states);
  g_hash_table_unref (self->known);
  g_hash_table_unref (self->open);
  g_hash_table_unref (self->by_name);
  g_free (self);
}

static gboolean
watch_folder (HoldCutWatch  *self,
              const char    *path,
              GError       **error)
{
  g_autofree char *full = g_build_filename (hold_staging_get_payload (self->staging), path, NULL);
  int wd = inotify_add_watch (self->inotify_fd, full, WATCH_MASK);

  if (wd < 0)
    {
      int saved_errno = errno;

      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved_errno), "Watching “%s”: %s", full,
                   g_strerror (saved_errno));
      return FALSE;
    }

  g_hash_table_insert (self->folders, GINT_TO_POINTER (wd), g_strdup (path));
  return TRUE;
}

static gboolean
add_item (HoldCutWatch  *self,
              const char    *name,
              GError       **error)
{
  CutItem *item = g_new0 (CutItem, 1);

  item->name = g_strdup (name);
  item->files = g_ptr_array_new ();
  g_ptr_array_add (self->items, item);
  g_hash_table_insert (self->by_name, item->name, item);
  item->fd = TEMP_FAILURE_RETRY (openat (_hold_staging_get_payload_fd (self->staging), name,
                                         O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (item->fd >= 0)
    return TRUE;

  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "Opening “%s”: %s", name, g_strerror (errno));
  return FALSE;
}

static CutItem *
find_item (HoldCutWatch *self,
               const char   *path)
{
  gsize length = strcspn (path, "/");
  g_autofree char *name = NULL;

  for (guint depth = hold_staging_get_depth (self->staging); depth > 1 && path[length] == '/'; depth--)
    length += 1 + strcspn (path + length + 1, "/");
  name = g_strndup (path, length);
  return g_hash_table_lookup (self->by_name, name);
}

static gboolean
add_recorded (HoldCutWatch          *self,
              const HoldStagedItem  *staged,
              GError               **error)
{
  char *path;

  g_hash_table_add (self->known, g_strdup (staged->path));
  if (_hold_staging_is_item (self->staging, staged->path) && !add_item (self, staged->path, error))
    return FALSE;
  if (staged->is_folder)
    return watch_folder (self, staged->path, error);
  if (!staged->is_file)
    return TRUE;

  path = g_strdup (staged->path);
  g_hash_table_insert (self->states, path, GINT_TO_POINTER (UNTOUCHED));
  g_ptr_array_add (find_item (self, path)->files, path);
  return TRUE;
}

HoldCutWatch *
hold_cut_watch_new (HoldStaging  *staging,
                    GError      **error)
{
  g_autoptr (HoldCutWatch) self = g_new0 (HoldCutWatch, 1);
  HoldStagingManifest *manifest = _hold_staging_get_manifest (staging);

  g_return_val_if_fail (manifest != NULL, NULL);

  self->staging = staging;
  self->folders = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->states = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->open = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->items = g_ptr_array_new_with_free_func (cut_item_free);
  self->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  self->inotify_fd = inotify_init1 (IN_NONBLOCK | IN_CLOEXEC);
  if (self->inotify_fd < 0)
    {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "Watching files: %s", g_strerror (errno));
      return NULL;
    }

  if (!watch_folder (self, "", error))
    return NULL;
  for (guint i = 0; i < manifest->len; i++)
    if (!add_recorded (self, &g_array_index (manifest, HoldStagedItem, i), error))
      return NULL;

  return g_steal_pointer (&self);
}

int
hold_cut_watch_get_fd (HoldCutWatch *self)
{
  return self->inotify_fd;
}

static FileState
next_state (FileState state,
            guint32   mask)
{
  if (mask & IN_DELETE)
    return state == READ ? READ_AND_DELETED : DELETED_UNREAD;
  if (mask & IN_OPEN)
    return state == UNTOUCHED ? OPENED : state;
  if (mask & IN_CLOSE)
    return state == OPENED ? READ : state;
  return state;
}

/* Something was renamed: an item, or what lies in one. */
static void
take_moved_from (HoldCutWatch *self,
                 const char   *path)
{
  CutItem *item = find_item (self, path);
  gsize length = strlen (path);

  if (item == NULL)
    return;
  if (g_str_equal (item->name, path))
    {
      item->moved_out = TRUE;
      return;
    }
  /* File managers that merge folders move one file after the other. */
  if (g_hash_table_contains (self->states, path))
    {
      g_hash_table_insert (self->states, g_strdup (path), GINT_TO_POINTER (MOVED_AWAY));
      return;
    }
  for (guint i = 0; i < item->files->len; i++)
    {
      const char *file = g_ptr_array_index (item->files, i);

      if (strncmp (file, path, length) == 0 && file[length] == '/')
        g_hash_table_insert (self->states, g_strdup (file), GINT_TO_POINTER (MOVED_AWAY));
    }
}

static void
take_event (HoldCutWatch               *self,
            const struct inotify_event *event)
{
  const char *folder = g_hash_table_lookup (self->folders, GINT_TO_POINTER (event->wd));
  g_autofree char *path = NULL;
  gpointer state;

  if (event->mask & IN_Q_OVERFLOW)
    self->overflow = TRUE;
  if (folder == NULL || event->len == 0)
    return;

  path = *folder != '\0' ? g_strconcat (folder, "/", event->name, NULL) : g_strdup (event->name);

  if (event->mask & IN_MOVED_FROM)
    take_moved_from (self, path);
  if (event->mask & (IN_MOVED_TO | IN_CREATE))
    self->came_back = TRUE;
  if (g_hash_table_lookup_extended (self->states, path, NULL, &state))
    {
      g_hash_table_insert (self->states, g_strdup (path),
                           GINT_TO_POINTER (next_state (GPOINTER_TO_INT (state), event->mask)));
      if (event->mask & IN_OPEN)
        g_hash_table_add (self->open, g_strdup (path));
      else
        g_hash_table_remove (self->open, path);
    }
}

gboolean
hold_cut_watch_dispatch (HoldCutWatch *self)
{
  /* Aligned as inotify(7) asks for. */
  char buffer[16384] __attribute__ ((aligned (__alignof__ (struct inotify_event))));
  gboolean any = FALSE;
  ssize_t n;

  while ((n = TEMP_FAILURE_RETRY (read (self->inotify_fd, buffer, sizeof buffer))) > 0)
    {
      const char *at = buffer;

      any = TRUE;
      while (at < buffer + n)
        {
          const struct inotify_event *event = (const struct inotify_event *) (gconstpointer) at;

          take_event (self, event);
          at += sizeof *event + event->len;
        }
    }

  return any;
}

/* Where a moved thing lies now, as far as the kernel tells; other mount namespaces show as "/". */
static gboolean
lies_in_trash (int fd)
{
  g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d", fd);
  g_autofree char *path = g_file_read_link (link, NULL);

  return path != NULL && (strstr (path, "/Trash/") != NULL || strstr (path, "/.Trash") != NULL);
}

static HoldCutFate
judge_item (HoldCutWatch *self,
            CutItem      *item)
{
  struct stat by_fd;
  struct stat by_name;
  gboolean exists = fstat (item->fd, &by_fd) == 0 && by_fd.st_nlink > 0;
  gboolean is_moved = item->moved_out && exists;
  gboolean is_certain = is_moved || item->files->len > 0;

  if (fstatat (_hold_staging_get_payload_fd (self->staging), item->name, &by_name, AT_SYMLINK_NOFOLLOW) == 0)
    return HOLD_CUT_LEFT;
  if (is_moved && lies_in_trash (item->fd))
    return HOLD_CUT_TRASHED;

  for (guint i = 0; i < item->files->len; i++)
    {
      FileState state = GPOINTER_TO_INT (g_hash_table_lookup (self->states, g_ptr_array_index (item->files, i)));

      /* A folder may have lost something before it was moved. */
      if (state == DELETED_UNREAD || (!is_moved && state != READ_AND_DELETED && state != MOVED_AWAY))
        return HOLD_CUT_LOST;
      if (state == MOVED_AWAY)
        is_certain = FALSE;
    }

  if (!is_certain)
    return HOLD_CUT_UNPROVEN;
  return is_moved ? HOLD_CUT_MOVED : HOLD_CUT_COPIED;
}

static gboolean
staging_is_there (HoldCutWatch *self)
{
  struct stat by_fd;
  struct stat by_name;

  return lstat (hold_staging_get_payload (self->staging), &by_name) == 0 &&
         fstat (_hold_staging_get_payload_fd (self->staging), &by_fd) == 0 &&
         by_name.st_dev == by_fd.st_dev && by_name.st_ino == by_fd.st_ino;
}

gboolean
hold_cut_watch_is_being_read (HoldCutWatch *self)
{
  GHashTableIter iter;
  gpointer path;

  hold_cut_watch_dispatch (self);
  g_hash_table_iter_init (&iter, self->open);
  while (g_hash_table_iter_next (&iter, &path, NULL))
    {
      CutItem *item = find_item (self, path);

      /* Of what was moved away no more is heard. */
      if (item != NULL && !item->moved_out)
        return TRUE;
    }
  return FALSE;
}

HoldCutVerdict
hold_cut_watch_evaluate (HoldCutWatch *self)
{
  guint count[HOLD_CUT_UNPROVEN + 1] = { 0 };

  hold_cut_watch_dispatch (self);
  for (guint i = 0; i < self->items->len; i++)
    {
      CutItem *item = g_ptr_array_index (self->items, i);

      item->fate = judge_item (self, item);
      count[item->fate]++;
    }

  if (self->overflow)
    return HOLD_CUT_UNKNOWN;
  if (count[HOLD_CUT_LOST] > 0 || !staging_is_there (self))
    return HOLD_CUT_DESTROYED;
  if (count[HOLD_CUT_TRASHED] > 0)
    return HOLD_CUT_TRASH;
  if (self->came_back)
    return HOLD_CUT_REAPPEARED;
  if (count[HOLD_CUT_LEFT] == self->items->len)
    return HOLD_CUT_NOTHING;
  if (count[HOLD_CUT_LEFT] > 0)
    return HOLD_CUT_PARTIAL;
  if (count[HOLD_CUT_UNPROVEN] > 0)
    return HOLD_CUT_NOT_PROVEN;
  return HOLD_CUT_COMMIT;
}

gboolean
hold_cut_watch_is_on_same_disk (HoldCutWatch *self)
{
  for (guint i = 0; i < self->items->len; i++)
    {
      const CutItem *item = g_ptr_array_index (self->items, i);

      if (item->fate != HOLD_CUT_MOVED && item->fate != HOLD_CUT_LEFT)
        return FALSE;
    }
  return TRUE;
}

guint
hold_cut_watch_get_n_items (HoldCutWatch *self)
{
  return self->items->len;
}

const char *
hold_cut_watch_get_item (HoldCutWatch *self,
                         guint         position,
                         HoldCutFate  *fate)
{
  const CutItem *item = g_ptr_array_index (self->items, position);

  *fate = item->fate;
  return item->name;
}
