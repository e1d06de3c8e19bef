/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The fake behind its text: a table of entries, a pattern for their bytes, and one lock for what
 * tests look at. */

#include "hold-fake-backend.h"

#include "hold-secret.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_BYTES (256 * 1024)
#define PERIOD 251

typedef struct
{
  char *path;
  char *target;
  char *password;
  HoldEntryType type;
  HoldEntry entry;
  guint64 size;
  guint64 extra;
  guint64 hole;
  int fail; /* HoldError, -1: none */
  guint64 at;
  gboolean has_gate;
  guint64 gate;
  guint ms;
} Item;

struct _HoldFake
{
  char *path;
  GPtrArray *items;
  gboolean sequential;
  char *password;
  int broken; /* HoldError, -1: none */

  GMutex lock;
  GCond changed;
  gboolean released;
  guint n_at_gate;
  guint n_passes;
  guint n_reads;
  guint n_readers;
  guint max_readers;
};

static GHashTable *fakes; /* path → HoldFake, main thread fills it before jobs run */
static guint8 pattern[BLOCK_BYTES + PERIOD];

static void
item_free (gpointer data)
{
  Item *item = data;

  g_free (item->path);
  g_free (item->target);
  g_free (item->password);
  g_free (item);
}

static int
parse_failure (const char *word)
{
  if (g_str_equal (word, "checksum"))
    return HOLD_ERROR_CHECKSUM;
  if (g_str_equal (word, "corrupt"))
    return HOLD_ERROR_CORRUPT;
  g_assert_cmpstr (word, ==, "truncated");
  return HOLD_ERROR_TRUNCATED;
}

static void
parse_option (Item *item, const char *word)
{
  const char *value = strchr (word, '=');
  gsize length = value != NULL ? (gsize) (value - word) : strlen (word);
  g_autofree char *key = g_strndup (word, length);
  guint64 number = value != NULL ? g_ascii_strtoull (value + 1, NULL, 0) : 0;

  if (g_str_equal (key, "size"))
    {
      item->size = number;
    }
  else if (g_str_equal (key, "target"))
    {
      item->target = g_strdup (value + 1);
    }
  else if (g_str_equal (key, "password"))
    {
      item->password = g_strdup (value + 1);
      item->entry.flags |= HOLD_ENTRY_ENCRYPTED;
    }
  else if (g_str_equal (key, "nosize"))
    {
      item->entry.flags &= ~HOLD_ENTRY_HAS_SIZE;
    }
  else if (g_str_equal (key, "unreadable"))
    {
      item->entry.flags |= HOLD_ENTRY_UNREADABLE;
    }
  else if (g_str_equal (key, "mtime"))
    {
      item->entry.mtime = (gint64) number;
      item->entry.flags |= HOLD_ENTRY_HAS_MTIME;
    }
  else if (g_str_equal (key, "mode"))
    {
      item->entry.mode = (guint16) number;
      item->entry.flags |= HOLD_ENTRY_HAS_MODE;
    }
  else if (g_str_equal (key, "extra"))
    {
      item->extra = number;
    }
  else if (g_str_equal (key, "hole"))
    {
      item->hole = number;
    }
  else if (g_str_equal (key, "fail"))
    {
      item->fail = parse_failure (value + 1);
    }
  else if (g_str_equal (key, "at"))
    {
      item->at = number;
    }
  else if (g_str_equal (key, "gate"))
    {
      item->has_gate = TRUE;
      item->gate = number;
    }
  else if (g_str_equal (key, "ms"))
    {
      item->ms = (guint) number;
    }
  else
    {
      g_error ("a fake entry knows no “%s”", word);
    }
}

static void
parse_archive (HoldFake *self, char **words)
{
  for (guint i = 1; words[i] != NULL; i++)
    {
      if (g_str_equal (words[i], "sequential"))
        self->sequential = TRUE;
      else if (g_str_has_prefix (words[i], "password="))
        self->password = g_strdup (words[i] + strlen ("password="));
      else if (g_str_has_prefix (words[i], "broken="))
        self->broken = parse_failure (words[i] + strlen ("broken="));
      else
        g_error ("a fake archive knows no “%s”", words[i]);
    }
}

