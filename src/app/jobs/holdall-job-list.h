/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* All work of the program that runs or waits, as a list model. Jobs belong to the application and
 * not to a window: the list owns the scheduler, keeps the program alive while anything runs,
 * presents what jobs ask, and notifies when a job ends whose window is gone. */

#pragma once

#include <gtk/gtk.h>
#include <hold.h>

G_BEGIN_DECLS

/* A GListModel of HoldJob, oldest first; a job leaves it when it is finished. Thread: main. */
#define HOLDALL_TYPE_JOB_LIST (holdall_job_list_get_type ())
G_DECLARE_FINAL_TYPE (HoldallJobList, holdall_job_list, HOLDALL, JOB_LIST, GObject)

/**
 * holdall_job_list_new:
 * @application: (nullable): held while jobs run; gets the actions "job.cancel" and "job.pause" (parameter u: a
 *   job's id) and "show-folder" (s: a URI); borrowed, must outlive the list
 */
HoldallJobList *holdall_job_list_new (GtkApplication *application);

/**
 * holdall_job_list_submit:
 * @job: not yet submitted; a reference is taken until it is finished
 * @parent: (nullable): where questions appear; only a weak reference is kept. Without it, or when it is gone, the active
 *   window of the application is used
 *
 * Makes @job interactive and starts it. Watch its "finished" signal for the end.
 */
void holdall_job_list_submit (HoldallJobList *self, HoldJob *job, GtkWindow *parent);

/* (nullable), borrowed */
HoldJob *holdall_job_list_lookup (HoldallJobList *self, guint id);
/* Cancels all jobs and waits until they have undone what they had begun; none is taken any more.
 * "finished" of those is not told. Blocks: yes, shortly. */
void     holdall_job_list_close      (HoldallJobList *self);
/* The window that a job of the list was submitted for. (nullable), borrowed */
GtkWindow *holdall_job_list_get_window (HoldallJobList *self, HoldJob *job);

/* The actions "cancel" and "pause" (u), to be inserted into windows as the group "job". They are on
 * the bus as well, at the application's object path with "/jobs" behind. Borrowed. */
GActionGroup *holdall_job_list_get_actions (HoldallJobList *self);
/* For win.status: a JSON array of jobs, the running ones and the last that ended:
 * [{"id":1,"verb":"extract","state":"running","paused":false,"question":null,"question_path":null,"bytes_done":1,"bytes_total":2,"has_total":true,
 *   "entries_done":1,"entries_total":3,"error":null,"cancel_ms":0}, …] */
void holdall_job_list_append_status (HoldallJobList *self, GString *json);

/* Appends @text as a JSON string with its quotes; NULL becomes null. */
void holdall_json_append_string (GString *json, const char *text);

G_END_DECLS
