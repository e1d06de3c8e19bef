/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Edits as people make them, and the steps that become of them. */

#include <string.h>
#include <time.h>

#include "hold-plan.h"
#include "model.h"

static const ModelItem items[] = {
  { "docs/", MODEL_UTF8, 0, NULL },
  { "docs/a.txt", MODEL_UTF8, 10, NULL },
  { "docs/sub/b.txt", MODEL_UTF8, 20, NULL },
  { "docsx.txt", MODEL_UTF8, 30, NULL },
  { "twice", MODEL_UTF8, 1, NULL },
  { "twice", MODEL_UTF8, 2, NULL },
  { NULL },
};

static HoldPlan *
plan_new (void)
{
  g_autoptr (HoldArchive) archive = model_archive (NULL, items);

  return hold_plan_new (archive);
}

static HoldPlanSource *
file_source (void)
{
  HoldPlanSource *source = g_new0 (HoldPlanSource, 1);

  source->type = HOLD_ENTRY_FILE;
  source->disk_path = g_strdup ("/somewhere");
  source->size_bytes = 7;
  return source;
}

/* "K0 R3:new A:x" …: kind, index, path where it tells something. */
static void
assert_steps (HoldPlan   *plan,
              const char *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n_steps;
  const HoldPlanStep *steps = hold_plan_get_steps (plan, &n_steps);

  for (guint i = 0; i < n_steps; i++)
    {
      if (i > 0)
        g_string_append_c (text, ' ');
      switch (steps[i].kind)
        {
        case HOLD_STEP_KEEP:
          g_string_append_printf (text, "K%u", steps[i].index);
          break;
        case HOLD_STEP_RENAME:
          g_string_append_printf (text, "R%u:%s", steps[i].index, steps[i].path);
          break;
        case HOLD_STEP_REPLACE:
          g_string_append_printf (text, "P%u:%s", steps[i].index, steps[i].path);
          break;
        case HOLD_STEP_ADD:
        default:
          g_string_append_printf (text, "A:%s", steps[i].path);
          break;
        }
    }

  g_assert_cmpstr (text->str, ==, expected);
}

static void
test_unchanged (void)
{
  g_autoptr (HoldPlan) plan = plan_new ();

  g_assert_true (hold_plan_is_unchanged (plan));
  assert_steps (plan, "K0 K1 K2 K3 K4 K5");
}

