/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* ZIP entries that are not simply stored or deflated: other methods, and encryption. libarchive
 * decodes most of them one by one, each behind a local header made up from the directory; it
 * decrypts what is stored or deflated only, so the other methods take two of them: the first
 * decrypts the data as if it were stored, the second unpacks what comes out. */

#include "hold-backend-zip-private.h"

#include <string.h>

#include "hold-libarchive-error.h"
#include "hold-libarchive-stream.h"
#include "zip-packer.h"
#include "zip-unpack.h"

/* Up to here an entry is decoded as a whole before any of it is handed out, so that a wrong
 * password writes nothing. In bytes. */
#define WHOLE_MAX (8u * 1024 * 1024)

#define ZIPCRYPTO_HEADER 12u
#define AES_OVERHEAD 12u   /* password check and authentication code; the salt comes on top */

gboolean
_hold_zip_is_foreign_method (guint16 method)
{
  /* BZip2, LZMA, Zstandard, XZ, PPMd. */
  return method == 12 || method == 14 || method == 93 || method == 95 || method == 98
         || zip_unpack_knows (method);
}

/* The made-up local header. */
typedef struct {
  guint16 flags;
  guint16 method;
  guint32 crc;
  guint64 packed_size;
  guint64 size;
  const ZipAes *aes;   /* (nullable) */
} Header;

static void
put (GByteArray *out, guint64 value, guint n_bytes)
{
  for (guint i = 0; i < n_bytes; i++)
    {
      guint8 byte = (guint8) (value >> (8 * i));

      g_byte_array_append (out, &byte, 1);
    }
}

static GBytes *
make_header (const Header *header)
{
  GByteArray *out = g_byte_array_new ();
  gboolean zip64 = header->packed_size >= G_MAXUINT32 || header->size >= G_MAXUINT32;

  put (out, ZIP_SIGNATURE_LOCAL, 4);
  put (out, 51, 2);
  put (out, header->flags, 2);
  put (out, header->aes != NULL ? ZIP_METHOD_AES : header->method, 2);
  put (out, 0x21u << 16, 4);
  put (out, header->crc, 4);
  put (out, zip64 ? G_MAXUINT32 : header->packed_size, 4);
  put (out, zip64 ? G_MAXUINT32 : header->size, 4);
  put (out, 1, 2);
  put (out, (zip64 ? 20u : 0u) + (header->aes != NULL ? 11u : 0u), 2);
  put (out, 'e', 1);
  if (zip64)
    {
      put (out, ZIP_EXTRA_ZIP64, 2);
      put (out, 16, 2);
      put (out, header->size, 8);
      put (out, header->packed_size, 8);
    }
  if (header->aes != NULL)
    {
      put (out, ZIP_EXTRA_AES, 2);
      put (out, 7, 2);
      put (out, header->aes->vendor_version, 2);
      put (out, 'A' | 'E' << 8, 2);
      put (out, header->aes->strength, 1);
      put (out, header->method, 2);
    }
  return g_byte_array_free_to_bytes (out);
}

/* One libarchive with what it is fed. */
typedef struct {
  HoldLibarchiveParts parts;
  HoldLibarchiveStream stream;
} Stage;

