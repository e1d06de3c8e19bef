/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What the first bytes of a file say: which backend to ask first, and a true sentence about
 * formats that Holdall knows by sight only. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-error.h"
#include "hold-volumes.h"

G_BEGIN_DECLS

/* How many bytes from the start the functions below want, if there are as many. */
#define HOLD_SIGNATURE_BYTES 512

typedef enum {
  HOLD_SIGNATURE_UNKNOWN,
  HOLD_SIGNATURE_ZIP,        /* a ZIP record */
  HOLD_SIGNATURE_PROGRAM,    /* may carry any archive behind it: self-extractors, AppImages */
  HOLD_SIGNATURE_OTHER,      /* a format of libarchive's, or a filter */
  HOLD_SIGNATURE_UNREADABLE, /* known, but not readable here */
} HoldSignature;

/* @name: (out) (nullable): what is not readable, such as "ARJ archives". Thread: any. */
HoldSignature hold_signature_examine (const guint8 *data, gsize length, const char **name);

/* The memory that a Zstandard frame asks for, in bytes; 0 if it is none or does not say (RFC 8878,
 * 3.1.1.1). */
guint64 hold_signature_zstd_window (const guint8 *data, gsize length);

/* If @volumes is a Zstandard file whose window is larger than libarchive allows, @error becomes a
 * sentence that says how large. libarchive only says that it is too much (F15).  Blocks: one small
 * read. */
gboolean hold_signature_explain_window (HoldVolumes *volumes, GError **error);

G_END_DECLS
