/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Reads entries only to see whether they are good and how large they are, for what a format wants to
 * know before it takes them. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-backend.h"
#include "hold-job-private.h"

G_BEGIN_DECLS

/**
 * hold_convert_survey:
 * @indices: of files, sorted, each once
 * @keyring: (nullable): passwords to try
 * @sizes: (nullable): takes index → guint64 in bytes, of those that are good
 * @bad: takes index → GError of the others; owns its values
 *
 * Progress is left alone. Thread: the job's worker. Blocks: yes. Errors: G_IO_ERROR_CANCELLED.
 */
gboolean hold_convert_survey (HoldJob *job, HoldArchive *archive, GArray *indices, HoldKeyring *keyring,
                              GHashTable *sizes, GHashTable *bad, GError **error);

/* For @sizes, and for @bad. (transfer full) */
GHashTable *hold_convert_survey_new_sizes (void);
GHashTable *hold_convert_survey_new_bad   (void);

G_END_DECLS
