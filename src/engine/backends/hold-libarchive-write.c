/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The one pass from an old archive, if there is one, to a new one through libarchive. */

#include "config.h"

#include "hold-libarchive-write.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hold-backend-libarchive-private.h"
#include "hold-libarchive-error.h"
#include "hold-libarchive-verify.h"
#include "hold-libarchive-writer.h"

#define BLOCK_BYTES (256 * 1024)

/* A whole file is read ahead up to this size, so that its header tells the size that it really has
 * (W15). */
#define WHOLE_MAX_BYTES (8 * 1024 * 1024)

typedef struct
{
  HoldPlan *plan;
  HoldArchive *archive;
  HoldLibarchiveWriter *writer;
  const HoldWriteOptions *options;
  const HoldRewriteWatch *watch;
  GCancellable *cancellable;
  GHashTable *renamed;   /* old path → new path, of entries that hard links may name */
  GHashTable *dropped;   /* path → index + 1, of files that are dropped */
  guint8 *block;
} Rewrite;

/* The data of one entry on its way: holes are filled, bytes counted. */
typedef struct
{
  Rewrite *self;
  guint64 position;
} Pour;

static gboolean
pour (gpointer       user_data,
      const guint8  *data,
      gsize          length,
      guint64        offset,
      GError       **error)
{
  Pour *to = user_data;

  if (!hold_libarchive_writer_fill (to->self->writer, offset - to->position, error) ||
      !hold_libarchive_writer_data (to->self->writer, data, length, error))
    return FALSE;

  to->position = offset + length;
  return to->self->watch->moved (to->self->watch->user_data, length, error);
}

static gboolean
pour_next (gpointer       user_data,
           const guint8  *data,
           gsize          length,
           GError       **error)
{
  Pour *to = user_data;

  return pour (to, data, length, to->position, error);
}

static gboolean
fail_kept (const HoldPlanStep  *step,
           GError             **error)
{
  g_prefix_error (error, "“%s” can't be read, so the archive can't be rewritten without losing it: ", step->path);
  return FALSE;
}

/* Another name that @entry, a hard link, may have to point to now. */
static void
retarget_hardlink (Rewrite              *self,
                   struct archive_entry *entry)
{
  const char *target = archive_entry_hardlink (entry);
  g_autofree char *normal = NULL;
  HoldUnsafe unsafe;
  const char *now;

  if (target == NULL)
    return;
  normal = hold_path_normalise (target, &unsafe);
  now = g_hash_table_lookup (self->renamed, normal);
  if (now != NULL)
    archive_entry_set_hardlink (entry, now);
}

/* Is @entry a hard link to a file that is dropped? Then its index, else G_MAXUINT. */
static guint
dropped_target (Rewrite              *self,
                struct archive_entry *entry)
{
  const char *target = archive_entry_hardlink (entry);
  g_autofree char *normal = NULL;
  HoldUnsafe unsafe;

  if (target == NULL)
    return G_MAXUINT;
  normal = hold_path_normalise (target, &unsafe);
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->dropped, normal)) - 1;
}

/* Writes @entry with the data of the dropped file; from now on that file is known under this
 * name. */
static gboolean
promote_hardlink (Rewrite               *self,
                  const HoldPlanStep    *step,
                  struct archive_entry  *entry,
                  guint                  target,
                  GError               **error)
{
  const HoldEntry *first = hold_archive_get_entry (self->archive, target);
  Pour to = { self, 0 };
  guint64 size = 0;

  if (!hold_entry_get_size (first, &size))
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_CORRUPT, "“%s” has no size", hold_entry_get_path (first));
      return FALSE;
    }

  archive_entry_set_hardlink (entry, NULL);
  archive_entry_set_filetype (entry, AE_IFREG);
  archive_entry_set_size (entry, (la_int64_t) size);
  if (!hold_libarchive_writer_header (self->writer, entry, error) ||
      !hold_archive_read_entry (self->archive, target, self->options->keyring, pour_next, &to,
                                self->cancellable, error) ||
      !hold_libarchive_writer_fill (self->writer, size - MIN (size, to.position), error))
    return fail_kept (step, error);

  g_hash_table_insert (self->renamed, g_strdup (hold_entry_get_path (first)), g_strdup (step->path));
  g_hash_table_remove (self->dropped, hold_entry_get_path (first));
  return TRUE;
}

