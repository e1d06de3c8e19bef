/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A new archive that ends as several files: all of them or none, and never in the place of others. */

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hold-output.h"
#include "hold-volumes.h"

enum
{
  VOLUME = HOLD_VOLUME_MIN_BYTES,
};

typedef struct
{
  char *folder;
  char *path;
  guint64 n_moved;
  guint64 stop_at; /* bytes; 0: never */
} Fixture;

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("hold-volumes-XXXXXX", &error);
  g_assert_no_error (error);
  fixture->path = g_build_filename (fixture->folder, "a.zip", NULL);
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  GDir *dir = g_dir_open (fixture->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (fixture->folder, name, NULL);

      g_assert_cmpint (g_remove (path), ==, 0);
    }
  g_dir_close (dir);
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  g_free (fixture->folder);
  g_free (fixture->path);
}

static int
compare_names (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* All files of the folder, hidden ones too, with blanks between. */
static void
assert_files (Fixture    *fixture,
              const char *wanted)
{
  GDir *dir = g_dir_open (fixture->folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *found = NULL;
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_dir_close (dir);
  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);
  found = g_strjoinv (" ", (char **) names->pdata);
  g_assert_cmpstr (found, ==, wanted);
}

static void
put (Fixture    *fixture,
     const char *name,
     const char *text)
{
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
}

static guint8
byte_at (guint64 offset)
{
  return (guint8) (offset * 7 + offset / 251);
}

static void
assert_volume (Fixture *fixture,
               guint    number,
               guint64  offset,
               gsize    length_bytes)
{
  g_autofree char *path = g_strdup_printf ("%s.%03u", fixture->path, number);
  g_autofree char *content = NULL;
  g_autoptr (GError) error = NULL;
  gsize found_bytes;
  struct stat st;
  mode_t mask = umask (022);

  umask (mask);
  g_file_get_contents (path, &content, &found_bytes, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (found_bytes, ==, length_bytes);
  for (gsize i = 0; i < length_bytes; i++)
    g_assert_cmpuint ((guint8) content[i], ==, byte_at (offset + i));
  g_assert_cmpint (stat (path, &st), ==, 0);
  g_assert_cmpuint (st.st_mode & 0777, ==, 0666 & ~mask);
}

static gboolean
moved_cb (gpointer   user_data,
          guint64    n_bytes,
          GError   **error)
{
  Fixture *fixture = user_data;

  fixture->n_moved += n_bytes;
  if (fixture->stop_at == 0 || fixture->n_moved < fixture->stop_at)
    return TRUE;
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "stopped");
  return FALSE;
}

static HoldOutput *
new_set (Fixture *fixture,
         gboolean overwrite)
{
  g_autoptr (GError) error = NULL;
  HoldOutput *output = hold_output_new_create (fixture->path, overwrite, &error);

  g_assert_no_error (error);
  g_assert_true (hold_output_set_volumes (output, VOLUME, moved_cb, fixture, &error));
  g_assert_no_error (error);
  return output;
}

static void
fill (HoldOutput *output,
      gsize       length_bytes)
{
  g_autofree guint8 *content = g_malloc (length_bytes);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < length_bytes; i++)
    content[i] = byte_at (i);
  g_assert_true (hold_output_write_all (hold_output_get_fd (output), content, length_bytes, "test",
                                        &error));
  g_assert_no_error (error);
}

