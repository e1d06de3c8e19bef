/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What a window has to do with opened entries: the bar that asks about changed ones, the answer that
 * it needs before it closes, and being the copy of one itself. */

#pragma once

#include "holdall-window.h"

G_BEGIN_DECLS

/* Adds the actions; once, from the window's init. */
void     _holdall_window_opened_init        (HoldallWindow *self);
/* The window shows another snapshot now, or another file. */
void     _holdall_window_opened_update      (HoldallWindow *self);
/* TRUE: the person is asked about changes, and the window must stay until there is an answer. */
gboolean _holdall_window_ask_unsaved        (HoldallWindow *self);
/* (transfer full): the file that the window shows, for people: "inner.zip in outer.zip" if it was
 * opened out of an archive. It must show one. */
char    *_holdall_window_dup_title          (HoldallWindow *self);
/* Whether the file lies in our private place, where a person should not be led. */
gboolean _holdall_window_is_nested          (HoldallWindow *self);
/* (transfer full): path of the archive beside which things of this one belong: the one on the
 * person's disk that it comes from. */
char    *_holdall_window_dup_outermost_path (HoldallWindow *self);

G_END_DECLS
