/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Every call is an errand, answered when that has finished. The interface is the one that file
 * managers know from GNOME: files are URIs, and progress is told to everybody on the bus. */

#include "config.h"

#include "holdall-archive-manager.h"
#include "holdall-errand.h"

#define INTERFACE "org.gnome.ArchiveManager1"
#define OBJECT_PATH "/org/gnome/ArchiveManager1"
/* After a call the program stays for the next one. The bus would still hand it to a process that is
 * about to end, and nobody would answer. */
#define LINGER_S 10

static const char introspection[] =
  "<node>"
  "  <interface name='" INTERFACE "'>"
  "    <method name='GetSupportedTypes'>"
  "      <arg name='action' type='s' direction='in'/>"
  "      <arg name='types' type='aa{ss}' direction='out'/>"
  "    </method>"
  "    <method name='AddToArchive'>"
  "      <arg name='archive' type='s' direction='in'/>"
  "      <arg name='files' type='as' direction='in'/>"
  "      <arg name='use_progress_dialog' type='b' direction='in'/>"
  "    </method>"
  "    <method name='Compress'>"
  "      <arg name='files' type='as' direction='in'/>"
  "      <arg name='destination' type='s' direction='in'/>"
  "      <arg name='use_progress_dialog' type='b' direction='in'/>"
  "    </method>"
  "    <method name='Extract'>"
  "      <arg name='archive' type='s' direction='in'/>"
  "      <arg name='destination' type='s' direction='in'/>"
  "      <arg name='use_progress_dialog' type='b' direction='in'/>"
  "    </method>"
  "    <method name='ExtractHere'>"
  "      <arg name='archive' type='s' direction='in'/>"
  "      <arg name='use_progress_dialog' type='b' direction='in'/>"
  "    </method>"
  "    <signal name='Progress'>"
  "      <arg name='fraction' type='d'/>"
  "      <arg name='details' type='s'/>"
  "    </signal>"
  "  </interface>"
  "</node>";

struct _HoldallArchiveManager {
  GObject parent_instance;

  HoldallApplication *application;  /* borrowed */
  GDBusConnection *connection;
  guint object_id;
  guint name_id;                    /* 0 unless built to own the name */
  guint linger_source;
};

G_DEFINE_FINAL_TYPE (HoldallArchiveManager, holdall_archive_manager, G_TYPE_OBJECT)

/* What a running errand needs of the call that it came from. */
typedef struct {
  HoldallArchiveManager *manager;     /* (nullable) weak */
  GDBusConnection *connection;
  GDBusMethodInvocation *invocation;  /* (nullable): answered */
} Call;

static gboolean
linger_cb (gpointer user_data)
{
  HoldallArchiveManager *self = user_data;

  self->linger_source = 0;
  g_application_release (G_APPLICATION (self->application));
  return G_SOURCE_REMOVE;
}

static void
linger (HoldallArchiveManager *self)
{
  if (self->linger_source != 0)
    g_source_remove (self->linger_source);
  else
    g_application_hold (G_APPLICATION (self->application));
  self->linger_source = g_timeout_add_seconds (LINGER_S, linger_cb, self);
}

static void
call_free (gpointer  data,
           GClosure *closure)
{
  Call *call = data;

  if (call->invocation != NULL)
    g_dbus_method_invocation_return_error_literal (g_steal_pointer (&call->invocation), G_DBUS_ERROR,
                                                   G_DBUS_ERROR_FAILED, "Not finished");
  if (call->manager != NULL)
    linger (call->manager);
  g_clear_weak_pointer (&call->manager);
  g_object_unref (call->connection);
  g_free (call);
}

static void
progress_cb (Call          *call,
             double         fraction,
             const char    *details,
             HoldallErrand *errand)
{
  g_autoptr (GError) error = NULL;

  /* Nobody is kept from anything by a line that is not told. */
  if (!g_dbus_connection_emit_signal (call->connection, NULL, OBJECT_PATH, INTERFACE, "Progress",
                                      g_variant_new ("(ds)", fraction, details), &error))
    g_debug ("Progress is not told: %s", error->message);
}

/* (nullable), borrowed: why an entry did not come through. Warnings are none of the caller's. */
static const GError *
find_failure (HoldReport *report)
{
  for (guint i = 0; i < hold_report_get_n_items (report); i++)
    if (hold_report_get_item (report, i)->outcome == HOLD_OUTCOME_FAILED)
      return hold_report_get_item (report, i)->error;
  return NULL;
}

