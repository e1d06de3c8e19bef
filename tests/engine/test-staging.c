/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Files on their way to other programs: what other programs do to them, done by real programs, and
 * the verdict on it; and that cleaning up never takes what is not ours. */

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hold-cut-watch.h"
#include "hold-staging.h"

typedef struct
{
  char *base;       /* everything of this test */
  char *cache;
  char *target;
  HoldStaging *staging;
} Fixture;

/* Runs a shell line with $F the payload, $T the target, $B the base. */
static void
run (Fixture    *fixture,
     const char *line)
{
  g_auto (GStrv) environment = g_get_environ ();
  const char *argv[] = { "/bin/sh", "-ec", line, NULL };
  g_autoptr (GError) error = NULL;
  int status;

  environment = g_environ_setenv (environment, "F", hold_staging_get_payload (fixture->staging), TRUE);
  environment = g_environ_setenv (environment, "T", fixture->target, TRUE);
  environment = g_environ_setenv (environment, "B", fixture->base, TRUE);
  g_spawn_sync (fixture->base, (char **) argv, environment, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, &status, &error);
  g_assert_no_error (error);
  g_spawn_check_wait_status (status, &error);
  g_assert_no_error (error);
}

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  fixture->base = g_dir_make_tmp ("hold-staging-XXXXXX", &error);
  g_assert_no_error (error);
  fixture->cache = g_build_filename (fixture->base, "cache", NULL);
  fixture->target = g_build_filename (fixture->base, "target", NULL);
  g_assert_cmpint (g_mkdir (fixture->target, 0700), ==, 0);
  fixture->staging = hold_staging_new (fixture->cache, &error);
  g_assert_no_error (error);

  run (fixture, "mkdir \"$B/precious\"; echo keep > \"$B/precious/file\"; "
                "mkdir -p \"$F/tree/sub\"; echo one > \"$F/a.txt\"; echo two > \"$F/tree/b\"; "
                "echo three > \"$F/tree/sub/c\"; chmod 0555 \"$F/tree/sub\"; chmod 0400 \"$F/tree/b\"");
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  run (fixture, "chmod -R u+rwX \"$B\"; test \"$(cat \"$B/precious/file\")\" = keep");
  run (fixture, "cd /; rm -rf \"$B\"");
  hold_staging_free (fixture->staging);
  g_free (fixture->base);
  g_free (fixture->cache);
  g_free (fixture->target);
}

static void
record (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  hold_staging_record (fixture->staging, &error);
  g_assert_no_error (error);
}

typedef struct
{
  const char *name;
  const char *before;   /* (nullable): what is done before the files are told of */
  const char *line;     /* what the other program does */
  HoldCutVerdict verdict;
  gboolean has_shelves; /* "1/a.txt" and "2/a.txt" are the items, and not a.txt and tree */
} Case;

/* Across file systems mv(1) and every file manager copy each file and then delete it. */
#define COPY_THEN_DELETE(path) "cat \"$F/" path "\" > \"$T/x\"; rm \"$F/" path "\"; "

