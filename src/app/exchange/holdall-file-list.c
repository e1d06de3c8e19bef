/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The lists of file managers first, since they say whether it is a cut; KDE says that beside its
 * list. GTK's own type for files would ask the portal first, which in its older versions refuses
 * folders; here it comes last, for the sandbox in which the paths of the others lead nowhere. */

#include "config.h"

#include "holdall-file-list.h"

#include "holdall-file-ask.h"
#include "holdall-uri-list.h"
#include "holdall-x11-drop.h"

#define URI_LIST "text/uri-list"
#define KDE_CUT "application/x-kde-cutselection"
#define PORTAL "application/vnd.portal.filetransfer"

typedef struct {
  GdkClipboard *clipboard;    /* (nullable) owned: this */
  GdkDrop *drop;              /* (nullable) owned: or this */
  GdkContentFormats *formats; /* borrowed from it */
  GPtrArray *files;           /* (nullable) */
  gboolean is_cut;
} Reading;

static void
reading_free (gpointer data)
{
  Reading *self = data;

  g_clear_object (&self->clipboard);
  g_clear_object (&self->drop);
  g_clear_pointer (&self->formats, gdk_content_formats_unref);
  g_clear_pointer (&self->files, g_ptr_array_unref);
  g_free (self);
}

static gboolean
offers (Reading    *self,
        const char *type)
{
  return gdk_content_formats_contain_mime_type (self->formats, type);
}

/* (nullable) borrowed: the best of those that are offered */
static const char *
find_list (GdkContentFormats *formats)
{
  const char * const *known = holdall_uri_list_get_formats ();

  for (guint i = 0; known[i] != NULL; i++)
    {
      if (gdk_content_formats_contain_mime_type (formats, known[i]))
        return known[i];
    }
  return NULL;
}

gboolean
holdall_file_list_is_offered (GdkContentFormats *formats)
{
  return find_list (formats) != NULL || gdk_content_formats_contain_mime_type (formats, PORTAL);
}

static void
start_reading (GTask              *task,
               const char * const *types,
               GAsyncReadyCallback callback)
{
  Reading *self = g_task_get_task_data (task);
  GCancellable *cancellable = g_task_get_cancellable (task);

  if (self->clipboard != NULL)
    gdk_clipboard_read_async (self->clipboard, (const char **) types, G_PRIORITY_DEFAULT, cancellable,
                              callback, task);
  else
    gdk_drop_read_async (self->drop, (const char **) types, G_PRIORITY_DEFAULT, cancellable, callback,
                         task);
}

static GInputStream *
finish_reading (Reading       *self,
                GAsyncResult  *result,
                GError       **error)
{
  if (self->clipboard != NULL)
    return gdk_clipboard_read_finish (self->clipboard, result, NULL, error);
  return gdk_drop_read_finish (self->drop, result, NULL, error);
}

static void
return_files (GTask *task)
{
  g_task_return_boolean (task, TRUE);
  g_object_unref (task);
}

static void
return_error (GTask  *task,
              GError *error)
{
  g_task_return_error (task, error);
  g_object_unref (task);
}

/* (nullable): without one the task has its error, and is gone */
static GInputStream *
finish_or_fail (GTask        *task,
                GAsyncResult *result)
{
  GError *error = NULL;
  GInputStream *input = finish_reading (g_task_get_task_data (task), result, &error);

  if (input == NULL)
    return_error (task, error);
  return input;
}

static void
portal_files_cb (GObject      *object,
                 GAsyncResult *result,
                 gpointer      user_data)
{
  GTask *task = user_data;
  Reading *self = g_task_get_task_data (task);
  g_auto (GValue) value = G_VALUE_INIT;
  GError *error = NULL;

  if (!gdk_content_deserialize_finish (result, &value, &error))
    {
      return_error (task, error);
      return;
    }
  g_ptr_array_set_size (self->files, 0);
  for (GSList *link = gdk_file_list_get_files (g_value_get_boxed (&value)); link != NULL;
       link = g_slist_delete_link (link, link))
    g_ptr_array_add (self->files, g_object_ref (link->data));
  /* These are files that the portal lends; the real ones are not ours to remove. */
  self->is_cut = FALSE;
  return_files (task);
}

static void
portal_read_cb (GObject      *object,
                GAsyncResult *result,
                gpointer      user_data)
{
  GTask *task = user_data;
  g_autoptr (GInputStream) input = finish_or_fail (task, result);

  if (input != NULL)
    gdk_content_deserialize_async (input, PORTAL, GDK_TYPE_FILE_LIST, G_PRIORITY_DEFAULT,
                                   g_task_get_cancellable (task), portal_files_cb, task);
}

static void
read_from_portal (GTask *task)
{
  static const char * const types[] = { PORTAL, NULL };

  start_reading (task, types, portal_read_cb);
}

static void
paths_asked_cb (GObject      *object,
                GAsyncResult *result,
                gpointer      user_data)
{
  GTask *task = user_data;
  guint n_found;

  /* Out of reach, and not only slow to answer. */
  if (holdall_file_ask_finish (result, &n_found, NULL, NULL) && n_found == 0)
    read_from_portal (task);
  else
    return_files (task);
}

static void
take_list (GTask     *task,
           GPtrArray *files)
{
  Reading *self = g_task_get_task_data (task);
  g_autoptr (GPtrArray) with_path = NULL;

  self->files = files;
  if (!offers (self, PORTAL))
    {
      return_files (task);
      return;
    }
  /* In a sandbox the paths may be those of another world. */
  with_path = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < files->len; i++)
    {
      GFile *file = g_ptr_array_index (files, i);

      if (g_file_peek_path (file) != NULL)
        g_ptr_array_add (with_path, g_object_ref (file));
    }
  holdall_file_ask_async (with_path, paths_asked_cb, task);
}

