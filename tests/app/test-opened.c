/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The copy of an opened entry at moments that no test from outside meets for certain: a program saves
 * once more while the last save is just being put away. And the samples of names in old archives. */

#include "config.h"

#include <glib/gstdio.h>
#include <hold.h>
#include <string.h>

#include "holdall-encoding-list.h"
#include "holdall-job-list.h"
#include "holdall-opened-entry.h"
#include "zip-builder.h"

typedef struct {
  char *folder;
  char *path;
  HoldallJobList *jobs;
  HoldKeyring *keyring;
  HoldArchive *archive;
  HoldallOpenedEntry *entry;  /* of a.txt */
} Fixture;

static void
run (Fixture *self,
     HoldJob *job)
{
  holdall_job_list_submit (self->jobs, job, NULL);
  while (!hold_job_is_finished (job))
    g_main_context_iteration (NULL, TRUE);
  g_assert_no_error (hold_job_get_error (job));
}

static void
open_archive (Fixture    *self,
              const char *text)
{
  g_autoptr (GBytes) bytes = zip_builder_from_text (text);
  g_autoptr (HoldOpenJob) job = NULL;

  self->path = zip_builder_save (bytes, self->folder, "a.zip");
  job = hold_open_job_new (self->path, NULL, self->keyring);
  run (self, HOLD_JOB (job));
  self->archive = g_object_ref (hold_open_job_get_archive (job));
}

static void
prepared_cb (GObject      *object,
             GAsyncResult *result,
             gpointer      user_data)
{
  g_autoptr (GError) error = NULL;

  holdall_opened_entry_prepare_finish (HOLDALL_OPENED_ENTRY (object), result, &error);
  g_assert_no_error (error);
  *(gboolean *) user_data = TRUE;
}

static void
set_up (Fixture       *self,
        gconstpointer  data)
{
  self->folder = g_dir_make_tmp ("holdall-opened-XXXXXX", NULL);
  self->jobs = holdall_job_list_new (NULL);
  self->keyring = hold_keyring_new ();
}

static void
open_entry (Fixture *self)
{
  gboolean is_prepared = FALSE;

  open_archive (self, "a.txt|alpha|\nb.txt|beta|\n");
  self->entry = holdall_opened_entry_new (self->archive, 0, self->keyring, self->jobs);
  holdall_opened_entry_prepare_async (self->entry, NULL, prepared_cb, &is_prepared);
  while (!is_prepared)
    g_main_context_iteration (NULL, TRUE);
  g_assert_false (holdall_opened_entry_is_unsaved (self->entry));
}

static void
tear_down (Fixture       *self,
           gconstpointer  data)
{
  const char *argv[] = { "rm", "-rf", self->folder, NULL };

  g_clear_object (&self->entry);
  g_clear_object (&self->archive);
  hold_keyring_unref (self->keyring);
  g_assert_finalize_object (self->jobs);
  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
                               NULL, NULL, NULL));
  g_free (self->folder);
  g_free (self->path);
}

/* As a program does that writes into the file itself. */
static void
save (Fixture    *self,
      const char *text)
{
  FILE *file = g_fopen (holdall_opened_entry_get_copy (self->entry), "w");

  g_assert_nonnull (file);
  g_assert_cmpint (fputs (text, file), >=, 0);
  g_assert_cmpint (fclose (file), ==, 0);
}

static void
save_again_cb (HoldJob *job,
               Fixture *self)
{
  save (self, "the second save");
}

static void
update (Fixture  *self,
        gboolean  saves_again)
{
  HoldUpdateRequest *request = hold_update_request_new (self->archive);
  g_autoptr (HoldUpdateJob) job = NULL;

  hold_update_request_replace (request, 0, holdall_opened_entry_get_copy (self->entry));
  job = hold_update_job_new (request);
  /* Before the entry hears that the job is done. */
  if (saves_again)
    g_signal_connect (job, "finished", G_CALLBACK (save_again_cb), self);
  holdall_opened_entry_begin_update (self->entry, job);
  run (self, HOLD_JOB (job));
}