static void
stage_clear (Stage *stage)
{
  hold_libarchive_stream_clear (&stage->stream);
  g_clear_pointer (&stage->parts.head, g_bytes_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Stage, stage_clear)

static gboolean
stage_open (Stage *stage, HoldVolumes *volumes, const Header *header, gboolean ignore_crc, const char *secret,
            GCancellable *cancellable, GError **error)
{
  struct archive_entry *entry = NULL;
  g_autoptr (GError) problem = NULL;
  HoldNext next;

  stage->parts.head = make_header (header);
  hold_libarchive_stream_init (&stage->stream, volumes, &stage->parts, cancellable);
  stage->stream.ignore_crc = ignore_crc;
  if (!hold_libarchive_stream_open (&stage->stream, HOLD_LIBARCHIVE_ZIP, secret, error))
    return FALSE;
  next = hold_libarchive_stream_next (&stage->stream, &entry, &problem);
  if (next == HOLD_NEXT_ENTRY || next == HOLD_NEXT_WARNED)
    return TRUE;
  if (problem != NULL)
    g_propagate_error (error, g_steal_pointer (&problem));
  else
    g_set_error (error, HOLD_ERROR, HOLD_ERROR_CORRUPT, "the entry does not decode");
  return FALSE;
}

/* HoldLibarchiveParts.pull: what the first stage decrypted. */
static gboolean
pull_from_stage (gpointer user_data, const guint8 **data, gsize *length_bytes, GError **error)
{
  Stage *from = user_data;

  for (guint i = 0; i < 1000; i++)
    {
      const void *block = NULL;
      size_t length = 0;
      la_int64_t offset = 0;
      int result = archive_read_data_block (from->stream.archive, &block, &length, &offset);

      if (result == ARCHIVE_EOF)
        {
          *length_bytes = 0;
          return TRUE;
        }
      if (result != ARCHIVE_OK && result != ARCHIVE_RETRY)
        {
          hold_libarchive_stream_set_error (&from->stream, error);
          return FALSE;
        }
      if (length > 0)
        {
          *data = block;
          *length_bytes = length;
          return TRUE;
        }
    }
  g_set_error (error, HOLD_ERROR, HOLD_ERROR_CORRUPT, "the encrypted data never ends");
  return FALSE;
}

/* One try with one password (or none). */
typedef struct {
  HoldZipData *data;
  const ZipEntry *entry;
  guint64 offset;       /* of the stored bytes */
  ZipAes aes;
  gboolean is_aes;
  guint16 method;
  const char *secret;
  HoldSecret **fitting; /* (nullable): takes the one that opened it */
  GCancellable *cancellable;
} Attempt;

/* How many bytes encryption adds; FALSE if there are not even those. */
static gboolean
get_overhead (const Attempt *self, guint64 *overhead)
{
  *overhead = 0;
  if (self->is_aes)
    *overhead = AES_OVERHEAD + 4u + 4u * MIN (self->aes.strength, 3u);
  else if (zip_entry_is_encrypted (self->entry))
    *overhead = ZIPCRYPTO_HEADER;
  return *overhead <= self->entry->packed_size;
}

static gboolean
drain (Stage *stage, guint64 size, HoldLibarchiveWrite write, gpointer user_data, GError **error)
{
  gboolean fatal;

  return hold_libarchive_stream_read_data (&stage->stream, TRUE, size, write, user_data, &fatal, error);
}

/* Old methods, which the ZIP layer unpacks itself, from whatever decrypts them. */
typedef struct {
  Attempt *attempt;
  guint64 position;
  guint8 *block;
  HoldLibarchiveWrite write;
  gpointer user_data;
  guint64 offset;
} Old;

static gboolean
pull_from_file (gpointer user_data, const guint8 **data, gsize *length_bytes, GError **error)
{
  Old *self = user_data;
  guint64 left = self->attempt->entry->packed_size - self->position;

  if (!hold_volumes_read (self->attempt->data->volumes, self->attempt->offset + self->position, self->block,
                          (gsize) MIN (left, (guint64) ZIP_CODEC_CHUNK), length_bytes, error))
    return FALSE;
  self->position += *length_bytes;
  *data = self->block;
  return TRUE;
}

static gboolean
write_old (gpointer user_data, const guint8 *data, gsize length_bytes, GError **error)
{
  Old *self = user_data;
  guint64 offset = self->offset;

  self->offset += length_bytes;
  return self->write (self->user_data, data, length_bytes, offset, error);
}

/* @from: (nullable): the stage that decrypts. */
static gboolean
unpack_old (Attempt *self, Stage *from, HoldLibarchiveWrite write, gpointer user_data, GError **error)
{
  g_autofree guint8 *block = g_malloc (ZIP_CODEC_CHUNK);
  g_autoptr (GError) problem = NULL;
  Old old = { .attempt = self, .block = block, .write = write, .user_data = user_data };

  if (zip_unpack (self->method, self->entry->flags, self->entry->size, from != NULL ? pull_from_stage : pull_from_file,
                  from != NULL ? (gpointer) from : (gpointer) &old, write_old, &old, self->cancellable, &problem))
    return TRUE;
  _hold_zip_propagate_error (error, g_steal_pointer (&problem));
  return FALSE;
}

/* The unpacker may stop before the end: the authentication code stands behind everything. */
static gboolean
read_to_end (Stage *stage, GError **error)
{
  const guint8 *rest;
  gsize length = 1;

  while (length > 0)
    if (!pull_from_stage (stage, &rest, &length, error))
      return FALSE;
  return TRUE;
}

/* Compression options of LZMA: whether an end mark is there. */
static guint16
lzma_flags (const Attempt *self)
{
  return self->method == 14 ? self->entry->flags & 0x0002u : 0;
}

/* AES of the second kind has a code of its own and no CRC. */
static gboolean
lacks_crc (const Attempt *self)
{
  return self->is_aes && self->aes.vendor_version == 2;
}

/* What the only stage unpacks or, @twice, the first of two decrypts. */
static Header
describe_first (const Attempt *self, gboolean twice, guint64 overhead, gboolean *ignore_crc)
{
  const ZipEntry *entry = self->entry;
  gboolean encrypted = zip_entry_is_encrypted (entry);
  Header header = {
    .flags = encrypted ? ZIP_FLAG_ENCRYPTED : 0,
    .method = twice ? ZIP_METHOD_STORED : self->method,
    .crc = entry->crc,
    .packed_size = entry->packed_size,
    .size = twice ? entry->packed_size - overhead : entry->size,
    .aes = self->is_aes ? &self->aes : NULL,
  };

  if (!twice)
    header.flags |= lzma_flags (self);
  *ignore_crc = twice || lacks_crc (self);
  /* Streamed entries check the password against the time, which is put where the CRC is looked for;
   * the CRC of the data is then checked by the second stage, or not at all here. */
  if (encrypted && !self->is_aes && zip_entry_is_streamed (entry))
    {
      header.crc = (guint32) (entry->dos_time & 0xff00u) << 16;
      *ignore_crc = TRUE;
    }
  return header;
}

/* Unpacks what @first decrypts, and goes on to the end of that. */
static gboolean
unpack_decrypted (Attempt *self, Stage *first, guint64 overhead, HoldLibarchiveWrite write, gpointer user_data,
                  GError **error)
{
  const ZipEntry *entry = self->entry;
  g_auto (Stage) second = { .parts = { .pull = pull_from_stage, .pull_data = first } };
  Header inner = {
    .flags = lzma_flags (self),
    .method = self->method,
    .crc = entry->crc,
    .packed_size = entry->packed_size - overhead,
    .size = entry->size,
  };

  if (zip_unpack_knows (self->method))
    return unpack_old (self, first, write, user_data, error) && read_to_end (first, error);
  return stage_open (&second, self->data->volumes, &inner, lacks_crc (self), NULL, self->cancellable, error)
         && drain (&second, entry->size, write, user_data, error) && read_to_end (first, error);
}

static gboolean
attempt (Attempt *self, HoldLibarchiveWrite write, gpointer user_data, GError **error)
{
  const ZipEntry *entry = self->entry;
  gboolean encrypted = zip_entry_is_encrypted (entry);
  gboolean twice = encrypted && _hold_zip_is_foreign_method (self->method);
  g_auto (Stage) first = { .parts = { .data_offset = self->offset, .data_length = entry->packed_size } };
  gboolean ignore_crc;
  guint64 overhead;
  Header header;

  if (!get_overhead (self, &overhead))
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_CORRUPT, "the encrypted data is too short to be any");
      return FALSE;
    }
  if (!encrypted && zip_unpack_knows (self->method))
    return unpack_old (self, NULL, write, user_data, error);

  header = describe_first (self, twice, overhead, &ignore_crc);
  if (!stage_open (&first, self->data->volumes, &header, ignore_crc, self->secret, self->cancellable, error))
    return FALSE;
  if (!twice)
    return drain (&first, entry->size, write, user_data, error);
  return unpack_decrypted (self, &first, overhead, write, user_data, error);
}

