/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Asks on standard error, reads answers from standard input; used only when both are a
 * terminal. */

#include "config.h"

#include "cli-ask.h"

#include "cli-progress.h"

#include <errno.h>
#include <glib-unix.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define MAX_ANSWER_BYTES 4096

struct _CliAsk {
  HoldJob *job;
  gulong handler;
  HoldQuestion *question;    /* (nullable): the one on the screen */
  guint source;
};

static struct termios saved_terminal;
static volatile sig_atomic_t echo_is_off;

void
cli_ask_restore_terminal (void)
{
  if (!echo_is_off)
    return;
  echo_is_off = 0;
  tcsetattr (STDIN_FILENO, TCSAFLUSH, &saved_terminal);
}

static void
hide_echo (void)
{
  struct termios quiet;

  if (tcgetattr (STDIN_FILENO, &saved_terminal) != 0)
    return;
  quiet = saved_terminal;
  quiet.c_lflag &= ~(tcflag_t) ECHO;
  quiet.c_lflag |= ICANON | ISIG;
  echo_is_off = 1;
  tcsetattr (STDIN_FILENO, TCSAFLUSH, &quiet);
}

static void
show (const char *text)
{
  gsize length = strlen (text);

  cli_progress_hide ();
  while (length > 0)
    {
      gssize n = write (STDERR_FILENO, text, length);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return;
      text += n;
      length -= (gsize) n;
    }
}

static char *
dup_shown (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  return hold_path_escape_for_display (valid);
}

static void
show_password_prompt (const char *archive_name, const char *entry_path, gboolean was_wrong)
{
  g_autofree char *name = g_path_get_basename (archive_name != NULL ? archive_name : "");
  g_autofree char *shown = dup_shown (entry_path != NULL ? entry_path : name);
  g_autofree char *prompt = NULL;

  prompt = g_strdup_printf ("%sPassword for “%s”: ", was_wrong ? "That password does not fit. " : "", shown);
  show (prompt);
}

static void
append_side (GString *text, const char *label, const HoldConflictSide *side)
{
  g_string_append_printf (text, "  %-10s", label);
  if (side->is_folder)
    g_string_append (text, " folder");
  if (side->has_size)
    g_string_append_printf (text, " %" G_GUINT64_FORMAT " bytes", side->size_bytes);
  if (side->has_mtime)
    {
      g_autoptr (GDateTime) time = g_date_time_new_from_unix_local (side->mtime);
      g_autofree char *when = time != NULL ? g_date_time_format (time, "%Y-%m-%d %H:%M:%S") : NULL;

      if (when != NULL)
        g_string_append_printf (text, " of %s", when);
    }
  g_string_append_c (text, '\n');
}

static void
show_conflict (HoldQuestion *question)
{
  const HoldConflictSide *existing = hold_question_get_existing (question);
  const HoldConflictSide *incoming = hold_question_get_incoming (question);
  g_autofree char *shown = dup_shown (existing->path != NULL ? existing->path : "");
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (text, "“%s” is there already.\n", shown);
  append_side (text, "there:", existing);
  append_side (text, "archive:", incoming);
  g_string_append (text, "[s]kip, [o]verwrite, [n]ewer only, [r]ename; a capital letter for all; [q]uit: ");
  show (text->str);
}

static void
show_question (HoldQuestion *question)
{
  switch (hold_question_get_kind (question))
    {
    case HOLD_QUESTION_PASSWORD:
      hide_echo ();
      show_password_prompt (hold_question_get_archive_path (question), hold_question_get_entry_path (question),
                            hold_question_was_wrong (question));
      break;
    case HOLD_QUESTION_CONFLICT:
      show_conflict (question);
      break;
    case HOLD_QUESTION_CONTINUE:
    default:
      {
        const GError *error = hold_question_get_error (question);
        g_autofree char *shown = dup_shown (error != NULL ? error->message : "");
        g_autofree char *text = g_strdup_printf ("%s\nGo on? [y]es, [n]o, [a]lways: ", shown);

        show (text);
      }
    }
}

