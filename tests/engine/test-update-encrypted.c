/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* An archive that was made with a password stays one, whatever is put into it: nothing goes in in the
 * clear, nothing under another password, and nobody is asked twice or for nothing. */

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "hold-backend.h"
#include "hold-job-create.h"
#include "hold-job-update.h"
#include "hold-scheduler.h"

typedef struct
{
  char *folder;
  char *path;           /* of a ZIP with the password "right" */
  HoldScheduler *scheduler;
  HoldArchive *archive;
  HoldKeyring *keyring; /* empty at first */

  /* Who is asked: a word for each question. */
  const char *const *script;
  guint n_asked;
  guint n_wrong;
  gboolean for_adding;  /* the last question */
} Fixture;

/* More than an entry of another archive that is taken in one piece. */
#define LARGE_BYTES (8 * 1024 * 1024 + 12345)

static char *
put (Fixture    *fixture,
     const char *name,
     const char *content,
     gssize      length)
{
  char *path = g_build_filename (fixture->folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (parent, 0755), ==, 0);
  g_file_set_contents (path, content, length, &error);
  g_assert_no_error (error);
  return path;
}

static void
assert_done (HoldJob *job)
{
  g_assert_no_error (hold_job_get_error (job));
  g_assert_cmpint (hold_job_get_state (job), ==, HOLD_JOB_DONE);
  g_assert_cmpuint (hold_report_count (hold_job_get_report (job), HOLD_OUTCOME_FAILED), ==, 0);
}

/* (transfer full): @name in the folder, of @files in it. */
static HoldArchive *
create (Fixture            *fixture,
        const char         *name,
        const char         *format,
        const char         *password,
        const char * const *files)
{
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);
  HoldCreateRequest *request = hold_create_request_new (path, hold_format_by_id (format), files);
  g_autoptr (HoldCreateJob) job = NULL;

  if (password != NULL)
    request->secret = hold_secret_new (password);
  job = hold_create_job_new (request);
  hold_scheduler_run (fixture->scheduler, HOLD_JOB (job));
  assert_done (HOLD_JOB (job));
  return g_object_ref (hold_create_job_get_archive (job));
}

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  g_autofree char *a = NULL;
  g_autofree char *b = NULL;
  g_autofree char *docs = NULL;

  fixture->folder = g_dir_make_tmp ("hold-encrypted-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->folder, "a.zip", NULL);
  docs = g_build_filename (fixture->folder, "docs", NULL);
  fixture->scheduler = hold_scheduler_new (2, 2);
  fixture->keyring = hold_keyring_new ();
  a = put (fixture, "docs/a", "alpha, the first of them", -1);
  b = put (fixture, "docs/b", "beta", -1);
  fixture->archive = create (fixture, "a.zip", "zip", "right", (const char *[]) { docs, NULL });
  g_assert_true (hold_archive_is_all_encrypted (fixture->archive));
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  const char *argv[] = { "rm", "-rf", fixture->folder, NULL };

  hold_scheduler_free (fixture->scheduler);
  g_assert_finalize_object (fixture->archive);
  hold_keyring_unref (fixture->keyring);
  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  g_free (fixture->folder);
  g_free (fixture->path);
}

static void
know (Fixture    *fixture,
      const char *password)
{
  g_autoptr (HoldSecret) secret = hold_secret_new (password);

  hold_keyring_add (fixture->keyring, secret);
}

static void
question_cb (HoldJob    *job,
             GParamSpec *pspec,
             Fixture    *fixture)
{
  HoldQuestion *question = hold_job_get_question (job);
  const char *word;

  if (question == NULL)
    return;
  g_assert_cmpint (hold_question_get_kind (question), ==, HOLD_QUESTION_PASSWORD);
  g_assert_cmpstr (hold_question_get_archive_path (question), ==, fixture->path);
  word = fixture->script[fixture->n_asked++];
  g_assert_nonnull (word);
  fixture->n_wrong += hold_question_was_wrong (question);
  fixture->for_adding = hold_question_is_for_adding (question);
  if (g_str_equal (word, "cancel"))
    {
      hold_question_cancel (question);
    }
  else
    {
      g_autoptr (HoldSecret) secret = hold_secret_new (word);

      hold_question_answer_password (question, secret);
    }
}

