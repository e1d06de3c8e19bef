/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The entry in which a name is typed anew: it says what is wrong, and a window that closes answers
 * nothing. */

#include "config.h"

#include <gtk/gtk.h>

#include <glib/gstdio.h>

#include "hold-fake-backend.h"
#include "holdall-name-editor.h"

typedef struct {
  char *dir;
  HoldFake *fake;
  HoldArchive *archive;
  GtkWidget *window;
  GtkWidget *editor;
  GtkEditable *entry;
  guint n_done;
} Fixture;

static void
done_cb (Fixture *self)
{
  self->n_done++;
}

static gboolean
iterate_cb (gpointer user_data)
{
  *(gboolean *) user_data = TRUE;
  return G_SOURCE_REMOVE;
}

/* Until nothing is left to be done. */
static void
iterate (void)
{
  gboolean is_over = FALSE;

  g_idle_add_full (G_PRIORITY_LOW, iterate_cb, &is_over, NULL);
  while (!is_over)
    g_main_context_iteration (NULL, TRUE);
}

static void
fixture_init (Fixture       *self,
              gconstpointer  data)
{
  g_autofree char *path = NULL;

  self->dir = g_dir_make_tmp ("holdall-name-XXXXXX", NULL);
  g_assert_nonnull (self->dir);
  path = g_build_filename (self->dir, "a.zip", NULL);
  self->fake = hold_fake_new (path, "file old.txt\nfile taken.txt\n");
  self->archive = hold_fake_open (self->fake);
  self->editor = holdall_name_editor_new (
    self->archive, hold_tree_lookup (hold_archive_get_tree (self->archive), "old.txt"));
  g_signal_connect_swapped (self->editor, "done", G_CALLBACK (done_cb), self);
  self->entry = GTK_EDITABLE (gtk_widget_get_first_child (self->editor));
  self->window = gtk_window_new ();
  gtk_window_set_child (GTK_WINDOW (self->window), self->editor);
  gtk_window_present (GTK_WINDOW (self->window));
  iterate ();
  holdall_name_editor_start (HOLDALL_NAME_EDITOR (self->editor));
}

static void
fixture_clear (Fixture       *self,
               gconstpointer  data)
{
  if (self->window != NULL)
    gtk_window_destroy (GTK_WINDOW (self->window));
  iterate ();
  g_clear_object (&self->archive);
  hold_fake_free (self->fake);
  g_assert_cmpint (g_rmdir (self->dir), ==, 0);
  g_free (self->dir);
}

/* (nullable) borrowed: the sentence that can be seen */
static const char *
get_problem (Fixture *self)
{
  for (GtkWidget *child = gtk_widget_get_first_child (self->editor); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_POPOVER (child) && gtk_widget_get_visible (child))
      return gtk_label_get_label (GTK_LABEL (gtk_popover_get_child (GTK_POPOVER (child))));
  return NULL;
}

static void
test_says_what_is_wrong (Fixture       *self,
                         gconstpointer  data)
{
  g_assert_null (get_problem (self));
  gtk_editable_set_text (self->entry, "taken.txt");
  g_assert_cmpstr (get_problem (self), ==, "There is something of this name already.");
  g_signal_emit_by_name (self->entry, "activate");
  g_assert_cmpuint (self->n_done, ==, 0);

  gtk_editable_set_text (self->entry, "a/b");
  g_assert_cmpstr (get_problem (self), ==, "A name can’t contain “/”.");

  gtk_editable_set_text (self->entry, "free.txt");
  g_assert_null (get_problem (self));
  g_signal_emit_by_name (self->entry, "activate");
  g_assert_cmpuint (self->n_done, ==, 1);
}

/* The row that would get the focus then, and the archive that would be changed, go with it. */
static void
test_closing_answers_nothing (Fixture       *self,
                              gconstpointer  data)
{
  gtk_editable_set_text (self->entry, GPOINTER_TO_INT (data) != 0 ? "new.txt" : "taken.txt");
  gtk_window_destroy (GTK_WINDOW (self->window));
  self->window = NULL;
  iterate ();
  g_assert_cmpuint (self->n_done, ==, 0);
}

int
main (int   argc,
      char *argv[])
{
  gtk_test_init (&argc, &argv, NULL);
  g_test_add ("/app/name-editor/says-what-is-wrong", Fixture, NULL, fixture_init,
              test_says_what_is_wrong, fixture_clear);
  g_test_add ("/app/name-editor/closing/right", Fixture, GINT_TO_POINTER (1), fixture_init,
              test_closing_answers_nothing, fixture_clear);
  g_test_add ("/app/name-editor/closing/wrong", Fixture, GINT_TO_POINTER (0), fixture_init,
              test_closing_answers_nothing, fixture_clear);
  return g_test_run ();
}