static const Case cases[] = {
  { "nothing", NULL, "true", HOLD_CUT_NOTHING },
  { "moved", NULL, "mv \"$F\"/* \"$T\"", HOLD_CUT_COMMIT },
  { "copied", NULL, "cp -r \"$F\"/* \"$T\"", HOLD_CUT_NOTHING },
  { "copied-then-deleted", NULL,
    COPY_THEN_DELETE ("a.txt") COPY_THEN_DELETE ("tree/b") COPY_THEN_DELETE ("tree/sub/c")
    "rmdir \"$F/tree/sub\" \"$F/tree\"", HOLD_CUT_COMMIT },
  { "one-skipped", NULL, "mv \"$F/tree\" \"$T\"", HOLD_CUT_PARTIAL },
  { "disk-full-half-way", NULL, COPY_THEN_DELETE ("tree/b") "true", HOLD_CUT_NOTHING },
  { "removed-with-folder", NULL, "rm -rf \"$F\"", HOLD_CUT_DESTROYED },
  { "contents-removed", NULL, "rm -rf \"$F\"/*", HOLD_CUT_DESTROYED },
  { "one-removed-unread", NULL, "mv \"$F/tree\" \"$T\"; rm \"$F/a.txt\"", HOLD_CUT_DESTROYED },
  { "one-of-a-folder-unread", NULL,
    "mv \"$F/a.txt\" \"$T\"; " COPY_THEN_DELETE ("tree/b") "rm -r \"$F/tree\"", HOLD_CUT_DESTROYED },
  { "trashed", NULL, "mkdir -p \"$B/.local/share/Trash/files\"; mv \"$F\"/* \"$B/.local/share/Trash/files\"",
    HOLD_CUT_TRASH },
  { "undone", NULL, "mv \"$F\"/* \"$T\"; mv \"$T\"/* \"$F\"", HOLD_CUT_REAPPEARED },
  { "moved-and-one-back", NULL, "mv \"$F\"/* \"$T\"; mv \"$T/a.txt\" \"$F\"", HOLD_CUT_REAPPEARED },
  { "second-paste", NULL, "mv \"$F\"/* \"$T\"; mv \"$F/a.txt\" \"$T\" 2>/dev/null || true", HOLD_CUT_COMMIT },
  { "symlink-copied", "ln -s nowhere \"$F/link\"",
    "mv \"$F/a.txt\" \"$F/tree\" \"$T\"; cp -P \"$F/link\" \"$T\"; rm \"$F/link\"", HOLD_CUT_NOT_PROVEN },
  { "symlink-moved", "ln -s nowhere \"$F/link\"", "mv \"$F\"/* \"$T\"", HOLD_CUT_COMMIT },
  { "moved-then-removed", NULL, "mv \"$F\"/* \"$T\"; rm \"$T/a.txt\"", HOLD_CUT_DESTROYED },
  { "disk-full-after-one", NULL, COPY_THEN_DELETE ("a.txt") "cat \"$F/tree/b\" > \"$T/b\"", HOLD_CUT_PARTIAL },
  { "folder-lost-a-file-first", NULL, "rm \"$F/tree/b\"; mv \"$F\"/* \"$T\"", HOLD_CUT_DESTROYED },
  /* So a folder is merged into one of the same name, on the same file system. */
  { "merged", NULL,
    "mv \"$F/a.txt\" \"$T\"; mkdir -p \"$T/tree/sub\"; mv \"$F/tree/b\" \"$T/tree\"; "
    "chmod u+w \"$F/tree/sub\"; mv \"$F/tree/sub/c\" \"$T/tree/sub\"; rmdir \"$F/tree/sub\" \"$F/tree\"",
    HOLD_CUT_NOT_PROVEN },
  { "empty-folder-copied", "mkdir \"$F/none\"",
    "mv \"$F/a.txt\" \"$F/tree\" \"$T\"; mkdir \"$T/none\"; rmdir \"$F/none\"", HOLD_CUT_NOT_PROVEN },
  { "too-much-happened", NULL,
    "n=0; while [ $n -lt 20000 ]; do : < \"$F/a.txt\"; n=$((n + 1)); done; mv \"$F\"/* \"$T\"",
    HOLD_CUT_UNKNOWN },
  { "copy-and-delete-of-what-came-back", NULL,
    "mv \"$F/a.txt\" \"$T\"; cp \"$T/a.txt\" \"$F/a.txt\"; mv \"$F/tree\" \"$T\"", HOLD_CUT_REAPPEARED },

#define SHELVES "chmod u+w \"$F/tree/sub\"; rm -r \"$F\"/*; " \
    "mkdir \"$F/1\" \"$F/2\"; echo a > \"$F/1/a.txt\"; echo b > \"$F/2/a.txt\""
  { "shelves-nothing", SHELVES, "cat \"$F\"/*/a.txt > /dev/null", HOLD_CUT_NOTHING, TRUE },
  { "shelves-moved", SHELVES, "mv \"$F/1/a.txt\" \"$T/x\"; mv \"$F/2/a.txt\" \"$T/y\"", HOLD_CUT_COMMIT, TRUE },
  { "shelves-copied-then-deleted", SHELVES, COPY_THEN_DELETE ("1/a.txt") COPY_THEN_DELETE ("2/a.txt"),
    HOLD_CUT_COMMIT, TRUE },
  { "shelves-one-moved", SHELVES, "mv \"$F/1/a.txt\" \"$T\"", HOLD_CUT_PARTIAL, TRUE },
  { "shelves-one-removed", SHELVES, "mv \"$F/1/a.txt\" \"$T\"; rm \"$F/2/a.txt\"", HOLD_CUT_DESTROYED, TRUE },
  { "shelves-themselves-moved", SHELVES, "mv \"$F\"/* \"$T\"", HOLD_CUT_DESTROYED, TRUE },
};

