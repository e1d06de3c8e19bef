/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Errors in words a person can act on: the code becomes a translated sentence, the engine's
 * technical message is kept as the details. */

#pragma once

#include <hold.h>

G_BEGIN_DECLS

/* All: Thread: main. Blocks: no. Results are (transfer full) UTF-8. @error may be of any domain. A
 * cancelled operation is no error: do not show it (holdall_error_text_is_silent()). */

/* TRUE for G_IO_ERROR_CANCELLED: show nothing. */
gboolean holdall_error_text_is_silent (const GError *error);
/* A heading: "This is not an archive". */
char *holdall_error_text_title   (const GError *error);
/* One or two sentences: what is safe and what to do. */
char *holdall_error_text_body    (const GError *error);
/* The same where the archive could not be opened at all: nothing of it can be taken out. */
char *holdall_error_text_open_body (const GError *error);
/* A short phrase for a list, beside the path of the entry: "wrong password". */
char *holdall_error_text_reason  (const GError *error);
/* The engine's message with control characters escaped, for "Details" and for copying. */
char *holdall_error_text_details (const GError *error);

G_END_DECLS