static void
finished_cb (Call          *call,
             HoldallErrand *errand)
{
  const GError *error = holdall_errand_get_error (errand);
  GDBusMethodInvocation *invocation = g_steal_pointer (&call->invocation);

  if (error == NULL)
    error = find_failure (holdall_errand_get_report (errand));
  if (error != NULL)
    g_dbus_method_invocation_return_gerror (invocation, error);
  else
    g_dbus_method_invocation_return_value (invocation, NULL);
}

/* Takes @errand and, with its answer, @invocation. */
static void
start (HoldallArchiveManager *self,
       HoldallErrand         *errand,
       gboolean               visible,
       GDBusMethodInvocation *invocation)
{
  Call *call = g_new0 (Call, 1);

  g_set_weak_pointer (&call->manager, self);
  call->connection = g_object_ref (self->connection);
  call->invocation = invocation;
  holdall_errand_set_visible (errand, visible);
  g_signal_connect_data (errand, "progress", G_CALLBACK (progress_cb), call, NULL,
                         G_CONNECT_SWAPPED);
  g_signal_connect_data (errand, "finished", G_CALLBACK (finished_cb), call, call_free,
                         G_CONNECT_SWAPPED);
  holdall_errand_start (errand);
  g_object_unref (errand);
}

static GPtrArray *
dup_files (const char * const *uris)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; uris[i] != NULL; i++)
    g_ptr_array_add (files, g_file_new_for_uri (uris[i]));
  return files;
}

static void
add_type (GVariantBuilder  *types,
          const HoldFormat *format)
{
  g_variant_builder_open (types, G_VARIANT_TYPE ("a{ss}"));
  g_variant_builder_add (types, "{ss}", "mime-type", format->mime_types[0]);
  g_variant_builder_add (types, "{ss}", "default-extension",
                         format->suffixes != NULL && format->suffixes[0] != NULL
                         ? format->suffixes[0] : "");
  g_variant_builder_close (types);
}

static void
get_supported_types (GVariant              *parameters,
                     GDBusMethodInvocation *invocation)
{
  GVariantBuilder types;
  guint n_formats;
  const HoldFormat *formats = hold_format_table (&n_formats);
  const char *action;
  HoldCaps needed;

  g_variant_get (parameters, "(&s)", &action);
  if (g_str_equal (action, "create"))
    needed = HOLD_CAP_WRITE | HOLD_CAP_MANY_ENTRIES;
  else if (g_str_equal (action, "create_single_file"))
    needed = HOLD_CAP_WRITE;
  else if (g_str_equal (action, "extract"))
    needed = HOLD_CAP_READ;
  else
    {
      g_dbus_method_invocation_return_error (invocation, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS,
                                             "No such action: %s", action);
      return;
    }

  g_variant_builder_init (&types, G_VARIANT_TYPE ("aa{ss}"));
  for (guint i = 0; i < n_formats; i++)
    if ((formats[i].caps & needed) == needed && formats[i].mime_types != NULL &&
        formats[i].mime_types[0] != NULL)
      add_type (&types, &formats[i]);
  g_dbus_method_invocation_return_value (invocation, g_variant_new ("(aa{ss})", &types));
}

static void
pack (HoldallArchiveManager *self,
      const char            *method,
      GVariant              *parameters,
      GDBusMethodInvocation *invocation)
{
  g_autofree const char **uris = NULL;
  g_autoptr (GPtrArray) files = NULL;
  g_autoptr (GFile) place = NULL;
  const char *uri;
  gboolean visible;

  if (g_str_equal (method, "AddToArchive"))
    g_variant_get (parameters, "(&s^a&sb)", &uri, &uris, &visible);
  else
    g_variant_get (parameters, "(^a&s&sb)", &uris, &uri, &visible);
  if (uris[0] == NULL)
    {
      g_dbus_method_invocation_return_error_literal (invocation, G_DBUS_ERROR,
                                                     G_DBUS_ERROR_INVALID_ARGS, "No files");
      return;
    }
  files = dup_files (uris);
  place = *uri != '\0' ? g_file_new_for_uri (uri) : NULL;
  if (g_str_equal (method, "Compress"))
    start (self, holdall_errand_new_create (self->application, files, place), visible, invocation);
  else if (place != NULL)
    start (self, holdall_errand_new_add (self->application, place, files), visible, invocation);
  else
    g_dbus_method_invocation_return_error_literal (invocation, G_DBUS_ERROR,
                                                   G_DBUS_ERROR_INVALID_ARGS, "No archive");
}

