/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Packs local headers, central directory and end record out of words. */

#include "zip-builder.h"

#include <gio/gio.h>
#include <libdeflate.h>
#include <string.h>

struct _ZipBuilder {
  GByteArray *data;
  GByteArray *central;
  GArray *offsets; /* of guint64 */
  guint n_central;
};

typedef struct {
  GHashTable *words; /* key → value, "" for a bare word */
  GHashTable *used;
} Options;

static Options
options_parse (const char *text)
{
  Options options = {
    .words = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free),
    .used = g_hash_table_new (g_str_hash, g_str_equal),
  };
  g_auto (GStrv) words = g_strsplit (text != NULL ? text : "", " ", -1);

  for (guint i = 0; words[i] != NULL; i++)
    {
      if (*words[i] == '\0')
        continue;

      char *equals = strchr (words[i], '=');
      char *key = equals != NULL ? g_strndup (words[i],
                                              (gsize) (equals - words[i])) : g_strdup (words[i]);
      /* Unlike g_uri_unescape_string(), this takes bytes that are no UTF-8. */
      GString *value = g_string_new (NULL);

      for (const char *p = equals != NULL ? equals + 1 : ""; *p != '\0'; p++)
        {
          if (*p == '%' && g_ascii_isxdigit (p[1]) && g_ascii_isxdigit (p[2]))
            {
              g_string_append_c (value, (char) (g_ascii_xdigit_value (p[1]) * 16
                                                + g_ascii_xdigit_value (p[2])));
              p += 2;
            }
          else
            g_string_append_c (value, *p);
        }
      g_hash_table_replace (options.words, key, g_string_free (value, FALSE));
    }

  return options;
}

/* A word that nothing asked for is a typing error in the test. */
static void
options_clear (Options *options)
{
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, options->words);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (!g_hash_table_contains (options->used, key))
      g_error ("zip-builder: no option \"%s\"", (const char *) key);

  g_hash_table_unref (options->used);
  g_hash_table_unref (options->words);
}

static const char *
get (Options *options, const char *key)
{
  g_hash_table_add (options->used, (gpointer) key);
  return g_hash_table_lookup (options->words, key);
}

static gboolean
has (Options *options, const char *key)
{
  return get (options, key) != NULL;
}

static guint64
number (Options *options, const char *key, guint64 otherwise, guint base)
{
  const char *value = get (options, key);

  return value != NULL ? g_ascii_strtoull (value, NULL, base) : otherwise;
}

static void
put (GByteArray *out, guint64 value, guint n_bytes)
{
  for (guint i = 0; i < n_bytes; i++)
    {
      guint8 byte = (guint8) (value >> (8 * i));
      g_byte_array_append (out, &byte, 1);
    }
}

static void
put_bytes (GByteArray *out, gconstpointer data, gsize length)
{
  if (length > 0)
    g_byte_array_append (out, data, (guint) length);
}

static void
put_hex (GByteArray *out, const char *hex)
{
  for (; hex != NULL && hex[0] != '\0' && hex[1] != '\0'; hex += 2)
    put (out, (guint64) (g_ascii_xdigit_value (hex[0]) * 16 + g_ascii_xdigit_value (hex[1])), 1);
}

ZipBuilder *
zip_builder_new (void)
{
  ZipBuilder *builder = g_new0 (ZipBuilder, 1);

  builder->data = g_byte_array_new ();
  builder->central = g_byte_array_new ();
  builder->offsets = g_array_new (FALSE, FALSE, sizeof (guint64));
  return builder;
}

void
zip_builder_free (ZipBuilder *builder)
{
  g_clear_pointer (&builder->data, g_byte_array_unref);
  g_clear_pointer (&builder->central, g_byte_array_unref);
  g_clear_pointer (&builder->offsets, g_array_unref);
  g_free (builder);
}

static GByteArray *
pack (const guint8 *content, gsize length, gboolean deflate)
{
  GByteArray *packed = g_byte_array_new ();

  if (!deflate)
    {
      put_bytes (packed, content, length);
      return packed;
    }

  struct libdeflate_compressor *compressor = libdeflate_alloc_compressor (6);
  gsize bound = libdeflate_deflate_compress_bound (compressor, length);
  g_byte_array_set_size (packed, (guint) bound);
  gsize size = libdeflate_deflate_compress (compressor, content, length, packed->data, bound);
  g_byte_array_set_size (packed, (guint) size);
  libdeflate_free_compressor (compressor);
  return packed;
}

