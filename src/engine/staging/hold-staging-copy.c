/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What an opened copy needs of its staging beyond what a drag does. */

#include "config.h"

#include "hold-staging-copy.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hold-output.h"
#include "hold-staging-private.h"

/* Two paths. */
#define ORIGIN_MAX_BYTES (64 * 1024)
/* The sweep at the start holds each staging for a moment. */
#define N_TRIES 5
#define TRY_AGAIN_US (100 * 1000)

static HoldStagedItem *
find_item (HoldStagingManifest *manifest,
           const char          *path)
{
  for (guint i = 0; i < manifest->len; i++)
    {
      HoldStagedItem *item = &g_array_index (manifest, HoldStagedItem, i);

      if (g_str_equal (item->path, path))
        return item;
    }
  return NULL;
}

gboolean
hold_staging_renew (HoldStaging  *self,
                    const char   *name,
                    GError      **error)
{
  HoldStagingManifest *manifest = _hold_staging_get_manifest (self);
  g_autoptr (GArray) now = NULL;
  HoldStagedItem *item;
  HoldStagedItem *found;
  HoldStagedItem before;

  g_return_val_if_fail (manifest != NULL, FALSE);

  now = hold_staging_manifest_scan (_hold_staging_get_payload_fd (self), error);
  if (now == NULL)
    return FALSE;
  item = find_item (manifest, name);
  found = find_item (now, name);
  if (item == NULL || found == NULL || !found->is_file)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "“%s” is not in the staging", name);
      return FALSE;
    }

  /* The paths are equal; each array keeps its own. */
  before = *item;
  *item = *found;
  item->path = before.path;
  if (_hold_staging_save_manifest (self, error))
    return TRUE;
  *item = before;
  return FALSE;
}

static gboolean
is_open_elsewhere (int         payload_fd,
                   const char *path)
{
  int fd = TEMP_FAILURE_RETRY (openat (payload_fd, path,
                                       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  gboolean is_open;

  if (fd < 0)
    return FALSE;
  /* Should somebody open it in the very moment of the lease, the kernel tells by a signal, which
   * is to be one that nobody minds. */
  is_open = fcntl (fd, F_SETSIG, SIGURG) == 0 && fcntl (fd, F_SETLEASE, F_WRLCK) != 0 &&
            errno == EAGAIN;
  if (!is_open)
    fcntl (fd, F_SETLEASE, F_UNLCK);
  g_close (fd, NULL);
  return is_open;
}

gboolean
hold_staging_is_in_use (HoldStaging *self)
{
  int payload_fd = _hold_staging_get_payload_fd (self);
  g_autoptr (GArray) now = hold_staging_manifest_scan (payload_fd, NULL);

  for (guint i = 0; now != NULL && i < now->len; i++)
    {
      const HoldStagedItem *item = &g_array_index (now, HoldStagedItem, i);

      if (item->is_file && is_open_elsewhere (payload_fd, item->path))
        return TRUE;
    }
  return FALSE;
}

gboolean
hold_staging_set_origin (HoldStaging  *self,
                         const char   *archive_path,
                         const char   *entry_path,
                         GError      **error)
{
  g_autoptr (GString) text = g_string_new (archive_path);
  gboolean ok = FALSE;
  int fd;

  g_string_append_c (text, '\0');
  g_string_append_len (text, entry_path, (gssize) strlen (entry_path) + 1);
  fd = TEMP_FAILURE_RETRY (openat (_hold_staging_get_folder_fd (self), HOLD_STAGING_ORIGIN,
                                   O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (fd >= 0)
    ok = hold_output_write_all (fd, (const guint8 *) text->str, text->len, HOLD_STAGING_ORIGIN, error);
  if (fd < 0 || (close (fd) != 0 && errno != EINTR && ok))
    {
      int saved_errno = errno;

      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved_errno), "Writing “%s”: %s",
                   HOLD_STAGING_ORIGIN, g_strerror (saved_errno));
      ok = FALSE;
    }
  return ok;
}

/* (nullable) (transfer full): the entry, if it is of @archive_path */
static char *
read_origin (const char *folder,
             const char *archive_path)
{
  g_autofree char *path = g_build_filename (folder, HOLD_STAGING_ORIGIN, NULL);
  g_autofree char *text = g_malloc (ORIGIN_MAX_BYTES);
  int fd = TEMP_FAILURE_RETRY (open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  gsize archive_length = strlen (archive_path);
  ssize_t n;

  if (fd < 0)
    return NULL;
  n = TEMP_FAILURE_RETRY (read (fd, text, ORIGIN_MAX_BYTES));
  g_close (fd, NULL);
  if (n <= 0 || text[n - 1] != '\0' || !g_str_equal (text, archive_path) ||
      archive_length + 1 >= (gsize) n || !g_utf8_validate (text + archive_length + 1, -1, NULL))
    return NULL;
  return g_strdup (text + archive_length + 1);
}

void
hold_staging_left_free (HoldStagingLeft *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->staging, hold_staging_free);
  g_free (self->copy);
  g_free (self->entry_path);
  g_free (self);
}

/* (nullable) (transfer full) */
static HoldStagingLeft *
reclaim_one (const char *folder,
             const char *archive_path)
{
  g_autofree char *entry_path = read_origin (folder, archive_path);
  g_autoptr (HoldStaging) staging = NULL;
  HoldStagingManifest *manifest;
  HoldStagingLeft *left;

  for (guint i = 0; entry_path != NULL && staging == NULL && i < N_TRIES; i++)
    {
      if (i > 0)
        g_usleep (TRY_AGAIN_US);
      staging = _hold_staging_adopt (folder, 0);
    }
  manifest = staging != NULL ? _hold_staging_get_manifest (staging) : NULL;
  if (manifest == NULL || manifest->len != 1 || _hold_staging_get_payload_fd (staging) < 0 ||
      !hold_staging_manifest_is_changed (&g_array_index (manifest, HoldStagedItem, 0),
                                         _hold_staging_get_payload_fd (staging)))
    return NULL;

  left = g_new0 (HoldStagingLeft, 1);
  left->copy = g_build_filename (hold_staging_get_payload (staging),
                                 g_array_index (manifest, HoldStagedItem, 0).path, NULL);
  left->staging = g_steal_pointer (&staging);
  left->entry_path = g_steal_pointer (&entry_path);
  return left;
}

GPtrArray *
hold_staging_reclaim (const char *cache_folder,
                      const char *archive_path)
{
  g_autofree char *root = g_build_filename (cache_folder, "holdall", "staging", NULL);
  GPtrArray *found = g_ptr_array_new_with_free_func ((GDestroyNotify) hold_staging_left_free);
  g_autoptr (GDir) dir = g_dir_open (root, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *folder = g_build_filename (root, name, NULL);
      HoldStagingLeft *left =
        g_uuid_string_is_valid (name) ? reclaim_one (folder, archive_path) : NULL;

      if (left != NULL)
        g_ptr_array_add (found, left);
    }
  return found;
}