static void
test_verdict (Fixture       *fixture,
              gconstpointer  data)
{
  const Case *the_case = data;
  g_autoptr (HoldCutWatch) watch = NULL;
  g_autoptr (GError) error = NULL;

  if (the_case->before != NULL)
    run (fixture, the_case->before);
  hold_staging_set_depth (fixture->staging, the_case->has_shelves ? 2 : 1);
  record (fixture);
  watch = hold_cut_watch_new (fixture->staging, &error);
  g_assert_no_error (error);

  run (fixture, the_case->line);
  hold_cut_watch_dispatch (watch);
  g_assert_cmpint (hold_cut_watch_evaluate (watch), ==, the_case->verdict);
}

static void
test_fates (Fixture       *fixture,
            gconstpointer  data)
{
  g_autoptr (HoldCutWatch) watch = NULL;
  HoldCutFate fate;

  record (fixture);
  watch = hold_cut_watch_new (fixture->staging, NULL);
  run (fixture, "mv \"$F/tree\" \"$T\"");
  hold_cut_watch_evaluate (watch);
  g_assert_cmpuint (hold_cut_watch_get_n_items (watch), ==, 2);
  for (guint i = 0; i < 2; i++)
    {
      const char *name = hold_cut_watch_get_item (watch, i, &fate);

      g_assert_cmpint (fate, ==, g_str_equal (name, "tree") ? HOLD_CUT_MOVED : HOLD_CUT_LEFT);
    }
}

static void
test_clean (Fixture       *fixture,
            gconstpointer  data)
{
  record (fixture);
  g_assert_cmpuint (hold_staging_get_n_recorded (fixture->staging), ==, 5);
  g_assert_true (hold_staging_clean (fixture->staging));
  run (fixture, "test -z \"$(ls \"$B/cache/holdall/staging\")\"");
}

/* The items are what lies on the shelves; the shelves are cleaned like anything else. */
static void
test_shelves (Fixture       *fixture,
              gconstpointer  data)
{
  g_auto (GStrv) items = NULL;

  run (fixture, SHELVES);
  hold_staging_set_depth (fixture->staging, 2);
  record (fixture);
  items = hold_staging_dup_items (fixture->staging);
  g_assert_cmpuint (g_strv_length (items), ==, 2);
  for (guint i = 0; i < 2; i++)
    g_assert_true (g_str_has_suffix (items[i], "/1/a.txt") || g_str_has_suffix (items[i], "/2/a.txt"));
  run (fixture, "mv \"$F/1/a.txt\" \"$T\"; mv \"$F/2/a.txt\" \"$T/b.txt\"");
  g_assert_true (hold_staging_bury (fixture->staging));
  run (fixture, "! mv \"$T/a.txt\" \"$F/1/a.txt\" 2>/dev/null; ! mkdir -p \"$F/1\" 2>/dev/null; test -e \"$T/a.txt\"");
}

/* S05: a link that an archive held, or that took a folder's place, is not followed. */
static void
test_clean_follows_no_link (Fixture       *fixture,
                            gconstpointer  data)
{
  run (fixture, "ln -s \"$B/precious\" \"$F/link\"; ln -s \"$B/precious\" \"$F/tree/link\"");
  record (fixture);
  run (fixture, "mv \"$F/tree\" \"$T\"; ln -s \"$T/tree\" \"$F/tree\"");
  g_assert_false (hold_staging_clean (fixture->staging));
  run (fixture, "test -e \"$B/precious/file\" -a -e \"$T/tree/b\" -a -e \"$T/tree/sub/c\" -a ! -e \"$F/a.txt\"");
}

/* What is not in the manifest is somebody's only copy. */
static void
test_clean_keeps_strangers (Fixture       *fixture,
                            gconstpointer  data)
{
  record (fixture);
  run (fixture, "echo other > \"$F/tree/new\"; mv \"$F/a.txt\" \"$T\"; echo one > \"$F/a.txt\"");
  g_assert_false (hold_staging_clean (fixture->staging));
  run (fixture, "test -e \"$F/tree/new\" -a -e \"$F/a.txt\" -a ! -e \"$F/tree/b\"");
}