/* (transfer full): takes @request; finished. Somebody listens if there is a script. */
static HoldUpdateJob *
run (Fixture           *fixture,
     HoldUpdateRequest *request)
{
  HoldUpdateJob *job;

  hold_update_request_set_keyring (request, fixture->keyring);
  job = hold_update_job_new (request);
  fixture->n_asked = fixture->n_wrong = 0;
  if (fixture->script != NULL)
    {
      hold_job_set_interactive (HOLD_JOB (job), TRUE);
      g_signal_connect (job, "notify::question", G_CALLBACK (question_cb), fixture);
    }
  hold_scheduler_run (fixture->scheduler, HOLD_JOB (job));
  return job;
}

/* (transfer full) */
static HoldUpdateJob *
add (Fixture    *fixture,
     const char *name,
     const char *content)
{
  g_autofree char *path = put (fixture, name, content, -1);
  HoldUpdateRequest *request = hold_update_request_new (fixture->archive);

  hold_update_request_add (request, path, "");
  return run (fixture, request);
}

static gboolean
append_cb (gpointer       user_data,
           const guint8  *data,
           gsize          length_bytes,
           GError       **error)
{
  g_byte_array_append (user_data, data, (guint) length_bytes);
  return TRUE;
}

/* (transfer full): what comes of @path with @password alone, out of a snapshot that has seen no other. */
static GByteArray *
read_with (Fixture     *fixture,
           const char  *path,
           const char  *password,
           GError     **error)
{
  g_autoptr (HoldArchive) archive = hold_backend_open_archive (fixture->path, NULL, NULL, &hold_limits_default, NULL,
                                                               NULL, NULL, NULL);
  HoldNode *node = hold_tree_lookup (hold_archive_get_tree (archive), path);
  g_autoptr (HoldKeyring) keyring = hold_keyring_new ();
  g_autoptr (HoldSecret) secret = hold_secret_new (password);
  GByteArray *got = g_byte_array_new ();

  hold_keyring_add (keyring, secret);
  g_assert_nonnull (node);
  hold_archive_read_entry (archive, hold_entry_get_index (hold_node_get_entry (node)), keyring, append_cb, got, NULL,
                           error);
  return got;
}

static void
assert_content (Fixture    *fixture,
                const char *path,
                const char *password,
                const char *content,
                gsize       length)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) got = read_with (fixture, path, password, &error);

  g_assert_no_error (error);
  g_assert_cmpmem (got->data, got->len, content, length);
}

#define assert_text(fixture, path, password, text) assert_content (fixture, path, password, text, strlen (text))

static gboolean
is_encrypted (HoldArchive *archive,
              const char  *path)
{
  HoldNode *node = hold_tree_lookup (hold_archive_get_tree (archive), path);

  g_assert_nonnull (node);
  return hold_entry_is_encrypted (hold_node_get_entry (node));
}

/* 7-Zip finds all of it whole with the password, and not without. */
static void
let_seven_zip_judge (Fixture *fixture)
{
  g_autofree char *first = g_find_program_in_path ("7zz");
  g_autofree char *second = g_find_program_in_path ("7z");
  const char *program = first != NULL ? first : second;

  for (guint i = 0; program != NULL && i < 2; i++)
    {
      const char *argv[] = { program, "t", i == 0 ? "-pright" : "-pwrong", fixture->path, NULL };
      g_autoptr (GError) error = NULL;
      int status;

      g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL,
                                   NULL, NULL, NULL, NULL, &status, &error));
      g_assert_no_error (error);
      g_assert_cmpint (g_spawn_check_wait_status (status, NULL), ==, i == 0);
    }
}

