/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The command line as data: which options there are, which verb takes which, and what was given. */

#pragma once

#include <hold.h>

G_BEGIN_DECLS

/* Exit statuses; a promise to scripts. */
enum {
  CLI_DONE        = 0,
  CLI_PARTLY      = 1,   /* done, but entries failed or were skipped or refused */
  CLI_USAGE       = 2,
  CLI_NOT_DONE    = 3,
  CLI_PASSWORD    = 4,   /* needed or wrong */
  CLI_INTERRUPTED = 130,
};

typedef enum {
  CLI_OPTION_HELP          = 1 << 0,
  CLI_OPTION_VERSION       = 1 << 1,
  CLI_OPTION_QUIET         = 1 << 2,
  CLI_OPTION_PROGRESS      = 1 << 3,
  CLI_OPTION_NO_PROGRESS   = 1 << 4,
  CLI_OPTION_JOBS          = 1 << 5,
  CLI_OPTION_PASSWORD_FILE = 1 << 6,
  CLI_OPTION_ENCODING      = 1 << 7,
  CLI_OPTION_CONFLICT      = 1 << 8,
  CLI_OPTION_JSON          = 1 << 9,
  CLI_OPTION_DIRECTORY     = 1 << 10,
  CLI_OPTION_INDEX         = 1 << 11,
  CLI_OPTION_KEEP_DAMAGED  = 1 << 12,
  CLI_OPTION_INTO          = 1 << 13,
  CLI_OPTION_LEVEL         = 1 << 14,
  CLI_OPTION_REPLACE       = 1 << 15,
  CLI_OPTION_FORMAT        = 1 << 16,
  CLI_OPTION_ENCRYPT       = 1 << 17,
  CLI_OPTION_FORCE         = 1 << 18,
  CLI_OPTION_VOLUME_SIZE   = 1 << 19,
} CliOptionId;

/* Those that every verb knows. */
#define CLI_OPTIONS_COMMON                                                                       \
  (CLI_OPTION_HELP | CLI_OPTION_VERSION | CLI_OPTION_QUIET | CLI_OPTION_PROGRESS                 \
   | CLI_OPTION_NO_PROGRESS | CLI_OPTION_JOBS | CLI_OPTION_PASSWORD_FILE | CLI_OPTION_ENCODING   \
   | CLI_OPTION_CONFLICT)

/**
 * CliOptions:
 * @given: CliOptionId flags of what was on the command line
 * @words: what is no option, the verb first; bytes as they came
 * @conflict: ASK only if there is somebody to ask
 * @password_files: file names in the order given; "-" is standard input
 */
typedef struct {
  guint given;
  GPtrArray *words;
  gboolean is_quiet;
  gboolean shows_progress;
  gboolean is_interactive;      /* a person is there to answer: standard input and error are a terminal */
  guint n_jobs;                 /* 0: one per core */
  HoldConflict conflict;
  char *encoding;               /* (nullable) */
  char *directory;
  char *into;                   /* (nullable): folder of the archive */
  char *format;                 /* (nullable): its id */
  guint64 volume_bytes;         /* 0: the archive is one file */
  int level;                    /* -1: the format's default */
  GPtrArray *password_files;
  GArray *indices;              /* of guint64 */
} CliOptions;

/* Takes @argv apart; options may stand before or after the verb, "--" ends them. FALSE after a
 * message: wrong usage.
 * Thread: main. Blocks: no. */
gboolean cli_options_parse (CliOptions *self, int argc, char **argv);
void     cli_options_clear (CliOptions *self);
/* FALSE after a message if something was given that is not among @allowed (CliOptionId flags). */
gboolean cli_options_check (const CliOptions *self, const char *verb, guint allowed);
/* Appends a line of help for each of @which. */
void     cli_options_append_help (GString *text, guint which);
/* The passwords of all --password-file; NULL after a message. Blocks: reads files and standard
 * input. */
HoldKeyring *cli_options_read_passwords (const CliOptions *self);

G_END_DECLS
