/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* "Open With…": the person picks a program. Not GtkAppChooserDialog, which is on its way out and
 * would offer programs that run what they are given. */

#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* @app: what was picked. Not called when the person cancels. */
typedef void (*HoldallAppChosen) (GAppInfo *app, gpointer user_data);

/**
 * holdall_app_dialog_present:
 * @name: of the file, for people
 * @type: its content type: the programs for it come first
 * @chosen: called at most once
 * @user_data: for @chosen; released by @destroy in any case
 *
 * Thread: main. Blocks: no.
 */
void holdall_app_dialog_present (GtkWindow        *parent,
                                 const char       *name,
                                 const char       *type,
                                 HoldallAppChosen  chosen,
                                 gpointer          user_data,
                                 GDestroyNotify    destroy);

G_END_DECLS
