/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The table. To add a format: a line in formats[], its reasons in reasons[] if they are special,
 * and whatever backend reads it. Everything that shows formats follows from here. */

#include "hold-format.h"

#include <string.h>

#define WORDS(...) ((const char *const[]) { __VA_ARGS__, NULL })

#define READS HOLD_CAP_READ
#define WRITES (HOLD_CAP_WRITE | HOLD_CAP_UPDATE)
#define READS_MANY (HOLD_CAP_READ | HOLD_CAP_MANY_ENTRIES)
#define READS_ANY (HOLD_CAP_READ | HOLD_CAP_MANY_ENTRIES | HOLD_CAP_RANDOM_ACCESS)

/* A tar inside a compression, and that compression around a single file. */
#define TAR(id_, name_, mimes_, suffixes_, caps_, ...) \
  { .id = "tar." id_, .name = "tar, " name_, .mime_types = mimes_, .suffixes = suffixes_, \
    .caps = READS_MANY | (caps_), __VA_ARGS__ }
#define LEVELS(min_, max_, default_) \
  .level_min = min_, .level_max = max_, .level_default = default_
#define SINGLE(id_, name_, mimes_, suffixes_) \
  { .id = id_, .name = name_, .mime_types = mimes_, .suffixes = suffixes_, .caps = READS }
#define PLAIN(id_, name_, mimes_, suffixes_, caps_, ...) \
  { .id = id_, .name = name_, .mime_types = mimes_, .suffixes = suffixes_, \
    .caps = READS_MANY | (caps_), __VA_ARGS__ }

