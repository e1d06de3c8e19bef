/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* From a row to another program. What comes back from there is in holdall-window-opened.c. */

#include "config.h"

#include "holdall-window-open-entry.h"

#include <glib/gi18n.h>
#include <string.h>

#include "holdall-app-dialog.h"
#include "holdall-copy.h"
#include "holdall-error-dialog.h"
#include "holdall-format-text.h"
#include "holdall-launch.h"
#include "holdall-opened-list.h"
#include "holdall-portal.h"
#include "holdall-window-opened.h"
#include "holdall-window-private.h"

/* More are opened at once only after a question. */
#define MANY_FILES 10
/* Links to links to … */
#define MAX_LINKS 16
#define PLAIN_TEXT "text/plain"

typedef struct {
  HoldallWindow *window;      /* weak */
  HoldallOpenedEntry *entry;
  gboolean choose;            /* the program */
} Opening;

static void
opening_free (gpointer data)
{
  Opening *opening = data;

  g_clear_weak_pointer (&opening->window);
  g_object_unref (opening->entry);
  g_free (opening);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Opening, opening_free)

static HoldallApplication *
get_application (HoldallWindow *self)
{
  return HOLDALL_APPLICATION (gtk_window_get_application (GTK_WINDOW (self)));
}

static HoldallOpenedList *
get_list (HoldallWindow *self)
{
  return holdall_application_get_opened (get_application (self));
}

static void
show_words (HoldallWindow *self,
            const char    *words)
{
  g_autofree char *escaped = g_markup_escape_text (words, -1);

  holdall_window_show_toast (self, adw_toast_new (escaped));
}

/* S08. The sentence says what to do instead. */
static void
refuse_program (HoldallWindow *self,
                const char    *name)
{
  /* Translators: %s is the name of a file */
  g_autofree char *heading = g_strdup_printf (_("“%s” Is a Program"), name);
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (self), heading, NULL);

  adw_message_dialog_set_body (ADW_MESSAGE_DIALOG (dialog),
                               _("Programs are not run out of an archive. If you trust where it comes "
                                 "from, extract it first."));
  adw_message_dialog_add_response (ADW_MESSAGE_DIALOG (dialog), "close", _("_Close"));
  gtk_window_present (GTK_WINDOW (dialog));
}

/* O04: in words that say which folder. */
static void
tell_no_place (HoldallWindow      *self,
               HoldallOpenedEntry *entry)
{
  g_autofree char *folder = holdall_format_path (g_get_user_cache_dir ());
  /* Translators: %s is the name of a file */
  g_autofree char *heading =
    g_strdup_printf (_("“%s” Can’t Be Opened"), holdall_opened_entry_get_name (entry));
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (self), heading, NULL);

  /* Translators: %s is a folder on disk */
  adw_message_dialog_format_body (ADW_MESSAGE_DIALOG (dialog),
                                  _("A private copy of it is needed, and “%s” can’t be written to. "
                                    "You can extract the file to another folder instead."), folder);
  adw_message_dialog_add_response (ADW_MESSAGE_DIALOG (dialog), "close", _("_Close"));
  gtk_window_present (GTK_WINDOW (dialog));
}

static void choose_app (HoldallWindow *self, HoldallOpenedEntry *entry);

/* NULL: it is closed, though somebody may hold it still. */
static HoldallWindow *
get_window (Opening *opening)
{
  return opening->window != NULL && get_application (opening->window) != NULL ? opening->window
                                                                              : NULL;
}

static void
no_app_response_cb (GtkWidget  *dialog,
                    const char *response,
                    Opening    *opening)
{
  HoldallWindow *self = get_window (opening);

  if (self == NULL)
    return;
  if (g_str_equal (response, "choose"))
    choose_app (self, opening->entry);
  else if (g_str_equal (response, "preview"))
    g_action_group_change_action_state (G_ACTION_GROUP (self), "show-preview",
                                        g_variant_new_boolean (TRUE));
}

static void
opening_free_closure (gpointer  data,
                      GClosure *closure)
{
  opening_free (data);
}

static Opening *
opening_new (HoldallWindow      *self,
             HoldallOpenedEntry *entry)
{
  Opening *opening = g_new0 (Opening, 1);

  g_set_weak_pointer (&opening->window, self);
  opening->entry = g_object_ref (entry);
  return opening;
}

