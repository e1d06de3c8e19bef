/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A password: shared by reference, wiped when the last reference goes, never a property, a
 * log line, an argument of a program or a file. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-types.h"

G_BEGIN_DECLS

/* Thread: any; the content never changes. */
HoldSecret *hold_secret_new  (const char *text);   /* UTF-8, copied */
HoldSecret *hold_secret_ref  (HoldSecret *self);
void        hold_secret_unref (HoldSecret *self);  /* wipes with explicit_bzero at the last one */
const char *hold_secret_peek (HoldSecret *self);   /* borrowed; copy it nowhere that lives longer */
gboolean    hold_secret_equal (HoldSecret *a, HoldSecret *b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldSecret, hold_secret_unref)

G_END_DECLS
