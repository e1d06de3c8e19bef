/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The folder chooser of "Extract to…". Its extra choices are those a portal can show as well, so
 * that the sandboxed program offers the same. */

#include "config.h"

#include "holdall-extract-chooser.h"

#include "holdall-native-dialog.h"

#include <glib/gi18n.h>

typedef struct {
  GtkFileChooserNative *chooser;  /* borrowed: this goes with it */
  GtkWindow *parent;              /* weak pointer */
  GSettings *settings;
  gboolean has_selection;
  HoldallExtractChosen chosen;
} Request;

/* In the order of the enumeration of the settings schema and of HoldConflict. */
static const char * const conflict_ids[] = { "ask", "skip", "overwrite", "newer", "rename", NULL };

static void
request_free (gpointer  data,
              GClosure *closure)
{
  Request *request = data;

  g_clear_weak_pointer (&request->parent);
  g_clear_object (&request->settings);
  g_free (request);
}

static HoldConflict
conflict_from_id (const char *id)
{
  for (guint i = 0; conflict_ids[i] != NULL; i++)
    if (g_strcmp0 (id, conflict_ids[i]) == 0)
      return (HoldConflict) i;
  return HOLD_CONFLICT_ASK;
}

static void
add_choices (Request *request)
{
  GtkFileChooser *chooser = GTK_FILE_CHOOSER (request->chooser);
  const char *whats[] = { "selection", "all", NULL };
  const char *what_labels[] = { _("Selected items"), _("All items"), NULL };
  const char *conflict_labels[] = {
    _("Ask"), _("Skip"), _("Replace"), _("Replace if older"), _("Keep both"), NULL
  };
  g_autofree char *conflict = g_settings_get_string (request->settings, "extract-conflict");
  gboolean new_folder = g_settings_get_boolean (request->settings, "extract-new-folder");

  if (request->has_selection)
    {
      gtk_file_chooser_add_choice (chooser, "what", _("Extract"), whats, what_labels);
      gtk_file_chooser_set_choice (chooser, "what", "selection");
    }
  gtk_file_chooser_add_choice (chooser, "conflict", _("Files that exist already"),
                               (const char **) conflict_ids, conflict_labels);
  gtk_file_chooser_set_choice (chooser, "conflict", conflict);
  gtk_file_chooser_add_choice (chooser, "new-folder", _("Put several items into a folder of their own"),
                               NULL, NULL);
  gtk_file_chooser_set_choice (chooser, "new-folder", new_folder ? "true" : "false");
}

static void
response_cb (GtkNativeDialog *dialog,
             int              response,
             gpointer         user_data)
{
  Request *request = user_data;
  GtkFileChooser *chooser = GTK_FILE_CHOOSER (dialog);
  g_autoptr (GFile) folder = NULL;
  g_autofree char *uri = NULL;
  HoldallExtractChoice choice;

  if (response != GTK_RESPONSE_ACCEPT || request->parent == NULL)
    return;
  folder = gtk_file_chooser_get_file (chooser);
  if (folder == NULL)
    return;

  choice.folder = folder;
  choice.only_selection = request->has_selection
                       && g_strcmp0 (gtk_file_chooser_get_choice (chooser, "what"), "all") != 0;
  choice.new_folder = g_strcmp0 (gtk_file_chooser_get_choice (chooser, "new-folder"), "true") == 0;
  choice.conflict = conflict_from_id (gtk_file_chooser_get_choice (chooser, "conflict"));

  uri = g_file_get_uri (folder);
  g_settings_set_string (request->settings, "extract-folder", uri);
  g_settings_set_boolean (request->settings, "extract-new-folder", choice.new_folder);
  g_settings_set_string (request->settings, "extract-conflict", conflict_ids[choice.conflict]);

  request->chosen (request->parent, &choice);
}

void
holdall_chooser_add_all_filter (GtkFileChooser *chooser)
{
  g_autoptr (GtkFileFilter) all = gtk_file_filter_new ();

  gtk_file_filter_set_name (all, _("All Files"));
  gtk_file_filter_add_pattern (all, "*");
  gtk_file_chooser_add_filter (chooser, all);
  gtk_file_chooser_set_filter (chooser, all);
}

void
holdall_extract_chooser_present (GtkWindow            *parent,
                                 gboolean              has_selection,
                                 const char           *folder,
                                 gboolean              is_best,
                                 GSettings            *settings,
                                 HoldallExtractChosen  chosen)
{
  Request *request = g_new0 (Request, 1);
  g_autofree char *last = g_settings_get_string (settings, "extract-folder");
  g_autoptr (GFile) start = NULL;

  g_set_weak_pointer (&request->parent, parent);
  request->settings = g_object_ref (settings);
  request->has_selection = has_selection;
  request->chosen = chosen;
  request->chooser = gtk_file_chooser_native_new (_("Extract To"), parent,
                                                  GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER,
                                                  _("_Extract"), _("_Cancel"));
  holdall_chooser_add_all_filter (GTK_FILE_CHOOSER (request->chooser));
  if (folder != NULL && (is_best || *last == '\0'))
    start = g_file_new_for_path (folder);
  else if (*last != '\0')
    start = g_file_new_for_uri (last);
  /* A folder that is gone by now is no reason not to ask. */
  if (start != NULL)
    gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (request->chooser), start, NULL);
  add_choices (request);
  g_signal_connect_data (request->chooser, "response", G_CALLBACK (response_cb), request,
                         request_free, G_CONNECT_DEFAULT);
  holdall_native_dialog_present (GTK_NATIVE_DIALOG (request->chooser));
}
