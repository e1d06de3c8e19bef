/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Lets the grey items of a menu say why they are grey. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* (nullable) (transfer full): why the action (with its prefix, such as "win.delete") cannot be done
 * now; NULL: nobody knows, or it can. */
typedef char *(*HoldallWhyNot) (const char *action, gpointer user_data);

/**
 * holdall_menu_reasons_attach:
 * @popover: made from @model
 * @note_id: (nullable): the "custom" attribute of an item of @model: there stands @note_action's reason in words, since
 *   a tooltip is for a pointer only
 * @user_data: of @why_not; must outlive @popover
 *
 * Whenever @popover opens, each item that is grey gets its reason as tooltip and as accessible
 * description. Thread: main.
 */
void holdall_menu_reasons_attach (GtkPopoverMenu *popover, GMenuModel *model, const char *note_id,
                                  const char *note_action, HoldallWhyNot why_not,
                                  gpointer user_data);

G_END_DECLS
