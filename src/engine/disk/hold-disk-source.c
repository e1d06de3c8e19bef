/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The walk over files and folders that are to be added. It only looks; the bytes are read later, by
 * whoever writes the archive, so that a file that changes meanwhile costs that file and not the
 * whole (W15). */

#include "config.h"

#include "hold-disk-source.h"

#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void
fail (const HoldDiskScan *scan,
      const char         *disk_path,
      int                 code,
      const char         *why)
{
  g_autoptr (GError) error = g_error_new (G_IO_ERROR, code, "%s", why);

  scan->failed (scan->user_data, disk_path, error);
}

static int
compare_names (const FTSENT **a,
               const FTSENT **b)
{
  return strcmp ((*a)->fts_name, (*b)->fts_name);
}

/* (transfer full) (nullable): NULL after telling why. */
static HoldPlanSource *
source_from_stat (const HoldDiskScan *scan,
                  const char         *disk_path,
                  const struct stat  *st)
{
  g_autoptr (HoldPlanSource) source = g_new0 (HoldPlanSource, 1);
  char target[PATH_MAX];
  ssize_t length;

  source->mode = st->st_mode & 07777;
  source->mtime = st->st_mtim.tv_sec;
  source->mtime_ns = (guint) st->st_mtim.tv_nsec;
  source->device = st->st_dev;
  source->inode = st->st_ino;
  source->ctime_ns = st->st_ctim.tv_sec * G_GINT64_CONSTANT (1000000000) + st->st_ctim.tv_nsec;
  source->disk_path = g_strdup (disk_path);

  switch (st->st_mode & S_IFMT)
    {
    case S_IFREG:
      source->type = HOLD_ENTRY_FILE;
      source->size_bytes = (guint64) st->st_size;
      break;
    case S_IFDIR:
      source->type = HOLD_ENTRY_FOLDER;
      break;
    case S_IFLNK:
      source->type = HOLD_ENTRY_SYMLINK;
      length = readlink (disk_path, target, sizeof target - 1);
      if (length < 0)
        {
          fail (scan, disk_path, g_io_error_from_errno (errno), g_strerror (errno));
          return NULL;
        }
      source->link_target = g_strndup (target, (gsize) length);
      source->size_bytes = (guint64) length;
      break;
    default:
      fail (scan, disk_path, G_IO_ERROR_NOT_REGULAR_FILE,
            "Devices, pipes and sockets can't be put into an archive");
      return NULL;
    }

  return g_steal_pointer (&source);
}

static gboolean
visit (const HoldDiskScan  *scan,
       const char          *into,
       const char          *root_name,
       const FTSENT        *at,
       gsize                root_length,
       GError             **error)
{
  HoldPlanSource *source;
  g_autofree char *path = NULL;
  const char *below = at->fts_path + root_length;

  if (at->fts_statp->st_dev == scan->exclude_device && at->fts_statp->st_ino == scan->exclude_inode)
    {
      /* In a folder nobody misses it; who asks for it, or has it under a name of its own, does. */
      if (at->fts_level == FTS_ROOTLEVEL || at->fts_statp->st_nlink > 1)
        fail (scan, at->fts_path, G_IO_ERROR_WOULD_RECURSE, "An archive can't be put into itself");
      return TRUE;
    }

  path = g_strconcat (into, *into != '\0' ? "/" : "", root_name, below, NULL);
  if (!g_utf8_validate (path, -1, NULL))
    {
      fail (scan, at->fts_path, G_IO_ERROR_INVALID_FILENAME, "The name is not valid UTF-8");
      return TRUE;
    }

  source = source_from_stat (scan, at->fts_path, at->fts_statp);
  if (source == NULL)
    return TRUE;
  return scan->found (scan->user_data, path, source, error);
}

gboolean
hold_disk_source_scan (const char          *disk_path,
                       const char          *into,
                       const HoldDiskScan  *scan,
                       GCancellable        *cancellable,
                       GError             **error)
{
  g_autofree char *root = g_canonicalize_filename (disk_path, NULL);
  g_autofree char *root_name = g_path_get_basename (root);
  char *const roots[] = { root, NULL };
  gsize root_length = strlen (root);
  gboolean ok = TRUE;
  FTSENT *at;
  FTS *walk;

  walk = fts_open (roots, FTS_PHYSICAL | FTS_NOCHDIR, compare_names);
  if (walk == NULL)
    {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "Reading “%s”: %s",
                   disk_path, g_strerror (errno));
      return FALSE;
    }

  while (ok && (errno = 0, at = fts_read (walk)) != NULL)
    {
      ok = !g_cancellable_set_error_if_cancelled (cancellable, error);
      if (!ok)
        break;

      switch (at->fts_info)
        {
        case FTS_DP:
          break;
        case FTS_DNR:
        case FTS_ERR:
        case FTS_NS:
          fail (scan, at->fts_path, g_io_error_from_errno (at->fts_errno), g_strerror (at->fts_errno));
          break;
        case FTS_DC:
          fail (scan, at->fts_path, G_IO_ERROR_WOULD_RECURSE, "The folder contains itself");
          break;
        default:
          ok = visit (scan, into, root_name, at, root_length, error);
          break;
        }
    }

  if (ok && errno != 0)
    {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "Reading “%s”: %s",
                   disk_path, g_strerror (errno));
      ok = FALSE;
    }
  if (fts_close (walk) != 0)
    g_debug ("Closing the walk of %s: %s", disk_path, g_strerror (errno));
  return ok;
}
