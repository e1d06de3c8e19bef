/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The naming schemes of 7-Zip, split, RAR and ZIP. */

#include "hold-volume-name.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hold-backend-signature.h"
#include "hold-rar-volume.h"

void
hold_volume_name_clear (HoldVolumeName *name)
{
  g_clear_pointer (&name->before, g_free);
  g_clear_pointer (&name->after, g_free);
}

/* -1 with errno. A fifo that is called like a part must not hang us. */
int
hold_volume_name_open (const char *path)
{
  struct stat st;
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

  if (fd < 0)
    return -1;
  if (fstat (fd, &st) == 0 && S_ISREG (st.st_mode))
    return fd;
  if (close (fd) != 0)
    g_debug ("closing %s: %s", path, g_strerror (errno));
  errno = ENOENT;
  return -1;
}

char *
hold_volume_name_dup_path (const HoldVolumeName *naming, guint i, guint n_before_zip)
{
  switch (naming->kind)
    {
    case HOLD_VOLUME_NUMBERED:
    case HOLD_VOLUME_RAR_PARTS:
      return g_strdup_printf ("%s%0*u%s", naming->before, (int) naming->width, i + 1, naming->after);
    case HOLD_VOLUME_RAR_OLD:
      if (i == 0)
        return g_strconcat (naming->before, naming->upper ? ".RAR" : ".rar", NULL);
      return g_strdup_printf ("%s.%c%02u", naming->before,
                              (naming->upper ? 'R' : 'r') + (int) ((i - 1) / 100), (i - 1) % 100);
    case HOLD_VOLUME_ZIP:
      if (i == n_before_zip)
        return g_strconcat (naming->before, naming->upper ? ".ZIP" : ".zip", NULL);
      return g_strdup_printf ("%s.%c%02u", naming->before, naming->upper ? 'Z' : 'z', i + 1);
    case HOLD_VOLUME_SINGLE:
    default:
      return NULL;
    }
}

/* Digits that end at @end; where they begin. */
static const char *
digits_before (const char *start, const char *end)
{
  while (end > start && g_ascii_isdigit (end[-1]))
    end--;
  return end;
}

/* @digits up to the suffix that is in naming->after; what stands before them is before the number. */
static void
take_number (const char *path, const char *digits, HoldVolumeKind kind, HoldVolumeName *naming)
{
  guint64 number = g_ascii_strtoull (digits, NULL, 10);

  naming->kind = number != 0 ? kind : HOLD_VOLUME_SINGLE;
  naming->width = (guint) (strlen (digits) - strlen (naming->after));
  naming->before = g_strndup (path, (gsize) (digits - path));
  naming->number = (guint) (number - 1);
}

/* "x.part01.rar", else "x.rar", the first of the old way. */
static void
init_rar (const char *path, const char *name, const char *suffix, HoldVolumeName *naming)
{
  const char *digits = digits_before (name, suffix);

  if (suffix - digits > 0 && suffix - digits < 7 && digits - name > 5
      && g_ascii_strncasecmp (digits - 5, ".part", 5) == 0)
    {
      naming->after = g_strdup (suffix);
      take_number (path, digits, HOLD_VOLUME_RAR_PARTS, naming);
      return;
    }
  naming->kind = HOLD_VOLUME_RAR_OLD;
  naming->before = g_strndup (path, (gsize) (suffix - path));
  naming->upper = suffix[3] == 'R';
}

/* "x.zip", the last of its set. */
static void
init_zip (const char *path, const char *suffix, HoldVolumeName *naming)
{
  naming->kind = HOLD_VOLUME_ZIP;
  naming->before = g_strndup (path, (gsize) (suffix - path));
  naming->upper = suffix[3] == 'P';
  naming->number = G_MAXUINT;
}

/* "x.r00", "x.s00" …, "x.z01": a letter before the two @digits. */
static void
init_lettered (const char *path, const char *digits, HoldVolumeName *naming)
{
  char letter = digits[-1];
  guint number = (guint) g_ascii_strtoull (digits, NULL, 10);
  gboolean zip = letter == 'z' || letter == 'Z';

  if (zip && number == 0)
    return;
  naming->kind = zip ? HOLD_VOLUME_ZIP : HOLD_VOLUME_RAR_OLD;
  naming->before = g_strndup (path, (gsize) (digits - 2 - path));
  naming->upper = g_ascii_isupper (letter);
  naming->number = zip ? number - 1 : number + 1 + 100 * (guint) (g_ascii_tolower (letter) - 'r');
}

