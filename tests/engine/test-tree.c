/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Folders that nobody stored, names that stand twice, files where folders must be (Z10, Z13, Z14),
 * and trees of hostile shapes. */

#include "model.h"

#include <string.h>

static HoldNode *
look_up (HoldArchive *archive, const char *path)
{
  return hold_tree_lookup (hold_archive_get_tree (archive), path);
}

/* The names of the children, joined, in their order. */
static char *
list (HoldNode *node)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < hold_node_get_n_children (node); i++)
    g_ptr_array_add (names, (gpointer) hold_node_get_name (hold_node_get_child (node, i)));
  g_ptr_array_add (names, NULL);
  return g_strjoinv (" ", (char **) names->pdata);
}

static void
assert_children (HoldArchive *archive, const char *path, const char *expected)
{
  HoldNode *node = look_up (archive, path);

  g_assert_nonnull (node);
  g_autofree char *names = list (node);
  g_assert_cmpstr (names, ==, expected);
}

static void
assert_collected (HoldArchive *archive, const char *const *paths, const char *expected)
{
  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GString) text = g_string_new (NULL);

  g_assert_null (hold_tree_collect (hold_archive_get_tree (archive), paths, indices));
  for (guint i = 0; i < indices->len; i++)
    g_string_append_printf (text, "%s%u", i > 0 ? " " : "", g_array_index (indices, guint, i));
  g_assert_cmpstr (text->str, ==, expected);
}

#define PATHS(...) ((const char *const[]) { __VA_ARGS__, NULL })

/* Z14: a folder without an entry is as good as one with. */
static void
test_implied (void)
{
  const ModelItem items[] = { { "b/c/d.txt", 0, 10 }, { "a.txt", 0, 1 }, { "b/e.txt", 0, 5 },
                              { "b/", 0, -1 }, { "b/c/", 0, 0 }, { NULL } };
  g_autoptr (HoldArchive) archive = model_archive (NULL, items);
  HoldNode *b = look_up (archive, "b/");
  HoldNode *c = look_up (archive, "b/c");

  assert_children (archive, "", "b a.txt");
  assert_children (archive, "b", "c e.txt");
  g_assert_true (hold_node_is_folder (b));
  g_assert_cmpuint (hold_entry_get_index (hold_node_get_entry (b)), ==, 3);
  g_assert_true (hold_node_get_parent (c) == b);
  g_assert_cmpuint (hold_node_get_size (b), ==, 15);
  g_assert_cmpuint (hold_node_get_packed_size (b), ==, 7);
  g_assert_cmpuint (hold_node_get_n_below (b), ==, 3);
  g_assert_cmpuint (hold_node_get_n_below (hold_tree_get_root (hold_archive_get_tree (archive))),
                    ==, 5);
  assert_collected (archive, PATHS ("b/c"), "0 4");
  assert_collected (archive, PATHS ("a.txt", "b"), "0 1 2 3 4");
  g_assert_null (look_up (archive, "b/x"));
  g_assert_null (look_up (archive, "a.txt/x"));
  g_assert_null (look_up (archive, "b/c/d.txt/"
                                   "x"));
}

static void
test_implied_only (void)
{
  const ModelItem items[] = { { "a/b/c/d", 0, 1 }, { NULL } };
  g_autoptr (HoldArchive) archive = model_archive (NULL, items);
  HoldNode *c = look_up (archive, "a/b/c");

  g_assert_null (hold_node_get_entry (c));
  g_autofree char *path = hold_node_dup_path (c);
  g_assert_cmpstr (path, ==, "a/b/c");
  g_autofree char *root = hold_node_dup_path (look_up (archive, ""));
  g_assert_cmpstr (root, ==, "");
  assert_collected (archive, PATHS ("a/b"), "0");
}

