/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The table of libarchive's texts; see the header. */

#include "hold-libarchive-error.h"

#include <errno.h>
#include <string.h>

/* Looked for in this order, in lower case: "encrypted" beats "unsupported", since that is what a
 * person can do something about. The texts are those of libarchive 3.6 to 3.8. */
static const struct {
  const char *part;
  HoldError code;
} texts[] = {
  { "incorrect passphrase", HOLD_ERROR_PASSWORD_WRONG },
  { "too many incorrect", HOLD_ERROR_PASSWORD_WRONG },
  { "passphrase required", HOLD_ERROR_PASSWORD_NEEDED },
  { "encrypt", HOLD_ERROR_UNSUPPORTED },
  { "crypto codec", HOLD_ERROR_UNSUPPORTED },
  { "unrecognized archive format", HOLD_ERROR_NOT_ARCHIVE },
  { "truncated", HOLD_ERROR_TRUNCATED },
  { "unexpected end", HOLD_ERROR_TRUNCATED },
  { "premature end", HOLD_ERROR_TRUNCATED },
  { "end of file", HOLD_ERROR_TRUNCATED },
  { "too small", HOLD_ERROR_TRUNCATED },
  { "crc", HOLD_ERROR_CHECKSUM },
  { "checksum", HOLD_ERROR_CHECKSUM },
  { "hash", HOLD_ERROR_CHECKSUM },
  { "too much memory", HOLD_ERROR_TOO_LARGE },
  { "memory limit", HOLD_ERROR_TOO_LARGE },
  { "out of memory", HOLD_ERROR_TOO_LARGE },
  { "allocate", HOLD_ERROR_TOO_LARGE },
  { "unsupported", HOLD_ERROR_UNSUPPORTED },
  { "not supported", HOLD_ERROR_UNSUPPORTED },
  { "unavailable", HOLD_ERROR_UNSUPPORTED },
  { "not available", HOLD_ERROR_UNSUPPORTED },
  { "not implemented", HOLD_ERROR_UNSUPPORTED },
  { "seeking", HOLD_ERROR_UNSUPPORTED },
  { "codec id", HOLD_ERROR_UNSUPPORTED },
};

HoldError
hold_libarchive_error_classify (const char *text)
{
  g_autofree char *lower = g_ascii_strdown (text, -1);

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    if (strstr (lower, texts[i].part) != NULL)
      return texts[i].code;
  return HOLD_ERROR_CORRUPT;
}

/* libarchive puts names of entries into some texts as they are stored. */
static char *
printable (const char *text)
{
  char *valid = g_utf8_make_valid (text, -1);

  for (char *p = valid; *p != '\0'; p++)
    if ((guchar) *p < 0x20 || *p == 0x7f)
      *p = '?';
  return valid;
}

/* "Unknown codec ID: 4f71101": what a person can read in its place; NULL if the text is none of these. */
static char *
name_codec (const char *text)
{
  static const struct {
    guint64 id;
    const char *name;
  } codecs[] = {
    { 0x0a, "the ARM64 filter" },
    { 0x0b, "the RISC-V filter" },
    { 0x4f71101, "Zstandard" },
    { 0x4f71102, "Brotli" },
    { 0x4f71104, "LZ4" },
    { 0x4f71105, "LZ5" },
    { 0x4f71106, "Lizard" },
    { 0x40109, "Deflate64" },
    { 0x21, "LZMA2" },
  };
  const char *id = strcasestr (text, "codec ID: ");
  const char *filter = strstr (text, "Unsupported filter ");
  guint64 number;

  if (id == NULL && filter == NULL)
    return NULL;
  number = g_ascii_strtoull (id != NULL ? id + 10 : filter + 19, NULL, 16);
  for (gsize i = 0; i < G_N_ELEMENTS (codecs); i++)
    if (codecs[i].id == number)
      return g_strdup_printf ("this was packed with %s, which can't be read in 7z here", codecs[i].name);
  return g_strdup_printf ("this was packed with a method that can't be read in 7z here (number %"
                          G_GINT64_MODIFIER "x)", number);
}

void
hold_libarchive_error_set (GError **error, struct archive *archive)
{
  const char *raw = archive_error_string (archive);
  int number = archive_errno (archive);
  g_autofree char *text = NULL;

  if (raw == NULL || *raw == '\0' || strcmp (raw, "(null)") == 0 || strcmp (raw, "(Empty error message)") == 0)
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_CORRUPT,
                   "the archive is damaged in a way that the decoder can't name");
      return;
    }

  text = printable (raw);
  if (number == ENOMEM)
    {
      g_set_error (error, HOLD_ERROR, HOLD_ERROR_TOO_LARGE,
                   "unpacking this needs more memory than there is (%s)", text);
      return;
    }

  HoldError code = hold_libarchive_error_classify (text);
  g_autofree char *codec = name_codec (text);

  if (codec != NULL)
    {
      g_set_error_literal (error, HOLD_ERROR, HOLD_ERROR_UNSUPPORTED, codec);
      return;
    }

  if (code == HOLD_ERROR_PASSWORD_NEEDED)
    g_set_error (error, HOLD_ERROR, code, "a password is needed");
  else if (code == HOLD_ERROR_PASSWORD_WRONG)
    g_set_error (error, HOLD_ERROR, code, "the password is wrong");
  else if (code == HOLD_ERROR_UNSUPPORTED && strcasestr (text, "crypt") != NULL)
    g_set_error (error, HOLD_ERROR, code,
                 "this is encrypted, and Holdall can't decrypt this format, whatever the password");
  else if (code == HOLD_ERROR_TRUNCATED)
    g_set_error (error, HOLD_ERROR, code, "the archive ends too early (%s)", text);
  else
    g_set_error (error, HOLD_ERROR, code, "%s", text);
}
