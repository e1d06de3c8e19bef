/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What is closed must be known again. FAT, exFAT and most of what goes through FUSE make up the number
 * of a file when it comes into memory, and another one when it comes the next time. While it is closed a
 * watch (inotify) holds it in memory, which keeps the number and, unlike a descriptor, no disk from being
 * unmounted. */

#include "config.h"

#include "hold-lent-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

struct _HoldLentFile {
  char *path;
  HoldFileIdentity identity;
  gboolean may_rest;

  /* Under the lock. */
  guint n_refs;
  guint n_users;
  int fd;     /* -1: it rests */
  int watch;  /* -1: none */
};

/* Of all files: nothing that takes time is done with it. */
G_LOCK_DEFINE_STATIC (files);
static GPtrArray *open_files;   /* of HoldLentFile, not counted */
static GHashTable *watches;     /* of how many want each: one file has one watch, whoever asks */
static int inotify_fd = -1;
static guint n_jobs;            /* that run */

static void
close_quietly (int fd)
{
  /* Nothing was written through it, so a failing close loses nothing. */
  if (fd >= 0 && close (fd) != 0)
    g_debug ("closing an archive: %s", g_strerror (errno));
}

/* What happens to the files is of no interest, but would pile up. With the lock held. */
static void
forget_events (void)
{
  char events[4096];

  while (read (inotify_fd, events, sizeof events) > 0)
    ;
}

/* With the lock held. Returns: -1 if there can't be one. */
static int
add_watch (int fd)
{
  char path[64];
  int watch;

  if (inotify_fd < 0)
    inotify_fd = inotify_init1 (IN_CLOEXEC | IN_NONBLOCK);
  if (inotify_fd < 0)
    return -1;
  if (watches == NULL)
    watches = g_hash_table_new (NULL, NULL);
  forget_events ();
  g_snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  watch = inotify_add_watch (inotify_fd, path, IN_DELETE_SELF);
  if (watch >= 0)
    {
      guint n = GPOINTER_TO_UINT (g_hash_table_lookup (watches, GINT_TO_POINTER (watch)));

      g_hash_table_insert (watches, GINT_TO_POINTER (watch), GUINT_TO_POINTER (n + 1));
    }
  return watch;
}

/* With the lock held. */
static void
remove_watch (HoldLentFile *self)
{
  int watch = self->watch;
  guint n;

  self->watch = -1;
  if (watch < 0)
    return;
  n = GPOINTER_TO_UINT (g_hash_table_lookup (watches, GINT_TO_POINTER (watch)));
  if (n > 1)
    {
      g_hash_table_insert (watches, GINT_TO_POINTER (watch), GUINT_TO_POINTER (n - 1));
      return;
    }
  g_hash_table_remove (watches, GINT_TO_POINTER (watch));
  /* It has ended by itself if the file was deleted or its disk unmounted. */
  if (inotify_rm_watch (inotify_fd, watch) != 0 && errno != EINVAL)
    g_debug ("letting an archive go: %s", g_strerror (errno));
}

/* With the lock held. */
static void
set_open (HoldLentFile *self,
          int           fd)
{
  if (open_files == NULL)
    open_files = g_ptr_array_new ();
  self->fd = fd;
  g_ptr_array_add (open_files, self);
}

HoldLentFile *
hold_lent_file_new (const char  *path,
                    int          fd,
                    GError     **error)
{
  HoldLentFile *self;
  HoldFileIdentity identity;
  struct stat st;

  if (!hold_file_identity_from_fd (fd, &identity, error))
    {
      close_quietly (fd);
      return NULL;
    }
  self = g_new0 (HoldLentFile, 1);
  self->path = g_strdup (path);
  self->identity = identity;
  self->may_rest = fstat (fd, &st) == 0 && S_ISREG (st.st_mode);
  self->n_refs = 1;
  self->watch = -1;
  G_LOCK (files);
  set_open (self, fd);
  G_UNLOCK (files);
  return self;
}

HoldLentFile *
hold_lent_file_ref (HoldLentFile *self)
{
  G_LOCK (files);
  self->n_refs++;
  G_UNLOCK (files);
  return self;
}

