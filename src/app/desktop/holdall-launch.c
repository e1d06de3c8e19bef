/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* GIO's own way through the portal can neither ask nor say that the file may be written to, so the
 * portal is called directly. */

#include "config.h"

#include "holdall-launch.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gunixfdlist.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "holdall-portal.h"

typedef struct {
  char *path;
  gboolean ask;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;

  g_free (request->path);
  g_free (request);
}

static void
launched_cb (GObject      *object,
             GAsyncResult *result,
             gpointer      user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;

  if (g_app_info_launch_uris_finish (G_APP_INFO (object), result, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
launch_app (GTask     *task,
            GAppInfo  *app,
            GtkWindow *parent)
{
  const Request *request = g_task_get_task_data (task);
  GdkDisplay *display = parent != NULL ? gtk_widget_get_display (GTK_WIDGET (parent))
                                       : gdk_display_get_default ();
  g_autoptr (GdkAppLaunchContext) context = gdk_display_get_app_launch_context (display);
  g_autoptr (GFile) file = g_file_new_for_path (request->path);
  g_autofree char *uri = g_file_get_uri (file);
  g_autoptr (GList) uris = g_list_append (NULL, uri);

  g_app_info_launch_uris_async (app, uris, G_APP_LAUNCH_CONTEXT (context), NULL, launched_cb,
                                g_object_ref (task));
}

static void
portal_called_cb (GObject      *object,
                  GAsyncResult *result,
                  gpointer      user_data)
{
  g_autoptr (GTask) task = user_data;
  g_autoptr (GVariant) reply = NULL;
  GError *error = NULL;

  reply = g_dbus_connection_call_with_unix_fd_list_finish (G_DBUS_CONNECTION (object), NULL, result,
                                                           &error);
  if (reply != NULL)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
call_portal (GTask           *task,
             GDBusConnection *bus)
{
  const Request *request = g_task_get_task_data (task);
  g_autoptr (GUnixFDList) fds = g_unix_fd_list_new ();
  GVariantBuilder options;
  GError *error = NULL;
  gboolean writable = TRUE;
  int index;
  int fd;

  /* The portal refuses a descriptor that may do more or less than what is said of it. */
  fd = open (request->path, O_RDWR | O_CLOEXEC);
  if (fd < 0 && errno == EACCES)
    {
      /* A copy that is not to be changed. */
      writable = FALSE;
      fd = open (request->path, O_RDONLY | O_CLOEXEC);
    }
  if (fd < 0)
    {
      int saved_errno = errno;

      g_task_return_new_error (task, G_IO_ERROR, g_io_error_from_errno (saved_errno),
                               "Opening “%s”: %s", request->path, g_strerror (saved_errno));
      return;
    }
  index = g_unix_fd_list_append (fds, fd, &error);
  g_close (fd, NULL);
  if (index < 0)
    {
      g_task_return_error (task, error);
      return;
    }

  g_variant_builder_init (&options, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&options, "{sv}", "ask", g_variant_new_boolean (request->ask));
  g_variant_builder_add (&options, "{sv}", "writable", g_variant_new_boolean (writable));
  g_dbus_connection_call_with_unix_fd_list (bus, "org.freedesktop.portal.Desktop",
                                            "/org/freedesktop/portal/desktop",
                                            "org.freedesktop.portal.OpenURI", "OpenFile",
                                            g_variant_new ("(sha{sv})", "", index, &options),
                                            G_VARIANT_TYPE ("(o)"), G_DBUS_CALL_FLAGS_NONE, -1, fds,
                                            NULL, portal_called_cb, g_object_ref (task));
}

static void
got_bus_cb (GObject      *object,
            GAsyncResult *result,
            gpointer      user_data)
{
  g_autoptr (GTask) task = user_data;
  g_autoptr (GDBusConnection) bus = NULL;
  GError *error = NULL;

  bus = g_bus_get_finish (result, &error);
  if (bus != NULL)
    call_portal (task, bus);
  else
    g_task_return_error (task, error);
}

void
holdall_launch_async (const char          *path,
                      GAppInfo            *app,
                      gboolean             ask,
                      GtkWindow           *parent,
                      GAsyncReadyCallback  callback,
                      gpointer             user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);
  Request *request = g_new0 (Request, 1);

  g_return_if_fail (g_path_is_absolute (path));

  request->path = g_strdup (path);
  request->ask = ask;
  g_task_set_source_tag (task, holdall_launch_async);
  g_task_set_task_data (task, request, request_free);

  if (holdall_portal_is_sandboxed ())
    g_bus_get (G_BUS_TYPE_SESSION, NULL, got_bus_cb, g_steal_pointer (&task));
  else if (app != NULL)
    launch_app (task, app, parent);
  else
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "%s",
                             _("No program is installed for this kind of file"));
}

gboolean
holdall_launch_finish (GAsyncResult  *result,
                       GError       **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