static void
tell_no_app (HoldallWindow      *self,
             HoldallOpenedEntry *entry)
{
  g_autofree char *kind =
    g_content_type_get_description (holdall_opened_entry_get_content_type (entry));
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (self), _("No Program for This"), NULL);

  /* Translators: a file, and what kind of file it is: "Blender scene" */
  adw_message_dialog_format_body (ADW_MESSAGE_DIALOG (dialog),
                                  _("No program is installed that opens “%s” (%s)."),
                                  holdall_opened_entry_get_name (entry), kind);
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "close", _("_Close"), "preview",
                                    _("_Preview"), "choose", _("Open _With…"), NULL);
  g_signal_connect_data (dialog, "response", G_CALLBACK (no_app_response_cb),
                         opening_new (self, entry), opening_free_closure, G_CONNECT_DEFAULT);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
launched_cb (GObject      *object,
             GAsyncResult *result,
             gpointer      user_data)
{
  g_autoptr (Opening) opening = user_data;
  g_autoptr (GError) error = NULL;

  if (!holdall_launch_finish (result, &error) && get_window (opening) != NULL)
    holdall_error_dialog_present (GTK_WINDOW (opening->window), NULL, error);
}

static void
launch (HoldallWindow      *self,
        HoldallOpenedEntry *entry,
        GAppInfo           *app,
        gboolean            ask)
{
  if (app == NULL && !holdall_portal_is_sandboxed ())
    {
      tell_no_app (self, entry);
      return;
    }
  holdall_launch_async (holdall_opened_entry_get_copy (entry), app, ask, GTK_WINDOW (self),
                        launched_cb, opening_new (self, entry));
}

static void
chosen_cb (GAppInfo *app,
           gpointer  user_data)
{
  Opening *opening = user_data;

  if (get_window (opening) != NULL && holdall_opened_entry_get_copy (opening->entry) != NULL)
    launch (opening->window, opening->entry, app, FALSE);
}

static void
choose_app (HoldallWindow      *self,
            HoldallOpenedEntry *entry)
{
  gboolean is_text = holdall_opened_entry_get_kind (entry) == HOLDALL_OPEN_TEXT;

  if (holdall_portal_is_sandboxed ())
    launch (self, entry, NULL, TRUE);
  else
    holdall_app_dialog_present (GTK_WINDOW (self), holdall_opened_entry_get_name (entry),
                                is_text ? PLAIN_TEXT : holdall_opened_entry_get_content_type (entry),
                                chosen_cb, opening_new (self, entry), opening_free);
}

/* A script goes to an editor whatever the usual program for it may be: that might run it. */
static void
open_script (HoldallWindow      *self,
             HoldallOpenedEntry *entry)
{
  g_autoptr (GAppInfo) app = holdall_open_kind_dup_app (PLAIN_TEXT);
  /* Translators: %s is the name of a file */
  g_autofree char *words = g_strdup_printf (_("“%s” is a script: it is shown as text, not run"),
                                            holdall_opened_entry_get_name (entry));

  show_words (self, words);
  launch (self, entry, app, TRUE);
}

static void
open_usual (HoldallWindow      *self,
            HoldallOpenedEntry *entry)
{
  const char *type = holdall_opened_entry_get_content_type (entry);
  g_autoptr (GAppInfo) app = holdall_open_kind_dup_app (type);

  if (app == NULL && g_content_type_is_a (type, PLAIN_TEXT))
    app = holdall_open_kind_dup_app (PLAIN_TEXT);
  launch (self, entry, app, FALSE);
}

static void
open_as_folder (HoldallWindow      *self,
                HoldallOpenedEntry *entry)
{
  g_autoptr (GFile) file = g_file_new_for_path (holdall_opened_entry_get_copy (entry));
  GtkApplication *application = GTK_APPLICATION (get_application (self));
  HoldallWindow *window;

  for (GList *l = gtk_application_get_windows (application); l != NULL; l = l->next)
    {
      GFile *shown = HOLDALL_IS_WINDOW (l->data) ? holdall_window_get_file (l->data) : NULL;

      if (shown == NULL || !g_file_equal (shown, file))
        continue;
      gtk_window_present (l->data);
      return;
    }
  window = holdall_window_new (get_application (self));
  holdall_window_open (window, file);
  gtk_window_present (GTK_WINDOW (window));
}