static void
test_known (Fixture       *fixture,
            gconstpointer  data)
{
  g_autofree char *folder = g_build_filename (fixture->folder, "more", NULL);
  g_autofree char *large = g_strnfill (LARGE_BYTES, 'x');
  g_autofree char *first = put (fixture, "more/large", large, LARGE_BYTES);
  g_autofree char *second = put (fixture, "more/empty", "", 0);
  g_autofree char *third = put (fixture, "more/deep/small", "small", -1);
  g_autofree char *link = g_build_filename (folder, "link", NULL);
  HoldUpdateRequest *request = hold_update_request_new (fixture->archive);
  g_autoptr (HoldUpdateJob) job = NULL;

  g_assert_cmpint (symlink ("large", link), ==, 0);
  /* The newest is not the one. */
  know (fixture, "right");
  know (fixture, "of another archive");
  fixture->script = (const char *[]) { NULL };
  hold_update_request_add (request, folder, "docs");
  job = run (fixture, request);
  assert_done (HOLD_JOB (job));
  g_assert_cmpuint (hold_archive_get_n_entries (hold_update_job_get_archive (job)), ==, 3 + 6);
  g_assert_true (hold_archive_is_all_encrypted (hold_update_job_get_archive (job)));
  assert_content (fixture, "docs/more/large", "right", large, LARGE_BYTES);
  assert_text (fixture, "docs/more/deep/small", "right", "small");
  assert_text (fixture, "docs/more/empty", "right", "");
  assert_text (fixture, "docs/a", "right", "alpha, the first of them");
  let_seven_zip_judge (fixture);
}

/* Asked until it fits, and never again. */
static void
test_asked (Fixture       *fixture,
            gconstpointer  data)
{
  g_autoptr (HoldUpdateJob) job = NULL;
  g_autoptr (HoldUpdateJob) again = NULL;

  know (fixture, "of another archive");
  fixture->script = (const char *[]) { "wrong", "nor this", "right", NULL };
  job = add (fixture, "c", "gamma");
  assert_done (HOLD_JOB (job));
  g_assert_cmpuint (fixture->n_asked, ==, 3);
  g_assert_cmpuint (fixture->n_wrong, ==, 2);
  g_assert_true (fixture->for_adding);
  g_assert_true (hold_archive_is_all_encrypted (hold_update_job_get_archive (job)));

  again = add (fixture, "d", "delta");
  assert_done (HOLD_JOB (again));
  g_assert_cmpuint (fixture->n_asked, ==, 0);
  g_assert_true (hold_archive_is_all_encrypted (hold_update_job_get_archive (again)));
  assert_text (fixture, "c", "right", "gamma");
  assert_text (fixture, "d", "right", "delta");
  let_seven_zip_judge (fixture);
}

/* What was not answered, or can't be, changes nothing. */
static void
test_refused (Fixture       *fixture,
              gconstpointer  data)
{
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  gsize length_before;
  gsize length_after;
  g_autoptr (HoldUpdateJob) cancelled = NULL;
  g_autoptr (HoldUpdateJob) needed = NULL;
  g_autoptr (HoldUpdateJob) wrong = NULL;

  g_assert_true (g_file_get_contents (fixture->path, &before, &length_before, NULL));
  fixture->script = (const char *[]) { "wrong", "cancel", NULL };
  cancelled = add (fixture, "c", "gamma");
  g_assert_cmpint (hold_job_get_state (HOLD_JOB (cancelled)), ==, HOLD_JOB_CANCELLED);
  g_assert_cmpuint (fixture->n_asked, ==, 2);

  hold_keyring_unref (fixture->keyring);
  fixture->keyring = hold_keyring_new ();
  fixture->script = NULL;
  needed = add (fixture, "c", "gamma");
  g_assert_error (hold_job_get_error (HOLD_JOB (needed)), HOLD_ERROR, HOLD_ERROR_PASSWORD_NEEDED);
  know (fixture, "wrong");
  wrong = add (fixture, "c", "gamma");
  g_assert_error (hold_job_get_error (HOLD_JOB (wrong)), HOLD_ERROR, HOLD_ERROR_PASSWORD_WRONG);

  g_assert_true (g_file_get_contents (fixture->path, &after, &length_after, NULL));
  g_assert_cmpmem (after, length_after, before, length_before);
}

/* What has no content to hide needs no password, nor does what is encrypted already. */
static void
test_for_nothing (Fixture       *fixture,
                  gconstpointer  data)
{
  g_autofree char *other_file = put (fixture, "other", "under another password", -1);
  g_autoptr (HoldArchive) other = create (fixture, "other.zip", "zip", "elsewhere",
                                          (const char *[]) { other_file, NULL });
  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (HoldUpdateJob) job = NULL;
  HoldUpdateRequest *request = hold_update_request_new (fixture->archive);
  guint zero = 0;

  fixture->script = (const char *[]) { NULL };
  g_array_append_val (indices, zero);
  hold_update_request_make_folder (request, "new");
  hold_update_request_rename (request, "docs/a", "new/a");
  hold_update_request_delete (request, "docs/b");
  hold_update_request_copy (request, other, indices, "", "new");
  job = run (fixture, request);
  assert_done (HOLD_JOB (job));
  g_assert_true (hold_archive_is_all_encrypted (hold_update_job_get_archive (job)));
  assert_text (fixture, "new/a", "right", "alpha, the first of them");
  assert_text (fixture, "new/other", "elsewhere", "under another password");
}

