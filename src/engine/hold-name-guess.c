/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Detectors of running text err on a handful of bytes, and names are a handful of bytes. So each
 * candidate charset is tried on all names together, and scored by what nobody puts into a name:
 * box drawing, scripts mixed within a word, capitals after small letters, rare ideographs.
 * uchardet's word breaks ties. */

#include "hold-name-guess.h"

#include <string.h>
#include <uchardet.h>

/* Enough to be sure; the rest of a huge archive would only cost time. */
#define MAX_SAMPLE_BYTES (64 * 1024)

/* Fewer bytes above 0x7F than this are no evidence of anything. DOS-made ZIPs are nearly always in
 * some OEM code page, elsewhere any charset or plain damage is possible. */
#define MIN_EVIDENCE_DOS 6
#define MIN_EVIDENCE 8
#define MIN_EVIDENCE_TINY_PAIRS 3

#define MIN_SCORE_DOS 0.80
#define MIN_SCORE 0.90

/* What uchardet's word is worth; less than one odd character in fifteen, since it errs on
 * capitals. */
#define DETECTOR_BONUS 0.06

/* A DOS code page elsewhere, or another one in a DOS-made ZIP. */
#define STRANGER_MALUS 0.05

struct _HoldNameSamples {
  GByteArray *bytes;  /* names, each ended by '\n' so that no detector joins them */
  GArray *ends;       /* gsize: where each one ends, without its '\n' */
  guint n_dos;
  guint n_high;       /* bytes above 0x7F */
};

HoldNameSamples *
_hold_name_samples_new (void)
{
  HoldNameSamples *self = g_new0 (HoldNameSamples, 1);

  self->bytes = g_byte_array_new ();
  self->ends = g_array_new (FALSE, FALSE, sizeof (gsize));
  return self;
}

void
_hold_name_samples_free (HoldNameSamples *self)
{
  g_byte_array_unref (self->bytes);
  g_array_unref (self->ends);
  g_free (self);
}

void
_hold_name_samples_add (HoldNameSamples *self, const guint8 *bytes, gsize length, gboolean is_dos)
{
  if (self->bytes->len + length > MAX_SAMPLE_BYTES)
    return;

  for (gsize i = 0; i < length; i++)
    self->n_high += bytes[i] >= 0x80;
  if (is_dos)
    self->n_dos++;
  g_byte_array_append (self->bytes, bytes, (guint) length);

  gsize end = self->bytes->len;
  g_array_append_val (self->ends, end);
  g_byte_array_append (self->bytes, (const guint8 *) "\n", 1);
}

gboolean
_hold_name_convert (GIConv converter, const guint8 *bytes, gsize length, GString *text)
{
  gsize start = text->len;
  gsize room = length * 4 + 16;
  char *in = (char *) bytes;
  gsize in_left = length;

  g_string_set_size (text, start + room);

  char *out = text->str + start;
  gsize out_left = room;

  g_iconv (converter, NULL, NULL, NULL, NULL);
  gsize converted = g_iconv (converter, &in, &in_left, &out, &out_left);
  if (converted != (gsize) -1 && in_left == 0)
    converted = g_iconv (converter, NULL, NULL, &out, &out_left);

  gboolean is_whole = converted != (gsize) -1 && in_left == 0 &&
                      g_utf8_validate_len (text->str + start, room - out_left, NULL);
  g_string_truncate (text, is_whole ? start + room - out_left : start);
  return is_whole;
}

/* How the double bytes of a charset are laid out: those in common use, so that the same bytes in a
 * neighbour's charset, which all are rare ideographs, lose. */
typedef enum { SINGLE_BYTE, JAPANESE_DOS, JAPANESE_UNIX, CHINESE, TAIWANESE, KOREAN } Layout;

typedef struct {
  const char *charset;    /* for iconv */
  const char *detected;   /* (nullable) what uchardet calls it */
  Layout layout;
  gboolean is_oem;        /* a code page that DOS and so FAT-made ZIPs use */
  gboolean is_usual;      /* likely anywhere, without a detector's word */
} Candidate;

/* In order of preference where scores are equal. Korean before Chinese: what is all common Hangul
 * is often all common ideographs, too, but hardly ever the reverse. */
