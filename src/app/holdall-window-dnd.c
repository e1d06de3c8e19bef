/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What is dropped on the window. The list of files is asked for as text/uri-list and never as a
 * GdkFileList: that would prefer the portal's transfer, which fails for folders. */

#include "config.h"

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

static void
take_uris (Transfer *transfer)
{
  g_autofree char *text = g_strndup ((const char *) transfer->bytes->data, transfer->bytes->len);
  g_auto (GStrv) uris = g_uri_list_extract_uris (text);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; uris[i] != NULL; i++)
    g_ptr_array_add (files, g_file_new_for_uri (uris[i]));
  _holdall_window_open_files (transfer->window, (GFile **) files->pdata, files->len);
  gdk_drop_finish (transfer->drop, files->len > 0 ? GDK_ACTION_COPY : 0);
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
