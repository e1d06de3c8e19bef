/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A password in memory of its own: kept out of swap and core dumps where the system allows it,
 * and wiped when the last reference goes. */

#include "hold-secret.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct _HoldSecret {
  gatomicrefcount ref_count;
  gsize length;
  gsize mapped;  /* bytes of the mapping at text */
  char *text;
};

/**
 * hold_secret_new:
 * @text: UTF-8, copied; the caller wipes its own copy
 *
 * The text lies in pages of its own, so that locking and hiding them concerns nothing else. Both
 * are best effort: RLIMIT_MEMLOCK may be 0, and a password that may be swapped is still better
 * than none.
 *
 * Thread: any. Blocks: no. Returns: (transfer full).
 */
HoldSecret *
hold_secret_new (const char *text)
{
  g_return_val_if_fail (text != NULL, NULL);

  HoldSecret *self = g_new0 (HoldSecret, 1);
  gsize page = (gsize) sysconf (_SC_PAGESIZE);

  g_atomic_ref_count_init (&self->ref_count);
  self->length = strlen (text);
  self->mapped = (self->length + 1 + page - 1) / page * page;
  self->text = mmap (NULL, self->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (self->text == MAP_FAILED)
    g_error ("No memory for a password of %" G_GSIZE_FORMAT " bytes", self->length);

  if (mlock (self->text, self->mapped) != 0)
    g_debug ("A password could not be locked in memory");
  if (madvise (self->text, self->mapped, MADV_DONTDUMP) != 0)
    g_debug ("A password could not be kept out of core dumps");

  memcpy (self->text, text, self->length + 1);
  return self;
}

/** hold_secret_ref: Thread: any. Returns: (transfer full): @self. */
HoldSecret *
hold_secret_ref (HoldSecret *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

/** hold_secret_unref: drops a reference; the last one wipes the text. Thread: any. */
void
hold_secret_unref (HoldSecret *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  explicit_bzero (self->text, self->mapped);
  if (munmap (self->text, self->mapped) != 0)
    g_warning ("The memory of a password could not be given back");
  g_free (self);
}

/** hold_secret_peek: the text, borrowed, as long as @self lives. Thread: any. */
const char *
hold_secret_peek (HoldSecret *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->text;
}

/**
 * hold_secret_equal: the same text? Takes the same time wherever the first difference is; only
 * the lengths show. Thread: any.
 */
gboolean
hold_secret_equal (HoldSecret *a, HoldSecret *b)
{
  g_return_val_if_fail (a != NULL && b != NULL, FALSE);

  if (a->length != b->length)
    return FALSE;

  guint8 difference = 0;
  for (gsize i = 0; i < a->length; i++)
    difference |= (guint8) (a->text[i] ^ b->text[i]);
  return difference == 0;
}
