/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* During a drag GDK has grabbed Escape, and the key arrives; but nothing in GDK 4.8 acts on it. It is
 * taken from the events of the display, and ends the drag by the signal that GDK itself would emit. */

#include "config.h"

#include "holdall-x11-escape.h"

#if defined (HAVE_X11) && defined (GDK_WINDOWING_X11) && __has_include (<X11/extensions/XInput2.h>)

/* GDK calls these headers deprecated in later versions, but has no other way to the events. */
#include <X11/extensions/XInput2.h>
#include <gdk/x11/gdkx.h>

static gboolean
is_escape (GdkDisplay *display,
           guint       keycode)
{
  g_autofree guint *keys = NULL;
  int n_keys = 0;

  if (!gdk_display_map_keycode (display, keycode, NULL, &keys, &n_keys))
    return FALSE;
  for (int i = 0; i < n_keys; i++)
    {
      if (keys[i] == GDK_KEY_Escape)
        return TRUE;
    }
  return FALSE;
}

static gboolean event_cb (GdkX11Display *display, gpointer event, GdkDrag *drag);

/* Not by the data alone: GDK listens to its display with the drag as data, too. */
static void
stop (GdkDrag *drag)
{
  g_signal_handlers_disconnect_by_func (gdk_drag_get_display (drag), event_cb, drag);
}

static gboolean
event_cb (GdkX11Display *display,
          gpointer       event,
          GdkDrag       *drag)
{
  const XEvent *xevent = event;
  const XIDeviceEvent *key;

  if (xevent->type != GenericEvent || xevent->xcookie.evtype != XI_KeyPress ||
      xevent->xcookie.data == NULL)
    return FALSE;
  key = xevent->xcookie.data;
  if (!is_escape (GDK_DISPLAY (display), (guint) key->detail))
    return FALSE;
  stop (drag);
  g_signal_emit_by_name (drag, "cancel", GDK_DRAG_CANCEL_USER_CANCELLED);
  return TRUE;
}

void
holdall_x11_escape_watch (GdkDrag *drag)
{
  GdkDisplay *display = gdk_drag_get_display (drag);

  if (!GDK_IS_X11_DISPLAY (display))
    return;
  g_signal_connect_object (display, "xevent", G_CALLBACK (event_cb), drag, 0);
  /* What was dropped is the target's. */
  g_signal_connect (drag, "drop-performed", G_CALLBACK (stop), NULL);
}

#else

void
holdall_x11_escape_watch (GdkDrag *drag)
{
}

#endif
