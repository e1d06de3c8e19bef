/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The D-Bus interface org.gnome.ArchiveManager1, by which file managers have archives made and
 * extracted by whichever archive manager is there. */

#pragma once

#include "holdall-application.h"

G_BEGIN_DECLS

#define HOLDALL_TYPE_ARCHIVE_MANAGER (holdall_archive_manager_get_type ())
G_DECLARE_FINAL_TYPE (HoldallArchiveManager, holdall_archive_manager, HOLDALL, ARCHIVE_MANAGER,
                      GObject)

/**
 * holdall_archive_manager_new:
 * @application: borrowed; must outlive the object
 * @connection: to the session bus
 *
 * Puts the interface on the bus at /org/gnome/ArchiveManager1, and takes the name that goes with it
 * where Holdall was built to. To be called before the application's own name is on the bus, so that
 * a call which starts the program is answered. Thread: main. Blocks: no.
 * Errors: those of g_dbus_connection_register_object().
 * Returns: (nullable)
 */
HoldallArchiveManager *holdall_archive_manager_new (HoldallApplication  *application,
                                                    GDBusConnection     *connection,
                                                    GError             **error);

G_END_DECLS