static const Candidate candidates[] = {
  { "CP437", NULL, SINGLE_BYTE, TRUE },
  { "CP850", NULL, SINGLE_BYTE, TRUE },
  { "CP866", "IBM866", SINGLE_BYTE, TRUE },
  { "CP932", "SHIFT_JIS", JAPANESE_DOS, TRUE },
  { "CP949", "EUC-KR", KOREAN, TRUE },
  { "CP949", "UHC", KOREAN, TRUE },
  { "GB18030", "GB18030", CHINESE, TRUE },
  { "CP950", "BIG5", TAIWANESE, TRUE },
  { "CP852", "IBM852", SINGLE_BYTE, TRUE },
  { "CP737", NULL, SINGLE_BYTE, TRUE },
  { "CP862", NULL, SINGLE_BYTE, TRUE },
  { "CP1251", "WINDOWS-1251", SINGLE_BYTE, FALSE, TRUE },
  { "CP1252", "WINDOWS-1252", SINGLE_BYTE, FALSE, TRUE },
  { "KOI8-R", "KOI8-R", SINGLE_BYTE, FALSE, TRUE },
  { "EUC-JP", "EUC-JP", JAPANESE_UNIX, FALSE },
  { "CP1250", "WINDOWS-1250", SINGLE_BYTE, FALSE },
  { "CP1253", "WINDOWS-1253", SINGLE_BYTE, FALSE },
  { "CP1254", "WINDOWS-1254", SINGLE_BYTE, FALSE },
  { "CP1255", "WINDOWS-1255", SINGLE_BYTE, FALSE },
  { "CP1256", "WINDOWS-1256", SINGLE_BYTE, FALSE },
  { "CP1257", "WINDOWS-1257", SINGLE_BYTE, FALSE },
  { "CP1258", "WINDOWS-1258", SINGLE_BYTE, FALSE },
  { "ISO-8859-2", "ISO-8859-2", SINGLE_BYTE, FALSE },
  { "ISO-8859-5", "ISO-8859-5", SINGLE_BYTE, FALSE },
  { "ISO-8859-7", "ISO-8859-7", SINGLE_BYTE, FALSE },
  { "ISO-8859-9", "ISO-8859-9", SINGLE_BYTE, FALSE },
  { "ISO-8859-15", "ISO-8859-15", SINGLE_BYTE, FALSE },
  { "ISO-8859-1", "ISO-8859-1", SINGLE_BYTE, FALSE },
  { "TIS-620", "TIS-620", SINGLE_BYTE, FALSE },
};

/* Is the pair among the characters that ordinary text is made of? */
static gboolean
is_common_pair (Layout layout, guint8 lead, guint8 trail)
{
  switch (layout)
    {
    case JAPANESE_DOS: /* kana, level-1 kanji, a few full-width signs */
      return lead == 0x82 || lead == 0x83 || (lead >= 0x88 && lead <= 0x97) ||
             (lead == 0x81 && (trail == 0x40 || trail == 0x45 || trail == 0x58 || trail == 0x5b ||
                               trail == 0x5e || trail == 0x60 || (trail >= 0x69 && trail <= 0x7a)));
    case JAPANESE_UNIX:
      return trail >= 0xa1 && (lead == 0xa4 || lead == 0xa5 || lead == 0xa3 ||
                               (lead >= 0xb0 && lead <= 0xcf));
    case CHINESE: /* GB 2312 level 1 and its punctuation */
      return trail >= 0xa1 && ((lead >= 0xb0 && lead <= 0xd7) || lead == 0xa3 ||
                               (lead == 0xa1 && (trail <= 0xbf || trail == 0xaa)));
    case TAIWANESE: /* level 1 */
      return (lead >= 0xa4 && lead <= 0xc6) || (lead == 0xa1 && trail <= 0x7e);
    case KOREAN: /* the Hangul of KS X 1001 */
      return trail >= 0xa1 && ((lead >= 0xb0 && lead <= 0xc8) || lead == 0xa3);
    case SINGLE_BYTE:
    default:
      return FALSE;
    }
}

