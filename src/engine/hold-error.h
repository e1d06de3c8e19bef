/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Error codes on which a caller acts differently. Failures of the operating system stay
 * G_IO_ERROR; cancelling is G_IO_ERROR_CANCELLED and is never shown as an error. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-types.h"

G_BEGIN_DECLS

/**
 * HoldError:
 * @HOLD_ERROR_NOT_ARCHIVE: no format that Holdall knows
 * @HOLD_ERROR_UNSUPPORTED: a format, method, cipher or volume set that can't be read here
 * @HOLD_ERROR_CORRUPT: structure or data contradict themselves
 * @HOLD_ERROR_TRUNCATED: the archive ends too early, or a volume is missing
 * @HOLD_ERROR_CHECKSUM: data came out whole but does not match its checksum
 * @HOLD_ERROR_PASSWORD_NEEDED: encrypted and no password was given
 * @HOLD_ERROR_PASSWORD_WRONG: none of the given passwords fits
 * @HOLD_ERROR_UNSAFE_NAME: a name or link that would leave the destination
 * @HOLD_ERROR_TOO_LARGE: a limit of HoldLimits, or the free space, is exceeded
 * @HOLD_ERROR_CHANGED_ON_DISK: the archive is no longer the file that was opened
 * @HOLD_ERROR_READ_ONLY: the format, file or folder can't be written
 */
typedef enum {
  HOLD_ERROR_NOT_ARCHIVE,
  HOLD_ERROR_UNSUPPORTED,
  HOLD_ERROR_CORRUPT,
  HOLD_ERROR_TRUNCATED,
  HOLD_ERROR_CHECKSUM,
  HOLD_ERROR_PASSWORD_NEEDED,
  HOLD_ERROR_PASSWORD_WRONG,
  HOLD_ERROR_UNSAFE_NAME,
  HOLD_ERROR_TOO_LARGE,
  HOLD_ERROR_CHANGED_ON_DISK,
  HOLD_ERROR_READ_ONLY,
} HoldError;

#define HOLD_ERROR (hold_error_quark ())
GQuark hold_error_quark (void);

G_END_DECLS