/* W13, and a name that only begins alike stays. */
static void
test_drop_folder (void)
{
  g_autoptr (HoldPlan) plan = plan_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (hold_plan_drop (plan, "docs", &error));
  assert_steps (plan, "K3 K4 K5");
  g_assert_false (hold_plan_has (plan, "docs", NULL));
  g_assert_false (hold_plan_drop (plan, "docs", &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
}

static void
test_drop_implied_folder (void)
{
  g_autoptr (HoldPlan) plan = plan_new ();

  g_assert_true (hold_plan_drop (plan, "docs/sub", NULL));
  assert_steps (plan, "K0 K1 K3 K4 K5");
}

/* Z10: of two entries of one name each can be taken alone. */
static void
test_drop_one_of_two (void)
{
  g_autoptr (HoldPlan) plan = plan_new ();

  hold_plan_drop_index (plan, 4);
  hold_plan_drop_index (plan, 4);
  assert_steps (plan, "K0 K1 K2 K3 K5");
  g_assert_true (hold_plan_has (plan, "twice", NULL));
}

static void
test_rename_folder (void)
{
  g_autoptr (HoldPlan) plan = plan_new ();

  g_assert_true (hold_plan_rename (plan, "docs", "texts/old", NULL));
  assert_steps (plan, "R0:texts/old R1:texts/old/a.txt R2:texts/old/sub/b.txt K3 K4 K5");
}

static void
test_rename_refused (void)
{
  g_autoptr (HoldPlan) plan = plan_new ();
  const struct
  {
    const char *from;
    const char *to;
    int code;
  } cases[] = {
    { "nothing", "x", G_IO_ERROR_NOT_FOUND },
    { "docs", "docs/sub/in", G_IO_ERROR_WOULD_RECURSE },
    { "docs/a.txt", "docsx.txt", G_IO_ERROR_EXISTS },
    { "docs/a.txt", "docs/sub", G_IO_ERROR_EXISTS },
    { "docs/a.txt", "docsx.txt/a", G_IO_ERROR_NOT_DIRECTORY },
    { "docs/a.txt", "../a", G_IO_ERROR_INVALID_FILENAME },
    { "docs/a.txt", "/a", G_IO_ERROR_INVALID_FILENAME },
    { "docs/a.txt", "a//b", G_IO_ERROR_INVALID_FILENAME },
    { "docs/a.txt", "", G_IO_ERROR_INVALID_FILENAME },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (hold_plan_rename (plan, cases[i].from, cases[i].to, &error));
      g_assert_error (error, G_IO_ERROR, cases[i].code);
    }
  g_assert_true (hold_plan_is_unchanged (plan));
}

/* Each edit sees the result of those before: two names can be swapped. */
static void
test_edits_in_a_row (void)
{
  g_autoptr (HoldPlan) plan = plan_new ();

  g_assert_true (hold_plan_rename (plan, "docs/a.txt", "tmp", NULL));
  g_assert_true (hold_plan_rename (plan, "docsx.txt", "docs/a.txt", NULL));
  g_assert_true (hold_plan_rename (plan, "tmp", "docsx.txt", NULL));
  assert_steps (plan, "K0 R1:docsx.txt K2 R3:docs/a.txt K4 K5");
}

static void
test_add (void)
{
  g_autoptr (HoldPlan) plan = plan_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (hold_plan_add (plan, "docs/new.txt", file_source (), FALSE, NULL));
  g_assert_true (hold_plan_add (plan, "made/up/x", file_source (), FALSE, NULL));
  assert_steps (plan, "K0 K1 K2 K3 K4 K5 A:docs/new.txt A:made/up/x");

  g_assert_false (hold_plan_add (plan, "docs/a.txt", file_source (), FALSE, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS);
  g_clear_error (&error);
  g_assert_false (hold_plan_add (plan, "docs", file_source (), TRUE, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY);
  g_clear_error (&error);
  g_assert_false (hold_plan_add (plan, "docsx.txt", hold_plan_source_new_folder (), TRUE, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_DIRECTORY);
  g_clear_error (&error);
  g_assert_false (hold_plan_add (plan, "docs/a.txt/x", file_source (), TRUE, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_DIRECTORY);
}

/* W02: a folder that is there is entered, not replaced. */
static void
test_folders_merge (void)
{
  g_autoptr (HoldPlan) plan = plan_new ();

  g_assert_true (hold_plan_add (plan, "docs", hold_plan_source_new_folder (), TRUE, NULL));
  g_assert_true (hold_plan_add (plan, "docs/sub", hold_plan_source_new_folder (), TRUE, NULL));
  g_assert_true (hold_plan_is_unchanged (plan));
}

/* The order stays, and all entries of that name give way to the one. */
static void
test_replace (void)
{
  g_autoptr (HoldPlan) plan = plan_new ();

  g_assert_true (hold_plan_add (plan, "twice", file_source (), TRUE, NULL));
  assert_steps (plan, "K0 K1 K2 K3 P4:twice");
  g_assert_true (hold_plan_add (plan, "twice", file_source (), TRUE, NULL));
  assert_steps (plan, "K0 K1 K2 K3 P4:twice");
  g_assert_true (hold_plan_drop (plan, "twice", NULL));
  assert_steps (plan, "K0 K1 K2 K3");
}

static void
test_free_path (void)
{
  g_autoptr (HoldPlan) plan = plan_new ();
  g_autofree char *first = hold_plan_free_path (plan, "docs/a.txt");
  g_autofree char *free_already = hold_plan_free_path (plan, "docs/z");
  g_autofree char *second = NULL;

  g_assert_cmpstr (first, ==, "docs/a (2).txt");
  g_assert_cmpstr (free_already, ==, "docs/z");
  g_assert_true (hold_plan_add (plan, first, file_source (), FALSE, NULL));
  second = hold_plan_free_path (plan, "docs/a.txt");
  g_assert_cmpstr (second, ==, "docs/a (3).txt");
}

static void
test_cost (void)
{
  g_autoptr (HoldPlan) plan = plan_new ();
  HoldPlanCost cost;

  g_assert_true (hold_plan_drop (plan, "docs", NULL));
  g_assert_true (hold_plan_add (plan, "new", file_source (), FALSE, NULL));
  hold_plan_get_cost (plan, &cost);
  g_assert_cmpuint (cost.n_dropped, ==, 3);
  g_assert_cmpuint (cost.n_kept, ==, 3);
  g_assert_cmpuint (cost.n_added, ==, 1);
  g_assert_cmpuint (cost.write_bytes, ==, 30 + 1 + 2 + 7);
}

/* What a plan means, in the plainest way: paths in a row, and every edit a pass over all of them. */
static gboolean
is_meant (const char *path,
          const char *root)
{
  return g_str_has_prefix (path, root) && strchr ("/", path[strlen (root)]) != NULL;
}

static void
edit_plainly (GPtrArray  *paths,
              const char *root,
              const char *new_root)
{
  for (guint i = 0; i < paths->len; i++)
    {
      g_autofree char *path = g_strdup (g_ptr_array_index (paths, i));

      if (!is_meant (path, root))
        continue;
      if (new_root == NULL)
        {
          g_ptr_array_remove_index (paths, i--);
          continue;
        }
      g_free (g_ptr_array_index (paths, i));
      g_ptr_array_index (paths, i) = g_strconcat (new_root, path + strlen (root), NULL);
    }
}

static char *
random_path (void)
{
  GString *path = g_string_new (NULL);

  for (int parts = g_test_rand_int_range (1, 4); parts > 0; parts--)
    g_string_append_printf (path, "%s%c", path->len > 0 ? "/" : "", g_test_rand_int_range ('a', 'e'));
  return g_string_free (path, FALSE);
}

/* Thousands of edits of one plan, each compared with the plainest way. */
static void
test_random_edits (void)
{
  g_autoptr (HoldPlan) plan = plan_new ();
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; items[i].name != NULL; i++)
    g_ptr_array_add (paths, g_strndup (items[i].name, strlen (items[i].name) -
                                                      g_str_has_suffix (items[i].name, "/")));
  for (guint turn = 0; turn < 4000; turn++)
    {
      g_autofree char *path = random_path ();
      g_autofree char *other = random_path ();
      gboolean is_folder;
      const HoldPlanStep *steps;
      guint n_steps;

      switch (g_test_rand_int_range (0, 5))
        {
        case 0:
          if (hold_plan_drop (plan, path, NULL))
            edit_plainly (paths, path, NULL);
          break;
        case 1:
          if (hold_plan_rename (plan, path, other, NULL))
            edit_plainly (paths, path, other);
          break;
        case 2:
          if (!hold_plan_has (plan, path, NULL) &&
              hold_plan_add (plan, path, hold_plan_source_new_folder (), FALSE, NULL))
            g_ptr_array_add (paths, g_strdup (path));
          break;
        default:
          if (hold_plan_add (plan, path, file_source (), TRUE, NULL) &&
              !g_ptr_array_find_with_equal_func (paths, path, g_str_equal, NULL))
            g_ptr_array_add (paths, g_strdup (path));
          break;
        }

      steps = hold_plan_get_steps (plan, &n_steps);
      g_assert_cmpuint (n_steps, ==, paths->len);
      for (guint i = 0; i < n_steps; i++)
        {
          g_assert_cmpstr (steps[i].path, ==, g_ptr_array_index (paths, i));
          g_assert_true (hold_plan_has (plan, steps[i].path, &is_folder));
        }
    }
}

/* Edits cost what they touch: thousands are no thousands of passes. Against the one pass in which
 * the plan learns the names, on the processor's clock. */
static void
test_many_edits (void)
{
  g_autoptr (HoldArchiveBuilder) builder = model_builder_new (NULL, NULL);
  g_autoptr (HoldArchive) archive = NULL;
  g_autoptr (HoldPlan) plan = NULL;
  const guint n_entries = 20000;
  clock_t begin, pass, edits;
  guint n_steps;

  for (guint i = 0; i < n_entries; i++)
    {
      g_autofree char *name = g_strdup_printf ("d%u/f%u", i % 100, i);

      model_add (builder, &(ModelItem) { name, MODEL_UTF8, 1, NULL });
    }
  archive = model_finish (builder);

  begin = clock ();
  plan = hold_plan_new (archive);
  g_assert_true (hold_plan_has (plan, "d0", NULL));
  pass = clock () - begin;

  begin = clock ();
  for (guint i = 0; i < n_entries / 2; i++)
    {
      g_autofree char *name = g_strdup_printf ("d%u/f%u", i % 100, i);
      g_autofree char *new_name = g_strconcat (name, ".new", NULL);

      g_assert_true (i % 2 == 0 ? hold_plan_drop (plan, name, NULL)
                                : hold_plan_rename (plan, name, new_name, NULL));
    }
  edits = clock () - begin;

  hold_plan_get_steps (plan, &n_steps);
  g_assert_cmpuint (n_steps, ==, n_entries - n_entries / 4);
  g_test_message ("one pass %ld, edits %ld", (long) pass, (long) edits);
  g_assert_cmpint (edits, <, 25 * pass);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/plan/unchanged", test_unchanged);
  g_test_add_func ("/plan/drop-folder", test_drop_folder);
  g_test_add_func ("/plan/drop-implied-folder", test_drop_implied_folder);
  g_test_add_func ("/plan/drop-one-of-two", test_drop_one_of_two);
  g_test_add_func ("/plan/rename-folder", test_rename_folder);
  g_test_add_func ("/plan/rename-refused", test_rename_refused);
  g_test_add_func ("/plan/edits-in-a-row", test_edits_in_a_row);
  g_test_add_func ("/plan/add", test_add);
  g_test_add_func ("/plan/folders-merge", test_folders_merge);
  g_test_add_func ("/plan/replace", test_replace);
  g_test_add_func ("/plan/free-path", test_free_path);
  g_test_add_func ("/plan/cost", test_cost);
  g_test_add_func ("/plan/random-edits", test_random_edits);
  g_test_add_func ("/plan/many-edits", test_many_edits);

  return g_test_run ();
}