/* Where the bytes of an attempt go. */
typedef struct {
  HoldWriteFunc write;
  gpointer user_data;
  GByteArray *whole;   /* (nullable): collected instead */
  gboolean has_crc;
  guint32 crc;         /* of what came, if it is wanted */
} Output;

static gboolean
output_cb (gpointer user_data, const guint8 *data, gsize length_bytes, guint64 offset, GError **error)
{
  Output *self = user_data;

  if (self->has_crc)
    self->crc = zip_crc_update (self->crc, data, length_bytes);
  if (self->whole != NULL)
    {
      g_byte_array_append (self->whole, data, (guint) length_bytes);
      return TRUE;
    }
  return self->write == NULL || self->write (self->user_data, data, length_bytes, error);
}

static gboolean
hand_out_whole (const GByteArray *whole, HoldWriteFunc write, gpointer user_data, GError **error)
{
  for (guint position = 0; write != NULL && position < whole->len; position += ZIP_CODEC_CHUNK)
    if (!write (user_data, whole->data + position, MIN (whole->len - position, ZIP_CODEC_CHUNK), error))
      return FALSE;
  return TRUE;
}

static gboolean
check_crc (const Attempt *self, const Output *output, GError **error)
{
  if (!output->has_crc || output->crc == self->entry->crc)
    return TRUE;
  g_set_error (error, HOLD_ERROR, HOLD_ERROR_CHECKSUM,
               "the data does not match its checksum (CRC %08x, recorded %08x)", output->crc,
               self->entry->crc);
  return FALSE;
}

