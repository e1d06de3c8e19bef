/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The passwords given so far, newest first, behind a lock. */

#include "hold-keyring.h"

#include "hold-secret.h"

struct _HoldKeyring {
  gatomicrefcount ref_count;
  GMutex mutex;
  GPtrArray *secrets;  /* newest first */
};

/** hold_keyring_new: an empty one. Thread: any. Returns: (transfer full). */
HoldKeyring *
hold_keyring_new (void)
{
  HoldKeyring *self = g_new0 (HoldKeyring, 1);

  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->mutex);
  self->secrets = g_ptr_array_new_with_free_func ((GDestroyNotify) hold_secret_unref);
  return self;
}

/** hold_keyring_ref: Thread: any. Returns: (transfer full): @self. */
HoldKeyring *
hold_keyring_ref (HoldKeyring *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

/** hold_keyring_unref: Thread: any. */
void
hold_keyring_unref (HoldKeyring *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_ptr_array_unref (self->secrets);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

/**
 * hold_keyring_add:
 * @secret: a reference is taken
 *
 * Puts @secret in front. One that is there already moves to the front instead of standing twice.
 * Thread: any. Blocks: no.
 */
void
hold_keyring_add (HoldKeyring *self, HoldSecret *secret)
{
  g_return_if_fail (self != NULL && secret != NULL);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  for (guint i = 0; i < self->secrets->len; i++)
    {
      if (hold_secret_equal (g_ptr_array_index (self->secrets, i), secret))
        {
          g_ptr_array_remove_index (self->secrets, i);
          break;
        }
    }
  g_ptr_array_insert (self->secrets, 0, hold_secret_ref (secret));
}

/** hold_keyring_is_empty: Thread: any. */
gboolean
hold_keyring_is_empty (HoldKeyring *self)
{
  g_return_val_if_fail (self != NULL, TRUE);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->secrets->len == 0;
}

/**
 * hold_keyring_dup_secrets: what is there now, newest first; adding later does not change it.
 * Thread: any. Returns: (transfer full) (element-type HoldSecret).
 */
GPtrArray *
hold_keyring_dup_secrets (HoldKeyring *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  GPtrArray *copy = g_ptr_array_new_with_free_func ((GDestroyNotify) hold_secret_unref);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  for (guint i = 0; i < self->secrets->len; i++)
    g_ptr_array_add (copy, hold_secret_ref (g_ptr_array_index (self->secrets, i)));
  return copy;
}
