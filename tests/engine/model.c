/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Adds items to a builder the way a backend does, and insists that each is taken. */

#include "model.h"

#include <string.h>

HoldArchiveBuilder *
model_builder_new (const char *encoding, const HoldLimits *limits)
{
  HoldArchiveBuilder *builder = hold_archive_builder_new ("/nowhere/a.zip", encoding, limits);

  hold_archive_builder_set_format (builder, hold_format_by_id ("zip"));
  return builder;
}

static HoldNameSource
source (const char *bytes, gsize length, ModelFlags flags)
{
  return (HoldNameSource) {
    .bytes = (const guint8 *) bytes,
    .length = length,
    .is_utf8 = (flags & MODEL_UTF8) != 0,
    .backslash_separates = (flags & MODEL_DOS) != 0,
  };
}

void
model_add (HoldArchiveBuilder *builder, const ModelItem *item)
{
  g_autoptr (GError) error = NULL;
  HoldNameSource name = source (item->name, strlen (item->name), item->flags);
  HoldNameSource link = { 0 };
  HoldEntry entry = { .type = HOLD_ENTRY_FILE };

  if (g_str_has_suffix (item->name, "/"))
    entry.type = HOLD_ENTRY_FOLDER;
  if (item->link != NULL)
    {
      entry.type = HOLD_ENTRY_SYMLINK;
      link = source (item->link, strlen (item->link), item->flags);
    }
  if (item->size >= 0)
    {
      entry.flags = HOLD_ENTRY_HAS_SIZE | HOLD_ENTRY_HAS_PACKED;
      entry.size = (guint64) item->size;
      entry.packed = entry.size / 2;
    }
  g_assert_true (hold_archive_builder_add (builder, &entry, &name,
                                           item->link != NULL ? &link : NULL, NULL, &error));
  g_assert_no_error (error);
}

void
model_add_bytes (HoldArchiveBuilder *builder, const char *bytes, gsize length, ModelFlags flags)
{
  g_autoptr (GError) error = NULL;
  HoldNameSource name = source (bytes, length, flags);
  HoldEntry entry = { .type = HOLD_ENTRY_FILE };

  g_assert_true (hold_archive_builder_add (builder, &entry, &name, NULL, NULL, &error));
  g_assert_no_error (error);
}

HoldArchive *
model_finish (HoldArchiveBuilder *builder)
{
  g_autoptr (GError) error = NULL;
  HoldArchive *archive = hold_archive_builder_finish (builder, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (archive);
  return archive;
}

HoldArchive *
model_archive (const char *encoding, const ModelItem *items)
{
  g_autoptr (HoldArchiveBuilder) builder = model_builder_new (encoding, NULL);

  for (; items->name != NULL; items++)
    model_add (builder, items);
  return model_finish (builder);
}

const char *
model_path (HoldArchive *archive, guint index)
{
  return hold_entry_get_path (hold_archive_get_entry (archive, index));
}
