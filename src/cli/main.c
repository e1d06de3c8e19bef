/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* holdall-cli: the engine without a display, for people, scripts and tests. This file knows the
 * verbs and nothing of what they do. */

#include "config.h"

#include "cli-verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MANY G_MAXUINT

typedef struct {
  const char *name;
  const char *arguments;       /* for help */
  const char *summary;
  const char *details;         /* (nullable) */
  guint min_arguments;
  guint max_arguments;
  guint options;               /* besides CLI_OPTIONS_COMMON */
  int (*run) (CliContext *context);
} CliVerb;

static const CliVerb verbs[] = {
  { "list", "ARCHIVE", "show the entries, in the archive's order",
    "With --json each line is one object: path, type, size, packed, mtime, mode, method,\n"
    "crc32, encrypted, link, comment, descriptor, index; null where the archive records nothing;\n"
    "raw (hexadecimal) where the name could not be decoded, unsafe where extraction refuses it.\n",
    1, 1, CLI_OPTION_JSON, cli_verb_list },
  { "info", "ARCHIVE", "show format, sizes, and what can be done with it or why not", NULL,
    1, 1, CLI_OPTION_JSON, cli_verb_info },
  { "extract", "ARCHIVE [PATH…]", "take out all, or the named entries, with their full paths",
    "PATH is a name as `list --json` shows it; there are no patterns. A folder brings all below it.\n"
    "A PATH that names nothing is reported and the others are taken out (exit status 1; 3 if none\n"
    "is there). Files that exist are skipped and reported unless --conflict says otherwise.\n",
    1, MANY, CLI_OPTION_DIRECTORY | CLI_OPTION_INDEX | CLI_OPTION_KEEP_DAMAGED, cli_verb_extract },
  { "move", "ARCHIVE PATH…", "take entries out and, once they have arrived, out of the archive",
    "Cut and paste: the entries are extracted, made durable, and then dropped from the archive in one\n"
    "rewrite. What fails, is skipped or refused stays in the archive.\n",
    1, MANY, CLI_OPTION_DIRECTORY | CLI_OPTION_INDEX, cli_verb_move },
  { "cat", "ARCHIVE PATH", "write one entry's bytes to standard output",
    "Where several entries have the name, --index N says which, in place of PATH.\n",
    1, 2, CLI_OPTION_INDEX, cli_verb_cat },
  { "test", "ARCHIVE", "decode everything, write nothing, name what is damaged", NULL,
    1, 1, 0, cli_verb_test },
  { "add", "ARCHIVE FILE…", "put files and folders into an archive that exists",
    "Folders are added with all that is in them, symlinks as symlinks. Folders of one name merge;\n"
    "a file whose name is taken is skipped and reported unless --replace or --conflict says otherwise.\n",
    2, MANY, CLI_OPTION_INTO | CLI_OPTION_LEVEL | CLI_OPTION_REPLACE, cli_verb_add },
  { "delete", "ARCHIVE PATH…", "take entries out of the archive for good",
    "A folder brings all below it. A PATH that names nothing is reported and the others are deleted.\n",
    1, MANY, CLI_OPTION_INDEX, cli_verb_delete },
  { "rename", "ARCHIVE OLD NEW", "give an entry or a folder another name or place",
    "NEW is a whole path, so that renaming moves as well. Nothing is ever overwritten.\n"
    "Where several entries have the name, --index N says which, in place of OLD.\n",
    2, 3, CLI_OPTION_INDEX, cli_verb_rename },
  { "mkdir", "ARCHIVE PATH", "make an empty folder in the archive", NULL,
    2, 2, 0, cli_verb_mkdir },
  { "create", "ARCHIVE FILE…", "make a new archive of files and folders",
    "The format follows from the suffix unless --format names one. A file that exists is not\n"
    "overwritten without --force. The parts of a split archive never overwrite anything.\n",
    2, MANY,
    CLI_OPTION_FORMAT | CLI_OPTION_LEVEL | CLI_OPTION_ENCRYPT | CLI_OPTION_FORCE
      | CLI_OPTION_VOLUME_SIZE,
    cli_verb_create },
  { "convert", "ARCHIVE NEW", "make an archive of another format with the same content",
    "ARCHIVE stays as it is. The format of NEW follows from its suffix unless --format names one.\n"
    "Between two ZIP archives, and between two of the tar family, entries keep all that is recorded\n"
    "of them. What the new format can't hold is named; a damaged entry is left out.\n"
    "A file that exists is not overwritten without --force.\n",
    2, 2, CLI_OPTION_FORMAT | CLI_OPTION_LEVEL | CLI_OPTION_FORCE, cli_verb_convert },
  { "formats", "", "show the table of formats and what can be done with each", NULL,
    0, 0, CLI_OPTION_JSON, cli_verb_formats },
};

static const char exit_statuses[] =
  "Exit status:\n"
  "  0    all done\n"
  "  1    done, but some entries failed or were skipped or refused, or the archive ends early;\n"
  "       each is named on standard error\n"
  "  2    wrong usage\n"
  "  3    not done: not an archive, damaged, disk full …\n"
  "  4    a password is needed, or wrong\n"
  "  130  interrupted\n";

static const CliVerb *
find_verb (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (verbs); i++)
    if (strcmp (name, verbs[i].name) == 0)
      return &verbs[i];
  return NULL;
}

