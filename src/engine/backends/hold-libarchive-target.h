/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Where libarchive writes to: a descriptor, and the reason if that takes no more, which says more
 * than what libarchive makes of it. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include <archive.h>

#include "hold-types.h"

G_BEGIN_DECLS

/* @archive: made by init(), to be set up before open(). */
typedef struct {
  struct archive *archive;
  int fd;
  GError *write_error;
} HoldLibarchiveTarget;

/* @fd: borrowed, written from where it stands. @self must stay where it is. */
void     hold_libarchive_target_init  (HoldLibarchiveTarget *self, int fd);
gboolean hold_libarchive_target_open  (HoldLibarchiveTarget *self, GError **error);
/* TRUE if @result, of a call on the archive, is no failure. */
gboolean hold_libarchive_target_check (HoldLibarchiveTarget *self, int result, GError **error);
/* Gives up what was not closed; never an error. */
void     hold_libarchive_target_clear (HoldLibarchiveTarget *self);

G_END_DECLS