static void
prepared_cb (GObject      *object,
             GAsyncResult *result,
             gpointer      user_data)
{
  HoldallOpenedEntry *entry = HOLDALL_OPENED_ENTRY (object);
  g_autoptr (Opening) opening = user_data;
  HoldallWindow *self = get_window (opening);
  g_autoptr (GError) error = NULL;

  if (!holdall_opened_entry_prepare_finish (entry, result, &error))
    {
      if (self == NULL || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_PENDING))
        return;
      holdall_opened_list_drop (get_list (self), entry);
      if (g_error_matches (error, HOLDALL_COPY_ERROR, HOLDALL_COPY_ERROR_NO_PLACE))
        tell_no_place (self, entry);
      else
        holdall_error_dialog_present (GTK_WINDOW (self), NULL, error);
      return;
    }
  /* Without a window the list lets go of it. */
  if (self == NULL)
    return;
  switch (holdall_opened_entry_get_kind (entry))
    {
    case HOLDALL_OPEN_ARCHIVE:
      if (opening->choose)
        choose_app (self, entry);
      else
        open_as_folder (self, entry);
      break;
    case HOLDALL_OPEN_TEXT:
      if (opening->choose)
        choose_app (self, entry);
      else
        open_script (self, entry);
      break;
    case HOLDALL_OPEN_NEVER:
      refuse_program (self, holdall_opened_entry_get_name (entry));
      /* A crash may have left one with changes. */
      if (!holdall_opened_entry_is_unsaved (entry))
        holdall_opened_list_drop (get_list (self), entry);
      break;
    case HOLDALL_OPEN_USUAL:
    default:
      if (opening->choose)
        choose_app (self, entry);
      else
        open_usual (self, entry);
      break;
    }
}

/* Where a link leads in the archive; NULL if not to anything there. */
static HoldNode *
follow_link (HoldallWindow   *self,
             const HoldEntry *entry)
{
  const char *target = hold_entry_get_link_target (entry);
  g_autofree char *folder = g_path_get_dirname (hold_entry_get_path (entry));
  g_autofree char *joined = NULL;
  g_autofree char *whole = NULL;

  if (target == NULL || *target == '/')
    return NULL;
  joined = hold_entry_get_type (entry) == HOLD_ENTRY_SYMLINK
             ? g_strconcat ("/", folder, "/", target, NULL) : g_strconcat ("/", target, NULL);
  whole = g_canonicalize_filename (joined, "/");
  return hold_tree_lookup (hold_archive_get_tree (self->archive), whole + 1);
}

static HoldNode *
resolve (HoldallWindow *self,
         HoldNode      *node)
{
  for (guint i = 0; node != NULL && i < MAX_LINKS; i++)
    {
      const HoldEntry *entry = hold_node_get_entry (node);

      if (hold_node_is_folder (node) || entry == NULL)
        return node;
      if (hold_entry_get_type (entry) != HOLD_ENTRY_SYMLINK &&
          hold_entry_get_type (entry) != HOLD_ENTRY_HARDLINK)
        return node;
      node = follow_link (self, entry);
    }
  return NULL;
}

static void
open_file (HoldallWindow   *self,
           const HoldEntry *entry,
           gboolean         choose)
{
  g_autofree char *name = holdall_format_basename (hold_entry_get_path (entry));
  HoldallOpenedEntry *opened;
  Opening *opening;

  if (hold_entry_get_type (entry) != HOLD_ENTRY_FILE)
    {
      /* Translators: %s is the name of a device, pipe or socket */
      g_autofree char *words = g_strdup_printf (_("“%s” is not a file"), name);

      show_words (self, words);
      return;
    }
  /* What the name says already need not be unpacked. */
  if (holdall_open_kind (name, NULL, 0, NULL) == HOLDALL_OPEN_NEVER)
    {
      refuse_program (self, name);
      return;
    }
  opened = holdall_opened_list_add (get_list (self), self->archive, hold_entry_get_index (entry),
                                    self->keyring);
  opening = opening_new (self, opened);
  opening->choose = choose;
  holdall_opened_entry_prepare_async (opened, GTK_WINDOW (self), prepared_cb, opening);
}