static guint32
crc_byte (guint32 crc, guint8 byte)
{
  crc ^= byte;
  for (guint k = 0; k < 8; k++)
    crc = (crc >> 1) ^ ((crc & 1) ? 0xedb88320u : 0);
  return crc;
}

static void
keys_update (guint32 keys[3], guint8 byte)
{
  keys[0] = crc_byte (keys[0], byte);
  keys[1] = (keys[1] + (keys[0] & 0xff)) * 134775813u + 1;
  keys[2] = crc_byte (keys[2], (guint8) (keys[1] >> 24));
}

/* ZipCrypto, APPNOTE 6.1. The header's last byte is what a reader checks the password by. */
static void
encrypt (GByteArray *packed, const char *password, guint8 check)
{
  guint32 keys[3] = { 0x12345678u, 0x23456789u, 0x34567890u };
  guint8 head[12] = { 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, check };

  for (; *password != '\0'; password++)
    keys_update (keys, (guint8) *password);

  g_byte_array_prepend (packed, head, sizeof head);
  for (guint i = 0; i < packed->len; i++)
    {
      guint32 temp = (keys[2] | 2) & 0xffff;
      guint8 plain = packed->data[i];

      packed->data[i] = plain ^ (guint8) ((temp * (temp ^ 1)) >> 8);
      keys_update (keys, plain);
    }
}

static void
put_extras (GByteArray *extra, Options *options, const char *name, const char *own)
{
  const char *text = get (options, "unicode-name");

  put_hex (extra, get (options, "extra"));
  put_hex (extra, get (options, own));
  if (has (options, "ut"))
    {
      put (extra, 0x5455, 2);
      put (extra, 5, 2);
      put (extra, 1, 1);
      put (extra, (guint64) g_ascii_strtoll (get (options, "ut"), NULL, 10), 4);
    }
  if (has (options, "ntfs"))
    {
      put (extra, 0x000a, 2);
      put (extra, 32, 2);
      put (extra, 0, 4);
      put (extra, 1, 2);
      put (extra, 24, 2);
      for (guint i = 0; i < 3; i++)
        put (extra, number (options, "ntfs", 0, 10), 8);
    }
  if (text != NULL)
    {
      guint32 crc = libdeflate_crc32 (0, name, strlen (name));

      put (extra, 0x7075, 2);
      put (extra, 5 + strlen (text), 2);
      put (extra, 1, 1);
      put (extra, has (options, "stale") ? crc ^ 1 : crc, 4);
      put_bytes (extra, text, strlen (text));
    }
}

static void
put_descriptor (GByteArray *out, const char *kind, guint32 crc, guint64 packed, guint64 size)
{
  gboolean wide = kind != NULL && g_str_has_suffix (kind, "64");

  if (g_strcmp0 (kind, "none") == 0)
    return;
  if (kind == NULL || !g_str_has_prefix (kind, "nosig"))
    put (out, 0x08074b50, 4);
  put (out, crc, 4);
  put (out, packed, wide ? 8 : 4);
  put (out, size, wide ? 8 : 4);
}

