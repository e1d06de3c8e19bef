/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Guesses the charset of names from the names: uchardet proposes, the looks of the decoded text
 * decide. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include <glib.h>

G_BEGIN_DECLS

typedef struct _HoldNameSamples HoldNameSamples;

HoldNameSamples *_hold_name_samples_new  (void);
void             _hold_name_samples_free (HoldNameSamples *self);

/* @bytes: a name that is not valid UTF-8; copied, as far as the bound of the sample allows.
 *   @is_dos: made where code pages are (FAT). */
void             _hold_name_samples_add  (HoldNameSamples *self, const guint8 *bytes, gsize length, gboolean is_dos);

/* Returns: (nullable), static: a name for iconv; NULL if nothing fits well enough. */
const char      *_hold_name_samples_guess (HoldNameSamples *self);

/* Appends @bytes as UTF-8 to @text, or leaves it alone and returns FALSE if any of them does not
 * decode. */
gboolean         _hold_name_convert (GIConv converter, const guint8 *bytes, gsize length, GString *text);

G_END_DECLS