/* O01: a file that was saved over is no longer what was staged. */
static void
test_clean_keeps_edited (Fixture       *fixture,
                         gconstpointer  data)
{
  record (fixture);
  run (fixture, "echo edited >> \"$F/a.txt\"");
  g_assert_false (hold_staging_clean (fixture->staging));
  run (fixture, "test -e \"$F/a.txt\"");
}

/* An undo in a file manager after the commit must fail, not fill a folder that is about to go. */
static void
test_bury (Fixture       *fixture,
           gconstpointer  data)
{
  record (fixture);
  run (fixture, "mv \"$F\"/* \"$T\"");
  g_assert_true (hold_staging_bury (fixture->staging));
  run (fixture, "! mv \"$T/a.txt\" \"$F/a.txt\" 2>/dev/null; ! mkdir \"$F\" 2>/dev/null; test -e \"$T/a.txt\"");
}

/* What comes back between the verdict and the burial is the only copy. */
static void
test_bury_keeps_what_came_back (Fixture       *fixture,
                                gconstpointer  data)
{
  record (fixture);
  run (fixture, "mv \"$F\"/* \"$T\"; mv \"$T/a.txt\" \"$F/a.txt\"");
  g_assert_false (hold_staging_bury (fixture->staging));
  run (fixture, "test -e \"$F/a.txt\"");
}

/* So is what comes back after the archive has let go of it, while other items are still there. */
static void
test_disown (Fixture       *fixture,
             gconstpointer  data)
{
  const char *items[] = { "tree", NULL };
  g_autofree char *payload = g_strdup (hold_staging_get_payload (fixture->staging));
  g_autoptr (GError) error = NULL;

  record (fixture);
  run (fixture, "mv \"$F/tree\" \"$T\"");
  g_assert_true (hold_staging_disown (fixture->staging, items, &error));
  g_assert_no_error (error);
  run (fixture, "mv \"$T/tree\" \"$F/tree\"");

  /* The next start knows it as well. */
  hold_staging_free (fixture->staging);
  hold_staging_sweep (fixture->cache, 0);
  fixture->staging = hold_staging_new (fixture->cache, NULL);
  {
    g_autofree char *kept = g_build_filename (payload, "tree", "sub", "c", NULL);
    g_autofree char *cleaned = g_build_filename (payload, "a.txt", NULL);

    g_assert_true (g_file_test (kept, G_FILE_TEST_EXISTS));
    g_assert_false (g_file_test (cleaned, G_FILE_TEST_EXISTS));
  }
}

/* Leftovers of an owner that died are cleaned once they are old, those of a living one never. */
static void
test_sweep (Fixture       *fixture,
            gconstpointer  data)
{
  g_autofree char *payload = g_strdup (hold_staging_get_payload (fixture->staging));

  record (fixture);
  hold_staging_sweep (fixture->cache, 0);
  g_assert_true (g_file_test (payload, G_FILE_TEST_IS_DIR));

  hold_staging_free (fixture->staging);
  hold_staging_sweep (fixture->cache, 3600);
  g_assert_true (g_file_test (payload, G_FILE_TEST_IS_DIR));
  hold_staging_sweep (fixture->cache, 0);
  g_assert_false (g_file_test (payload, G_FILE_TEST_EXISTS));

  fixture->staging = hold_staging_new (fixture->cache, NULL);
}

/* The owner is killed while somebody pastes: what was moved stays where it is, and of the rest only
 * what is in the manifest is ever removed. */
