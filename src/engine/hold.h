/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The one header of the engine. The command line and the app include this and nothing else. */

#pragma once

#define HOLD_INSIDE

#include "hold-types.h"
#include "hold-error.h"
#include "hold-secret.h"
#include "hold-keyring.h"
#include "hold-path.h"
#include "hold-format.h"
#include "hold-entry.h"
#include "hold-indices.h"
#include "hold-tree.h"
#include "hold-report.h"
#include "hold-limits.h"
#include "hold-archive.h"
#include "hold-progress.h"
#include "hold-question.h"
#include "hold-job.h"
#include "hold-scheduler.h"
#include "hold-job-open.h"
#include "hold-job-fetch.h"
#include "hold-extract-roots.h"
#include "hold-job-extract.h"
#include "hold-job-test.h"
#include "hold-job-update.h"
#include "hold-job-move.h"
#include "hold-job-convert.h"
#include "hold-job-create.h"
#include "hold-job-restore.h"
#include "hold-staging.h"
#include "hold-staging-copy.h"
#include "hold-cut-watch.h"
#include "hold-stream.h"
#include "hold-file-copy.h"

#undef HOLD_INSIDE