static gboolean
is_lead (Layout layout, guint8 byte)
{
  if (layout == JAPANESE_DOS)
    return (byte >= 0x81 && byte <= 0x9f) || (byte >= 0xe0 && byte <= 0xfc);
  return byte >= 0x81 && byte <= 0xfe;
}

/* The share of common characters. Half-width katakana (single bytes above 0x7F) count as rare. */
static double
score_pairs (const HoldNameSamples *self, Layout layout)
{
  const guint8 *bytes = self->bytes->data;
  guint n_common = 0, n_rare = 0;

  for (guint i = 0; i < self->bytes->len; i++)
    {
      if (bytes[i] < 0x80)
        continue;
      if (is_lead (layout, bytes[i]) && i + 1 < self->bytes->len)
        {
          if (is_common_pair (layout, bytes[i], bytes[i + 1]))
            n_common++;
          else
            n_rare++;
          i++;
        }
      else
        n_rare++;
    }
  return n_common + n_rare == 0 ? 0 : (double) n_common / (n_common + n_rare);
}

typedef struct {
  guint n_good;
  guint n_bad;
} Looks;

/* The letters of one word share a script; COMMON stands for "no letter before". */
static void
look_at_letter (Looks *looks, gunichar previous, gunichar c)
{
  GUnicodeScript script = g_unichar_get_script (c);
  gboolean is_odd = FALSE;

  if (previous != 0)
    {
      GUnicodeScript before = g_unichar_get_script (previous);

      is_odd = before != script && before != G_UNICODE_SCRIPT_COMMON &&
               script != G_UNICODE_SCRIPT_COMMON && script != G_UNICODE_SCRIPT_INHERITED;
      if (g_unichar_islower (previous) && g_unichar_isupper (c))
        is_odd = TRUE;
    }
  if (is_odd)
    looks->n_bad++;
  else
    looks->n_good++;
}

/* Superscripts and the like turn up in names now and then; the rest of the signs hardly ever. */
static gboolean
is_tolerable_sign (gunichar c)
{
  return c == 0xa7 || c == 0xa9 || c == 0xab || c == 0xae || c == 0xb0 || c == 0xb2 || c == 0xb3 ||
         c == 0xb4 || c == 0xb7 || c == 0xbb || c == 0x20ac || c == 0x2116 ||
         (c >= 0x2010 && c <= 0x2026);
}

/* FALSE: what no name holds at all. */
static gboolean
look_at_text (Looks *looks, const char *text)
{
  gunichar previous = 0;

  for (; *text != '\0'; text = g_utf8_next_char (text))
    {
      gunichar c = g_utf8_get_char (text);
      gboolean is_letter = g_unichar_isalpha (c);

      if (c >= 0x80 && c <= 0x9f)
        return FALSE;
      if (g_unichar_type (c) == G_UNICODE_PRIVATE_USE || !g_unichar_isdefined (c))
        return FALSE;

      if (c >= 0x80 && (is_letter || g_unichar_ismark (c)))
        look_at_letter (looks, previous, c);
      else if (c >= 0x80 && !is_tolerable_sign (c))
        looks->n_bad++;
      else if (is_letter && previous >= 0x80)
        look_at_letter (looks, previous, c);
      previous = is_letter ? c : 0;
    }
  return TRUE;
}

/* 0 … 1; 0 also if any name does not decode. */
static double
score (const HoldNameSamples *self, const Candidate *candidate)
{
  GIConv converter = g_iconv_open ("UTF-8", candidate->charset);
  if (converter == (GIConv) -1)
    return 0;

  g_autoptr (GString) text = g_string_new (NULL);
  Looks looks = { 0, 0 };
  gboolean fits = TRUE;
  gsize start = 0;

  for (guint i = 0; i < self->ends->len && fits; i++)
    {
      gsize end = g_array_index (self->ends, gsize, i);

      g_string_truncate (text, 0);
      fits = _hold_name_convert (converter, self->bytes->data + start, end - start, text) &&
             look_at_text (&looks, text->str);
      start = end + 1;
    }
  g_iconv_close (converter);

  if (!fits)
    return 0;
  if (candidate->layout != SINGLE_BYTE)
    return score_pairs (self, candidate->layout);
  return looks.n_good + looks.n_bad == 0 ? 0 : (double) looks.n_good / (looks.n_good + looks.n_bad);
}

