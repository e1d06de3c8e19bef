/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Decodes everything, writes nothing, and says which entries are bad. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-archive.h"
#include "hold-job.h"
#include "hold-keyring.h"

G_BEGIN_DECLS

#define HOLD_TYPE_TEST_JOB (hold_test_job_get_type ())
G_DECLARE_FINAL_TYPE (HoldTestJob, hold_test_job, HOLD, TEST_JOB, HoldJob)

/* @indices: (nullable) sorted, copied; NULL for all. @keyring: (nullable). Verb "test". */
HoldTestJob *hold_test_job_new (HoldArchive *archive, GArray *indices, HoldKeyring *keyring);

G_END_DECLS