/* @trusted: the password has proven itself, or none is needed. */
static gboolean
decode (Attempt *self, gboolean trusted, HoldWriteFunc write, gpointer user_data, GError **error)
{
  g_autoptr (GByteArray) whole = self->entry->size <= WHOLE_MAX ? g_byte_array_new () : NULL;
  gboolean has_crc = !(self->is_aes && self->aes.vendor_version == 2);
  Output output = { .whole = whole, .has_crc = has_crc };

  /* Decoders differ about nothing that was compressed. */
  if (self->entry->size == 0 && self->entry->crc == 0 && !zip_entry_is_encrypted (self->entry))
    return TRUE;
  if (whole != NULL)
    return attempt (self, output_cb, &output, error) && check_crc (self, &output, error)
           && hand_out_whole (whole, write, user_data, error);

  /* ZipCrypto lets one wrong password in 256 pass its test, so nothing is written before one
   * reading has shown that the data is right. AES lets one in 65,536 pass. */
  if (!trusted && !self->is_aes
      && (!attempt (self, output_cb, &output, error) || !check_crc (self, &output, error)))
    return FALSE;
  output = (Output) { .write = write, .user_data = user_data, .has_crc = has_crc };
  return attempt (self, output_cb, &output, error) && check_crc (self, &output, error);
}

/* A wrong password that passed the test shows as damage of some kind. */
static gboolean
may_be_wrong_password (const GError *error)
{
  return error->domain == HOLD_ERROR
         && (error->code == HOLD_ERROR_CORRUPT || error->code == HOLD_ERROR_CHECKSUM
             || error->code == HOLD_ERROR_TRUNCATED || error->code == HOLD_ERROR_PASSWORD_WRONG);
}

static HoldSecret *
dup_proven (HoldZipData *data)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&data->lock);

  return data->proven != NULL ? hold_secret_ref (data->proven) : NULL;
}

static void
set_proven (HoldZipData *data, HoldSecret *secret)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&data->lock);

  if (data->proven == secret)
    return;
  g_clear_pointer (&data->proven, hold_secret_unref);
  data->proven = hold_secret_ref (secret);
}