static char *
ask_detector (const HoldNameSamples *self)
{
  uchardet_t detector = uchardet_new ();
  g_autofree char *word = NULL;

  if (uchardet_handle_data (detector, (const char *) self->bytes->data, self->bytes->len) == 0)
    {
      uchardet_data_end (detector);
      word = g_strdup (uchardet_get_charset (detector));
    }
  uchardet_delete (detector);
  return g_steal_pointer (&word);
}

/* Spanish begins with them, and numbers end in them; elsewhere they are a sign of a wrong guess. */
static gboolean
is_western_sign (gunichar c)
{
  return c == 0xa1 || c == 0xaa || c == 0xba || c == 0xbf;
}

/* The share of letters among what is not ASCII. */
static double
share_of_letters (const HoldNameSamples *self, const char *charset)
{
  GIConv converter = g_iconv_open ("UTF-8", charset);
  g_autoptr (GString) text = g_string_new (NULL);
  guint n_letters = 0, n_others = 0;

  if (converter == (GIConv) -1)
    return 0;
  if (_hold_name_convert (converter, self->bytes->data, self->bytes->len, text))
    {
      for (const char *p = text->str; *p != '\0'; p = g_utf8_next_char (p))
        {
          gunichar c = g_utf8_get_char (p);

          if (c < 0x80 || is_tolerable_sign (c) || is_western_sign (c))
            continue;
          if (g_unichar_isalpha (c) && g_unichar_type (c) != G_UNICODE_MODIFIER_LETTER)
            n_letters++;
          else
            n_others++;
        }
    }
  g_iconv_close (converter);
  return n_letters == 0 ? 0 : (double) n_letters / (n_letters + n_others);
}

/* A handful of bytes in a DOS-made ZIP: the code page that the format names, unless it turns them
 * into signs and another does not. */
static const char *
guess_tiny (const HoldNameSamples *self)
{
  static const char *const westerly[] = { "CP437", "CP850", "CP852", "CP1252" };
  double best_share = -1;
  const char *best = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (westerly); i++)
    {
      double share = share_of_letters (self, westerly[i]);

      if (share > best_share)
        {
          best_share = share;
          best = westerly[i];
        }
    }
  if (best_share == 1 || self->n_high < MIN_EVIDENCE_TINY_PAIRS)
    return best;

  for (guint i = 0; i < G_N_ELEMENTS (candidates); i++)
    {
      if (candidates[i].is_oem && candidates[i].layout != SINGLE_BYTE &&
          score (self, &candidates[i]) == 1)
        return candidates[i].charset;
    }
  return best;
}

const char *
_hold_name_samples_guess (HoldNameSamples *self)
{
  if (self->ends->len == 0)
    return NULL;

  gboolean is_dos = self->n_dos * 2 >= self->ends->len;
  if (self->n_high < (is_dos ? MIN_EVIDENCE_DOS : MIN_EVIDENCE))
    return is_dos ? guess_tiny (self) : NULL;

  g_autofree char *word = ask_detector (self);
  double best_score = is_dos ? MIN_SCORE_DOS : MIN_SCORE;
  const char *best = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (candidates); i++)
    {
      gboolean is_detected = g_strcmp0 (word, candidates[i].detected) == 0 && word != NULL;

      /* Single-byte charsets make letters of anything: those that are not at home there need the
       * detector's word. */
      if (!is_detected && candidates[i].layout == SINGLE_BYTE &&
          !candidates[i].is_usual && !(is_dos && candidates[i].is_oem))
        continue;

      double this_score = score (self, &candidates[i]);
      if (is_detected && this_score > 0)
        this_score += DETECTOR_BONUS;
      if (is_dos != candidates[i].is_oem)
        this_score -= STRANGER_MALUS;
      if (this_score > best_score)
        {
          best_score = this_score;
          best = candidates[i].charset;
        }
    }
  if (best == NULL && is_dos)
    best = guess_tiny (self);
  return best;
}