/* The archive has the first save, and the only one that has the second is the copy. */
static void
test_saved_during_update (Fixture       *self,
                          gconstpointer  data)
{
  open_entry (self);
  save (self, "the first save");
  holdall_opened_entry_check (self->entry);
  g_assert_true (holdall_opened_entry_is_asking (self->entry));
  update (self, TRUE);
  g_assert_true (holdall_opened_entry_is_unsaved (self->entry));
  g_assert_true (holdall_opened_entry_is_asking (self->entry));

  self->archive = (g_object_unref (self->archive),
                   g_object_ref (holdall_opened_entry_get_archive (self->entry)));
  update (self, FALSE);
  g_assert_false (holdall_opened_entry_is_unsaved (self->entry));
  g_assert_false (holdall_opened_entry_is_busy (self->entry));
}

/* "Discard" answers for what was asked about, and the copy of nothing else is removed. */
static void
test_saved_before_answer (Fixture       *self,
                          gconstpointer  data)
{
  g_autofree char *copy = NULL;
  guint version;

  open_entry (self);
  copy = g_strdup (holdall_opened_entry_get_copy (self->entry));
  save (self, "unwanted");
  holdall_opened_entry_check (self->entry);
  version = holdall_opened_entry_get_version (self->entry);
  save (self, "saved behind the question");
  holdall_opened_entry_settle (self->entry);
  g_assert_true (holdall_opened_entry_is_asking (self->entry));
  g_assert_cmpuint (holdall_opened_entry_get_version (self->entry), !=, version);
  holdall_opened_entry_remove (self->entry);
  g_assert_true (g_file_test (copy, G_FILE_TEST_EXISTS));
}

static void
test_discard (Fixture       *self,
              gconstpointer  data)
{
  g_autofree char *copy = NULL;

  open_entry (self);
  copy = g_strdup (holdall_opened_entry_get_copy (self->entry));
  save (self, "unwanted");
  holdall_opened_entry_check (self->entry);
  holdall_opened_entry_settle (self->entry);
  g_assert_false (holdall_opened_entry_is_unsaved (self->entry));
  holdall_opened_entry_remove (self->entry);
  g_assert_false (g_file_test (copy, G_FILE_TEST_EXISTS));
}

/* Each name once, however many folders have it. */
static void
test_encoding_samples (Fixture       *self,
                       gconstpointer  data)
{
  g_autoptr (GPtrArray) names = NULL;
  g_autofree char *read = NULL;

  open_archive (self, "a/\x81" "ber.txt|1|\nb/\x81" "ber.txt|2|\nc/\x81" "ber.txt|3|\n"
                      "d/\x81" "ber.txt|4|\nd/plain.txt|5|\n");
  names = holdall_encoding_dup_samples (self->archive, 8);
  g_assert_cmpuint (names->len, ==, 1);
  read = holdall_encoding_read (g_ptr_array_index (names, 0), "CP850");
  g_assert_cmpstr (read, ==, "über.txt");
}

int
main (int   argc,
      char *argv[])
{
  g_autofree char *cache = g_dir_make_tmp ("holdall-cache-XXXXXX", NULL);
  const char *remove[] = { "rm", "-rf", cache, NULL };
  int status;

  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/app/opened/saved-during-update", Fixture, NULL, set_up, test_saved_during_update,
              tear_down);
  g_test_add ("/app/opened/saved-before-answer", Fixture, NULL, set_up, test_saved_before_answer,
              tear_down);
  g_test_add ("/app/opened/discard", Fixture, NULL, set_up, test_discard, tear_down);
  g_test_add ("/app/opened/encoding-samples", Fixture, NULL, set_up, test_encoding_samples,
              tear_down);
  status = g_test_run ();
  g_spawn_sync (NULL, (char **) remove, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL,
                NULL);
  return status;
}
