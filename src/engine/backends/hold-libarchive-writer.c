/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Sets up a libarchive writer for each format that Holdall writes through it, and passes entries
 * and data on. */

#include "config.h"

#include "hold-libarchive-writer.h"

#include <string.h>

#include "hold-libarchive-stream.h"
#include "hold-libarchive-target.h"

#define ZEROS_BYTES (64 * 1024)

struct _HoldLibarchiveWriter
{
  HoldLibarchiveTarget target;
  GPtrArray *names;
  guint8 *zeros;
};

typedef struct
{
  const char *id;
  int (*set_format) (struct archive *archive);
  const char *filter;
  int filter_code;
} Recipe;

/* pax restricted is plain ustar wherever that can say it, so that the oldest readers read it. */
static const Recipe recipes[] = {
  { "tar",      archive_write_set_format_pax_restricted, NULL,       ARCHIVE_FILTER_NONE },
  { "tar.gz",   archive_write_set_format_pax_restricted, "gzip",     ARCHIVE_FILTER_GZIP },
  { "tar.bz2",  archive_write_set_format_pax_restricted, "bzip2",    ARCHIVE_FILTER_BZIP2 },
  { "tar.xz",   archive_write_set_format_pax_restricted, "xz",       ARCHIVE_FILTER_XZ },
  { "tar.zst",  archive_write_set_format_pax_restricted, "zstd",     ARCHIVE_FILTER_ZSTD },
  { "tar.lz4",  archive_write_set_format_pax_restricted, "lz4",      ARCHIVE_FILTER_LZ4 },
  { "tar.lz",   archive_write_set_format_pax_restricted, "lzip",     ARCHIVE_FILTER_LZIP },
  { "tar.lzma", archive_write_set_format_pax_restricted, "lzma",     ARCHIVE_FILTER_LZMA },
  { "tar.Z",    archive_write_set_format_pax_restricted, "compress", ARCHIVE_FILTER_COMPRESS },
  { "cpio",     archive_write_set_format_cpio_newc,      NULL,       ARCHIVE_FILTER_NONE },
  { "7z",       archive_write_set_format_7zip,           NULL,       ARCHIVE_FILTER_NONE },
};

static const Recipe *
find_recipe (const char *id)
{
  for (guint i = 0; i < G_N_ELEMENTS (recipes); i++)
    if (g_str_equal (recipes[i].id, id))
      return &recipes[i];
  return NULL;
}

gboolean
hold_libarchive_writer_knows (const HoldFormat *format)
{
  const Recipe *recipe = find_recipe (format->id);

  return recipe != NULL && (recipe->filter == NULL || hold_libarchive_has_filter (recipe->filter_code));
}

static gboolean
check (HoldLibarchiveWriter  *self,
       int                    result,
       GError               **error)
{
  return hold_libarchive_target_check (&self->target, result, error);
}

/* A level, and all cores where the compressor can use them. Not every filter knows every option;
 * that is no failure. */
static void
set_options (HoldLibarchiveWriter   *self,
             const Recipe           *recipe,
             const HoldWriteOptions *options)
{
  g_autofree char *threads = g_strdup_printf ("%u", g_get_num_processors ());
  g_autofree char *level = g_strdup_printf ("%d", options->level);

  if (recipe->filter != NULL &&
      archive_write_set_filter_option (self->target.archive, recipe->filter, "threads", threads) < ARCHIVE_OK)
    g_debug ("%s packs on one core", recipe->filter);
  if (options->level < 0)
    return;
  if (recipe->filter != NULL &&
      archive_write_set_filter_option (self->target.archive, recipe->filter, "compression-level", level) < ARCHIVE_OK)
    g_debug ("%s takes no level", recipe->filter);
  if (g_str_equal (recipe->id, "7z") &&
      archive_write_set_format_option (self->target.archive, "7zip", "compression-level", level) < ARCHIVE_OK)
    g_debug ("7z takes no such level");
}

HoldLibarchiveWriter *
hold_libarchive_writer_new (HoldPlan                *plan,
                            int                      fd,
                            const HoldWriteOptions  *options,
                            GError                 **error)
{
  const HoldFormat *format = hold_plan_get_format (plan);
  const Recipe *recipe = find_recipe (format->id);
  HoldLibarchiveWriter *self;

  if (recipe == NULL)
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_READ_ONLY, "%s archives can't be written", format->name);
      return NULL;
    }

  self = g_new0 (HoldLibarchiveWriter, 1);
  self->names = g_ptr_array_new_with_free_func (g_free);
  self->zeros = g_malloc0 (ZEROS_BYTES);
  hold_libarchive_target_init (&self->target, fd);

  if (!check (self, recipe->set_format (self->target.archive), error) ||
      (recipe->filter != NULL &&
       !check (self, archive_write_add_filter_by_name (self->target.archive, recipe->filter), error)))
    {
      hold_libarchive_writer_free (self);
      return NULL;
    }
  set_options (self, recipe, options);
  if (!hold_libarchive_target_open (&self->target, error))
    {
      hold_libarchive_writer_free (self);
      return NULL;
    }

  return self;
}

void
hold_libarchive_writer_free (HoldLibarchiveWriter *self)
{
  if (self == NULL)
    return;

  hold_libarchive_target_clear (&self->target);
  g_ptr_array_unref (self->names);
  g_free (self->zeros);
  g_free (self);
}

gboolean
hold_libarchive_writer_header (HoldLibarchiveWriter  *self,
                               struct archive_entry  *entry,
                               GError               **error)
{
  if (!check (self, archive_write_header (self->target.archive, entry), error))
    return FALSE;

  g_ptr_array_add (self->names, g_strdup (archive_entry_pathname (entry)));
  return TRUE;
}

gboolean
hold_libarchive_writer_data (HoldLibarchiveWriter  *self,
                             const guint8          *data,
                             gsize                  length_bytes,
                             GError               **error)
{
  while (length_bytes > 0)
    {
      la_ssize_t n = archive_write_data (self->target.archive, data, length_bytes);

      if (n < 0)
        return check (self, (int) n, error);
      if (n == 0)
        {
          g_set_error_literal (error, HOLD_ERROR, HOLD_ERROR_CORRUPT, "An entry is longer than its header says");
          return FALSE;
        }
      data += n;
      length_bytes -= (gsize) n;
    }

  return TRUE;
}

gboolean
hold_libarchive_writer_fill (HoldLibarchiveWriter  *self,
                             guint64                length_bytes,
                             GError               **error)
{
  while (length_bytes > 0)
    {
      gsize n = MIN (length_bytes, ZEROS_BYTES);

      if (!hold_libarchive_writer_data (self, self->zeros, n, error))
        return FALSE;
      length_bytes -= n;
    }

  return TRUE;
}

gboolean
hold_libarchive_writer_finish (HoldLibarchiveWriter  *self,
                               GError               **error)
{
  return check (self, archive_write_close (self->target.archive), error);
}

GPtrArray *
hold_libarchive_writer_get_names (HoldLibarchiveWriter *self)
{
  return self->names;
}
