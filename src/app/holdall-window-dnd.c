/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What is dropped on the window. The list of files is asked for as text/uri-list and never as a
 * GdkFileList: that would prefer the portal's transfer, which fails for folders. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-engine-text.h"
#include "holdall-window-private.h"

/* Some programs never answer; the drop must end all the same. */
#define DROP_TIMEOUT_MS 5000
#define MAX_LIST_BYTES (4 * 1024 * 1024)

static const char * const uri_list_types[] = { "text/uri-list", NULL };

typedef struct {
  HoldallWindow *window;
  GdkDrop *drop;
  GCancellable *cancellable;
  GByteArray *bytes;
  char *into;      /* (nullable): the folder of the archive that it was dropped on */
  guint timeout;
} Transfer;

static void
transfer_free (Transfer *self)
{
  g_clear_handle_id (&self->timeout, g_source_remove);
  g_clear_object (&self->window);
  g_clear_object (&self->drop);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->bytes, g_byte_array_unref);
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

static gboolean
are_archives (GPtrArray *files)
{
  for (guint i = 0; i < files->len; i++)
    {
      g_autofree char *name = g_file_get_basename (g_ptr_array_index (files, i));

      if (hold_format_by_suffix (name) == NULL ||
          g_file_query_file_type (g_ptr_array_index (files, i), G_FILE_QUERY_INFO_NONE, NULL) ==
            G_FILE_TYPE_DIRECTORY)
        return FALSE;
    }
  return TRUE;
}

/* Archives on an archive: to be looked into, or to be packed as well? */
typedef struct {
  HoldallWindow *window;
  GPtrArray *files;
  char *into;
} Choice;

static void
choice_free (gpointer  data,
             GClosure *closure)
{
  Choice *choice = data;

  g_object_unref (choice->window);
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

  choice->window = g_object_ref (self);
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

void
_holdall_window_take_files (HoldallWindow *self,
                            GPtrArray     *files,
                            const char    *into)
{
  const char *why_not = self->archive != NULL ? hold_archive_why_not (self->archive, HOLD_CAP_UPDATE)
                                              : NULL;
  gboolean archives = are_archives (files);

  if (self->archive != NULL && why_not == NULL && into != NULL)
    {
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
take_uris (Transfer *transfer)
{
  g_autofree char *text = g_strndup ((const char *) transfer->bytes->data, transfer->bytes->len);
  g_auto (GStrv) uris = g_uri_list_extract_uris (text);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; uris[i] != NULL; i++)
    g_ptr_array_add (files, g_file_new_for_uri (uris[i]));
  gdk_drop_finish (transfer->drop, files->len > 0 ? GDK_ACTION_COPY : 0);
  if (files->len > 0)
    _holdall_window_take_files (transfer->window, files, transfer->into);
}

static void
spliced_cb (GObject      *object,
            GAsyncResult *result,
            gpointer      user_data)
{
  g_autoptr (Transfer) transfer = user_data;
  GOutputStream *output = G_OUTPUT_STREAM (object);
  g_autoptr (GBytes) bytes = NULL;

  if (g_output_stream_splice_finish (output, result, NULL) < 0)
    {
      gdk_drop_finish (transfer->drop, 0);
      return;
    }
  bytes = g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (output));
  g_byte_array_append (transfer->bytes, g_bytes_get_data (bytes, NULL),
                       (guint) MIN (g_bytes_get_size (bytes), MAX_LIST_BYTES));
  take_uris (transfer);
}

static void
read_cb (GObject      *object,
         GAsyncResult *result,
         gpointer      user_data)
{
  g_autoptr (Transfer) transfer = user_data;
  g_autoptr (GInputStream) input = gdk_drop_read_finish (transfer->drop, result, NULL, NULL);
  g_autoptr (GOutputStream) output = NULL;
  GCancellable *cancellable = transfer->cancellable;

  if (input == NULL)
    {
      gdk_drop_finish (transfer->drop, 0);
      return;
    }
  output = g_memory_output_stream_new_resizable ();
  g_output_stream_splice_async (output, input,
                                G_OUTPUT_STREAM_SPLICE_CLOSE_SOURCE |
                                  G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET,
                                G_PRIORITY_DEFAULT, cancellable, spliced_cb,
                                g_steal_pointer (&transfer));
}

static gboolean
drop_cb (GtkDropTargetAsync *target,
         GdkDrop            *drop,
         double              x,
         double              y,
         HoldallWindow      *self)
{
  Transfer *transfer = g_new0 (Transfer, 1);

  transfer->window = g_object_ref (self);
  transfer->into = _holdall_window_dup_drop_folder (self, x, y);
  transfer->drop = g_object_ref (drop);
  transfer->cancellable = g_cancellable_new ();
  transfer->bytes = g_byte_array_new ();
  transfer->timeout = g_timeout_add (DROP_TIMEOUT_MS, timeout_cb, transfer);
  gdk_drop_read_async (drop, (const char **) uri_list_types, G_PRIORITY_DEFAULT,
                       transfer->cancellable, read_cb, transfer);
  return TRUE;
}

static gboolean
accept_cb (GtkDropTargetAsync *target,
           GdkDrop            *drop,
           HoldallWindow      *self)
{
  /* Rows of our own window are no files to open. */
  return gdk_drop_get_drag (drop) == NULL &&
         gdk_content_formats_contain_mime_type (gdk_drop_get_formats (drop), uri_list_types[0]);
}

void
_holdall_window_dnd_init (HoldallWindow *self)
{
  GdkContentFormats *formats =
    gdk_content_formats_new ((const char **) uri_list_types, G_N_ELEMENTS (uri_list_types) - 1);
  GtkDropTargetAsync *target = gtk_drop_target_async_new (formats, GDK_ACTION_COPY);

  g_signal_connect (target, "accept", G_CALLBACK (accept_cb), self);
  g_signal_connect (target, "drop", G_CALLBACK (drop_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
}
