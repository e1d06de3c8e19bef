/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Opening a file without following a link, on every file system. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include <glib.h>

G_BEGIN_DECLS

/**
 * hold_open_file:
 * @folder_fd: as for openat(2)
 * @name: of a file that exists
 * @flags: as for open(2), without O_CREAT; O_NOFOLLOW and O_CLOEXEC are added
 *
 * Thread: any. Blocks: as open(2). Returns: a descriptor, or -1 with errno: ELOOP if @name is a
 * symbolic link.
 */
int hold_open_file          (int folder_fd, const char *name, int flags);

/* The same in two steps, for where the flag itself is not to be had. */
int hold_open_file_in_steps (int folder_fd, const char *name, int flags);

G_END_DECLS
