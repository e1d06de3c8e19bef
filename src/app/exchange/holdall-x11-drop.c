/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The drop half of XDND as the ICCCM has it: convert the selection with the time of the drop, from
 * the window that was dropped on, and take the answer before GDK sees it. */

#include "config.h"

#include "holdall-x11-drop.h"

#if defined (HAVE_X11) && defined (GDK_WINDOWING_X11)

/* GDK calls these headers deprecated in later versions, but has no other way to the window. */
#include <gdk/x11/gdkx.h>

#define PROPERTY_NAME "HOLDALL_DROP"
/* More is no list of files. */
#define MAX_BYTES (16 * 1024 * 1024)

typedef struct {
  GdkDisplay *display;    /* owned */
  Window window;
  Atom property;
  GByteArray *bytes;
  gboolean in_pieces;     /* INCR: the other side waits until each is deleted */
  gulong handler;
  GSource *cancelled;     /* (nullable) owned */
} Reading;

static void
reading_stop (Reading *self)
{
  if (self->handler != 0)
    g_signal_handler_disconnect (self->display, self->handler);
  self->handler = 0;
  if (self->cancelled != NULL)
    g_source_destroy (self->cancelled);
  g_clear_pointer (&self->cancelled, g_source_unref);
}

static void
reading_free (gpointer data)
{
  Reading *self = data;

  reading_stop (self);
  g_object_unref (self->display);
  g_byte_array_unref (self->bytes);
  g_free (self);
}

/* Takes the reference that the handlers share. */
static void
fail (GTask      *task,
      int         code,
      const char *why)
{
  reading_stop (g_task_get_task_data (task));
  g_task_return_new_error (task, G_IO_ERROR, code, "%s", why);
  g_object_unref (task);
}

static void
succeed (GTask *task)
{
  Reading *self = g_task_get_task_data (task);

  reading_stop (self);
  g_task_return_pointer (task, g_bytes_new (self->bytes->data, self->bytes->len),
                         (GDestroyNotify) g_bytes_unref);
  g_object_unref (task);
}

/* Reads and deletes the property. -1: it can't be read; else how many bytes there were. */
static gssize
take_property (Reading *self,
               Atom    *type)
{
  Display *display = gdk_x11_display_get_xdisplay (self->display);
  unsigned char *data = NULL;
  unsigned long n_items = 0;
  unsigned long n_left = 0;
  int format = 0;
  int result;

  gdk_x11_display_error_trap_push (self->display);
  result = XGetWindowProperty (display, self->window, self->property, 0, MAX_BYTES / 4, True,
                               AnyPropertyType, type, &format, &n_items, &n_left, &data);
  if (gdk_x11_display_error_trap_pop (self->display) != 0 || result != Success)
    return -1;
  /* Half a list would end in the middle of a name. */
  if (n_left > 0 || (format == 8 && n_items > MAX_BYTES - self->bytes->len))
    {
      XFree (data);
      return -1;
    }
  if (format == 8)
    g_byte_array_append (self->bytes, data, (guint) n_items);
  if (data != NULL)
    XFree (data);
  return (gssize) n_items;
}

static gboolean
take_answer (GTask                 *task,
             const XSelectionEvent *event)
{
  Reading *self = g_task_get_task_data (task);
  Atom type = None;
  Atom incr = gdk_x11_get_xatom_by_name_for_display (self->display, "INCR");

  if (event->requestor != self->window ||
      event->selection != gdk_x11_get_xatom_by_name_for_display (self->display, "XdndSelection"))
    return FALSE;
  if (event->property == None || take_property (self, &type) < 0)
    fail (task, G_IO_ERROR_NOT_FOUND, "The other program gave no list of files");
  else if (type == incr)
    self->in_pieces = TRUE;
  else
    succeed (task);
  return TRUE;
}

static gboolean
take_piece (GTask                *task,
            const XPropertyEvent *event)
{
  Reading *self = g_task_get_task_data (task);
  Atom type = None;
  gssize n_items;

  if (!self->in_pieces || event->window != self->window || event->atom != self->property ||
      event->state != PropertyNewValue)
    return FALSE;
  n_items = take_property (self, &type);
  if (n_items < 0)
    fail (task, G_IO_ERROR_FAILED, "The list of files could not be read");
  else if (n_items == 0)
    succeed (task);
  return TRUE;
}

static gboolean
xevent_cb (GdkX11Display *display,
           const XEvent  *event,
           GTask         *task)
{
  switch (event->type)
    {
    case SelectionNotify:
      return take_answer (task, &event->xselection);
    case PropertyNotify:
      return take_piece (task, &event->xproperty);
    default:
      return FALSE;
    }
}

static gboolean
cancelled_cb (GCancellable *cancellable,
              gpointer      task)
{
  fail (task, G_IO_ERROR_CANCELLED, "The other program did not answer");
  return G_SOURCE_REMOVE;
}

gboolean
holdall_x11_drop_can_read (GdkDrop *drop)
{
  return GDK_IS_X11_SURFACE (gdk_drop_get_surface (drop));
}

void
holdall_x11_drop_read_async (GdkDrop             *drop,
                             guint32              time,
                             GCancellable        *cancellable,
                             GAsyncReadyCallback  callback,
                             gpointer             user_data)
{
  GTask *task = g_task_new (drop, cancellable, callback, user_data);
  Reading *self = g_new0 (Reading, 1);
  GdkDisplay *display = gdk_drop_get_display (drop);

  self->display = g_object_ref (display);
  self->window = gdk_x11_surface_get_xid (gdk_drop_get_surface (drop));
  self->property = gdk_x11_get_xatom_by_name_for_display (display, PROPERTY_NAME);
  self->bytes = g_byte_array_new ();
  g_task_set_task_data (task, self, reading_free);
  self->handler = g_signal_connect (display, "xevent", G_CALLBACK (xevent_cb), task);
  if (cancellable != NULL)
    {
      self->cancelled = g_cancellable_source_new (cancellable);
      g_source_set_callback (self->cancelled, G_SOURCE_FUNC (cancelled_cb), task, NULL);
      g_source_attach (self->cancelled, NULL);
    }
  XConvertSelection (gdk_x11_display_get_xdisplay (display),
                     gdk_x11_get_xatom_by_name_for_display (display, "XdndSelection"),
                     gdk_x11_get_xatom_by_name_for_display (display, "text/uri-list"),
                     self->property, self->window, time);
}

#else

gboolean
holdall_x11_drop_can_read (GdkDrop *drop)
{
  return FALSE;
}

void
holdall_x11_drop_read_async (GdkDrop             *drop,
                             guint32              time,
                             GCancellable        *cancellable,
                             GAsyncReadyCallback  callback,
                             gpointer             user_data)
{
  g_task_report_new_error (drop, callback, user_data, NULL, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                           "This display is not X11");
}

#endif

GBytes *
holdall_x11_drop_read_finish (GAsyncResult  *result,
                              GError       **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
