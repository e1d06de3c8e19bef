/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* How every job asks for passwords, so that they all say "wrong" at the same moments. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-archive.h"
#include "hold-job-private.h"
#include "hold-keyring.h"

G_BEGIN_DECLS

gboolean hold_ask_password (HoldJob *job, const char *archive_path, const char *entry_path,
                            gboolean was_wrong, HoldKeyring *keyring, GError **error);
gboolean hold_check_password (HoldJob *job, HoldArchive *archive, HoldKeyring *keyring,
                              GArray *indices, GError **missing, GError **error);
gboolean hold_find_password (HoldJob *job, HoldArchive *archive, HoldKeyring *keyring,
                             const GArray *indices, gboolean for_adding, HoldSecret **secret,
                             GError **error);
/* PASSWORD_NEEDED or PASSWORD_WRONG? @error nullable. */
gboolean hold_is_password_error (const GError *error);

G_END_DECLS
