/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* "Keep both": a name beside one that is taken. */

#include "config.h"

#include "hold-disk-private.h"

#include <fcntl.h>
#include <string.h>

#define MAX_PART_BYTES 255

/* Where the suffix starts that must stay last: ".txt", but ".tar.gz" as a whole, and nothing of
 * ".bashrc". */
static gsize
find_suffix (const char *base)
{
  const char *dot = strrchr (base, '.');
  const char *inner;

  if (dot == NULL || dot == base || strlen (dot) > 12)
    return strlen (base);
  for (inner = dot - 1; inner > base && *inner != '.'; inner--)
    ;
  if (inner > base && dot - inner == 4 && strncmp (inner, ".tar", 4) == 0)
    return (gsize) (inner - base);
  return (gsize) (dot - base);
}

static char *
make_numbered (const char *name, const char *base, guint number)
{
  g_autofree char *tail = NULL;
  gsize suffix = find_suffix (base), stem = suffix, tail_length;

  tail = g_strdup_printf (" (%u)%s", number, base + suffix);
  tail_length = strlen (tail);
  if (stem + tail_length > MAX_PART_BYTES)
    {
      stem = tail_length < MAX_PART_BYTES ? MAX_PART_BYTES - tail_length : 1;
      /* Not in the middle of a character: its trailing bytes are 10xxxxxx. */
      while (stem > 1 && (base[stem] & 0xc0) == 0x80)
        stem--;
    }
  return g_strdup_printf ("%.*s%.*s%s", (int) (base - name), name, (int) stem, base, tail);
}

char *
hold_disk_sink_free_name (HoldDiskSink *self, const char *name)
{
  g_autoptr (HoldDiskFolder) folder = NULL;
  const char *base;
  guint number;
  char *numbered;

  folder = _hold_disk_sink_get_parent (self, name, HOLD_DISK_MUST_EXIST, &base, NULL, NULL);

  g_mutex_lock (&self->lock);
  number = GPOINTER_TO_UINT (g_hash_table_lookup (self->next_number, name));
  for (number = MAX (number, 2);; number++)
    {
      struct stat st;

      numbered = make_numbered (name, base, number);
      if (!g_hash_table_contains (self->handed_out, numbered)
          && !g_hash_table_contains (self->link_names, numbered)
          && (folder == NULL
              || fstatat (folder->fd, numbered + (base - name), &st, AT_SYMLINK_NOFOLLOW) != 0))
        break;
      g_free (numbered);
    }
  g_hash_table_replace (self->next_number, g_strdup (name), GUINT_TO_POINTER (number + 1));
  g_hash_table_add (self->handed_out, g_strdup (numbered));
  g_mutex_unlock (&self->lock);
  return numbered;
}
