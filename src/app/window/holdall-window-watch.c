/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What the window does when its archive is changed from outside: it reads the list again and stays where it is. Our own
 * rewrites are known by the file's identity, which the snapshot has. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-archive-monitor.h"
#include "holdall-window-private.h"
#include "holdall-window-watch.h"

#define VOLUMES_KEY "holdall-window-volumes"

static void
gone_dismissed_cb (AdwToast      *toast,
                   HoldallWindow *self)
{
  if (self->gone_toast == toast)
    g_clear_object (&self->gone_toast);
}

static void
tell_gone (HoldallWindow *self)
{
  g_autofree char *name = g_file_get_basename (self->file);
  g_autofree char *shown = hold_path_escape_for_display (name);
  g_autofree char *text = g_strdup_printf (_("“%s” was moved or deleted"), shown);
  g_autofree char *escaped = g_markup_escape_text (text, -1);

  _holdall_window_end_toast (&self->gone_toast);
  self->gone_toast = adw_toast_new (escaped);
  adw_toast_set_timeout (self->gone_toast, 0);
  g_signal_connect_object (self->gone_toast, "dismissed", G_CALLBACK (gone_dismissed_cb), self, 0);
  holdall_window_show_toast (self, g_object_ref (self->gone_toast));
}

/* It is there again, or another file is shown. */
static void
end_gone (HoldallWindow *self)
{
  self->is_gone = FALSE;
  _holdall_window_end_toast (&self->gone_toast);
}

static void
read_again (HoldallWindow *self)
{
  end_gone (self);
  _holdall_window_edit_forget (self);
  g_action_group_activate_action (G_ACTION_GROUP (self), "try-again", NULL);
}

/* What is being done now makes a change of its own; it is looked at again afterwards. */
static gboolean
is_too_early (HoldallWindow *self)
{
  return self->is_checking || _holdall_window_is_opening (self) ||
         _holdall_window_edit_get_n_pending (self) > 0;
}

static void
checked_cb (GObject      *object,
            GAsyncResult *result,
            gpointer      user_data)
{
  g_autoptr (HoldallWindow) self = holdall_window_take_weak (user_data);
  g_autoptr (GError) error = NULL;

  if (self == NULL)
    return;
  self->is_checking = FALSE;
  if (self->archive != HOLD_ARCHIVE (object) || is_too_early (self))
    {
      if (self->monitor != NULL)
        holdall_archive_monitor_poke (self->monitor);
    }
  else if (g_task_propagate_boolean (G_TASK (result), &error))
    end_gone (self);
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
    read_again (self);
  else if (!self->is_gone)
    {
      tell_gone (self);
      self->is_gone = TRUE;
    }
}

static void
check_func (GTask        *task,
            gpointer      source_object,
            gpointer      task_data,
            GCancellable *cancellable)
{
  GError *error = NULL;

  if (hold_archive_check_unchanged (HOLD_ARCHIVE (source_object), &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

/* A disk that does not answer holds a thread, but not the window. */
void
_holdall_window_check_changed (HoldallWindow *self)
{
  g_autoptr (GTask) task = NULL;

  if (self->file == NULL)
    return;
  if (is_too_early (self))
    {
      holdall_archive_monitor_poke (self->monitor);
      return;
    }
  if (self->archive == NULL)
    {
      read_again (self);
      return;
    }
  self->is_checking = TRUE;
  task = g_task_new (self->archive, NULL, checked_cb, holdall_window_new_weak (self));
  g_task_run_in_thread (task, check_func);
}

/* Some places can't be watched, a document of a portal among them: whoever was in another program
 * may have changed it there. */
static void
active_changed_cb (HoldallArchiveMonitor *monitor,
                   GParamSpec            *pspec,
                   HoldallWindow         *self)
{
  if (gtk_window_is_active (GTK_WINDOW (self)) && self->archive != NULL)
    holdall_archive_monitor_poke (monitor);
}

void
_holdall_window_watch_update (HoldallWindow *self)
{
  if (self->watched != NULL && self->file != NULL && g_file_equal (self->watched, self->file))
    return;
  g_clear_object (&self->monitor);
  g_clear_object (&self->watched);
  end_gone (self);
  if (self->file == NULL)
    return;
  _holdall_window_edit_forget (self);
  self->watched = g_object_ref (self->file);
  self->monitor = holdall_archive_monitor_new (self->file);
  g_signal_connect_object (self->monitor, "changed", G_CALLBACK (_holdall_window_check_changed),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self, "notify::is-active", G_CALLBACK (active_changed_cb), self->monitor,
                           G_CONNECT_SWAPPED);
}

static void
pre_unmount_cb (HoldallWindow *self,
                GMount        *mount)
{
  g_autoptr (GFile) root = g_mount_get_root (mount);

  if (self->file != NULL && g_file_has_prefix (self->file, root))
    _holdall_window_edit_forget (self);
}

void
_holdall_window_watch_unmount (HoldallWindow *self)
{
  GVolumeMonitor *monitor;

  if (g_object_get_data (G_OBJECT (self), VOLUMES_KEY) != NULL)
    return;
  monitor = g_volume_monitor_get ();
  g_object_set_data_full (G_OBJECT (self), VOLUMES_KEY, monitor, g_object_unref);
  g_signal_connect_object (monitor, "mount-pre-unmount", G_CALLBACK (pre_unmount_cb), self,
                           G_CONNECT_SWAPPED);
}

void
_holdall_window_watch_dispose (HoldallWindow *self)
{
  g_clear_object (&self->monitor);
  g_clear_object (&self->watched);
  g_clear_object (&self->gone_toast);
}
