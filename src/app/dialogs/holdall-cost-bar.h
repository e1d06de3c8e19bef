/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Says what an edit will cost before it starts, where a format must be packed anew as a whole. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Signals: "go-on" and "cancelled", without arguments; the bar hides before either. */
#define HOLDALL_TYPE_COST_BAR (holdall_cost_bar_get_type ())
G_DECLARE_FINAL_TYPE (HoldallCostBar, holdall_cost_bar, HOLDALL, COST_BAR, GtkWidget)

/* @size_bytes: how much is written. @bytes_per_second: how fast that went the last time; not 0. */
void     holdall_cost_bar_show     (HoldallCostBar *self, guint64 size_bytes,
                                    guint64 bytes_per_second);
/* Hides it without a signal. */
void     holdall_cost_bar_hide     (HoldallCostBar *self);
gboolean holdall_cost_bar_is_shown (HoldallCostBar *self);

G_END_DECLS
