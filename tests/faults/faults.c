/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Preloaded into holdall-cli to let the N-th system call of one kind on files below one folder
 * fail, come short, or be the last that the process makes. The program under test knows nothing of
 * it.
 *
 * HOLD_FAULT_ROOT   only calls on files at or below this folder count HOLD_FAULT_CALL   open,
 * write, copy_file_range, fsync, syncfs, rename, link, unlink, mkdir, ftruncate, close; "any" is
 * all HOLD_FAULT_N      which one fails, from 1; 0: none, only count HOLD_FAULT_WHAT   errno as a
 * number; "short": half of what was asked for; "kill": SIGKILL before the call HOLD_FAULT_LOG
 * file that gets a line "CALL N" for each call that counts HOLD_FAULT_FS what statfs(2) says of the
 * folder, as a number
 */

/* Both the plain and the 64-bit names are defined here, so one must not be turned into the
 * other. */
#undef _FILE_OFFSET_BITS

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

static atomic_int seen;
static atomic_int log_fd = -1;

/* The logger must not be caught by its own net. */
static void
log_line (const char *call,
          int         n)
{
  const char *path = getenv ("HOLD_FAULT_LOG");
  char line[64];
  int length;

  if (path == NULL)
    return;
  if (log_fd < 0)
    log_fd = (int) syscall (SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  length = snprintf (line, sizeof line, "%s %d\n", call, n);
  if (syscall (SYS_write, log_fd, line, (size_t) length) < 0)
    abort ();
}

static int
is_below_root (const char *path)
{
  const char *root = getenv ("HOLD_FAULT_ROOT");
  size_t length = root != NULL ? strlen (root) : 0;

  return length > 0 && strncmp (path, root, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static int
fd_is_below_root (int fd)
{
  char link[64];
  char path[PATH_MAX];
  ssize_t length;

  snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
  length = readlink (link, path, sizeof path - 1);
  if (length < 0)
    return 0;
  path[length] = '\0';
  return is_below_root (path);
}

static int
name_is_below_root (int         folder_fd,
                    const char *name)
{
  if (name[0] == '/')
    return is_below_root (name);
  return folder_fd != AT_FDCWD && fd_is_below_root (folder_fd);
}

enum { GO_ON, FAIL, SHORT };

static int
strike (const char *call,
        int         counts)
{
  const char *wanted = getenv ("HOLD_FAULT_CALL");
  const char *what = getenv ("HOLD_FAULT_WHAT");
  const char *n = getenv ("HOLD_FAULT_N");
  int number;

  if (!counts || wanted == NULL || n == NULL ||
      (strcmp (wanted, "any") != 0 && strcmp (wanted, call) != 0))
    return GO_ON;

  number = atomic_fetch_add (&seen, 1) + 1;
  log_line (call, number);
  if (number != atoi (n) || what == NULL)
    return GO_ON;
  if (strcmp (what, "kill") == 0)
    kill (getpid (), SIGKILL);
  if (strcmp (what, "short") == 0)
    return SHORT;
  errno = atoi (what);
  return FAIL;
}

#define REAL(type, name, ...) \
  static type (*real) (__VA_ARGS__); \
  if (real == NULL) \
    real = (type (*) (__VA_ARGS__)) dlsym (RTLD_NEXT, name)

#define OPENAT(symbol) \
  int \
  symbol (int folder_fd, const char *name, int flags, ...) \
  { \
    va_list list; \
    mode_t mode; \
    REAL (int, #symbol, int, const char *, int, ...); \
    va_start (list, flags); \
    mode = (mode_t) va_arg (list, unsigned); \
    va_end (list); \
    if (strike ("open", name_is_below_root (folder_fd, name)) == FAIL) \
      return -1; \
    return real (folder_fd, name, flags, mode); \
  }

OPENAT (openat)
OPENAT (openat64)

#define OPEN(symbol) \
  int \
  symbol (const char *name, int flags, ...) \
  { \
    va_list list; \
    mode_t mode; \
    REAL (int, #symbol, const char *, int, ...); \
    va_start (list, flags); \
    mode = (mode_t) va_arg (list, unsigned); \
    va_end (list); \
    if (strike ("open", name_is_below_root (AT_FDCWD, name)) == FAIL) \
      return -1; \
    return real (name, flags, mode); \
  }

OPEN (open)
OPEN (open64)

ssize_t
write (int         fd,
       const void *data,
       size_t      length)
{
  REAL (ssize_t, "write", int, const void *, size_t);
  switch (strike ("write", fd_is_below_root (fd)))
    {
    case FAIL:
      return -1;
    case SHORT:
      return real (fd, data, length > 1 ? length / 2 : length);
    default:
      return real (fd, data, length);
    }
}

#define PWRITE(symbol) \
  ssize_t \
  symbol (int fd, const void *data, size_t length, off64_t offset) \
  { \
    REAL (ssize_t, #symbol, int, const void *, size_t, off64_t); \
    switch (strike ("write", fd_is_below_root (fd))) \
      { \
      case FAIL: \
        return -1; \
      case SHORT: \
        return real (fd, data, length > 1 ? length / 2 : length, offset); \
      default: \
        return real (fd, data, length, offset); \
      } \
  }

PWRITE (pwrite)
PWRITE (pwrite64)

ssize_t
copy_file_range (int       in,
                 off64_t  *in_offset,
                 int       out,
                 off64_t  *out_offset,
                 size_t    length,
                 unsigned  flags)
{
  REAL (ssize_t, "copy_file_range", int, off64_t *, int, off64_t *, size_t, unsigned);
  switch (strike ("copy_file_range", fd_is_below_root (out)))
    {
    case FAIL:
      return -1;
    case SHORT:
      return real (in, in_offset, out, out_offset, length > 1 ? length / 2 : length, flags);
    default:
      return real (in, in_offset, out, out_offset, length, flags);
    }
}

#define ON_FD(symbol, call) \
  int \
  symbol (int fd) \
  { \
    REAL (int, #symbol, int); \
    return strike (call, fd_is_below_root (fd)) == FAIL ? -1 : real (fd); \
  }

ON_FD (fsync, "fsync")
ON_FD (fdatasync, "fsync")
ON_FD (syncfs, "syncfs")

/* All that is below the folder lies on a file system of this kind. */
#define FSTATFS(symbol, type) \
  int \
  symbol (int fd, struct type *fs) \
  { \
    const char *kind = getenv ("HOLD_FAULT_FS"); \
    REAL (int, #symbol, int, struct type *); \
    int result = real (fd, fs); \
    if (result == 0 && kind != NULL && fd_is_below_root (fd)) \
      fs->f_type = strtol (kind, NULL, 0); \
    return result; \
  }

FSTATFS (fstatfs, statfs)
FSTATFS (fstatfs64, statfs64)

/* Linux closes the descriptor also when close(2) fails. */
int
close (int fd)
{
  REAL (int, "close", int);
  if (strike ("close", fd_is_below_root (fd)) == FAIL)
    {
      int saved_errno = errno;

      real (fd);
      errno = saved_errno;
      return -1;
    }
  return real (fd);
}

#define FTRUNCATE(symbol) \
  int \
  symbol (int fd, off64_t length) \
  { \
    REAL (int, #symbol, int, off64_t); \
    return strike ("ftruncate", fd_is_below_root (fd)) == FAIL ? -1 : real (fd, length); \
  }

FTRUNCATE (ftruncate)
FTRUNCATE (ftruncate64)

int
rename (const char *from,
        const char *to)
{
  REAL (int, "rename", const char *, const char *);
  return strike ("rename", name_is_below_root (AT_FDCWD, to)) == FAIL ? -1 : real (from, to);
}

int
renameat (int         from_fd,
          const char *from,
          int         to_fd,
          const char *to)
{
  REAL (int, "renameat", int, const char *, int, const char *);
  return strike ("rename", name_is_below_root (to_fd, to)) == FAIL ? -1 : real (from_fd, from, to_fd, to);
}

int
renameat2 (int          from_fd,
           const char  *from,
           int          to_fd,
           const char  *to,
           unsigned int flags)
{
  REAL (int, "renameat2", int, const char *, int, const char *, unsigned int);
  return strike ("rename", name_is_below_root (to_fd, to)) == FAIL ? -1
                                                                    : real (from_fd, from, to_fd, to, flags);
}

int
linkat (int         from_fd,
        const char *from,
        int         to_fd,
        const char *to,
        int         flags)
{
  REAL (int, "linkat", int, const char *, int, const char *, int);
  return strike ("link", name_is_below_root (to_fd, to)) == FAIL ? -1 : real (from_fd, from, to_fd, to, flags);
}

int
unlinkat (int         folder_fd,
          const char *name,
          int         flags)
{
  REAL (int, "unlinkat", int, const char *, int);
  return strike ("unlink", name_is_below_root (folder_fd, name)) == FAIL ? -1 : real (folder_fd, name, flags);
}

int
mkdirat (int         folder_fd,
         const char *name,
         mode_t      mode)
{
  REAL (int, "mkdirat", int, const char *, mode_t);
  return strike ("mkdir", name_is_below_root (folder_fd, name)) == FAIL ? -1 : real (folder_fd, name, mode);
}
