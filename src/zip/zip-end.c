/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Searches the end of the file for end records and judges each by whether a directory stands
 * where it says; the first one from the end that does is taken.
 */

#include "zip-end.h"

#include <string.h>

#include "zip-cursor.h"
#include "zip-error.h"

/* The first look: a comment at its longest, the record and the ZIP64 records before it. Small
 * archives come whole with it. */
#define TAIL_FIRST (64u * 1024u + ZIP_END_SIZE + ZIP_LOCATOR64_SIZE + ZIP_END64_SIZE)

/* The second look, for junk appended to the archive. */
#define TAIL_SECOND (1024u * 1024u + TAIL_FIRST)

/* How many signatures are judged; a file made of nothing else must not cost a read for each. */
#define CANDIDATES_MAX 256u

/* How far before its locator a ZIP64 end record with extensible data may begin. */
#define END64_SEARCH 4096u

#define NOWHERE G_MAXUINT64

typedef enum {
  RANK_NONE,   /* no directory where it says */
  RANK_EMPTY,  /* says that there are no entries; may be text in a comment */
  RANK_BROKEN, /* a directory, but the comment is cut short */
  RANK_LOOSE,  /* a directory, but its size is wrong */
  RANK_GOOD,
} Rank;

void
zip_end_place_clear (ZipEndPlace *place)
{
  g_clear_pointer (&place->comment, g_bytes_unref);
  g_clear_pointer (&place->tail, g_bytes_unref);
}

/* The signature at @offset of the file, from the tail if it is there; 0 if it cannot be read. */
static guint32
signature_at (ZipSource *source, const ZipEndPlace *place, guint64 offset)
{
  guint8 bytes[4] = { 0 };
  gsize length = 0;
  const guint8 *tail = g_bytes_get_data (place->tail, &length);

  if (offset >= place->tail_offset && offset - place->tail_offset < length)
    return zip_record_peek_u32 (tail + (offset - place->tail_offset),
                                length - (gsize) (offset - place->tail_offset));

  if (!zip_source_read (source, offset, bytes, sizeof bytes, &length, NULL))
    return 0;
  return zip_record_peek_u32 (bytes, length);
}

/* Looks for the ZIP64 end record that belongs to the end record at place->end_position. Returns
 * its position, or NOWHERE. */
static guint64
find_end64 (ZipSource *source, ZipEndPlace *place)
{
  guint8 locator[ZIP_LOCATOR64_SIZE];
  gsize n_read = 0;
  guint64 stated = 0;

  if (place->end_position < ZIP_LOCATOR64_SIZE + ZIP_END64_SIZE)
    return NOWHERE;

  guint64 locator_position = place->end_position - ZIP_LOCATOR64_SIZE;
  if (!zip_source_read (source, locator_position, locator, sizeof locator, &n_read, NULL)
      || zip_record_parse_locator64 (locator, n_read, &stated) != ZIP_PARSE_OK)
    return NOWHERE;

  /* With a prefix the stated place is off by its length; then the record stands right before the
   * locator, as every writer puts it, or not far. */
  if (stated < locator_position && signature_at (source, place, stated) == ZIP_SIGNATURE_END64)
    return stated;

  guint64 expected = locator_position - ZIP_END64_SIZE;
  if (signature_at (source, place, expected) == ZIP_SIGNATURE_END64)
    return expected;

  guint8 window[END64_SEARCH];
  guint64 start = locator_position > END64_SEARCH ? locator_position - END64_SEARCH : 0;
  if (!zip_source_read (source, start, window, (gsize) (locator_position - start), &n_read, NULL))
    return NOWHERE;
  for (gsize i = n_read; i >= ZIP_END64_SIZE; i--)
    if (zip_record_peek_u32 (window + i - ZIP_END64_SIZE, n_read) == ZIP_SIGNATURE_END64)
      return start + i - ZIP_END64_SIZE;
  return NOWHERE;
}

static gboolean
read_end64 (ZipSource *source, ZipEndPlace *place, guint64 position)
{
  guint8 record[ZIP_END64_SIZE];
  gsize n_read = 0;

  return zip_source_read (source, position, record, sizeof record, &n_read, NULL)
         && zip_record_parse_end64 (record, n_read, &place->end) == ZIP_PARSE_OK;
}

/* Judges whether a directory that ends at @limit stands where place->end says. */
static Rank
judge_directory (ZipSource *source, ZipEndPlace *place, guint64 limit, gboolean comment_is_whole)
{
  const ZipEnd *end = &place->end;

  /* The directory ends where the end record begins. Counted back from there it is found whatever
   * stands in front of the archive, and the difference to the stated offset is that prefix. */
  place->directory_limit = limit;
  if (end->directory_size <= limit)
    {
      guint64 start = limit - end->directory_size;

      place->directory_start = start;
      place->shift = (gint64) (start - end->directory_offset);
      if (end->directory_size == 0 && end->n_entries == 0)
        return start >= end->directory_offset ? RANK_EMPTY : RANK_NONE;
      if (signature_at (source, place, start) == ZIP_SIGNATURE_CENTRAL)
        return comment_is_whole ? RANK_GOOD : RANK_BROKEN;
    }

  /* Something between the two (a signature, padding), or a wrong size: the stated offset is all
   * there is to go by. */
  place->directory_start = end->directory_offset;
  place->shift = 0;
  if (end->directory_offset < limit
      && signature_at (source, place, end->directory_offset) == ZIP_SIGNATURE_CENTRAL)
    return RANK_LOOSE;

  return RANK_NONE;
}