static void
parse_line (HoldFake *self, const char *line)
{
  static const char *const types[] = { "file", "folder", "symlink", "hardlink", "other" };
  g_auto (GStrv) words = NULL;
  g_autoptr (GError) error = NULL;

  g_shell_parse_argv (line, NULL, &words, &error);
  g_assert_no_error (error);
  if (g_str_equal (words[0], "archive"))
    {
      parse_archive (self, words);
      return;
    }

  Item *item = g_new0 (Item, 1);

  g_assert_nonnull (words[1]);
  item->path = g_strdup (words[1]);
  item->fail = -1;
  item->at = G_MAXUINT64;
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_str_equal (words[0], types[i]))
      item->type = (HoldEntryType) i;
  if (item->type == HOLD_ENTRY_FILE)
    item->entry.flags = HOLD_ENTRY_HAS_SIZE;
  for (guint i = 2; words[i] != NULL; i++)
    parse_option (item, words[i]);
  item->entry.type = (guint8) item->type;
  item->entry.size = item->size;
  item->entry.method = "fake";
  g_ptr_array_add (self->items, item);
}

HoldFake *
hold_fake_new (const char *path, const char *text)
{
  HoldFake *self = g_new0 (HoldFake, 1);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autofree char *content = g_strnfill (64 * 1024, 'h');
  g_autoptr (GError) error = NULL;

  self->path = g_strdup (path);
  self->items = g_ptr_array_new_with_free_func (item_free);
  self->broken = -1;
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  for (guint i = 0; lines[i] != NULL; i++)
    if (*g_strstrip (lines[i]) != '\0')
      parse_line (self, lines[i]);

  for (guint i = 0; i < sizeof pattern; i++)
    pattern[i] = (guint8) (i % PERIOD);
  g_file_set_contents (path, content, -1, &error);
  g_assert_no_error (error);
  if (fakes == NULL)
    fakes = g_hash_table_new (g_str_hash, g_str_equal);
  g_hash_table_insert (fakes, self->path, self);
  return self;
}

