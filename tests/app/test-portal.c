/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Which paths are taken for documents of the portal. With a document folder made of plain files;
 * the real portal is met in flatpak/check-sandbox. */

#include "config.h"

#include <glib/gstdio.h>

#include "holdall-portal.h"

static void
make_file (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_file_set_contents (path, "x", -1, &error);
  g_assert_no_error (error);
}

static void
test_lone_document (void)
{
  const char *runtime = g_get_user_runtime_dir ();
  g_autofree char *alone = g_build_filename (runtime, "doc", "1a2b", "a.zip", NULL);
  g_autofree char *chosen = g_build_filename (runtime, "doc", "3c4d", "folder", NULL);
  g_autofree char *in_chosen = g_build_filename (chosen, "a.zip", NULL);
  g_autofree char *similar = g_build_filename (runtime, "documents", "a.zip", NULL);

  make_file (alone);
  make_file (in_chosen);

  g_assert_true (holdall_portal_is_lone_document (alone));
  /* A file that is gone by now is still no place to write beside. */
  g_assert_true (holdall_portal_is_lone_document ("/run/flatpak/doc/1a2b/a.zip"));
  g_assert_false (holdall_portal_is_lone_document (chosen));
  g_assert_false (holdall_portal_is_lone_document (in_chosen));
  g_assert_false (holdall_portal_is_lone_document (similar));
  g_assert_false (holdall_portal_is_lone_document ("/run/flatpak/doc/1a2b"));
  g_assert_false (holdall_portal_is_lone_document ("/home/a.zip"));
}

static void
test_host_path (void)
{
  g_autofree char *document = g_build_filename (g_get_user_runtime_dir (), "doc", "5e6f", "b.zip",
                                                NULL);
  g_autofree char *plain = holdall_portal_dup_host_path ("/media/stick/a.zip");
  g_autofree char *unknown = NULL;

  make_file (document);
  unknown = holdall_portal_dup_host_path (document);
  g_assert_cmpstr (plain, ==, "/media/stick/a.zip");
  /* Nothing is better than a path that a person has never seen. */
  g_assert_null (unknown);
}

static void
remove_below (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        remove_below (path);
      else
        g_assert_cmpint (g_unlink (path), ==, 0);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int   argc,
      char *argv[])
{
  g_autofree char *runtime = g_dir_make_tmp ("holdall-portal-XXXXXX", NULL);
  int status;

  /* Before anybody asks for it. */
  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/portal/lone-document", test_lone_document);
  g_test_add_func ("/app/portal/host-path", test_host_path);
  status = g_test_run ();
  remove_below (runtime);
  return status;
}