/* Judges the end record at @data, the bytes from it to the end of the file. */
static Rank
judge (ZipSource *source, ZipEndPlace *place, const guint8 *data, gsize length)
{
  ZipEnd plain;

  if (zip_record_parse_end (data, length, &plain) != ZIP_PARSE_OK)
    return RANK_NONE;

  gsize comment_length = MIN (plain.comment_length, length - ZIP_END_SIZE);
  gboolean whole = comment_length == plain.comment_length;

  g_clear_pointer (&place->comment, g_bytes_unref);
  place->comment = g_bytes_new (data + ZIP_END_SIZE, comment_length);
  place->trailing_size = length - ZIP_END_SIZE - comment_length;

  /* What looks like ZIP64 records may be the end of the last entry's name or comment. Where nothing
   * points to them, they are believed only if the archive makes no sense without. */
  place->zip64 = FALSE;
  place->end = plain;
  Rank rank = RANK_NONE;
  if (plain.marked == 0)
    rank = judge_directory (source, place, place->end_position, whole);
  if (rank >= RANK_BROKEN)
    return rank;

  guint64 end64 = find_end64 (source, place);
  if (end64 != NOWHERE && read_end64 (source, place, end64))
    {
      Rank rank64 = judge_directory (source, place, end64, whole);

      if (rank64 > rank)
        {
          place->zip64 = TRUE;
          return rank64;
        }
    }

  /* A count of exactly 65535 and the like may be the plain truth. */
  place->end = plain;
  return judge_directory (source, place, place->end_position, whole);
}

static gboolean
read_tail (ZipSource *source, ZipEndPlace *place, guint64 wanted, GError **error)
{
  guint64 size = zip_source_get_size (source);
  gsize length = (gsize) MIN (size, wanted);
  gsize n_read = 0;
  g_autofree guint8 *bytes = g_malloc (MAX (length, 1));

  place->tail_offset = size - length;
  if (!zip_source_read (source, place->tail_offset, bytes, length, &n_read, error))
    return FALSE;

  g_clear_pointer (&place->tail, g_bytes_unref);
  place->tail = g_bytes_new_take (g_steal_pointer (&bytes), n_read);
  return TRUE;
}

/* Judges every end record in the tail from the end on; the best one is left in @place. */
static Rank
search_tail (ZipSource *source, ZipEndPlace *place, gboolean *split)
{
  gsize length = 0;
  const guint8 *tail = g_bytes_get_data (place->tail, &length);
  gsize best_position = 0;
  Rank best = RANK_NONE;
  guint n_judged = 0;
  gsize before = length;

  while (before >= ZIP_END_SIZE && best < RANK_GOOD && n_judged < CANDIDATES_MAX)
    {
      const guint8 *p = memrchr (tail, 'P', before - (ZIP_END_SIZE - 1));
      if (p == NULL)
        break;

      gsize position = (gsize) (p - tail);
      before = position + ZIP_END_SIZE - 1;
      if (zip_record_peek_u32 (p, length - position) != ZIP_SIGNATURE_END)
        continue;

      place->end_position = place->tail_offset + position;
      n_judged++;
      Rank rank = judge (source, place, p, length - position);
      if (rank == RANK_NONE && place->end.disk != 0 && !(place->end.marked & ZIP_END_MARKED_DISK)
          && place->end.directory_disk <= place->end.disk)
        *split = TRUE;
      if (rank > best)
        {
          best = rank;
          best_position = position;
        }
    }

  if (best != RANK_NONE)
    {
      place->end_position = place->tail_offset + best_position;
      (void) judge (source, place, tail + best_position, length - best_position);
    }

  return best;
}

gboolean
zip_end_find (ZipSource *source, ZipEndPlace *place, GError **error)
{
  gboolean split = FALSE;
  guint8 head[4] = { 0 };
  gsize n_read = 0;

  *place = (ZipEndPlace) { 0 };
  if (!read_tail (source, place, TAIL_FIRST, error))
    return FALSE;

  Rank rank = search_tail (source, place, &split);
  if (rank < RANK_BROKEN && place->tail_offset > 0)
    {
      if (!read_tail (source, place, TAIL_SECOND, error))
        return FALSE;
      rank = search_tail (source, place, &split);
    }

  if (rank >= RANK_BROKEN)
    return TRUE;

  /* Nothing but an end record is an archive without entries. But where the file begins with an
   * entry, such a record is a few bytes of a comment, or of a damaged archive. */
  if (rank == RANK_EMPTY)
    {
      if (!zip_source_read (source, 0, head, sizeof head, &n_read, error))
        return FALSE;
      if (zip_record_peek_u32 (head, n_read) != ZIP_SIGNATURE_LOCAL)
        return TRUE;
    }

  if (split)
    {
      g_set_error (error, ZIP_ERROR, ZIP_ERROR_SPLIT,
                   "end record at 0x%" G_GINT64_MODIFIER "x: part %u of a split archive, without "
                   "the part that holds its directory",
                   place->end_position, place->end.disk + 1);
      return FALSE;
    }

  if (rank == RANK_NONE && place->end_position > 0)
    g_set_error (error, ZIP_ERROR, ZIP_ERROR_CORRUPT,
                 "end record at 0x%" G_GINT64_MODIFIER "x: no central directory where it says",
                 place->end_position);
  else
    g_set_error (error, ZIP_ERROR, ZIP_ERROR_NOT_ZIP, "no end record of a ZIP archive");
  return FALSE;
}
