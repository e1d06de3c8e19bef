/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Lexical work on names: nothing here looks at a disk, a locale or an archive. */

#include "hold-path.h"

#include <string.h>

/* NAME_MAX and PATH_MAX of Linux; the latter counts the NUL at the end. */
#define MAX_PART_BYTES 255
#define MAX_PATH_BYTES 4095

const char *
hold_unsafe_to_string (HoldUnsafe unsafe)
{
  static const struct {
    HoldUnsafe flag;
    const char *word;
  } words[] = {
    { HOLD_UNSAFE_DOTDOT, "dotdot" },
    { HOLD_UNSAFE_ABSOLUTE, "absolute" },
    { HOLD_UNSAFE_LINK_ESCAPE, "link-escape" },
    { HOLD_UNSAFE_EMPTY, "empty" },
    { HOLD_UNSAFE_TOO_LONG, "too-long" },
    { HOLD_UNSAFE_SPECIAL, "special" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      if ((unsafe & words[i].flag) != 0)
        return words[i].word;
    }
  return NULL;
}

/* "C:" at the start with a separator behind it. Only such a drive is taken off: "a:b" is an
 * ordinary name here, and so is "C:" alone. */
static gboolean
has_drive (const char *text)
{
  return g_ascii_isalpha (text[0]) && text[1] == ':' && (text[2] == '/' || text[2] == '\\');
}

static gboolean
is_dots (const char *part, gsize length, gsize n_dots)
{
  return length == n_dots && strncmp (part, "..", n_dots) == 0;
}

/**
 * hold_path_normalise:
 *
 * See the header. A drive ("C:") in front of a separator stays as a part, so that it is seen, and
 * is flagged; so is a UNC prefix with backslashes. "\" itself is no separator here: whoever
 * knows that the name was made where it is one has replaced it before (Z15).
 *
 * Blocks: no. Errors: none; lengths are counted in bytes of @text.
 */
char *
hold_path_normalise (const char *text, HoldUnsafe *unsafe)
{
  HoldUnsafe found = HOLD_UNSAFE_NONE;
  gsize room = text != NULL ? strlen (text) + 1 : 1;
  char *result = g_malloc (room);
  char *end = result;
  const char *from = text != NULL ? text : "";

  if (*from == '/' || has_drive (from) || g_str_has_prefix (from, "\\\\"))
    found |= HOLD_UNSAFE_ABSOLUTE;

  while (*from != '\0')
    {
      gsize length = strcspn (from, "/");

      if (length > 0 && !is_dots (from, length, 1))
        {
          if (is_dots (from, length, 2))
            found |= HOLD_UNSAFE_DOTDOT;
          if (length > MAX_PART_BYTES)
            found |= HOLD_UNSAFE_TOO_LONG;
          if (end != result)
            *end++ = '/';
          memcpy (end, from, length);
          end += length;
        }
      from += length;
      if (*from == '/')
        from++;
    }
  *end = '\0';

  if (end == result)
    found |= HOLD_UNSAFE_EMPTY;
  if ((gsize) (end - result) > MAX_PATH_BYTES)
    found |= HOLD_UNSAFE_TOO_LONG;
  if (unsafe != NULL)
    *unsafe = found;
  return result;
}

/* Walks over @path and returns how many parts deep it ends; -1 as soon as it climbs over the
 * start. */
static gint64
walk (const char *path, gint64 depth)
{
  while (*path != '\0')
    {
      gsize length = strcspn (path, "/");

      if (is_dots (path, length, 2))
        depth--;
      else if (length > 0 && !is_dots (path, length, 1))
        depth++;
      if (depth < 0)
        return -1;
      path += length;
      if (*path == '/')
        path++;
    }
  return depth;
}

/**
 * hold_path_link_stays_inside:
 * @path: where the link stands, normalised
 * @target: as stored
 *
 * Lexical: that a part of @target may itself be a link is the disk sink's concern. An absolute
 * target never stays inside. Thread: any. Blocks: no.
 */
gboolean
hold_path_link_stays_inside (const char *path, const char *target)
{
  g_return_val_if_fail (path != NULL && target != NULL, FALSE);

  if (*target == '/')
    return FALSE;

  g_autofree char *folder = g_strndup (path, (gsize) (hold_path_peek_basename (path) - path));
  gint64 depth = walk (folder, 0);
  return depth >= 0 && walk (target, depth) >= 0;
}

/** hold_path_peek_basename: what stands behind the last "/". Thread: any. Returns: borrowed. */
const char *
hold_path_peek_basename (const char *path)
{
  g_return_val_if_fail (path != NULL, NULL);

  const char *slash = strrchr (path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* Characters that change how the text around them is laid out, or that a terminal or label
 * breaks the line at: with them "gpj.exe" can be made to look like "exe.jpg". */
static gboolean
is_treacherous (gunichar c)
{
  return (c >= 0x80 && c <= 0x9f) || c == 0x061c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff ||
         (c >= 0xe0000 && c <= 0xe007f);
}

/**
 * hold_path_escape_for_display:
 * @path: any NUL-terminated bytes, UTF-8 or not
 *
 * Thread: any. Blocks: no. Returns: (transfer full): valid UTF-8 on one line that no terminal
 * takes for a command.
 */
char *
hold_path_escape_for_display (const char *path)
{
  g_return_val_if_fail (path != NULL, NULL);

  g_autoptr (GString) result = g_string_sized_new (strlen (path) + 1);

  while (*path != '\0')
    {
      guint8 byte = (guint8) *path;
      gunichar c = g_utf8_get_char_validated (path, -1);

      if (c == (gunichar) -1 || c == (gunichar) -2)
        {
          g_string_append_printf (result, "\\x%02X", byte);
          path++;
          continue;
        }
      if (byte == '\n')
        g_string_append (result, "\\n");
      else if (byte == '\t')
        g_string_append (result, "\\t");
      else if (byte == '\r')
        g_string_append (result, "\\r");
      else if (byte < 0x20 || byte == 0x7f)
        g_string_append_printf (result, "\\x%02X", byte);
      else if (is_treacherous (c))
        g_string_append_printf (result, "\\u%04X", c);
      else
        g_string_append_unichar (result, c);
      path = g_utf8_next_char (path);
    }
  return g_string_free (g_steal_pointer (&result), FALSE);
}

/**
 * hold_path_collation_key:
 * @name: UTF-8; invalid bytes are survived
 *
 * Folded case decides first, then the name itself, so that the order of "A" and "a" is the same
 * in every listing. Thread: any. Blocks: no. Returns: (transfer full).
 */
char *
hold_path_collation_key (const char *name)
{
  g_return_val_if_fail (name != NULL, NULL);

  /* A folder of 100,000 needs as many keys before it can be shown, and most names are ASCII. */
  gboolean is_ascii = g_str_is_ascii (name);
  g_autofree char *valid = is_ascii ? g_strdup (name) : g_utf8_make_valid (name, -1);
  g_autofree char *folded = is_ascii ? g_ascii_strdown (name, -1) : g_utf8_casefold (valid, -1);
  g_autofree char *key = g_utf8_collate_key_for_filename (folded, -1);

  return g_strconcat (key, "\001", valid, NULL);
}