/* Where one thing lies open, what is new does too; and where somebody wants it so. */
static void
test_in_the_clear (Fixture       *fixture,
                   gconstpointer  data)
{
  g_autofree char *path = put (fixture, "c", "gamma", -1);
  HoldUpdateRequest *request = hold_update_request_new (fixture->archive);
  g_autoptr (HoldUpdateJob) job = NULL;
  g_autoptr (HoldUpdateJob) mixed = NULL;

  fixture->script = (const char *[]) { NULL };
  hold_update_request_add (request, path, "");
  hold_update_request_set_in_the_clear (request, TRUE);
  job = run (fixture, request);
  assert_done (HOLD_JOB (job));
  g_assert_false (is_encrypted (hold_update_job_get_archive (job), "c"));

  know (fixture, "right");
  mixed = add (fixture, "d", "delta");
  assert_done (HOLD_JOB (mixed));
  g_assert_false (is_encrypted (hold_update_job_get_archive (mixed), "d"));
  g_assert_true (is_encrypted (hold_update_job_get_archive (mixed), "docs/a"));
}

/* Out of archives that lie open, entries are unpacked and packed anew. */
static void
test_copied (Fixture       *fixture,
             gconstpointer  data)
{
  g_autofree char *folder = g_build_filename (fixture->folder, "from", NULL);
  g_autofree char *large = g_strnfill (LARGE_BYTES, 'x');
  g_autofree char *first = put (fixture, "from/large", large, LARGE_BYTES);
  g_autofree char *second = put (fixture, "from/empty", "", 0);
  g_autofree char *third = put (fixture, "from/deep/small", "small", -1);
  g_autofree char *link = g_build_filename (folder, "link", NULL);

  g_assert_cmpint (symlink ("large", link), ==, 0);
  know (fixture, "right");
  for (guint i = 0; i < 2; i++)
    {
      const char *format = i == 0 ? "zip" : "tar.gz";
      g_autofree char *name = g_strconcat ("from.", format, NULL);
      g_autoptr (HoldArchive) from = create (fixture, name, format, NULL, (const char *[]) { folder, NULL });
      g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (guint));
      HoldUpdateRequest *request = hold_update_request_new (fixture->archive);
      g_autoptr (HoldUpdateJob) job = NULL;
      g_autofree char *path_large = g_strconcat (format, "/from/large", NULL);
      g_autofree char *path_small = g_strconcat (format, "/from/deep/small", NULL);
      g_autofree char *path_empty = g_strconcat (format, "/from/empty", NULL);
      g_autofree char *path_link = g_strconcat (format, "/from/link", NULL);
      g_autoptr (GArray) arrived = NULL;

      for (guint k = 0; k < hold_archive_get_n_entries (from); k++)
        g_array_append_val (indices, k);
      hold_update_request_copy (request, from, indices, "", format);
      job = run (fixture, request);
      assert_done (HOLD_JOB (job));
      g_assert_true (hold_archive_is_all_encrypted (hold_update_job_get_archive (job)));
      arrived = hold_update_job_dup_arrived (job, from);
      g_assert_cmpuint (arrived->len, ==, indices->len);
      assert_content (fixture, path_large, "right", large, LARGE_BYTES);
      assert_text (fixture, path_small, "right", "small");
      assert_text (fixture, path_empty, "right", "");
      g_assert_false (is_encrypted (hold_update_job_get_archive (job), path_link));
    }
  let_seven_zip_judge (fixture);
}