static void
test_owner_killed (Fixture       *fixture,
                   gconstpointer  data)
{
  g_autofree char *payload = NULL;
  char line[4096] = "";
  int channel[2];
  int status;
  pid_t child;

  g_assert_cmpint (pipe (channel), ==, 0);
  child = fork ();
  if (child == 0)
    {
      HoldStaging *staging = hold_staging_new (fixture->cache, NULL);
      g_autofree char *a = g_build_filename (hold_staging_get_payload (staging), "a", NULL);
      g_autofree char *b = g_build_filename (hold_staging_get_payload (staging), "b", NULL);

      if (!g_file_set_contents (a, "a", 1, NULL) || !g_file_set_contents (b, "b", 1, NULL) ||
          !hold_staging_record (staging, NULL) ||
          write (channel[1], hold_staging_get_payload (staging),
                 strlen (hold_staging_get_payload (staging))) < 0)
        _exit (1);
      for (;;)
        pause ();
    }
  close (channel[1]);
  g_assert_cmpint (read (channel[0], line, sizeof line - 1), >, 0);
  close (channel[0]);
  payload = g_strdup (line);

  hold_staging_sweep (fixture->cache, 0);
  g_assert_true (g_file_test (payload, G_FILE_TEST_IS_DIR));
  g_assert_cmpint (kill (child, SIGKILL), ==, 0);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFSIGNALED (status));

  g_setenv ("P", payload, TRUE);
  run (fixture, "mv \"$P/a\" \"$T/a\"; echo mine > \"$P/note\"");
  hold_staging_sweep (fixture->cache, 24 * 60 * 60);
  run (fixture, "test -e \"$P/b\"");
  hold_staging_sweep (fixture->cache, 0);
  run (fixture, "test -e \"$T/a\" -a -e \"$P/note\" -a ! -e \"$P/b\"; rm \"$P/note\"");
  hold_staging_sweep (fixture->cache, 0);
  run (fixture, "test ! -e \"$P/..\"");
}

static void
test_sweep_unrecorded (Fixture       *fixture,
                       gconstpointer  data)
{
  g_autofree char *payload = g_strdup (hold_staging_get_payload (fixture->staging));

  hold_staging_free (fixture->staging);
  hold_staging_sweep (fixture->cache, 0);
  g_assert_false (g_file_test (payload, G_FILE_TEST_EXISTS));
  fixture->staging = hold_staging_new (fixture->cache, NULL);
}

static void
test_sweep_damaged_manifest (Fixture       *fixture,
                             gconstpointer  data)
{
  g_autofree char *payload = g_strdup (hold_staging_get_payload (fixture->staging));

  record (fixture);
  run (fixture, "echo nonsense >> \"$F/../manifest\"");
  hold_staging_free (fixture->staging);
  hold_staging_sweep (fixture->cache, 0);
  g_assert_true (g_file_test (payload, G_FILE_TEST_IS_DIR));
  fixture->staging = hold_staging_new (fixture->cache, NULL);
}

/* The program ended while it wrote the manifest anew: the old one still says what is there. */
static void
test_save_broken_off (Fixture       *fixture,
                      gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  record (fixture);
  run (fixture, "printf 'f 1 2 3' > \"$F/../manifest.part\"");
  hold_staging_record (fixture->staging, &error);
  g_assert_no_error (error);
  run (fixture, "test ! -e \"$F/../manifest.part\"");

  run (fixture, "printf 'f 1 2 3' > \"$F/../manifest.part\"");
  g_assert_true (hold_staging_clean (fixture->staging));
  run (fixture, "test ! -e \"$(dirname \"$F\")\"");
}

static void
test_is_private (Fixture       *fixture,
                 gconstpointer  data)
{
  g_autofree char *folder = g_path_get_dirname (hold_staging_get_payload (fixture->staging));
  struct stat st;

  g_assert_cmpint (stat (folder, &st), ==, 0);
  g_assert_cmphex (st.st_mode & 07777, ==, 0700);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/cut/", cases[i].name, NULL);

      g_test_add (path, Fixture, &cases[i], set_up, test_verdict, tear_down);
    }

#define ADD(name, func) g_test_add ("/staging/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("fates", test_fates);
  ADD ("clean", test_clean);
  ADD ("clean-follows-no-link", test_clean_follows_no_link);
  ADD ("clean-keeps-strangers", test_clean_keeps_strangers);
  ADD ("clean-keeps-edited", test_clean_keeps_edited);
  ADD ("bury", test_bury);
  ADD ("bury-keeps-what-came-back", test_bury_keeps_what_came_back);
  ADD ("disown", test_disown);
  ADD ("shelves", test_shelves);
  ADD ("owner-killed", test_owner_killed);
  ADD ("sweep", test_sweep);
  ADD ("sweep-unrecorded", test_sweep_unrecorded);
  ADD ("sweep-damaged-manifest", test_sweep_damaged_manifest);
  ADD ("save-broken-off", test_save_broken_off);
  ADD ("is-private", test_is_private);
#undef ADD

  return g_test_run ();
}
