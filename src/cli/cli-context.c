/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Runs jobs for the verbs: one scheduler, interruption by signals, progress and questions on the
 * terminal. */

#include "config.h"

#include "cli-context.h"

#include "cli-ask.h"
#include "cli-progress.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const int caught_signals[] = { SIGINT, SIGTERM, SIGHUP };

/* Where a signal is told while a job runs; -1: none does. */
static volatile sig_atomic_t wake_fd = -1;
/* What it means to leave at once. A job that has ended has done what it did: that is no interruption. */
static volatile sig_atomic_t status_if_left = CLI_INTERRUPTED;
static volatile sig_atomic_t was_interrupted;

/* One handler from the first moment to the last, so that no signal falls into a gap between two. */
static void
signal_cb (int signal_number)
{
  const int saved_errno = errno;

  was_interrupted = TRUE;
  if (wake_fd < 0)
    {
      cli_ask_restore_terminal ();
      _exit (status_if_left);
    }
  /* A pipe that is full has woken the job already. */
  if (write (wake_fd, "", 1) < 0)
    was_interrupted = TRUE;
  errno = saved_errno;
}

void
cli_context_catch_signals (void)
{
  struct sigaction before, action = { .sa_handler = signal_cb, .sa_flags = SA_RESTART },
                           ignore = { .sa_handler = SIG_IGN };

  /* What the shell set to be ignored (nohup, a background job) stays ignored. */
  for (guint i = 0; i < G_N_ELEMENTS (caught_signals); i++)
    if (sigaction (caught_signals[i], NULL, &before) != 0 || before.sa_handler != SIG_IGN)
      sigaction (caught_signals[i], &action, NULL);
  /* A closed pipe is an error of writing, and one of file size too; neither is a reason to be
   * killed half-way. */
  sigaction (SIGPIPE, &ignore, NULL);
  sigaction (SIGXFSZ, &ignore, NULL);
}

gboolean
cli_context_init (CliContext *self, const CliOptions *options)
{
  memset (self, 0, sizeof *self);
  self->options = options;
  self->keyring = cli_options_read_passwords (options);
  if (self->keyring == NULL)
    return FALSE;
  self->scheduler = hold_scheduler_new (1, options->n_jobs);
  cli_output_init (&self->output);
  return TRUE;
}

void
cli_context_clear (CliContext *self)
{
  g_clear_pointer (&self->scheduler, hold_scheduler_free);
  g_clear_pointer (&self->keyring, hold_keyring_unref);
  cli_output_clear (&self->output);
}

guint
cli_context_get_n_arguments (const CliContext *self)
{
  return self->options->words->len - 1;
}

const char *
cli_context_get_argument (const CliContext *self, guint position)
{
  return position < cli_context_get_n_arguments (self) ? g_ptr_array_index (self->options->words, position + 1) : NULL;
}

static gboolean
interrupt_cb (int fd, GIOCondition condition, gpointer data)
{
  char told[16];

  if (read (fd, told, sizeof told) > 0)
    hold_job_cancel (data);
  return G_SOURCE_CONTINUE;
}

/* The exit status of a job that was not kept from its end, if nobody stays to tell more. */
static int
get_bare_status (HoldJob *job)
{
  HoldReport *report = hold_job_get_report (job);

  if (hold_job_get_state (job) != HOLD_JOB_DONE)
    return hold_job_get_state (job) == HOLD_JOB_CANCELLED ? CLI_INTERRUPTED : CLI_NOT_DONE;
  return hold_report_count (report, HOLD_OUTCOME_FAILED) + hold_report_count (report, HOLD_OUTCOME_SKIPPED)
           + hold_report_count (report, HOLD_OUTCOME_REFUSED) > 0 ? CLI_PARTLY : CLI_DONE;
}

static void
run_caught (CliContext *self, HoldJob *job)
{
  int pipe_fds[2] = { -1, -1 };
  guint source = 0;

  /* Without a pipe a signal ends the program at once, as before and after the job. */
  if (g_unix_open_pipe (pipe_fds, FD_CLOEXEC, NULL) && g_unix_set_fd_nonblocking (pipe_fds[0], TRUE, NULL)
      && g_unix_set_fd_nonblocking (pipe_fds[1], TRUE, NULL))
    {
      source = g_unix_fd_add (pipe_fds[0], G_IO_IN, interrupt_cb, job);
      wake_fd = pipe_fds[1];
    }

  hold_scheduler_run (self->scheduler, job);

  status_if_left = get_bare_status (job);
  wake_fd = -1;
  g_clear_handle_id (&source, g_source_remove);
  for (guint i = 0; i < G_N_ELEMENTS (pipe_fds); i++)
    if (pipe_fds[i] >= 0)
      g_close (pipe_fds[i], NULL);
}

/* One line for one fact: the report may name the same reason with the entry it is about. */
static gboolean
is_in_report (HoldJob *job, const GError *error)
{
  HoldReport *report = hold_job_get_report (job);

  for (guint i = 0; i < hold_report_get_n_items (report); i++)
    {
      const HoldReportItem *item = hold_report_get_item (report, i);

      if (item->outcome == HOLD_OUTCOME_FAILED && strcmp (item->error->message, error->message) == 0)
        return TRUE;
    }
  return FALSE;
}

