/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The rows of the browser: which ones, in what order, and that many of them do not hold up the
 * main loop. */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "hold-fake-backend.h"
#include "holdall-entry-model.h"
#include "holdall-selection.h"

typedef struct {
  char *dir;
  HoldFake *fake;
  HoldArchive *archive;
  HoldNode *root;
} Fixture;

static void
fixture_init (Fixture    *self,
              const char *text)
{
  g_autofree char *path = NULL;

  self->dir = g_dir_make_tmp ("holdall-model-XXXXXX", NULL);
  g_assert_nonnull (self->dir);
  path = g_build_filename (self->dir, "a.zip", NULL);
  self->fake = hold_fake_new (path, text);
  self->archive = hold_fake_open (self->fake);
  self->root = hold_tree_get_root (hold_archive_get_tree (self->archive));
}

static void
fixture_clear (Fixture *self)
{
  g_assert_finalize_object (self->archive);
  hold_fake_free (self->fake);
  g_assert_cmpint (g_rmdir (self->dir), ==, 0);
  g_free (self->dir);
}

static char *
join_names (HoldallEntryRows *rows)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < holdall_entry_rows_get_n_rows (rows); i++)
    g_string_append_printf (names, "%s%s", i > 0 ? "|" : "",
                            hold_node_get_name (holdall_entry_rows_get_node (rows, i)));
  return g_string_free (names, FALSE);
}

static void
assert_order (Fixture         *fixture,
              HoldallColumnId  column,
              gboolean         descending,
              gboolean         folders_first,
              const char      *expected)
{
  HoldallOrder order = { column, descending, folders_first };
  g_autoptr (HoldallEntryRows) rows =
    holdall_entry_rows_new (fixture->archive, fixture->root, NULL, &order, NULL, NULL);
  g_autofree char *names = join_names (rows);

  g_assert_cmpstr (names, ==, expected);
}

static void
test_order (void)
{
  Fixture fixture;

  fixture_init (&fixture,
                "archive\n"
                "file a10.txt size=5 mtime=30\n"
                "file a2.txt size=700 mtime=-5\n"
                "file B.png size=700 mtime=20\n"
                "file c.txt nosize\n"
                "folder z1\n"
                "file y/inner size=9000\n");

  assert_order (&fixture, HOLDALL_COLUMN_NAME, FALSE, TRUE, "y|z1|a2.txt|a10.txt|B.png|c.txt");
  /* Folders stay in front, whichever way the rest runs. */
  assert_order (&fixture, HOLDALL_COLUMN_NAME, TRUE, TRUE, "z1|y|c.txt|B.png|a10.txt|a2.txt");
  assert_order (&fixture, HOLDALL_COLUMN_NAME, FALSE, FALSE, "a2.txt|a10.txt|B.png|c.txt|y|z1");
  /* Equal sizes stand in the order of their names both ways; a folder counts with all in it. */
  assert_order (&fixture, HOLDALL_COLUMN_SIZE, FALSE, FALSE, "c.txt|z1|a10.txt|a2.txt|B.png|y");
  assert_order (&fixture, HOLDALL_COLUMN_SIZE, TRUE, FALSE, "y|a2.txt|B.png|a10.txt|c.txt|z1");
  /* Before 1970 is before; no time at all is before everything. */
  assert_order (&fixture, HOLDALL_COLUMN_MODIFIED, FALSE, TRUE, "y|z1|c.txt|a2.txt|B.png|a10.txt");
  assert_order (&fixture, HOLDALL_COLUMN_POSITION, FALSE, FALSE, "y|a10.txt|a2.txt|B.png|c.txt|z1");
  fixture_clear (&fixture);
}

static void
assert_found (Fixture    *fixture,
              const char *text,
              gboolean    is_glob,
              gboolean    case_sensitive,
              const char *expected)
{
  HoldallOrder order = { HOLDALL_COLUMN_NAME, FALSE, TRUE };
  HoldallQuery query = { (char *) text, is_glob, case_sensitive };
  g_autoptr (HoldallEntryRows) rows =
    holdall_entry_rows_new (fixture->archive, NULL, &query, &order, NULL, NULL);
  g_autofree char *names = join_names (rows);

  g_assert_cmpstr (names, ==, expected);
}

