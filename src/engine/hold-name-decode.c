/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Collects the undeclared names, lets hold-name-guess choose a charset for them, and decodes. */

#include "hold-name-decode.h"

#include "hold-name-guess.h"

#include <string.h>

struct _HoldNameDecoder {
  char *asked;               /* (nullable) */
  const char *guessed;       /* (nullable), static */
  GIConv converter;          /* (GIConv) -1: none */
  HoldNameSamples *samples;
  GString *scratch;
};

#define NO_CONVERTER ((GIConv) -1)

/**
 * _hold_name_decoder_new:
 *
 * Thread: any, then that one. Blocks: no (iconv may load a table from disk). Returns: (transfer full) (nullable).
 */
HoldNameDecoder *
_hold_name_decoder_new (const char *charset, GError **error)
{
  GIConv converter = NO_CONVERTER;

  if (charset != NULL)
    {
      converter = g_iconv_open ("UTF-8", charset);
      if (converter == NO_CONVERTER)
        {
          g_autofree char *shown = hold_path_escape_for_display (charset);
          g_set_error (error, HOLD_ERROR, HOLD_ERROR_UNSUPPORTED,
                       "The character set “%s” is not known here", shown);
          return NULL;
        }
    }

  HoldNameDecoder *self = g_new0 (HoldNameDecoder, 1);
  self->asked = g_strdup (charset);
  self->converter = converter;
  self->samples = _hold_name_samples_new ();
  self->scratch = g_string_new (NULL);
  return self;
}

void
_hold_name_decoder_free (HoldNameDecoder *self)
{
  if (self->converter != NO_CONVERTER)
    g_iconv_close (self->converter);
  _hold_name_samples_free (self->samples);
  g_string_free (self->scratch, TRUE);
  g_free (self->asked);
  g_free (self);
}

static gboolean
is_ascii (const guint8 *bytes, gsize length)
{
  gsize i = 0;

  /* Eight at a time: most names of most archives end here. */
  for (; i + 8 <= length; i += 8)
    {
      guint64 word;
      memcpy (&word, bytes + i, sizeof word);
      if ((word & G_GUINT64_CONSTANT (0x8080808080808080)) != 0)
        return FALSE;
    }
  for (; i < length; i++)
    {
      if (bytes[i] >= 0x80)
        return FALSE;
    }
  return TRUE;
}

/**
 * _hold_name_decoder_add_sample: keeps a bounded sample of the names that need a charset.
 */
void
_hold_name_decoder_add_sample (HoldNameDecoder *self, const HoldNameSource *source)
{
  if (self->asked != NULL || source->is_utf8 || is_ascii (source->bytes, source->length))
    return;
  if (g_utf8_validate_len ((const char *) source->bytes, source->length, NULL))
    return;
  _hold_name_samples_add (self->samples, source->bytes, source->length,
                          source->backslash_separates);
}

const char *
_hold_name_decoder_decide (HoldNameDecoder *self)
{
  if (self->asked != NULL)
    return self->asked;

  if (self->guessed == NULL)
    {
      self->guessed = _hold_name_samples_guess (self->samples);
      if (self->guessed != NULL)
        {
          self->converter = g_iconv_open ("UTF-8", self->guessed);
          if (self->converter == NO_CONVERTER)
            self->guessed = NULL;
        }
    }
  return self->guessed;
}

/* Whole and without a NUL, or nothing: half a name in a wrong charset helps nobody. */
static gboolean
convert (HoldNameDecoder *self, const guint8 *bytes, gsize length, GString *text)
{
  if (self->converter == NO_CONVERTER || memchr (bytes, '\0', length) != NULL)
    return FALSE;
  return _hold_name_convert (self->converter, bytes, length, text);
}

/* What is valid UTF-8 stays, every other byte becomes %XX. */
static void
escape (const guint8 *bytes, gsize length, GString *text, GString *disk)
{
  const char *from = (const char *) bytes;
  const char *end = from + length;

  while (from < end)
    {
      const char *bad;

      if (g_utf8_validate_len (from, (gsize) (end - from), &bad))
        bad = end;
      g_string_append_len (text, from, bad - from);
      g_string_append_len (disk, from, bad - from);
      from = bad;
      if (from < end)
        {
          g_string_append_printf (text, "%%%02X", (guint8) *from);
          if (*from == '\0')
            g_string_append (disk, "%00");
          else
            g_string_append_c (disk, *from);
          from++;
        }
    }
}

static void
turn_backslashes (GString *string)
{
  char *from = string->str;

  while ((from = strchr (from, '\\')) != NULL)
    *from++ = '/';
}

/**
 * _hold_name_decoder_decode:
 *
 * Decodes first; separators are looked for afterwards, since in CP932 and CP950 the byte of "\" is
 * also the second half of letters.
 */
gboolean
_hold_name_decoder_decode (HoldNameDecoder *self, const HoldNameSource *source, GString *text,
                           GString *disk)
{
  const char *bytes = (const char *) source->bytes;
  gboolean is_valid = g_utf8_validate_len (bytes, source->length, NULL);
  gboolean is_whole = TRUE;

  g_string_truncate (text, 0);
  g_string_truncate (disk, 0);

  /* A charset that was asked for also rules names that happen to be valid UTF-8: short names in
   * CP936 are, now and then, and asking is how a person corrects a wrong guess. ASCII bytes are not
   * exempt either: in ISO-2022-JP they are all there is. */
  if (self->asked != NULL && !source->is_utf8 &&
      convert (self, source->bytes, source->length, text))
    g_string_append_len (disk, text->str, (gssize) text->len);
  else if (is_valid)
    {
      g_string_append_len (text, bytes, (gssize) source->length);
      g_string_append_len (disk, bytes, (gssize) source->length);
    }
  else if ((!source->is_utf8 || self->asked != NULL) &&
           convert (self, source->bytes, source->length, text))
    g_string_append_len (disk, text->str, (gssize) text->len);
  else
    {
      /* Also what says it is UTF-8 and is not: damaged rather than in a charset (E06). */
      escape (source->bytes, source->length, text, disk);
      is_whole = FALSE;
    }

  if (source->backslash_separates)
    {
      turn_backslashes (text);
      turn_backslashes (disk);
    }
  return is_whole;
}