/* Like cli_context_run(), without the report. */
static int
run_job (CliContext *self, HoldJob *job, const char *about)
{
  CliProgress *progress = NULL;
  CliAsk *ask = NULL;
  const GError *error;

  if (self->options->shows_progress)
    progress = cli_progress_new (job);
  if (self->options->is_interactive)
    {
      hold_job_set_interactive (job, TRUE);
      ask = cli_ask_new (job);
    }

  run_caught (self, job);

  g_clear_pointer (&ask, cli_ask_free);
  g_clear_pointer (&progress, cli_progress_free);

  switch (hold_job_get_state (job))
    {
    case HOLD_JOB_DONE:
      return CLI_DONE;
    case HOLD_JOB_CANCELLED:
      if (!self->options->is_quiet)
        cli_complain (about, "interrupted");
      return CLI_INTERRUPTED;
    case HOLD_JOB_FAILED:
    case HOLD_JOB_QUEUED:
    case HOLD_JOB_RUNNING:
    case HOLD_JOB_ASKING:
    default:
      error = hold_job_get_error (job);
      if (error == NULL || !is_in_report (job, error))
        cli_complain (about, "%s", error != NULL ? error->message : "failed for no known reason");
      return error != NULL ? cli_status_of_error (error) : CLI_NOT_DONE;
    }
}

int
cli_context_run (CliContext *self, HoldJob *job, const char *about)
{
  int status = run_job (self, job, about);

  return cli_worse_status (status, cli_print_report (hold_job_get_report (job), about, self->options->is_quiet));
}

HoldArchive *
cli_context_open (CliContext *self, int *status)
{
  const char *name = cli_context_get_argument (self, 0);
  g_autoptr (HoldOpenJob) job = hold_open_job_new (name, self->options->encoding, self->keyring);

  *status = run_job (self, HOLD_JOB (job), name);
  /* To have the list is not to have done anything yet. */
  status_if_left = CLI_INTERRUPTED;
  if (*status == CLI_DONE && was_interrupted)
    *status = CLI_INTERRUPTED;
  if (*status != CLI_DONE)
    return NULL;
  return g_object_ref (hold_open_job_get_archive (job));
}

const HoldFormat *
cli_context_find_format (const CliContext *self, const char *name, int *status)
{
  const CliOptions *options = self->options;
  const HoldFormat *format = options->format != NULL ? hold_format_by_id (options->format)
                                                     : hold_format_by_suffix (name);
  const char *why;

  *status = CLI_NOT_DONE;
  if (format == NULL && options->format != NULL)
    {
      *status = CLI_USAGE;
      cli_complain (NULL, "there is no format “%s”; “holdall-cli formats” lists them", options->format);
      return NULL;
    }
  if (format == NULL)
    {
      cli_complain (name, "the name tells no format; give one by --format");
      return NULL;
    }
  why = hold_format_why_not (format, HOLD_CAP_WRITE);
  if (why != NULL)
    {
      cli_complain (name, "%s", why);
      return NULL;
    }
  return format;
}

int
cli_context_tell_oddities (CliContext *self, HoldArchive *archive)
{
  const char *name = cli_context_get_argument (self, 0);
  const GError *error = hold_archive_get_list_error (archive);
  int status = cli_print_report (hold_archive_get_report (archive), name, self->options->is_quiet);

  if (error == NULL)
    return status;
  cli_complain (name, "%s", error->message);
  return cli_worse_status (status, CLI_PARTLY);
}

gboolean
cli_context_ask_password (CliContext *self, const char *archive_name, const char *entry_path, gboolean was_wrong)
{
  g_autoptr (HoldSecret) secret = NULL;

  if (!self->options->is_interactive)
    return FALSE;
  secret = cli_ask_password (archive_name, entry_path, was_wrong);
  if (secret == NULL)
    return FALSE;
  hold_keyring_add (self->keyring, secret);
  return TRUE;
}

/* Names of entries are UTF-8 whatever the locale; somebody who types in another charset is
 * understood too. */
static char *
dup_path_argument (const char *argument)
{
  if (g_utf8_validate (argument, -1, NULL))
    return g_strdup (argument);
  return g_locale_to_utf8 (argument, -1, NULL, NULL, NULL);
}

static void
select_index (HoldArchive *archive, guint64 index, GArray *indices, guint *n_missing)
{
  HoldTree *tree = hold_archive_get_tree (archive);
  HoldNode *node;

  if (index >= hold_archive_get_n_entries (archive))
    {
      cli_complain (NULL, "there is no entry with the index %" G_GUINT64_FORMAT, index);
      (*n_missing)++;
      return;
    }
  node = hold_tree_get_node (tree, (guint) index);
  if (node != NULL && hold_node_is_folder (node))
    hold_node_collect (node, indices);
  else
    {
      guint number = (guint) index;

      g_array_append_val (indices, number);
    }
}

void
cli_context_select (CliContext *self, HoldArchive *archive, GArray **indices, guint *n_missing)
{
  HoldTree *tree = hold_archive_get_tree (archive);
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint));

  *n_missing = 0;
  for (guint i = 1; i < cli_context_get_n_arguments (self); i++)
    {
      const char *argument = cli_context_get_argument (self, i);
      g_autofree char *path = dup_path_argument (argument);

      /* "" would be the whole archive, which an unset variable in a script should not mean. */
      if (path != NULL && *path != '\0' && hold_tree_lookup (tree, path) != NULL)
        g_ptr_array_add (paths, g_steal_pointer (&path));
      else
        {
          cli_complain_entry (*argument != '\0' ? argument : "“”", "there is no such entry in the archive");
          (*n_missing)++;
        }
    }
  g_ptr_array_add (paths, NULL);
  if (hold_tree_collect (tree, (const char * const *) paths->pdata, found) != NULL)
    (*n_missing)++;
  for (guint i = 0; i < self->options->indices->len; i++)
    select_index (archive, g_array_index (self->options->indices, guint64, i), found, n_missing);
  hold_indices_tidy (found);
  *indices = g_steal_pointer (&found);
}