static void
extract (HoldallArchiveManager *self,
         const char            *method,
         GVariant              *parameters,
         GDBusMethodInvocation *invocation)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GFile) destination = NULL;
  HoldallErrand *errand;
  const char *uri;
  const char *destination_uri = "";
  gboolean visible;

  if (g_str_equal (method, "Extract"))
    g_variant_get (parameters, "(&s&sb)", &uri, &destination_uri, &visible);
  else
    g_variant_get (parameters, "(&sb)", &uri, &visible);
  if (*uri == '\0')
    {
      g_dbus_method_invocation_return_error_literal (invocation, G_DBUS_ERROR,
                                                     G_DBUS_ERROR_INVALID_ARGS, "No archive");
      return;
    }
  g_ptr_array_add (files, g_file_new_for_uri (uri));
  destination = *destination_uri != '\0' ? g_file_new_for_uri (destination_uri) : NULL;
  if (g_str_equal (method, "Extract") && destination == NULL)
    errand = holdall_errand_new_extract_to (self->application, files);
  else
    /* Who names a folder has one made for this; "here" is a folder with other things in it. */
    errand = holdall_errand_new_extract (self->application, files, destination,
                                         destination != NULL ? HOLD_LAYOUT_FULL_PATHS
                                                             : HOLD_LAYOUT_SMART);
  start (self, errand, visible, invocation);
}

static void
method_call_cb (GDBusConnection       *connection,
                const char            *sender,
                const char            *object_path,
                const char            *interface_name,
                const char            *method,
                GVariant              *parameters,
                GDBusMethodInvocation *invocation,
                gpointer               user_data)
{
  linger (user_data);
  if (g_str_equal (method, "GetSupportedTypes"))
    get_supported_types (parameters, invocation);
  else if (g_str_equal (method, "AddToArchive") || g_str_equal (method, "Compress"))
    pack (user_data, method, parameters, invocation);
  else
    extract (user_data, method, parameters, invocation);
}

static void
holdall_archive_manager_dispose (GObject *object)
{
  HoldallArchiveManager *self = HOLDALL_ARCHIVE_MANAGER (object);

  if (self->name_id != 0)
    g_bus_unown_name (self->name_id);
  self->name_id = 0;
  if (self->object_id != 0)
    g_dbus_connection_unregister_object (self->connection, self->object_id);
  self->object_id = 0;
  /* What it holds ends anyway. */
  g_clear_handle_id (&self->linger_source, g_source_remove);
  g_clear_object (&self->connection);

  G_OBJECT_CLASS (holdall_archive_manager_parent_class)->dispose (object);
}

static void
holdall_archive_manager_class_init (HoldallArchiveManagerClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = holdall_archive_manager_dispose;
}

static void
holdall_archive_manager_init (HoldallArchiveManager *self)
{
}

HoldallArchiveManager *
holdall_archive_manager_new (HoldallApplication  *application,
                             GDBusConnection     *connection,
                             GError             **error)
{
  static const GDBusInterfaceVTable vtable = { .method_call = method_call_cb };
  g_autoptr (GDBusNodeInfo) info = g_dbus_node_info_new_for_xml (introspection, error);
  g_autoptr (HoldallArchiveManager) self = NULL;

  if (info == NULL)
    return NULL;
  self = g_object_new (HOLDALL_TYPE_ARCHIVE_MANAGER, NULL);
  self->application = application;
  self->connection = g_object_ref (connection);
  self->object_id = g_dbus_connection_register_object (connection, OBJECT_PATH, info->interfaces[0],
                                                       &vtable, self, NULL, error);
  if (self->object_id == 0)
    return NULL;
#ifdef HOLDALL_OWNS_ARCHIVE_MANAGER
  /* Somebody else may be first; our own name is there as well. */
  self->name_id = g_bus_own_name_on_connection (connection, INTERFACE, G_BUS_NAME_OWNER_FLAGS_NONE,
                                                NULL, NULL, NULL, NULL);
#endif
  return g_steal_pointer (&self);
}
