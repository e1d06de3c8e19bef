/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Parses the command line. Not GOption: in the C locale that one refuses every argument outside
 * ASCII, and names of archives and entries are bytes that must come through. */

#include "config.h"

#include "cli-options.h"

#include "cli-report.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define MAX_PASSWORD_BYTES 4096

typedef struct {
  CliOptionId id;
  const char *name;
  char letter;               /* 0: none */
  const char *value;         /* (nullable): name of the value in help; NULL: takes none */
  const char *help;
} CliOption;

static const CliOption options[] = {
  { CLI_OPTION_DIRECTORY, "directory", 'C', "DIR", "extract into DIR (made if missing; default: here)" },
  { CLI_OPTION_INDEX, "index", 0, "N", "the entry that `list --json` shows with this index; may be repeated" },
  { CLI_OPTION_KEEP_DAMAGED, "keep-damaged", 0, NULL, "keep files whose data is short or fails its checksum" },
  { CLI_OPTION_INTO, "into", 0, "FOLDER", "put it into this folder of the archive (default: its root)" },
  { CLI_OPTION_REPLACE, "replace", 0, NULL, "replace entries that have the same name" },
  { CLI_OPTION_FORMAT, "format", 0, "ID", "format of the new archive (default: by its suffix)" },
  { CLI_OPTION_LEVEL, "level", 0, "N", "of compression: 0 stores, 9 takes the least room" },
  { CLI_OPTION_ENCRYPT, "encrypt", 0, NULL, "encrypt with the first password that is given" },
  { CLI_OPTION_FORCE, "force", 0, NULL, "write over a file that exists" },
  { CLI_OPTION_VOLUME_SIZE, "volume-size", 0, "SIZE",
    "split what is larger into ARCHIVE.001 and so on, of SIZE bytes\n(or KiB, MiB, GiB: 700M)" },
  { CLI_OPTION_JSON, "json", 0, NULL, "one JSON object a line" },
  { CLI_OPTION_CONFLICT, "conflict", 0, "POLICY",
    "if a file exists: skip, overwrite, newer, rename or ask\n(default: ask on a terminal, else skip)" },
  { CLI_OPTION_PASSWORD_FILE, "password-file", 0, "FILE",
    "first line of FILE is a password (- reads standard input);\nmay be repeated, each is tried" },
  { CLI_OPTION_ENCODING, "encoding", 0, "CHARSET", "charset of names that carry no Unicode mark" },
  { CLI_OPTION_PROGRESS, "progress", 0, NULL, "show progress on standard error (default: on a terminal)" },
  { CLI_OPTION_NO_PROGRESS, "no-progress", 0, NULL, "show no progress" },
  { CLI_OPTION_JOBS, "jobs", 'j', "N", "threads that work at the same time (default: one per core)" },
  { CLI_OPTION_QUIET, "quiet", 'q', NULL, "only errors on standard error" },
  { CLI_OPTION_HELP, "help", 'h', NULL, "show this help" },
  { CLI_OPTION_VERSION, "version", 0, NULL, "show the version" },
};

static const struct {
  const char *name;
  HoldConflict conflict;
} conflicts[] = {
  { "ask", HOLD_CONFLICT_ASK },
  { "skip", HOLD_CONFLICT_SKIP },
  { "overwrite", HOLD_CONFLICT_OVERWRITE },
  { "newer", HOLD_CONFLICT_NEWER },
  { "rename", HOLD_CONFLICT_RENAME },
};

/* The last one counts. */
static gboolean
set_text (char **text, const char *value)
{
  g_free (*text);
  *text = g_strdup (value);
  return TRUE;
}

static gboolean
set_conflict (CliOptions *self, const char *value)
{
  for (guint i = 0; i < G_N_ELEMENTS (conflicts); i++)
    if (strcmp (value, conflicts[i].name) == 0)
      {
        self->conflict = conflicts[i].conflict;
        return TRUE;
      }
  cli_complain (NULL, "--conflict takes skip, overwrite, newer, rename or ask, not “%s”", value);
  return FALSE;
}

static gboolean
set_encoding (CliOptions *self, const char *value)
{
  GIConv converter = g_iconv_open ("UTF-8", value);

  if (*value == '\0' || converter == (GIConv) -1)
    {
      cli_complain (NULL, "the charset “%s” is not known here", value);
      return FALSE;
    }
  g_iconv_close (converter);
  return set_text (&self->encoding, value);
}

static gboolean
set_directory (CliOptions *self, const char *value)
{
  if (*value != '\0')
    return set_text (&self->directory, value);
  cli_complain (NULL, "-C takes the name of a folder");
  return FALSE;
}

static gboolean
read_number (const char *option, const char *value, guint64 min, guint64 max, guint64 *number)
{
  if (g_ascii_string_to_unsigned (value, 10, min, max, number, NULL))
    return TRUE;
  cli_complain (NULL, "--%s takes a number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT ", not “%s”", option,
                min, max, value);
  return FALSE;
}

