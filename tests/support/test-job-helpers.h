/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What tests of jobs share: a temporary folder, a scheduler and a fake archive; a main loop that
 * measures how long it was kept waiting. */

#pragma once

#include "hold-fake-backend.h"
#include "hold-job-extract.h"
#include "hold-job-open-private.h"
#include "hold-job-test.h"
#include "hold-scheduler.h"

G_BEGIN_DECLS

typedef struct {
  char *dir;  /* removed in the end */
  char *dest; /* dir/out; not made yet */
  HoldScheduler *scheduler;
  HoldFake *fake;
  HoldArchive *archive;
  HoldKeyring *keyring;
} JobFixture;

void job_fixture_set_up (JobFixture *self, const char *text);
void job_fixture_tear_down (JobFixture *self);

HoldExtractRequest *job_fixture_new_request (JobFixture *self);
/* Runs @job to its end, drops it and checks that it dies; the report stays. */
HoldJobState job_fixture_run (JobFixture *self, HoldJob *job, HoldReport **report, GError **error);
HoldJobState job_fixture_extract (JobFixture *self, HoldExtractRequest *request,
                                  HoldReport **report, GError **error);

/* dir/out/NAME; borrowed until the next four calls. */
const char *job_fixture_out (JobFixture *self, const char *name);
void job_fixture_write (JobFixture *self, const char *name,
                        const char *text); /* a file that was there before */
void job_fixture_assert_text (JobFixture *self, const char *name, const char *text);
void job_fixture_assert_entry (JobFixture *self, const char *name, const char *path, guint64 size);
void job_fixture_assert_none (JobFixture *self, const char *name);
/* Names below dir/out, folders with "/", sorted, joined by spaces. */
void job_fixture_assert_tree (JobFixture *self, const char *expected);

/* Outcome and error code of the item for @path; fails if there is none. */
void assert_reported (HoldReport *report, const char *path, HoldOutcome outcome, GQuark domain,
                      int code);

/* Iterates the default context until @condition; fails after 100 seconds. */
typedef gboolean (*Condition) (gpointer data);
void wait_until (Condition condition, gpointer data);
void wait_finished (HoldJob *job);
/* Some twenty rounds of the default context. */
void settle_a_little (void);
void wait_at_gate (HoldFake *fake);

G_END_DECLS
