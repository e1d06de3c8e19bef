/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The engine keeps the stored bytes of a name only where they could not be read; those of the
 * others are what the name is in the encoding that it was read in. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-encoding-list.h"

/* An archive has thousands of names, and a handful tells. */
#define MAX_LOOKED_AT 20000
#define MAX_REMEMBERED 64

static const HoldallEncoding encodings[] = {
  { "", N_("Guess") },
  { "UTF-8", N_("Unicode (UTF-8)") },
  { "CP850", N_("Western (DOS, CP850)") },
  { "CP437", N_("Western (DOS, CP437)") },
  { "WINDOWS-1252", N_("Western (Windows-1252)") },
  { "CP852", N_("Central European (DOS, CP852)") },
  { "WINDOWS-1250", N_("Central European (Windows-1250)") },
  { "CP866", N_("Cyrillic (DOS, CP866)") },
  { "WINDOWS-1251", N_("Cyrillic (Windows-1251)") },
  { "KOI8-R", N_("Cyrillic (KOI8-R)") },
  { "WINDOWS-1253", N_("Greek (Windows-1253)") },
  { "WINDOWS-1254", N_("Turkish (Windows-1254)") },
  { "CP862", N_("Hebrew (CP862)") },
  { "WINDOWS-1256", N_("Arabic (Windows-1256)") },
  { "CP932", N_("Japanese (Shift JIS)") },
  { "EUC-JP", N_("Japanese (EUC-JP)") },
  { "GB18030", N_("Chinese, Simplified (GB18030)") },
  { "BIG5", N_("Chinese, Traditional (Big5)") },
  { "CP949", N_("Korean (EUC-KR)") },
};

const HoldallEncoding *
holdall_encoding_table (guint *n_encodings)
{
  *n_encodings = G_N_ELEMENTS (encodings);
  return encodings;
}

/* The last part of a stored path, which may be one of a folder. */
static GBytes *
take_last_part (const char *bytes,
                gsize       length)
{
  gsize start;

  while (length > 0 && bytes[length - 1] == '/')
    length--;
  start = length;
  while (start > 0 && bytes[start - 1] != '/')
    start--;
  return g_bytes_new (bytes + start, length - start);
}

/* (nullable) (transfer full) */
static GBytes *
dup_stored_name (const HoldEntry *entry,
                 const char      *charset)
{
  gsize length;
  const guint8 *raw = hold_entry_get_raw_name (entry, &length);
  const char *name = hold_entry_get_name (entry);
  g_autofree char *stored = NULL;

  if (raw != NULL)
    return take_last_part ((const char *) raw, length);
  if (charset == NULL || g_str_is_ascii (name))
    return NULL;
  /* What says that it is Unicode, and is not of this charset at all, depends on nothing. */
  stored = g_convert (name, -1, charset, "UTF-8", NULL, &length, NULL);
  return stored != NULL ? g_bytes_new (stored, length) : NULL;
}

GPtrArray *
holdall_encoding_dup_samples (HoldArchive *archive,
                              guint        max_names)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_bytes_hash, g_bytes_equal);
  GPtrArray *names = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  guint n_entries = MIN (hold_archive_get_n_entries (archive), MAX_LOOKED_AT);

  for (guint i = 0; i < n_entries && names->len < max_names; i++)
    {
      g_autoptr (GBytes) name = dup_stored_name (hold_archive_get_entry (archive, i),
                                                 hold_archive_get_encoding (archive));

      /* Adding a second time would put this one, which goes, in the place of the first. */
      if (name == NULL || g_bytes_get_size (name) == 0 || g_hash_table_contains (seen, name))
        continue;
      g_hash_table_add (seen, name);
      g_ptr_array_add (names, g_steal_pointer (&name));
    }
  return names;
}

char *
holdall_encoding_read (GBytes     *name,
                       const char *charset)
{
  gsize length;
  const char *bytes = g_bytes_get_data (name, &length);
  g_autofree char *text = g_convert (bytes, (gssize) length, "UTF-8", charset, NULL, NULL, NULL);

  return text != NULL ? hold_path_escape_for_display (text) : NULL;
}

char *
holdall_encoding_recall (GSettings *settings,
                         GFile     *file)
{
  g_autoptr (GVariant) all = g_settings_get_value (settings, "encodings");
  g_autofree char *uri = g_file_get_uri (file);
  GVariantIter iter;
  const char *other, *charset;

  g_variant_iter_init (&iter, all);
  while (g_variant_iter_next (&iter, "(&s&s)", &other, &charset))
    {
      if (g_str_equal (other, uri))
        return g_strdup (charset);
    }
  return NULL;
}

void
holdall_encoding_remember (GSettings  *settings,
                           GFile      *file,
                           const char *charset)
{
  g_autoptr (GVariant) all = g_settings_get_value (settings, "encodings");
  g_autofree char *uri = g_file_get_uri (file);
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a(ss)"));
  GVariantIter iter;
  const char *other, *of_other;
  guint n_kept = 0;

  /* The newest first. */
  if (*charset != '\0')
    {
      g_variant_builder_add (&builder, "(ss)", uri, charset);
      n_kept = 1;
    }
  g_variant_iter_init (&iter, all);
  while (n_kept < MAX_REMEMBERED && g_variant_iter_next (&iter, "(&s&s)", &other, &of_other))
    {
      if (g_str_equal (other, uri))
        continue;
      g_variant_builder_add (&builder, "(ss)", other, of_other);
      n_kept++;
    }
  g_settings_set_value (settings, "encodings", g_variant_builder_end (&builder));
}