static void
open_node (HoldallWindow *self,
           HoldNode      *node,
           gboolean       choose)
{
  HoldNode *target = resolve (self, node);
  g_autofree char *path = target != NULL ? hold_node_dup_path (target) : NULL;

  if (target == NULL)
    {
      const HoldEntry *entry = hold_node_get_entry (node);
      g_autofree char *name = holdall_format_basename (hold_entry_get_path (entry));
      g_autofree char *link = holdall_format_path (hold_entry_get_link_target (entry) != NULL
                                                     ? hold_entry_get_link_target (entry) : "");
      /* Translators: the name of a link, and where it leads */
      g_autofree char *words =
        g_strdup_printf (_("“%s” leads to “%s”, which is not in the archive"), name, link);

      show_words (self, words);
      return;
    }
  if (hold_node_is_folder (target))
    g_action_group_activate_action (G_ACTION_GROUP (self), "go-to", g_variant_new_string (path));
  else
    open_file (self, hold_node_get_entry (target), choose);
}

/* Folders among several are left alone: one window shows one folder. */
static GPtrArray *
dup_selected_files (HoldallWindow *self)
{
  g_autoptr (GPtrArray) nodes = holdall_browser_dup_selected_nodes (self->browser);
  GPtrArray *files = g_ptr_array_new ();

  for (guint i = 0; i < nodes->len; i++)
    if (!hold_node_is_folder (g_ptr_array_index (nodes, i)))
      g_ptr_array_add (files, g_ptr_array_index (nodes, i));
  return files;
}

static void
many_response_cb (HoldallWindow *self,
                  const char    *response)
{
  g_autoptr (GPtrArray) files = NULL;

  if (!g_str_equal (response, "open") || self->archive == NULL)
    return;
  files = dup_selected_files (self);
  for (guint i = 0; i < files->len; i++)
    open_node (self, g_ptr_array_index (files, i), FALSE);
}

static void
ask_many (HoldallWindow *self,
          guint          n_files)
{
  g_autofree char *count = holdall_format_count (n_files);
  /* Translators: %s is a number of files */
  g_autofree char *heading = g_strdup_printf (ngettext ("Open %s File?", "Open %s Files?", n_files),
                                              count);
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (self), heading, NULL);

  adw_message_dialog_set_body (ADW_MESSAGE_DIALOG (dialog),
                               _("Each of them opens with its usual program."));
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _("_Cancel"), "open",
                                    _("_Open"), NULL);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "open");
  g_signal_connect_object (dialog, "response", G_CALLBACK (many_response_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
open_entry_cb (GSimpleAction *action,
               GVariant      *parameter,
               gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  g_autoptr (GPtrArray) nodes = holdall_browser_dup_selected_nodes (self->browser);
  g_autoptr (GPtrArray) files = dup_selected_files (self);

  if (self->archive == NULL)
    return;
  if (nodes->len == 1)
    open_node (self, g_ptr_array_index (nodes, 0), FALSE);
  else if (files->len > MANY_FILES)
    ask_many (self, files->len);
  else
    for (guint i = 0; i < files->len; i++)
      open_node (self, g_ptr_array_index (files, i), FALSE);
}

static void
open_entry_with_cb (GSimpleAction *action,
                    GVariant      *parameter,
                    gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  g_autoptr (GPtrArray) files = dup_selected_files (self);

  if (self->archive != NULL && files->len == 1)
    open_node (self, g_ptr_array_index (files, 0), TRUE);
}

void
_holdall_window_open_entry_update (HoldallWindow *self)
{
  g_autoptr (GPtrArray) nodes = holdall_browser_dup_selected_nodes (self->browser);
  gboolean is_one_file =
    nodes->len == 1 && !hold_node_is_folder (g_ptr_array_index (nodes, 0));

  _holdall_window_set_enabled (self, "open-entry", nodes->len > 0);
  _holdall_window_set_enabled (self, "open-entry-with", is_one_file);
}

void
_holdall_window_open_entry_init (HoldallWindow *self)
{
  static const GActionEntry entries[] = {
    { "open-entry", open_entry_cb },
    { "open-entry-with", open_entry_with_cb },
  };

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  _holdall_window_opened_init (self);
}
