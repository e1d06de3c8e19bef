/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Finds the parts of a split set by name and content, and reads them as one file. */

#include "hold-volumes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hold-backend-signature.h"
#include "hold-rar-volume.h"

/* Each part keeps a descriptor; a process has 1,024 of them by default. */
#define MAX_PARTS 512

typedef struct {
  int fd;
  guint64 start;
  guint64 length;
  HoldFileIdentity identity;
} Part;

struct _HoldVolumes {
  gatomicrefcount ref_count;
  GArray *parts;
  guint64 size;
  char *first_path;
  char *missing;
};

/* How the parts of a set are called: everything but the number. */
typedef enum { KIND_SINGLE, KIND_NUMBERED, KIND_RAR_PARTS, KIND_RAR_OLD, KIND_ZIP } Kind;

typedef struct {
  Kind kind;
  char *before;      /* path up to the number, or up to the dot of the suffix */
  char *after;       /* what follows the number */
  guint width;
  guint number;      /* of the part that was opened, from 0 */
  gboolean upper;
} Naming;

static void
naming_clear (Naming *naming)
{
  g_clear_pointer (&naming->before, g_free);
  g_clear_pointer (&naming->after, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Naming, naming_clear)

static void
part_clear (gpointer data)
{
  Part *part = data;

  /* Nothing was written through it, so a failing close loses nothing. */
  if (part->fd >= 0 && close (part->fd) != 0)
    g_debug ("closing a part: %s", g_strerror (errno));
}

static HoldVolumes *
volumes_new (const char *first_path)
{
  HoldVolumes *self = g_new0 (HoldVolumes, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->parts = g_array_new (FALSE, TRUE, sizeof (Part));
  g_array_set_clear_func (self->parts, part_clear);
  self->first_path = g_strdup (first_path);
  return self;
}

HoldVolumes *
hold_volumes_ref (HoldVolumes *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
hold_volumes_unref (HoldVolumes *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_array_unref (self->parts);
  g_free (self->first_path);
  g_free (self->missing);
  g_free (self);
}

static const Part *
get_part (HoldVolumes *self, guint i)
{
  return &g_array_index (self->parts, Part, i);
}

guint64
hold_volumes_get_size (HoldVolumes *self)
{
  return self->size;
}

guint
hold_volumes_get_n_parts (HoldVolumes *self)
{
  return self->parts->len;
}

guint64
hold_volumes_get_start (HoldVolumes *self, guint i)
{
  g_return_val_if_fail (i < self->parts->len, 0);
  return get_part (self, i)->start;
}

int
hold_volumes_get_fd (HoldVolumes *self, guint i)
{
  g_return_val_if_fail (i < self->parts->len, -1);
  return get_part (self, i)->fd;
}

const char *
hold_volumes_get_first_path (HoldVolumes *self)
{
  return self->first_path;
}

const char *
hold_volumes_get_missing (HoldVolumes *self)
{
  return self->missing;
}

/* Takes @fd. */
static gboolean
append (HoldVolumes *self, int fd, GError **error)
{
  Part part = { .fd = fd, .start = self->size };

  if (!hold_file_identity_from_fd (fd, &part.identity, error))
    {
      part_clear (&part);
      return FALSE;
    }
  part.length = part.identity.size_bytes;
  self->size += part.length;
  g_array_append_val (self->parts, part);
  return TRUE;
}

/* -1 with errno. A fifo that is called like a part must not hang us. */
static int
open_regular (const char *path)
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

static char *
part_path (const Naming *naming, guint i, guint n_before_zip)
{
  switch (naming->kind)
    {
    case KIND_NUMBERED:
    case KIND_RAR_PARTS:
      return g_strdup_printf ("%s%0*u%s", naming->before, (int) naming->width, i + 1, naming->after);
    case KIND_RAR_OLD:
      if (i == 0)
        return g_strconcat (naming->before, naming->upper ? ".RAR" : ".rar", NULL);
      return g_strdup_printf ("%s.%c%02u", naming->before,
                              (naming->upper ? 'R' : 'r') + (int) ((i - 1) / 100), (i - 1) % 100);
    case KIND_ZIP:
      if (i == n_before_zip)
        return g_strconcat (naming->before, naming->upper ? ".ZIP" : ".zip", NULL);
      return g_strdup_printf ("%s.%c%02u", naming->before, naming->upper ? 'Z' : 'z', i + 1);
    case KIND_SINGLE:
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

static void
read_name (const char *path, Naming *naming)
{
  const char *name = strrchr (path, '/');
  gsize length = strlen (path);
  const char *end = path + length;
  const char *digits = NULL;

  name = name != NULL ? name + 1 : path;
  *naming = (Naming) { .kind = KIND_SINGLE };
  if (end - name < 5)
    return;

  if (g_ascii_strcasecmp (end - 4, ".rar") == 0)
    {
      digits = digits_before (name, end - 4);
      if (end - 4 - digits > 0 && end - 4 - digits < 7 && digits - name > 5
          && g_ascii_strncasecmp (digits - 5, ".part", 5) == 0)
        {
          naming->kind = KIND_RAR_PARTS;
          naming->after = g_strdup (end - 4);
        }
      else
        {
          naming->kind = KIND_RAR_OLD;
          naming->before = g_strndup (path, length - 4);
          naming->upper = end[-1] == 'R';
          return;
        }
    }
  else if (g_ascii_strcasecmp (end - 4, ".zip") == 0)
    {
      naming->kind = KIND_ZIP;
      naming->before = g_strndup (path, length - 4);
      naming->upper = end[-1] == 'P';
      naming->number = G_MAXUINT;
      return;
    }
  else
    {
      digits = digits_before (name, end);
      if (end - digits == 2 && end - name > 4 && digits[-2] == '.'
          && strchr ("rRsStTzZ", digits[-1]) != NULL)
        {
          char letter = digits[-1];
          guint number = (guint) g_ascii_strtoull (digits, NULL, 10);
          gboolean zip = letter == 'z' || letter == 'Z';

          if (zip && number == 0)
            return;
          naming->kind = zip ? KIND_ZIP : KIND_RAR_OLD;
          naming->before = g_strndup (path, (gsize) (digits - 2 - path));
          naming->upper = g_ascii_isupper (letter);
          naming->number = zip ? number - 1
                               : number + 1 + 100 * (guint) (g_ascii_tolower (letter) - 'r');
          return;
        }
      if (end - digits < 3 || end - digits > 6 || digits == name || digits[-1] != '.')
        return;
      naming->kind = KIND_NUMBERED;
      naming->after = g_strdup ("");
    }

  guint64 number = g_ascii_strtoull (digits, NULL, 10);

  naming->width = (guint) (strlen (digits) - strlen (naming->after));
  naming->before = g_strndup (path, (gsize) (digits - path));
  naming->number = (guint) (number - 1);
  if (number == 0)
    naming->kind = KIND_SINGLE;
}

/* The disk number of a ZIP end record in the last 64 KiB; 0 if there is none. */
static guint
zip_last_disk (int fd)
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
are_numbered_parts (const Naming *naming, int fd, int first, int second)
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
static gboolean
belongs_to_set (const Naming *naming, int fd)
{
  HoldRarVolume rar;

  switch (naming->kind)
    {
    case KIND_RAR_PARTS:
    case KIND_RAR_OLD:
      hold_rar_volume_examine (fd, &rar);
      return rar.is_rar && rar.is_volume;
    case KIND_ZIP:
      return naming->number != G_MAXUINT || zip_last_disk (fd) > 0;
    case KIND_NUMBERED:
      {
        g_autofree char *first = part_path (naming, 0, 0);
        g_autofree char *second = part_path (naming, 1, 0);
        int fd_1 = open_regular (first);
        int fd_2 = open_regular (second);
        gboolean belongs = are_numbered_parts (naming, fd, fd_1, fd_2);

        close_part (fd_1);
        close_part (fd_2);
        return belongs;
      }
    case KIND_SINGLE:
    default:
      return FALSE;
    }
}

static char *
display_basename (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);

  return g_filename_display_name (name);
}

/* What the content says about parts that follow the last one that was found. */
static gboolean
content_wants_more (HoldVolumes *self)
{
  guint8 head[32];
  gsize n;

  if (self->parts->len == 0)
    return FALSE;

  if (hold_volumes_read (self, 0, head, sizeof head, &n, NULL) && n == sizeof head
      && memcmp (head, "7z\xbc\xaf\x27\x1c", 6) == 0)
    {
      guint64 offset, length;

      memcpy (&offset, head + 12, 8);
      memcpy (&length, head + 20, 8);
      offset = GUINT64_FROM_LE (offset);
      length = GUINT64_FROM_LE (length);
      return offset > self->size || length > self->size || 32 + offset + length > self->size;
    }

  HoldRarVolume rar;

  hold_rar_volume_examine (get_part (self, self->parts->len - 1)->fd, &rar);
  return rar.is_rar && rar.is_volume && rar.has_end && rar.more_follow;
}

static gboolean
collect (HoldVolumes *self, const Naming *naming, guint n_before_zip, GError **error)
{
  for (guint i = 0;; i++)
    {
      g_autofree char *path = NULL;
      int fd;

      if (naming->kind == KIND_ZIP && i > n_before_zip)
        return TRUE;
      if (naming->kind == KIND_RAR_OLD && i > 800)
        return TRUE;
      if (i >= MAX_PARTS)
        {
          g_set_error (error, HOLD_ERROR, HOLD_ERROR_TOO_LARGE,
                       "the set has more than %d parts", MAX_PARTS);
          return FALSE;
        }

      path = part_path (naming, i, n_before_zip);
      fd = open_regular (path);
      if (fd < 0 && errno == ENOENT)
        {
          gboolean gap = naming->kind == KIND_ZIP || naming->number > i || i == 0;

          for (guint k = i + 1; !gap && k < i + 4; k++)
            {
              g_autofree char *later = part_path (naming, k, n_before_zip);

              gap = access (later, F_OK) == 0;
            }
          if (gap || content_wants_more (self))
            self->missing = display_basename (path);
          if (i == 0)
            {
              g_set_error (error, HOLD_ERROR, HOLD_ERROR_TRUNCATED,
                           "this is one part of a split archive and the first part, “%s”, is missing: "
                           "put all parts into one folder", self->missing);
              return FALSE;
            }
          return TRUE;
        }
      if (fd < 0)
        {
          int saved = errno;
          g_autofree char *shown = g_filename_display_name (path);

          g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved), "can't open “%s”: %s",
                       shown, g_strerror (saved));
          return FALSE;
        }
      if (i == 0)
        {
          g_free (self->first_path);
          self->first_path = g_strdup (path);
        }
      if (!append (self, fd, error))
        return FALSE;
    }
}

static gboolean
take_single (HoldVolumes *self, int fd, GError **error)
{
  int copy = fcntl (fd, F_DUPFD_CLOEXEC, 3);

  if (copy < 0)
    {
      int saved = errno;

      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved),
                   "can't duplicate a file descriptor: %s", g_strerror (saved));
      return FALSE;
    }
  return append (self, copy, error);
}

