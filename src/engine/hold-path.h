/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Names: stored bytes become a display path that is valid UTF-8 and can be typed back;
 * what would leave the destination is named, never silently flattened. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-types.h"

G_BEGIN_DECLS

/**
 * HoldUnsafe:
 * Why extraction refuses an entry or changes where it lands. Flags.
 */
typedef enum {
  HOLD_UNSAFE_NONE        = 0,
  HOLD_UNSAFE_DOTDOT      = 1 << 0,  /* a ".." part */
  HOLD_UNSAFE_ABSOLUTE    = 1 << 1,  /* "/x", "C:\x", "\\host\x" */
  HOLD_UNSAFE_LINK_ESCAPE = 1 << 2,  /* a symlink whose target leaves the root of the archive */
  HOLD_UNSAFE_EMPTY       = 1 << 3,  /* nothing is left of the name */
  HOLD_UNSAFE_TOO_LONG    = 1 << 4,  /* a part over 255 bytes or a path over 4,095 (as bytes on disk) */
  HOLD_UNSAFE_SPECIAL     = 1 << 5,  /* a device, fifo or socket */
} HoldUnsafe;

/* "dotdot", "absolute", "link-escape", "empty", "too-long", "special"; the first flag that is set;
 * NULL for none. */
const char *hold_unsafe_to_string (HoldUnsafe unsafe);

/**
 * hold_path_normalise:
 * @text: (nullable): UTF-8 (already decoded; decode first, split afterwards)
 * @unsafe: (out): what was found
 *
 * "/"-separated parts without leading "/" or "./", without empty and "." parts and without a
 * trailing "/".
 * ".." parts stay in the result (they are shown) and are flagged. Thread: any.
 * Returns: (transfer full): never NULL, may be "".
 */
char *hold_path_normalise (const char *text, HoldUnsafe *unsafe);

/* Does @target, read from a symlink entry at @path ("a/b/link"), stay inside the root of the
 * archive? Lexical. */
gboolean hold_path_link_stays_inside (const char *path, const char *target);

/* The last part; borrowed from @path. */
const char *hold_path_peek_basename (const char *path);

/* A display name for people on a terminal or in a label: control characters become \n, \t, \xNN,
 * bidi overrides \uNNNN. (transfer full). */
char *hold_path_escape_for_display (const char *path);

/* Natural order ("a2" before "a10"), case-insensitive first; for sorting rows and listings.
 * Locale's collation of keys: (transfer full) key for strcmp. */
char *hold_path_collation_key (const char *name);

G_END_DECLS
