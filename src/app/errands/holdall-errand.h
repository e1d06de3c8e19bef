/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Work that is asked for from outside of all windows: by an option of the command line, or over
 * D-Bus by a file manager. An errand is one or more jobs in a row; it shows how far it is only when
 * it takes long, tells what went wrong, and lets the program end when it is done. */

#pragma once

#include <gtk/gtk.h>
#include <hold.h>

#include "holdall-application.h"

G_BEGIN_DECLS

/* Signals: "progress" (double: 0 … 1; string: a line for people), and
 * "finished", once and last of all. Thread: main. */
#define HOLDALL_TYPE_ERRAND (holdall_errand_get_type ())
G_DECLARE_DERIVABLE_TYPE (HoldallErrand, holdall_errand, HOLDALL, ERRAND, GObject)

struct _HoldallErrandClass {
  GObjectClass parent_class;

  /* Submits the first job, or asks first what to do. */
  void (*start) (HoldallErrand *self);
  /* A job of the errand is done or has failed: submits the next one or finishes. Not called for a
   * cancelled job, which ends the errand. */
  void (*job_finished) (HoldallErrand *self, HoldJob *job);
};

/* @archives: all of them are extracted, one after the other. @destination: (nullable): beside each
 * archive without it. @layout: how, for each archive. */
HoldallErrand *holdall_errand_new_extract (HoldallApplication *application, GPtrArray *archives,
                                           GFile *destination, HoldLayout layout);
/* Asks where to first. */
HoldallErrand *holdall_errand_new_extract_to (HoldallApplication *application, GPtrArray *archives);
/* Asks for name and format first. @folder: (nullable): where the dialog begins, that of the first
 * file without it. */
HoldallErrand *holdall_errand_new_create  (HoldallApplication *application, GPtrArray *files,
                                           GFile *folder);
/* @archive is made if there is none yet, in the format that its name tells. */
HoldallErrand *holdall_errand_new_add     (HoldallApplication *application, GFile *archive,
                                           GPtrArray *files);

/* FALSE: the caller shows progress and errors itself; questions are asked all the same. Default:
 * TRUE. */
void           holdall_errand_set_visible (HoldallErrand *self, gboolean visible);
/* Begins. The errand lives until it has finished, and the program with it. */
void           holdall_errand_start       (HoldallErrand *self);
/* Valid when finished. What went wrong with single entries or whole archives. Borrowed. */
HoldReport    *holdall_errand_get_report  (HoldallErrand *self);
/* (nullable), borrowed: the first thing that failed as a whole; G_IO_ERROR_CANCELLED if somebody
 * did not want it any more. Valid when finished. */
const GError  *holdall_errand_get_error   (HoldallErrand *self);

G_END_DECLS
