/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* What comes out of entries, from any thread, and what is refused instead. */

#include <string.h>

#include "zip-test.h"

static void
assert_read_fails (ZipReader *reader, guint i, ZipError code, const char *in_message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = zip_test_read (reader, i, &error);

  g_assert_null (bytes);
  g_assert_error (error, ZIP_ERROR, (gint) code);
  if (in_message != NULL && strstr (error->message, in_message) == NULL)
    g_error ("\"%s\" not in \"%s\"", in_message, error->message);
}

/* Z22 */
static void
test_overlap (void)
{
  g_autoptr (ZipReader) reader = zip_test_build ("a|hello|deflate\n"
                                                 "b|hello|deflate same-as=0\n"
                                                 "c|other|\n"
                                                 "d|apart|\n");

  g_assert_true (zip_reader_get_facts (reader) & ZIP_READER_OVERLAPS);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpint ((zip_reader_get_entry (reader, i)->facts & ZIP_ENTRY_OVERLAPS) != 0, ==,
                     i < 2);
  zip_test_assert_entry (reader, 2, "c", "other");

  /* Data that claims to go on into the directory. */
  g_autoptr (ZipReader) into = zip_test_build ("a|hello|packed=60 size=60\n");
  g_assert_true (zip_reader_get_entry (into, 0)->facts & ZIP_ENTRY_OVERLAPS);
  g_autoptr (ZipReader) beyond = zip_test_build ("a|hello|packed=6000 size=6000\n");
  g_assert_true (zip_reader_get_entry (beyond, 0)->facts & ZIP_ENTRY_OUTSIDE);
  assert_read_fails (beyond, 0, ZIP_ERROR_TRUNCATED, "before the end of the data");
}

static void
test_refused (void)
{
  g_autoptr (ZipReader) reader = zip_test_build ("a|hello|method=9\n"
                                                 "b|hello|password=secret\n"
                                                 "c|hello|method=99 flags=1 "
                                                 "extra=0199070002004145030800\n"
                                                 "d|hello|flags=0x20\n"
                                                 "e|hello|\n");
  ZipAes aes;

  assert_read_fails (reader, 0, ZIP_ERROR_UNSUPPORTED, "Deflate64");
  assert_read_fails (reader, 1, ZIP_ERROR_ENCRYPTED, NULL);
  assert_read_fails (reader, 2, ZIP_ERROR_ENCRYPTED, NULL);
  assert_read_fails (reader, 3, ZIP_ERROR_UNSUPPORTED, NULL);
  zip_test_assert_entry (reader, 4, "e", "hello");

  g_assert_true (zip_entry_get_aes (zip_reader_get_entry (reader, 2), &aes));
  g_assert_cmpuint (aes.vendor_version, ==, 2);
  g_assert_cmpuint (aes.strength, ==, 3);
  g_assert_cmpuint (zip_entry_get_method (zip_reader_get_entry (reader, 2)), ==, 8);
}

/* The local header says something else than the directory. */
static void
test_contradictions (void)
{
  g_autoptr (ZipReader) reader = zip_test_build ("a|hello|crc=1\n"
                                                 "b|hello hello hello|deflate size=14\n"
                                                 "c|hello hello hello|deflate size=18\n"
                                                 "d|hello|size=6\n"
                                                 "e|hello|offset=1\n"
                                                 "f|hello|offset=0xfffffff0\n"
                                                 "g|hello|deflate packed=3\n"
                                                 "h|right|local-name=other\n");
  g_autoptr (GError) error = NULL;
  gboolean differs = FALSE;

  assert_read_fails (reader, 0, ZIP_ERROR_CHECKSUM, "entry 0 at 0x0");
  assert_read_fails (reader, 1, ZIP_ERROR_CORRUPT, "more bytes");
  assert_read_fails (reader, 2, ZIP_ERROR_CORRUPT, "fewer bytes");
  assert_read_fails (reader, 3, ZIP_ERROR_CORRUPT, "stored");
  assert_read_fails (reader, 4, ZIP_ERROR_CORRUPT, "local header 4 at 0x1");
  assert_read_fails (reader, 5, ZIP_ERROR_TRUNCATED, NULL);
  assert_read_fails (reader, 6, ZIP_ERROR_CORRUPT, NULL);
  zip_test_assert_entry (reader, 7, "h", "right");

  /* E06 */
  g_autoptr (GBytes) name = zip_reader_dup_local_name (reader, 7, &differs, &error);
  g_assert_no_error (error);
  g_assert_true (differs);
  g_assert_cmpmem (g_bytes_get_data (name, NULL), g_bytes_get_size (name), "other", 5);
  g_autoptr (GBytes) same = zip_reader_dup_local_name (reader, 0, &differs, &error);
  g_assert_no_error (error);
  g_assert_false (differs);
  g_assert_cmpuint (g_bytes_get_size (same), ==, 1);
}

