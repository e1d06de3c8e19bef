/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Asks all disks at once whether they have what was written, with the faults that the test sets. */

#include <hold.h>

int
main (void)
{
  g_autoptr (GError) error = NULL;

  if (hold_staging_sync_everywhere (&error))
    return 0;
  g_printerr ("%s\n", error->message);
  return 1;
}
