/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A drag of rows that leaves the program: unpacks what is dragged while it is on its way, and tells
 * when it came too early. The drag source itself is that of the drags between folders. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-dnd-extract.h"
#include "holdall-doors.h"
#include "holdall-offer-provider.h"
#include "holdall-window-doors.h"
#include "holdall-window-private.h"
#include "holdall-x11-escape.h"

/* The offer of a drag; with the drag, since the source may begin another before it ends. */
#define OFFER_KEY "holdall-offer"

static void
drag_begin_cb (GtkDragSource *source,
               GdkDrag       *drag,
               HoldallWindow *self)
{
  holdall_x11_escape_watch (drag);
  g_object_set_data_full (G_OBJECT (drag), OFFER_KEY,
                          g_object_steal_data (G_OBJECT (source), OFFER_KEY), g_object_unref);
}

/* Most file managers can't take a drop before they were told the files. */
static gboolean
drag_cancel_cb (GtkDragSource       *source,
                GdkDrag             *drag,
                GdkDragCancelReason  reason,
                HoldallWindow       *self)
{
  HoldallOffer *offer = g_object_get_data (G_OBJECT (drag), OFFER_KEY);

  if (offer != NULL && reason != GDK_DRAG_CANCEL_USER_CANCELLED &&
      holdall_offer_is_awaited (offer) && !holdall_offer_is_ready (offer))
    holdall_window_show_toast (
      self, adw_toast_new (_("Still being unpacked: drag again in a moment")));
  return FALSE;
}

/* Whether the target says that it has moved or copied proves nothing, and nothing is done about
 * it: the archive keeps what was dragged. */
static void
drag_end_cb (GtkDragSource *source,
             GdkDrag       *drag,
             gboolean       delete_data,
             HoldallWindow *self)
{
  HoldallOffer *offer = g_object_get_data (G_OBJECT (drag), OFFER_KEY);

  /* Never left this program: nobody needs the files. */
  if (offer != NULL)
    holdall_offer_abandon (offer, FALSE);
}

void
_holdall_window_open_drag (HoldallWindow *self,
                           HoldallClip   *clip,
                           GtkDragSource *source)
{
  HoldallApplication *application =
    HOLDALL_APPLICATION (gtk_window_get_application (GTK_WINDOW (self)));
  g_autoptr (HoldallOffer) offer = _holdall_window_create_offer (self, FALSE);
  g_autofree char *service = NULL;
  g_autofree char *path = NULL;

  if (offer == NULL)
    return;
  holdall_dnd_extract_export (offer, holdall_application_get_jobs (application),
                              GTK_WINDOW (self), &service, &path);
  holdall_clip_set_outside (
    clip, holdall_offer_provider_new (offer, HOLDALL_OFFER_DRAG, service, path));

  /* That another program says it has moved something could not be believed. */
  gtk_drag_source_set_actions (source, GDK_ACTION_COPY);
  if (g_object_get_data (G_OBJECT (source), "holdall-connected") == NULL)
    {
      g_object_set_data (G_OBJECT (source), "holdall-connected", self);
      g_signal_connect_object (source, "drag-begin", G_CALLBACK (drag_begin_cb), self, 0);
      g_signal_connect_object (source, "drag-cancel", G_CALLBACK (drag_cancel_cb), self, 0);
      g_signal_connect_object (source, "drag-end", G_CALLBACK (drag_end_cb), self, 0);
    }
  g_object_set_data_full (G_OBJECT (source), OFFER_KEY, g_steal_pointer (&offer), g_object_unref);
  /* No rubberband now, and the release does not select this row alone. */
  gtk_gesture_set_state (GTK_GESTURE (source), GTK_EVENT_SEQUENCE_CLAIMED);
}