static void
commit (HoldOutput *output)
{
  g_autoptr (HoldReport) report = hold_report_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (hold_output_commit (output, report, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (hold_report_get_n_items (report), ==, 0);
}

static void
assert_refused (HoldOutput *output,
                int         code)
{
  g_autoptr (HoldReport) report = hold_report_new ();
  g_autoptr (GError) error = NULL;

  g_assert_false (hold_output_commit (output, report, &error));
  g_assert_error (error, G_IO_ERROR, code);
}

static void
test_set (Fixture       *fixture,
          gconstpointer  data)
{
  g_autoptr (HoldOutput) output = new_set (fixture, FALSE);
  g_autofree char *first = g_strconcat (fixture->path, ".001", NULL);
  g_autofree char *written = NULL;
  g_autoptr (GError) error = NULL;
  guint64 copy_bytes;

  fill (output, 2 * VOLUME + 100);
  g_assert_true (hold_output_check_volumes (output, &copy_bytes, &error));
  g_assert_cmpuint (copy_bytes, ==, VOLUME + 100);
  commit (output);
  g_assert_cmpuint (fixture->n_moved, ==, VOLUME + 100);
  assert_files (fixture, "a.zip.001 a.zip.002 a.zip.003");
  assert_volume (fixture, 1, 0, VOLUME);
  assert_volume (fixture, 2, VOLUME, VOLUME);
  assert_volume (fixture, 3, 2 * VOLUME, 100);
  written = hold_output_dup_path (output);
  g_assert_cmpstr (written, ==, first);
}

static void
test_without_rest (Fixture       *fixture,
                   gconstpointer  data)
{
  g_autoptr (HoldOutput) output = new_set (fixture, FALSE);

  fill (output, 2 * VOLUME);
  commit (output);
  assert_files (fixture, "a.zip.001 a.zip.002");
  assert_volume (fixture, 2, VOLUME, VOLUME);
}

/* What fits one has the name that was asked for, and may take its place. */
static void
test_one (Fixture       *fixture,
          gconstpointer  data)
{
  put (fixture, "a.zip", "old");

  g_autoptr (HoldOutput) output = new_set (fixture, TRUE);
  g_autofree char *written = NULL;

  fill (output, VOLUME);
  commit (output);
  assert_files (fixture, "a.zip");
  written = hold_output_dup_path (output);
  g_assert_cmpstr (written, ==, fixture->path);
  g_assert_cmpuint (fixture->n_moved, ==, 0);
}

/* Not even where a file may be overwritten: only that of the whole archive was asked about. */
static void
test_taken (Fixture       *fixture,
            gconstpointer  data)
{
  g_autoptr (HoldOutput) output = NULL;
  g_autoptr (HoldOutput) second = NULL;
  g_autoptr (GError) error = NULL;

  put (fixture, "a.zip.001", "theirs");
  output = hold_output_new_create (fixture->path, TRUE, &error);
  g_assert_no_error (error);
  g_assert_false (hold_output_set_volumes (output, VOLUME, moved_cb, fixture, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS);
  g_clear_pointer (&output, hold_output_free);
  assert_files (fixture, "a.zip.001");

  /* One behind the last would be read as part of the set. */
  for (guint number = 2; number <= 3; number++)
    {
      g_autofree char *name = g_strdup_printf ("a.zip.%03u", number);
      g_autofree char *path = g_build_filename (fixture->folder, name, NULL);
      g_autofree char *old = g_build_filename (fixture->folder, "a.zip.001", NULL);

      if (number == 2)
        g_assert_cmpint (g_remove (old), ==, 0);
      second = new_set (fixture, TRUE);
      fill (second, VOLUME + 1);
      put (fixture, name, "theirs");
      assert_refused (second, G_IO_ERROR_EXISTS);
      g_clear_pointer (&second, hold_output_free);
      assert_files (fixture, name);
      g_assert_cmpint (g_remove (path), ==, 0);
    }
}

static void
test_stopped (Fixture       *fixture,
              gconstpointer  data)
{
  g_autoptr (HoldOutput) output = new_set (fixture, FALSE);

  fixture->stop_at = VOLUME + 1;
  fill (output, 4 * VOLUME);
  assert_refused (output, G_IO_ERROR_CANCELLED);
  g_clear_pointer (&output, hold_output_free);
  assert_files (fixture, "");
}

static void
test_sizes (Fixture       *fixture,
            gconstpointer  data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) many = NULL;
  g_autoptr (HoldOutput) output = hold_output_new_create (fixture->path, FALSE, &error);
  guint64 copy_bytes;

  g_assert_no_error (error);
  g_assert_false (hold_output_set_volumes (output, VOLUME - 1, moved_cb, fixture, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT);
  g_clear_pointer (&output, hold_output_free);

  output = new_set (fixture, FALSE);
  g_assert_cmpint (ftruncate (hold_output_get_fd (output), (off_t) HOLD_VOLUMES_MAX * VOLUME), ==, 0);
  g_assert_true (hold_output_check_volumes (output, &copy_bytes, &many));
  g_assert_cmpint (ftruncate (hold_output_get_fd (output), (off_t) HOLD_VOLUMES_MAX * VOLUME + 1), ==,
                   0);
  g_assert_false (hold_output_check_volumes (output, &copy_bytes, &many));
  g_assert_error (many, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT);
  assert_refused (output, G_IO_ERROR_INVALID_ARGUMENT);
}

static void
test_killed_writer (Fixture       *fixture,
                    gconstpointer  data)
{
  g_autoptr (HoldOutput) output = NULL;

  put (fixture, ".a.zip.holdall-part", "half");
  put (fixture, ".a.zip.002.holdall-part", "half");
  put (fixture, ".a.zip.300.holdall-part", "half");
  output = new_set (fixture, FALSE);
  assert_files (fixture, ".a.zip.holdall-part");
}

int
main (int    argc,
      char **argv)
{
  static const struct
  {
    const char *path;
    void (*test) (Fixture *fixture, gconstpointer data);
  } cases[] = {
    { "/output-volumes/set", test_set },
    { "/output-volumes/without-rest", test_without_rest },
    { "/output-volumes/one", test_one },
    { "/output-volumes/taken", test_taken },
    { "/output-volumes/stopped", test_stopped },
    { "/output-volumes/sizes", test_sizes },
    { "/output-volumes/killed-writer", test_killed_writer },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_test_add (cases[i].path, Fixture, NULL, set_up, cases[i].test, tear_down);
  return g_test_run ();
}
