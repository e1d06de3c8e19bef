/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Scanning, keeping and removing what is in a staging. Every step goes from folder descriptor to
 * folder descriptor with O_NOFOLLOW, because by then other programs have been at work in there
 * (S05). */

#include "config.h"

#include "hold-staging-manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hold-output.h"

#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* A manifest of a million entries is some 100 MB; more is no manifest of ours. */
#define MANIFEST_MAX_BYTES (256 * 1024 * 1024)

static void
item_clear (gpointer data)
{
  g_free (((HoldStagedItem *) data)->path);
}

static HoldStagingManifest *
manifest_new (void)
{
  GArray *self = g_array_new (FALSE, TRUE, sizeof (HoldStagedItem));

  g_array_set_clear_func (self, item_clear);
  return self;
}

static gboolean
fail_errno (GError    **error,
            const char *verb,
            const char *path)
{
  int saved_errno = errno;

  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved_errno), "%s “%s”: %s", verb, path,
               g_strerror (saved_errno));
  return FALSE;
}

/* Opens the folder @path below @root_fd part by part. -1 with errno. */
static int
open_below (int         root_fd,
            const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);
  int fd = TEMP_FAILURE_RETRY (openat (root_fd, ".", FOLDER_FLAGS));

  for (guint i = 0; fd >= 0 && parts[i] != NULL; i++)
    {
      int next;

      if (*parts[i] == '\0')
        continue;
      next = TEMP_FAILURE_RETRY (openat (fd, parts[i], FOLDER_FLAGS));
      g_close (fd, NULL);
      fd = next;
    }

  return fd;
}

