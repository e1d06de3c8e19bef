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

gboolean
holdall_portal_is_place (const char *folder)
{
  const char *below;
  GStatBuf own;
  GStatBuf root;

  g_return_val_if_fail (folder != NULL, FALSE);

  if (!holdall_portal_is_sandboxed ())
    return TRUE;
  below = peek_below_documents (folder);
  if (below != NULL)
    return strchr (below, '/') != NULL;
  /* What is let in is mounted over a file system in memory. */
  return g_stat (folder, &own) == 0 && g_stat ("/", &root) == 0 && own.st_dev != root.st_dev;
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

/* The portal takes the folder around what it is given; a descriptor proves that we may see it. With
 * O_PATH it would count as open for writing, which the portal refuses unless asked. */
static void
open_func (GTask        *task,
           gpointer      source_object,
           gpointer      task_data,
           GCancellable *cancellable)
{
  const char *path = task_data;
  g_autoptr (GUnixFDList) fds = g_unix_fd_list_new ();
  GError *error = NULL;
  int fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  int index;

  if (fd < 0)
    {
      int errsv = errno;

      g_task_return_new_error (task, G_IO_ERROR, g_io_error_from_errno (errsv), "Opening “%s”: %s",
                               path, g_strerror (errsv));
      return;
    }
  index = g_unix_fd_list_append (fds, fd, &error);
  g_close (fd, NULL);
  if (index < 0)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, g_steal_pointer (&fds), g_object_unref);
}

static void
folder_shown_cb (GObject      *object,
                 GAsyncResult *result,
                 gpointer      user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  g_autoptr (GVariant) reply =
    g_dbus_connection_call_with_unix_fd_list_finish (G_DBUS_CONNECTION (object), NULL, result, &error);

  if (reply != NULL)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
opened_cb (GObject      *object,
           GAsyncResult *result,
           gpointer      user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  g_autoptr (GUnixFDList) fds = g_task_propagate_pointer (G_TASK (result), &error);
  GVariantBuilder options;

  if (fds == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  g_variant_builder_init (&options, G_VARIANT_TYPE_VARDICT);
  g_dbus_connection_call_with_unix_fd_list (G_DBUS_CONNECTION (object), "org.freedesktop.portal.Desktop",
                                            "/org/freedesktop/portal/desktop",
                                            "org.freedesktop.portal.OpenURI", "OpenDirectory",
                                            g_variant_new ("(sha{sv})", "", 0, &options),
                                            G_VARIANT_TYPE ("(o)"), G_DBUS_CALL_FLAGS_NONE, -1, fds,
                                            NULL, folder_shown_cb, g_object_ref (task));
}

void
holdall_portal_open_folder (GDBusConnection     *bus,
                            const char          *path,
                            GAsyncReadyCallback  callback,
                            gpointer             user_data)
{
  g_autoptr (GTask) task = g_task_new (bus, NULL, callback, user_data);
  g_autoptr (GTask) opening = NULL;

  g_return_if_fail (G_IS_DBUS_CONNECTION (bus));

  g_task_set_source_tag (task, holdall_portal_open_folder);
  /* Where things were put may be a disk that does not answer any more. */
  opening = g_task_new (bus, NULL, opened_cb, g_steal_pointer (&task));
  g_task_set_source_tag (opening, holdall_portal_open_folder);
  g_task_set_task_data (opening, g_strdup (path), g_free);
  g_task_run_in_thread (opening, open_func);
}

gboolean
holdall_portal_open_folder_finish (GDBusConnection  *bus,
                                   GAsyncResult     *result,
                                   GError          **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
