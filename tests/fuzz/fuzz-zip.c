/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Throws damaged archives at the ZIP layer. Built as it is, it makes its inputs itself, the same
 * ones in every run; with -fsanitize=fuzzer -DFUZZ_ENGINE it takes them from libFuzzer.
 *
 *   fuzz-zip [FILE…]     replays files, or without any makes inputs for a few seconds
 *
 * HOLDALL_FUZZ_SEED=N makes other inputs, HOLDALL_FUZZ_SECONDS=N goes on for so long; of what fails
 * the seed is enough to see it fail again.
 *
 * What it asserts: nothing crashes, an entry never decodes to more than it declares, and an
 * archive that the writer has finished and found good opens again with as many entries.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "zip-builder.h"
#include "zip-reader.h"
#include "zip-writer.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* More entries than this are not decoded, nor more bytes than this written. */
#define ENTRIES_MAX 64u
#define OUTPUT_MAX (4u * 1024u * 1024u)

static ZipWorkspace *workspace;

static gboolean
count_cb (gpointer user, const guint8 *data, gsize length, GError **error)
{
  guint64 *left = user;

  g_assert_cmpuint (length, <=, *left);
  *left -= length;
  return TRUE;
}

static void
look_at (ZipReader *reader, guint i)
{
  const ZipEntry *entry = zip_reader_get_entry (reader, i);
  guint unlimited = ZIP_ENTRY_UNWRAPPED | ZIP_ENTRY_NO_SIZE;
  guint64 left = entry->facts & unlimited ? G_MAXUINT64 : entry->size;
  g_autoptr (GError) error = NULL;
  g_auto (ZipEntryParts) parts = { 0 };
  g_autoptr (GBytes) name = NULL;
  guint64 offset = 0;
  guint64 length = 0;
  guint32 mode = 0;
  gsize text_length = 0;
  ZipTimes times;
  ZipAes aes;

  zip_entry_get_times (entry, &times);
  (void) zip_entry_get_unix_mode (entry, &mode);
  (void) zip_entry_get_aes (entry, &aes);
  (void) zip_entry_is_folder (entry);
  (void) zip_name_get_unicode (entry, &text_length);
  (void) zip_name_get_unicode_comment (entry, &text_length);
  (void) zip_reader_get_entry_extent (reader, i, &offset, &length, NULL);
  (void) zip_reader_get_entry_parts (reader, i, &parts, NULL);
  name = zip_reader_dup_local_name (reader, i, NULL, NULL);

  if (zip_reader_read_entry (reader, i, workspace, count_cb, &left, NULL, &error))
    g_assert_no_error (error);
  else
    g_assert_nonnull (error);
}

static gboolean
stop_cb (gpointer user, guint64 n_bytes, GError **error)
{
  guint64 *left = user;

  if (n_bytes > *left)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE, "enough");
      return FALSE;
    }
  *left -= n_bytes;
  return TRUE;
}

/* Copies all but one entry, gives every fifth a new name. */
static void
rewrite (ZipReader *reader)
{
  int fd = memfd_create ("fuzz-out", MFD_CLOEXEC);
  g_autoptr (ZipWriter) writer = zip_writer_new (fd);
  guint64 left = OUTPUT_MAX;
  guint n = MIN (zip_reader_get_n_entries (reader), ENTRIES_MAX);
  gboolean good;

  zip_writer_set_watch (writer, stop_cb, &left);
  good = zip_writer_copy_prefix (writer, reader, NULL, NULL);
  zip_writer_copy_comment (writer, reader);
  for (guint i = 0; i < n && good; i++)
    if (i != 1 && !zip_writer_copy_entry (writer, reader, i, i % 5 == 4 ? "new" : NULL, 3, NULL,
                                          NULL))
      good = !zip_writer_is_broken (writer) && left > 0;

  guint n_kept = zip_writer_get_n_entries (writer);
  if (good && zip_writer_finish (writer, NULL, NULL) && zip_writer_verify (writer, NULL, NULL))
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ZipReader) again = zip_reader_open_fd (fd, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpuint (zip_reader_get_n_entries (again), ==, n_kept);
    }
  g_assert_cmpint (close (fd), ==, 0);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  int fd = memfd_create ("fuzz-in", MFD_CLOEXEC);
  g_autoptr (GError) error = NULL;

  if (workspace == NULL)
    workspace = zip_workspace_new ();

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (write (fd, data, size), ==, (gssize) size);
  g_autoptr (ZipReader) reader = zip_reader_open_fd (fd, NULL, &error);
  g_assert_cmpint (close (fd), ==, 0);
  if (reader == NULL)
    {
      g_assert_nonnull (error);
      return 0;
    }

  guint n = MIN (zip_reader_get_n_entries (reader), ENTRIES_MAX);
  for (guint i = 0; i < n; i++)
    look_at (reader, i);
  rewrite (reader);
  return 0;
}