/* As split(1) takes them: a number, or one with K, M or G, which are powers of 1024. */
static gboolean
set_volume_size (CliOptions *self, const char *value)
{
  static const char units[] = "KMG";
  gsize length = strlen (value);
  const char *unit = length > 1 ? strchr (units, g_ascii_toupper (value[length - 1])) : NULL;
  guint shift = unit != NULL && *unit != '\0' ? 10 * (guint) (unit - units + 1) : 0;
  g_autofree char *digits = g_strndup (value, shift != 0 ? length - 1 : length);

  if (g_ascii_string_to_unsigned (digits, 10, 1, G_MAXINT64 >> shift, &self->volume_bytes, NULL)
      && self->volume_bytes << shift >= HOLD_VOLUME_MIN_BYTES)
    {
      self->volume_bytes <<= shift;
      return TRUE;
    }
  cli_complain (NULL, "--volume-size takes a size of at least 64K, such as 700M, not “%s”", value);
  return FALSE;
}

static gboolean
take_option (CliOptions *self, const CliOption *option, const char *value)
{
  guint64 number;

  self->given |= option->id;
  switch (option->id)
    {
    case CLI_OPTION_CONFLICT:
      return set_conflict (self, value);
    case CLI_OPTION_ENCODING:
      return set_encoding (self, value);
    case CLI_OPTION_DIRECTORY:
      return set_directory (self, value);
    case CLI_OPTION_INTO:
      return set_text (&self->into, value);
    case CLI_OPTION_FORMAT:
      return set_text (&self->format, value);
    case CLI_OPTION_LEVEL:
      if (!read_number (option->name, value, 0, 22, &number))
        return FALSE;
      self->level = (int) number;
      return TRUE;
    case CLI_OPTION_PASSWORD_FILE:
      g_ptr_array_add (self->password_files, g_strdup (value));
      return TRUE;
    case CLI_OPTION_INDEX:
      if (!read_number (option->name, value, 0, G_MAXUINT64, &number))
        return FALSE;
      g_array_append_val (self->indices, number);
      return TRUE;
    case CLI_OPTION_VOLUME_SIZE:
      return set_volume_size (self, value);
    case CLI_OPTION_JOBS:
      if (!read_number (option->name, value, 1, 256, &number))
        return FALSE;
      self->n_jobs = (guint) number;
      return TRUE;
    case CLI_OPTION_PROGRESS:
    case CLI_OPTION_NO_PROGRESS:
      self->shows_progress = option->id == CLI_OPTION_PROGRESS;
      return TRUE;
    case CLI_OPTION_QUIET:
      self->is_quiet = TRUE;
      return TRUE;
    case CLI_OPTION_HELP:
    case CLI_OPTION_VERSION:
    case CLI_OPTION_JSON:
    case CLI_OPTION_KEEP_DAMAGED:
    case CLI_OPTION_REPLACE:
    case CLI_OPTION_ENCRYPT:
    case CLI_OPTION_FORCE:
      return TRUE;
    default:
      g_assert_not_reached ();
    }
}

/* "--name", "--name=value"; *value is NULL if it stands in the next argument. */
static const CliOption *
find_long (const char *argument, const char **value)
{
  gsize length = strcspn (argument, "=");

  *value = argument[length] == '=' ? argument + length + 1 : NULL;
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    if (strlen (options[i].name) == length && strncmp (options[i].name, argument, length) == 0)
      return &options[i];
  return NULL;
}

static const CliOption *
find_letter (char letter)
{
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    if (options[i].letter != 0 && options[i].letter == letter)
      return &options[i];
  return NULL;
}

/* One argument that starts with "-"; @next is the argument behind it. *n_used: 1 or 2. */
static gboolean
parse_option (CliOptions *self, const char *argument, const char *next, int *n_used)
{
  const gboolean is_long = argument[1] == '-';
  const CliOption *option;
  const char *value = NULL;

  *n_used = 1;
  if (is_long)
    option = find_long (argument + 2, &value);
  else
    option = find_letter (argument[1]);
  if (option == NULL)
    {
      cli_complain (NULL, "there is no option “%s” (a name that starts with “-” goes after “--”)", argument);
      return FALSE;
    }
  if (!is_long && argument[2] != '\0')
    {
      if (option->value == NULL)
        {
          g_autofree char *rest = g_strconcat ("-", argument + 2, NULL);

          return take_option (self, option, NULL) && parse_option (self, rest, next, n_used);
        }
      value = argument + 2;
    }
  if (option->value == NULL && value != NULL)
    {
      cli_complain (NULL, "--%s takes no value", option->name);
      return FALSE;
    }
  if (option->value != NULL && value == NULL)
    {
      if (next == NULL)
        {
          cli_complain (NULL, "--%s needs a value: %s", option->name, option->value);
          return FALSE;
        }
      value = next;
      *n_used = 2;
    }
  return take_option (self, option, value);
}

