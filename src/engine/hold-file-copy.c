/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* GIO's own copy writes into the file that it replaces, and neither syncs it nor puts it back when the
 * disk is full. */

#include "config.h"

#include "hold-file-copy.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hold-output.h"

#define BLOCK_BYTES (256 * 1024)

static void
set_error (GError     **error,
           int          saved_errno,
           const char  *path)
{
  g_autofree char *name = g_filename_display_name (path);

  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved_errno), "%s: %s", name,
               g_strerror (saved_errno));
}

/* -1: @error is set. */
static int
open_source (const char  *path,
             GError     **error)
{
  /* Never waits for whoever might write into a pipe. */
  int fd = open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat st;

  if (fd >= 0 && fstat (fd, &st) == 0 && S_ISREG (st.st_mode))
    return fd;
  if (fd < 0)
    {
      set_error (error, errno, path);
      return -1;
    }
  set_error (error, EINVAL, path);
  (void) g_close (fd, NULL);
  return -1;
}

static gboolean
copy_all (int            source,
          const char    *from,
          int            target,
          const char    *to,
          GCancellable  *cancellable,
          GError       **error)
{
  g_autofree guint8 *block = g_malloc (BLOCK_BYTES);
  g_autofree char *name = g_filename_display_name (to);

  for (;;)
    {
      ssize_t n = TEMP_FAILURE_RETRY (read (source, block, BLOCK_BYTES));

      if (n == 0)
        return TRUE;
      if (n < 0)
        {
          set_error (error, errno, from);
          return FALSE;
        }
      if (g_cancellable_set_error_if_cancelled (cancellable, error) ||
          !hold_output_write_all (target, block, (gsize) n, name, error))
        return FALSE;
    }
}

gboolean
hold_file_copy (const char    *from,
                const char    *to,
                GCancellable  *cancellable,
                GError       **error)
{
  g_autoptr (HoldReport) report = NULL;
  g_autoptr (HoldOutput) output = NULL;
  gboolean copied;
  int source;

  g_return_val_if_fail (from != NULL && to != NULL, FALSE);

  source = open_source (from, error);
  if (source < 0)
    return FALSE;
  output = hold_output_new_create (to, TRUE, error);
  copied = output != NULL
           && copy_all (source, from, hold_output_get_fd (output), to, cancellable, error);
  if (!g_close (source, copied ? error : NULL))
    copied = FALSE;
  if (!copied)
    return FALSE;
  report = hold_report_new ();
  return hold_output_commit (output, report, error);
}
