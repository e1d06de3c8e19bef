/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* One process serves all: the one that was called reads the options, refuses wrong ones, and hands
 * over to the one that runs already; that one makes an errand of them and answers when it is done. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-errand.h"
#include "holdall-options.h"

/* As those of holdall-cli. */
enum {
  STATUS_DONE = 0,
  STATUS_IN_PART = 1,
  STATUS_USAGE = 2,
  STATUS_FAILED = 3,
  STATUS_CANCELLED = 130,
};

/* Those that tell what is to be done with the files; one at a time. */
static const char * const verbs[] = {
  "extract", "extract-here", "extract-to", "new", "add-to", NULL
};

void
holdall_options_add (GApplication *application)
{
  static const GOptionEntry entries[] = {
    { "extract-here", 0, G_OPTION_FLAG_NONE, G_OPTION_ARG_NONE, NULL,
      N_("Extract each archive beside itself"), NULL },
    { "extract-to", 0, G_OPTION_FLAG_NONE, G_OPTION_ARG_FILENAME, NULL,
      N_("Extract all archives into a folder"), N_("FOLDER") },
    { "extract", 0, G_OPTION_FLAG_NONE, G_OPTION_ARG_NONE, NULL,
      N_("Ask for a folder and extract all archives into it"), NULL },
    { "new", 0, G_OPTION_FLAG_NONE, G_OPTION_ARG_NONE, NULL,
      N_("Pack the files into a new archive"), NULL },
    { "add-to", 0, G_OPTION_FLAG_NONE, G_OPTION_ARG_FILENAME, NULL,
      N_("Add the files to an archive"), N_("ARCHIVE") },
    { "version", 0, G_OPTION_FLAG_NONE, G_OPTION_ARG_NONE, NULL, N_("Show the version"), NULL },
    { G_OPTION_REMAINING, 0, G_OPTION_FLAG_NONE, G_OPTION_ARG_FILENAME_ARRAY, NULL, NULL, NULL },
    { NULL }
  };

  g_application_add_main_option_entries (application, entries);
  g_application_set_option_context_parameter_string (application, _("[FILE…]"));
}

/* The option that tells what to do, NULL for plain opening; @n_verbs: how many were given. */
static const char *
find_verb (GVariantDict *options,
           guint        *n_verbs)
{
  const char *found = NULL;

  *n_verbs = 0;
  for (guint i = 0; verbs[i] != NULL; i++)
    {
      if (!g_variant_dict_contains (options, verbs[i]))
        continue;
      found = verbs[i];
      (*n_verbs)++;
    }
  return found;
}

int
holdall_options_handle_local (GVariantDict *options)
{
  guint n_verbs;
  const char *verb = find_verb (options, &n_verbs);

  if (g_variant_dict_contains (options, "version"))
    {
      g_print ("Holdall %s\n", HOLDALL_VERSION);
      return STATUS_DONE;
    }
  if (n_verbs > 1)
    {
      g_printerr ("holdall: %s\n", _("These options exclude each other"));
      return STATUS_USAGE;
    }
  /* An archive of nothing is a start; extracting and adding nothing is a mistake. */
  if (verb != NULL && !g_str_equal (verb, "new") &&
      !g_variant_dict_contains (options, G_OPTION_REMAINING))
    {
      /* Translators: %s is an option such as --extract-here. */
      g_autofree char *words = g_strdup_printf (_("--%s needs the name of a file"), verb);

      g_printerr ("holdall: %s\n", words);
      return STATUS_USAGE;
    }
  return -1;
}

static GPtrArray *
dup_files (GApplicationCommandLine *command_line,
           GVariantDict            *options)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (g_object_unref);
  g_autofree const char **names = NULL;

  if (g_variant_dict_lookup (options, G_OPTION_REMAINING, "^a&ay", &names))
    for (guint i = 0; names[i] != NULL; i++)
      g_ptr_array_add (files, g_application_command_line_create_file_for_arg (command_line,
                                                                              names[i]));
  return files;
}

/* The path or URI that belongs to an option. (transfer full) */
static GFile *
dup_named_file (GApplicationCommandLine *command_line,
                GVariantDict            *options,
                const char              *option)
{
  const char *name = NULL;

  if (!g_variant_dict_lookup (options, option, "^&ay", &name))
    g_return_val_if_reached (NULL);
  return g_application_command_line_create_file_for_arg (command_line, name);
}

static HoldallErrand *
create_errand (HoldallApplication      *application,
               GApplicationCommandLine *command_line,
               GVariantDict            *options,
               const char              *verb,
               GPtrArray               *files)
{
  g_autoptr (GFile) named = NULL;

  if (g_str_equal (verb, "new"))
    return holdall_errand_new_create (application, files, NULL);
  if (g_str_equal (verb, "extract"))
    return holdall_errand_new_extract_to (application, files);
  if (g_str_equal (verb, "extract-here"))
    return holdall_errand_new_extract (application, files, NULL, HOLD_LAYOUT_SMART);

  named = dup_named_file (command_line, options, verb);
  if (g_str_equal (verb, "extract-to"))
    return holdall_errand_new_extract (application, files, named, HOLD_LAYOUT_SMART);
  return holdall_errand_new_add (application, named, files);
}

static int
get_status (HoldallErrand *errand)
{
  const GError *error = holdall_errand_get_error (errand);
  HoldReport *report = holdall_errand_get_report (errand);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return STATUS_CANCELLED;
  if (error != NULL)
    return hold_report_get_n_done (report) > 0 ? STATUS_IN_PART : STATUS_FAILED;
  return hold_report_get_n_items (report) > 0 ? STATUS_IN_PART : STATUS_DONE;
}

/* Whoever called from a terminal reads it there as well. */
static void
errand_finished_cb (GApplicationCommandLine *command_line,
                    HoldallErrand           *errand)
{
  HoldReport *report = holdall_errand_get_report (errand);
  int status = get_status (errand);

  for (guint i = 0; i < hold_report_get_n_items (report); i++)
    {
      const HoldReportItem *item = hold_report_get_item (report, i);
      g_autofree char *path = hold_path_escape_for_display (item->path);
      g_autofree char *message = hold_path_escape_for_display (item->error->message);

      g_application_command_line_printerr (command_line, "%s: %s\n", path, message);
    }
  g_application_command_line_set_exit_status (command_line, status);
  if (!g_application_command_line_get_is_remote (command_line))
    holdall_application_set_exit_status (HOLDALL_APPLICATION (g_application_get_default ()),
                                         status);
}

static void
unref_closure (gpointer  data,
               GClosure *closure)
{
  g_object_unref (data);
}

int
holdall_options_run (HoldallApplication      *application,
                     GApplicationCommandLine *command_line)
{
  GVariantDict *options = g_application_command_line_get_options_dict (command_line);
  g_autoptr (GPtrArray) files = dup_files (command_line, options);
  g_autoptr (HoldallErrand) errand = NULL;
  guint n_verbs;
  const char *verb = find_verb (options, &n_verbs);

  if (verb == NULL && files->len == 0)
    g_application_activate (G_APPLICATION (application));
  else if (verb == NULL)
    g_application_open (G_APPLICATION (application), (GFile **) files->pdata, (int) files->len, "");
  else
    {
      errand = create_errand (application, command_line, options, verb, files);
      g_signal_connect_data (errand, "finished", G_CALLBACK (errand_finished_cb),
                             g_object_ref (command_line), unref_closure, G_CONNECT_SWAPPED);
      holdall_errand_start (errand);
    }
  return STATUS_DONE;
}