static const HoldFormat formats[] = {
  {
    .id = "zip",
    .name = "ZIP",
    .mime_types = WORDS (
      "application/zip", "application/x-zip", "application/x-zip-compressed",
      "application/java-archive", "application/x-java-archive",
      "application/vnd.android.package-archive", "application/vnd.comicbook+zip",
      "application/x-cbz", "application/epub+zip", "application/x-xpinstall",
      "application/vnd.oasis.opendocument.text",
      "application/vnd.oasis.opendocument.spreadsheet",
      "application/vnd.oasis.opendocument.presentation",
      "application/vnd.oasis.opendocument.graphics",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      "application/vnd.openxmlformats-officedocument.presentationml.presentation",
      "application/oxps", "application/vnd.google-earth.kmz", "application/x-webarchive+zip"),
    .suffixes = WORDS (".zip", ".zipx", ".jar", ".war", ".ear", ".apk", ".aab", ".epub", ".odt",
                       ".ods", ".odp", ".odg", ".docx", ".xlsx", ".pptx", ".cbz", ".xpi", ".crx",
                       ".whl", ".egg", ".nupkg", ".vsix", ".ipa", ".kmz", ".oxps", ".3mf",
                       ".usdz"),
    .caps = READS_ANY | WRITES | HOLD_CAP_RAW_COPY | HOLD_CAP_ENCRYPT | HOLD_CAP_COMMENT,
    LEVELS (0, 9, 6),
  },
  PLAIN ("tar", "tar", WORDS ("application/x-tar", "application/x-gtar", "application/x-ustar",
                              "application/vnd.comicbook+tar", "application/x-cbt"),
         WORDS (".tar", ".cbt", ".gem", ".ova"), WRITES | HOLD_CAP_RAW_COPY),
  TAR ("gz", "gzip", WORDS ("application/x-compressed-tar"), WORDS (".tar.gz", ".tgz", ".crate"),
       WRITES, LEVELS (1, 9, 6)),
  TAR ("bz2", "bzip2", WORDS ("application/x-bzip2-compressed-tar",
                              "application/x-bzip-compressed-tar"),
       WORDS (".tar.bz2", ".tbz2", ".tbz", ".tb2"), WRITES, LEVELS (1, 9, 9)),
  TAR ("xz", "xz", WORDS ("application/x-xz-compressed-tar"), WORDS (".tar.xz", ".txz"),
       WRITES, LEVELS (0, 9, 6)),
  TAR ("zst", "zstd", WORDS ("application/x-zstd-compressed-tar"), WORDS (".tar.zst", ".tzst"),
       WRITES, LEVELS (1, 19, 3)),
  TAR ("lz4", "lz4", WORDS ("application/x-lz4-compressed-tar"), WORDS (".tar.lz4", ".tlz4"),
       WRITES, LEVELS (1, 9, 1)),
  TAR ("lz", "lzip", WORDS ("application/x-lzip-compressed-tar"), WORDS (".tar.lz", ".tlz"),
       WRITES, LEVELS (0, 9, 6)),
  TAR ("lzma", "lzma", WORDS ("application/x-lzma-compressed-tar"), WORDS (".tar.lzma"),
       WRITES, LEVELS (0, 9, 6)),
  TAR ("lzo", "lzop", WORDS ("application/x-tzo"), WORDS (".tar.lzo", ".tzo"), 0),
  TAR ("Z", "compress", WORDS ("application/x-tarz"), WORDS (".tar.Z", ".taz", ".tz"), WRITES),
  PLAIN ("7z", "7-Zip", WORDS ("application/x-7z-compressed", "application/vnd.comicbook+7zip",
                               "application/x-cb7"),
         WORDS (".7z", ".cb7"), WRITES, LEVELS (0, 9, 6)),
  PLAIN ("rar", "RAR", WORDS ("application/vnd.rar", "application/x-rar",
                              "application/x-rar-compressed", "application/vnd.comicbook-rar",
                              "application/x-cbr"),
         WORDS (".rar", ".cbr"), 0),
  PLAIN ("cpio", "cpio", WORDS ("application/x-cpio", "application/x-cpio-compressed"),
         WORDS (".cpio", ".cpio.gz", ".cpio.xz", ".cpio.bz2", ".cpio.zst"),
         WRITES | HOLD_CAP_RAW_COPY),
  PLAIN ("iso", "ISO 9660", WORDS ("application/vnd.efi.iso", "application/x-cd-image",
                                   "application/x-iso9660-image"),
         WORDS (".iso", ".iso9660"), 0),
  PLAIN ("cab", "Cabinet", WORDS ("application/vnd.ms-cab-compressed"), WORDS (".cab"), 0),
  PLAIN ("lha", "LHA", WORDS ("application/x-lha", "application/x-lzh-compressed"),
         WORDS (".lzh", ".lha"), 0),
  PLAIN ("xar", "XAR", WORDS ("application/x-xar"), WORDS (".xar", ".pkg"), 0),
  PLAIN ("ar", "ar", WORDS ("application/x-archive"), WORDS (".a", ".ar"), 0),
  PLAIN ("deb", "Debian package", WORDS ("application/vnd.debian.binary-package",
                                         "application/x-deb",
                                         "application/x-debian-package"),
         WORDS (".deb", ".udeb", ".ipk"), 0),
  PLAIN ("rpm", "RPM package", WORDS ("application/x-rpm", "application/x-redhat-package-manager",
                                      "application/x-source-rpm"),
         WORDS (".rpm", ".src.rpm"), 0),
  PLAIN ("warc", "WARC", WORDS ("application/warc", "application/x-warc"),
         WORDS (".warc", ".warc.gz"), 0),
  SINGLE ("gz", "gzip", WORDS ("application/gzip", "application/x-gzip"), WORDS (".gz")),
  SINGLE ("bz2", "bzip2", WORDS ("application/x-bzip2", "application/x-bzip"),
          WORDS (".bz2", ".bz")),
  SINGLE ("xz", "xz", WORDS ("application/x-xz"), WORDS (".xz")),
  SINGLE ("zst", "zstd", WORDS ("application/zstd"), WORDS (".zst")),
  SINGLE ("lz4", "lz4", WORDS ("application/x-lz4"), WORDS (".lz4")),
  SINGLE ("lz", "lzip", WORDS ("application/x-lzip"), WORDS (".lz")),
  SINGLE ("lzma", "lzma", WORDS ("application/x-lzma"), WORDS (".lzma")),
  SINGLE ("lzo", "lzop", WORDS ("application/x-lzop"), WORDS (".lzo")),
  SINGLE ("Z", "compress", WORDS ("application/x-compress"), WORDS (".Z")),
  { .id = "arj", .name = "ARJ", .mime_types = WORDS ("application/x-arj"),
    .suffixes = WORDS (".arj"), .caps = HOLD_CAP_MANY_ENTRIES },
};

typedef struct {
  const char *id;   /* NULL: every format */
  HoldCaps caps;
  const char *why;
} Reason;

#define EDITS (HOLD_CAP_WRITE | HOLD_CAP_UPDATE | HOLD_CAP_RAW_COPY | HOLD_CAP_ENCRYPT)

