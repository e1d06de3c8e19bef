/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Entries that were picked from several folders, as from the results of a search: under which names
 * they come out. */

#include "test-job-helpers.h"

#define SEVERAL                                                                                    \
  "file one/a.txt size=10\n"                                                                       \
  "file two/a.txt size=20\n"                                                                       \
  "folder two/deep/sub\n"                                                                          \
  "file two/deep/b.txt size=30\n"                                                                  \
  "file c.txt size=40\n"

/* Extracts what lies below @paths, which ends with NULL, and gives the roots. */
static HoldExtractRoots *
extract (JobFixture *f, const char * const *paths, gboolean shelves)
{
  HoldExtractRequest *request = job_fixture_new_request (f);
  HoldExtractRoots *roots = hold_extract_roots_new (paths, shelves);

  request->indices = g_array_new (FALSE, FALSE, sizeof (guint));
  hold_tree_collect (hold_archive_get_tree (f->archive), paths, request->indices);
  request->roots = hold_extract_roots_ref (roots);
  request->conflict = HOLD_CONFLICT_RENAME;
  g_assert_cmpint (job_fixture_extract (f, request, NULL, NULL), ==, HOLD_JOB_DONE);
  return roots;
}

/* D12: without the folders they lie in. */
static void
test_flat (void)
{
  const char *paths[] = { "one/a.txt", "two/deep", "c.txt", NULL };
  JobFixture f;

  job_fixture_set_up (&f, SEVERAL);

  g_autoptr (HoldExtractRoots) roots = extract (&f, paths, TRUE);

  g_assert_false (hold_extract_roots_has_shelves (roots));
  job_fixture_assert_tree (&f, "a.txt c.txt deep/ deep/b.txt deep/sub/");
  job_fixture_assert_entry (&f, "a.txt", "one/a.txt", 10);
  job_fixture_tear_down (&f);
}

static void
test_shelves (void)
{
  const char *paths[] = { "one/a.txt", "two/a.txt", "two/deep", NULL };
  JobFixture f;

  job_fixture_set_up (&f, SEVERAL);

  g_autoptr (HoldExtractRoots) roots = extract (&f, paths, TRUE);

  g_assert_true (hold_extract_roots_has_shelves (roots));
  job_fixture_assert_tree (&f, "1/ 1/a.txt 2/ 2/a.txt 3/ 3/deep/ 3/deep/b.txt 3/deep/sub/");
  job_fixture_assert_entry (&f, "1/a.txt", "one/a.txt", 10);
  job_fixture_assert_entry (&f, "2/a.txt", "two/a.txt", 20);

  const HoldEntry *deep = hold_archive_get_entry (f.archive, 3);
  g_autofree char *root = hold_extract_roots_dup_root (roots, deep);
  g_autofree char *name = hold_extract_roots_dup_name (roots, deep);

  g_assert_cmpstr (root, ==, "3/deep");
  g_assert_cmpstr (name, ==, "3/deep/b.txt");
  g_assert_false (hold_extract_roots_has_entry (roots, deep));
  g_assert_true (hold_extract_roots_has_entry (roots, hold_archive_get_entry (f.archive, 0)));
  g_assert_null (hold_extract_roots_dup_root (roots, hold_archive_get_entry (f.archive, 4)));
  job_fixture_tear_down (&f);
}

/* Straight to where they are to lie there is no room for shelves: the second gets a number. */
static void
test_without_shelves (void)
{
  const char *paths[] = { "one/a.txt", "two/a.txt", NULL };
  JobFixture f;

  job_fixture_set_up (&f, SEVERAL);

  g_autoptr (HoldExtractRoots) shelved = hold_extract_roots_new (paths, TRUE);
  g_autoptr (HoldExtractRoots) flat = hold_extract_roots_to_flat (shelved);
  g_autoptr (HoldExtractRoots) roots = extract (&f, paths, FALSE);

  g_assert_true (hold_extract_roots_equal (flat, roots));
  g_assert_false (hold_extract_roots_equal (shelved, roots));
  job_fixture_assert_tree (&f, "a (2).txt a.txt");
  job_fixture_assert_entry (&f, "a.txt", "one/a.txt", 10);
  job_fixture_assert_entry (&f, "a (2).txt", "two/a.txt", 20);
  job_fixture_tear_down (&f);
}

/* A search finds a folder and what lies in it: that comes once, with the folder. */
static void
test_nested (void)
{
  const char *paths[] = { "two/deep/b.txt", "two/deep", "two/deep", "two/deep/sub", NULL };
  JobFixture f;

  job_fixture_set_up (&f, SEVERAL);

  g_autoptr (HoldExtractRoots) roots = extract (&f, paths, TRUE);

  g_assert_cmpuint (hold_extract_roots_get_n (roots), ==, 1);
  job_fixture_assert_tree (&f, "deep/ deep/b.txt deep/sub/");
  job_fixture_tear_down (&f);
}

/* One name on a disk that does not tell case. */
static void
test_case_twins (void)
{
  const char *paths[] = { "x/Ärger", "y/ÄRGER", NULL };
  JobFixture f;

  job_fixture_set_up (&f, "file x/Ärger size=1\nfile y/ÄRGER size=2\n");

  g_autoptr (HoldExtractRoots) roots = extract (&f, paths, TRUE);

  job_fixture_assert_tree (&f, "1/ 1/Ärger 2/ 2/ÄRGER");
  job_fixture_tear_down (&f);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/extract-roots/flat", test_flat);
  g_test_add_func ("/extract-roots/shelves", test_shelves);
  g_test_add_func ("/extract-roots/without-shelves", test_without_shelves);
  g_test_add_func ("/extract-roots/nested", test_nested);
  g_test_add_func ("/extract-roots/case-twins", test_case_twins);
  return g_test_run ();
}
