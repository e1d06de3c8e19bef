/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Files of other programs that are dropped on the window: added, opened, packed, or a question
 * which. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-engine-text.h"
#include "holdall-file-ask.h"
#include "holdall-file-list.h"
#include "holdall-window-private.h"

/* Some programs never answer; the drop must end all the same. */
#define DROP_TIMEOUT_MS 5000

static const char * const drop_types[] = {
  "text/uri-list",
  "application/vnd.portal.filetransfer",
  NULL
};

typedef struct {
  HoldallWindow *window;   /* weak */
  GdkDrop *drop;
  GCancellable *cancellable;
  char *into;      /* (nullable): the folder of the archive that it was dropped on, if on one */
  GPtrArray *files;        /* (nullable): of GFile, once they are known */
  guint timeout;
} Transfer;

static void
transfer_free (Transfer *self)
{
  g_clear_handle_id (&self->timeout, g_source_remove);
  g_clear_weak_pointer (&self->window);
  g_clear_object (&self->drop);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->files, g_ptr_array_unref);
  g_free (self->into);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Transfer, transfer_free)

static gboolean
timeout_cb (gpointer user_data)
{
  Transfer *transfer = user_data;

  transfer->timeout = 0;
  g_cancellable_cancel (transfer->cancellable);
  return G_SOURCE_REMOVE;
}

/* Folders may be called so, too. */
static gboolean
are_named_as_archives (GPtrArray *files)
{
  for (guint i = 0; i < files->len; i++)
    {
      g_autofree char *name = g_file_get_basename (g_ptr_array_index (files, i));

      if (name == NULL || hold_format_by_suffix (name) == NULL)
        return FALSE;
    }
  return TRUE;
}

/* Archives on an archive: to be looked into, or to be packed as well? */
typedef struct {
  HoldallWindow *window;   /* weak: it takes the dialog along */
  GPtrArray *files;
  char *into;
} Choice;

static void
choice_free (gpointer  data,
             GClosure *closure)
{
  Choice *choice = data;

  g_clear_weak_pointer (&choice->window);
  g_ptr_array_unref (choice->files);
  g_free (choice->into);
  g_free (choice);
}

static void
choice_response_cb (AdwMessageDialog *dialog,
                    const char       *response,
                    Choice           *choice)
{
  GFile **files = (GFile **) choice->files->pdata;

  if (choice->window == NULL)
    return;
  if (g_str_equal (response, "open"))
    _holdall_window_open_files (choice->window, files, choice->files->len);
  else if (g_str_equal (response, "add") && choice->window->archive != NULL)
    _holdall_window_add_files (choice->window, files, choice->files->len, choice->into);
}

static void
ask_open_or_add (HoldallWindow *self,
                 GPtrArray     *files,
                 const char    *into)
{
  GtkWidget *dialog = adw_message_dialog_new (
    GTK_WINDOW (self), _("Open or Add?"),
    ngettext ("An archive was dropped on an archive.", "Archives were dropped on an archive.",
              files->len));
  Choice *choice = g_new0 (Choice, 1);

  g_set_weak_pointer (&choice->window, self);
  choice->files = g_ptr_array_ref (files);
  choice->into = g_strdup (into);
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _("_Cancel"), "add",
                                    _("_Add"), "open", _("_Open"), NULL);
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "open");
  g_signal_connect_data (dialog, "response", G_CALLBACK (choice_response_cb), choice, choice_free,
                         G_CONNECT_DEFAULT);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
take_files (HoldallWindow *self,
            GPtrArray     *files,
            const char    *into,
            gboolean       archives)
{
  const char *why_not = self->archive != NULL ? hold_archive_why_not (self->archive, HOLD_CAP_UPDATE)
                                              : NULL;

  if (self->archive != NULL && why_not == NULL)
    {
      /* On a bar at the edge what is meant is the folder in the middle. */
      if (into == NULL)
        into = _holdall_window_get_shown_folder (self);
      if (archives)
        ask_open_or_add (self, files, into);
      else
        _holdall_window_add_files (self, (GFile **) files->pdata, files->len, into);
    }
  else if (archives || (self->archive == NULL && !holdall_window_is_vacant (self)))
    _holdall_window_open_files (self, (GFile **) files->pdata, files->len);
  else if (self->archive == NULL)
    _holdall_window_present_create (self, (GFile **) files->pdata, files->len);
  else if (why_not != NULL)
    {
      g_autofree char *words = holdall_engine_text_why_not (why_not);
      g_autofree char *escaped = g_markup_escape_text (words, -1);

      holdall_window_show_toast (self, adw_toast_new (escaped));
    }
}

