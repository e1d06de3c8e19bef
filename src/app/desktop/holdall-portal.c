/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Choosers, notifications and the trash need nothing here: GTK and GIO go through the portals by
 * themselves. What remains are the places where a sandboxed path means less than a path. */

#include "config.h"

#include "holdall-portal.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gunixfdlist.h>
#include <glib/gstdio.h>
#include <limits.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#define HOST_PATH_ATTRIBUTE "user.document-portal.host-path"

gboolean
holdall_portal_is_sandboxed (void)
{
  static gsize answer; /* 1: no, 2: yes */

  if (g_once_init_enter (&answer))
    g_once_init_leave (&answer, g_file_test ("/.flatpak-info", G_FILE_TEST_EXISTS) ? 2 : 1);
  return answer == 2;
}

/* What follows the document portal's folder in @path, or NULL. In the sandbox that folder is seen
 * under two names. */
static const char *
peek_below_documents (const char *path)
{
  g_autofree char *runtime = g_strconcat (g_get_user_runtime_dir (), "/doc/", NULL);
  const char *prefixes[] = { runtime, "/run/flatpak/doc/" };

  for (gsize i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (path, prefixes[i]))
      return path + strlen (prefixes[i]);
  return NULL;
}

gboolean
holdall_portal_is_lone_document (const char *path)
{
  const char *below;
  const char *name;

  g_return_val_if_fail (path != NULL, FALSE);

  below = peek_below_documents (path);
  name = below != NULL ? strchr (below, '/') : NULL;
  return name != NULL && name[1] != '\0' && strchr (name + 1, '/') == NULL
      && !g_file_test (path, G_FILE_TEST_IS_DIR);
}

char *
holdall_portal_dup_host_path (const char *path)
{
  g_autofree char *value = NULL;
  gssize length;

  g_return_val_if_fail (path != NULL, NULL);

  if (peek_below_documents (path) == NULL)
    return g_strdup (path);

  value = g_malloc (PATH_MAX);
  length = getxattr (path, HOST_PATH_ATTRIBUTE, value, PATH_MAX - 1);
  if (length <= 0)
    return NULL;
  value[length] = '\0';
  return g_path_is_absolute (value) ? g_steal_pointer (&value) : NULL;
}

void
holdall_portal_open_folder (GDBusConnection     *bus,
                            const char          *path,
                            GAsyncReadyCallback  callback,
                            gpointer             user_data)
{
  g_autoptr (GUnixFDList) fds = g_unix_fd_list_new ();
  g_autoptr (GError) error = NULL;
  GVariantBuilder options;
  int index;
  int fd;

  g_return_if_fail (G_IS_DBUS_CONNECTION (bus));

  /* The portal takes the folder around what it is given; a descriptor proves that we may see it.
   * With O_PATH it would count as open for writing, which the portal refuses unless asked. */
  fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    {
      int errsv = errno;

      g_task_report_new_error (bus, callback, user_data, holdall_portal_open_folder, G_IO_ERROR,
                               g_io_error_from_errno (errsv), "Opening “%s”: %s", path,
                               g_strerror (errsv));
      return;
    }
  index = g_unix_fd_list_append (fds, fd, &error);
  g_close (fd, NULL);
  if (index < 0)
    {
      g_task_report_error (bus, callback, user_data, holdall_portal_open_folder,
                           g_steal_pointer (&error));
      return;
    }

  g_variant_builder_init (&options, G_VARIANT_TYPE_VARDICT);
  g_dbus_connection_call_with_unix_fd_list (bus, "org.freedesktop.portal.Desktop",
                                            "/org/freedesktop/portal/desktop",
                                            "org.freedesktop.portal.OpenURI", "OpenDirectory",
                                            g_variant_new ("(sha{sv})", "", index, &options),
                                            G_VARIANT_TYPE ("(o)"), G_DBUS_CALL_FLAGS_NONE, -1, fds,
                                            NULL, callback, user_data);
}

gboolean
holdall_portal_open_folder_finish (GDBusConnection  *bus,
                                   GAsyncResult     *result,
                                   GError          **error)
{
  g_autoptr (GVariant) reply = NULL;

  if (g_async_result_is_tagged (result, holdall_portal_open_folder))
    return g_task_propagate_boolean (G_TASK (result), error);
  reply = g_dbus_connection_call_with_unix_fd_list_finish (bus, NULL, result, error);
  return reply != NULL;
}