static gboolean
keep_entry (Rewrite               *self,
            const HoldPlanStep    *step,
            HoldLibarchiveStream  *old,
            struct archive_entry  *entry,
            GError               **error)
{
  /* Symlinks may state the length of their target; cpio keeps a file's data with its last hard
   * link. */
  gboolean has_size = archive_entry_size_is_set (entry) && archive_entry_filetype (entry) != AE_IFLNK;
  guint64 size = has_size ? (guint64) archive_entry_size (entry) : 0;
  guint target = dropped_target (self, entry);
  Pour to = { self, 0 };
  gboolean fatal = FALSE;

  if (step->kind != HOLD_STEP_KEEP)
    archive_entry_set_pathname (entry, step->path);
  if (target != G_MAXUINT)
    return promote_hardlink (self, step, entry, target, error);

  retarget_hardlink (self, entry);
  if (!hold_libarchive_writer_header (self->writer, entry, error))
    return fail_kept (step, error);
  if (!has_size && archive_entry_filetype (entry) == AE_IFREG && archive_entry_hardlink (entry) == NULL)
    {
      g_set_error_literal (error, HOLD_ERROR, HOLD_ERROR_CORRUPT, "its size is not recorded");
      return fail_kept (step, error);
    }
  if (size == 0)
    return TRUE;
  if (!hold_libarchive_stream_read_data (old, TRUE, size, pour, &to, &fatal, error) ||
      !hold_libarchive_writer_fill (self->writer, size - MIN (size, to.position), error))
    return fail_kept (step, error);
  return TRUE;
}

static struct archive_entry *
entry_from_source (const char           *path,
                   const HoldPlanSource *source,
                   guint64               size)
{
  struct archive_entry *entry = archive_entry_new ();

  archive_entry_set_pathname (entry, path);
  archive_entry_set_mtime (entry, source->mtime, source->mtime_ns);
  archive_entry_set_perm (entry, source->mode & 07777);
  switch (source->type)
    {
    case HOLD_ENTRY_FOLDER:
      archive_entry_set_filetype (entry, AE_IFDIR);
      break;
    case HOLD_ENTRY_SYMLINK:
      archive_entry_set_filetype (entry, AE_IFLNK);
      archive_entry_set_symlink (entry, source->link_target);
      break;
    default:
      archive_entry_set_filetype (entry, AE_IFREG);
      break;
    }
  archive_entry_set_size (entry, source->type == HOLD_ENTRY_FILE ? (la_int64_t) size : 0);
  return entry;
}

static gboolean
write_header_of (Rewrite               *self,
                 const HoldPlanStep    *step,
                 guint64                size,
                 GError               **error)
{
  struct archive_entry *entry = entry_from_source (step->path, step->source, size);
  gboolean ok = hold_libarchive_writer_header (self->writer, entry, error);

  archive_entry_free (entry);
  return ok;
}

/* What could not be read before its header was written is simply left out. */
static gboolean
leave_out (Rewrite            *self,
           const HoldPlanStep *step,
           const GError       *why)
{
  self->watch->failed (self->watch->user_data, step->path, why);
  return FALSE;
}

static void
note_change (Rewrite            *self,
             const HoldPlanStep *step,
             const char         *what)
{
  g_autoptr (GError) error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED, what);

  self->watch->changed (self->watch->user_data, step->path, error);
}

static GError *
error_from_errno (const char *verb,
                  const char *path)
{
  int saved_errno = errno;

  return g_error_new (G_IO_ERROR, g_io_error_from_errno (saved_errno), "%s “%s”: %s", verb, path,
                      g_strerror (saved_errno));
}

/* Copies a large file whose size is promised in the header; what it lacks in the end is filled with
 * zeros and told. */
static gboolean
pour_large_file (Rewrite             *self,
                 const HoldPlanStep  *step,
                 int                  fd,
                 guint64              size,
                 GError             **error)
{
  guint64 left = size;

  if (!write_header_of (self, step, size, error))
    return FALSE;

  while (left > 0)
    {
      ssize_t n = TEMP_FAILURE_RETRY (read (fd, self->block, MIN (left, BLOCK_BYTES)));

      if (n <= 0)
        {
          note_change (self, step, n == 0 ? "The file shrank while it was read; its end is filled with zeros"
                                          : "The file could not be read to its end; the rest is filled with zeros");
          return hold_libarchive_writer_fill (self->writer, left, error);
        }
      if (!hold_libarchive_writer_data (self->writer, self->block, (gsize) n, error) ||
          !self->watch->moved (self->watch->user_data, (guint64) n, error))
        return FALSE;
      left -= (guint64) n;
    }

  if (TEMP_FAILURE_RETRY (read (fd, self->block, 1)) > 0)
    note_change (self, step, "The file grew while it was read; what came later is not in the archive");
  return TRUE;
}