/* What takes the place of an entry gets the password of that entry, not the newest that is known. */
static void
test_replaced (Fixture       *fixture,
               gconstpointer  data)
{
  g_autofree char *path = put (fixture, "edited", "alpha, edited", -1);
  HoldNode *node = hold_tree_lookup (hold_archive_get_tree (fixture->archive), "docs/a");
  g_autoptr (HoldUpdateJob) job = NULL;
  HoldUpdateRequest *request = hold_update_request_new (fixture->archive);

  know (fixture, "of another archive");
  fixture->script = (const char *[]) { "right", NULL };
  hold_update_request_replace (request, hold_entry_get_index (hold_node_get_entry (node)), path);
  job = run (fixture, request);
  assert_done (HOLD_JOB (job));
  g_assert_cmpuint (fixture->n_asked, ==, 1);
  g_assert_false (fixture->for_adding);
  assert_text (fixture, "docs/a", "right", "alpha, edited");
}

/* The smallest entry is the one that is tried first, and this one is damaged. */
static void
test_damaged_probe (Fixture       *fixture,
                    gconstpointer  data)
{
  g_autofree char *bytes = NULL;
  gsize length;
  char *name;
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) damage = NULL;
  g_autoptr (GByteArray) lost = NULL;
  g_autoptr (HoldUpdateJob) job = NULL;

  g_assert_true (g_file_get_contents (fixture->path, &bytes, &length, NULL));
  name = memmem (bytes, length, "docs/b", strlen ("docs/b"));
  g_assert_nonnull (name);
  /* Behind the local header's name and extra fields: salt, check, four bytes of data, code. */
  name += strlen ("docs/b") + (guint8) name[-2] + 16 + 2;
  name[1] ^= 1;
  g_assert_true (g_file_set_contents (fixture->path, bytes, (gssize) length, NULL));
  g_object_unref (fixture->archive);
  fixture->archive = hold_backend_open_archive (fixture->path, NULL, NULL, &hold_limits_default, NULL, NULL, NULL,
                                                &error);
  g_assert_no_error (error);
  lost = read_with (fixture, "docs/b", "right", &damage);
  g_assert_nonnull (damage);
  g_assert_false (damage->code == HOLD_ERROR_PASSWORD_WRONG);

  fixture->script = (const char *[]) { "wrong", "right", NULL };
  job = add (fixture, "c", "gamma");
  assert_done (HOLD_JOB (job));
  g_assert_cmpuint (fixture->n_wrong, ==, 1);
  assert_text (fixture, "c", "right", "gamma");
}

/* Edits that wait share a rewrite, and all of them are encrypted. */
static void
test_queued (Fixture       *fixture,
             gconstpointer  data)
{
  g_autoptr (GPtrArray) jobs = g_ptr_array_new_with_free_func (g_object_unref);

  know (fixture, "right");
  for (guint i = 0; i < 20; i++)
    {
      g_autofree char *name = g_strdup_printf ("file-%u", i);
      g_autofree char *path = put (fixture, name, name, -1);
      HoldUpdateRequest *request = hold_update_request_new (fixture->archive);
      HoldUpdateJob *job;

      hold_update_request_add (request, path, "");
      hold_update_request_set_keyring (request, fixture->keyring);
      job = hold_update_job_new (request);
      g_ptr_array_add (jobs, job);
      hold_scheduler_submit (fixture->scheduler, HOLD_JOB (job));
    }
  for (guint i = 0; i < jobs->len; i++)
    {
      while (!hold_job_is_finished (g_ptr_array_index (jobs, i)))
        g_main_context_iteration (NULL, TRUE);
      assert_done (g_ptr_array_index (jobs, i));
    }
  g_assert_true (hold_archive_is_all_encrypted (hold_update_job_get_archive (g_ptr_array_index (jobs, 19))));
  assert_text (fixture, "file-0", "right", "file-0");
  assert_text (fixture, "file-19", "right", "file-19");
  let_seven_zip_judge (fixture);
}

#define ADD(name, func) g_test_add ("/update-encrypted/" name, Fixture, NULL, set_up, func, tear_down)

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  ADD ("known", test_known);
  ADD ("asked", test_asked);
  ADD ("refused", test_refused);
  ADD ("for-nothing", test_for_nothing);
  ADD ("in-the-clear", test_in_the_clear);
  ADD ("copied", test_copied);
  ADD ("replaced", test_replaced);
  ADD ("damaged-probe", test_damaged_probe);
  ADD ("queued", test_queued);

  return g_test_run ();
}
