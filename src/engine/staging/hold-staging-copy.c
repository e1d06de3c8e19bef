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
#include <sys/stat.h>
#include <unistd.h>

#include "hold-staging-private.h"

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
