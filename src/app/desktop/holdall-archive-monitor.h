/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Notices when the file of an archive changes or goes. Who changed it, it does not know. */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Signal "changed", without arguments: something happened to the file, and then nothing for a moment. Thread: main. */
#define HOLDALL_TYPE_ARCHIVE_MONITOR (holdall_archive_monitor_get_type ())
G_DECLARE_FINAL_TYPE (HoldallArchiveMonitor, holdall_archive_monitor, HOLDALL, ARCHIVE_MONITOR, GObject)

HoldallArchiveMonitor *holdall_archive_monitor_new  (GFile *file);
/* Says "changed" again in a moment: for who has no time now. */
void                   holdall_archive_monitor_poke (HoldallArchiveMonitor *self);

G_END_DECLS