void
zip_builder_add_bytes (ZipBuilder *builder, const char *name, const guint8 *content, gsize length,
                       const char *text)
{
  Options options = options_parse (text);
  gboolean deflate = has (&options, "deflate");
  gboolean streamed = has (&options, "streamed");
  gboolean zip64 = has (&options, "zip64");
  const char *password = get (&options, "password");
  const char *kind = get (&options, "descriptor");
  const char *local_name = has (&options, "local-name") ? get (&options, "local-name") : name;
  const char *comment = has (&options, "comment") ? get (&options, "comment") : "";
  guint32 crc = libdeflate_crc32 (0, content, length);
  guint64 date = number (&options, "date", 0x5a21, 0);
  guint64 time = number (&options, "time", 0x6000, 0);
  guint64 flags = number (&options, "flags", 0, 0);
  guint64 method = number (&options, "method", deflate ? 8 : 0, 0);
  guint64 mode = number (&options, "mode", 0, 8);
  guint64 host = number (&options, "host", mode != 0 ? 3 : 0, 0);
  guint64 attributes = (mode << 16) | number (&options, "attr", 0, 0);
  g_autoptr (GByteArray) packed = pack (content, length, deflate);
  g_autoptr (GByteArray) local_extra = g_byte_array_new ();
  g_autoptr (GByteArray) central_extra = g_byte_array_new ();
  guint64 offset = builder->data->len;

  if (streamed)
    flags |= 0x0008;
  if (has (&options, "utf8"))
    flags |= 0x0800;
  if (password != NULL)
    {
      flags |= 0x0001;
      encrypt (packed, password, (guint8) (streamed ? time >> 8 : crc >> 24));
    }
  guint64 packed_size = packed->len;

  if (has (&options, "same-as"))
    offset = g_array_index (builder->offsets, guint64, number (&options, "same-as", 0, 0));
  g_array_append_val (builder->offsets, offset);

  if (zip64)
    {
      put (local_extra, 0x0001, 2);
      put (local_extra, 16, 2);
      put (local_extra, streamed ? 0 : length, 8);
      put (local_extra, streamed ? 0 : packed_size, 8);
    }
  put_extras (local_extra, &options, name, "local-extra");

  if (!has (&options, "same-as"))
    {
      gboolean known = !streamed || has (&options, "local-sizes");
      gboolean size_known = known || has (&options, "local-size");
      GByteArray *out = builder->data;

      put (out, 0x04034b50, 4);
      put (out, zip64 ? 45 : 20, 2);
      put (out, flags, 2);
      put (out, method, 2);
      put (out, time, 2);
      put (out, date, 2);
      put (out, known ? crc : 0, 4);
      put (out, zip64 ? G_MAXUINT32 : known ? packed_size : 0, 4);
      put (out, zip64 ? G_MAXUINT32 : size_known ? length : 0, 4);
      put (out, strlen (local_name), 2);
      put (out, local_extra->len, 2);
      put_bytes (out, local_name, strlen (local_name));
      put_bytes (out, local_extra->data, local_extra->len);
      put_bytes (out, packed->data, packed->len);
      if (streamed)
        put_descriptor (out, kind, crc, packed_size, length);
    }

  guint64 said_crc = number (&options, "crc", crc, 0);
  guint64 said_size = number (&options, "size", length, 0);
  guint64 said_packed = number (&options, "packed", packed_size, 0);
  guint64 said_offset = number (&options, "offset", offset, 0);
  guint64 disk = number (&options, "disk", 0, 0);
  guint64 made_by = (host << 8) | 30;

  if (zip64)
    {
      put (central_extra, 0x0001, 2);
      put (central_extra, 24, 2);
      put (central_extra, said_size, 8);
      put (central_extra, said_packed, 8);
      put (central_extra, said_offset, 8);
    }
  put_extras (central_extra, &options, name, "central-extra");

  if (!has (&options, "no-central"))
    {
      GByteArray *out = builder->central;

      put (out, 0x02014b50, 4);
      put (out, made_by, 2);
      put (out, zip64 ? 45 : 20, 2);
      put (out, flags, 2);
      put (out, method, 2);
      put (out, time, 2);
      put (out, date, 2);
      put (out, said_crc, 4);
      put (out, zip64 ? G_MAXUINT32 : said_packed, 4);
      put (out, zip64 ? G_MAXUINT32 : said_size, 4);
      put (out, strlen (name), 2);
      put (out, central_extra->len, 2);
      put (out, strlen (comment), 2);
      put (out, disk, 2);
      put (out, 0, 2);
      put (out, attributes, 4);
      put (out, zip64 ? G_MAXUINT32 : said_offset, 4);
      put_bytes (out, name, strlen (name));
      put_bytes (out, central_extra->data, central_extra->len);
      put_bytes (out, comment, strlen (comment));
      builder->n_central++;
    }

  options_clear (&options);
}

void
zip_builder_add (ZipBuilder *builder, const char *name, const char *content, const char *options)
{
  zip_builder_add_bytes (builder, name, (const guint8 *) content, strlen (content), options);
}

static void
put_letters (GByteArray *out, guint64 n, char letter)
{
  guint start = out->len;

  g_byte_array_set_size (out, start + (guint) n);
  if (n > 0)
    memset (out->data + start, letter, (gsize) n);
}