static void
item_fill (HoldStagedItem    *item,
           const struct stat *st)
{
  item->is_folder = S_ISDIR (st->st_mode);
  item->is_file = S_ISREG (st->st_mode);
  item->device = st->st_dev;
  item->inode = st->st_ino;
  item->size_bytes = (guint64) st->st_size;
  item->mtime_ns = (gint64) st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

/* Read-only modes of the archive would keep a file manager from moving a folder out. */
static gboolean
make_movable (int               folder_fd,
              const char       *name,
              const struct stat *st,
              GError          **error)
{
  mode_t wanted = S_ISDIR (st->st_mode) ? 0700 : 0600;

  if (S_ISLNK (st->st_mode) || (st->st_mode & wanted) == wanted)
    return TRUE;
  if (fchmodat (folder_fd, name, (st->st_mode & 07777) | wanted, 0) == 0)
    return TRUE;
  return fail_errno (error, "Setting the permissions of", name);
}

static gboolean
scan_folder (HoldStagingManifest *self,
             int                  payload_fd,
             const char          *path,
             GError             **error)
{
  int fd = open_below (payload_fd, path);
  g_autofree char *proc_path = NULL;
  g_autoptr (GDir) dir = NULL;
  gboolean ok = TRUE;
  const char *name;

  if (fd < 0)
    return fail_errno (error, "Opening", path);

  /* GDir takes no descriptor; through /proc it opens this very folder, whatever stands at its path
   * now. */
  proc_path = g_strdup_printf ("/proc/self/fd/%d", fd);
  dir = g_dir_open (proc_path, 0, error);
  ok = dir != NULL;
  while (ok && (name = g_dir_read_name (dir)) != NULL)
    {
      HoldStagedItem item = { 0 };
      struct stat st;

      if (fstatat (fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        ok = fail_errno (error, "Looking at", name);
      else
        ok = make_movable (fd, name, &st, error);
      if (!ok)
        break;
      item_fill (&item, &st);
      item.path = *path != '\0' ? g_strconcat (path, "/", name, NULL) : g_strdup (name);
      g_array_append_val (self, item);
    }

  g_close (fd, NULL);
  return ok;
}

HoldStagingManifest *
hold_staging_manifest_scan (int       payload_fd,
                            GError  **error)
{
  g_autoptr (GArray) self = manifest_new ();

  if (!scan_folder (self, payload_fd, "", error))
    return NULL;

  /* The array grows while it is walked: each folder found is scanned in its turn. */
  for (guint i = 0; i < self->len; i++)
    {
      const HoldStagedItem *item = &g_array_index (self, HoldStagedItem, i);
      g_autofree char *path = item->is_folder ? g_strdup (item->path) : NULL;

      if (path != NULL && !scan_folder (self, payload_fd, path, error))
        return NULL;
    }

  return g_steal_pointer (&self);
}

/* Beside the old one, which it replaces whole: half a manifest would not name what is there. */
static gboolean
write_manifest (const GString  *text,
                int             folder_fd,
                const char     *name,
                GError        **error)
{
  gboolean ok;
  int fd = TEMP_FAILURE_RETRY (openat (folder_fd, HOLD_STAGING_MANIFEST_PART,
                                       O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));

  if (fd < 0)
    return fail_errno (error, "Making", name);
  ok = hold_output_write_all (fd, (const guint8 *) text->str, text->len, name, error);
  if (close (fd) != 0 && ok && errno != EINTR)
    ok = fail_errno (error, "Writing", name);
  if (ok && TEMP_FAILURE_RETRY (renameat (folder_fd, HOLD_STAGING_MANIFEST_PART, folder_fd, name)) != 0)
    ok = fail_errno (error, "Putting in place", name);
  return ok;
}

gboolean
hold_staging_manifest_save (HoldStagingManifest  *self,
                            int                   folder_fd,
                            const char           *name,
                            GError              **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < self->len; i++)
    {
      const HoldStagedItem *item = &g_array_index (self, HoldStagedItem, i);
      g_autofree char *path = g_strescape (item->path, NULL);

      g_string_append_printf (text, "%c %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
                              " %" G_GINT64_FORMAT " %s\n",
                              item->is_folder ? 'd' : item->is_file ? 'f' : 'l',
                              item->device, item->inode, item->size_bytes, item->mtime_ns, path);
    }

  return write_manifest (text, folder_fd, name, error);
}

static gboolean
parse_line (const char     *line,
            HoldStagedItem *item)
{
  g_auto (GStrv) fields = g_strsplit (line, " ", 6);

  if (g_strv_length (fields) != 6 || strlen (fields[0]) != 1 ||
      !g_ascii_string_to_unsigned (fields[1], 10, 0, G_MAXUINT64, &item->device, NULL) ||
      !g_ascii_string_to_unsigned (fields[2], 10, 0, G_MAXUINT64, &item->inode, NULL) ||
      !g_ascii_string_to_unsigned (fields[3], 10, 0, G_MAXUINT64, &item->size_bytes, NULL) ||
      !g_ascii_string_to_signed (fields[4], 10, G_MININT64, G_MAXINT64, &item->mtime_ns, NULL) ||
      *fields[5] == '\0')
    return FALSE;

  item->is_folder = *fields[0] == 'd';
  item->is_file = *fields[0] == 'f';
  item->path = g_strcompress (fields[5]);
  return TRUE;
}

static char *
read_whole (int          folder_fd,
            const char  *name,
            GError     **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char block[65536];
  ssize_t n = -1;
  int fd = TEMP_FAILURE_RETRY (openat (folder_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));

  while (fd >= 0 && text->len < MANIFEST_MAX_BYTES &&
         (n = TEMP_FAILURE_RETRY (read (fd, block, sizeof block))) > 0)
    g_string_append_len (text, block, n);

  if (n != 0)
    {
      fail_errno (error, "Reading", name);
      if (fd >= 0)
        g_close (fd, NULL);
      return NULL;
    }
  g_close (fd, NULL);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

HoldStagingManifest *
hold_staging_manifest_load (int          folder_fd,
                            const char  *name,
                            GError     **error)
{
  g_autoptr (GArray) self = manifest_new ();
  g_autofree char *text = read_whole (folder_fd, name, error);
  g_auto (GStrv) lines = NULL;

  if (text == NULL)
    return NULL;

  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      HoldStagedItem item = { 0 };

      if (*lines[i] == '\0')
        continue;
      if (!parse_line (lines[i], &item))
        {
          g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "“%s” is damaged at line %u", name, i + 1);
          return NULL;
        }
      g_array_append_val (self, item);
    }

  return g_steal_pointer (&self);
}

/* A folder's size and time change when something is moved out of it; files must be what they
 * were. */
static gboolean
is_same (const HoldStagedItem *item,
         const struct stat    *st)
{
  HoldStagedItem now = { 0 };

  item_fill (&now, st);
  if (item->device != now.device || item->inode != now.inode ||
      item->is_folder != now.is_folder || item->is_file != now.is_file)
    return FALSE;
  return item->is_folder || (item->size_bytes == now.size_bytes && item->mtime_ns == now.mtime_ns);
}

gboolean
hold_staging_manifest_is_changed (const HoldStagedItem *item,
                                  int                   payload_fd)
{
  struct stat st;

  return fstatat (payload_fd, item->path, &st, AT_SYMLINK_NOFOLLOW) == 0 && !is_same (item, &st);
}

void
hold_staging_manifest_remove (HoldStagingManifest *self,
                              int                  payload_fd,
                              gboolean             only_folders)
{
  for (guint i = self->len; i-- > 0;)
    {
      const HoldStagedItem *item = &g_array_index (self, HoldStagedItem, i);
      g_autofree char *parent = NULL;
      g_autofree char *name = NULL;
      struct stat st;
      int fd;

      if (only_folders && !item->is_folder)
        continue;
      parent = g_path_get_dirname (item->path);
      name = g_path_get_basename (item->path);
      fd = open_below (payload_fd, g_str_equal (parent, ".") ? "" : parent);
      if (fd < 0)
        continue;
      if (fstatat (fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && is_same (item, &st) &&
          unlinkat (fd, name, item->is_folder ? AT_REMOVEDIR : 0) != 0)
        g_debug ("“%s” stays: %s", item->path, g_strerror (errno));
      g_close (fd, NULL);
    }
}

/* The first @depth parts of @path. */
static char *
dup_root (const char *path,
          guint       depth)
{
  gsize length = strcspn (path, "/");

  for (; depth > 1 && path[length] == '/'; depth--)
    length += 1 + strcspn (path + length + 1, "/");
  return g_strndup (path, length);
}

void
hold_staging_manifest_drop (HoldStagingManifest *self,
                            GHashTable          *gone,
                            guint                depth)
{
  guint n_kept = 0;

  for (guint i = 0; i < self->len; i++)
    {
      HoldStagedItem *item = &g_array_index (self, HoldStagedItem, i);
      HoldStagedItem taken = *item;
      g_autofree char *root = dup_root (taken.path, depth);

      /* What is left at the end has no path for the array to free. */
      item->path = NULL;
      if (g_hash_table_contains (gone, root))
        g_free (taken.path);
      else
        g_array_index (self, HoldStagedItem, n_kept++) = taken;
    }
  g_array_set_size (self, n_kept);
}