static gboolean
take_conflict_answer (HoldQuestion *question, char letter)
{
  const gboolean for_all = g_ascii_isupper (letter);

  switch (g_ascii_tolower (letter))
    {
    case 's':
      hold_question_answer_conflict (question, HOLD_CONFLICT_SKIP, for_all);
      return TRUE;
    case 'o':
      hold_question_answer_conflict (question, HOLD_CONFLICT_OVERWRITE, for_all);
      return TRUE;
    case 'n':
      hold_question_answer_conflict (question, HOLD_CONFLICT_NEWER, for_all);
      return TRUE;
    case 'r':
      hold_question_answer_conflict (question, HOLD_CONFLICT_RENAME, for_all);
      return TRUE;
    case 'q':
      hold_question_cancel (question);
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
take_continue_answer (HoldQuestion *question, char letter)
{
  switch (g_ascii_tolower (letter))
    {
    case 'y':
    case 'n':
      hold_question_answer_continue (question, g_ascii_tolower (letter) == 'y', FALSE);
      return TRUE;
    case 'a':
      hold_question_answer_continue (question, TRUE, TRUE);
      return TRUE;
    default:
      return FALSE;
    }
}

/* FALSE: not understood, ask again. */
static gboolean
take_answer (HoldQuestion *question, const char *answer)
{
  switch (hold_question_get_kind (question))
    {
    case HOLD_QUESTION_PASSWORD:
      /* Nothing typed means: leave it. */
      if (*answer == '\0')
        hold_question_cancel (question);
      else
        {
          g_autoptr (HoldSecret) secret = hold_secret_new (answer);

          hold_question_answer_password (question, secret);
        }
      return TRUE;
    case HOLD_QUESTION_CONFLICT:
      return take_conflict_answer (question, *answer);
    case HOLD_QUESTION_CONTINUE:
    default:
      return take_continue_answer (question, *answer);
    }
}

/* One line of the terminal; in canonical mode it arrives whole. FALSE at the end of input. */
static gboolean
read_answer (char answer[MAX_ANSWER_BYTES])
{
  gssize n;

  do
    n = read (STDIN_FILENO, answer, MAX_ANSWER_BYTES - 1);
  while (n < 0 && errno == EINTR);
  if (n <= 0)
    return FALSE;
  answer[n] = '\0';
  answer[strcspn (answer, "\r\n")] = '\0';
  return TRUE;
}

static void
end_question (CliAsk *self)
{
  if (echo_is_off)
    {
      /* The person's own line break was not shown. */
      cli_ask_restore_terminal ();
      show ("\n");
    }
  g_clear_handle_id (&self->source, g_source_remove);
  g_clear_object (&self->question);
}

static gboolean
input_cb (int fd, GIOCondition condition, gpointer data)
{
  CliAsk *self = data;
  g_autoptr (HoldQuestion) question = g_object_ref (self->question);
  char answer[MAX_ANSWER_BYTES];

  if (!read_answer (answer))
    {
      self->source = 0;
      end_question (self);
      hold_question_cancel (question);
      return G_SOURCE_REMOVE;
    }
  if (echo_is_off)
    {
      cli_ask_restore_terminal ();
      show ("\n");
    }
  if (take_answer (question, answer))
    {
      explicit_bzero (answer, sizeof answer);
      self->source = 0;
      end_question (self);
      return G_SOURCE_REMOVE;
    }
  show_question (question);
  return G_SOURCE_CONTINUE;
}

static void
question_cb (HoldJob *job, GParamSpec *pspec, CliAsk *self)
{
  HoldQuestion *question = hold_job_get_question (job);

  if (question == self->question)
    return;
  end_question (self);
  if (question == NULL || hold_question_is_answered (question))
    return;
  self->question = g_object_ref (question);
  show_question (question);
  self->source = g_unix_fd_add (STDIN_FILENO, G_IO_IN | G_IO_HUP | G_IO_ERR, input_cb, self);
}

CliAsk *
cli_ask_new (HoldJob *job)
{
  CliAsk *self = g_new0 (CliAsk, 1);

  self->job = g_object_ref (job);
  self->handler = g_signal_connect (job, "notify::question", G_CALLBACK (question_cb), self);
  return self;
}

void
cli_ask_free (CliAsk *self)
{
  g_signal_handler_disconnect (self->job, self->handler);
  end_question (self);
  g_object_unref (self->job);
  g_free (self);
}

HoldSecret *
cli_ask_password (const char *archive_name, const char *entry_path, gboolean was_wrong)
{
  char answer[MAX_ANSWER_BYTES];
  HoldSecret *secret = NULL;
  gboolean answered;

  hide_echo ();
  show_password_prompt (archive_name, entry_path, was_wrong);
  answered = read_answer (answer);
  cli_ask_restore_terminal ();
  show ("\n");
  if (answered && *answer != '\0')
    secret = hold_secret_new (answer);
  explicit_bzero (answer, sizeof answer);
  return secret;
}