/* Z10: both stay. A folder stored twice is one folder. */
static void
test_duplicates (void)
{
  const ModelItem items[] = { { "a.txt", 0, 1 }, { "d/", 0, 0 }, { "a.txt", 0, 2 },
                              { "d/x", 0, 4 },   { "d/", 0, 0 }, { "a.txt", 0, 8 }, { NULL } };
  g_autoptr (HoldArchive) archive = model_archive (NULL, items);
  HoldTree *tree = hold_archive_get_tree (archive);

  assert_children (archive, "", "a.txt d a.txt a.txt");
  g_assert_cmpuint (hold_entry_get_index (hold_node_get_entry (look_up (archive, "a.txt"))), ==, 0);
  assert_collected (archive, PATHS ("a.txt"), "0 2 5");
  assert_collected (archive, PATHS ("d"), "1 3 4");
  g_assert_true (hold_tree_get_node (tree, 1) == hold_tree_get_node (tree, 4));
  g_assert_cmpuint (hold_node_get_n_below (hold_tree_get_root (tree)), ==, 5);

  /* One row of three is one entry. */
  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (guint));
  hold_node_collect (hold_tree_get_node (tree, 2), indices);
  hold_node_collect (hold_tree_get_node (tree, 0), indices);
  hold_node_collect (hold_tree_get_node (tree, 2), indices);
  g_assert_cmpuint (indices->len, ==, 2);
  g_assert_cmpuint (g_array_index (indices, guint, 0), ==, 0);
  g_assert_cmpuint (g_array_index (indices, guint, 1), ==, 2);
}

/* Z13 and Z25: a file beside a folder of its name. */
static void
test_clash (void)
{
  const ModelItem items[] = { { "Foo/Bar", 0, 3 },
                              { "Foo/Bar/Baz", 0, 4 },
                              { "doc.pdf ", 0, 5 },
                              { "doc.pdf /doc.pdf .cmd", 0, 6 },
                              { NULL } };
  g_autoptr (HoldArchive) archive = model_archive (NULL, items);
  HoldTree *tree = hold_archive_get_tree (archive);

  assert_children (archive, "Foo", "Bar Bar");
  g_assert_true (hold_node_is_folder (look_up (archive, "Foo/Bar")));
  g_assert_false (hold_node_is_folder (hold_tree_get_node (tree, 0)));
  assert_children (archive, "Foo/Bar", "Baz");
  assert_collected (archive, PATHS ("Foo/Bar"), "0 1");

  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (guint));
  hold_node_collect (hold_tree_get_node (tree, 2), indices);
  g_assert_cmpuint (indices->len, ==, 1);
}

/* "./" is the root; "" of a file is a fault that can still be reached. */
static void
test_nameless (void)
{
  const ModelItem items[] = { { "./", 0, 0 },  { "./a", 0, 1 }, { "/", 0, 0 },
                              { "", 0, 2 },    { ".", 0, 4 },   { "//b", 0, 8 }, { NULL } };
  g_autoptr (HoldArchive) archive = model_archive (NULL, items);
  HoldTree *tree = hold_archive_get_tree (archive);
  const HoldUnsafe expected[] = { 0, 0, 0, HOLD_UNSAFE_EMPTY, HOLD_UNSAFE_EMPTY,
                                  HOLD_UNSAFE_ABSOLUTE };

  assert_children (archive, ".", "a . . b");
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmphex (hold_entry_get_unsafe (hold_archive_get_entry (archive, i)), ==, expected[i]);
  g_assert_true (hold_tree_get_node (tree, 0) == hold_tree_get_root (tree));
  g_assert_true (hold_tree_get_node (tree, 2) == hold_tree_get_root (tree));
  g_assert_cmpstr (model_path (archive, 0), ==, ".");
  assert_collected (archive, PATHS ("."), "0 1 2 3 4 5");
  g_assert_cmpuint (hold_node_get_size (hold_tree_get_root (tree)), ==, 15);
}

static void
test_dotdot (void)
{
  const ModelItem items[] = { { "../x", 0, 1 }, { "a/../../y", 0, 1 }, { NULL } };
  g_autoptr (HoldArchive) archive = model_archive (NULL, items);

  assert_children (archive, "", ".. a");
  assert_collected (archive, PATHS ("a/../../y"), "1");
}