/* A small file is read whole before its header is written. *taken FALSE without @error: left
 * out. */
static gboolean
pour_small_file (Rewrite             *self,
                 const HoldPlanStep  *step,
                 int                  fd,
                 gboolean            *taken,
                 GError             **error)
{
  g_autoptr (GByteArray) content = g_byte_array_new ();
  g_autoptr (GError) why = NULL;
  ssize_t n;

  while (content->len < WHOLE_MAX_BYTES &&
         (n = TEMP_FAILURE_RETRY (read (fd, self->block, BLOCK_BYTES))) != 0)
    {
      if (n < 0)
        {
          why = error_from_errno ("Reading", step->source->disk_path);
          *taken = leave_out (self, step, why);
          return TRUE;
        }
      g_byte_array_append (content, self->block, (guint) n);
    }

  return write_header_of (self, step, content->len, error) &&
         hold_libarchive_writer_data (self->writer, content->data, content->len, error) &&
         self->watch->moved (self->watch->user_data, content->len, error);
}

static gboolean
add_file (Rewrite             *self,
          const HoldPlanStep  *step,
          gboolean            *taken,
          GError             **error)
{
  const char *path = step->source->disk_path;
  g_autoptr (GError) why = NULL;
  struct stat st;
  gboolean ok;
  int fd = TEMP_FAILURE_RETRY (open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));

  if (fd < 0 || fstat (fd, &st) != 0)
    why = error_from_errno ("Opening", path);
  else if (!S_ISREG (st.st_mode))
    why = g_error_new (G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE, "“%s” is no longer a file", path);
  if (why != NULL)
    {
      if (fd >= 0)
        g_close (fd, NULL);
      *taken = leave_out (self, step, why);
      return TRUE;
    }

  if (st.st_size < WHOLE_MAX_BYTES)
    ok = pour_small_file (self, step, fd, taken, error);
  else
    ok = pour_large_file (self, step, fd, (guint64) st.st_size, error);
  g_close (fd, NULL);
  return ok;
}

/* From another archive. Its size is recorded or it can't go into a format that writes sizes
 * first. */
static gboolean
add_copy (Rewrite             *self,
          const HoldPlanStep  *step,
          gboolean            *taken,
          GError             **error)
{
  const HoldPlanSource *source = step->source;
  const HoldEntry *from = hold_archive_get_entry (source->archive, source->index);
  g_autoptr (GError) why = NULL;
  Pour to = { self, 0 };
  guint64 size = 0;

  if (!hold_entry_get_size (from, &size))
    {
      why = g_error_new (HOLD_ERROR, HOLD_ERROR_UNSUPPORTED, "The size of “%s” is not recorded", step->path);
      *taken = leave_out (self, step, why);
      return TRUE;
    }

  return write_header_of (self, step, size, error) &&
         hold_archive_read_entry (source->archive, source->index, self->options->keyring, pour_next, &to,
                                  self->cancellable, error);
}

/* *taken: whether the source is in the new archive. FALSE only where the whole rewrite has to
 * stop. */
static gboolean
add_source (Rewrite             *self,
            const HoldPlanStep  *step,
            gboolean            *taken,
            GError             **error)
{
  gboolean ok;

  *taken = TRUE;
  if (step->source->type != HOLD_ENTRY_FILE)
    ok = write_header_of (self, step, 0, error);
  else if (step->source->archive != NULL)
    ok = add_copy (self, step, taken, error);
  else
    ok = add_file (self, step, taken, error);

  return ok;
}

static gboolean
do_step (Rewrite               *self,
         const HoldPlanStep    *step,
         HoldLibarchiveStream  *old,
         struct archive_entry  *entry,
         GError               **error)
{
  gboolean taken = FALSE;

  if (self->watch->step != NULL)
    self->watch->step (self->watch->user_data, step->path);
  if (step->source != NULL && !add_source (self, step, &taken, error))
    return FALSE;
  if (taken || step->kind == HOLD_STEP_ADD)
    return TRUE;
  return keep_entry (self, step, old, entry, error);
}

/* Hard links name other entries, so names that change and files that go must be known before the
 * pass. */
