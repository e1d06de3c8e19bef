/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What extraction does with names, conflicts, damage and links, on archives that are described in
 * the tests. */

#include "test-job-helpers.h"

#include <glib/gstdio.h>
#include <unistd.h>

#define MIXED                                                                                      \
  "folder docs mtime=1000000000 mode=0750\n"                                                       \
  "file docs/a.txt size=1000 mtime=1100000000 mode=0640\n"                                         \
  "file docs/sub/b.bin size=600000\n"                                                              \
  "symlink docs/link target=a.txt\n"                                                               \
  "hardlink again target=docs/a.txt\n"                                                             \
  "file empty\n"

static void
check_mixed (const char *how)
{
  JobFixture f;
  g_autoptr (HoldReport) report = NULL;
  g_autofree char *text = g_strconcat (how, "\n", MIXED, NULL);
  GStatBuf one, two;

  job_fixture_set_up (&f, text);
  g_assert_cmpint (job_fixture_extract (&f, job_fixture_new_request (&f), &report, NULL), ==,
                   HOLD_JOB_DONE);
  job_fixture_assert_tree (&f, "again docs/ docs/a.txt docs/link docs/sub/ docs/sub/b.bin empty");
  job_fixture_assert_entry (&f, "docs/a.txt", "docs/a.txt", 1000);
  job_fixture_assert_entry (&f, "again", "docs/a.txt", 1000);
  job_fixture_assert_entry (&f, "docs/sub/b.bin", "docs/sub/b.bin", 600000);
  g_assert_cmpint (g_stat (job_fixture_out (&f, "docs/a.txt"), &one), ==, 0);
  g_assert_cmpint (g_stat (job_fixture_out (&f, "again"), &two), ==, 0);
  g_assert_cmpuint (one.st_ino, ==, two.st_ino);
  g_assert_cmpint (one.st_mtime, ==, 1100000000);
  g_assert_cmpint (one.st_mode & 0777, ==, 0640);
  g_assert_cmpint (g_stat (job_fixture_out (&f, "docs"), &one), ==, 0);
  g_assert_cmpint (one.st_mtime, ==, 1000000000);
  g_assert_cmpuint (hold_report_get_n_done (report), ==, 6);
  g_assert_cmpuint (hold_report_get_n_items (report), ==, 0);
  g_assert_cmpuint (hold_report_get_bytes_done (report), ==, 601000);
  g_assert_cmpuint (hold_fake_get_n_reads (f.fake), ==, 3);
  job_fixture_tear_down (&f);
}

static void
test_all (void)
{
  check_mixed ("archive");
  check_mixed ("archive sequential");
}

/* F18: the link alone, without the file that it names. */
static void
test_hardlink_alone (void)
{
  const char *how[] = { "archive\n", "archive sequential\n" };

  for (guint i = 0; i < G_N_ELEMENTS (how); i++)
    {
      JobFixture f;
      g_autofree char *text = g_strconcat (
        how[i], "file a size=300000\nhardlink b target=./a\nhardlink c target=b\n", NULL);
      GStatBuf one, two;

      job_fixture_set_up (&f, text);

      HoldExtractRequest *request = job_fixture_new_request (&f);
      guint wanted[] = { 1, 2 };

      request->indices = g_array_new (FALSE, FALSE, sizeof (guint));
      g_array_append_vals (request->indices, wanted, 2);
      g_assert_cmpint (job_fixture_extract (&f, request, NULL, NULL), ==, HOLD_JOB_DONE);
      job_fixture_assert_tree (&f, "b c");
      job_fixture_assert_entry (&f, "b", "a", 300000);
      job_fixture_assert_entry (&f, "c", "a", 300000);
      g_assert_cmpint (g_stat (job_fixture_out (&f, "b"), &one), ==, 0);
      g_assert_cmpint (g_stat (job_fixture_out (&f, "c"), &two), ==, 0);
      g_assert_cmpuint (one.st_ino, ==, two.st_ino);
      g_assert_cmpuint (hold_fake_get_n_reads (f.fake), ==, 1);
      job_fixture_tear_down (&f);
    }
}