HoldVolumes *
hold_volumes_open (const char *path, int fd, GError **error)
{
  g_autoptr (HoldVolumes) self = volumes_new (path);
  g_auto (Naming) naming = { 0 };
  guint n_before_zip = 0;

  read_name (path, &naming);
  if (!belongs_to_set (&naming, fd))
    return take_single (self, fd, error) ? g_steal_pointer (&self) : NULL;

  if (naming.kind == KIND_ZIP)
    {
      g_autofree char *last = part_path (&naming, 0, 0);
      int last_fd = open_regular (last);

      if (last_fd < 0)
        {
          g_autofree char *shown = display_basename (last);

          g_set_error (error, HOLD_ERROR, HOLD_ERROR_TRUNCATED,
                       "this is part %u of a split ZIP and the last part, “%s”, is missing: "
                       "put all parts into one folder", naming.number + 1, shown);
          return NULL;
        }
      n_before_zip = zip_last_disk (last_fd);
      if (close (last_fd) != 0)
        g_debug ("closing a part: %s", g_strerror (errno));
      if (n_before_zip == 0)
        return take_single (self, fd, error) ? g_steal_pointer (&self) : NULL;
    }

  if (!collect (self, &naming, n_before_zip, error))
    return NULL;
  return g_steal_pointer (&self);
}