void
hold_volume_name_init (const char *path, HoldVolumeName *naming)
{
  const char *slash = strrchr (path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  const char *end = path + strlen (path);
  const char *digits;

  *naming = (HoldVolumeName) { .kind = HOLD_VOLUME_SINGLE };
  if (end - name < 5)
    return;

  digits = digits_before (name, end);
  if (g_ascii_strcasecmp (end - 4, ".rar") == 0)
    {
      init_rar (path, name, end - 4, naming);
    }
  else if (g_ascii_strcasecmp (end - 4, ".zip") == 0)
    {
      init_zip (path, end - 4, naming);
    }
  else if (end - digits == 2 && digits[-2] == '.' && strchr ("rRsStTzZ", digits[-1]) != NULL)
    {
      init_lettered (path, digits, naming);
    }
  else if (end - digits >= 3 && end - digits <= 6 && digits != name && digits[-1] == '.')
    {
      naming->after = g_strdup ("");
      take_number (path, digits, HOLD_VOLUME_NUMBERED, naming);
    }
}

/* The disk number of a ZIP end record in the last 64 KiB; 0 if there is none. */
guint
hold_volume_name_last_disk (int fd)
{
  g_autofree guint8 *tail = NULL;
  struct stat st;
  gsize length;
  gssize n;

  if (fstat (fd, &st) != 0 || st.st_size < 22)
    return 0;
  length = (gsize) MIN ((guint64) st.st_size, 65536 + 22);
  tail = g_malloc (length);
  n = pread (fd, tail, length, st.st_size - (off_t) length);
  for (gssize i = n - 22; i >= 0; i--)
    /* Its comment must reach to the end: the signature may stand in the comment of the true
     * record. */
    if (memcmp (tail + i, "PK\5\6", 4) == 0
        && i + 22 + (tail[i + 20] | tail[i + 21] << 8) == n)
      {
        guint disk = tail[i + 4] | (guint) tail[i + 5] << 8;

        return disk == 0xffff ? 0 : disk;
      }
  return 0;
}

/* Rotated files ("log.gz.001", "log.gz.002") are numbered too, but each is whole by itself. */
static gboolean
look_alike (int a, int b)
{
  guint8 head_a[4], head_b[4];

  return pread (a, head_a, 4, 0) == 4 && pread (b, head_b, 4, 0) == 4
         && memcmp (head_a, head_b, 4) == 0;
}

/* A tar with its end mark. */
static gboolean
is_whole_tar (int fd)
{
  guint8 mark[5], end[1024];
  struct stat st;

  if (fstat (fd, &st) != 0 || st.st_size < 2048 || pread (fd, mark, 5, 257) != 5
      || memcmp (mark, "ustar", 5) != 0 || pread (fd, end, 1024, st.st_size - 1024) != 1024)
    return FALSE;
  return end[0] == 0 && memcmp (end, end + 1, 1023) == 0;
}

/* Does it start like an archive of its own? Not tar: a cut may fall on the start of any member. */
static gboolean
has_signature (int fd)
{
  guint8 head[16];
  const char *name;
  gssize n = pread (fd, head, sizeof head, 0);

  return n > 0 && hold_signature_examine (head, (gsize) n, &name) != HOLD_SIGNATURE_UNKNOWN;
}

/* Numbers at the end of a name may mean parts, rotated files or years. @first, @second: -1 if they
 * do not exist. */
static gboolean
are_numbered_parts (const HoldVolumeName *naming, int fd, int first, int second)
{
  HoldRarVolume rar;

  if (first < 0)
    return naming->width == 3 && !has_signature (fd) && !is_whole_tar (fd);
  hold_rar_volume_examine (first, &rar);
  if (rar.is_rar && rar.is_volume)
    return TRUE;
  if (naming->number > 0 && has_signature (fd))
    return FALSE;
  return second < 0 || (!look_alike (first, second) && !is_whole_tar (first));
}

static void
close_part (int fd)
{
  if (fd >= 0 && close (fd) != 0)
    g_debug ("closing a part: %s", g_strerror (errno));
}

/* Is the opened file really one of a set of this naming? */
gboolean
hold_volume_name_is_of_set (const HoldVolumeName *naming, int fd)
{
  HoldRarVolume rar;

  switch (naming->kind)
    {
    case HOLD_VOLUME_RAR_PARTS:
    case HOLD_VOLUME_RAR_OLD:
      hold_rar_volume_examine (fd, &rar);
      return rar.is_rar && rar.is_volume;
    case HOLD_VOLUME_ZIP:
      return naming->number != G_MAXUINT || hold_volume_name_last_disk (fd) > 0;
    case HOLD_VOLUME_NUMBERED:
      {
        g_autofree char *first = hold_volume_name_dup_path (naming, 0, 0);
        g_autofree char *second = hold_volume_name_dup_path (naming, 1, 0);
        int fd_1 = hold_volume_name_open (first);
        int fd_2 = hold_volume_name_open (second);
        gboolean belongs = are_numbered_parts (naming, fd, fd_1, fd_2);

        close_part (fd_1);
        close_part (fd_2);
        return belongs;
      }
    case HOLD_VOLUME_SINGLE:
    default:
      return FALSE;
    }
}