static gboolean
refuse_cb (gpointer user, const guint8 *data, gsize length, GError **error)
{
  guint *calls = user;

  (*calls)++;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE, "full");
  return FALSE;
}

static gboolean
cancel_cb (gpointer user, const guint8 *data, gsize length, GError **error)
{
  g_cancellable_cancel (user);
  return TRUE;
}

static gboolean
count_cb (gpointer user, const guint8 *data, gsize length, GError **error)
{
  guint64 *total = user;

  *total += length;
  return TRUE;
}

/* Entries above and below the limit for one piece, in both methods. */
static void
test_sizes (void)
{
  static const gsize sizes[] = { 0, 1, ZIP_CODEC_CHUNK, ZIP_CODEC_CHUNK + 1, 3000000,
                                 ZIP_CODEC_WHOLE_MAX, ZIP_CODEC_WHOLE_MAX + 1 };
  g_autoptr (ZipWorkspace) workspace = zip_workspace_new ();

  for (guint k = 0; k < G_N_ELEMENTS (sizes) * 4; k++)
    {
      gsize size = sizes[k / 4];
      g_autoptr (ZipBuilder) builder = zip_builder_new ();
      g_autofree guint8 *content = k & 1 ? zip_builder_random (k, size) : g_malloc0 (size + 1);
      g_autoptr (GError) error = NULL;
      guint64 total = 0;
      guint calls = 0;
      const char *options = k & 2 ? "deflate streamed" : "streamed";

      zip_builder_add_bytes (builder, "x", content, size, options);
      g_autoptr (GBytes) archive = zip_builder_finish (builder, NULL);
      g_autoptr (ZipReader) reader = zip_test_open (archive, &error);
      g_assert_no_error (error);
      ZipSource *source = zip_reader_get_source (reader);

      g_assert_true (zip_reader_read_entry (reader, 0, workspace, count_cb, &total, NULL, &error));
      g_assert_no_error (error);
      g_assert_cmpuint (total, ==, size);
      g_assert_cmpuint (zip_source_get_n_reads (source), <,
                        8 + g_bytes_get_size (archive) / ZIP_SOURCE_BLOCK);

      g_autoptr (GBytes) bytes = zip_test_read (reader, 0, &error);
      g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), content, size);

      if (size == 0)
        continue;

      /* What the receiver reports comes back, and it is not called again. */
      g_assert_false (zip_reader_read_entry (reader, 0, workspace, refuse_cb, &calls, NULL,
                                             &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE);
      g_assert_cmpuint (calls, ==, 1);
      g_clear_error (&error);

      if (size <= ZIP_CODEC_CHUNK)
        continue;
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_assert_false (zip_reader_read_entry (reader, 0, workspace, cancel_cb, cancellable,
                                             cancellable,
                                             &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    }
}

/* A bomb hands out no more than it declares. */
static void
test_overrun (void)
{
  g_autofree guint8 *zeros = g_malloc0 (40000000);
  g_autoptr (ZipWorkspace) workspace = zip_workspace_new ();
  static const char *options[] = { "deflate size=1000", "deflate size=9000000" };

  for (guint k = 0; k < G_N_ELEMENTS (options); k++)
    {
      g_autoptr (ZipBuilder) builder = zip_builder_new ();
      g_autoptr (GError) error = NULL;
      guint64 total = 0;

      zip_builder_add_bytes (builder, "bomb", zeros, 40000000, options[k]);
      g_autoptr (GBytes) archive = zip_builder_finish (builder, NULL);
      g_autoptr (ZipReader) reader = zip_test_open (archive, &error);
      g_assert_false (zip_reader_read_entry (reader, 0, workspace, count_cb, &total, NULL, &error));
      g_assert_error (error, ZIP_ERROR, ZIP_ERROR_CORRUPT);
      g_assert_cmpuint (total, ==, k == 0 ? 1000 : 9000000);
    }
}

typedef struct {
  ZipReader *reader;
  guint n_good;
} Share;

static gpointer
read_all_worker (gpointer user)
{
  Share *share = user;
  g_autoptr (ZipWorkspace) workspace = zip_workspace_new ();

  for (guint i = 0; i < zip_reader_get_n_entries (share->reader); i++)
    if (zip_reader_read_entry (share->reader, i, workspace, NULL, NULL, NULL, NULL))
      share->n_good++;
  return NULL;
}

/* One reader, many threads. */
static void
test_threads (void)
{
  g_autoptr (ZipBuilder) builder = zip_builder_new ();
  g_autoptr (GError) error = NULL;
  GThread *threads[4];
  Share shares[4];

  for (guint i = 0; i < 500; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u", i);
      g_autofree guint8 *content = zip_builder_random (i, 2000);
      zip_builder_add_bytes (builder, name, content, 2000, i % 2 ? "deflate" : NULL);
    }
  g_autoptr (GBytes) archive = zip_builder_finish (builder, NULL);
  g_autoptr (ZipReader) reader = zip_test_open (archive, &error);
  g_assert_no_error (error);

  for (guint k = 0; k < G_N_ELEMENTS (threads); k++)
    {
      shares[k] = (Share) { reader, 0 };
      threads[k] = g_thread_new ("reader", read_all_worker, &shares[k]);
    }
  for (guint k = 0; k < G_N_ELEMENTS (threads); k++)
    {
      g_thread_join (threads[k]);
      g_assert_cmpuint (shares[k].n_good, ==, 500);
    }
  g_assert_cmpuint (zip_source_get_n_reads (zip_reader_get_source (reader)), <=, 4 * 500 + 5);
}

static void
test_extent (void)
{
  g_autoptr (ZipReader) reader = zip_test_build ("a|hello|streamed\n"
                                                 "b|hello|streamed descriptor=nosig64\n"
                                                 "c|hello|streamed descriptor=none\n"
                                                 "d|hello|local-extra=3412020000ff\n");
  guint64 expected[] = { 31 + 5 + 16, 31 + 5 + 20, 31 + 5, 31 + 6 + 5 };
  guint64 at = 0;

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      g_autoptr (GError) error = NULL;
      guint64 offset = 0;
      guint64 length = 0;

      g_assert_true (zip_reader_get_entry_extent (reader, i, &offset, &length, &error));
      g_assert_no_error (error);
      g_assert_cmpuint (offset, ==, at);
      g_assert_cmpuint (length, ==, expected[i]);
      at += expected[i];
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/zip/reader-data/overlap", test_overlap);
  g_test_add_func ("/zip/reader-data/refused", test_refused);
  g_test_add_func ("/zip/reader-data/contradictions", test_contradictions);
  g_test_add_func ("/zip/reader-data/sizes", test_sizes);
  g_test_add_func ("/zip/reader-data/overrun", test_overrun);
  g_test_add_func ("/zip/reader-data/threads", test_threads);
  g_test_add_func ("/zip/reader-data/extent", test_extent);

  return g_test_run ();
}
