/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* From stored bytes to text. One charset is decided for all names of an archive that do not say
 * theirs; it never comes from the locale, which may be C and is another machine's anyway. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-archive-private.h"

G_BEGIN_DECLS

/**
 * HoldNameDecoder:
 * Calling sequence: new, add_sample() for every name, decide(), then decode() for every name. All
 * of one thread.
 */
typedef struct _HoldNameDecoder HoldNameDecoder;

/* @charset: (nullable): what was asked for; applies to every name that is not declared UTF-8.
 *   Errors: UNSUPPORTED. */
HoldNameDecoder *_hold_name_decoder_new  (const char *charset, GError **error);
void             _hold_name_decoder_free (HoldNameDecoder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldNameDecoder, _hold_name_decoder_free)

void             _hold_name_decoder_add_sample (HoldNameDecoder *self, const HoldNameSource *source);
/* (nullable), borrowed: the charset for what is neither declared nor UTF-8; NULL: none was needed
 * or none fits. */
const char      *_hold_name_decoder_decide     (HoldNameDecoder *self);

/* @text: valid UTF-8, bytes that do not decode as %XX; @disk: the same with the bytes themselves
 *   (NUL stays %00). Both are emptied before.
 * Returns: TRUE if every byte was decoded; then both are the same. */
gboolean         _hold_name_decoder_decode     (HoldNameDecoder *self, const HoldNameSource *source,
                                                GString *text, GString *disk);

G_END_DECLS
