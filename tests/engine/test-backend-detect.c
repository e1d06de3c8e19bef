/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What is an archive and what is not, which parts make one, and what libarchive is kept away
 * from. */

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend-helpers.h"
#include "hold-backend-signature.h"
#include "hold-error.h"
#include "hold-libarchive-error.h"
#include "hold-libarchive-guard.h"
#include "hold-rar-volume.h"
#include "hold-volumes.h"

static void
assert_refused (const char *path, HoldError code)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HoldArchive) archive = open_archive (path, &error);

  g_assert_null (archive);
  g_assert_error (error, HOLD_ERROR, (int) code);
}

static void
test_not_archives (void)
{
  g_auto (Box) box = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree guint8 *zeros = g_malloc0 (1 << 20);

  box_init (&box);
  g_autofree char *empty = box_put (&box, "empty.zip", "", 0);
  g_autofree char *text = box_put (&box, "text.tar", "just a text\n", 12);
  g_autofree char *disk = box_put (&box, "disk.img", zeros, 1 << 20);
  g_autofree char *lzop = box_put (&box, "x.lzo", "\211LZO\0\r\n\32\n........", 17);
  g_autofree char *fifo = box_path (&box, "fifo");
  g_autofree char *missing = box_path (&box, "missing");

  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  assert_refused (empty, HOLD_ERROR_NOT_ARCHIVE);
  assert_refused (text, HOLD_ERROR_NOT_ARCHIVE);
  assert_refused (disk, HOLD_ERROR_NOT_ARCHIVE);
  assert_refused (fifo, HOLD_ERROR_NOT_ARCHIVE);
  assert_refused (box.dir, HOLD_ERROR_NOT_ARCHIVE);
  assert_refused (lzop, HOLD_ERROR_UNSUPPORTED);

  g_autoptr (HoldArchive) archive = open_archive (missing, &error);
  g_assert_null (archive);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
}

static HoldVolumes *
open_volumes (const char *path, GError **error)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  HoldVolumes *volumes;

  g_assert_cmpint (fd, >=, 0);
  volumes = hold_volumes_open (path, fd, error);
  g_assert_cmpint (close (fd), ==, 0);
  return volumes;
}

static void
test_numbered_parts (void)
{
  g_auto (Box) box = { 0 };
  g_autoptr (GError) error = NULL;
  guint8 read[16];
  gsize n;

  box_init (&box);
  g_autofree char *one = box_put (&box, "s.bin.001", "abc", 3);
  g_autofree char *two = box_put (&box, "s.bin.002", "defg", 4);
  g_autofree char *four = box_put (&box, "s.bin.004", "x", 1);
  g_autofree char *log_1 = box_put (&box, "log.001", "\37\213\10\0 one", 8);
  g_autofree char *log_2 = box_put (&box, "log.002", "\37\213\10\0 two", 8);
  g_autofree char *later = box_put (&box, "lost.002", "zz", 2);
  g_autofree char *year = box_put (&box, "backup.2024", "\37\213\10\0", 4);
  g_autofree char *day = box_put (&box, "backup.031", "\37\213\10\0", 4);

  g_autoptr (HoldVolumes) set = open_volumes (two, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hold_volumes_get_n_parts (set), ==, 2);
  g_assert_cmpuint (hold_volumes_get_size (set), ==, 7);
  g_assert_cmpstr (hold_volumes_get_missing (set), ==, "s.bin.003");
  g_assert_true (hold_volumes_read (set, 1, read, sizeof read, &n, &error));
  g_assert_cmpmem (read, n, "bcdefg", 6);
  g_assert_true (hold_volumes_read (set, 7, read, sizeof read, &n, &error));
  g_assert_cmpuint (n, ==, 0);

  /* Each of these is whole by itself. */
  g_autoptr (HoldVolumes) log = open_volumes (log_2, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hold_volumes_get_n_parts (log), ==, 1);

  g_autoptr (HoldVolumes) of_year = open_volumes (year, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hold_volumes_get_n_parts (of_year), ==, 1);
  g_autoptr (HoldVolumes) of_day = open_volumes (day, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hold_volumes_get_n_parts (of_day), ==, 1);

  g_autoptr (HoldVolumes) lost = open_volumes (later, &error);
  g_assert_null (lost);
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_TRUNCATED);
  g_assert_nonnull (strstr (error->message, "lost.001"));
}

