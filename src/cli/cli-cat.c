/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* holdall-cli cat: one entry's bytes to standard output. */

#include "config.h"

#include "cli-verbs.h"

#include <string.h>

#define MAX_PASSWORD_TRIES 3
#define MAX_LINK_STEPS     40

typedef struct {
  CliOutput *output;
  gboolean has_begun;
} Cat;

static gboolean
write_cb (gpointer user_data, const guint8 *data, gsize length_bytes, GError **error)
{
  Cat *cat = user_data;
  int errsv;

  cat->has_begun = TRUE;
  if (cli_output_write (cat->output, data, length_bytes))
    return TRUE;
  errsv = cat->output->errsv;
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errsv), "standard output can't be written: %s",
               g_strerror (errsv));
  return FALSE;
}

/* Of what was named, the one entry that has bytes; @path (nullable) is what to look for. FALSE
 * after a message. */
static gboolean
find_entry (HoldArchive *archive, const char *path, GArray *indices, guint *index, int *status)
{
  g_autoptr (GString) candidates = g_string_new (NULL);
  guint n_found = 0;

  for (guint i = 0; i < indices->len; i++)
    {
      const guint candidate = g_array_index (indices, guint, i);
      const HoldEntry *entry = hold_archive_get_entry (archive, candidate);

      /* A folder brought all below it. */
      if (hold_entry_get_type (entry) == HOLD_ENTRY_FOLDER
          || (path != NULL && strcmp (hold_entry_get_path (entry), path) != 0))
        continue;
      g_string_append_printf (candidates, "%s%u", n_found > 0 ? ", " : "", candidate);
      *index = candidate;
      n_found++;
    }
  if (n_found == 1)
    return TRUE;
  if (n_found == 0)
    {
      cli_complain_entry (path != NULL ? path : "--index", "that is a folder; only files have bytes to show");
      *status = CLI_NOT_DONE;
    }
  else
    {
      cli_complain_entry (path != NULL ? path : "--index", "%u entries have that name; say --index with one of %s",
                          n_found, candidates->str);
      *status = CLI_USAGE;
    }
  return FALSE;
}

/* A hard link has no bytes of its own: they are the first entry's of the name it points to. */
static guint
follow_hard_links (HoldArchive *archive, guint index)
{
  HoldTree *tree = hold_archive_get_tree (archive);

  for (guint step = 0; step < MAX_LINK_STEPS; step++)
    {
      const HoldEntry *entry = hold_archive_get_entry (archive, index);
      const char *target = hold_entry_get_link_target (entry);
      HoldNode *node;

      if (hold_entry_get_type (entry) != HOLD_ENTRY_HARDLINK || target == NULL)
        break;
      node = hold_tree_lookup (tree, target);
      if (node == NULL || hold_node_get_entry (node) == NULL)
        break;
      index = hold_entry_get_index (hold_node_get_entry (node));
    }
  return index;
}

static int
copy_entry (CliContext *context, HoldArchive *archive, guint index)
{
  const HoldEntry *entry = hold_archive_get_entry (archive, index);
  const char *path = hold_entry_get_path (entry);
  Cat cat = { &context->output, FALSE };

  for (guint tries = 0;; tries++)
    {
      g_autoptr (GError) error = NULL;

      if (hold_archive_read_entry (archive, index, context->keyring, write_cb, &cat, NULL, &error))
        return CLI_DONE;
      /* Once bytes are out they can't be taken back. */
      if (cli_status_of_error (error) != CLI_PASSWORD || cat.has_begun || tries == MAX_PASSWORD_TRIES
          || !cli_context_ask_password (context, cli_context_get_argument (context, 0), path, tries > 0))
        {
          cli_complain_entry (path, "%s", error->message);
          return cli_status_of_error (error);
        }
    }
}

int
cli_verb_cat (CliContext *context)
{
  const guint n_named = cli_context_get_n_arguments (context) - 1 + context->options->indices->len;
  g_autoptr (HoldArchive) archive = NULL;
  g_autoptr (GArray) indices = NULL;
  g_autofree char *path = NULL;
  const HoldEntry *entry;
  guint n_missing, index;
  int status;

  if (n_named != 1)
    {
      cli_complain (NULL, "cat takes one entry: a PATH or --index N");
      return CLI_USAGE;
    }
  archive = cli_context_open (context, &status);
  if (archive == NULL)
    return status;
  cli_context_select (context, archive, &indices, &n_missing);
  if (n_missing > 0)
    return CLI_NOT_DONE;

  if (cli_context_get_n_arguments (context) > 1)
    path = hold_path_normalise (cli_context_get_argument (context, 1), &(HoldUnsafe) { HOLD_UNSAFE_NONE });
  if (!find_entry (archive, path, indices, &index, &status))
    return status;

  entry = hold_archive_get_entry (archive, index);
  if (hold_entry_get_type (entry) == HOLD_ENTRY_SYMLINK && hold_entry_get_disk_link_target (entry) != NULL)
    {
      g_string_append (cli_output_get_buffer (&context->output), hold_entry_get_disk_link_target (entry));
      return cli_output_finish (&context->output) ? CLI_DONE : CLI_NOT_DONE;
    }
  return copy_entry (context, archive, follow_hard_links (archive, index));
}
