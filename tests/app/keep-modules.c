/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Keeps loaded modules (picture loaders, input methods) until the end of the process, so that
 * LeakSanitizer can name the library that an allocation came from and its suppressions can match.
 * Linked into tests only. */

int dlclose (void *handle);

int
dlclose (void *handle)
{
  (void) handle;
  return 0;
}
