/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A submenu of Nautilus with "Extract Here", "Extract To…" and "New Archive…". The module runs inside
 * of Nautilus, so it does nothing but look at the types of the selected files and call the program. */

#include "config.h"

#include <gio/gdesktopappinfo.h>
#include <glib/gi18n-lib.h>
#include <nautilus-extension.h>

#define HOLDALL_TYPE_NAUTILUS (holdall_nautilus_get_type ())
G_DECLARE_FINAL_TYPE (HoldallNautilus, holdall_nautilus, HOLDALL, NAUTILUS, GObject)

struct _HoldallNautilus {
  GObject parent_instance;
};

static void holdall_nautilus_menu_init (NautilusMenuProviderInterface *iface);

G_DEFINE_DYNAMIC_TYPE_EXTENDED (HoldallNautilus, holdall_nautilus, G_TYPE_OBJECT,
                                G_TYPE_FLAG_FINAL,
                                G_IMPLEMENT_INTERFACE_DYNAMIC (NAUTILUS_TYPE_MENU_PROVIDER,
                                                               holdall_nautilus_menu_init))

/* What an entry of the menu calls. */
typedef struct {
  const char *option;
  char **uris;
} Action;

static void
action_free (gpointer  data,
             GClosure *closure)
{
  Action *action = data;

  g_strfreev (action->uris);
  g_free (action);
}

static void
activate_cb (NautilusMenuItem *item,
             Action           *action)
{
  g_autoptr (GStrvBuilder) arguments = g_strv_builder_new ();
  g_autofree char *program = g_find_program_in_path ("holdall");
  g_auto (GStrv) argv = NULL;
  g_autoptr (GError) error = NULL;

  /* A prefix that is not in PATH will do as well. */
  g_strv_builder_add_many (arguments, program != NULL ? program : HOLDALL_PROGRAM, action->option,
                           "--", NULL);
  g_strv_builder_addv (arguments, (const char **) action->uris);
  argv = g_strv_builder_end (arguments);
  if (!g_spawn_async (NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, &error))
    g_warning ("Holdall cannot be started: %s", error->message);
}

/* @name: for Nautilus, which wants them to be unique */
static void
add_item (NautilusMenu *menu,
          const char   *name,
          const char   *label,
          const char   *option,
          GList        *files)
{
  g_autoptr (NautilusMenuItem) item = nautilus_menu_item_new (name, label, "", NULL);
  g_autoptr (GStrvBuilder) uris = g_strv_builder_new ();
  Action *action = g_new0 (Action, 1);

  for (GList *l = files; l != NULL; l = l->next)
    {
      g_autofree char *uri = nautilus_file_info_get_activation_uri (l->data);

      g_strv_builder_add (uris, uri);
    }
  action->option = option;
  action->uris = g_strv_builder_end (uris);
  g_signal_connect_data (item, "activate", G_CALLBACK (activate_cb), action, action_free,
                         G_CONNECT_DEFAULT);
  nautilus_menu_append_item (menu, item);
}

/* The types of the program's own desktop file: whatever it opens it extracts too. */
static gboolean
is_archive (NautilusFileInfo *file,
            GAppInfo         *program)
{
  g_autofree char *type = nautilus_file_info_get_mime_type (file);
  const char **types = g_app_info_get_supported_types (program);

  /* Of what it has not looked at yet Nautilus knows none. */
  if (type == NULL || nautilus_file_info_is_directory (file))
    return FALSE;
  for (guint i = 0; types != NULL && types[i] != NULL; i++)
    if (g_content_type_equals (type, types[i]))
      return TRUE;
  return FALSE;
}

static gboolean
are_archives (GList *files)
{
  g_autoptr (GDesktopAppInfo) program = g_desktop_app_info_new (HOLDALL_APP_ID ".desktop");

  if (program == NULL)
    return FALSE;
  for (GList *l = files; l != NULL; l = l->next)
    if (!is_archive (l->data, G_APP_INFO (program)))
      return FALSE;
  return TRUE;
}

static gboolean
are_local (GList *files)
{
  for (GList *l = files; l != NULL; l = l->next)
    {
      g_autoptr (GFile) location = nautilus_file_info_get_location (l->data);

      if (!g_file_is_native (location))
        return FALSE;
    }
  return TRUE;
}

static GList *
holdall_nautilus_get_file_items (NautilusMenuProvider *provider,
                                 GList                *files)
{
  g_autoptr (NautilusMenu) menu = NULL;
  NautilusMenuItem *top;

  if (files == NULL || !are_local (files))
    return NULL;

  menu = nautilus_menu_new ();
  if (are_archives (files))
    {
      add_item (menu, "Holdall::extract-here", _("Extract Here"), "--extract-here", files);
      add_item (menu, "Holdall::extract-to", _("Extract To…"), "--extract", files);
    }
  add_item (menu, "Holdall::pack", _("New Archive…"), "--new", files);

  /* Nautilus has entries of nearly the same names, so these say whose they are. */
  top = nautilus_menu_item_new ("Holdall", _("Holdall"), "", NULL);
  nautilus_menu_item_set_submenu (top, menu);
  return g_list_append (NULL, top);
}

static void
holdall_nautilus_menu_init (NautilusMenuProviderInterface *iface)
{
  iface->get_file_items = holdall_nautilus_get_file_items;
}

static void
holdall_nautilus_class_init (HoldallNautilusClass *klass)
{
}

static void
holdall_nautilus_class_finalize (HoldallNautilusClass *klass)
{
}

static void
holdall_nautilus_init (HoldallNautilus *self)
{
}

/* The three functions that Nautilus looks for. */

G_MODULE_EXPORT void
nautilus_module_initialize (GTypeModule *module)
{
  bindtextdomain (GETTEXT_PACKAGE, LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  holdall_nautilus_register_type (module);
}

G_MODULE_EXPORT void
nautilus_module_shutdown (void)
{
}

G_MODULE_EXPORT void
nautilus_module_list_types (const GType **types,
                            int          *n_types)
{
  static GType list[1];

  list[0] = HOLDALL_TYPE_NAUTILUS;
  *types = list;
  *n_types = 1;
}
