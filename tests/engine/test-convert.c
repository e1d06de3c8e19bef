/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Converting: how often the old archive is read, what of damage gets into the new one (nothing), and
 * that cancelling leaves no trace. */

#include "test-job-helpers.h"

#include "hold-job-convert.h"

#include <string.h>

/* More than is held back before it is written. */
#define LARGE "9000000"
#define LARGE_BYTES 9000000

typedef struct
{
  JobFixture job;
  char *new_path;
} Fixture;

static void
set_up (Fixture *self, const char *text)
{
  job_fixture_set_up (&self->job, text);
  self->new_path = g_build_filename (self->job.dir, "new", NULL);
}

static void
tear_down (Fixture *self)
{
  job_fixture_tear_down (&self->job);
  g_free (self->new_path);
}

static HoldJob *
new_job (Fixture *self, const char *format)
{
  HoldConvertRequest *request = hold_convert_request_new (self->job.archive, self->new_path,
                                                          hold_format_by_id (format));

  request->keyring = hold_keyring_ref (self->job.keyring);
  return HOLD_JOB (hold_convert_job_new (request));
}

/* (transfer full): the new archive. */
static HoldArchive *
convert (Fixture *self, const char *format, HoldReport **report)
{
  g_autoptr (HoldJob) job = new_job (self, format);
  HoldProgress progress;
  HoldArchive *result;

  hold_scheduler_submit (self->job.scheduler, job);
  wait_finished (job);
  g_assert_no_error (hold_job_get_error (job));
  g_assert_cmpint (hold_job_get_state (job), ==, HOLD_JOB_DONE);
  hold_job_get_progress (job, &progress);
  g_assert_cmpuint (progress.bytes_done, ==, progress.bytes_total);
  hold_progress_clear (&progress);

  result = g_object_ref (hold_convert_job_get_archive (HOLD_CONVERT_JOB (job)));
  *report = hold_report_ref (hold_job_get_report (job));
  return result;
}

/* The files of the new archive, sorted by nothing, as one line. */
static void
assert_names (HoldArchive *archive, const char *expected)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < hold_archive_get_n_entries (archive); i++)
    g_string_append_printf (names, "%s%s", i > 0 ? " " : "",
                            hold_entry_get_path (hold_archive_get_entry (archive, i)));
  g_assert_cmpstr (names->str, ==, expected);
}

typedef struct
{
  const char *path;
  guint64 position;
} Compared;

static gboolean
compare_cb (gpointer user_data, const guint8 *data, gsize length, GError **error)
{
  Compared *compared = user_data;

  for (gsize i = 0; i < length; i += 997)
    g_assert_cmpuint (data[i], ==, hold_fake_byte (compared->path, compared->position + i));
  compared->position += length;
  return TRUE;
}

/* Entry @path of the new archive is what the fake says @original is. */
static void
assert_content (HoldArchive *archive, const char *path, const char *original, guint64 size)
{
  HoldNode *node = hold_tree_lookup (hold_archive_get_tree (archive), path);
  Compared compared = { original, 0 };
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (node);
  hold_archive_read_entry (archive, hold_entry_get_index (hold_node_get_entry (node)), NULL, compare_cb, &compared,
                           NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (compared.position, ==, size);
}

static void
test_one_pass (void)
{
  static const char *const formats[] = { "zip", "tar.gz", "7z" };
  g_autoptr (GString) text = g_string_new ("archive sequential\nhardlink first target=big\nfile big size=" LARGE "\n");

  for (guint i = 0; i < 200; i++)
    g_string_append_printf (text, "folder d%u\nfile d%u/f size=%u\nhardlink d%u/h target=d%u/f\n", i, i, i * 7, i, i);

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      Fixture f;
      g_autoptr (HoldReport) report = NULL;
      g_autoptr (HoldArchive) new = NULL;

      set_up (&f, text->str);
      new = convert (&f, formats[i], &report);
      /* Once for all, and once more for the large one that two names share. */
      g_assert_cmpuint (hold_fake_get_n_passes (f.job.fake), ==, 2);
      g_assert_cmpuint (hold_archive_get_n_entries (new), ==, 2 + 200 * 3);
      assert_content (new, "big", "big", LARGE_BYTES);
      assert_content (new, "first", "big", LARGE_BYTES);
      assert_content (new, "d199/f", "d199/f", 199 * 7);
      assert_content (new, "d199/h", "d199/f", 199 * 7);
      g_assert_cmpuint (hold_report_count (report, HOLD_OUTCOME_FAILED), ==, 0);
      g_assert_cmpuint (hold_report_count (report, HOLD_OUTCOME_CHANGED), ==, 201);
      tear_down (&f);
    }
}

