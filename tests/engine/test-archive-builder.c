/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What a snapshot says of itself: limits, links, sums, capabilities of this very file (W18), and
 * whether the file is still the one that was opened. */

#include "model.h"

#include "hold-backend.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void
test_limits (void)
{
  HoldLimits limits = hold_limits_default;
  g_autoptr (GError) error = NULL;
  const HoldNameSource name = { (const guint8 *) "a", 1, FALSE, FALSE };
  const HoldNameSource huge = { (const guint8 *) "a", (gsize) 1 << 40, FALSE, FALSE };
  const HoldEntry entry = { .type = HOLD_ENTRY_FILE };

  limits.max_entries = 3;
  g_autoptr (HoldArchiveBuilder) builder = model_builder_new (NULL, &limits);
  g_assert_false (hold_archive_builder_add (builder, &entry, &huge, NULL, NULL, &error));
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_TOO_LARGE);
  g_clear_error (&error);
  for (guint i = 0; i < 3; i++)
    g_assert_true (hold_archive_builder_add (builder, &entry, &name, NULL, NULL, &error));
  g_assert_false (hold_archive_builder_add (builder, &entry, &name, NULL, NULL, &error));
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_TOO_LARGE);

  g_autoptr (HoldArchive) archive = model_finish (builder);
  g_assert_cmpuint (hold_archive_get_n_entries (archive), ==, 3);
}

static void
test_links (void)
{
  const ModelItem items[] = { { "d/in", 0, -1, "../a" },     { "out", 0, -1, "../a" },
                              { "abs", 0, -1, "/etc/passwd" }, { "d/raw", 0, -1, "\xff\xfe" },
                              { "back", MODEL_DOS, -1, "..\\x" }, { NULL } };
  const HoldUnsafe expected[] = { 0, HOLD_UNSAFE_LINK_ESCAPE, HOLD_UNSAFE_LINK_ESCAPE, 0,
                                  HOLD_UNSAFE_LINK_ESCAPE };
  g_autoptr (HoldArchive) archive = model_archive (NULL, items);

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmphex (hold_entry_get_unsafe (hold_archive_get_entry (archive, i)), ==, expected[i]);

  const HoldEntry *raw = hold_archive_get_entry (archive, 3);
  g_assert_cmpstr (hold_entry_get_link_target (raw), ==, "%FF%FE");
  g_assert_cmpstr (hold_entry_get_disk_link_target (raw), ==, "\xff\xfe");
}

/* A hard link names another entry the way that entry's own name is read. */
static void
test_hardlink (void)
{
  g_autoptr (HoldArchiveBuilder) builder = model_builder_new (NULL, NULL);
  const HoldNameSource name = { (const guint8 *) "./b", 3, FALSE, FALSE };
  const HoldNameSource same = { (const guint8 *) "/./d//a", 7, FALSE, FALSE };
  const HoldNameSource outside = { (const guint8 *) "../a", 4, FALSE, FALSE };
  const HoldEntry entry = { .type = HOLD_ENTRY_HARDLINK };

  g_assert_true (hold_archive_builder_add (builder, &entry, &name, &same, NULL, NULL));
  g_assert_true (hold_archive_builder_add (builder, &entry, &name, &outside, NULL, NULL));
  g_autoptr (HoldArchive) archive = model_finish (builder);

  g_assert_cmpstr (hold_entry_get_disk_link_target (hold_archive_get_entry (archive, 0)), ==, "d/a");
  g_assert_cmphex (hold_entry_get_unsafe (hold_archive_get_entry (archive, 0)), ==, 0);
  g_assert_cmphex (hold_entry_get_unsafe (hold_archive_get_entry (archive, 1)), ==,
                   HOLD_UNSAFE_LINK_ESCAPE);
}

static void
test_sums (void)
{
  const ModelItem known[] = { { "a", 0, G_MAXINT64 }, { "b", 0, G_MAXINT64 }, { "c", 0, 10 },
                              { "d/", 0, -1 }, { NULL } };
  const ModelItem unknown[] = { { "a", 0, 7 }, { "b", 0, -1 }, { NULL } };
  g_autoptr (HoldArchive) big = model_archive (NULL, known);
  g_autoptr (HoldArchive) some = model_archive (NULL, unknown);
  gboolean is_complete;

  g_assert_cmpuint (hold_archive_get_unpacked_size (big, &is_complete), ==, G_MAXUINT64);
  g_assert_true (is_complete);
  g_assert_cmpuint (hold_node_get_size (hold_tree_get_root (hold_archive_get_tree (big))), ==,
                    G_MAXUINT64);
  g_assert_cmpuint (hold_archive_get_unpacked_size (some, &is_complete), ==, 7);
  g_assert_false (is_complete);
  g_assert_false (hold_entry_get_size (hold_archive_get_entry (some, 1), NULL));
  g_assert_cmpuint (hold_archive_get_generation (big), !=, hold_archive_get_generation (some));
}