static void
test_search (void)
{
  Fixture fixture;

  fixture_init (&fixture,
                "archive\n"
                "file Notes.TXT\n"
                "file deep/er/notes.md\n"
                "file deep/x.txt\n"
                "file 'deep/[1].txt'\n"
                /* "é" as one letter and as two: looks the same, is found the same. */
                "file caf\xc3\xa9.txt\n"
                "file cafe\xcc\x81.md\n");

  assert_found (&fixture, "notes", FALSE, FALSE, "notes.md|Notes.TXT");
  assert_found (&fixture, "notes", FALSE, TRUE, "notes.md");
  assert_found (&fixture, "*.txt", TRUE, FALSE, "[1].txt|caf\xc3\xa9.txt|Notes.TXT|x.txt");
  assert_found (&fixture, "*.txt", FALSE, FALSE, "");
  /* A glob without wildcards is a part of a name like any other. */
  assert_found (&fixture, "[1]", TRUE, FALSE, "[1].txt");
  assert_found (&fixture, "caf\xc3\x89", FALSE, FALSE, "cafe\xcc\x81.md|caf\xc3\xa9.txt");
  /* A folder is found too, and a slash asks for the path. */
  assert_found (&fixture, "deep", FALSE, FALSE, "deep");
  assert_found (&fixture, "deep/e", FALSE, FALSE, "er|notes.md");
  fixture_clear (&fixture);
}

static void
count_cb (HoldallEntryModel *model,
          guint             *n_settled)
{
  (*n_settled)++;
}

static void
test_many (void)
{
  enum { N_FILES = 20000 };
  g_autoptr (GString) text = g_string_new ("archive\n");
  HoldallOrder by_size = { HOLDALL_COLUMN_SIZE, TRUE, TRUE };
  HoldallEntryModel *model = holdall_entry_model_new ();
  HoldallEntryItem *item;
  HoldallEntryItem *again;
  Fixture fixture;
  guint n_settled = 0;

  for (guint i = 0; i < N_FILES; i++)
    g_string_append_printf (text, "file f%u size=%u\n", i, i);
  fixture_init (&fixture, text->str);
  g_signal_connect (model, "settled", G_CALLBACK (count_cb), &n_settled);

  /* The old rows stay until the new ones are made elsewhere; a change that is overtaken is never
   * seen. */
  holdall_entry_model_show (model, fixture.archive, fixture.root, NULL);
  holdall_entry_model_set_order (model, &by_size);
  g_assert_true (holdall_entry_model_is_busy (model));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (model)), ==, 0);
  while (holdall_entry_model_is_busy (model))
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (n_settled, ==, 1);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (model)), ==, N_FILES);
  g_assert_cmpstr (hold_node_get_name (holdall_entry_model_get_node (model, 0)), ==, "f19999");

  /* One row is one object as long as somebody holds it, wherever it stands. */
  item = g_list_model_get_item (G_LIST_MODEL (model), 7);
  again = g_list_model_get_item (G_LIST_MODEL (model), 7);
  g_assert_true (item == again);
  g_object_unref (again);
  by_size.descending = FALSE;
  holdall_entry_model_set_order (model, &by_size);
  while (holdall_entry_model_is_busy (model))
    g_main_context_iteration (NULL, TRUE);
  again = g_list_model_get_item (G_LIST_MODEL (model), N_FILES - 1 - 7);
  g_assert_true (item == again);
  g_object_unref (again);
  g_assert_finalize_object (item);
  g_assert_null (g_list_model_get_item (G_LIST_MODEL (model), N_FILES));

  /* Dropped while a worker is at it. */
  by_size.descending = TRUE;
  holdall_entry_model_set_order (model, &by_size);
  holdall_entry_model_show (model, NULL, NULL, NULL);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (model)), ==, 0);
  while (g_atomic_int_get (&G_OBJECT (fixture.archive)->ref_count) > 1)
    {
      if (!g_main_context_iteration (NULL, FALSE))
        g_usleep (1000);
    }
  g_assert_finalize_object (model);
  fixture_clear (&fixture);
}