/* Adds @shift to the offsets of the central headers, for archives with corrected prefix. */
static void
shift_central (GByteArray *central, guint64 shift)
{
  for (guint i = 0; i + 46 <= central->len;)
    {
      guint8 *p = central->data + i;
      guint8 *field = p + 42;
      guint n_bytes = 4;

      /* Field 0x0001 comes first, and the offset is its third number. */
      if (memcmp (field, "\377\377\377\377", 4) == 0)
        {
          field = p + 46 + (p[28] | p[29] << 8) + 4 + 16;
          n_bytes = 8;
        }

      guint64 offset = shift;
      for (guint k = 0; k < n_bytes; k++)
        offset += (guint64) field[k] << (8 * k);
      for (guint k = 0; k < n_bytes; k++)
        field[k] = (guint8) (offset >> (8 * k));
      i += 46u + (p[28] | p[29] << 8) + (p[30] | p[31] << 8) + (p[32] | p[33] << 8);
    }
}

GBytes *
zip_builder_finish (ZipBuilder *builder, const char *text)
{
  Options options = options_parse (text);
  g_autoptr (GByteArray) out = g_byte_array_new ();
  const char *comment = has (&options, "comment") ? get (&options, "comment") : "";
  guint64 prefix = number (&options, "prefix", 0, 0);
  guint64 base = has (&options, "absolute") ? prefix : 0;

  put_letters (out, prefix, 'x');
  put_bytes (out, builder->data->data, builder->data->len);

  if (!has (&options, "no-end"))
    {
      guint64 count = number (&options, "count", builder->n_central, 0);
      guint64 size = number (&options, "cd-size", builder->central->len, 0);
      guint64 offset = number (&options, "cd-offset", builder->data->len + base, 0);
      guint64 disk = number (&options, "disk", 0, 0);
      guint64 cd_disk = number (&options, "cd-disk", disk, 0);

      shift_central (builder->central, base);
      put_bytes (out, builder->central->data, builder->central->len);
      put_letters (out, number (&options, "gap", 0, 0), 'g');

      gboolean zip64 = has (&options, "zip64");
      if (zip64)
        {
          guint64 place = builder->data->len + builder->central->len + base;

          put (out, 0x06064b50, 4);
          put (out, 44, 8);
          put (out, 45, 2);
          put (out, 45, 2);
          put (out, disk, 4);
          put (out, cd_disk, 4);
          put (out, count, 8);
          put (out, count, 8);
          put (out, size, 8);
          put (out, offset, 8);
          put (out, 0x07064b50, 4);
          put (out, 0, 4);
          put (out, place, 8);
          put (out, 1, 4);
        }

      put (out, 0x06054b50, 4);
      put (out, disk, 2);
      put (out, cd_disk, 2);
      put (out, zip64 ? G_MAXUINT16 : count, 2);
      put (out, zip64 ? G_MAXUINT16 : count, 2);
      put (out, zip64 ? G_MAXUINT32 : size, 4);
      put (out, zip64 ? G_MAXUINT32 : offset, 4);
      put (out, strlen (comment), 2);
      put_bytes (out, comment, strlen (comment));
    }

  put_letters (out, number (&options, "trailing", 0, 0), 't');
  options_clear (&options);
  return g_byte_array_free_to_bytes (g_steal_pointer (&out));
}

GBytes *
zip_builder_from_text (const char *text)
{
  g_autoptr (ZipBuilder) builder = zip_builder_new ();
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  const char *of_archive = NULL;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i], "|", 3);

      if (lines[i][0] == '|')
        of_archive = lines[i] + 1;
      else if (lines[i][0] != '\0')
        {
          guint n = g_strv_length (fields);
          zip_builder_add (builder, fields[0], n > 1 ? fields[1] : "", n > 2 ? fields[2] : NULL);
        }
    }

  return zip_builder_finish (builder, of_archive);
}

char *
zip_builder_save (GBytes *archive, const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;
  gsize length = 0;
  const char *data = g_bytes_get_data (archive, &length);

  g_file_set_contents (path, data != NULL ? data : "", (gssize) length, &error);
  g_assert_no_error (error);
  return g_steal_pointer (&path);
}

guint8 *
zip_builder_random (guint32 seed, gsize length)
{
  guint8 *bytes = g_malloc (MAX (length, 1));
  guint64 state = seed * G_GUINT64_CONSTANT (2654435761) + 1;

  for (gsize i = 0; i < length; i++)
    {
      state = state * G_GUINT64_CONSTANT (6364136223846793005) + 1442695040888963407u;
      bytes[i] = (guint8) (state >> 33);
    }
  return bytes;
}
