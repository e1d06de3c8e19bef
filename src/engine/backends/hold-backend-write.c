/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Decides which backend writes a format. */

#include "config.h"

#include "hold-backend.h"

#include "hold-libarchive-write.h"

const HoldBackend *
hold_backend_for_format (const HoldFormat *format)
{
  if (g_str_equal (format->id, "zip"))
    return &hold_backend_zip;
  if (hold_libarchive_can_write (format))
    return &hold_backend_libarchive;
  return NULL;
}
