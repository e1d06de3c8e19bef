/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Takes what a plan copies from another archive out of that one: in one pass where its format has no
 * direct access, however many entries there are. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-backend.h"

G_BEGIN_DECLS

/* Up to this many bytes an entry is read, and verified, before anything of it is written. */
#define HOLD_COPY_WHOLE_MAX_BYTES (8 * 1024 * 1024)

/**
 * HoldCopyFuncs:
 * What becomes of the steps, in their order, all from the calling thread; FALSE with @error stops
 * everything.
 * @plain: a folder or a link, which has no content
 * @whole: a file with all its content, verified
 * @begin, @data, @end: a larger file. @why: (nullable): it turned out to be damaged after it was
 * begun
 * @lost: a file that can't be read, of which nothing was written
 * @needs_size: a larger file whose size nobody knows is lost
 */
typedef struct {
  gboolean (*plain) (gpointer user_data, const HoldPlanStep *step, GError **error);
  gboolean (*whole) (gpointer user_data, const HoldPlanStep *step, GBytes *content, GError **error);
  gboolean (*begin) (gpointer user_data, const HoldPlanStep *step, GError **error);
  gboolean (*data)  (gpointer user_data, const guint8 *data, gsize length_bytes, GError **error);
  gboolean (*end)   (gpointer user_data, const HoldPlanStep *step, const GError *why, GError **error);
  gboolean (*lost)  (gpointer user_data, const HoldPlanStep *step, const GError *why, GError **error);
  gboolean needs_size;
} HoldCopyFuncs;

/* How many of @steps, from the first, hold_copy_pass_run() can take at once: those from one archive,
 * in its order; 0 if the first is not from an archive at all. */
guint hold_copy_pass_length (const HoldPlanStep *steps, guint n_steps);

/**
 * hold_copy_pass_run:
 * @steps: so many as hold_copy_pass_length() said, or fewer
 * @keyring: (nullable): passwords to try
 *
 * Blocks: yes. Errors: G_IO_ERROR_CANCELLED; what @funcs say; all that is wrong with single entries
 * goes to them.
 */
gboolean hold_copy_pass_run (const HoldPlanStep *steps, guint n_steps, HoldKeyring *keyring,
                             const HoldCopyFuncs *funcs, gpointer user_data,
                             GCancellable *cancellable, GError **error);

G_END_DECLS
