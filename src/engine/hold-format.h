/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What Holdall knows of each archive format, as data: dialogs, command-line help, the
 * desktop file's MimeType and the README's table are all made from this one table. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-types.h"

G_BEGIN_DECLS

typedef enum {
  HOLD_CAP_READ          = 1 << 0,
  HOLD_CAP_WRITE         = 1 << 1,  /* can be created */
  HOLD_CAP_UPDATE        = 1 << 2,  /* entries can be added, deleted, renamed */
  HOLD_CAP_RAW_COPY      = 1 << 3,  /* kept entries are not recompressed by an update */
  HOLD_CAP_ENCRYPT       = 1 << 4,  /* can be written encrypted */
  HOLD_CAP_MANY_ENTRIES  = 1 << 5,  /* holds more than one entry */
  HOLD_CAP_RANDOM_ACCESS = 1 << 6,  /* one entry is read without reading the others */
  HOLD_CAP_COMMENT       = 1 << 7,
} HoldCaps;

/**
 * HoldFormat:
 * @id: stable word for --format and --json: "zip", "tar", "tar.gz", "7z", "rar", "iso", "gz" …
 * @name: for people, untranslated: "ZIP"
 * @mime_types: NULL-terminated, the preferred one first
 * @suffixes: NULL-terminated, with the dot, the preferred one first: ".tar.gz", ".tgz"
 * @caps: what Holdall can do with it
 * @methods: NULL-terminated methods for writing, default first; NULL if there is no choice
 * @level_min, @level_max, @level_default: of compression; all 0 if there is no choice
 */
struct _HoldFormat {
  const char *id;
  const char *name;
  const char * const *mime_types;
  const char * const *suffixes;
  HoldCaps caps;
  const char * const *methods;
  int level_min;
  int level_max;
  int level_default;
};

/* All functions: Thread: any; results are static. */
const HoldFormat *hold_format_table      (guint *n_formats);
const HoldFormat *hold_format_by_id      (const char *id);             /* (nullable) */
const HoldFormat *hold_format_by_suffix  (const char *file_name);      /* (nullable), longest suffix wins */
/* Why @cap is missing, in technical English ("RAR can be read but not written: no free encoder
 * exists"); NULL if it isn't. */
const char       *hold_format_why_not    (const HoldFormat *format, HoldCaps cap);
const char       *hold_cap_to_string     (HoldCaps cap);               /* "read", "write", "update", "raw-copy" … */

G_END_DECLS