#ifndef FUZZ_ENGINE

static const char *const seeds[] = {
  "a.txt|hello|\nb.txt|hello hello hello|deflate\nd/||mode=040755\n|comment=seed\n",
  "a.txt|hello|streamed\nb.txt|hello hello hello|deflate streamed descriptor=nosig\n"
  "c|hello hello hello|deflate streamed descriptor=64\n",
  "a.txt|hello|zip64\nb.txt|hello hello|deflate zip64 streamed descriptor=64\n|zip64\n",
  "a|secret|password=x streamed\nb|x|method=99 flags=1 extra=0199070002004145030800\n"
  "c|z|method=9\n",
  "a|hello|deflate\nb|hello|deflate same-as=0\nc|x|unicode-name=d ut=1 ntfs=1\n"
  "|prefix=100 trailing=9\n",
  "a|hello|disk=1\n|disk=1\n",
  "|comment=empty\n",
};

#define ROUNDS 6000u

static guint64 state = 88172645463325252u;

static guint64
dice (guint64 sides)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state % sides;
}

static const guint64 interesting[] = {
  0, 1, 4, 22, 30, 46, 255, 256, 65534, 65535, 65536,
  0x7fffffff, 0x80000000u, 0xfffffffeu, 0xffffffffu,
  G_MAXINT64, G_MAXUINT64 - 30, G_MAXUINT64,
};

static const char *const signatures[] = { "PK\001\002", "PK\003\004", "PK\005\006",
                                          "PK\006\006", "PK\006\007", "PK\007\010" };

/* One change; sizes may change too. */
static void
mutate (GByteArray *bytes)
{
  guint length = bytes->len;
  guint at = (guint) dice (MAX (length, 1));
  guint width = 1u << dice (4);
  guint span = 1 + (guint) dice (100);

  if (length < 16)
    {
      g_byte_array_append (bytes, (const guint8 *) "0123456789abcdef", 16);
      return;
    }

  switch (dice (7))
    {
    case 0:
      bytes->data[at] ^= (guint8) (1u << dice (8));
      break;
    case 1:
      bytes->data[at] = (guint8) dice (256);
      break;
    case 2:
    case 3:
      {
        guint64 value = GUINT64_TO_LE (interesting[dice (G_N_ELEMENTS (interesting))]);

        if (dice (4) == 0)
          value = GUINT64_TO_LE (dice (length + 10));
        memcpy (bytes->data + at, &value, MIN (width, length - at));
        break;
      }
    case 4:
      memcpy (bytes->data + MIN (at, length - 4), signatures[dice (G_N_ELEMENTS (signatures))], 4);
      break;
    case 5:
      g_byte_array_remove_range (bytes, at, MIN (span, length - at));
      break;
    default:
      {
        guint n = MIN (span, length - at);
        g_autofree guint8 *piece = g_memdup2 (bytes->data + at, n);

        if (length < 10000)
          g_byte_array_append (bytes, piece, n);
        break;
      }
    }
}

static guint64
number_from_environment (const char *name, guint64 otherwise)
{
  const char *text = g_getenv (name);
  guint64 number = text != NULL ? g_ascii_strtoull (text, NULL, 10) : 0;

  return number != 0 ? number : otherwise;
}

int
main (int argc, char **argv)
{
  const guint64 seconds = number_from_environment ("HOLDALL_FUZZ_SECONDS", 0);
  const gint64 limit = (gint64) (seconds != 0 ? seconds : 20) * G_USEC_PER_SEC;
  gint64 start = g_get_monotonic_time ();
  guint n_run = 0;

  state = number_from_environment ("HOLDALL_FUZZ_SEED", state);
  for (int i = 1; i < argc; i++)
    {
      g_autofree char *content = NULL;
      g_autoptr (GError) error = NULL;
      gsize length = 0;

      if (!g_file_get_contents (argv[i], &content, &length, &error))
        g_error ("%s", error->message);
      (void) LLVMFuzzerTestOneInput ((const uint8_t *) content, length);
    }

  for (guint round = 0; argc == 1 && (seconds != 0 || round < ROUNDS); round++)
    {
      /* A slow machine makes fewer. */
      if (g_get_monotonic_time () - start > limit)
        break;

      g_autoptr (GBytes) seed = zip_builder_from_text (seeds[round % G_N_ELEMENTS (seeds)]);
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      guint n_changes = 1 + (guint) dice (6);

      g_byte_array_append (bytes, g_bytes_get_data (seed, NULL), (guint) g_bytes_get_size (seed));
      for (guint k = 0; k < n_changes; k++)
        mutate (bytes);
      (void) LLVMFuzzerTestOneInput (bytes->data, bytes->len);
      n_run++;
    }

  g_print ("%u made, %d replayed\n", n_run, argc - 1);
  g_clear_pointer (&workspace, zip_workspace_free);
  return EXIT_SUCCESS;
}

#endif
