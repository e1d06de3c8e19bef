/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The one callback through which libarchive writes. */

#include "config.h"

#include "hold-libarchive-target.h"

#include <errno.h>

#include "hold-libarchive-error.h"
#include "hold-output.h"

void
hold_libarchive_target_init (HoldLibarchiveTarget *self,
                             int                   fd)
{
  *self = (HoldLibarchiveTarget) { .archive = archive_write_new (), .fd = fd };
}

static la_ssize_t
write_cb (struct archive *archive,
          void           *client_data,
          const void     *data,
          size_t          length)
{
  HoldLibarchiveTarget *self = client_data;

  if (self->write_error == NULL &&
      hold_output_write_all (self->fd, data, length, "the new archive", &self->write_error))
    return (la_ssize_t) length;

  archive_set_error (archive, EIO, "%s", self->write_error->message);
  return -1;
}

gboolean
hold_libarchive_target_check (HoldLibarchiveTarget  *self,
                              int                    result,
                              GError               **error)
{
  if (result == ARCHIVE_OK || result == ARCHIVE_WARN)
    return TRUE;

  if (self->write_error != NULL)
    g_propagate_error (error, g_error_copy (self->write_error));
  else
    hold_libarchive_error_set (error, self->archive);
  return FALSE;
}

/* The last block is not padded: what is written is read again, and sent by mail. */
gboolean
hold_libarchive_target_open (HoldLibarchiveTarget  *self,
                             GError               **error)
{
  return hold_libarchive_target_check (self, archive_write_set_bytes_in_last_block (self->archive, 1), error) &&
         hold_libarchive_target_check (self, archive_write_open (self->archive, self, NULL, write_cb, NULL), error);
}

void
hold_libarchive_target_clear (HoldLibarchiveTarget *self)
{
  /* Only a close that was checked is a promise; here the archive is given up, and what libarchive says
   * to that changes nothing. */
  if (self->archive != NULL && archive_write_free (self->archive) != ARCHIVE_OK)
    g_debug ("Giving up a writer");
  self->archive = NULL;
  g_clear_error (&self->write_error);
}
