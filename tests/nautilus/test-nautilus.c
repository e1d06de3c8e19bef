/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Loads the module of Nautilus and looks at the menu that it makes for files of several kinds; a
 * script in place of the program writes down how it is called. */

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <gmodule.h>
#include <nautilus-extension.h>

/* A file as Nautilus hands it out. */

#define TEST_TYPE_FILE (test_file_get_type ())
G_DECLARE_FINAL_TYPE (TestFile, test_file, TEST, FILE, GObject)

struct _TestFile {
  GObject parent_instance;

  const char *uri;
  const char *type;
};

static char *
get_uri (NautilusFileInfo *info)
{
  return g_strdup (TEST_FILE (info)->uri);
}

static char *
get_mime_type (NautilusFileInfo *info)
{
  return g_strdup (TEST_FILE (info)->type);
}

static gboolean
is_directory (NautilusFileInfo *info)
{
  return g_str_equal (TEST_FILE (info)->type, "inode/directory");
}

static GFile *
get_location (NautilusFileInfo *info)
{
  return g_file_new_for_uri (TEST_FILE (info)->uri);
}

static void
test_file_info_init (NautilusFileInfoInterface *iface)
{
  iface->get_uri = get_uri;
  iface->get_activation_uri = get_uri;
  iface->get_mime_type = get_mime_type;
  iface->is_directory = is_directory;
  iface->get_location = get_location;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (TestFile, test_file, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (NAUTILUS_TYPE_FILE_INFO, test_file_info_init))

static void
test_file_class_init (TestFileClass *klass)
{
}

static void
test_file_init (TestFile *self)
{
}

static NautilusFileInfo *
create_file (const char *uri,
             const char *type)
{
  TestFile *self = g_object_new (TEST_TYPE_FILE, NULL);

  self->uri = uri;
  self->type = type;
  return NAUTILUS_FILE_INFO (self);
}

/* The part of Nautilus that loads. */

#define TEST_TYPE_MODULE (test_module_get_type ())
G_DECLARE_FINAL_TYPE (TestModule, test_module, TEST, MODULE, GTypeModule)

struct _TestModule {
  GTypeModule parent_instance;
};

G_DEFINE_FINAL_TYPE (TestModule, test_module, G_TYPE_TYPE_MODULE)

static gboolean
test_module_load (GTypeModule *module)
{
  return TRUE;
}

static void
test_module_class_init (TestModuleClass *klass)
{
  G_TYPE_MODULE_CLASS (klass)->load = test_module_load;
}

static void
test_module_init (TestModule *self)
{
}

static NautilusMenuProvider *provider;
static char *folder;

static void
load (const char *path)
{
  GModule *module = g_module_open (path, G_MODULE_BIND_LOCAL);
  TestModule *type_module = g_object_new (TEST_TYPE_MODULE, NULL);
  void (*initialize) (GTypeModule *) = NULL;
  void (*list_types) (const GType **, int *) = NULL;
  const GType *types;
  int n_types;

  if (module == NULL)
    g_error ("%s", g_module_error ());
  g_assert_true (g_module_symbol (module, "nautilus_module_initialize", (gpointer *) &initialize));
  g_assert_true (g_module_symbol (module, "nautilus_module_list_types", (gpointer *) &list_types));
  g_assert_true (g_type_module_use (G_TYPE_MODULE (type_module)));
  initialize (G_TYPE_MODULE (type_module));
  list_types (&types, &n_types);
  g_assert_cmpint (n_types, ==, 1);
  provider = NAUTILUS_MENU_PROVIDER (g_object_new (types[0], NULL));
}

/* The items of the submenu; NULL if there is none. */
static GList *
get_items (GList *files)
{
  GList *top = nautilus_menu_provider_get_file_items (provider, files);
  NautilusMenu *menu = NULL;
  GList *items;

  if (top == NULL)
    return NULL;
  g_assert_cmpuint (g_list_length (top), ==, 1);
  g_object_get (top->data, "menu", &menu, NULL);
  items = nautilus_menu_get_items (menu);
  g_object_unref (menu);
  g_list_free_full (top, g_object_unref);
  return items;
}

static void
check_names (const char *wanted,
             GList      *files)
{
  g_autoptr (GString) names = g_string_new (NULL);
  GList *items = get_items (files);

  for (GList *l = items; l != NULL; l = l->next)
    {
      g_autofree char *name = NULL;

      g_object_get (l->data, "name", &name, NULL);
      g_string_append_printf (names, "%s ", name);
    }
  g_assert_cmpstr (names->str, ==, wanted);
  g_list_free_full (items, g_object_unref);
  g_list_free_full (files, g_object_unref);
}

static void
test_menu (void)
{
  NautilusFileInfo *zip = create_file ("file:///home/me/a.zip", "application/zip");

  check_names ("Holdall::extract-here Holdall::extract-to Holdall::pack ",
               g_list_append (NULL, g_object_ref (zip)));
  /* Everything that is selected has to be an archive. */
  check_names ("Holdall::pack ",
               g_list_append (g_list_append (NULL, g_object_ref (zip)),
                              create_file ("file:///home/me/a.txt", "text/plain")));
  check_names ("Holdall::pack ",
               g_list_append (NULL, create_file ("file:///home/me/a", "inode/directory")));
  /* There is no path for those. */
  check_names ("", g_list_append (NULL, create_file ("sftp://host/a.zip", "application/zip")));
  check_names ("", NULL);
  g_object_unref (zip);
}

static void
test_call (void)
{
  GList *files = g_list_append (NULL, create_file ("file:///home/me/a%20b.zip", "application/zip"));
  GList *items = get_items (files);
  g_autofree char *log = g_build_filename (folder, "log", NULL);
  g_autofree char *words = NULL;

  g_signal_emit_by_name (items->data, "activate");
  /* The file is there before the words are. */
  for (guint i = 0; i < 5000 && (words == NULL || !g_str_has_suffix (words, "\n")); i++)
    {
      g_usleep (20 * 1000);
      g_clear_pointer (&words, g_free);
      g_file_get_contents (log, &words, NULL, NULL);
    }
  g_assert_cmpstr (words, ==, "--extract-here -- file:///home/me/a%20b.zip\n");
  g_list_free_full (items, g_object_unref);
  g_list_free_full (files, g_object_unref);
  g_unlink (log);
}

/* In place of the program, which desktop files need to be there as well. */
static void
install_script (void)
{
  g_autofree char *script = g_build_filename (folder, "holdall", NULL);
  g_autofree char *path = g_strdup_printf ("%s:/usr/bin:/bin", folder);
  g_autofree char *text = g_strdup_printf ("#!/bin/sh\necho \"$@\" >%s/new\nmv %s/new %s/log\n", folder,
                                           folder, folder);

  g_assert_true (g_file_set_contents (script, text, -1, NULL));
  g_assert_cmpint (g_chmod (script, 0700), ==, 0);
  g_setenv ("PATH", path, TRUE);
}

/* The module looks for the types in the desktop file, so one has to be there. */
static void
install_desktop_file (const char *path)
{
  g_autofree char *applications = g_build_filename (folder, "applications", NULL);
  g_autofree char *target = g_build_filename (applications, "io.github.holdall.Holdall.desktop", NULL);
  g_autofree char *text = NULL;

  g_assert_cmpint (g_mkdir (applications, 0700), ==, 0);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_true (g_file_set_contents (target, text, -1, NULL));
  g_setenv ("XDG_DATA_HOME", folder, TRUE);
}

static void
remove_folder (void)
{
  g_autofree char *applications = g_build_filename (folder, "applications", NULL);
  g_autofree char *target = g_build_filename (applications, "io.github.holdall.Holdall.desktop", NULL);

  g_autofree char *script = g_build_filename (folder, "holdall", NULL);

  g_unlink (script);
  g_unlink (target);
  g_rmdir (applications);
  g_rmdir (folder);
  g_free (folder);
}

int
main (int   argc,
      char *argv[])
{
  int status;

  folder = g_dir_make_tmp ("holdall-nautilus-XXXXXX", NULL);
  g_assert_nonnull (folder);
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, ==, 3);
  install_script ();
  install_desktop_file (argv[2]);
  load (argv[1]);
  g_test_add_func ("/nautilus/menu", test_menu);
  g_test_add_func ("/nautilus/call", test_call);
  status = g_test_run ();
  g_object_unref (provider);
  remove_folder ();
  return status;
}
