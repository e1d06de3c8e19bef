/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Another program, as bad as they come: offers what it is told to on the clipboard and from a window
 * that can be dragged, says on standard output what is asked for, and may serve only once or never.
 *
 *   foreign [--once] [--mute] FORMAT FILE [FORMAT FILE…]
 *
 * FILE holds the bytes; for the portal's format the paths of the files that it lends, one a line. */

#include <gtk/gtk.h>
#include <string.h>

#define PORTAL "application/vnd.portal.filetransfer"

static gboolean once;
static gboolean mute;

typedef struct {
  GdkContentProvider parent_instance;

  char **pairs;
} Provider;

typedef GdkContentProviderClass ProviderClass;

GType provider_get_type (void);
G_DEFINE_TYPE (Provider, provider, GDK_TYPE_CONTENT_PROVIDER)

static GdkContentFormats *
provider_ref_formats (GdkContentProvider *provider)
{
  GdkContentFormatsBuilder *builder = gdk_content_formats_builder_new ();
  Provider *self = (Provider *) provider;

  for (guint i = 0; self->pairs[i] != NULL; i += 2)
    gdk_content_formats_builder_add_mime_type (builder, self->pairs[i]);
  return gdk_content_formats_builder_free_to_formats (builder);
}

static void
written_cb (GObject      *object,
            GAsyncResult *result,
            gpointer      user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;

  if (g_output_stream_write_all_finish (G_OUTPUT_STREAM (object), result, NULL, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
lent_cb (GObject      *object,
         GAsyncResult *result,
         gpointer      user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;

  if (gdk_content_serialize_finish (result, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
lend (GTask         *task,
      GOutputStream *stream,
      const char    *content)
{
  g_auto (GStrv) lines = g_strsplit (content, "\n", -1);
  g_auto (GValue) value = G_VALUE_INIT;
  GSList *files = NULL;

  for (guint i = 0; lines[i] != NULL && *lines[i] != '\0'; i++)
    files = g_slist_append (files, g_file_new_for_path (lines[i]));
  g_value_init (&value, GDK_TYPE_FILE_LIST);
  g_value_take_boxed (&value, gdk_file_list_new_from_list (files));
  g_slist_free_full (files, g_object_unref);
  gdk_content_serialize_async (stream, PORTAL, &value, G_PRIORITY_DEFAULT, NULL, lent_cb, task);
}

static void
provider_write (GdkContentProvider  *provider,
                const char          *type,
                GOutputStream       *stream,
                int                  priority,
                GCancellable        *cancellable,
                GAsyncReadyCallback  callback,
                gpointer             user_data)
{
  Provider *self = (Provider *) provider;
  GTask *task = g_task_new (self, cancellable, callback, user_data);
  char *content = NULL;
  gsize length = 0;

  g_print ("read %s\n", type);
  if (mute)
    return;
  for (guint i = 0; self->pairs[i] != NULL; i += 2)
    {
      if (g_str_equal (self->pairs[i], type))
        g_file_get_contents (self->pairs[i + 1], &content, &length, NULL);
    }
  g_task_set_task_data (task, content, g_free);
  if (g_str_equal (type, PORTAL))
    {
      lend (task, stream, content);
      return;
    }
  g_output_stream_write_all_async (stream, content, length, priority, cancellable, written_cb, task);
  if (once)
    gdk_clipboard_set_content (gdk_display_get_clipboard (gdk_display_get_default ()), NULL);
}

static gboolean
provider_write_finish (GdkContentProvider  *provider,
                       GAsyncResult        *result,
                       GError             **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

static void
provider_class_init (ProviderClass *klass)
{
  klass->ref_formats = provider_ref_formats;
  klass->write_mime_type_async = provider_write;
  klass->write_mime_type_finish = provider_write_finish;
}

static void
provider_init (Provider *self)
{
}

static GdkContentProvider *
prepare_cb (GtkDragSource *source,
            double         x,
            double         y,
            gpointer       provider)
{
  gtk_drag_source_set_icon (source, NULL, 0, 0);
  return g_object_ref (provider);
}

static void
action_cb (GdkDrag *drag)
{
  g_print ("target %s\n", gdk_drag_get_selected_action (drag) != 0 ? "takes" : "refuses");
}

static void
drag_begin_cb (GtkDragSource *source,
               GdkDrag       *drag)
{
  g_print ("drag begun\n");
  g_signal_connect (drag, "notify::selected-action", G_CALLBACK (action_cb), NULL);
}

static void
drag_end_cb (GtkDragSource *source,
             GdkDrag       *drag,
             gboolean       delete_data)
{
  g_print ("drag ended, %s\n", gdk_drag_get_selected_action (drag) != 0 ? "taken" : "refused");
}

static gboolean
cancel_cb (GtkDragSource      *source,
           GdkDrag            *drag,
           GdkDragCancelReason reason)
{
  g_print ("drag cancelled\n");
  return FALSE;
}

int
main (int   argc,
      char *argv[])
{
  GtkWidget *window;
  GtkDragSource *source = gtk_drag_source_new ();
  Provider *provider;
  int first = 1;

  gtk_init ();
  setvbuf (stdout, NULL, _IOLBF, 0);
  for (; first < argc && g_str_has_prefix (argv[first], "--"); first++)
    {
      once = once || g_str_equal (argv[first], "--once");
      mute = mute || g_str_equal (argv[first], "--mute");
    }
  provider = g_object_new (provider_get_type (), NULL);
  provider->pairs = argv + first;

  window = gtk_window_new ();
  gtk_window_set_title (GTK_WINDOW (window), "foreign");
  gtk_window_set_child (GTK_WINDOW (window), gtk_label_new ("Drag me"));
  gtk_drag_source_set_actions (source, GDK_ACTION_COPY);
  g_signal_connect (source, "prepare", G_CALLBACK (prepare_cb), provider);
  g_signal_connect (source, "drag-begin", G_CALLBACK (drag_begin_cb), NULL);
  g_signal_connect (source, "drag-end", G_CALLBACK (drag_end_cb), NULL);
  g_signal_connect (source, "drag-cancel", G_CALLBACK (cancel_cb), NULL);
  gtk_widget_add_controller (window, GTK_EVENT_CONTROLLER (source));
  gtk_window_present (GTK_WINDOW (window));
  gdk_clipboard_set_content (gdk_display_get_clipboard (gdk_display_get_default ()),
                             GDK_CONTENT_PROVIDER (provider));
  while (TRUE)
    g_main_context_iteration (NULL, TRUE);
}