static void
test_filters_and_failure (void)
{
  g_autoptr (HoldArchiveBuilder) builder = model_builder_new (NULL, NULL);
  g_autoptr (GError) cut = g_error_new_literal (HOLD_ERROR, HOLD_ERROR_TRUNCATED, "cut");
  gboolean is_complete;

  hold_archive_builder_add_filter (builder, "xz");
  hold_archive_builder_add_filter (builder, "gzip");
  hold_archive_builder_set_failed (builder, cut);
  model_add (builder, &(ModelItem) { "a", 0, 1 });
  g_autoptr (HoldArchive) archive = model_finish (builder);

  g_assert_cmpstr (hold_archive_get_filters (archive)[0], ==, "xz");
  g_assert_cmpstr (hold_archive_get_filters (archive)[1], ==, "gzip");
  g_assert_null (hold_archive_get_filters (archive)[2]);
  g_assert_error (_hold_archive_get_list_error (archive), HOLD_ERROR, HOLD_ERROR_TRUNCATED);
  g_assert_cmpuint (hold_archive_get_unpacked_size (archive, &is_complete), ==, 1);
  g_assert_false (is_complete);
}

static guint n_freed;

static void
count_free (gpointer data)
{
  g_assert_cmpstr (data, ==, "data");
  n_freed++;
}

static char **
two_details (HoldArchive *archive, guint index)
{
  return g_strdupv ((char *[]) { (char *) "Own label", (char *) "own value", NULL });
}

/* The backend's data dies with the snapshot, once, also if there never was one. */
static void
test_backend (void)
{
  const HoldBackend backend = { .free_data = count_free, .dup_details = two_details };
  g_autoptr (GError) error = NULL;

  g_autoptr (HoldArchiveBuilder) builder = model_builder_new (NULL, NULL);
  model_add (builder, &(ModelItem) { "a\nb", 0, 1 });
  HoldArchive *archive =
    hold_archive_builder_finish (builder, &backend, (gpointer) "data", &error);
  g_assert_no_error (error);
  g_assert_true (_hold_archive_get_backend (archive) == &backend);

  g_auto (GStrv) details = hold_archive_dup_details (archive, 0);
  guint n = g_strv_length (details);
  g_assert_cmpuint (n % 2, ==, 0);
  g_assert_cmpstr (details[n - 2], ==, "Own label");
  for (guint i = 0; i < n; i++)
    g_assert_null (strchr (details[i], '\n'));

  g_assert_cmpuint (n_freed, ==, 0);
  g_assert_finalize_object (archive);
  g_assert_cmpuint (n_freed, ==, 1);

  g_autoptr (HoldArchiveBuilder) failing = model_builder_new ("no-such-charset", NULL);
  g_assert_null (hold_archive_builder_finish (failing, &backend, (gpointer) "data", NULL));
  g_assert_cmpuint (n_freed, ==, 2);
}

static HoldArchive *
archive_at (const char *path, HoldCaps added)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HoldArchiveBuilder) builder = hold_archive_builder_new (path, NULL, NULL);
  HoldFileIdentity identity;
  int fd = open (path, O_RDONLY | O_CLOEXEC);

  g_assert_no_errno (fd);
  g_assert_true (hold_file_identity_from_fd (fd, &identity, &error));
  g_assert_no_error (error);
  g_assert_no_errno (close (fd));
  hold_archive_builder_set_format (builder, hold_format_by_id ("rar"));
  hold_archive_builder_set_identity (builder, &identity);
  hold_archive_builder_add_caps (builder, added);
  return model_finish (builder);
}

static char *
make_file (const char *dir, const char *name)
{
  g_autoptr (GError) error = NULL;
  char *path = g_build_filename (dir, name, NULL);

  g_assert_true (g_file_set_contents (path, "abc", 3, &error));
  g_assert_no_error (error);
  return path;
}

