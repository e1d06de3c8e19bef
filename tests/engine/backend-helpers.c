/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A folder that goes with everything in it, and a visitor that checks the contract of a pass. */

#include "backend-helpers.h"

#include <glib/gstdio.h>
#include <string.h>

#include "hold-secret.h"

void
box_init (Box *box)
{
  g_autoptr (GError) error = NULL;

  box->dir = g_dir_make_tmp ("holdall-backend-XXXXXX", &error);
  g_assert_no_error (error);
}

void
box_clear (Box *box)
{
  g_autoptr (GDir) dir = box->dir != NULL ? g_dir_open (box->dir, 0, NULL) : NULL;
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = box_path (box, name);

      g_assert_cmpint (g_remove (path), ==, 0);
    }
  if (box->dir != NULL)
    g_assert_cmpint (g_rmdir (box->dir), ==, 0);
  g_clear_pointer (&box->dir, g_free);
}

char *
box_path (Box *box, const char *name)
{
  return g_build_filename (box->dir, name, NULL);
}

char *
box_put (Box *box, const char *name, const void *bytes, gsize length)
{
  char *path = box_path (box, name);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, bytes, (gssize) length, &error);
  g_assert_no_error (error);
  return path;
}

static Seen *
seen_new (void)
{
  Seen *seen = g_new0 (Seen, 1);

  seen->content = g_byte_array_new ();
  return seen;
}

static void
seen_free (gpointer pointer)
{
  Seen *seen = pointer;

  g_byte_array_unref (seen->content);
  g_clear_error (&seen->error);
  g_free (seen);
}

typedef struct {
  Pass *pass;
  Seen *current;
  guint last;
} Watcher;

static HoldVisit
begin_cb (gpointer user_data, guint index, GError **error)
{
  Watcher *self = user_data;

  g_assert_null (self->current);
  self->current = g_ptr_array_index (self->pass->entries, index);
  g_assert_false (self->current->seen);
  self->current->seen = TRUE;
  return HOLD_VISIT_TAKE;
}

static gboolean
data_cb (gpointer user_data, const guint8 *data, gsize length_bytes, guint64 offset, GError **error)
{
  Watcher *self = user_data;
  guint old = self->current->content->len;

  g_assert_cmpuint (length_bytes, >, 0);
  g_assert_cmpuint (length_bytes, <=, 256 * 1024);
  g_assert_cmpuint (offset, >=, old);
  g_byte_array_set_size (self->current->content, (guint) (offset + length_bytes));
  memset (self->current->content->data + old, 0, (gsize) offset - old);
  memcpy (self->current->content->data + offset, data, length_bytes);
  return TRUE;
}

static gboolean
end_cb (gpointer user_data, guint index, const GError *error, GError **stop)
{
  Watcher *self = user_data;

  g_assert_true (self->current == g_ptr_array_index (self->pass->entries, index));
  if (error != NULL)
    self->current->error = g_error_copy (error);
  self->current = NULL;
  return TRUE;
}

static void
consumed_cb (gpointer user_data, guint64 file_bytes)
{
  Watcher *self = user_data;

  self->pass->consumed = MAX (self->pass->consumed, file_bytes);
}

Pass *
pass_run (HoldArchive *archive, const guint *indices, guint n_indices, const char *passwords,
          GCancellable *cancellable)
{
  Pass *pass = g_new0 (Pass, 1);
  Watcher watcher = { .pass = pass };
  HoldVisitor visitor = { begin_cb, data_cb, end_cb, consumed_cb, &watcher };
  g_autoptr (HoldKeyring) keyring = hold_keyring_new ();
  g_auto (GStrv) words = g_strsplit (passwords != NULL ? passwords : "", " ", 0);

  for (guint i = 0; words[i] != NULL; i++)
    {
      g_autoptr (HoldSecret) secret = hold_secret_new (words[i]);

      hold_keyring_add (keyring, secret);
    }
  pass->entries = g_ptr_array_new_with_free_func (seen_free);
  for (guint i = 0; i < hold_archive_get_n_entries (archive); i++)
    g_ptr_array_add (pass->entries, seen_new ());

  gboolean ok = _hold_archive_get_backend (archive)->read_pass (archive, indices, n_indices, keyring, &visitor,
                                                                 cancellable, &pass->error);

  g_assert_true (ok == (pass->error == NULL));
  return pass;
}

void
pass_free (Pass *pass)
{
  g_ptr_array_unref (pass->entries);
  g_clear_error (&pass->error);
  g_free (pass);
}

const Seen *
pass_get (const Pass *pass, guint index)
{
  g_assert_cmpuint (index, <, pass->entries->len);
  return g_ptr_array_index (pass->entries, index);
}

HoldArchive *
open_archive (const char *path, GError **error)
{
  return hold_backend_open_archive (path, NULL, NULL, NULL, NULL, NULL, NULL, error);
}
