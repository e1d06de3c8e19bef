/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A program that writes an archive does so in many steps; looking at it before it rests would show half of it. */

#include "config.h"

#include "holdall-archive-monitor.h"

#define REST_MS 400

struct _HoldallArchiveMonitor {
  GObject parent_instance;

  GFileMonitor *monitor;  /* (nullable): some places can't be watched */
  guint timeout;
};

G_DEFINE_FINAL_TYPE (HoldallArchiveMonitor, holdall_archive_monitor, G_TYPE_OBJECT)

enum { CHANGED, N_SIGNALS };

static guint signals[N_SIGNALS];

static gboolean
rested_cb (gpointer user_data)
{
  HoldallArchiveMonitor *self = user_data;

  self->timeout = 0;
  g_signal_emit (self, signals[CHANGED], 0);
  return G_SOURCE_REMOVE;
}

static void
event_cb (HoldallArchiveMonitor *self,
          GFile                 *file,
          GFile                 *other,
          GFileMonitorEvent      event)
{
  /* Reading it changes the time of the last access, too. */
  if (event == G_FILE_MONITOR_EVENT_PRE_UNMOUNT)
    return;
  holdall_archive_monitor_poke (self);
}

static void
holdall_archive_monitor_dispose (GObject *object)
{
  HoldallArchiveMonitor *self = HOLDALL_ARCHIVE_MONITOR (object);

  g_clear_handle_id (&self->timeout, g_source_remove);
  if (self->monitor != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->monitor, self);
      g_file_monitor_cancel (self->monitor);
    }
  g_clear_object (&self->monitor);

  G_OBJECT_CLASS (holdall_archive_monitor_parent_class)->dispose (object);
}

static void
holdall_archive_monitor_class_init (HoldallArchiveMonitorClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = holdall_archive_monitor_dispose;

  signals[CHANGED] = g_signal_new ("changed", HOLDALL_TYPE_ARCHIVE_MONITOR, G_SIGNAL_RUN_LAST, 0,
                                   NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
holdall_archive_monitor_init (HoldallArchiveMonitor *self)
{
}

HoldallArchiveMonitor *
holdall_archive_monitor_new (GFile *file)
{
  HoldallArchiveMonitor *self = g_object_new (HOLDALL_TYPE_ARCHIVE_MONITOR, NULL);

  self->monitor = g_file_monitor_file (file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
  if (self->monitor != NULL)
    g_signal_connect_swapped (self->monitor, "changed", G_CALLBACK (event_cb), self);
  return self;
}

void
holdall_archive_monitor_poke (HoldallArchiveMonitor *self)
{
  g_return_if_fail (HOLDALL_IS_ARCHIVE_MONITOR (self));

  g_clear_handle_id (&self->timeout, g_source_remove);
  self->timeout = g_timeout_add (REST_MS, rested_cb, self);
}