static char *
make_dir (void)
{
  g_autoptr (GError) error = NULL;
  char *dir = g_dir_make_tmp ("hold-builder-XXXXXX", &error);

  g_assert_no_error (error);
  return dir;
}

static void
test_unchanged (void)
{
  g_autofree char *dir = make_dir ();
  g_autofree char *path = make_file (dir, "a.rar");
  g_autofree char *other = make_file (dir, "b.rar");
  g_autoptr (GError) error = NULL;
  g_autoptr (HoldArchive) archive = archive_at (path, 0);

  g_assert_cmpuint (hold_archive_get_size (archive), ==, 3);
  g_assert_true (hold_archive_check_unchanged (archive, &error));
  g_assert_no_error (error);

  /* Same size, same bytes, another file. */
  g_assert_no_errno (g_rename (other, path));
  g_assert_false (hold_archive_check_unchanged (archive, &error));
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK);
  g_clear_error (&error);

  g_autoptr (HoldArchive) again = archive_at (path, 0);
  const struct timespec times[2] = { { 1, 5 }, { 1, 5 } };
  g_assert_no_errno (utimensat (AT_FDCWD, path, times, 0));
  g_assert_false (hold_archive_check_unchanged (again, &error));
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK);
  g_clear_error (&error);

  g_assert_no_errno (g_unlink (path));
  g_assert_false (hold_archive_check_unchanged (again, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  g_assert_no_errno (g_rmdir (dir));
}

/* W18, with the effective user of a child process, since nothing is read-only to root. */
static void
test_read_only (void)
{
  const HoldCaps edits = HOLD_CAP_UPDATE | HOLD_CAP_RAW_COPY;
  g_autofree char *dir = make_dir ();
  g_autofree char *path = make_file (dir, "a.rar");
  gboolean is_root = geteuid () == 0;

  if (is_root)
    {
      g_assert_no_errno (chown (dir, 65534, 65534));
      g_assert_no_errno (chown (path, 65534, 65534));
      g_assert_no_errno (seteuid (65534));
    }

  {
    g_autoptr (HoldArchive) writable = archive_at (path, edits);
    g_assert_true (hold_archive_get_caps (writable) & HOLD_CAP_UPDATE);
    g_assert_null (hold_archive_why_not (writable, HOLD_CAP_UPDATE));
    /* What the format lacks has the format's reason. */
    g_assert_cmpstr (hold_archive_why_not (writable, HOLD_CAP_WRITE), ==,
                     hold_format_why_not (hold_format_by_id ("rar"), HOLD_CAP_WRITE));
  }

  g_assert_no_errno (g_chmod (path, 0444));
  {
    g_autoptr (HoldArchive) read_only = archive_at (path, edits);
    g_assert_false (hold_archive_get_caps (read_only) & edits);
    const char *why = hold_archive_why_not (read_only, HOLD_CAP_UPDATE);
    g_assert_nonnull (strstr (why, "The file can't be written"));
  }

  g_assert_no_errno (g_chmod (path, 0644));
  g_assert_no_errno (g_chmod (dir, 0555));
  {
    g_autoptr (HoldArchive) read_only = archive_at (path, edits);
    g_assert_false (hold_archive_get_caps (read_only) & edits);
    const char *why = hold_archive_why_not (read_only, HOLD_CAP_RAW_COPY);
    g_assert_nonnull (strstr (why, "Its folder can't be written"));
  }

  g_assert_no_errno (g_chmod (dir, 0755));
  if (is_root)
    g_assert_no_errno (seteuid (0));
  g_assert_no_errno (g_unlink (path));
  g_assert_no_errno (g_rmdir (dir));
}

static HoldArchive *
archive_of (const char *path, const char *format, const char *filter, HoldEntryFlags flags,
            const GError *failure)
{
  g_autoptr (HoldArchiveBuilder) builder = hold_archive_builder_new (path, NULL, NULL);
  const HoldNameSource name = { (const guint8 *) "a", 1, FALSE, FALSE };
  const HoldEntry entry = { .type = HOLD_ENTRY_FILE, .flags = flags };

  hold_archive_builder_set_format (builder, hold_format_by_id (format));
  if (filter != NULL)
    hold_archive_builder_add_filter (builder, filter);
  if (failure != NULL)
    hold_archive_builder_set_failed (builder, failure);
  g_assert_true (hold_archive_builder_add (builder, &entry, &name, NULL, NULL, NULL));
  return model_finish (builder);
}

static void
assert_can_update (HoldArchive *archive, gboolean expected)
{
  g_assert_cmpint ((hold_archive_get_caps (archive) & HOLD_CAP_UPDATE) != 0, ==, expected);
  g_assert_cmpint (hold_archive_why_not (archive, HOLD_CAP_UPDATE) == NULL, ==, expected);
}

/* An edit must never cost what can't be written back, so it is refused from the start. */
static void
test_content_forbids (void)
{
  g_autofree char *dir = make_dir ();
  g_autofree char *path = make_file (dir, "a");
  g_autoptr (GError) cut = g_error_new_literal (HOLD_ERROR, HOLD_ERROR_TRUNCATED, "cut");
  const struct {
    const char *format;
    const char *filter;
    HoldEntryFlags flags;
    gboolean is_damaged;
    gboolean can_update;
  } cases[] = {
    { "zip", NULL, 0, FALSE, TRUE },
    { "zip", NULL, HOLD_ENTRY_ENCRYPTED, FALSE, TRUE },   /* kept raw */
    { "zip", NULL, HOLD_ENTRY_UNREADABLE, FALSE, TRUE },
    { "zip", NULL, 0, TRUE, FALSE },
    { "zip", "gzip", 0, FALSE, FALSE },
    { "tar", NULL, 0, FALSE, TRUE },
    { "tar", "grzip", 0, FALSE, FALSE },                  /* would come out without it */
    { "tar.gz", "gzip", 0, FALSE, TRUE },
    { "cpio", "gzip", 0, FALSE, FALSE },
    { "7z", NULL, 0, FALSE, TRUE },
    { "7z", NULL, HOLD_ENTRY_ENCRYPTED, FALSE, FALSE },
    { "7z", NULL, HOLD_ENTRY_UNREADABLE, FALSE, FALSE },
    { "rar", NULL, 0, FALSE, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (HoldArchive) archive =
        archive_of (path, cases[i].format, cases[i].filter, cases[i].flags,
                    cases[i].is_damaged ? cut : NULL);

      g_test_message ("%s, case %u", cases[i].format, i);
      assert_can_update (archive, cases[i].can_update);
      g_assert_cmpint (hold_archive_is_encrypted (archive), ==,
                       (cases[i].flags & HOLD_ENTRY_ENCRYPTED) != 0);
    }
  g_assert_no_errno (g_unlink (path));
  g_assert_no_errno (g_rmdir (dir));
}

/* 100,000 entries: the time is printed; the bound is many times what a slow and busy machine needs with
 * sanitizers, and little beside what anything quadratic would take. */
static void
test_many (void)
{
  g_autoptr (HoldArchiveBuilder) builder = model_builder_new (NULL, NULL);
  gint64 start = g_get_monotonic_time ();

  for (guint i = 0; i < 100000; i++)
    {
      char name[96];

      g_snprintf (name, sizeof name, "project-%u/src/module-%u/file-number-%u.txt", i / 10000,
                  i / 100, i);
      model_add (builder, &(ModelItem) { name, 0, 100 });
    }
  gint64 added = g_get_monotonic_time ();
  g_autoptr (HoldArchive) archive = model_finish (builder);
  gint64 finished = g_get_monotonic_time ();

  g_test_message ("100,000 entries: %.1f ms to add, %.1f ms to finish", (added - start) / 1000.0,
                  (finished - added) / 1000.0);
  g_assert_cmpuint (hold_archive_get_n_entries (archive), ==, 100000);
  g_assert_cmpstr (model_path (archive, 99999), ==, "project-9/src/module-999/file-number-99999.txt");
  g_assert_cmpint (finished - start, <, 60 * G_USEC_PER_SEC);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/builder/limits", test_limits);
  g_test_add_func ("/builder/links", test_links);
  g_test_add_func ("/builder/hardlink", test_hardlink);
  g_test_add_func ("/builder/sums", test_sums);
  g_test_add_func ("/builder/filters-and-failure", test_filters_and_failure);
  g_test_add_func ("/builder/backend", test_backend);
  g_test_add_func ("/builder/unchanged", test_unchanged);
  g_test_add_func ("/builder/read-only", test_read_only);
  g_test_add_func ("/builder/content-forbids", test_content_forbids);
  g_test_add_func ("/builder/many", test_many);
  return g_test_run ();
}