static void
note_names (Rewrite            *self,
            const HoldPlanStep *steps,
            guint               n_steps)
{
  guint n_entries = self->archive != NULL ? hold_archive_get_n_entries (self->archive) : 0;
  g_autofree gboolean *kept = g_new0 (gboolean, n_entries + 1);

  for (guint i = 0; i < n_steps; i++)
    {
      if (steps[i].kind == HOLD_STEP_ADD)
        continue;
      /* A file that is replaced is no longer what links meant: to them it is dropped. */
      kept[steps[i].index] = steps[i].kind != HOLD_STEP_REPLACE;
      if (steps[i].kind == HOLD_STEP_RENAME)
        g_hash_table_insert (self->renamed,
                             g_strdup (hold_entry_get_path (hold_archive_get_entry (self->archive, steps[i].index))),
                             g_strdup (steps[i].path));
    }

  for (guint i = 0; i < n_entries; i++)
    {
      const HoldEntry *entry = hold_archive_get_entry (self->archive, i);

      if (!kept[i] && hold_entry_get_type (entry) == HOLD_ENTRY_FILE)
        g_hash_table_insert (self->dropped, g_strdup (hold_entry_get_path (entry)), GUINT_TO_POINTER (i + 1));
    }
}

/* Walks the old archive and the steps side by side: steps for stored entries are in the order of
 * the archive. */
static gboolean
pass (Rewrite             *self,
      HoldVolumes         *volumes,
      const HoldPlanStep  *steps,
      guint                n_steps,
      GError             **error)
{
  g_auto (HoldLibarchiveStream) old = { 0 };
  guint n_entries = self->archive != NULL ? hold_archive_get_n_entries (self->archive) : 0;
  guint at = 0;

  if (volumes != NULL)
    {
      hold_libarchive_stream_init (&old, volumes, NULL, self->cancellable);
      if (!hold_libarchive_stream_open (&old, HOLD_LIBARCHIVE_FORMATS, NULL, error))
        return FALSE;
    }

  for (guint i = 0; i < n_entries; i++)
    {
      g_autoptr (GError) odd = NULL;
      struct archive_entry *entry = NULL;
      HoldNext next = hold_libarchive_stream_next (&old, &entry, &odd);

      if (next != HOLD_NEXT_ENTRY && next != HOLD_NEXT_WARNED)
        {
          if (odd == NULL)
            g_set_error_literal (&odd, HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK,
                                 "The archive has fewer entries than before");
          g_propagate_error (error, g_steal_pointer (&odd));
          return FALSE;
        }
      if (at < n_steps && steps[at].kind != HOLD_STEP_ADD && steps[at].index == i)
        {
          if (!do_step (self, &steps[at], &old, entry, error))
            return FALSE;
          at++;
        }
    }

  for (; at < n_steps; at++)
    if (!do_step (self, &steps[at], NULL, NULL, error))
      return FALSE;

  return TRUE;
}

gboolean
hold_libarchive_can_write (const HoldFormat *format)
{
  return hold_libarchive_writer_knows (format);
}

gboolean
hold_libarchive_rewrite (HoldPlan                *plan,
                         int                      fd,
                         const HoldWriteOptions  *options,
                         const HoldRewriteWatch  *watch,
                         GCancellable            *cancellable,
                         GError                 **error)
{
  locale_t locale = hold_libarchive_locale_enter ();
  Rewrite self = {
    .plan = plan,
    .archive = hold_plan_get_archive (plan),
    .options = options,
    .watch = watch,
    .cancellable = cancellable,
  };
  guint n_steps;
  const HoldPlanStep *steps = hold_plan_get_steps (plan, &n_steps);
  const HoldLibarchiveData *data = self.archive != NULL ? _hold_archive_get_backend_data (self.archive) : NULL;
  gboolean ok;

  self.renamed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self.dropped = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self.block = g_malloc (BLOCK_BYTES);
  self.writer = hold_libarchive_writer_new (plan, fd, options, error);
  note_names (&self, steps, n_steps);

  ok = self.writer != NULL &&
       pass (&self, data != NULL ? data->volumes : NULL, steps, n_steps, error) &&
       hold_libarchive_writer_finish (self.writer, error) &&
       hold_libarchive_verify (fd, hold_libarchive_writer_get_names (self.writer), cancellable, error);

  hold_libarchive_writer_free (self.writer);
  g_free (self.block);
  g_hash_table_unref (self.renamed);
  g_hash_table_unref (self.dropped);
  hold_libarchive_locale_leave (locale);
  return ok;
}