gboolean
cli_options_parse (CliOptions *self, int argc, char **argv)
{
  const gboolean on_terminal = isatty (STDERR_FILENO) == 1;
  gboolean only_words = FALSE;
  int n_used = 1;

  memset (self, 0, sizeof *self);
  self->words = g_ptr_array_new_with_free_func (g_free);
  self->password_files = g_ptr_array_new_with_free_func (g_free);
  self->indices = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->shows_progress = on_terminal;
  self->is_interactive = on_terminal && isatty (STDIN_FILENO) == 1;
  self->conflict = HOLD_CONFLICT_ASK;
  self->level = -1;

  for (int i = 1; i < argc; i += n_used)
    {
      n_used = 1;
      if (only_words || argv[i][0] != '-' || argv[i][1] == '\0')
        g_ptr_array_add (self->words, g_strdup (argv[i]));
      else if (strcmp (argv[i], "--") == 0)
        only_words = TRUE;
      else if (!parse_option (self, argv[i], argv[i + 1], &n_used))
        return FALSE;
    }

  if (self->is_quiet && (self->given & CLI_OPTION_PROGRESS) == 0)
    self->shows_progress = FALSE;
  /* Nobody would answer. */
  if (self->conflict == HOLD_CONFLICT_ASK && !self->is_interactive)
    self->conflict = HOLD_CONFLICT_SKIP;
  return TRUE;
}

void
cli_options_clear (CliOptions *self)
{
  g_clear_pointer (&self->words, g_ptr_array_unref);
  g_clear_pointer (&self->password_files, g_ptr_array_unref);
  g_clear_pointer (&self->indices, g_array_unref);
  g_clear_pointer (&self->encoding, g_free);
  g_clear_pointer (&self->directory, g_free);
  g_clear_pointer (&self->into, g_free);
  g_clear_pointer (&self->format, g_free);
}

gboolean
cli_options_check (const CliOptions *self, const char *verb, guint allowed)
{
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    if ((self->given & options[i].id & ~allowed) != 0)
      {
        cli_complain (NULL, "“%s” does not take --%s", verb, options[i].name);
        return FALSE;
      }
  return TRUE;
}

void
cli_options_append_help (GString *text, guint which)
{
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    {
      const CliOption *option = &options[i];
      g_auto (GStrv) lines = NULL;
      g_autofree char *left = NULL;

      if ((option->id & which) == 0)
        continue;
      left = g_strdup_printf ("%c%c%s --%s%s%s", option->letter != 0 ? '-' : ' ',
                              option->letter != 0 ? option->letter : ' ', option->letter != 0 ? "," : " ",
                              option->name, option->value != NULL ? " " : "",
                              option->value != NULL ? option->value : "");
      lines = g_strsplit (option->help, "\n", -1);
      g_string_append_printf (text, "  %-26s %s\n", left, lines[0]);
      for (guint j = 1; lines[j] != NULL; j++)
        g_string_append_printf (text, "  %-26s %s\n", "", lines[j]);
    }
}

/* Byte by byte, so that the next "-" finds the line after this one. */
static gboolean
read_line (int fd, char *line, gsize size, gsize *length, int *errsv)
{
  for (*length = 0; *length < size; (*length)++)
    {
      gssize n;

      do
        n = read (fd, line + *length, 1);
      while (n < 0 && errno == EINTR);
      if (n < 0)
        {
          *errsv = errno;
          return FALSE;
        }
      if (n == 0 || line[*length] == '\n')
        return TRUE;
    }
  *errsv = EOVERFLOW;
  return FALSE;
}

static HoldSecret *
read_password (const char *file)
{
  const gboolean is_stdin = strcmp (file, "-") == 0;
  char line[MAX_PASSWORD_BYTES + 1] = { 0, };
  HoldSecret *secret = NULL;
  gsize length = 0;
  int fd, errsv = 0;

  fd = is_stdin ? STDIN_FILENO : open (file, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    {
      errsv = errno;
      cli_complain (file, "the password can't be read: %s", g_strerror (errsv));
      return NULL;
    }

  if (!read_line (fd, line, MAX_PASSWORD_BYTES, &length, &errsv))
    cli_complain (file, "the password can't be read: %s",
                  errsv == EOVERFLOW ? "the first line is too long" : g_strerror (errsv));
  else
    {
      if (length > 0 && line[length - 1] == '\r')
        length--;
      line[length] = '\0';
      if (length == 0)
        cli_complain (file, "the password can't be read: the first line is empty");
      else if (strlen (line) != length)
        cli_complain (file, "the password can't be read: there is a NUL byte in it");
      else
        secret = hold_secret_new (line);
    }
  explicit_bzero (line, sizeof line);
  /* Only read from; a failing close can't lose anything. */
  if (!is_stdin)
    close (fd);
  return secret;
}

HoldKeyring *
cli_options_read_passwords (const CliOptions *self)
{
  g_autoptr (HoldKeyring) keyring = hold_keyring_new ();

  for (guint i = 0; i < self->password_files->len; i++)
    {
      g_autoptr (HoldSecret) secret = read_password (g_ptr_array_index (self->password_files, i));

      if (secret == NULL)
        return NULL;
      hold_keyring_add (keyring, secret);
    }
  return g_steal_pointer (&keyring);
}
