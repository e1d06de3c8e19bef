/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* GIO sends a notification and says nothing more about it, while the program may be at its end. In a
 * sandbox the proxy of the bus ends with it, whatever it still has to pass on. GNOME and the portal
 * start the program again for a press on a button; elsewhere it is a signal to the one that sent it. */

#include "config.h"

#include "holdall-notify.h"

#include "holdall-portal.h"

/* Some desktops show it that long, others a few seconds. */
#define PRESS_SECONDS 60

/* On the application while it stays for a press: the id of the timeout that ends that. */
#define STAY_KEY "holdall-notify-stay"

/* @application is borrowed all the way: once it has ended, no callback comes any more. */
static void
ask_for_owner (GApplication        *application,
               const char          *name,
               GAsyncReadyCallback  callback)
{
  g_dbus_connection_call (g_application_get_dbus_connection (application), "org.freedesktop.DBus",
                          "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner",
                          g_variant_new ("(s)", name), G_VARIANT_TYPE ("(b)"),
                          G_DBUS_CALL_FLAGS_NONE, -1, NULL, callback, application);
}

static gboolean
has_owner_finish (GObject      *bus,
                  GAsyncResult *result)
{
  g_autoptr (GVariant) reply = g_dbus_connection_call_finish (G_DBUS_CONNECTION (bus), result, NULL);
  gboolean answer = FALSE;

  if (reply != NULL)
    g_variant_get (reply, "(b)", &answer);
  return answer;
}

static void
time_over_cb (gpointer application)
{
  g_object_set_data (application, STAY_KEY, NULL);
  g_application_release (application);
}

static void
stay (GApplication *application)
{
  guint source;

  g_application_hold (application);
  holdall_notify_leave (application);
  source = g_timeout_add_once (PRESS_SECONDS * 1000, time_over_cb, application);
  g_object_set_data (G_OBJECT (application), STAY_KEY, GUINT_TO_POINTER (source));
}

static void
plain_desktop_cb (GObject      *bus,
                  GAsyncResult *result,
                  gpointer      application)
{
  if (has_owner_finish (bus, result))
    stay (application);
  g_application_release (application);
}

static void
gnome_cb (GObject      *bus,
          GAsyncResult *result,
          gpointer      application)
{
  if (has_owner_finish (bus, result))
    g_application_release (application);
  else
    ask_for_owner (application, "org.freedesktop.Notifications", plain_desktop_cb);
}

static void
taken_cb (GObject      *bus,
          GAsyncResult *result,
          gpointer      application)
{
  has_owner_finish (bus, result);
  g_application_release (application);
}

void
holdall_notify (GApplication  *application,
                GNotification *notification,
                gboolean       has_action)
{
  g_return_if_fail (G_IS_APPLICATION (application));
  g_return_if_fail (G_IS_NOTIFICATION (notification));

  /* With an id of ours it would take the place of one of an earlier run. */
  g_application_send_notification (application, NULL, notification);
  if (g_application_get_dbus_connection (application) == NULL)
    return;

  /* The bus answers in order: with any answer it has the notification, too. */
  g_application_hold (application);
  ask_for_owner (application, "org.gtk.Notifications",
                 has_action && !holdall_portal_is_sandboxed () ? gnome_cb : taken_cb);
}

void
holdall_notify_leave (GApplication *application)
{
  guint source = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (application), STAY_KEY));

  if (source == 0)
    return;
  g_source_remove (source);
  time_over_cb (application);
}