/* The smallest RAR 5 volume: main header, end of archive. */
static char *
put_rar5 (Box *box, const char *name, guint8 number, gboolean more)
{
  guint8 bytes[] = {
    'R', 'a', 'r', '!', 0x1a, 0x07, 0x01, 0x00,
    0, 0, 0, 0, 4, 1, 0, 0x03, number,
    0, 0, 0, 0, 3, 5, 0, more,
  };

  return box_put (box, name, bytes, sizeof bytes);
}

static void
test_rar_volumes (void)
{
  g_auto (Box) box = { 0 };
  g_autoptr (GError) error = NULL;
  HoldRarVolume facts;

  box_init (&box);
  g_autofree char *one = put_rar5 (&box, "r.part1.rar", 0, TRUE);
  g_autofree char *two = put_rar5 (&box, "r.part2.rar", 1, TRUE);
  int fd = open (two, O_RDONLY | O_CLOEXEC);

  hold_rar_volume_examine (fd, &facts);
  g_assert_cmpint (close (fd), ==, 0);
  g_assert_true (facts.is_rar && facts.is_volume && !facts.is_first && facts.has_end && facts.more_follow);

  g_autoptr (HoldVolumes) cut = open_volumes (two, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hold_volumes_get_n_parts (cut), ==, 2);
  g_assert_cmpstr (hold_volumes_get_missing (cut), ==, "r.part3.rar");

  g_autofree char *three = put_rar5 (&box, "r.part3.rar", 2, FALSE);
  g_autoptr (HoldVolumes) whole = open_volumes (one, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hold_volumes_get_n_parts (whole), ==, 3);
  g_assert_null (hold_volumes_get_missing (whole));
}

/* P06: libarchive takes encrypted data of RAR 5 for damage. */
static void
test_rar5_encrypted (void)
{
  static const guint8 bytes[] = {
    'R', 'a', 'r', '!', 0x1a, 0x07, 0x01, 0x00,
    0, 0, 0, 0, 3, 1, 0, 0,
    0, 0, 0, 0, 8, 2, 0x03, 3, 2, 0xaa, 2, 1, 0, 'x', 'y',
    0, 0, 0, 0, 4, 2, 0x02, 1, 0xaa, 'z',
    0, 0, 0, 0, 3, 5, 0, 0,
  };
  g_auto (Box) box = { 0 };
  g_autoptr (GArray) encrypted = g_array_new (FALSE, FALSE, sizeof (gboolean));

  box_init (&box);
  g_autofree char *path = box_put (&box, "e.rar", bytes, sizeof bytes);
  int fd = open (path, O_RDONLY | O_CLOEXEC);

  hold_rar_volume_list_encrypted (fd, encrypted);
  g_assert_cmpint (close (fd), ==, 0);
  g_assert_cmpuint (encrypted->len, ==, 2);
  g_assert_true (g_array_index (encrypted, gboolean, 0));
  g_assert_false (g_array_index (encrypted, gboolean, 1));
}

/* A disc image whose root folder has a Rock Ridge continuation that is itself: libarchive never
 * returns from it. */
