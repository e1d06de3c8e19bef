/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Lets tests open archives that exist in their imagination only. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-backend.h"
#include "hold-job-open.h"

G_BEGIN_DECLS

typedef HoldArchive *(*HoldOpener) (const char *path, const char *encoding, HoldKeyring *keyring,
                                    const HoldLimits *limits, void (*consumed) (gpointer, guint64),
                                    gpointer user_data, GCancellable *cancellable, GError **error);

/* NULL: hold_backend_open_archive(). Before the job is submitted. */
void _hold_open_job_set_opener (HoldOpenJob *self, HoldOpener opener);

G_END_DECLS
