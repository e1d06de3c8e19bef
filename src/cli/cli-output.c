/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Buffered writing to standard output. Not stdio: its errors surface late and once only, and
 * text must be UTF-8 in every locale. */

#include "config.h"

#include "cli-output.h"

#include "cli-report.h"

#include <errno.h>
#include <unistd.h>

#define BLOCK_BYTES (64 * 1024)

void
cli_output_init (CliOutput *self)
{
  self->buffer = g_string_sized_new (BLOCK_BYTES + 4096);
  self->errsv = 0;
}

void
cli_output_clear (CliOutput *self)
{
  if (self->buffer != NULL)
    g_string_free (self->buffer, TRUE);
  self->buffer = NULL;
}

GString *
cli_output_get_buffer (CliOutput *self)
{
  return self->buffer;
}

gboolean
cli_output_write (CliOutput *self, const guint8 *data, gsize length_bytes)
{
  while (length_bytes > 0 && self->errsv == 0)
    {
      gssize n = write (STDOUT_FILENO, data, length_bytes);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        self->errsv = errno;
      else if (n == 0)
        self->errsv = EIO;
      else
        {
          data += n;
          length_bytes -= (gsize) n;
        }
    }
  return self->errsv == 0;
}

static gboolean
flush (CliOutput *self)
{
  gboolean ok = cli_output_write (self, (const guint8 *) self->buffer->str, self->buffer->len);

  g_string_truncate (self->buffer, 0);
  return ok;
}

gboolean
cli_output_relieve (CliOutput *self)
{
  if (self->buffer->len >= BLOCK_BYTES)
    return flush (self);
  return self->errsv == 0;
}

gboolean
cli_output_finish (CliOutput *self)
{
  if (flush (self))
    return TRUE;
  cli_complain (NULL, "standard output can't be written: %s", g_strerror (self->errsv));
  return FALSE;
}