static gboolean
try_secret (Attempt *self, HoldSecret *secret, gboolean trusted, HoldWriteFunc write, gpointer user_data,
            GError **error)
{
  self->secret = hold_secret_peek (secret);
  if (!decode (self, trusted, write, user_data, error))
    return FALSE;
  /* An empty entry proves nothing. */
  if (self->entry->size > 0)
    set_proven (self->data, secret);
  return TRUE;
}

static void
tell_fitting (Attempt *self, HoldSecret *secret)
{
  if (self->fitting != NULL)
    *self->fitting = hold_secret_ref (secret);
}

static gboolean
try_secrets (Attempt *self, HoldKeyring *keyring, HoldWriteFunc write, gpointer user_data, GError **error)
{
  g_autoptr (HoldSecret) proven = dup_proven (self->data);
  g_autoptr (GPtrArray) secrets = keyring != NULL ? hold_keyring_dup_secrets (keyring) : NULL;
  g_autoptr (GError) damage = NULL;
  guint n_secrets = secrets != NULL ? secrets->len : 0;

  if (proven == NULL && n_secrets == 0)
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_PASSWORD_NEEDED, "a password is needed");
      return FALSE;
    }
  for (guint i = 0; i <= n_secrets; i++)
    {
      g_autoptr (GError) local = NULL;
      HoldSecret *secret = i == 0 ? proven : g_ptr_array_index (secrets, i - 1);
      gboolean trusted = i == 0 || secret == proven;

      if (secret == NULL || (i > 0 && proven != NULL && hold_secret_equal (secret, proven)))
        continue;
      if (try_secret (self, secret, trusted, write, user_data, &local))
        {
          tell_fitting (self, secret);
          return TRUE;
        }
      if (!may_be_wrong_password (local))
        {
          tell_fitting (self, secret);
          g_propagate_error (error, g_steal_pointer (&local));
          return FALSE;
        }
      /* Past the test of AES, which is hard to pass by chance, or with a password that fits
       * other entries, damage is damage. */
      if (local->code != HOLD_ERROR_PASSWORD_WRONG && (trusted || self->is_aes) && damage == NULL)
        damage = g_steal_pointer (&local);
    }
  if (damage != NULL)
    g_propagate_error (error, g_steal_pointer (&damage));
  else
    g_set_error (error, HOLD_ERROR, HOLD_ERROR_PASSWORD_WRONG, "the password is wrong");
  return FALSE;
}

gboolean
_hold_zip_read_foreign (HoldZipData *data, guint index, HoldKeyring *keyring, HoldWriteFunc write,
                        gpointer user_data, HoldSecret **secret, GCancellable *cancellable, GError **error)
{
  const ZipEntry *entry = zip_reader_get_entry (data->reader, index);
  g_autoptr (GError) problem = NULL;
  Attempt self = {
    .data = data,
    .entry = entry,
    .method = zip_entry_get_method (entry),
    .fitting = secret,
    .cancellable = cancellable,
  };
  locale_t previous;
  guint64 length;
  gboolean ok;

  if (secret != NULL)
    *secret = NULL;
  self.is_aes = zip_entry_get_aes (entry, &self.aes);
  if ((entry->flags & (ZIP_FLAG_STRONG | ZIP_FLAG_PATCH)) != 0
      || (!_hold_zip_is_foreign_method (self.method) && self.method != ZIP_METHOD_STORED
          && self.method != ZIP_METHOD_DEFLATE))
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_UNSUPPORTED, "%s can't be unpacked here (ZIP method %u: %s)",
                   (entry->flags & ZIP_FLAG_STRONG) != 0 ? "PKWARE strong encryption" : "this method",
                   self.method, zip_method_get_name (self.method));
      return FALSE;
    }
  if (!zip_reader_get_data_extent (data->reader, index, &self.offset, &length, &problem))
    {
      _hold_zip_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }

  previous = hold_libarchive_locale_enter ();
  ok = zip_entry_is_encrypted (entry) ? try_secrets (&self, keyring, write, user_data, error)
                                      : decode (&self, TRUE, write, user_data, error);
  hold_libarchive_locale_leave (previous);
  return ok;
}