static void
kinds_asked_cb (GObject      *object,
                GAsyncResult *result,
                gpointer      user_data)
{
  g_autoptr (Transfer) transfer = user_data;
  guint n_folders = 0;

  /* Without an answer the name decides: opening it says what is wrong. */
  if (!holdall_file_ask_finish (result, NULL, &n_folders, NULL))
    g_debug ("What was dropped lies on a disk that does not answer");
  if (transfer->window != NULL)
    take_files (transfer->window, transfer->files, transfer->into, n_folders == 0);
}

static void
take_transfer (Transfer  *transfer,
               GPtrArray *files)
{
  g_autoptr (Transfer) own = transfer;

  if (!are_named_as_archives (files))
    {
      take_files (transfer->window, files, transfer->into, FALSE);
      return;
    }
  transfer->files = g_ptr_array_ref (files);
  holdall_file_ask_async (files, kinds_asked_cb, g_steal_pointer (&own));
}

static void
files_read_cb (GObject      *object,
               GAsyncResult *result,
               gpointer      user_data)
{
  g_autoptr (Transfer) transfer = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) files = holdall_file_list_finish (result, NULL, &error);
  gboolean ok = files != NULL && files->len > 0;

  if (files == NULL)
    g_debug ("The drop can't be read: %s", error->message);
  gdk_drop_finish (transfer->drop, ok ? GDK_ACTION_COPY : 0);
  /* The window was closed while the other program took its time. */
  if (transfer->window == NULL)
    return;
  if (ok)
    take_transfer (g_steal_pointer (&transfer), files);
  else
    holdall_window_show_toast (
      transfer->window,
      adw_toast_new (_("The other program did not hand over its files. Copy them there and paste "
                       "them here.")));
}

static gboolean
drop_cb (GtkDropTargetAsync *target,
         GdkDrop            *drop,
         double              x,
         double              y,
         HoldallWindow      *self)
{
  Transfer *transfer = g_new0 (Transfer, 1);
  guint32 time = gtk_event_controller_get_current_event_time (GTK_EVENT_CONTROLLER (target));
  g_auto (HoldallPlace) place = { 0 };

  _holdall_window_hover (self, NULL, FALSE, FALSE);
  _holdall_window_find_place (self, x, y, &place);
  g_set_weak_pointer (&transfer->window, self);
  transfer->into = g_steal_pointer (&place.folder);
  transfer->drop = g_object_ref (drop);
  transfer->cancellable = g_cancellable_new ();
  transfer->timeout = g_timeout_add (DROP_TIMEOUT_MS, timeout_cb, transfer);
  holdall_file_list_drop_async (drop, time, transfer->cancellable, files_read_cb, transfer);
  return TRUE;
}

static gboolean
accept_cb (GtkDropTargetAsync *target,
           GdkDrop            *drop,
           HoldallWindow      *self)
{
  /* Rows of our own window are no files to open. */
  return gdk_drop_get_drag (drop) == NULL &&
         gdk_content_formats_match (gdk_drop_get_formats (drop),
                                    gtk_drop_target_async_get_formats (target));
}

static GdkDragAction
motion_cb (GtkDropTargetAsync *target,
           GdkDrop            *drop,
           double              x,
           double              y,
           HoldallWindow      *self)
{
  g_auto (HoldallPlace) place = { 0 };
  gboolean can_add = self->archive != NULL &&
                     hold_archive_why_not (self->archive, HOLD_CAP_UPDATE) == NULL;

  _holdall_window_find_place (self, x, y, &place);
  _holdall_window_hover (self, &place, can_add && place.folder != NULL, can_add);
  return GDK_ACTION_COPY;
}

static void
leave_cb (GtkDropTargetAsync *target,
          GdkDrop            *drop,
          HoldallWindow      *self)
{
  _holdall_window_hover (self, NULL, FALSE, FALSE);
}

void
_holdall_window_dnd_init (HoldallWindow *self)
{
  GdkContentFormats *formats =
    gdk_content_formats_new ((const char **) drop_types, G_N_ELEMENTS (drop_types) - 1);
  GtkDropTargetAsync *target = gtk_drop_target_async_new (formats, GDK_ACTION_COPY);

  g_signal_connect (target, "accept", G_CALLBACK (accept_cb), self);
  g_signal_connect (target, "drag-enter", G_CALLBACK (motion_cb), self);
  g_signal_connect (target, "drag-motion", G_CALLBACK (motion_cb), self);
  g_signal_connect (target, "drag-leave", G_CALLBACK (leave_cb), self);
  g_signal_connect (target, "drop", G_CALLBACK (drop_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
}