/* The first line that fits says why. */
static const Reason reasons[] = {
  { "arj", HOLD_CAP_READ, "ARJ archives can't be read: no decoder for them is at hand" },
  { "arj", EDITS, "ARJ archives can be neither read nor written" },
  { "rar", EDITS, "RAR can be read but not written: no free encoder exists" },
  { "iso", EDITS, "Disc images can be read but not written" },
  { "cab", EDITS, "Cabinet files can be read but not written" },
  { "tar.lzo", EDITS, "lzop can be read but not written: no encoder is at hand" },
  { "lha", EDITS, "LHA can be read but not written: no encoder is at hand" },
  { "deb", EDITS, "A Debian package is built by its own tools; changing it would break its checksums" },
  { "rpm", EDITS, "An RPM package is signed as a whole; changing it would break the signature" },
  { "warc", EDITS, "WARC files are records of the web; they can be read but not changed" },
  { "xar", EDITS, "XAR can be read but not written" },
  { "ar", EDITS, "ar archives hold object code; they can be read but not written" },
  { "gz", HOLD_CAP_MANY_ENTRIES, "gzip compresses a single file" },
  { "bz2", HOLD_CAP_MANY_ENTRIES, "bzip2 compresses a single file" },
  { "xz", HOLD_CAP_MANY_ENTRIES, "xz compresses a single file" },
  { "zst", HOLD_CAP_MANY_ENTRIES, "zstd compresses a single file" },
  { "lz4", HOLD_CAP_MANY_ENTRIES, "lz4 compresses a single file" },
  { "lz", HOLD_CAP_MANY_ENTRIES, "lzip compresses a single file" },
  { "lzma", HOLD_CAP_MANY_ENTRIES, "lzma compresses a single file" },
  { "lzo", HOLD_CAP_MANY_ENTRIES, "lzop compresses a single file" },
  { "Z", HOLD_CAP_MANY_ENTRIES, "compress compresses a single file" },

  /* What is true of the rest. */
  { NULL, HOLD_CAP_WRITE, "This version of Holdall can't create archives of this format yet" },
  { NULL, HOLD_CAP_UPDATE, "This version of Holdall can't change archives of this format yet" },
  { NULL, HOLD_CAP_RAW_COPY, "What stays in the archive is packed anew with every change" },
  { NULL, HOLD_CAP_ENCRYPT, "Holdall can encrypt ZIP archives only" },
  { NULL, HOLD_CAP_RANDOM_ACCESS, "Entries of this format are read one after the other" },
  { NULL, HOLD_CAP_COMMENT, "The format has no comment for the archive as a whole" },
  { NULL, HOLD_CAP_MANY_ENTRIES, "The format holds a single file" },
  { NULL, HOLD_CAP_READ, "This format can't be read" },
};

/**
 * hold_format_table:
 * @n_formats: (out) (nullable)
 *
 * Thread: any. Returns: the first of @n_formats, static.
 */
const HoldFormat *
hold_format_table (guint *n_formats)
{
  if (n_formats != NULL)
    *n_formats = G_N_ELEMENTS (formats);
  return formats;
}

/** hold_format_by_id: Thread: any. Returns: (nullable), static. */
const HoldFormat *
hold_format_by_id (const char *id)
{
  g_return_val_if_fail (id != NULL, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      if (strcmp (formats[i].id, id) == 0)
        return &formats[i];
    }
  return NULL;
}

/* ".Z" is compress, ".z" nothing we know: there the case counts when the letter is all there is. */
static gboolean
ends_in (const char *name, gsize length, const char *suffix, gsize suffix_length)
{
  if (length <= suffix_length)
    return FALSE;

  const char *end = name + length - suffix_length;
  if (strcmp (suffix, ".Z") == 0)
    return strcmp (end, suffix) == 0;
  return g_ascii_strcasecmp (end, suffix) == 0;
}

/**
 * hold_format_by_suffix:
 * @file_name: a name or a path; something must stand in front of the suffix
 *
 * Only a name's word: what is inside decides when an archive is opened. Thread: any.
 */
const HoldFormat *
hold_format_by_suffix (const char *file_name)
{
  g_return_val_if_fail (file_name != NULL, NULL);

  const char *slash = strrchr (file_name, '/');
  const char *name = slash != NULL ? slash + 1 : file_name;
  gsize length = strlen (name);
  gsize longest = 0;
  const HoldFormat *best = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      for (guint j = 0; formats[i].suffixes[j] != NULL; j++)
        {
          gsize suffix_length = strlen (formats[i].suffixes[j]);

          if (suffix_length > longest &&
              ends_in (name, length, formats[i].suffixes[j], suffix_length))
            {
              longest = suffix_length;
              best = &formats[i];
            }
        }
    }
  return best;
}

/**
 * hold_format_why_not:
 * @cap: one capability; of several the first that is missing is explained
 *
 * Thread: any. Returns: (nullable), static.
 */
const char *
hold_format_why_not (const HoldFormat *format, HoldCaps cap)
{
  g_return_val_if_fail (format != NULL, NULL);

  HoldCaps missing = cap & ~format->caps;

  for (guint i = 0; missing != 0 && i < G_N_ELEMENTS (reasons); i++)
    {
      if ((reasons[i].caps & missing) != 0 &&
          (reasons[i].id == NULL || strcmp (reasons[i].id, format->id) == 0))
        return reasons[i].why;
    }
  return NULL;
}

/** hold_cap_to_string: the word of one capability. Thread: any. Returns: static. */
const char *
hold_cap_to_string (HoldCaps cap)
{
  switch (cap)
    {
    case HOLD_CAP_READ:
      return "read";
    case HOLD_CAP_WRITE:
      return "write";
    case HOLD_CAP_UPDATE:
      return "update";
    case HOLD_CAP_RAW_COPY:
      return "raw-copy";
    case HOLD_CAP_ENCRYPT:
      return "encrypt";
    case HOLD_CAP_MANY_ENTRIES:
      return "many-entries";
    case HOLD_CAP_RANDOM_ACCESS:
      return "random-access";
    case HOLD_CAP_COMMENT:
      return "comment";
    default:
      return "unknown";
    }
}