static void
append_overview (GString *text)
{
  g_string_append (text, "Usage: holdall-cli VERB [OPTION…] [ARGUMENT…]\n\nVerbs:\n");
  for (guint i = 0; i < G_N_ELEMENTS (verbs); i++)
    {
      g_autofree char *left = g_strdup_printf ("%s %s", verbs[i].name, verbs[i].arguments);
      const glong pad = MAX (26 - g_utf8_strlen (left, -1), 0);

      g_string_append_printf (text, "  %s%*s %s\n", left, (int) pad, "", verbs[i].summary);
    }
  g_string_append (text, "\nOptions of every verb:\n");
  cli_options_append_help (text, CLI_OPTIONS_COMMON);
  g_string_append (text, "\n“holdall-cli VERB --help” tells more about one verb.\n\n");
  g_string_append (text, exit_statuses);
}

static void
append_verb_help (GString *text, const CliVerb *verb)
{
  g_string_append_printf (text, "Usage: holdall-cli %s [OPTION…] %s\n\n%s\n", verb->name, verb->arguments,
                          verb->summary);
  if (verb->details != NULL)
    g_string_append_printf (text, "\n%s", verb->details);
  g_string_append (text, "\nOptions:\n");
  cli_options_append_help (text, verb->options | CLI_OPTIONS_COMMON);
  g_string_append_c (text, '\n');
  g_string_append (text, exit_statuses);
}

static int
print (const char *text)
{
  CliOutput output;
  int status;

  cli_output_init (&output);
  g_string_append (cli_output_get_buffer (&output), text);
  status = cli_output_finish (&output) ? CLI_DONE : CLI_NOT_DONE;
  cli_output_clear (&output);
  return status;
}

static int
print_help (const CliVerb *verb)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (verb != NULL)
    append_verb_help (text, verb);
  else
    append_overview (text);
  return print (text->str);
}

static gboolean
is_relative (const char *path)
{
  return path != NULL && !g_path_is_absolute (path);
}

/* Whoever has no folder to be in, since it was removed meanwhile, would get the root of the disk in its place. */
static gboolean
has_place (const CliVerb *verb, const CliOptions *options)
{
  g_autofree char *here = realpath (".", NULL);
  /* Where --level is taken, all arguments are files. */
  const guint n_files = (verb->options & CLI_OPTION_LEVEL) != 0 ? options->words->len : MIN (options->words->len, 2);
  gboolean is_needed = (verb->options & CLI_OPTION_DIRECTORY) != 0
                       && is_relative (options->directory != NULL ? options->directory : ".");

  for (guint i = 1; i < n_files; i++)
    is_needed |= is_relative (g_ptr_array_index (options->words, i));
  if (here != NULL || !is_needed)
    return TRUE;
  cli_complain (NULL, "the current folder can't be found: %s", g_strerror (errno));
  return FALSE;
}

static int
run_verb (const CliVerb *verb, const CliOptions *options)
{
  const guint n_arguments = options->words->len - 1;
  CliContext context;
  int status;

  if (n_arguments < verb->min_arguments || n_arguments > verb->max_arguments)
    {
      cli_complain (NULL, n_arguments < verb->min_arguments ? "something is missing; usage: holdall-cli %s %s"
                                                            : "that is too much; usage: holdall-cli %s %s",
                    verb->name, verb->arguments);
      return CLI_USAGE;
    }
  if (!cli_options_check (options, verb->name, verb->options | CLI_OPTIONS_COMMON))
    return CLI_USAGE;
  if (!has_place (verb, options))
    return CLI_NOT_DONE;
  if (!cli_context_init (&context, options))
    return CLI_USAGE;
  status = verb->run (&context);
  cli_context_clear (&context);
  return status;
}

static int
run (const CliOptions *options)
{
  const CliVerb *verb;
  const char *name;

  if (options->given & CLI_OPTION_VERSION)
    return print ("holdall-cli " HOLDALL_VERSION "\n");
  if (options->words->len == 0)
    {
      if (options->given & CLI_OPTION_HELP)
        return print_help (NULL);
      cli_complain (NULL, "what should be done? “holdall-cli --help” lists the verbs");
      return CLI_USAGE;
    }

  name = g_ptr_array_index (options->words, 0);
  verb = find_verb (name);
  if (verb == NULL)
    {
      cli_complain (NULL, "there is no verb “%s”; “holdall-cli --help” lists them", name);
      return CLI_USAGE;
    }
  if (options->given & CLI_OPTION_HELP)
    return print_help (verb);
  return run_verb (verb, options);
}

/* Whoever started this may have closed a standard stream. The next file that is opened would take its
 * number, be it the archive that is being written, and messages would go into it. What stands there
 * now is opened the other way round, so that reading and writing fail as they did. */
static gboolean
occupy_standard_streams (void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl (fd, F_GETFD) < 0
        && open ("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
      return FALSE;
  return TRUE;
}

int
main (int argc, char *argv[])
{
  CliOptions options;
  int status = CLI_USAGE;

  if (!occupy_standard_streams ())
    return CLI_NOT_DONE;
  cli_context_catch_signals ();
  /* For the texts of system errors and the order of things; names are UTF-8 in every locale. */
  setlocale (LC_ALL, "");
  if (cli_options_parse (&options, argc, argv))
    status = run (&options);
  cli_options_clear (&options);
  return status;
}
