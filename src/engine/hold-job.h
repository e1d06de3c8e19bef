/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* One piece of long work: constructed on the main thread, run by a worker, watched through
 * properties that change on the context it was submitted from. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-progress.h"
#include "hold-question.h"
#include "hold-report.h"

G_BEGIN_DECLS

/* Life: QUEUED → RUNNING ⇄ ASKING → DONE | FAILED | CANCELLED. Constructing does nothing;
 * hold_scheduler_submit() starts it. A job runs once.
 *
 * Properties, notified on the context captured at submit and never from a worker: "state"
 * (HoldJobState), "question" (HoldQuestion, NULL when nothing is asked), "paused". Signal
 * "progress" (no arguments): at most every 100 ms, the first within 100 ms of the start; sample it
 * with hold_job_get_progress(). Signal "finished" (no arguments): last of all, once.
 *
 * Without a listener for questions (hold_job_set_interactive FALSE, the default) the request's
 * policy decides, and a password that is missing is an error.
 */
#define HOLD_TYPE_JOB (hold_job_get_type ())
G_DECLARE_DERIVABLE_TYPE (HoldJob, hold_job, HOLD, JOB, GObject)

typedef enum {
  HOLD_JOB_QUEUED,
  HOLD_JOB_RUNNING,
  HOLD_JOB_ASKING,
  HOLD_JOB_DONE,
  HOLD_JOB_FAILED,
  HOLD_JOB_CANCELLED,
} HoldJobState;

typedef enum { HOLD_ACCESS_NONE, HOLD_ACCESS_READ, HOLD_ACCESS_WRITE } HoldAccess;

struct _HoldJobClass {
  GObjectClass parent_class;

  /* The work. Thread: a job worker. Blocks: yes. FALSE with @error: FAILED, or CANCELLED for
   * G_IO_ERROR_CANCELLED. */
  gboolean (*run) (HoldJob *self, GCancellable *cancellable, GError **error);
  /* Which archive file the job touches, and how; the scheduler lets readers share and a writer
   * alone. (transfer none) path. */
  HoldAccess (*get_access) (HoldJob *self, const char **path);
  /* "extract", "open", "test", "move" …: for tests, logs and icons; never translated. */
  const char *verb;

  /* (nullable): may @queued, which waits to write the same archive, be done together with @self,
   * which is about to start? TRUE:
   * @self does it in its run() and the two finish alike; @queued does not run. Thread: any, under
   *   the scheduler's lock. */
  gboolean (*absorb) (HoldJob *self, HoldJob *queued);

  gpointer padding[7];
};

HoldJobState hold_job_get_state    (HoldJob *self);
const char  *hold_job_get_verb     (HoldJob *self);
guint        hold_job_get_id       (HoldJob *self);       /* unique in the process, from 1 */
gboolean     hold_job_is_finished  (HoldJob *self);
void         hold_job_get_progress (HoldJob *self, HoldProgress *progress); /* fills; clear it with hold_progress_clear(). Thread: any */
HoldQuestion *hold_job_get_question (HoldJob *self);      /* (nullable), borrowed; main thread */
HoldReport  *hold_job_get_report   (HoldJob *self);       /* borrowed, never NULL */
const GError *hold_job_get_error   (HoldJob *self);       /* (nullable): set when FAILED; CANCELLED carries it too */
void         hold_job_set_interactive (HoldJob *self, gboolean interactive); /* before submit */
void         hold_job_cancel       (HoldJob *self);       /* Thread: any; answers a pending question too */
void         hold_job_set_paused   (HoldJob *self, gboolean paused);
gboolean     hold_job_get_paused   (HoldJob *self);

G_END_DECLS
