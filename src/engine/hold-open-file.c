/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Why there are two ways: the document portal (through which a sandbox sees a person's files)
 * passes the flags of open(2) on to a name of its own that is a link, so that O_NOFOLLOW fails
 * there with ELOOP for every plain file. */

#include "config.h"

#include "hold-open-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

int
hold_open_file_in_steps (int         folder_fd,
                              const char *name,
                              int         flags)
{
  char path[64];
  struct stat st;
  int place;
  int fd = -1;
  int saved_errno;

  /* What is held is the file itself, whatever happens to its name from now on. */
  place = TEMP_FAILURE_RETRY (openat (folder_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (place < 0)
    return -1;
  if (fstat (place, &st) == 0)
    {
      if (S_ISLNK (st.st_mode))
        {
          errno = ELOOP;
        }
      else
        {
          g_snprintf (path, sizeof path, "/proc/self/fd/%d", place);
          fd = TEMP_FAILURE_RETRY (open (path, flags | O_CLOEXEC));
        }
    }
  saved_errno = errno;
  g_close (place, NULL);
  errno = saved_errno;
  return fd;
}

int
hold_open_file (int         folder_fd,
                     const char *name,
                     int         flags)
{
  int fd = TEMP_FAILURE_RETRY (openat (folder_fd, name, flags | O_NOFOLLOW | O_CLOEXEC));

  if (fd >= 0 || errno != ELOOP)
    return fd;
  return hold_open_file_in_steps (folder_fd, name, flags);
}
