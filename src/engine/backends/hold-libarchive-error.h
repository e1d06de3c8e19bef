/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Turns what libarchive says into the engine's error codes and sentences. libarchive has no codes
 * for "encrypted" or "cut short", only texts, some cryptic and one of them "(null)". */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include <archive.h>

#include "hold-error.h"

G_BEGIN_DECLS

/* Sets @error from the last failure of @archive. Thread: the one that uses @archive. */
void hold_libarchive_error_set (GError **error, struct archive *archive);

/* The code for a text of libarchive's. For tests. */
HoldError hold_libarchive_error_classify (const char *text);

G_END_DECLS