void
hold_fake_free (HoldFake *self)
{
  if (self == NULL)
    return;
  g_hash_table_remove (fakes, self->path);
  if (g_hash_table_size (fakes) == 0)
    g_clear_pointer (&fakes, g_hash_table_unref);
  g_unlink (self->path);
  g_ptr_array_unref (self->items);
  g_free (self->password);
  g_free (self->path);
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static guint64
first_byte (const char *path)
{
  return g_str_hash (path) % PERIOD;
}

guint8
hold_fake_byte (const char *path, guint64 offset)
{
  return (guint8) ((first_byte (path) + offset) % PERIOD);
}

void
hold_fake_assert_file (const char *file_name, const char *path, guint64 size)
{
  g_autofree char *content = NULL;
  gsize length = 0;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (file_name, &content, &length, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (length, ==, size);
  for (gsize i = 0; i < length; i++)
    if ((guint8) content[i] != hold_fake_byte (path, i))
      g_error ("%s differs from %s at byte %" G_GSIZE_FORMAT, file_name, path, i);
}

/* Reading */

static gboolean
wait_at_gate (HoldFake *self, GCancellable *cancellable, GError **error)
{
  g_mutex_lock (&self->lock);
  self->n_at_gate++;
  while (!self->released && !g_cancellable_is_cancelled (cancellable))
    g_cond_wait_until (&self->changed, &self->lock,
                       g_get_monotonic_time () + 2 * G_TIME_SPAN_MILLISECOND);
  self->n_at_gate--;
  g_mutex_unlock (&self->lock);
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}

gboolean
hold_fake_is_at_gate (HoldFake *self)
{
  g_mutex_lock (&self->lock);
  gboolean is_at_gate = self->n_at_gate > 0;
  g_mutex_unlock (&self->lock);
  return is_at_gate;
}

void
hold_fake_release (HoldFake *self)
{
  g_mutex_lock (&self->lock);
  self->released = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static guint
get_locked (HoldFake *self, guint *number)
{
  g_mutex_lock (&self->lock);
  guint value = *number;
  g_mutex_unlock (&self->lock);
  return value;
}

guint
hold_fake_get_n_passes (HoldFake *self)
{
  return get_locked (self, &self->n_passes);
}

guint
hold_fake_get_n_reads (HoldFake *self)
{
  return get_locked (self, &self->n_reads);
}

guint
hold_fake_get_max_readers (HoldFake *self)
{
  return get_locked (self, &self->max_readers);
}

static void
count_reader (HoldFake *self, int delta)
{
  g_mutex_lock (&self->lock);
  self->n_readers = (guint) ((int) self->n_readers + delta);
  self->n_reads += delta > 0 ? 1 : 0;
  self->max_readers = MAX (self->max_readers, self->n_readers);
  g_mutex_unlock (&self->lock);
}

static gboolean
check_password (const char *password, HoldKeyring *keyring, const char *path, GError **error)
{
  if (password == NULL)
    return TRUE;

  g_autoptr (GPtrArray) secrets = keyring != NULL ? hold_keyring_dup_secrets (keyring) : NULL;

  for (guint i = 0; secrets != NULL && i < secrets->len; i++)
    if (g_str_equal (hold_secret_peek (g_ptr_array_index (secrets, i)), password))
      return TRUE;
  if (secrets == NULL || secrets->len == 0)
    g_set_error (error, HOLD_ERROR, HOLD_ERROR_PASSWORD_NEEDED, "%s: encrypted", path);
  else
    g_set_error (error, HOLD_ERROR, HOLD_ERROR_PASSWORD_WRONG, "%s: no password fits", path);
  return FALSE;
}

typedef gboolean (*DataFunc) (gpointer user_data, const guint8 *data, gsize length, guint64 offset,
                              GError **error);

static gboolean
read_item (HoldFake *self, const Item *item, HoldKeyring *keyring, DataFunc func,
           gpointer user_data, GCancellable *cancellable, GError **error)
{
  guint64 offset = item->hole, end = item->size + item->extra;
  guint64 stop = item->fail >= 0 ? MIN (item->at, end) : end;
  gboolean is_through = !item->has_gate;

  if (!check_password (item->password, keyring, item->path, error))
    return FALSE;

  for (;;)
    {
      if (!is_through && offset >= item->gate)
        {
          is_through = TRUE;
          if (!wait_at_gate (self, cancellable, error))
            return FALSE;
        }
      if (offset >= stop)
        break;

      guint64 until = MIN (stop, offset + BLOCK_BYTES);

      if (!is_through)
        until = MIN (until, item->gate);
      if (item->ms > 0)
        g_usleep (item->ms * 1000);
      if (g_cancellable_set_error_if_cancelled (cancellable, error)
          || !func (user_data, pattern + (first_byte (item->path) + offset) % PERIOD,
                    (gsize) (until - offset), offset, error))
        return FALSE;
      offset = until;
    }

  if (item->fail < 0)
    return TRUE;
  g_set_error (error, HOLD_ERROR, item->fail, "%s: broken on purpose", item->path);
  return FALSE;
}

typedef struct
{
  HoldWriteFunc write;
  gpointer user_data;
} Plain;

static gboolean
write_plain (gpointer user_data, const guint8 *data, gsize length, guint64 offset, GError **error)
{
  Plain *plain = user_data;

  return plain->write (plain->user_data, data, length, error);
}

static gboolean
fake_read_entry (HoldArchive *archive, guint index, gpointer workspace, HoldKeyring *keyring,
                 HoldWriteFunc write, gpointer user_data, GCancellable *cancellable, GError **error)
{
  HoldFake *self = _hold_archive_get_backend_data (archive);
  Plain plain = { write, user_data };

  count_reader (self, 1);
  gboolean read = read_item (self, g_ptr_array_index (self->items, index), keyring, write_plain,
                             &plain, cancellable, error);
  count_reader (self, -1);
  return read;
}

static gboolean
is_wanted (const guint *indices, guint n_indices, guint index)
{
  for (guint i = 0; i < n_indices; i++)
    if (indices[i] == index)
      return TRUE;
  return indices == NULL;
}

static gboolean
fake_read_pass (HoldArchive *archive, const guint *indices, guint n_indices, HoldKeyring *keyring,
                const HoldVisitor *visitor, GCancellable *cancellable, GError **error)
{
  HoldFake *self = _hold_archive_get_backend_data (archive);
  guint64 size = hold_archive_get_size (archive);

  g_mutex_lock (&self->lock);
  self->n_passes++;
  g_mutex_unlock (&self->lock);

  for (guint i = 0; i < self->items->len; i++)
    {
      const Item *item = g_ptr_array_index (self->items, i);
      g_autoptr (GError) failure = NULL;

      if (visitor->consumed != NULL)
        visitor->consumed (visitor->user_data, size * i / self->items->len);
      if (indices != NULL && i > indices[n_indices - 1])
        break;
      if (!is_wanted (indices, n_indices, i))
        continue;

      HoldVisit visit = visitor->begin (visitor->user_data, i, &failure);

      if (visit == HOLD_VISIT_STOP)
        {
          if (failure == NULL)
            return TRUE;
          g_propagate_error (error, g_steal_pointer (&failure));
          return FALSE;
        }
      if (visit == HOLD_VISIT_SKIP)
        continue;
      count_reader (self, 1);
      read_item (self, item, keyring, visitor->data, visitor->user_data, cancellable, &failure);
      count_reader (self, -1);
      if (!visitor->end (visitor->user_data, i, failure, error))
        return FALSE;
      /* A decoder that lost its way does not find it again. */
      if (g_error_matches (failure, HOLD_ERROR, HOLD_ERROR_TRUNCATED))
        {
          g_propagate_error (error, g_steal_pointer (&failure));
          return FALSE;
        }
    }
  return TRUE;
}

static gpointer
fake_new_workspace (HoldArchive *archive)
{
  return g_malloc (1);
}

static const HoldBackend direct_backend = {
  .name = "fake",
  .read_pass = fake_read_pass,
  .read_entry = fake_read_entry,
  .new_workspace = fake_new_workspace,
  .free_workspace = g_free,
};

static const HoldBackend sequential_backend = {
  .name = "fake, sequential",
  .read_pass = fake_read_pass,
};

/* Opening */

static HoldNameSource
make_name (const char *text)
{
  return (
    HoldNameSource){ .bytes = (const guint8 *) text, .length = strlen (text), .is_utf8 = TRUE };
}

HoldArchive *
hold_fake_open (HoldFake *self)
{
  g_autoptr (HoldArchiveBuilder)
    builder = hold_archive_builder_new (self->path, NULL, &hold_limits_default);
  g_autoptr (GError) error = NULL;
  HoldFileIdentity identity;
  int fd = g_open (self->path, O_RDONLY | O_CLOEXEC, 0);

  g_assert_cmpint (fd, >=, 0);
  g_assert_true (hold_file_identity_from_fd (fd, &identity, &error));
  g_assert_no_error (error);
  g_assert_cmpint (close (fd), ==, 0);
  hold_archive_builder_set_identity (builder, &identity);
  hold_archive_builder_set_format (builder, hold_format_by_id (self->sequential ? "tar" : "zip"));
  hold_archive_builder_set_size (builder, identity.size_bytes);

  for (guint i = 0; i < self->items->len; i++)
    {
      const Item *item = g_ptr_array_index (self->items, i);
      HoldNameSource name = make_name (item->path);
      HoldNameSource target = item->target != NULL ? make_name (item->target)
                                                   : (HoldNameSource){ 0 };

      hold_archive_builder_add (builder, &item->entry, &name, item->target != NULL ? &target : NULL,
                                NULL, &error);
      g_assert_no_error (error);
    }
  if (self->broken >= 0)
    {
      g_autoptr (GError) broken = g_error_new (HOLD_ERROR, self->broken, "the list ended early");

      hold_archive_builder_set_failed (builder, broken);
    }

  HoldArchive *archive = hold_archive_builder_finish (
    builder, self->sequential ? &sequential_backend : &direct_backend, self, &error);

  g_assert_no_error (error);
  return archive;
}

HoldArchive *
hold_fake_opener (const char *path, const char *encoding, HoldKeyring *keyring,
                  const HoldLimits *limits, void (*consumed) (gpointer, guint64),
                  gpointer user_data, GCancellable *cancellable, GError **error)
{
  HoldFake *self = g_hash_table_lookup (fakes, path);

  g_assert_nonnull (self);
  if (consumed != NULL)
    consumed (user_data, 1024);
  if (!check_password (self->password, keyring, path, error))
    return NULL;
  return hold_fake_open (self);
}
