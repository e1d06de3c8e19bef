/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What is asked of a disk that answers, and of one that does not until the test lets it. */

#include "config.h"

#include <gio/gio.h>
#include <glib/gstdio.h>

#include "holdall-file-ask.h"

typedef GObject SilentFile;
typedef GObjectClass SilentFileClass;

static GMutex lock;
static GCond changed;
static gboolean answers;
static gboolean has_answered;

static GFileInfo *
silent_file_query_info (GFile               *file,
                        const char          *attributes,
                        GFileQueryInfoFlags  flags,
                        GCancellable        *cancellable,
                        GError             **error)
{
  g_mutex_lock (&lock);
  while (!answers)
    g_cond_wait (&changed, &lock);
  has_answered = TRUE;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "nothing");
  return NULL;
}

static void
silent_file_iface_init (GFileIface *iface)
{
  iface->query_info = silent_file_query_info;
}

static GType silent_file_get_type (void);
G_DEFINE_TYPE_WITH_CODE (SilentFile, silent_file, G_TYPE_OBJECT,
                         G_IMPLEMENT_INTERFACE (G_TYPE_FILE, silent_file_iface_init))

static void
silent_file_class_init (SilentFileClass *klass)
{
}

static void
silent_file_init (SilentFile *self)
{
}

static void
keep_result_cb (GObject      *object,
                GAsyncResult *result,
                gpointer      user_data)
{
  *(GAsyncResult **) user_data = g_object_ref (result);
}

/* (transfer full) */
static GAsyncResult *
ask (GPtrArray *files)
{
  GAsyncResult *result = NULL;

  holdall_file_ask_async (files, keep_result_cb, &result);
  while (result == NULL)
    g_main_context_iteration (NULL, TRUE);
  return result;
}

static void
test_kinds (void)
{
  g_autofree char *folder = g_dir_make_tmp ("holdall-ask-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "file", NULL);
  g_autofree char *nothing = g_build_filename (folder, "nothing", NULL);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  guint n_found, n_folders;

  g_assert_true (g_file_set_contents (file, "x", 1, NULL));
  g_ptr_array_add (files, g_file_new_for_path (folder));
  g_ptr_array_add (files, g_file_new_for_path (file));
  g_ptr_array_add (files, g_file_new_for_path (nothing));
  /* Nothing here reaches it, and nothing waits for it. */
  g_ptr_array_add (files, g_file_new_for_uri ("no-such-scheme://host/folder"));
  result = ask (files);
  g_assert_true (holdall_file_ask_finish (result, &n_found, &n_folders, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (n_found, ==, 2);
  g_assert_cmpuint (n_folders, ==, 1);
  g_assert_cmpint (g_unlink (file), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_no_answer (void)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;

  g_ptr_array_add (files, g_object_new (silent_file_get_type (), NULL));
  /* The main loop runs meanwhile, or this never ended. */
  result = ask (files);
  g_assert_false (holdall_file_ask_finish (result, NULL, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);

  /* The disk is back; the thread is through with what nobody waits for. */
  g_mutex_lock (&lock);
  g_assert_false (has_answered);
  answers = TRUE;
  g_cond_broadcast (&changed);
  while (!has_answered)
    g_cond_wait (&changed, &lock);
  g_mutex_unlock (&lock);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/file-ask/kinds", test_kinds);
  g_test_add_func ("/app/file-ask/no-answer", test_no_answer);
  return g_test_run ();
}