static void
list_parsed_cb (GObject      *object,
                GAsyncResult *result,
                gpointer      user_data)
{
  GTask *task = user_data;
  Reading *self = g_task_get_task_data (task);
  gboolean is_cut = FALSE;
  GError *error = NULL;
  GPtrArray *files = holdall_uri_list_read_finish (result, &is_cut, &error);

  if (files == NULL)
    {
      return_error (task, error);
      return;
    }
  self->is_cut = self->is_cut || is_cut;
  take_list (task, files);
}

static void
list_read_cb (GObject      *object,
              GAsyncResult *result,
              gpointer      user_data)
{
  GTask *task = user_data;
  g_autoptr (GInputStream) input = finish_or_fail (task, result);

  if (input != NULL)
    holdall_uri_list_read_async (input, g_task_get_cancellable (task), list_parsed_cb, task);
}

/* Asks for nothing that is not offered: on X11 GTK tries one after the other, and Qt answers what it
 * does not have with nothing instead of an error. */
static void
read_list (GTask *task)
{
  Reading *self = g_task_get_task_data (task);
  const char *types[] = { find_list (self->formats), NULL };

  start_reading (task, types, list_read_cb);
}

static void
kde_flag_cb (GObject      *object,
             GAsyncResult *result,
             gpointer      user_data)
{
  GTask *task = user_data;
  Reading *self = g_task_get_task_data (task);
  g_autoptr (GBytes) flag = g_input_stream_read_bytes_finish (G_INPUT_STREAM (object), result, NULL);
  const char *text = flag != NULL ? g_bytes_get_data (flag, NULL) : NULL;

  self->is_cut = text != NULL && *text == '1';
  read_list (task);
}

static void
kde_cut_read_cb (GObject      *object,
                 GAsyncResult *result,
                 gpointer      user_data)
{
  GTask *task = user_data;
  g_autoptr (GInputStream) input = finish_reading (g_task_get_task_data (task), result, NULL);

  if (input == NULL)
    read_list (task);
  else
    g_input_stream_read_bytes_async (input, 1, G_PRIORITY_DEFAULT, g_task_get_cancellable (task),
                                     kde_flag_cb, task);
}

static GTask *
create_task (gpointer             source,
             GCancellable        *cancellable,
             GAsyncReadyCallback  callback,
             gpointer             user_data)
{
  GTask *task = g_task_new (source, cancellable, callback, user_data);

  g_task_set_task_data (task, g_new0 (Reading, 1), reading_free);
  return task;
}

void
holdall_file_list_paste_async (GdkClipboard        *clipboard,
                               GCancellable        *cancellable,
                               GAsyncReadyCallback  callback,
                               gpointer             user_data)
{
  static const char * const kde_types[] = { KDE_CUT, NULL };
  GTask *task = create_task (clipboard, cancellable, callback, user_data);
  Reading *self = g_task_get_task_data (task);

  self->clipboard = g_object_ref (clipboard);
  self->formats = gdk_content_formats_ref (gdk_clipboard_get_formats (clipboard));
  if (offers (self, KDE_CUT) && !offers (self, "x-special/gnome-copied-files") &&
      !offers (self, "x-special/mate-copied-files") && offers (self, URI_LIST))
    start_reading (task, kde_types, kde_cut_read_cb);
  else if (find_list (self->formats) == NULL)
    take_list (task, g_ptr_array_new_with_free_func (g_object_unref));
  else
    read_list (task);
}

static void
x11_read_cb (GObject      *object,
             GAsyncResult *result,
             gpointer      user_data)
{
  GTask *task = user_data;
  GError *error = NULL;
  g_autoptr (GBytes) bytes = holdall_x11_drop_read_finish (result, &error);
  const char *text;
  gsize length;

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      return_error (task, error);
      return;
    }
  if (bytes == NULL)
    {
      g_error_free (error);
      read_list (task);
      return;
    }
  text = g_bytes_get_data (bytes, &length);
  take_list (task, holdall_uri_list_parse (text != NULL ? text : "", length, NULL));
}

void
holdall_file_list_drop_async (GdkDrop             *drop,
                              guint32              time,
                              GCancellable        *cancellable,
                              GAsyncReadyCallback  callback,
                              gpointer             user_data)
{
  GTask *task = create_task (drop, cancellable, callback, user_data);
  Reading *self = g_task_get_task_data (task);

  self->drop = g_object_ref (drop);
  self->formats = gdk_content_formats_ref (gdk_drop_get_formats (drop));
  if (!offers (self, URI_LIST))
    take_list (task, g_ptr_array_new_with_free_func (g_object_unref));
  else if (holdall_x11_drop_can_read (drop))
    holdall_x11_drop_read_async (drop, time, cancellable, x11_read_cb, task);
  else
    read_list (task);
}

GPtrArray *
holdall_file_list_finish (GAsyncResult  *result,
                          gboolean      *is_cut,
                          GError       **error)
{
  GTask *task = G_TASK (result);
  Reading *self = g_task_get_task_data (task);

  if (!g_task_propagate_boolean (task, error))
    return NULL;
  if (is_cut != NULL)
    *is_cut = self->is_cut;
  return g_steal_pointer (&self->files);
}