static void
test_damage (void)
{
  static const struct {
    const char *format;
    guint n_passes;
  } cases[] = {
    { "zip", 1 }, /* takes back what it began */
    { "tar", 3 }, /* tries, looks, and writes anew */
  };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (cases); i++)
    {
      gboolean is_sequential = i % 2 == 0;
      g_autofree char *text = g_strconcat (is_sequential ? "archive sequential\n" : "",
                                           "file a size=10\nfile small size=500 fail=checksum\n"
                                           "file big size=" LARGE " fail=corrupt at=8900000\n"
                                           "file z size=" LARGE "\n"
                                           "file short size=" LARGE " fail=truncated at=8500000\n", NULL);
      g_autoptr (HoldReport) report = NULL;
      g_autoptr (HoldArchive) new = NULL;
      Fixture f;

      set_up (&f, text);
      new = convert (&f, cases[i / 2].format, &report);
      assert_names (new, "a z");
      assert_content (new, "z", "z", LARGE_BYTES);
      assert_reported (report, "small", HOLD_OUTCOME_FAILED, HOLD_ERROR, HOLD_ERROR_CHECKSUM);
      assert_reported (report, "big", HOLD_OUTCOME_FAILED, HOLD_ERROR, HOLD_ERROR_CORRUPT);
      assert_reported (report, "short", HOLD_OUTCOME_FAILED, HOLD_ERROR, HOLD_ERROR_TRUNCATED);
      g_assert_cmpuint (hold_report_count (report, HOLD_OUTCOME_FAILED), ==, 3);
      if (is_sequential)
        g_assert_cmpuint (hold_fake_get_n_passes (f.job.fake), ==, cases[i / 2].n_passes);
      tear_down (&f);
    }
}

/* Formats with sizes in front learn them first. */
static void
test_no_sizes (void)
{
  g_autoptr (HoldReport) report = NULL;
  g_autoptr (HoldArchive) new = NULL;
  Fixture f;

  set_up (&f, "archive sequential\nfile big size=" LARGE " nosize\nfile b size=5 nosize\n");
  new = convert (&f, "tar", &report);
  assert_names (new, "big b");
  assert_content (new, "big", "big", LARGE_BYTES);
  g_assert_cmpuint (hold_report_count (report, HOLD_OUTCOME_FAILED), ==, 0);
  g_assert_cmpuint (hold_fake_get_n_passes (f.job.fake), ==, 2);
  tear_down (&f);
}

static void
assert_only_old (Fixture *self)
{
  g_autoptr (GDir) dir = g_dir_open (self->job.dir, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    g_assert_cmpstr (name, ==, "pack.zip");
}

static void
test_nothing_left (void)
{
  static const struct {
    const char *text;
    GQuark (*domain) (void);
    int code;
  } cases[] = {
    { "file a size=5 fail=checksum\nfolder d\n", hold_error_quark, HOLD_ERROR_CHECKSUM },
    { "file a size=" LARGE " fail=corrupt at=8900000\n", hold_error_quark, HOLD_ERROR_CORRUPT },
    { "file a size=5 unreadable\nfolder d\n", hold_error_quark, HOLD_ERROR_UNSUPPORTED },
    { "file a size=5 password=secret\nfile b size=5\n", hold_error_quark, HOLD_ERROR_PASSWORD_NEEDED },
    { "file a size=5\nfile big size=" LARGE " gate=8800000\n", g_io_error_quark, G_IO_ERROR_CANCELLED },
  };
  static const char *const formats[] = { "zip", "tar", "7z" };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint k = 0; k < 2 * G_N_ELEMENTS (formats); k++)
      {
        gboolean is_cancelled = cases[i].code == G_IO_ERROR_CANCELLED && cases[i].domain == g_io_error_quark;
        g_autofree char *text = g_strconcat (k % 2 == 0 ? "archive sequential\n" : "", cases[i].text, NULL);
        g_autoptr (HoldJob) job = NULL;
        Fixture f;

        set_up (&f, text);
        job = new_job (&f, formats[k / 2]);
        hold_scheduler_submit (f.job.scheduler, job);
        if (is_cancelled)
          {
            wait_at_gate (f.job.fake);
            hold_job_cancel (job);
          }
        wait_finished (job);
        g_assert_cmpint (hold_job_get_state (job), ==, is_cancelled ? HOLD_JOB_CANCELLED : HOLD_JOB_FAILED);
        if (!is_cancelled)
          g_assert_error (hold_job_get_error (job), cases[i].domain (), cases[i].code);
        assert_only_old (&f);
        g_clear_object (&job);
        tear_down (&f);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/convert/one-pass", test_one_pass);
  g_test_add_func ("/convert/damage", test_damage);
  g_test_add_func ("/convert/no-sizes", test_no_sizes);
  g_test_add_func ("/convert/nothing-left", test_nothing_left);
  return g_test_run ();
}