static void
selection_changed_cb (GtkSelectionModel *selection,
                      guint              position,
                      guint              n_items,
                      guint             *range)
{
  range[0] = position;
  range[1] = n_items;
}

/* Says exactly what changed, and holds on to no row that is gone. */
static void
test_selection (void)
{
  GtkStringList *list = gtk_string_list_new (NULL);
  HoldallSelection *selection = holdall_selection_new (G_LIST_MODEL (list));
  GtkSelectionModel *model = GTK_SELECTION_MODEL (selection);
  const char *many[101] = { NULL, };
  guint range[2] = { 0, 0 };
  GtkBitset *old;

  for (guint i = 0; i < G_N_ELEMENTS (many) - 1; i++)
    many[i] = "row";
  g_signal_connect (selection, "selection-changed", G_CALLBACK (selection_changed_cb), range);
  gtk_selection_model_select_all (model);
  g_assert_cmpuint (range[1], ==, 0);
  gtk_string_list_splice (list, 0, 0, many);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (selection)), ==, 100);

  gtk_selection_model_select_item (model, 7, TRUE);
  g_assert_cmpuint (range[0], ==, 7);
  g_assert_cmpuint (range[1], ==, 1);
  gtk_selection_model_select_range (model, 90, 10, FALSE);
  g_assert_true (gtk_selection_model_is_selected (model, 7));
  old = gtk_selection_model_get_selection (model);
  g_assert_cmpuint (gtk_bitset_get_size (old), ==, 11);
  gtk_selection_model_select_item (model, 8, TRUE);
  g_assert_cmpuint (range[0], ==, 7);
  g_assert_cmpuint (range[1], ==, 93);
  /* The set that was given away does not change in its owner's hands. */
  g_assert_cmpuint (gtk_bitset_get_size (old), ==, 11);
  gtk_bitset_unref (old);
  gtk_selection_model_unselect_item (model, 8);
  gtk_selection_model_select_all (model);
  gtk_selection_model_unselect_range (model, 0, 99);
  g_assert_true (gtk_selection_model_is_selected (model, 99));
  /* Nothing lies beyond the last row. */
  g_assert_false (gtk_selection_model_is_selected (model, 100));

  gtk_string_list_splice (list, 0, 100, many);
  old = gtk_selection_model_get_selection (model);
  g_assert_true (gtk_bitset_is_empty (old));
  gtk_bitset_unref (old);
  g_assert_finalize_object (selection);
  g_assert_finalize_object (list);
}

static void
test_type_info (void)
{
  const HoldallTypeInfo *text = holdall_type_info_for_name ("a.txt");

  /* One look-up per suffix, whatever the name; a name that is all suffix is a name. */
  g_assert_true (holdall_type_info_for_name ("b.txt") == text);
  g_assert_true (holdall_type_info_for_name ("c.png") != text);
  g_assert_nonnull (holdall_type_info_for_name (".hidden")->icon);
  g_assert_nonnull (holdall_type_info_for_name ("")->icon);
  /* More suffixes than the table holds. */
  for (guint i = 0; i < 10000; i++)
    {
      g_autofree char *name = g_strdup_printf ("x.s%u", i);

      g_assert_nonnull (holdall_type_info_for_name (name)->description);
    }
  g_assert_true (holdall_type_info_for_name ("d.txt") == text);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/model/order", test_order);
  g_test_add_func ("/app/model/search", test_search);
  g_test_add_func ("/app/model/many", test_many);
  g_test_add_func ("/app/model/selection", test_selection);
  g_test_add_func ("/app/model/type-info", test_type_info);
  return g_test_run ();
}
