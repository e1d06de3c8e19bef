/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The passwords a person gave while one window (or one command) lives. Jobs try them all
 * and add what a question brought; so nobody is asked twice. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-types.h"

G_BEGIN_DECLS

/* Thread: any (locked inside). */
HoldKeyring *hold_keyring_new   (void);
HoldKeyring *hold_keyring_ref   (HoldKeyring *self);
void         hold_keyring_unref (HoldKeyring *self);
void         hold_keyring_add   (HoldKeyring *self, HoldSecret *secret);  /* newest first; once */
gboolean     hold_keyring_is_empty (HoldKeyring *self);
/* (transfer full): a GPtrArray of HoldSecret, newest first; a copy that stays as it is. */
GPtrArray   *hold_keyring_dup_secrets (HoldKeyring *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldKeyring, hold_keyring_unref)

G_END_DECLS