static void
test_iso_loop (void)
{
  g_auto (Box) box = { 0 };
  g_autofree guint8 *image = g_malloc0 (20 * 2048);
  guint8 *descriptor = image + 16 * 2048;
  guint8 *folder = image + 18 * 2048;
  static const guint8 loop[28] = { 'C', 'E', 28, 1, 19, 0, 0, 0, 0, 0, 0, 19, 0, 0,
                                   0, 0, 0, 0, 0, 0, 28, 0, 0, 0, 0, 0, 0, 28 };

  box_init (&box);
  memcpy (descriptor, "\1CD001\1", 7);
  descriptor[129] = 8;
  descriptor[156] = 34;
  descriptor[158] = 18;
  descriptor[167] = 8;
  folder[0] = 34 + 28;
  folder[2] = 18;
  folder[11] = 8;
  folder[25] = 2;
  folder[32] = 1;
  memcpy (folder + 34, loop, sizeof loop);
  memcpy (image + 19 * 2048, loop, sizeof loop);

  g_autofree char *path = box_put (&box, "loop.iso", image, 20 * 2048);
  assert_refused (path, HOLD_ERROR_CORRUPT);

  /* Without the loop behind it the same record is in order. */
  memset (image + 19 * 2048, 0, sizeof loop);
  g_autofree char *good = box_put (&box, "good.iso", image, 20 * 2048);
  g_autoptr (HoldVolumes) volumes = open_volumes (good, NULL);
  g_assert_true (hold_libarchive_guard_check (volumes, NULL, NULL));
}

static void
test_seven_zip_folders (void)
{
  g_auto (Box) box = { 0 };
  guint8 bytes[32 + 16] = { '7', 'z', 0xbc, 0xaf, 0x27, 0x1c, 0, 2 };
  static const guint8 header[16] = { 1, 4, 6, 0, 1, 9, 5, 0, 7, 0x0b, 0xe0, 0xff, 0xff, 0xff, 0, 0 };

  box_init (&box);
  bytes[20] = sizeof header;
  memcpy (bytes + 32, header, sizeof header);
  g_autofree char *path = box_put (&box, "f.7z", bytes, sizeof bytes);
  assert_refused (path, HOLD_ERROR_CORRUPT);
}

static void
test_signatures (void)
{
  static const guint8 long_window[18] = { 0x28, 0xb5, 0x2f, 0xfd, 0x04, 21 << 3 };
  static const guint8 whole[18] = { 0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0x10 };
  const char *name;

  g_assert_cmpuint (hold_signature_zstd_window (long_window, sizeof long_window), ==, G_GUINT64_CONSTANT (1) << 31);
  g_assert_cmpuint (hold_signature_zstd_window (whole, sizeof whole), ==, 1u << 28);
  g_assert_cmpuint (hold_signature_zstd_window (long_window, 10), ==, 0);
  g_assert_cmpint (hold_signature_examine ((const guint8 *) "\140\352xx", 4, &name), ==, HOLD_SIGNATURE_UNREADABLE);
  g_assert_cmpstr (name, ==, "ARJ archives");
}

static void
test_error_texts (void)
{
  static const struct {
    const char *text;
    HoldError code;
  } cases[] = {
    { "Incorrect passphrase", HOLD_ERROR_PASSWORD_WRONG },
    { "Passphrase required for this entry", HOLD_ERROR_PASSWORD_NEEDED },
    { "The file content is encrypted, but currently not supported", HOLD_ERROR_UNSUPPORTED },
    { "RAR encryption support unavailable.", HOLD_ERROR_UNSUPPORTED },
    { "Unrecognized archive format", HOLD_ERROR_NOT_ARCHIVE },
    { "Truncated tar archive", HOLD_ERROR_TRUNCATED },
    { "7-Zip bad CRC: 0x0 should be 0x1", HOLD_ERROR_CHECKSUM },
    { "Unknown codec ID: 4f71101", HOLD_ERROR_UNSUPPORTED },
    { "Bad RAR file data", HOLD_ERROR_CORRUPT },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpint (hold_libarchive_error_classify (cases[i].text), ==, cases[i].code);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/backend/detect/not-archives", test_not_archives);
  g_test_add_func ("/backend/detect/numbered-parts", test_numbered_parts);
  g_test_add_func ("/backend/detect/rar-volumes", test_rar_volumes);
  g_test_add_func ("/backend/detect/rar5-encrypted", test_rar5_encrypted);
  g_test_add_func ("/backend/detect/iso-loop", test_iso_loop);
  g_test_add_func ("/backend/detect/7z-folders", test_seven_zip_folders);
  g_test_add_func ("/backend/detect/signatures", test_signatures);
  g_test_add_func ("/backend/detect/error-texts", test_error_texts);
  return g_test_run ();
}
