/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What the transaction shares with its way to end in several files. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-output.h"

#include <sys/stat.h>

G_BEGIN_DECLS

/* Of the hidden files that are not in place yet. */
#define HOLD_OUTPUT_PART_SUFFIX ".holdall-part"

typedef struct _HoldOutputVolumes HoldOutputVolumes;

struct _HoldOutput
{
  char *folder;
  char *name;
  char *part_name;
  int folder_fd;
  int fd;
  int old_fd;
  gboolean replaces;
  gboolean overwrites;
  gboolean committed;
  HoldFileIdentity expected;
  HoldOutputVolumes *volumes; /* NULL: it is one file, whatever its size */
  guint n_links;
  mode_t mode;
};

/* Sets @error; always FALSE. */
gboolean _hold_output_fail (GError **error, int saved_errno, const char *verb, const char *path);

/* The hidden name of what is to be called @name. (transfer full) */
char *_hold_output_part_name (const char *name);

/* Removes the part file if its writer is gone. FALSE: it is alive, or the file can't be removed. */
gboolean _hold_output_remove_abandoned (int folder_fd, const char *part_name);

/* Errors: G_IO_ERROR_EXISTS, unless this output may take the place of a file. */
gboolean _hold_output_give_name (HoldOutput *self, const char *part_name, const char *name,
                                 GError **error);

/* Cuts off what is behind the first volume, into hidden files that are synced; the output's name is
 * that of the first volume then. Nothing, if all fits one. */
gboolean _hold_output_volumes_split (HoldOutput *self, GError **error);
/* Of all but the first. */
gboolean _hold_output_volumes_give_names (HoldOutput *self, GError **error);
/* Removes them unless the output was committed. */
void _hold_output_volumes_free (HoldOutput *self);

G_END_DECLS