void
hold_lent_file_unref (HoldLentFile *self)
{
  gboolean is_last;

  G_LOCK (files);
  is_last = --self->n_refs == 0;
  if (is_last)
    {
      remove_watch (self);
      g_ptr_array_remove_fast (open_files, self);
    }
  G_UNLOCK (files);
  if (!is_last)
    return;
  close_quietly (self->fd);
  g_free (self->path);
  g_free (self);
}

const HoldFileIdentity *
hold_lent_file_get_identity (HoldLentFile *self)
{
  return &self->identity;
}

static int
open_again (HoldLentFile  *self,
            GError       **error)
{
  g_autofree char *shown = g_filename_display_name (self->path);
  /* A named pipe that lies there now must not make us wait for a writer. */
  int fd = TEMP_FAILURE_RETRY (open (self->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  HoldFileIdentity now;

  if (fd < 0)
    {
      int saved_errno = errno;

      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved_errno), "%s: %s", shown,
                   g_strerror (saved_errno));
      return -1;
    }
  if (!hold_file_identity_from_fd (fd, &now, error))
    {
      close_quietly (fd);
      return -1;
    }
  if (!hold_file_identity_equal (&now, &self->identity))
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK,
                   "%s was changed by another program since it was opened", shown);
      close_quietly (fd);
      return -1;
    }
  return fd;
}

int
hold_lent_file_lend (HoldLentFile  *self,
                     GError       **error)
{
  int fd;
  int spare = -1;

  G_LOCK (files);
  fd = self->fd;
  if (fd >= 0)
    self->n_users++;
  G_UNLOCK (files);
  if (fd >= 0)
    return fd;

  fd = open_again (self, error);
  if (fd < 0)
    return -1;
  G_LOCK (files);
  if (self->fd < 0)
    {
      set_open (self, fd);
      remove_watch (self);
    }
  else
    {
      /* Another thread was faster. */
      spare = fd;
    }
  fd = self->fd;
  self->n_users++;
  G_UNLOCK (files);
  close_quietly (spare);
  return fd;
}

void
hold_lent_file_give_back (HoldLentFile *self)
{
  G_LOCK (files);
  self->n_users--;
  G_UNLOCK (files);
}

static gboolean
can_be_found_again (HoldLentFile *self)
{
  g_autoptr (GError) error = NULL;
  int fd = open_again (self, &error);

  close_quietly (fd);
  return fd >= 0;
}

void
hold_lent_files_begin_job (void)
{
  G_LOCK (files);
  n_jobs++;
  G_UNLOCK (files);
}

void
hold_lent_files_end_job (void)
{
  G_LOCK (files);
  n_jobs--;
  G_UNLOCK (files);
}

/* @is_found: it could be opened again. What could not is kept for a job that has begun meanwhile. */
static void
rest (HoldLentFile *self,
      gboolean      is_found)
{
  int fd = -1;

  G_LOCK (files);
  if (self->n_users == 0 && self->fd >= 0 && (is_found || n_jobs == 0))
    {
      self->watch = is_found ? add_watch (self->fd) : -1;
      if (self->watch >= 0 || !is_found)
        {
          fd = self->fd;
          self->fd = -1;
          g_ptr_array_remove_fast (open_files, self);
        }
    }
  G_UNLOCK (files);
  close_quietly (fd);
}

void
hold_lent_files_rest (gboolean also_lost)
{
  g_autoptr (GPtrArray) idle = g_ptr_array_new_with_free_func ((GDestroyNotify) hold_lent_file_unref);

  G_LOCK (files);
  for (guint i = 0; open_files != NULL && i < open_files->len; i++)
    {
      HoldLentFile *self = g_ptr_array_index (open_files, i);

      if (self->n_users > 0 || !self->may_rest)
        continue;
      self->n_refs++;
      g_ptr_array_add (idle, self);
    }
  G_UNLOCK (files);
  for (guint i = 0; i < idle->len; i++)
    {
      HoldLentFile *self = g_ptr_array_index (idle, i);
      gboolean is_found = can_be_found_again (self);

      if (is_found || also_lost)
        rest (self, is_found);
    }
}