/* The file is there but broken: the link fails with it, and nothing of either is left. */
static void
test_hardlink_broken (void)
{
  JobFixture f;
  g_autoptr (HoldReport) report = NULL;

  job_fixture_set_up (
    &f, "file a size=100 fail=checksum\nhardlink b target=a\nhardlink gone target=nothing\n"
        "hardlink self target=self\nfile ok size=1\n");
  g_assert_cmpint (job_fixture_extract (&f, job_fixture_new_request (&f), &report, NULL), ==,
                   HOLD_JOB_DONE);
  job_fixture_assert_tree (&f, "ok");
  assert_reported (report, "a", HOLD_OUTCOME_FAILED, HOLD_ERROR, HOLD_ERROR_CHECKSUM);
  assert_reported (report, "b", HOLD_OUTCOME_FAILED, HOLD_ERROR, HOLD_ERROR_CORRUPT);
  assert_reported (report, "gone", HOLD_OUTCOME_FAILED, HOLD_ERROR, HOLD_ERROR_CORRUPT);
  assert_reported (report, "self", HOLD_OUTCOME_FAILED, HOLD_ERROR, HOLD_ERROR_CORRUPT);
  job_fixture_tear_down (&f);
}

/* S01, S02, S07: nothing outside, and the person hears of it. */
static void
test_unsafe (void)
{
  JobFixture f;
  g_autoptr (HoldReport) report = NULL;
  g_autofree char *evil = NULL;

  job_fixture_set_up (
    &f, "file ../evil.txt size=3\nfile /abs.txt size=3\nfile a/../../evil.txt size=3\n"
        "symlink out target=/etc/passwd\nsymlink up target=../x\nsymlink l target=..\nfile l/pwn "
        "size=3\n"
        "other dev\nfile ok.txt size=3\n");
  evil = g_build_filename (f.dir, "evil.txt", NULL);
  g_assert_cmpint (job_fixture_extract (&f, job_fixture_new_request (&f), &report, NULL), ==,
                   HOLD_JOB_DONE);
  job_fixture_assert_tree (&f, "abs.txt l/ l/pwn ok.txt");
  g_assert_false (g_file_test (evil, G_FILE_TEST_EXISTS));
  assert_reported (report, "../evil.txt", HOLD_OUTCOME_REFUSED, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME);
  assert_reported (report, "abs.txt", HOLD_OUTCOME_CHANGED, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME);
  assert_reported (report, "out", HOLD_OUTCOME_REFUSED, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME);
  assert_reported (report, "up", HOLD_OUTCOME_REFUSED, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME);
  assert_reported (report, "l", HOLD_OUTCOME_REFUSED, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME);
  assert_reported (report, "dev", HOLD_OUTCOME_REFUSED, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME);
  g_assert_cmpuint (hold_report_count (report, HOLD_OUTCOME_FAILED), ==, 0);
  job_fixture_tear_down (&f);
}

/* A link may stay inside the archive and leave the folder that is taken out of it (D12). */
static void
test_base (void)
{
  JobFixture f;
  g_autoptr (HoldReport) report = NULL;

  job_fixture_set_up (
    &f, "file x size=1\nfolder a/b\nfile a/b/c.txt size=5\nsymlink a/b/near target=c.txt\n"
        "symlink a/b/far target=../../x\nfile a/bc size=1\n");

  HoldExtractRequest *request = job_fixture_new_request (&f);
  const char *paths[] = { "a/b", NULL };

  request->indices = g_array_new (FALSE, FALSE, sizeof (guint));
  g_assert_null (hold_tree_collect (hold_archive_get_tree (f.archive), paths, request->indices));
  g_free (request->base);
  request->base = g_strdup ("a/b");
  g_assert_cmpint (job_fixture_extract (&f, request, &report, NULL), ==, HOLD_JOB_DONE);
  job_fixture_assert_tree (&f, "c.txt near");
  assert_reported (report, "a/b/far", HOLD_OUTCOME_REFUSED, HOLD_ERROR, HOLD_ERROR_UNSAFE_NAME);
  job_fixture_tear_down (&f);
}

