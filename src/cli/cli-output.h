/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Standard output in large blocks, with errors that stick: a full disk or a closed pipe is a
 * failure of the command, not of the last write only. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Thread: one at a time. */
typedef struct {
  GString *buffer;
  int errsv;         /* of the first write that failed; then nothing more is written */
} CliOutput;

void     cli_output_init  (CliOutput *self);
void     cli_output_clear (CliOutput *self);
/* For appending; call cli_output_relieve() now and then. Borrowed. */
GString *cli_output_get_buffer (CliOutput *self);
/* Writes if enough has gathered. FALSE once anything failed. Blocks: yes. */
gboolean cli_output_relieve (CliOutput *self);
/* Writes @data at once, past the buffer (which must be empty). */
gboolean cli_output_write (CliOutput *self, const guint8 *data, gsize length_bytes);
/* Writes the rest. FALSE after a message if anything ever failed. */
gboolean cli_output_finish (CliOutput *self);

G_END_DECLS