gboolean
hold_volumes_read (HoldVolumes *self, guint64 offset, void *buffer, gsize length, gsize *n_read,
                   GError **error)
{
  guint8 *to = buffer;
  guint i = 0;

  *n_read = 0;
  while (i + 1 < self->parts->len && offset >= get_part (self, i + 1)->start)
    i++;

  while (length > 0 && i < self->parts->len)
    {
      const Part *part = get_part (self, i);
      gsize want;
      gssize n;

      if (offset >= part->start + part->length)
        {
          i++;
          continue;
        }
      want = (gsize) MIN ((guint64) length, part->start + part->length - offset);
      n = pread (part->fd, to, want, (off_t) (offset - part->start));
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        {
          int saved = errno;

          g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved),
                       "can't read the archive at %" G_GUINT64_FORMAT ": %s", offset,
                       g_strerror (saved));
          return FALSE;
        }
      if (n == 0)
        {
          g_set_error (error, HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK,
                       "the archive became shorter while it was read");
          return FALSE;
        }
      to += n;
      length -= (gsize) n;
      offset += (guint64) n;
      *n_read += (gsize) n;
    }
  return TRUE;
}

gboolean
hold_volumes_check_unchanged (HoldVolumes *self, GError **error)
{
  for (guint i = 0; i < self->parts->len; i++)
    {
      const Part *part = get_part (self, i);
      HoldFileIdentity now;

      if (!hold_file_identity_from_fd (part->fd, &now, error))
        return FALSE;
      if (!hold_file_identity_equal (&now, &part->identity))
        {
          g_set_error (error, HOLD_ERROR, HOLD_ERROR_CHANGED_ON_DISK,
                       "the archive was changed by another program since it was opened");
          return FALSE;
        }
    }
  return TRUE;
}