/* Z10, Z13: equal names, and a file where others need a folder, all come out; or, to who asked for
 * overwriting, the last of each name, and the report says what gave way. */
static void
check_clashes (const char *how, HoldConflict conflict)
{
  JobFixture f;
  g_autoptr (HoldReport) report = NULL;
  g_autofree char *text = g_strconcat (how,
                                       "\nfile a.txt size=10\nfile a.txt size=20\n"
                                       "file 'a (2).txt' size=30\nfile a.txt size=40\n"
                                       "file Foo/Bar size=7\nfile Foo/Bar/Baz size=8\n",
                                       NULL);

  job_fixture_set_up (&f, text);

  HoldExtractRequest *request = job_fixture_new_request (&f);

  request->conflict = conflict;
  g_assert_cmpint (job_fixture_extract (&f, request, &report, NULL), ==, HOLD_JOB_DONE);
  if (conflict == HOLD_CONFLICT_OVERWRITE)
    {
      job_fixture_assert_tree (&f, "Foo/ Foo/Bar (2) Foo/Bar/ Foo/Bar/Baz a (2).txt a.txt");
      job_fixture_assert_entry (&f, "a.txt", "a.txt", 40);
    }
  else
    {
      job_fixture_assert_tree (&f, "Foo/ Foo/Bar (2) Foo/Bar/ Foo/Bar/Baz "
                                   "a (2).txt a (3).txt a (4).txt a.txt");
      job_fixture_assert_entry (&f, "a.txt", "a.txt", 10);
      job_fixture_assert_entry (&f, "a (3).txt", "a.txt", 20);
      job_fixture_assert_entry (&f, "a (4).txt", "a.txt", 40);
    }
  job_fixture_assert_entry (&f, "a (2).txt", "a (2).txt", 30);
  job_fixture_assert_entry (&f, "Foo/Bar (2)", "Foo/Bar", 7);
  g_assert_cmpuint (hold_report_count (report, HOLD_OUTCOME_CHANGED), ==, 3);
  assert_reported (report, "a.txt", HOLD_OUTCOME_CHANGED, G_IO_ERROR, G_IO_ERROR_EXISTS);
  assert_reported (report, "Foo/Bar", HOLD_OUTCOME_CHANGED, G_IO_ERROR, G_IO_ERROR_EXISTS);
  job_fixture_tear_down (&f);
}

static void
test_clashes (void)
{
  check_clashes ("archive", HOLD_CONFLICT_SKIP);
  check_clashes ("archive", HOLD_CONFLICT_OVERWRITE);
  check_clashes ("archive sequential", HOLD_CONFLICT_SKIP);
  check_clashes ("archive sequential", HOLD_CONFLICT_OVERWRITE);
}

/* Z20, as far as a disk that tells case apart can show: nothing is numbered or lost. */
static void
test_twins (void)
{
  JobFixture f;
  g_autoptr (HoldReport) report = NULL;

  job_fixture_set_up (&f, "file A.txt size=10\nfile a.txt size=20\nfile Ä size=1\nfile ä size=2\n");
  job_fixture_write (&f, "a.txt", "old");
  job_fixture_write (&f, "A.txt", "old");

  HoldExtractRequest *request = job_fixture_new_request (&f);

  request->conflict = HOLD_CONFLICT_OVERWRITE;
  g_assert_cmpint (job_fixture_extract (&f, request, &report, NULL), ==, HOLD_JOB_DONE);
  job_fixture_assert_tree (&f, "A.txt a.txt Ä ä");
  job_fixture_assert_entry (&f, "A.txt", "A.txt", 10);
  job_fixture_assert_entry (&f, "a.txt", "a.txt", 20);
  g_assert_cmpuint (hold_report_get_n_items (report), ==, 0);
  job_fixture_tear_down (&f);
}

/* Conflicts with the disk */

