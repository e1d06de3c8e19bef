/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* org.kde.ark.DndExtract, as Dolphin 22.12 calls it: the one argument is a path, or a URL where
 * the folder is not local. */

#include "config.h"

#include "holdall-dnd-extract.h"

#include <glib/gi18n.h>

#include "holdall-file-ask.h"

#define OFFER_KEY "holdall-dnd-extract"

static const char introspection_xml[] =
  "<node>"
  " <interface name='org.kde.ark.DndExtract'>"
  "  <method name='extractSelectedFilesTo'>"
  "   <arg name='destination' type='s' direction='in'/>"
  "  </method>"
  " </interface>"
  "</node>";

typedef struct {
  HoldallOffer *offer;         /* borrowed: this goes with it */
  HoldallJobList *jobs;
  GWeakRef parent;
  GDBusConnection *connection;
  char *path;
  guint id;
} Export;

static void
export_free (gpointer data)
{
  Export *self = data;

  if (self->id != 0)
    g_dbus_connection_unregister_object (self->connection, self->id);
  g_object_unref (self->connection);
  g_weak_ref_clear (&self->parent);
  g_free (self->path);
  g_free (self);
}

static void
extract_to (Export     *self,
            const char *folder)
{
  HoldallOffer *offer = self->offer;
  HoldExtractRequest *request =
    hold_extract_request_new (holdall_offer_get_archive (offer), folder);
  g_autoptr (GtkWindow) parent = g_weak_ref_get (&self->parent);
  g_autoptr (HoldJob) job = NULL;

  request->indices = g_array_ref (holdall_offer_get_indices (offer));
  request->keyring = hold_keyring_ref (holdall_offer_get_keyring (offer));
  request->roots = hold_extract_roots_to_flat (holdall_offer_get_roots (offer));
  job = HOLD_JOB (hold_extract_job_new (request));
  holdall_job_list_submit (self->jobs, job, parent);
  /* Dolphin has asked for the files, too, but does not need them. */
  holdall_offer_abandon (offer, TRUE);
}

/* What is called for, while its folder is looked at. */
typedef struct {
  HoldallOffer *offer;
  GFile *folder;
  GDBusMethodInvocation *invocation;  /* (nullable): until it is answered */
} Call;

static void
call_free (Call *self)
{
  g_object_unref (self->offer);
  g_object_unref (self->folder);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Call, call_free)

static void
refuse (Call *self)
{
  g_autofree char *name = g_file_get_parse_name (self->folder);

  g_dbus_method_invocation_return_error (g_steal_pointer (&self->invocation), G_IO_ERROR,
                                         G_IO_ERROR_NOT_DIRECTORY,
                                         _("“%s” is no folder on this machine"), name);
}

static void
folder_asked_cb (GObject      *object,
                 GAsyncResult *result,
                 gpointer      user_data)
{
  g_autoptr (Call) call = user_data;
  guint n_folders = 0;

  if (!holdall_file_ask_finish (result, NULL, &n_folders, NULL) || n_folders == 0)
    {
      refuse (call);
      return;
    }
  extract_to (g_object_get_data (G_OBJECT (call->offer), OFFER_KEY),
              g_file_peek_path (call->folder));
  /* The caller stands still until it is answered, so not at the end. */
  g_dbus_method_invocation_return_value (g_steal_pointer (&call->invocation), NULL);
}

static void
method_call_cb (GDBusConnection       *connection,
                const char            *sender,
                const char            *object_path,
                const char            *interface_name,
                const char            *method_name,
                GVariant              *parameters,
                GDBusMethodInvocation *invocation,
                gpointer               user_data)
{
  Export *self = user_data;
  const char *destination;
  g_autoptr (Call) call = g_new0 (Call, 1);
  g_autoptr (GPtrArray) folders = g_ptr_array_new_with_free_func (g_object_unref);

  g_variant_get (parameters, "(&s)", &destination);
  call->offer = g_object_ref (self->offer);
  call->folder = g_path_is_absolute (destination) ? g_file_new_for_path (destination)
                                                  : g_file_new_for_uri (destination);
  call->invocation = invocation;
  if (g_file_peek_path (call->folder) == NULL)
    {
      refuse (call);
      return;
    }
  g_ptr_array_add (folders, g_object_ref (call->folder));
  holdall_file_ask_async (folders, folder_asked_cb, g_steal_pointer (&call));
}

static gboolean
register_object (Export *self)
{
  static const GDBusInterfaceVTable vtable = { .method_call = method_call_cb };
  static guint n_exported;
  g_autoptr (GDBusNodeInfo) info = g_dbus_node_info_new_for_xml (introspection_xml, NULL);
  g_autoptr (GError) error = NULL;

  self->path = g_strdup_printf (HOLDALL_APP_PATH "/drag/%u", ++n_exported);
  self->id = g_dbus_connection_register_object (self->connection, self->path, info->interfaces[0],
                                                &vtable, self, NULL, &error);
  if (self->id == 0)
    g_warning ("A drag is not on the bus: %s", error->message);
  return self->id != 0;
}

gboolean
holdall_dnd_extract_export (HoldallOffer    *offer,
                            HoldallJobList  *jobs,
                            GtkWindow       *parent,
                            char           **service,
                            char           **path)
{
  GApplication *application = g_application_get_default ();
  GDBusConnection *connection =
    application != NULL ? g_application_get_dbus_connection (application) : NULL;
  Export *self = g_object_get_data (G_OBJECT (offer), OFFER_KEY);

  if (connection == NULL || g_dbus_connection_get_unique_name (connection) == NULL)
    return FALSE;
  if (self == NULL)
    {
      self = g_new0 (Export, 1);
      self->offer = offer;
      self->jobs = jobs;
      self->connection = g_object_ref (connection);
      g_weak_ref_init (&self->parent, parent);
      if (!register_object (self))
        {
          export_free (self);
          return FALSE;
        }
      g_object_set_data_full (G_OBJECT (offer), OFFER_KEY, self, export_free);
    }
  *service = g_strdup (g_dbus_connection_get_unique_name (connection));
  *path = g_strdup (self->path);
  return TRUE;
}