static void
test_missing (void)
{
  const ModelItem items[] = { { "a", 0, 1 }, { NULL } };
  g_autoptr (HoldArchive) archive = model_archive (NULL, items);
  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (guint));
  const char *const paths[] = { "a", "nope", "nada", NULL };

  g_assert_true (hold_tree_collect (hold_archive_get_tree (archive), paths, indices) == paths[1]);
}

/* Deeper than the limit: flagged, at the top, still named by its path. */
static void
test_deep (void)
{
  HoldLimits limits = hold_limits_default;
  g_autoptr (GString) deep = g_string_new (NULL);

  limits.max_depth = 16;
  for (guint i = 0; i < 15; i++)
    g_string_append (deep, "d/");

  g_autofree char *good = g_strconcat (deep->str, "x", NULL);
  g_autofree char *bad = g_strconcat (deep->str, "d/x", NULL);
  g_autofree char *bad_folder = g_strconcat (deep->str, "d/y/", NULL);
  g_autoptr (HoldArchiveBuilder) builder = model_builder_new (NULL, &limits);
  model_add (builder, &(ModelItem) { good, 0, 1 });
  model_add (builder, &(ModelItem) { bad, 0, 1 });
  model_add (builder, &(ModelItem) { bad_folder, 0, 0 });
  g_autoptr (HoldArchive) archive = model_finish (builder);
  HoldTree *tree = hold_archive_get_tree (archive);
  HoldNode *root = hold_tree_get_root (tree);

  g_assert_cmphex (hold_entry_get_unsafe (hold_archive_get_entry (archive, 0)), ==, 0);
  g_assert_cmphex (hold_entry_get_unsafe (hold_archive_get_entry (archive, 1)), ==,
                   HOLD_UNSAFE_TOO_LONG);
  g_assert_cmpuint (hold_node_get_n_children (root), ==, 3);
  g_assert_null (strchr (hold_node_get_name (hold_tree_get_node (tree, 1)), '/'));
  g_assert_true (hold_tree_lookup (tree, bad) == hold_tree_get_node (tree, 1));
  assert_collected (archive, PATHS (bad), "1");
  g_autofree char *path = hold_node_dup_path (hold_tree_get_node (tree, 1));
  g_assert_cmpstr (path, ==, bad);
  g_assert_cmpuint (hold_report_count (hold_archive_get_report (archive), HOLD_OUTCOME_WARNING),
                    ==, 2);
}

/* Entries whose names alone would imply two million folders. */
static void
test_folder_bomb (void)
{
  g_autoptr (HoldArchiveBuilder) builder = model_builder_new (NULL, NULL);

  for (guint i = 0; i < 5000; i++)
    {
      g_autoptr (GString) path = g_string_new (NULL);

      g_string_append_printf (path, "%u", i);
      for (guint j = 0; j < 400; j++)
        g_string_append (path, "/a");
      model_add (builder, &(ModelItem) { path->str, 0, 1 });
    }
  g_autoptr (HoldArchive) archive = model_finish (builder);
  HoldNode *root = hold_tree_get_root (hold_archive_get_tree (archive));

  g_assert_cmpuint (hold_node_get_n_below (root), ==, 5000);
  g_assert_cmpuint (hold_node_get_size (root), ==, 5000);
}

/* One folder of many, and many copies of one name: nothing may become quadratic. The bound is many
 * times what a slow machine with sanitizers needs; quadratic would be minutes. */