static void
test_policies (void)
{
  static const struct
  {
    HoldConflict policy;
    const char *tree;
    guint n_skipped;
    gboolean old_replaced, new_replaced;
  } cases[] = {
    { HOLD_CONFLICT_ASK, "d/ d/new d/old fresh", 2, FALSE, FALSE }, /* nobody listens */
    { HOLD_CONFLICT_SKIP, "d/ d/new d/old fresh", 2, FALSE, FALSE },
    { HOLD_CONFLICT_OVERWRITE, "d/ d/new d/old fresh", 0, TRUE, TRUE },
    { HOLD_CONFLICT_NEWER, "d/ d/new d/old fresh", 1, FALSE, TRUE },
    { HOLD_CONFLICT_RENAME, "d/ d/new d/new (2) d/old d/old (2) fresh", 0, FALSE, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      JobFixture f;
      g_autoptr (HoldReport) report = NULL;
      GStatBuf before, after;

      job_fixture_set_up (
        &f,
        "folder d mode=0700\nfile d/old size=10 mtime=1000\nfile d/new size=10 mtime=4000000000\n"
        "file fresh size=3\n");
      job_fixture_write (&f, "d/old", "mine");
      job_fixture_write (&f, "d/new", "mine");
      g_assert_cmpint (g_stat (job_fixture_out (&f, "d"), &before), ==, 0);

      HoldExtractRequest *request = job_fixture_new_request (&f);

      request->conflict = cases[i].policy;
      g_assert_cmpint (job_fixture_extract (&f, request, &report, NULL), ==, HOLD_JOB_DONE);
      job_fixture_assert_tree (&f, cases[i].tree);
      if (cases[i].old_replaced)
        job_fixture_assert_entry (&f, "d/old", "d/old", 10);
      else
        job_fixture_assert_text (&f, "d/old", "mine");
      if (cases[i].new_replaced)
        job_fixture_assert_entry (&f, "d/new", "d/new", 10);
      else
        job_fixture_assert_text (&f, "d/new", "mine");
      g_assert_cmpuint (hold_report_count (report, HOLD_OUTCOME_SKIPPED), ==, cases[i].n_skipped);
      g_assert_cmpuint (hold_report_get_n_items (report), ==, cases[i].n_skipped);
      /* X07: a folder that was there keeps its mode. */
      g_assert_cmpint (g_stat (job_fixture_out (&f, "d"), &after), ==, 0);
      g_assert_cmpint (before.st_mode, ==, after.st_mode);
      job_fixture_tear_down (&f);
    }
}

/* G07: nothing to do is found out without reading anything. */
static void
test_all_there (void)
{
  JobFixture f;
  g_autoptr (HoldReport) report = NULL;

  job_fixture_set_up (&f,
                      "archive sequential\nfile a size=1000000 gate=0\nfile b/c size=5 gate=0\n");
  job_fixture_write (&f, "a", "x");
  job_fixture_write (&f, "b/c", "x");

  HoldExtractRequest *request = job_fixture_new_request (&f);

  request->conflict = HOLD_CONFLICT_SKIP;
  g_assert_cmpint (job_fixture_extract (&f, request, &report, NULL), ==, HOLD_JOB_DONE);
  g_assert_cmpuint (hold_report_count (report, HOLD_OUTCOME_SKIPPED), ==, 2);
  g_assert_cmpuint (hold_report_get_n_done (report), ==, 0);
  g_assert_cmpuint (hold_fake_get_n_passes (f.fake), ==, 0);
  job_fixture_tear_down (&f);
}

/* X09, X10: a folder where a file should go and the other way round concern that one only. */
static void
test_kinds (void)
{
  static const struct
  {
    HoldConflict policy;
    const char *tree;
    HoldOutcome outcome;
    guint n_outcome;
  } cases[] = {
    { HOLD_CONFLICT_SKIP, ".DS_Store/ .DS_Store/in fine p", HOLD_OUTCOME_SKIPPED, 3 },
    { HOLD_CONFLICT_OVERWRITE, ".DS_Store/ .DS_Store/in fine p", HOLD_OUTCOME_FAILED, 3 },
    { HOLD_CONFLICT_RENAME,
      ".DS_Store (2) .DS_Store/ .DS_Store/in fine p p (2)/ p (2)/q p (2)/r/ p (2)/r/s",
      HOLD_OUTCOME_FAILED, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      JobFixture f;
      g_autoptr (HoldReport) report = NULL;

      job_fixture_set_up (
        &f, "file .DS_Store size=4\nfile p/q size=5\nfile p/r/s size=6\nfile fine size=7\n");
      job_fixture_write (&f, ".DS_Store/in", "x");
      job_fixture_write (&f, "p", "mine");

      HoldExtractRequest *request = job_fixture_new_request (&f);

      request->conflict = cases[i].policy;
      g_assert_cmpint (job_fixture_extract (&f, request, &report, NULL), ==, HOLD_JOB_DONE);
      job_fixture_assert_tree (&f, cases[i].tree);
      job_fixture_assert_text (&f, "p", "mine");
      g_assert_cmpuint (hold_report_count (report, cases[i].outcome), ==, cases[i].n_outcome);
      job_fixture_tear_down (&f);
    }
}

/* A link of the person's own below the destination is not followed; one that leads to the
 * destination is (S04). */
static void
test_own_links (void)
{
  JobFixture f;
  g_autoptr (HoldReport) report = NULL;
  g_autofree char *real = NULL, *elsewhere = NULL;

  job_fixture_set_up (&f, "file p/q size=5\nfile r size=6\n");
  real = g_build_filename (f.dir, "real", NULL);
  elsewhere = g_build_filename (f.dir, "elsewhere", NULL);
  g_assert_cmpint (g_mkdir (real, 0755), ==, 0);
  g_assert_cmpint (g_mkdir (elsewhere, 0755), ==, 0);
  g_assert_cmpint (symlink ("real", f.dest), ==, 0);
  g_assert_cmpint (symlink (elsewhere, job_fixture_out (&f, "p")), ==, 0);

  HoldExtractRequest *request = job_fixture_new_request (&f);

  request->conflict = HOLD_CONFLICT_OVERWRITE;
  g_assert_cmpint (job_fixture_extract (&f, request, &report, NULL), ==, HOLD_JOB_DONE);
  job_fixture_assert_entry (&f, "r", "r", 6);
  g_assert_cmpint (g_rmdir (elsewhere), ==, 0);
  assert_reported (report, "p/q", HOLD_OUTCOME_FAILED, G_IO_ERROR, G_IO_ERROR_EXISTS);
  job_fixture_tear_down (&f);
}

/* Damage */

/* L04, L05: one pass, and no further than needed. */
static void
test_one_pass (void)
{
  JobFixture f;
  g_autofree char *text = NULL;
  g_autoptr (GString) lines = g_string_new ("archive sequential\n");

  for (guint i = 0; i < 500; i++)
    g_string_append_printf (lines, "file d%u/f%u size=%u\n", i % 7, i, i);
  g_string_append (lines, "file late size=5 gate=0\n");
  job_fixture_set_up (&f, lines->str);

  HoldExtractRequest *request = job_fixture_new_request (&f);

  request->indices = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < 500; i += 2)
    g_array_append_val (request->indices, i);
  g_assert_cmpint (job_fixture_extract (&f, request, NULL, NULL), ==, HOLD_JOB_DONE);
  g_assert_cmpuint (hold_fake_get_n_passes (f.fake), ==, 1);
  g_assert_cmpuint (hold_fake_get_n_reads (f.fake), ==, 250);
  job_fixture_assert_entry (&f, "d1/f498", "d1/f498", 498);
  job_fixture_tear_down (&f);
}

/* X04, X13 */
static void
check_layout (HoldLayout layout, const char *text, gboolean taken, const char *tree,
              const char *folder, const char *item)
{
  JobFixture f;

  job_fixture_set_up (&f, text);
  if (taken)
    job_fixture_write (&f, "pack/old", "mine");

  HoldExtractRequest *request = job_fixture_new_request (&f);

  request->layout = layout;

  HoldExtractJob *job = hold_extract_job_new (request);

  hold_scheduler_run (f.scheduler, HOLD_JOB (job));
  g_assert_cmpint (hold_job_get_state (HOLD_JOB (job)), ==, HOLD_JOB_DONE);
  job_fixture_assert_tree (&f, tree);
  g_assert_cmpstr (hold_extract_job_get_result_folder (job), ==,
                   *folder != '\0' ? job_fixture_out (&f, folder) : f.dest);
  g_assert_true (g_strv_contains (hold_extract_job_get_result_items (job), item));
  g_assert_finalize_object (job);
  job_fixture_tear_down (&f);
}

static void
test_layouts (void)
{
  check_layout (HOLD_LAYOUT_SMART, "file one.txt size=1\n", FALSE, "one.txt", "", "one.txt");
  check_layout (HOLD_LAYOUT_SMART, "file p/a size=1\nfile p/b size=1\nfile __MACOSX/x size=1\n",
                FALSE, "__MACOSX/ __MACOSX/x p/ p/a p/b", "", "p");
  check_layout (HOLD_LAYOUT_SMART, "folder p\nfile q size=1\n", FALSE, "pack/ pack/p/ pack/q",
                "pack", "q");
  check_layout (HOLD_LAYOUT_SMART, "file p size=1\nfile q size=1\n", TRUE,
                "pack (2)/ pack (2)/p pack (2)/q pack/ pack/old", "pack (2)", "p");
  check_layout (HOLD_LAYOUT_NEW_FOLDER, "file p/a size=1\n", FALSE, "pack/ pack/p/ pack/p/a",
                "pack", "p");
  /* Nobody to ask: one top folder goes into the one that is there (X02). */
  check_layout (HOLD_LAYOUT_SMART, "file pack/a size=1\n", TRUE, "pack/ pack/a pack/old", "",
                "pack");
}

/* "./" of a tar, and an archive of nothing. */
static void
test_root_entry (void)
{
  JobFixture f;
  GStatBuf info;

  job_fixture_set_up (&f, "archive sequential\nfolder ./ mode=0700\nfile ./a size=1\n");
  g_assert_cmpint (g_mkdir (f.dest, 0755), ==, 0);
  g_assert_cmpint (job_fixture_extract (&f, job_fixture_new_request (&f), NULL, NULL), ==,
                   HOLD_JOB_DONE);
  job_fixture_assert_tree (&f, "a");
  g_assert_cmpint (g_stat (f.dest, &info), ==, 0);
  g_assert_cmpint (info.st_mode & 0777, ==, 0755);
  job_fixture_tear_down (&f);

  job_fixture_set_up (&f, "");
  g_assert_cmpint (job_fixture_extract (&f, job_fixture_new_request (&f), NULL, NULL), ==,
                   HOLD_JOB_DONE);
  job_fixture_tear_down (&f);
}

/* A hole in front of the data, and one behind it. */
static void
test_holes (void)
{
  JobFixture f;
  g_autofree char *content = NULL;
  gsize length;

  job_fixture_set_up (&f, "archive sequential\nfile a size=1000000 hole=700000\n");
  g_assert_cmpint (job_fixture_extract (&f, job_fixture_new_request (&f), NULL, NULL), ==,
                   HOLD_JOB_DONE);
  g_assert_true (g_file_get_contents (job_fixture_out (&f, "a"), &content, &length, NULL));
  g_assert_cmpuint (length, ==, 1000000);
  g_assert_cmpint (content[699999], ==, 0);
  g_assert_cmpuint ((guint8) content[700000], ==, hold_fake_byte ("a", 700000));
  job_fixture_tear_down (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/extract/all", test_all);
  g_test_add_func ("/extract/hardlink-alone", test_hardlink_alone);
  g_test_add_func ("/extract/hardlink-broken", test_hardlink_broken);
  g_test_add_func ("/extract/unsafe", test_unsafe);
  g_test_add_func ("/extract/base", test_base);
  g_test_add_func ("/extract/clashes", test_clashes);
  g_test_add_func ("/extract/twins", test_twins);
  g_test_add_func ("/extract/policies", test_policies);
  g_test_add_func ("/extract/all-there", test_all_there);
  g_test_add_func ("/extract/kinds", test_kinds);
  g_test_add_func ("/extract/own-links", test_own_links);
  g_test_add_func ("/extract/one-pass", test_one_pass);
  g_test_add_func ("/extract/layouts", test_layouts);
  g_test_add_func ("/extract/root-entry", test_root_entry);
  g_test_add_func ("/extract/holes", test_holes);
  return g_test_run ();
}
