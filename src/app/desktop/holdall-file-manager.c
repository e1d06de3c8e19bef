/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* "Show" on a toast: the file manager with the new files selected (X13), through the interface
 * that file managers share (org.freedesktop.FileManager1). A sandbox may not call it; there the portal
 * does, for one of the files. */

#include "config.h"

#include "holdall-file-manager.h"

#include "holdall-portal.h"

/* More would be slow in some file managers, and nobody sees them at once. */
#define N_ITEMS_MAX 100

typedef struct {
  GWeakRef parent;
  char *folder_uri;
} Request;

static void
request_free (Request *request)
{
  g_weak_ref_clear (&request->parent);
  g_free (request->folder_uri);
  g_free (request);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Request, request_free)

/* Whatever opens folders will do. */
static void
show_folder (Request      *request,
             const GError *error)
{
  g_autoptr (GtkWindow) parent = g_weak_ref_get (&request->parent);

  g_debug ("Showing items in the file manager failed: %s", error->message);
  gtk_show_uri (parent, request->folder_uri, GDK_CURRENT_TIME);
}

static void
shown_cb (GObject      *source,
          GAsyncResult *result,
          gpointer      user_data)
{
  g_autoptr (Request) request = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result,
                                                              &error);

  /* There need not be a file manager with that interface. */
  if (reply == NULL)
    show_folder (request, error);
}

static char *
dup_item_path (const char *folder,
               const char *item)
{
  return g_path_is_absolute (item) ? g_strdup (item) : g_build_filename (folder, item, NULL);
}

static void
portal_opened_cb (GObject      *source,
                  GAsyncResult *result,
                  gpointer      user_data)
{
  g_autoptr (Request) request = user_data;
  g_autoptr (GError) error = NULL;

  if (!holdall_portal_open_folder_finish (G_DBUS_CONNECTION (source), result, &error))
    show_folder (request, error);
}

static GVariant *
make_arguments (const char         *folder,
                const char * const *items)
{
  GVariantBuilder uris;
  guint n_items = 0;

  g_variant_builder_init (&uris, G_VARIANT_TYPE_STRING_ARRAY);
  for (; items != NULL && items[n_items] != NULL && n_items < N_ITEMS_MAX; n_items++)
    {
      g_autofree char *path = dup_item_path (folder, items[n_items]);
      g_autofree char *uri = g_filename_to_uri (path, NULL, NULL);

      if (uri != NULL)
        g_variant_builder_add (&uris, "s", uri);
    }
  if (n_items == 0)
    {
      g_autofree char *uri = g_filename_to_uri (folder, NULL, NULL);

      g_variant_builder_add (&uris, "s", uri);
    }
  return g_variant_new ("(ass)", &uris, "");
}

void
holdall_file_manager_show (GtkWindow          *parent,
                           const char         *folder,
                           const char * const *items)
{
  GDBusConnection *bus = g_application_get_dbus_connection (g_application_get_default ());
  gboolean is_sandboxed = holdall_portal_is_sandboxed ();
  gboolean has_items;
  g_autofree char *uri = NULL;
  Request *request;

  g_return_if_fail (folder != NULL && g_path_is_absolute (folder));

  uri = g_filename_to_uri (folder, NULL, NULL);
  has_items = items != NULL && items[0] != NULL;
  /* The portal would show a folder as an item of the folder around it. */
  if (bus == NULL || (is_sandboxed && !has_items))
    {
      gtk_show_uri (parent, uri, GDK_CURRENT_TIME);
      return;
    }

  request = g_new0 (Request, 1);
  g_weak_ref_init (&request->parent, parent);
  request->folder_uri = g_steal_pointer (&uri);
  if (is_sandboxed)
    {
      g_autofree char *first = dup_item_path (folder, items[0]);

      holdall_portal_open_folder (bus, first, portal_opened_cb, request);
      return;
    }
  g_dbus_connection_call (bus, "org.freedesktop.FileManager1", "/org/freedesktop/FileManager1",
                          "org.freedesktop.FileManager1",
                          has_items ? "ShowItems" : "ShowFolders",
                          make_arguments (folder, items), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL,
                          shown_cb, request);
}
