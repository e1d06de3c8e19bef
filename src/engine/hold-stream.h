/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* One entry's bytes to a callback, for previews and for holdall-cli cat. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-archive.h"
#include "hold-keyring.h"

G_BEGIN_DECLS

/* Receives the next bytes (1 … 256 KiB). FALSE with @error stops. Thread: the one that reads. */
typedef gboolean (*HoldWriteFunc) (gpointer user_data, const guint8 *data, gsize length_bytes, GError **error);

/* Blocks: yes; call it from a worker. Data arrives in order and unbuffered: it may turn out bad
 *   only at the end (FALSE, CHECKSUM). */
gboolean hold_archive_read_entry (HoldArchive   *self,
                                  guint          index,
                                  HoldKeyring   *keyring,
                                  HoldWriteFunc  write,
                                  gpointer       user_data,
                                  GCancellable  *cancellable,
                                  GError       **error);

G_END_DECLS