static void
test_wide (void)
{
  gint64 start = g_get_monotonic_time ();

  for (guint round = 0; round < 2; round++)
    {
      g_autoptr (HoldArchiveBuilder) builder = model_builder_new (NULL, NULL);
      g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);

      for (guint i = 0; i < 100000; i++)
        {
          char *path = round == 0 ? g_strdup_printf ("one/folder/file-%u.txt", i)
                                  : g_strdup ("one/folder/file.txt");
          model_add (builder, &(ModelItem) { path, 0, 1 });
          if (round == 0 && i % 5 == 0)
            g_ptr_array_add (paths, path);
          else
            g_free (path);
        }
      g_ptr_array_add (paths, NULL);
      g_autoptr (HoldArchive) archive = model_finish (builder);
      HoldTree *tree = hold_archive_get_tree (archive);
      g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (guint));

      g_assert_cmpuint (hold_node_get_n_children (hold_tree_lookup (tree, "one/folder")), ==, 100000);
      g_assert_null (hold_tree_collect (tree, (const char *const *) paths->pdata, indices));
      if (round == 0)
        g_assert_cmpuint (indices->len, ==, 20000);

      /* As a view does it: row by row, in an order that is not the archive's. */
      g_array_set_size (indices, 0);
      for (guint i = 0; i < 20000; i++)
        hold_node_collect (hold_tree_get_node (tree, i * 7919 % 100000), indices);
      g_assert_cmpuint (indices->len, ==, 20000);
      for (guint i = 1; i < indices->len; i++)
        g_assert_cmpuint (g_array_index (indices, guint, i - 1), <, g_array_index (indices, guint, i));
    }
  g_assert_cmpint (g_get_monotonic_time () - start, <, 60 * G_USEC_PER_SEC);
}

/* Random small trees against a plain list of paths. */
static void
test_random (void)
{
  for (guint round = 0; round < 200; round++)
    {
      g_autoptr (GRand) random = g_rand_new_with_seed (round);
      g_autoptr (HoldArchiveBuilder) builder = model_builder_new (NULL, NULL);
      guint n = (guint) g_rand_int_range (random, 0, 60);

      for (guint i = 0; i < n; i++)
        {
          g_autoptr (GString) path = g_string_new (NULL);
          int depth = g_rand_int_range (random, 1, 5);

          for (int j = 0; j < depth; j++)
            g_string_append_printf (path, "%s%c", j > 0 ? "/" : "",
                                    g_rand_int_range (random, 'a', 'd'));
          if (g_rand_boolean (random))
            g_string_append_c (path, '/');
          model_add (builder, &(ModelItem) { path->str, 0, 1 });
        }

      g_autoptr (HoldArchive) archive = model_finish (builder);
      HoldTree *tree = hold_archive_get_tree (archive);
      for (guint i = 0; i < n; i++)
        {
          const char *path = model_path (archive, i);
          g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (guint));
          g_autofree char *prefix = g_strconcat (path, "/", NULL);
          g_autofree char *node_path = hold_node_dup_path (hold_tree_get_node (tree, i));
          guint n_expected = 0;

          g_assert_cmpstr (node_path, ==, path);
          g_assert_null (hold_tree_collect (tree, PATHS (path), indices));
          for (guint j = 0; j < n; j++)
            {
              if (strcmp (model_path (archive, j), path) != 0 &&
                  !g_str_has_prefix (model_path (archive, j), prefix))
                continue;
              g_assert_cmpuint (n_expected, <, indices->len);
              g_assert_cmpuint (g_array_index (indices, guint, n_expected), ==, j);
              n_expected++;
            }
          g_assert_cmpuint (indices->len, ==, n_expected);
        }
      g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (guint));
      hold_node_collect (hold_tree_get_root (tree), all);
      g_assert_cmpuint (all->len, ==, n);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tree/implied", test_implied);
  g_test_add_func ("/tree/implied-only", test_implied_only);
  g_test_add_func ("/tree/duplicates", test_duplicates);
  g_test_add_func ("/tree/clash", test_clash);
  g_test_add_func ("/tree/nameless", test_nameless);
  g_test_add_func ("/tree/dotdot", test_dotdot);
  g_test_add_func ("/tree/missing", test_missing);
  g_test_add_func ("/tree/deep", test_deep);
  g_test_add_func ("/tree/folder-bomb", test_folder_bomb);
  g_test_add_func ("/tree/wide", test_wide);
  g_test_add_func ("/tree/random", test_random);
  return g_test_run ();
}
